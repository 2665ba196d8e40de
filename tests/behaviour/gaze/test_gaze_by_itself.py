"""What the gaze does by itself: breaking, establishing, holding, eyes, looks, speakers, chance."""

from __future__ import annotations

import itertools
import random

import pytest

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazePolicy, Why
from sera.behaviour.space import Angles

STEP_S = 0.1
LEFT, RIGHT = Angles(-20.0, 0.0), Angles(20.0, 0.0)
QUIET = GazePolicy(name="quiet", weights={"front": 1.0}, breaking=False, establishing=False)


def whys(looks):
    return [look.why for look in looks]


def test_a_long_gaze_at_a_person_is_broken_by_a_glance_upwards(new_stage):
    stage = new_stage(QUIET.with_options({"breaking": 1}))
    stage.see("visitor", LEFT)
    stage.gaze_at("visitor")
    stage.run(0.5)
    looks = stage.run(60.0)
    assert set(whys(looks)) == {Why.BREAKING, Why.BACK}
    assert 7 <= whys(looks).count(Why.BREAKING) <= 12
    first = looks[0]
    assert 4.0 <= first.time_s <= 6.1
    assert first.target == "elsewhere"
    assert first.angles.vertical_deg >= 5.0
    assert "s on visitor" in first.reason
    assert 1.0 <= looks[1].time_s - first.time_s <= 2.6


def test_tracking_does_not_put_the_break_off(new_stage):
    stage = new_stage(QUIET.with_options({"breaking": 1}))
    stage.see("visitor", LEFT)
    stage.gaze_at("visitor")
    looks = []
    for number in range(70):
        stage.see("visitor", Angles(-20.0 + number % 2, 0.0))
        looks += stage.run(STEP_S)
    assert Why.BREAKING in whys(looks)


def test_a_long_gaze_at_clicks_is_broken_by_a_glance_at_the_last_person(new_stage):
    stage = new_stage(QUIET.with_options({"establishing": 1}))
    stage.see("first", LEFT)
    stage.see("second", RIGHT)
    stage.gaze_at("second")
    stage.click(10, 10)
    stage.run(0.5)
    stage.gaze_at("clicks")
    stage.run(0.5)
    looks = stage.run(7.0)
    assert looks[0].target == "second"
    assert looks[0].why is Why.ESTABLISHING
    assert 4.5 <= looks[0].time_s <= 6.6


def test_establishing_needs_somebody(new_stage):
    stage = new_stage(QUIET.with_options({"establishing": 1}))
    stage.click(10, 10)
    stage.gaze_at("clicks")
    assert stage.run(30.0) == []


@pytest.mark.parametrize("does", ["robot_speaks", "robot_thinks"])
def test_the_head_stays_on_the_person_while_the_robot_speaks_or_thinks(does, new_stage):
    stage = new_stage("mutual_joint")
    stage.see("visitor", LEFT)
    stage.run(1.5)
    stage.take(getattr(stage.machine, does)(True, stage.now_s))
    stage.eyes("visitor", False, "main")
    stage.click(10, 10)
    assert stage.run(30.0) == []
    assert stage.machine.person == "visitor"
    ended_s = stage.now_s
    stage.take(getattr(stage.machine, does)(False, stage.now_s))
    breaks = [look for look in stage.run(20.0) if look.why is Why.BREAKING]
    assert breaks[0].time_s - ended_s >= 3.9


def test_a_wandering_gaze_comes_to_the_person_when_the_robot_speaks(new_stage):
    stage = new_stage("random")
    stage.see("visitor", LEFT)
    stage.run(2.0)
    (look,) = stage.take(stage.machine.robot_speaks(True, stage.now_s))
    assert look.reason == "hold: the robot speaks"
    assert stage.run(20.0) == []


def test_a_break_under_way_ends_when_the_robot_speaks_but_an_ordered_glance_does_not(new_stage):
    stage = new_stage(QUIET.with_options({"breaking": 1, "glance_s": 5.0}))
    stage.see("visitor", LEFT)
    stage.run(2.0)
    stage.gaze_at("visitor")
    (away,) = stage.run(6.1)
    assert away.why is Why.BREAKING
    assert away.reason == f"breaking: {away.time_s - 2.0:.1f} s on visitor"
    (back,) = stage.take(stage.machine.robot_speaks(True, stage.now_s))
    assert back.why is Why.BACK
    stage.run(0.5)
    stage.glance("right", 1.0)
    assert [look.target for look in stage.run(3.0)] == ["visitor"]


def test_eyes_are_answered_and_the_eyes_light_up(new_stage):
    stage = new_stage(GazePolicy(name="m", weights={"random": 1.0}, mutual=True, breaking=False))
    stage.run(1.0)
    stage.see("visitor", LEFT)
    looks = [*stage.eyes("visitor", True), *stage.run(1.5)]
    assert looks[0].reason == "mutual: visitor looks at the robot"
    assert stage.lights() == [0.3, 1.0]
    stage.eyes("visitor", False)
    assert stage.lights() == [0.3, 1.0, 0.3]


def test_the_random_policy_minds_neither_eyes_nor_clicks_nor_people(new_stage):
    alone, crowded = new_stage("random", seed=4), new_stage("random", seed=4)
    assert alone.run(1.0) == crowded.run(1.0)
    crowded.see("visitor", LEFT)
    crowded.eyes("visitor", True)
    crowded.click(10, 10)
    wandering = alone.run(60.0)
    assert crowded.run(60.0) == wandering
    assert crowded.lights() == []
    gaps = [b.time_s - a.time_s for a, b in itertools.pairwise(wandering)]
    assert min(gaps) >= 3.9
    assert max(gaps) <= 6.11


def test_joint_attention_follows_the_persons_look_and_comes_back_with_it(new_stage):
    stage = new_stage(
        GazePolicy(name="j", weights={"person": 1.0}, joint_attention=True, breaking=False)
    )
    stage.see("visitor", LEFT)
    stage.run(1.5)
    stage.eyes("visitor", False, "main")
    (there,) = stage.run(1.0)
    assert there.reason == "joint: visitor looks at main"
    assert there.time_s == pytest.approx(2.0, abs=0.11)
    stage.run(1.0)
    assert whys(stage.eyes("visitor", True)) == [Why.BACK]
    assert stage.machine.person == "visitor"


def test_a_short_look_of_the_person_is_not_followed_and_a_long_one_once(new_stage):
    stage = new_stage(
        GazePolicy(name="j", weights={"person": 1.0}, joint_attention=True, breaking=False)
    )
    stage.see("visitor", LEFT)
    stage.run(1.5)
    stage.eyes("visitor", False, "main")
    assert stage.run(0.3) == []
    stage.eyes("visitor", False, None)
    assert stage.run(3.0) == []
    stage.eyes("visitor", False, "main")
    assert whys(stage.run(30.0)) == [Why.JOINT, Why.BACK]


def test_a_look_at_something_that_is_no_target_is_not_followed(new_stage):
    stage = new_stage("mutual_joint")
    stage.see("visitor", LEFT)
    stage.run(1.5)
    stage.eyes("visitor", False, "ceiling lamp")
    assert Why.JOINT not in whys(stage.run(20.0))


def test_the_gaze_goes_to_the_speaker_alternates_and_wanders_again(new_stage):
    stage = new_stage(
        GazePolicy(name="s", weights={"random": 1.0}, follow_speaker=True, breaking=False)
    )
    stage.see("a", LEFT)
    stage.see("b", RIGHT)
    stage.run(2.0)
    stage.take(stage.machine.speech("a", True, stage.now_s))
    assert stage.machine.target == "a"
    stage.run(3.0)
    stage.take(stage.machine.speech("b", True, stage.now_s))
    looks = stage.run(8.0)
    assert [look.target for look in looks] == ["b", "a", "b", "a"]
    gaps = [b.time_s - a.time_s for a, b in itertools.pairwise(looks)]
    assert gaps == pytest.approx([2.0, 2.0, 2.0], abs=0.11)
    for name in "ab":
        stage.take(stage.machine.speech(name, False, stage.now_s))
    stage.run(1.2)
    assert stage.machine.target == "random"


def test_a_free_gaze_follows_a_click_and_leaves_it_again(new_stage):
    stage = new_stage(
        GazePolicy(name="c", weights={"front": 1.0}, breaking=False, establishing=False)
    )
    stage.run(2.0)
    (look,) = stage.click(200, 50)
    assert look.reason == "click: the screen was touched"
    (away,) = stage.run(8.0)
    assert away.target == "front"


def test_no_free_look_is_shorter_than_the_minimum_dwell(new_stage):
    policy = BUILT_IN_POLICIES["mutual_joint"].with_options(
        {"follow_speaker": 1, "weight_random": 1, "interval_s_min": 0, "glance_s_min": 0}
    )
    stage = new_stage(policy, seed=9)
    chance = random.Random(2)
    looks = []
    for number in range(600):
        person = chance.choice("ab")
        looks += stage.see(person, LEFT if person == "a" else RIGHT)
        if number % 3 == 0:
            looks += stage.eyes(person, chance.random() < 0.5, chance.choice(["main", None]))
        if number % 5 == 0:
            looks += stage.take(stage.machine.speech(person, chance.random() < 0.5, stage.now_s))
        if number % 7 == 0:
            looks += stage.click(chance.uniform(0, 200), chance.uniform(0, 100))
        looks += stage.run(STEP_S)
    turns = [look for look in looks if look.why is not Why.TRACKING]
    gaps = [b.time_s - a.time_s for a, b in itertools.pairwise(turns)]
    assert len(gaps) > 20
    assert min(gaps) >= 0.999


def story(seed, new_stage):
    stage = new_stage("mutual_joint", seed)
    stage.run(3.0)
    stage.see("visitor", LEFT)
    stage.eyes("visitor", True)
    stage.run(20.0)
    stage.glance("acrossRoom")
    stage.run(20.0)
    stage.take(stage.machine.set_policy(BUILT_IN_POLICIES["random"], stage.now_s))
    stage.run(30.0)
    return stage.given


def test_the_same_seed_gives_the_same_orders_and_another_one_does_not(new_stage):
    assert story(5, new_stage) == story(5, new_stage)
    assert story(5, new_stage) != story(6, new_stage)


def test_eyes_of_somebody_who_was_never_seen_are_not_minded(new_stage):
    stage = new_stage("mutual")
    stage.run(1.0)
    stage.eyes("ghost", True)
    stage.see("visitor", LEFT)
    stage.eyes("visitor", True)
    stage.run(2.0)
    assert stage.machine.person == "visitor"
    assert stage.lights() == [0.3, 1.0]


def test_two_pairs_of_eyes_do_not_make_the_gaze_go_to_and_fro(new_stage):
    stage = new_stage(BUILT_IN_POLICIES["mutual"].with_options({"breaking": 0}))
    for name, direction in (("a", LEFT), ("b", RIGHT)):
        stage.see(name, direction)
        stage.eyes(name, True)
    stage.run(2.0)
    assert stage.run(60.0) == []


def test_a_policy_sets_how_far_random_looks_go_and_the_next_one_forgets_it(new_stage):
    stage = new_stage(BUILT_IN_POLICIES["random"].with_options({"random_amplitude_deg": 2.0}))
    assert all(abs(look.angles.horizontal_deg) <= 2.0 for look in stage.run(100.0))
    stage.take(stage.machine.set_policy(BUILT_IN_POLICIES["random"], stage.now_s))
    assert max(abs(look.angles.horizontal_deg) for look in stage.run(200.0)) > 20.0


def test_a_new_policy_frees_an_ordered_gaze(new_stage):
    stage = new_stage()
    stage.gaze_at("topLeft")
    stage.run(5.0)
    (look,) = stage.take(stage.machine.set_policy(BUILT_IN_POLICIES["random"], stage.now_s))
    assert look.reason == "free: policy random"


def test_weights_decide_how_often_a_target_is_chosen(new_stage):
    stage = new_stage(
        GazePolicy(name="w", weights={"left": 3.0, "right": 1.0, "top": 0.0, "gone": 5.0})
    )
    counts = {"left": 0.0, "right": 0.0}
    for _ in range(20_000):
        stage.run(STEP_S)
        counts[stage.machine.target] = counts.get(stage.machine.target, 0.0) + STEP_S
    assert set(counts) == {"left", "right"}
    assert counts["left"] / counts["right"] == pytest.approx(3.0, rel=0.25)
