"""The module of the game on a bus: when it begins, what it answers, and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.cli._story import tell
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    Envelope,
    FormOffered,
    ModuleFault,
    PersonDetected,
    PersonMoved,
    PhaseStatus,
    Position,
    SessionPhase,
    SpeechHeard,
    find_message_type,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import run as run_with_clock

AHOY = Path(__file__).parents[2] / "scenarios" / "ahoy"
GAME = load_class_from_file(AHOY / "game.py")
SPOTTER = load_class_from_file(AHOY / "word_spotter.py")
PERFORMER = load_class_from_file(AHOY / "performer.py")
HERE = Position(x_m=0.0, y_m=1.6, z_m=1.5)


def rate(rating: str) -> Any:
    return find_message_type("RateGuess")(rating=rating)


def play(script: Callable[[MemoryBus], Any], **settings: Any) -> list[Envelope]:
    """Run the game in virtual time while a script speaks on the bus; all that was said."""
    return stage(script, GAME, Identity("run", "world", "game"), {"ends_run": False, **settings})


def perform(script: Callable[[MemoryBus], Any]) -> list[Envelope]:
    """The same with the robot's part in it."""
    return stage(script, PERFORMER, Identity("run", "adelino", "performer"), {})


def stage(
    script: Callable[[MemoryBus], Any], kind: Any, who: Identity, settings: dict[str, Any]
) -> list[Envelope]:
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
        host = ModuleHost(kind, who, context, join, settings=settings)
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


def test_wall_and_lists_speak_the_language_of_the_forms() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(FormOffered(questionnaire="consent", language="pt"))
        await asyncio.sleep(0.2)
        bus.publish(FormOffered())
        bus.publish(ActivityCommand(command="begin"), character="adelino")
        await asyncio.sleep(0.2)
        bus.publish(FormOffered(questionnaire="consent", language="fr"))
        await asyncio.sleep(0.2)

    heard = play(script)
    walls = [one.data for one in of(heard, "ActivityCommand") if one.command == "show"]
    assert [one["language"] for one in walls] == ["en", "pt", "pt"]
    assert walls[-1]["category"] == "Um animal"
    assert of(heard, "WordList")[-1].answers[0] == "cobra"
    (fault,) = of(heard, "ModuleFault")
    assert "the wall stays in 'pt': not all words are in 'fr'" in fault.summary


def test_the_ear_follows_the_language_of_the_forms() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(began(), character="world")
        bus.publish(SpeechHeard(text="serpente"))  # no English word
        await asyncio.sleep(0.2)
        bus.publish(FormOffered(questionnaire="consent", language="pt"))
        await asyncio.sleep(0.2)
        bus.publish(SpeechHeard(text="serpente"))
        await asyncio.sleep(0.2)

    heard = stage(script, SPOTTER, Identity("run", "world", "word_spotter"), {})
    assert [str(one.listed) for one in of(heard, "WordSpotted")] == ["unlisted", "answer"]


def test_a_game_is_told_in_short_sentences_without_the_lists() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(ActivityCommand(command="begin"), character="adelino")
        await asyncio.sleep(0.2)
        bus.publish(rate("warm"), character="adelino")
        await asyncio.sleep(0.2)
        bus.publish(rate("correct"), character="adelino")
        await asyncio.sleep(0.2)

    told = [sentence for sentence in map(tell, play(script)) if sentence]
    assert [one for one in told if "was not performed" not in one] == [  # no page is there
        "round 1 of 7 begins: the word is snake",
        "guess 1 is warm",
        "guess 2 is correct",
        "round 1 is won: 2 guesses in 0 s",
    ]
    spotted = find_message_type("WordSpotted")(round=1, listed="hot", confidence=0.674)
    assert str(spotted) == "the robot's ear: hot, 67% sure"
    assert str(rate("hot")) == ""


# -- the performer ------------------------------------------------------------------------------


def began(number: int = 1) -> Any:
    kind = find_message_type("RoundBegan")
    return kind(round=number, of=7, word="snake", animation="snake", time_limit_s=40.0)


def test_without_a_camera_the_robot_looks_where_the_player_stands() -> None:
    async def script(bus: MemoryBus) -> None:
        for number in (1, 2):
            bus.publish(began(number), character="world")
            await asyncio.sleep(0.2)

    looks = [e.message.target for e in perform(script) if e.type == "GazeAt"]
    assert looks == ["player"], "once is enough: a gaze stays"


def test_who_is_seen_is_looked_at_and_not_the_place() -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(PersonDetected(person="face_1", position=HERE), character="world")
        await asyncio.sleep(0.2)
        bus.publish(began(), character="world")
        await asyncio.sleep(0.2)

    assert [e.message.target for e in perform(script) if e.type == "GazeAt"] == ["face_1"]
