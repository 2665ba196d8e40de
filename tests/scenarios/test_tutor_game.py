"""The game of the tutor: the town, its ways, the rules, and what a hostile table sends."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    WORLD,
    ActivityCommand,
    ActivityEvent,
    Clicked,
    Highlight,
    ModuleFault,
    ScreenPoint,
    TargetUpdated,
)
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_with_clock
from sera.runtime.located import FileProblems
from sera.runtime.module import ModuleContext

TUTOR = Path(__file__).parents[2] / "scenarios" / "tutor"
GAME = load_class_from_file(TUTOR / "game.py")
_package = GAME.__module__.rpartition(".")[0]
town_file = sys.modules[f"{_package}.town"]
rounds_file = sys.modules[f"{_package}.rounds"]
Leg, Town = town_file.Leg, town_file.Town
Phase, TownGame = rounds_file.Phase, rounds_file.TownGame
TOWN = Town.load(TUTOR / "town.toml")
PLAYERS = ("learner_1", "learner_2")


def game(seed: int = 0, **options):
    return TownGame(TOWN, PLAYERS, random.Random(seed), robot="nao", **options)


def names(events):
    return [event.event for event in events]


# -- the town ---------------------------------------------------------------------------------


def test_ways_follow_the_compass_and_never_leave_the_town():
    assert TOWN.walk("church", [Leg("north", 1)]) == "harbour"
    assert TOWN.walk("church", [Leg("south-east", 1)]) == "library"
    assert TOWN.walk("church", [Leg("east", 2), Leg("north", 1)]) == "farm"
    assert TOWN.walk("church", [Leg("north", 2)]) is None
    assert TOWN.walk("farm", [Leg("east", 1), Leg("west", 1)]) is None


def test_ways_are_told_in_both_languages():
    legs = [Leg("north-east", 2), Leg("south", 1)]
    assert TOWN.way_words(legs, "en") == "two steps north-east and then one step south"
    assert TOWN.way_words(legs, "pt-PT") == "dois passos para nordeste e depois um passo para sul"
    with pytest.raises(ValueError, match="no words in 'fr'"):
        TOWN.language("fr")


@given(st.floats(0, 1920), st.floats(0, 1080))
def test_a_touch_means_at_most_the_nearest_place(x_px, y_px):
    found = TOWN.place_at(ScreenPoint(screen="table", x_px=x_px, y_px=y_px))
    assert TOWN.place_at(ScreenPoint(screen="wall", x_px=x_px, y_px=y_px)) is None

    def away(name):
        point = TOWN.point(name)
        return (point.x_px - x_px) ** 2 + (point.y_px - y_px) ** 2

    nearest = min(TOWN.places, key=away)
    assert found in (None, nearest)


def test_every_place_is_where_its_own_touch_is():
    assert all(TOWN.place_at(TOWN.point(name)) == name for name in TOWN.places)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("cell = [0, 0]", "cell = [7, 0]"), "the grid has 4 columns and 3 rows"),
        (("cell = [1, 0]", "cell = [0, 0]"), "that of 'lighthouse' already"),
        (('pt = { label = "Farol"', 'fr = { label = "Farol"'), "has no words in 'pt'"),
        (('north = "norte"\n', ""), "has no word for 'north'"),
        (("columns = 4", "columns = 400"), "less than or equal to 8"),
    ],
)
def test_a_town_with_mistakes_says_what_and_where(tmp_path, change, complaint):
    text = (TUTOR / "town.toml").read_text(encoding="utf-8")
    assert change[0] in text
    file = tmp_path / "town.toml"
    file.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(FileProblems, match=complaint) as found:
        Town.load(file)
    assert "town.toml:" in str(found.value)


# -- the rules --------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(1, 11), st.integers(0, 6), st.data())
def test_any_game_ends_whatever_is_touched(seed, rounds, robot_every, data):
    played = game(seed, rounds=rounds, robot_every=robot_every)
    assert names(played.begin()) == ["game_started", "round_started"]
    for _ in range(rounds):
        current = played.round
        assert TOWN.walk(current.start, current.legs) == current.answer != current.start
        assert current.answer not in (*played.lit, *played.shown)
        own = current.player == "nao"
        while played.phase is Phase.PLAYING:
            place = current.answer if own else data.draw(st.sampled_from(sorted(TOWN.places)))
            told = names(played.touch(place, "nao" if own else None))
            assert told in (
                ["place_right", "round_over"], ["place_wrong"], ["place_wrong", "round_over"],
                ["place_again"],
            )  # fmt: skip
            if told == ["place_again"]:
                played.touch(current.answer)
        told = names(played.next_round())
    assert told == ["game_finished"]
    assert played.phase is Phase.FINISHED
    assert len(played.lit) + len(played.shown) == rounds
    assert played.touch("church") == played.begin() == played.next_round() == []


def test_ways_grow_harder():
    for seed in range(20):
        played = game(seed, robot_every=0)
        played.begin()
        while played.phase is not Phase.FINISHED:
            number, legs = played.round.number, played.round.legs
            assert len(legs) == (1 if number < 5 else 2)
            if number < 3:
                assert "-" not in legs[0].direction
            played.touch(played.round.answer)
            played.next_round()


def test_who_is_not_on_turn_changes_nothing():
    played = game()
    played.begin()
    told = played.touch(played.round.answer, "learner_2")
    assert names(told) == ["out_of_turn"]
    assert played.phase is Phase.PLAYING
    assert names(played.touch(played.round.answer, "learner_1")) == ["place_right", "round_over"]


def test_after_three_wrong_touches_the_place_is_shown_and_stays_dark():
    played = game()
    played.begin()
    answer = played.round.answer
    others = [name for name in TOWN.places if name not in (answer, played.round.start)]
    told = [played.touch(name) for name in others[:3]]
    assert [one[0].data["tries_left"] for one in told] == [2, 1, 0]
    assert names(told[-1]) == ["place_wrong", "round_over"]
    assert (played.lit, played.shown) == ([], [answer])


# -- the module -------------------------------------------------------------------------------


def play(script, **settings):
    """The game module on a bus in virtual time, and what it said."""

    async def main():
        clock, broker, heard = Clock.for_running_loop(), MemoryBroker(), []

        def join(identity, will=None, hears_everyone=None):
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        director = join(Identity("play", "nao", "director"))
        await director.connect()
        await director.subscribe(None, heard.append, everyone=True)
        context = ModuleContext(clock=clock, folder=TUTOR, seed=1)
        host = ModuleHost(GAME, Identity("play", WORLD, "game"), context, join, settings=settings)
        task = asyncio.create_task(host.run())
        await asyncio.sleep(1.0)
        await script(director, host.module)
        host.stop()
        await task
        return [envelope.message for envelope in heard]

    return run_with_clock(main(), clock="virtual")


def of(heard, kind):
    return [message for message in heard if isinstance(message, kind)]


def test_its_places_are_targets_on_the_table():
    async def nothing(_director, _game):
        await asyncio.sleep(0.1)

    targets = of(play(nothing), TargetUpdated)
    assert {one.target: one.point for one in targets} == {
        name: TOWN.point(name) for name in TOWN.places
    }


def test_hostile_touches_and_orders_are_ignored_or_refused_with_a_sentence():
    async def trouble(director, module):
        director.publish(ActivityCommand(command="begin"))
        await asyncio.sleep(0.2)
        for message in (
            Clicked(element="<img src=x>"),
            Clicked(point=ScreenPoint(screen="table", x_px=1e9, y_px=0)),
            Clicked(point=ScreenPoint(screen="ceiling", x_px=530, y_px=540)),
            Highlight(element="nowhere"),
            ActivityCommand(command="begn"),
            ActivityCommand(command="play", data={"parameters": ["churhc"]}),
            ActivityCommand(command="play", data={"parameters": {"deep": [1]}}),
            ActivityCommand(command="play", data={"parameters": []}),
            ActivityEvent(event="page_opened", data={"junk": "x" * 1000}),
        ):
            director.publish(message)
            await asyncio.sleep(0.1)
        assert module._game.round.wrong == []
        director.publish(Clicked(point=TOWN.point(module._game.round.answer)))
        await asyncio.sleep(0.2)

    heard = play(trouble)
    faults = [fault.summary for fault in of(heard, ModuleFault)]
    assert "did you mean 'begin'" in faults[0]
    assert "did you mean 'church'" in faults[1]
    assert len(faults) == 4
    assert [event.event for event in of(heard, ActivityEvent)][-2:] == ["place_right", "round_over"]


def test_left_alone_it_begins_goes_on_and_stops_when_the_time_is_over():
    async def wait(_director, module):
        await asyncio.sleep(6.0)
        module._game.touch(module._game.round.answer)
        await asyncio.sleep(60.0)

    heard = play(wait, begins_after_s=5.0, goes_on_after_s=4.0, time_limit_s=40.0, warns_before_s=9)
    told = [event.event for event in of(heard, ActivityEvent)]
    assert told[:3] == ["game_ready", "game_started", "round_started"]
    assert told[-3:] == ["round_started", "time_nearly_over", "game_finished"]
    assert of(heard, ActivityEvent)[-1].data["reason"] == "the time is over"


def test_the_page_is_told_everything_it_shows_and_the_answer_only_afterwards():
    async def one_round(director, module):
        director.publish(ActivityCommand(command="begin"))
        await asyncio.sleep(0.2)
        director.publish(Clicked(element=module._game.round.answer))
        await asyncio.sleep(0.2)

    shown = [one.data for one in of(play(one_round), ActivityCommand) if one.command == "show"]
    assert [state["phase"] for state in shown] == ["waiting", "playing", "between"]
    assert shown[1]["clue"]["answer"] is None
    assert shown[2]["clue"]["answer"] == shown[2]["lit"][0]
