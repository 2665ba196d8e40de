"""Orders to the gaze machine: gaze and glance, tracking, loss and removal, each with its reason."""

from __future__ import annotations

import itertools

import pytest

from sera.behaviour.gaze import GazeIgnored, Why
from sera.behaviour.space import Angles
from sera.behaviour.targets import AliasTarget, AngleTarget, UnknownTarget

LEFT, RIGHT = Angles(-20.0, 0.0), Angles(20.0, 0.0)


def test_a_gaze_lasts_until_the_next_order(new_stage):
    stage = new_stage()
    (look,) = stage.gaze_at("topLeft")
    assert (look.target, look.angles, look.speed) == ("topLeft", (-30.0, 30.0), 1.0)
    assert look.reason == "order: GazeAt"
    assert stage.run(60.0) == []
    assert stage.machine.state == "topLeft"


def test_a_glance_lasts_as_long_as_it_says_and_goes_back(new_stage):
    stage = new_stage()
    stage.gaze_at("left")
    stage.run(0.5)
    (there,) = stage.glance("right", 1.7)
    assert (there.target, there.speed, there.why) == ("right", 0.5, Why.GLANCE)
    (back,) = stage.run(5.0)
    assert back.time_s == pytest.approx(2.2)
    assert (back.target, back.angles, back.speed) == ("left", (-30.0, 0.0), 1.0)
    assert back.reason == "back: to left after right"


def test_glances_without_a_duration_last_from_1_to_two_and_a_half_seconds(new_stage):
    lengths = []
    for seed in range(30):
        stage = new_stage(seed=seed)
        stage.gaze_at("left")
        stage.run(0.5)
        stage.glance("right")
        lengths.append(stage.run(4.0)[0].time_s - 0.5)
    assert min(lengths) >= 1.0
    assert max(lengths) <= 2.6
    assert max(lengths) - min(lengths) > 0.8


def test_a_gaze_ends_a_glance(new_stage):
    stage = new_stage()
    stage.glance("right", 5.0)
    stage.run(0.5)
    stage.gaze_at("top")
    assert stage.run(10.0) == []
    assert stage.machine.target == "top"


def test_a_second_glance_goes_back_to_the_state_and_not_to_the_first(new_stage):
    stage = new_stage()
    stage.gaze_at("left")
    stage.run(0.5)
    stage.glance("right", 3.0)
    stage.run(0.5)
    stage.glance("top", 1.0)
    assert [look.target for look in stage.run(6.0)] == ["left"]


@pytest.mark.parametrize("order", ["gaze_at", "glance"])
def test_a_row_is_three_glances_and_the_way_back(order, new_stage):
    stage = new_stage()
    stage.gaze_at("left")
    looks = [*getattr(stage, order)("throughMap"), *stage.run(9.0)]
    assert [look.target for look in looks] == ["throughMap"] * 3 + ["left"]
    assert len({look.angles for look in looks}) == 4
    gaps = [later.time_s - sooner.time_s for sooner, later in itertools.pairwise(looks)]
    assert all(0.9 <= gap <= 2.7 for gap in gaps)


def test_an_unknown_target_leaves_the_gaze_where_it_is(new_stage):
    stage = new_stage()
    stage.gaze_at("left")
    with pytest.raises(UnknownTarget, match="did you mean 'clicks'"):
        stage.gaze_at("cliks")
    with pytest.raises(UnknownTarget):
        stage.glance("cliks")
    assert stage.machine.target == "left"
    assert stage.run(1.0) == []


def test_a_glance_at_nobody_is_reported_and_not_dropped_silently(new_stage):
    stage = new_stage()
    stage.run(1.0)
    assert stage.glance("person") == []
    (ignored,) = [order for order in stage.given if isinstance(order, GazeIgnored)]
    assert ignored.target == "person"
    assert "no place" in ignored.reason


def test_a_gaze_at_clicks_waits_for_the_first_click(new_stage):
    stage = new_stage()
    assert stage.gaze_at("clicks") == []
    assert stage.run(8.0) == []
    (look,) = stage.click(200, 50)
    assert look.angles == pytest.approx((45.0, 0.0))
    (again,) = stage.click(0, 50)
    assert again.angles == pytest.approx((-45.0, 0.0))
    assert again.why is Why.TRACKING


def test_a_person_is_tracked_on_every_update_beyond_the_deadband(new_stage):
    stage = new_stage()
    stage.see("visitor", LEFT)
    stage.see("other", RIGHT)
    stage.gaze_at("visitor")
    stage.run(0.5)
    (moved,) = stage.see("visitor", Angles(-10.0, 0.0))
    assert moved.angles == pytest.approx((-10.0, 10.0))
    assert moved.reason == "tracking: visitor moved"
    assert stage.see("visitor", Angles(-10.1, 0.0)) == []
    assert stage.see("other", Angles(30.0, 0.0)) == []


def test_a_person_is_tracked_during_a_glance_and_through_an_alias(new_stage):
    stage = new_stage()
    stage.see("visitor", LEFT)
    stage.targets.place("leader", AliasTarget("person1"))
    stage.glance("leader", 3.0)
    stage.run(0.5)
    (moved,) = stage.see("visitor", RIGHT)
    assert moved.target == "leader"
    assert moved.angles == pytest.approx((20.0, 10.0))


def test_a_lost_person_is_waited_for_and_found_again(new_stage):
    stage = new_stage()
    stage.see("visitor", LEFT)
    stage.gaze_at("visitor")
    stage.run(0.5)
    stage.take(stage.machine.person_lost("visitor", stage.now_s))
    assert stage.run(2.0) == []
    (back,) = stage.see("visitor", RIGHT)
    assert back.reason == "tracking: visitor is back"
    assert stage.run(20.0) == []


def test_a_person_who_stays_away_frees_the_gaze(new_stage):
    stage = new_stage()
    stage.see("visitor", LEFT)
    stage.gaze_at("visitor")
    stage.run(0.5)
    assert stage.run(5.0) == []
    stage.take(stage.machine.person_lost("visitor", stage.now_s))
    (elsewhere,) = stage.run(4.0)
    assert elsewhere.time_s == pytest.approx(8.5, abs=0.11)
    assert elsewhere.reason == "lost: visitor is lost"
    assert elsewhere.target == "front"


def test_a_gaze_on_a_target_that_is_removed_goes_elsewhere(new_stage):
    stage = new_stage()
    stage.targets.place("house", AngleTarget(Angles(9.0, 9.0)))
    stage.gaze_at("house")
    stage.run(1.0)
    stage.targets.remove("house")
    (look,) = stage.take(stage.machine.target_changed(stage.now_s))
    assert look.reason == "lost: house is no more"


def test_a_glance_at_a_target_that_is_removed_ends_in_the_state(new_stage):
    stage = new_stage()
    stage.gaze_at("left")
    stage.targets.place("house", AngleTarget(Angles(9.0, 9.0)))
    stage.run(0.5)
    stage.glance("house", 1.0)
    stage.targets.remove("house")
    assert [look.target for look in stage.run(3.0)] == ["left"]


def test_a_target_that_moves_is_followed(new_stage):
    stage = new_stage()
    stage.targets.place("house", AngleTarget(Angles(9.0, 9.0)))
    stage.gaze_at("house")
    stage.targets.place("house", AngleTarget(Angles(-9.0, 9.0)))
    (look,) = stage.take(stage.machine.target_changed(stage.now_s))
    assert look.angles == (-9.0, 9.0)


def test_an_order_becomes_the_message_to_the_animation_engine(new_stage):
    (look,) = new_stage().gaze_at("bottomRight")
    message = look.message()
    assert message.target == "bottomRight"
    assert (message.direction.horizontal_deg, message.direction.vertical_deg) == (30.0, -20.0)
    assert message.speed == 1.0
