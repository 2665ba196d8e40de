"""Going from mark to mark: looks stay within reach, and nothing is accepted by accident."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import (
    Angles,
    Frame,
    GazeReach,
    Mark,
    Marking,
    Observer,
    Room,
    ScreenPlane,
    UnknownPlace,
    marks_of,
)

REACH = GazeReach((-60.0, 60.0), (-30.0, 30.0))
AHEAD = Mark("seat ahead", (0.0, 0.0, 2.0))
BEHIND = Mark("seat behind", (0.0, 0.0, -2.0))
LEFT = Mark("object lamp", (1.0, 0.0, 1.0))


def marking(*marks: Mark) -> Marking:
    return Marking(Observer(), marks or (AHEAD, LEFT), REACH)


def test_marks_are_seats_objects_and_four_corners_of_each_screen():
    screen = ScreenPlane(Frame.from_degrees((0.0, 0.0, 1.0), 180.0), 1.0, 0.6)
    room = Room(
        Observer(), {"table": screen}, {"guest": Frame((0.0, 0.0, 2.0))}, {"lamp": Frame((1, 0, 1))}
    )
    names = [mark.name for mark in marks_of(room)]
    assert names == [
        *("seat guest", "object lamp"),
        *("table: top left", "table: top right", "table: bottom right", "table: bottom left"),
    ]
    assert [mark.screen for mark in marks_of(room, ["table"])] == ["table"] * 4
    corner = marks_of(room, ["table"])[0]
    assert corner.local_m == (-0.5, 0.3, 0.0)
    assert corner.place_m == pytest.approx((0.5, 0.3, 1.0))
    with pytest.raises(UnknownPlace, match="did you mean 'table'"):
        marks_of(room, ["tabel"])


def test_a_mark_where_the_robot_stands_is_left_out():
    room = Room(Observer(), seats={"own": Frame(), "guest": Frame((0.0, 0.0, 1.0))})
    assert [mark.name for mark in marks_of(room)] == ["seat guest"]


def test_looks_begin_where_the_scenario_has_them_and_nudges_add_up():
    talk = marking()
    assert talk.look == Angles(0.0, 0.0)
    assert talk.nudge(2.5, 0.0) == ""
    assert talk.nudge(-1.0, 1.5) == ""
    assert talk.look == Angles(1.5, 1.5)
    assert talk.accept() == ""
    assert talk.mark == LEFT
    assert talk.look.horizontal_deg == pytest.approx(-45.0)
    talk.skip()
    assert talk.is_over
    assert talk.mark is None
    assert talk.accepted == {AHEAD: Angles(1.5, 1.5)}


def test_going_back_returns_to_the_look_as_it_was_left():
    talk = marking()
    assert talk.back() == "this is the first mark"
    talk.nudge(3.0, 0.0)
    talk.accept()
    talk.back()
    assert talk.mark == AHEAD
    assert talk.look == Angles(3.0, 0.0)
    assert talk.accepted == {}
    talk.accept()
    assert talk.accepted == {AHEAD: Angles(3.0, 0.0)}


def test_a_mark_out_of_reach_is_said_and_not_accepted_untouched():
    talk = marking(BEHIND, AHEAD)
    assert "seat behind is out of reach at 180.0° " in talk.introduction()
    assert "-60° to 60° sideways" in talk.introduction()
    assert abs(talk.look.horizontal_deg) == 60.0
    assert "was not nudged, so it is left out" in talk.accept()
    assert talk.introduction() == ""
    talk.back()
    talk.turn_to(Angles(50.0, 0.0))
    assert talk.accept() == ""
    assert list(talk.accepted) == [BEHIND]


@given(st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), max_size=20))
def test_no_nudge_leaves_the_reach_and_one_that_would_is_said(nudges):
    talk = marking()
    for right_deg, up_deg in nudges:
        wanted = Angles(talk.look.horizontal_deg + right_deg, talk.look.vertical_deg + up_deg)
        answer = talk.nudge(right_deg, up_deg)
        assert REACH.holds(talk.look)
        assert ("as far as the gaze goes" in answer) == (not REACH.holds(wanted))


def test_after_the_last_mark_nothing_changes():
    talk = marking(AHEAD)
    talk.accept()
    for answer in (talk.accept(), talk.skip(), talk.nudge(1.0, 0.0)):
        assert answer == "all marks are done"
    assert talk.accepted == {AHEAD: Angles(0.0, 0.0)}
