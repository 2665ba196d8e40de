"""No look is left before it could be seen: orders that come sooner wait, merge or are dropped."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazeOrder, Why
from sera.behaviour.gaze._fixation import LEAST_S, Fixation
from sera.behaviour.space import Angles
from sera.behaviour.targets import AngleTarget

BUSY = BUILT_IN_POLICIES["mutual_joint"].with_options(
    {"minimum_dwell_s": 0.0, "interval_s": 0.1, "break_after_s": 0.2, "glance_s": 0.1}
)
PLACES = ("left", "right", "top", "front")


def shifts(looks: list[GazeOrder]) -> list[GazeOrder]:
    return [look for look in looks if look.why is not Why.TRACKING]


def test_two_orders_that_come_together_merge_to_the_newest(new_stage):
    stage = new_stage()
    stage.run(1.0)
    assert [look.target for look in stage.gaze_at("left")] == ["left"]
    assert stage.gaze_at("right") == []
    assert stage.gaze_at("top") == []
    (look,) = stage.run(1.0)
    assert (look.target, look.time_s) == ("top", pytest.approx(1.4))


def test_there_and_back_within_an_instant_is_no_look(new_stage):
    stage = new_stage()
    stage.run(1.0)
    stage.gaze_at("left")
    stage.gaze_at("right")
    stage.gaze_at("left")
    assert stage.run(2.0) == []


def test_an_order_lets_what_the_gaze_chose_by_itself_be_seen(new_stage):
    stage = new_stage("random", seed=3)
    (chosen,) = shifts(stage.run(0.1))
    assert chosen.why is Why.FREE
    assert stage.gaze_at("left") == []
    (look,) = stage.run(1.0)
    assert (look.target, look.time_s) == ("left", pytest.approx(0.5))


def test_a_glance_that_had_to_wait_lasts_as_long_as_it_was_asked_to(new_stage):
    stage = new_stage()
    stage.run(1.0)
    stage.gaze_at("left")
    stage.glance("right", 1.0)
    there, back = stage.run(4.0)
    assert (there.target, there.time_s) == ("right", pytest.approx(1.4))
    assert (back.target, back.time_s) == ("left", pytest.approx(2.4))


def test_following_the_same_target_does_not_wait_and_moves_a_look_that_does(new_stage):
    stage = new_stage()
    stage.targets.place("house", AngleTarget(Angles(20.0, 0.0)))
    stage.run(1.0)
    stage.gaze_at("left")
    stage.gaze_at("house")
    stage.targets.place("house", AngleTarget(Angles(30.0, 0.0)))
    assert stage.take(stage.machine.target_changed(stage.now_s)) == []
    (look,) = stage.run(1.0)
    assert (look.angles, look.why) == (Angles(30.0, 0.0), Why.ORDER)
    stage.targets.place("house", AngleTarget(Angles(40.0, 0.0)))
    (look,) = stage.take(stage.machine.target_changed(stage.now_s))
    assert (look.angles, look.why) == (Angles(40.0, 0.0), Why.TRACKING)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 999),
    orders=st.lists(
        st.tuples(st.integers(1, 8), st.sampled_from(PLACES), st.booleans()), max_size=25
    ),
)
def test_whatever_happens_no_look_is_cut_short(new_stage_class, seed, orders):
    stage = new_stage_class(BUSY, seed=seed)
    stage.see("visitor", Angles(-20.0, 5.0))
    given_before = len(stage.given)
    for wait, target, glances in orders:
        stage.run(0.1 * wait)
        stage.eyes("visitor", wait % 2 == 0, target)
        (stage.glance if glances else stage.gaze_at)(target)
    stage.run(2.0)
    looks = shifts([order for order in stage.given[given_before:] if isinstance(order, GazeOrder)])
    for look, later in itertools.pairwise(looks):
        assert later.time_s - look.time_s >= LEAST_S - 1e-6


def test_a_policy_chooses_nobody_out_of_reach(new_stage):
    stage = new_stage(BUILT_IN_POLICIES["mutual"], reach=lambda angles: angles.horizontal_deg < 90)
    stage.see("behind", Angles(150.0, 0.0))
    stage.eyes("behind", True)
    stage.run(20.0)
    assert "behind" not in {order.target for order in stage.given if isinstance(order, GazeOrder)}
    assert [look.target for look in stage.gaze_at("behind")] == ["behind"]  # who orders it has it


def test_what_is_no_look_passes_at_once():
    fixation = Fixation()
    assert fixation.pass_on([], 0.0) == []
    assert not fixation.waits
