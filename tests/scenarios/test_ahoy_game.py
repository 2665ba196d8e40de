"""The module of the game on a bus: when it begins, what it answers, and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    Envelope,
    ModuleFault,
    PersonDetected,
    PersonMoved,
    PhaseStatus,
    Position,
    SessionPhase,
    find_message_type,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import run as run_with_clock

AHOY = Path(__file__).parents[2] / "scenarios" / "ahoy"
GAME = load_class_from_file(AHOY / "game.py")
HERE = Position(x_m=0.0, y_m=1.6, z_m=1.5)


def rate(rating: str) -> Any:
    return find_message_type("RateGuess")(rating=rating)


def play(script: Callable[[MemoryBus], Any], **settings: Any) -> list[Envelope]:
    """Run the game in virtual time while a script speaks on the bus; all that was said."""
    heard: list[Envelope] = []

    async def main() -> None:
        clock, broker = Clock(), MemoryBroker()

        def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        operator = join(Identity("run", "world", "operator"))
        await operator.connect()
        await operator.subscribe(None, heard.append, everyone=True)
        context = ModuleContext(clock=clock, folder=AHOY)
        given = {"ends_run": False, **settings}
        host = ModuleHost(GAME, Identity("run", "world", "game"), context, join, settings=given)
        task = asyncio.create_task(host.run())
        ready = asyncio.create_task(host.started.wait())
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            ready.cancel()
            await task
        await script(operator)
        host.stop()
        await asyncio.wait([task], timeout=3)
        await operator.close()

    run_with_clock(main(), clock="virtual")
    return heard


def of(heard: list[Envelope], name: str) -> list[Any]:
    return [e.message for e in heard if e.type == name]


def test_it_begins_a_moment_after_somebody_was_seen() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(PersonDetected(person="player", position=HERE))
        await asyncio.sleep(6.0)

    assert len(of(play(script), "RoundBegan")) == 1


def test_in_a_session_it_begins_in_its_step_with_who_is_there_then() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(PersonDetected(person="player", position=HERE))
        await asyncio.sleep(30.0)
        bus.publish(ActivityEvent(event="page_opened"))
        await asyncio.sleep(1.0)
        step = {"session": "s1", "phase": "game", "status": PhaseStatus.STARTED}
        bus.publish(SessionPhase(step="instructions", **step))
        bus.publish(PersonMoved(person="player", position=HERE))
        await asyncio.sleep(10.0)
        bus.publish(SessionPhase(step="play", **step))
        await asyncio.sleep(1.0)
        bus.publish(PersonMoved(person="player", position=HERE))
        await asyncio.sleep(6.0)

    heard = play(script, begins_in_step="play")
    (began,) = [e for e in heard if e.type == "RoundBegan"]
    assert began.time > 45.0


def test_it_waits_for_an_operator_where_it_is_told_to() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(PersonDetected(person="player", position=HERE))
        await asyncio.sleep(30.0)
        bus.publish(ActivityCommand(command="begin"), character="adelino")
        await asyncio.sleep(1.0)

    (began,) = [e for e in play(script, begins_after_s=0.0) if e.type == "RoundBegan"]
    assert began.time > 29.0


def test_ratings_outside_of_a_round_and_unknown_commands_get_a_sentence() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(rate("hot"), character="adelino")
        bus.publish(ActivityCommand(command="beginn"), character="adelino")
        await asyncio.sleep(0.5)
        bus.publish(ActivityCommand(command="begin"), character="adelino")
        await asyncio.sleep(0.5)
        bus.publish(rate("correct"), character="adelino")
        await asyncio.sleep(0.5)
        bus.publish(rate("cold"), character="adelino")
        bus.publish(ActivityCommand(command="finish"), character="adelino")
        await asyncio.sleep(0.5)
        bus.publish(rate("cold"), character="adelino")
        await asyncio.sleep(0.5)

    heard = play(script)
    said = [e.message.summary for e in heard if isinstance(e.message, ModuleFault)]
    assert [sentence.split(": ")[-1] for sentence in said] == [
        "the game has not begun",
        "the game knows no 'beginn'; did you mean 'begin'?",
        "the round is over",
        "the game is over",
    ]
    assert len(of(heard, "GuessRated")) == 1


def test_only_some_words_may_be_played_in_another_order() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(ActivityCommand(command="begin"), character="adelino")
        await asyncio.sleep(0.2)
        bus.publish(rate("correct"), character="adelino")
        await asyncio.sleep(2.0)

    heard = play(script, only=["ship", "crane"], pause_s=1.0)
    assert [(m.word, m.of) for m in of(heard, "RoundBegan")] == [("ship", 2), ("crane", 2)]


def test_an_unknown_word_is_refused_with_the_nearest_one() -> None:
    async def script(_bus: MemoryBus) -> None:
        await asyncio.sleep(0.1)

    with pytest.raises(ValueError, match="no word 'shipp'; did you mean 'ship'"):
        play(script, only=["shipp"])


def test_the_wizards_list_is_there_only_while_a_word_is_acted() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(ActivityCommand(command="begin"), character="adelino")
        await asyncio.sleep(0.2)
        bus.publish(rate("correct"), character="adelino")
        await asyncio.sleep(0.2)

    lists = of(play(script, language="pt"), "WordList")
    assert [bool(one.answers) for one in lists] == [False, True, False]
    assert lists[1].answers[0] == "cobra"
    assert lists[1].left_s == pytest.approx(40.0, abs=0.2)
