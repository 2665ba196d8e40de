"""Simulated learners: what they do at a table, and what they never do."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.messages import (
    Clicked,
    HeadDirection,
    PersonDetected,
    PersonLost,
    PersonMoved,
    SpeechActivity,
    SpeechHeard,
)
from sera.runtime.workspace import Workspace

Workspace.discover().activate()

from modules.simulated_learners import (  # noqa: E402  # the workspace must be found first
    Hush,
    Leave,
    Look,
    Pair,
    Speak,
    Touch,
    Traits,
    read_map,
)

CELLS = {f"p{column}{row}": (column, row) for column in range(4) for row in range(3)}
BOARD = {
    name: {"cell": list(cell), "the": f"the {name}", "x_px": 100.0, "y_px": 100.0}
    for name, cell in CELLS.items()
}
ROUND = {"player": "a", "start": "p11", "legs": [["east", 1]]}


def pair(seed=0, **traits):
    options = {"skill": 1.0, "talkativeness": 0.0, **traits}
    found = Pair(
        {"a": Traits(called="Blue", **options), "b": Traits(called="Orange", **options)},
        random.Random(seed),
    )
    found.see("game_ready", {"board": BOARD}, 0.0)
    return found


def watch(table, begin_s, end_s):
    """Everything they do in a while, with its time."""
    deeds = []
    for step in range(round((end_s - begin_s) * 10)):
        now_s = begin_s + step / 10
        deeds += [(now_s, deed) for deed in table.step(now_s)]
    return deeds


def of(deeds, kind):
    return [(at_s, deed) for at_s, deed in deeds if isinstance(deed, kind)]


# -- reading a map ----------------------------------------------------------------------------


@given(
    st.sampled_from(sorted(CELLS)),
    st.lists(
        st.tuples(st.sampled_from(["north", "south-east", "west", "sideways"]), st.integers(1, 3)),
        min_size=1,
        max_size=3,
    ),
    st.floats(0, 1),
    st.integers(0, 999),
    st.sets(st.sampled_from(sorted(CELLS))),
)
def test_whatever_is_read_is_a_place_that_was_not_tried(start, legs, skill, seed, tried):
    place = read_map(CELLS, start, legs, skill=skill, random=random.Random(seed), not_again=tried)
    assert place is None or (place in CELLS and place not in tried)


def test_skill_decides_how_often_a_way_is_read_rightly():
    source = random.Random(1)
    for skill in (0.0, 0.5, 1.0):
        read = [
            read_map(CELLS, "p00", [("east", 2)], skill=skill, random=source) for _ in range(400)
        ]
        assert read.count("p20") / 400 == pytest.approx(skill, abs=0.08)


# -- at the table -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_who_is_on_turn_thinks_as_long_as_people_do_and_touches_the_place(seed):
    table = pair(seed)
    watch(table, 0.0, 5.0)
    table.see("round_started", ROUND, 5.0)
    table.robot_is_silent("", 5.0)
    deeds = watch(table, 5.0, 20.0)
    touches = of(deeds, Touch)
    if touches:  # else the learner is stuck and waits for help
        at_s, touch = touches[0]
        assert touch == Touch("a", "p21")
        assert 3.0 <= at_s - 5.0 <= 9.0
        looked = [deed.target for when_s, deed in of(deeds, Look) if when_s <= at_s]
        assert "p11" in looked


def test_a_learner_who_is_stuck_goes_on_when_somebody_helps():
    table, helped = pair(3, skill=0.0), []
    for number in range(40):
        begin_s = 100.0 * number
        table.see("round_started", ROUND, begin_s)
        if of(watch(table, begin_s, begin_s + 30.0), Touch):
            continue
        table.hear_robot(begin_s + 30.0)
        table.robot_is_silent("Look there.", begin_s + 32.0)
        table.see("highlighted", {"place": "p21"}, begin_s + 32.0)
        helped.append(of(watch(table, begin_s + 32.0, begin_s + 40.0), Touch))
    assert len(helped) > 5
    assert all(touches[0][1].place == "p21" for touches in helped)


def test_nothing_is_touched_after_the_round_or_out_of_turn():
    for seed in range(10):
        table = pair(seed)
        table.see("round_started", {**ROUND, "player": "nao"}, 0.0)
        assert of(watch(table, 0.0, 15.0), Touch) == []
        table.see("round_started", ROUND, 15.0)
        table.see("round_over", {}, 15.5)
        assert of(watch(table, 15.5, 40.0), Touch) == []


def test_who_is_called_by_name_answers_and_the_robot_is_heard_out():
    for seed in range(10):
        table = pair(seed)
        table.hear_robot(1.0)
        assert of(watch(table, 1.0, 4.0), Speak) == []
        table.robot_is_silent("Orange, was that easy?", 4.0)
        spoken = of(watch(table, 4.0, 12.0), Speak)
        answers = [(at_s, deed) for at_s, deed in spoken if deed.learner == "b"]
        assert all(at_s >= 4.6 for at_s, _ in spoken)
        assert len(answers) <= 2  # a hello may come with it
    assert answers


def test_they_do_not_talk_at_the_same_time():
    table = pair(5, skill=0.4, talkativeness=1.0)
    speaking: set[str] = set()
    for number in range(10):
        table.see("round_started", ROUND, 30.0 * number)
        for _, deed in watch(table, 30.0 * number, 30.0 * (number + 1)):
            if isinstance(deed, Speak):
                assert not speaking
                speaking.add(deed.learner)
            elif isinstance(deed, Hush):
                speaking.discard(deed.learner)


def test_they_leave_after_the_robots_last_word_or_when_it_says_nothing_at_all():
    table = pair()
    table.see("game_finished", {"again": False}, 10.0)
    table.hear_robot(11.0)
    watch(table, 10.0, 14.0)
    table.robot_is_silent("Goodbye.", 14.0)
    ((left_s, _),) = of(watch(table, 14.0, 40.0), Leave)
    assert left_s >= 19.0
    silent = pair()
    silent.see("game_finished", {"again": False}, 10.0)
    ((left_s, _),) = of(watch(silent, 10.0, 60.0), Leave)
    assert left_s >= 30.0


def test_they_stay_for_another_game():
    table = pair()
    table.see("game_finished", {"again": True}, 10.0)
    assert of(watch(table, 10.0, 120.0), Leave) == []


@given(st.integers(0, 999))
def test_the_same_seed_does_the_same(seed):
    first, second = pair(seed, talkativeness=0.8), pair(seed, talkativeness=0.8)
    for table in (first, second):
        table.see("round_started", ROUND, 0.0)
    assert watch(first, 0.0, 15.0) == watch(second, 0.0, 15.0)


@given(st.text(max_size=20), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3))
def test_a_table_that_shows_something_else_does_no_harm(event, data):
    table = pair()
    table.see(event, data, 0.0)
    watch(table, 0.0, 1.0)


# -- as a module ------------------------------------------------------------------------------

SCENARIO = """
[scenario]
title = "Play"
duration_s = 40
[modules.learners]
module = "simulated_learners"
[modules.learners.learners.ann]
seat = "left"
skill = 1.0
[modules.learners.learners.bea]
seat = "right"
[modules.actor]
module = "./actor.py"
[characters.nao]
position_m = [0.0, 0.9, 0.0]
[space.seats.left]
position_m = [0.4, 1.2, 1.0]
[space.seats.right]
position_m = [-0.4, 1.2, 1.0]
[space.screens.table]
position_m = [0.0, 0.74, 0.5]
pitch_deg = -90
width_m = 1.0
height_m = 0.56
"""
BODY = f"""
board = {BOARD!r}
board["p21"]["x_px"], board["p21"]["y_px"] = 1600.0, 300.0
await self.publish(ActivityEvent(event="game_ready", data={{"board": board}}))
await self.clock.sleep(6.0)
data = {{"player": "ann", "start": "p11", "legs": [["east", 1]]}}
await self.publish(ActivityEvent(event="round_started", person="ann", data=data))
await self.clock.sleep(10.0)
await self.publish(ActivityEvent(event="highlighted", data={{"place": "p21"}}))
await self.clock.sleep(6.0)
await self.publish(ActivityEvent(event="game_finished", data={{"again": False}}))
await self.clock.sleep(60.0)
"""


def test_they_appear_as_trackers_microphones_and_a_table_would_report_them(acted):
    seen = acted(SCENARIO, BODY)

    def said(kind):
        return [envelope.message for envelope in seen if isinstance(envelope.message, kind)]

    assert [one.person for one in said(PersonDetected)] == ["ann", "bea"]
    assert {one.person for one in said(PersonLost)} <= {"ann", "bea"}
    settled = [one for one in said(PersonMoved) if one.person == "ann"][-1].position
    assert settled.x_m == pytest.approx(0.4, abs=0.05)
    assert settled.z_m == pytest.approx(1.0, abs=0.05)
    heads = said(HeadDirection)
    at_robot = next(one for one in heads if one.looks_at == "nao" and one.person == "ann")
    assert at_robot.eye_contact
    assert at_robot.direction.horizontal_deg == pytest.approx(157, abs=5)  # back and to the right
    at_table = next(one for one in heads if one.looks_at == "table")
    assert at_table.direction.vertical_deg < -20
    assert all(one.looks_at != "" for one in heads)
    touch = said(Clicked)[0]
    assert touch.element == "p21"
    assert touch.point.x_px == pytest.approx(1600, abs=60)
    assert touch.point.y_px == pytest.approx(300, abs=60)
    assert touch.person is None
    starts = [one for one in said(SpeechActivity) if one.speaking]
    ends = [one for one in said(SpeechActivity) if not one.speaking]
    assert len(starts) == len(ends) == len(said(SpeechHeard))
