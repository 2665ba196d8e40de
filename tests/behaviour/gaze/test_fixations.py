"""What the gaze chooses by itself it does not leave before it could be seen; orders go at once."""

from __future__ import annotations

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazeOrder, Why, travel_s
from sera.behaviour.gaze._fixation import LEAST_S, Fixation
from sera.behaviour.space import Angles

BUSY = BUILT_IN_POLICIES["mutual_joint"].with_options(
    {"minimum_dwell_s": 0.0, "interval_s": 0.1, "break_after_s": 0.2, "glance_s": 0.1}
)
PLACES = ("left", "right", "top", "front")


def shifts(looks: list[GazeOrder]) -> list[GazeOrder]:
    return [look for look in looks if look.why is not Why.TRACKING]


def test_an_order_goes_at_once_whatever_the_gaze_has_just_chosen(new_stage):
    stage = new_stage("random", seed=3)
    (chosen,) = shifts(stage.run(0.1))
    assert chosen.why is Why.FREE
    assert [look.target for look in stage.gaze_at("left")] == ["left"]
    assert [look.target for look in stage.gaze_at("right")] == ["right"]


def test_an_order_that_turns_back_in_the_same_instant_waits_until_the_look_was_seen(new_stage):
    stage = new_stage()
    stage.run(1.0)
    stage.gaze_at("left")
    stage.run(1.0)
    stage.gaze_at("right")
    assert stage.gaze_at("left") == []
    (look,) = stage.run(2.0)
    assert look.target == "left"
    assert look.time_s - 2.0 > LEAST_S + travel_s(0.0, look.speed)  # on its way, and seen there


def look_at(target, time_s, why=Why.FREE, across_deg=0.0, place_m=None):
    return GazeOrder(time_s, target, Angles(across_deg, 0.0), 1.0, why, "", place_m)


def test_looks_of_its_own_wait_and_merge_to_the_newest_and_there_and_back_is_neither():
    fixation = Fixation()
    assert len(fixation.pass_on([look_at("left", 1.0)], 1.0)) == 1
    assert fixation.pass_on([look_at("right", 1.1)], 1.1) == []
    assert fixation.pass_on([look_at("top", 1.2)], 1.2) == []
    seen_s = 1.0 + travel_s(0.0, 1.0) + LEAST_S
    assert fixation.pass_on([], seen_s - 0.01) == []
    (look,) = fixation.pass_on([], seen_s)
    assert (look.target, look.time_s) == ("top", seen_s)
    fixation.pass_on([look_at("right", 1.7)], 1.7)
    assert fixation.pass_on([look_at("top", 1.8)], 1.8) == []
    assert not fixation.waits


def test_a_look_that_goes_far_is_seen_later():
    fixation = Fixation()
    fixation.pass_on([look_at("left", 1.0)], 1.0)
    fixation.pass_on([look_at("right", 3.0, across_deg=90.0)], 3.0)
    fixation.pass_on([look_at("top", 3.1)], 3.1)
    assert fixation.pass_on([], 3.1 + LEAST_S + travel_s(0.0, 1.0)) == []
    assert fixation.pass_on([], 3.0 + LEAST_S + travel_s(math.radians(90.0), 1.0))


def test_following_the_same_target_does_not_wait_and_moves_a_look_that_does():
    fixation = Fixation()
    fixation.pass_on([look_at("left", 1.0)], 1.0)
    fixation.pass_on([look_at("house", 1.1, across_deg=20.0)], 1.1)
    moved = look_at("house", 1.2, Why.TRACKING, 30.0, (1.0, 0.0, 1.0))
    assert fixation.pass_on([moved], 1.2) == []
    (look,) = fixation.pass_on([], 1.7)
    assert (look.angles, look.place_m, look.why) == (moved.angles, moved.place_m, Why.FREE)
    again = look_at("house", 1.8, Why.TRACKING, 40.0)
    assert fixation.pass_on([again], 1.8) == [again]


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 999),
    orders=st.lists(
        st.tuples(st.integers(1, 8), st.sampled_from(PLACES), st.booleans()), max_size=25
    ),
)
def test_whatever_happens_only_an_order_cuts_a_look_short(new_stage_class, seed, orders):
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
        is_ordered = later.why in (Why.ORDER, Why.GLANCE)
        assert (
            is_ordered or later.time_s - look.time_s >= LEAST_S + travel_s(0.0, look.speed) - 1e-6
        )


def test_a_policy_chooses_nobody_out_of_reach(new_stage):
    stage = new_stage(BUILT_IN_POLICIES["mutual"], reach=lambda angles: angles.horizontal_deg < 90)
    stage.see("behind", Angles(150.0, 0.0))
    stage.eyes("behind", True)
    stage.run(20.0)
    assert "behind" not in {order.target for order in stage.given if isinstance(order, GazeOrder)}
    assert [look.target for look in stage.gaze_at("behind")] == ["behind"]  # who orders it has it


def test_a_touch_is_answered_as_far_as_the_neck_goes(new_stage):
    stage = new_stage("mutual_joint", reach=lambda _angles: False)
    stage.see("visitor", Angles(10.0, 0.0))
    stage.run(1.5)
    looks = [*stage.click(10, 10), *stage.run(2.0)]
    assert "clicks" in {look.target for look in looks}
