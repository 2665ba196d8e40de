"""Where one motion ends and another begins: no hand is thrown, and every limb has one owner."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.animator import Animator
from sera.animation.controllers import Animate
from sera.animation.controllers import Point as PointController
from sera.animation.engine.limbs import Limbs
from sera.animation.engine.seams import LEAST_S
from sera.animation.signals import Fade
from sera.animation.stage_set import StageSet
from sera.evaluation.motion import measure_nods, measure_seams
from sera.evaluation.motion.actor import START_S, Actor, hands_m_s
from sera.messages import (
    AnimationOutcome,
    Direction,
    EmergencyStop,
    Gaze,
    HoldJoints,
    PlayAnimation,
    Point,
    SetLayer,
    SetPosture,
    StopAnimation,
)

ROOT = Path(__file__).parents[2]
ROBOTS = ROOT / "robots"


@cache
def stage_set(robot: str) -> StageSet:
    return StageSet.find(ROBOTS / robot, (ROOT,), seed=1)


def animator(robot: str = "nao") -> Animator:
    return Animator(stage_set(robot).program())


def run(body: Animator, seconds: float) -> None:
    for _ in range(round(seconds / body.engine.step_s)):
        body.step()


def play(body: Animator, name: str) -> None:
    body.handle(PlayAnimation(animation=name), name)


def value(body: Animator, channel: str) -> float:
    return float(body.engine.blend.values[body.engine.layout.index(channel)])


# -- times ----------------------------------------------------------------------------------


def test_an_emergency_stop_drops_everything_at_once():
    body = animator()
    play(body, "wave")
    body.handle(Point(direction=Direction(horizontal_deg=-30.0), hold_s=9.0))
    body.handle(HoldJoints(joints_rad={"HeadYaw": 0.3}, blend_s=0.1))
    run(body, 1.3)
    body.handle(EmergencyStop())
    assert (body.playing, body.engine.hand.holding) == ([], ())
    body.step()
    assert body.blend_report().limbs == {}
    assert value(body, "Arms.RightRaise") == pytest.approx(0.0, abs=0.05)
    assert all(point.rests for _layer, point in body.program.find(PointController))


@pytest.mark.parametrize(
    ("robot", "gesture", "kinds"),
    [("nao", "wave", 10), ("adelino", "shake", 9), ("pepper", "bow", 10)],
)
def test_no_seam_is_faster_than_its_gestures_or_a_metre_a_second(robot, gesture, kinds):
    found = measure_seams(stage_set(robot), gestures=(gesture,))
    assert len(found) == kinds
    assert [seam for seam in found if not seam.kept] == []


def test_a_body_that_rises_at_a_start_throws_no_head():
    actor = Actor(stage_set("adelino"))
    frames = actor.run(START_S)
    assert np.ptp(frames, axis=0).max() > 0.8
    assert hands_m_s(actor.body, frames, actor.step_s) <= 1.0


def test_the_time_grows_with_the_way_and_is_never_less_than_was_asked_for():
    body = animator()
    run(body, 2.0)
    seams, column = body.engine.seams, body.engine.layout.index("Arms.RightRaise")
    lasts_s = [seams.changed_s({column: math.radians(deg)}, 0.1) for deg in (0, 15, 45, 90, 120)]
    assert lasts_s[0] == 0.1
    assert lasts_s[1] == LEAST_S
    assert lasts_s == sorted(lasts_s)
    assert lasts_s[3] > 0.8
    assert seams.changed_s({column: math.radians(90)}, 3.0) == 3.0
    lid = body.engine.layout.index("Eyes.LeftLid")
    assert seams.changed_s({lid: 1.0}, 0.0) == 0.0


@given(
    turns=st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 2.0), st.integers(1, 30))),
)
def test_a_fade_that_is_turned_round_stays_within_bounds_and_arrives(turns):
    fade, before = Fade(), 0.0
    for goal, lasts_s, frames in turns:
        fade.go(goal, lasts_s)
        for _ in range(frames):
            after = fade.step(0.02)
            assert 0.0 <= after <= 1.0
            assert lasts_s == 0.0 or abs(after - before) <= 0.02 * 6.0 / max(lasts_s, 0.12)
            before = after
        before = fade.value
    fade.go(0.25, 0.4)
    for _ in range(21):
        fade.step(0.02)
    assert fade.value == 0.25
    assert not fade.moving


def test_a_layer_that_is_switched_within_no_time_does_not_drop_an_arm():
    body = animator("pepper")
    run(body, 1.0)
    play(body, "wave")
    run(body, 1.3)
    raised = value(body, "Arms.RightRaise")
    body.handle(SetLayer(layer="gestures", active=False, fade_s=0.0))
    body.step()
    assert value(body, "Arms.RightRaise") > 0.9 * raised
    run(body, 3.5)
    assert body.weights["gestures"] == 0.0


def test_a_gesture_that_is_ordered_again_goes_on_from_its_stroke():
    body = animator()
    run(body, 1.0)
    play(body, "wave")
    run(body, 1.9)
    raised = value(body, "Arms.RightRaise")
    body.handle(PlayAnimation(animation="wave"), "again")
    lowest = min((run(body, 0.1), value(body, "Arms.RightRaise"))[1] for _ in range(15))
    assert lowest > 0.85 * raised
    (end,) = body.ended()
    assert (end.action, end.outcome) == ("wave", AnimationOutcome.INTERRUPTED)
    run(body, 2.5)
    (end,) = body.ended()
    assert (end.action, end.outcome) == ("again", AnimationOutcome.COMPLETED)


def test_a_gesture_that_was_hardly_begun_or_almost_over_begins_near_rest():
    for at_s, least, most in ((0.3, 0.2, 0.4), (3.5, 0.0, 0.6)):
        body = animator()
        play(body, "wave")
        run(body, at_s)
        play(body, "wave")
        ((_layer, player),) = [
            (layer, each) for layer, each in body.program.find(Animate) if each.playing == ("wave",)
        ]
        assert least <= player._playing[0].time_s <= most


# -- one owner a limb -----------------------------------------------------------------------


def test_limbs_come_from_channels_rules_and_the_tree():
    nao, romeo = Limbs(stage_set("nao").body), Limbs(stage_set("romeo").body)
    assert nao.limb("Arms.LeftRaise") == nao.limb("Body.LShoulderPitch") == "left arm"
    assert nao.limb("Gazing.Vertical") == nao.limb("Body.HeadPitch") == "head"
    assert nao.limb("Body.LKneePitch") == nao.limb("Body.LHipRoll")
    assert nao.limb("Body.LKneePitch") != nao.limb("Body.RKneePitch")
    assert romeo.limb("Body.right_wrist_3") == "right arm", "no channel moves it; its branch does"
    line = Limbs(stage_set("adelino").body)
    assert {line.limb(f"Body.{name}") for name in stage_set("adelino").body.joints} == {
        line.limb("Torso.Lean")
    }


def test_a_newer_gesture_takes_over_and_the_older_one_is_interrupted():
    body = animator("pepper")
    run(body, 1.0)
    play(body, "celebrate")
    run(body, 1.3)
    assert body.blend_report().limbs["left arm"] == "celebrate"
    play(body, "wave")
    both = body.engine.layout.upper[body.engine.layout.index("Arms.RightRaise")]
    raises = [(body.step(), value(body, "Arms.RightRaise"))[1] for _ in range(100)]
    assert max(raises) < both - 0.05, "no arm is pushed to its end"
    limbs = body.blend_report().limbs
    assert {limbs[name] for name in ("left arm", "right arm", "head")} == {"wave"}
    (end,) = body.ended()
    assert (end.animation, end.outcome) == ("celebrate", AnimationOutcome.INTERRUPTED)
    run(body, 2.5)
    assert body.blend_report().limbs == {}


def test_a_gesture_that_keeps_some_limbs_goes_on_with_those():
    body, alone = animator(), animator()
    for each in (body, alone):
        run(each, 1.0)
        play(each, "wave")
        run(each, 0.8)
    play(body, "nod")
    for each in (body, alone):
        run(each, 1.5)
    assert value(body, "Arms.RightRaise") == pytest.approx(value(alone, "Arms.RightRaise"), 1e-6)
    limbs = body.blend_report().limbs
    assert (limbs["head"], limbs["right arm"]) == ("nod", "wave")
    run(body, 2.5)
    assert {(end.animation, str(end.outcome)) for end in body.ended()} == {
        ("wave", "completed"),
        ("nod", "completed"),
    }


def test_what_hardly_moves_a_limb_adds_and_takes_nothing():
    body = animator()
    play(body, "wave")
    run(body, 0.5)
    play(body, "breathe")
    run(body, 0.5)
    assert "breathe" not in body.blend_report().limbs.values()
    assert sorted(body.playing) == ["breathe", "wave"]


def test_stops_and_postures_meet_their_goal_exactly():
    body = animator("pepper")
    run(body, 1.0)
    body.handle(SetPosture(posture="cold", blend_s=0.0))
    play(body, "celebrate")
    run(body, 1.3)
    body.handle(StopAnimation(fade_s=0.0))
    run(body, 3.0)
    (end,) = body.ended()
    assert end.outcome is AnimationOutcome.INTERRUPTED
    assert body.playing == []
    cold = stage_set("pepper").repertoire().postures["cold"].values
    name = next(name for name in cold if name.startswith("Arms."))
    assert value(body, name) == pytest.approx(cold[name], abs=0.1)


# -- nods -----------------------------------------------------------------------------------


def test_nods_and_shakes_keep_their_swing_wherever_the_gaze_is():
    found = measure_nods(stage_set("nao"))
    assert {nod.gesture for nod in found} == {"nod", "affirm", "shake"}
    assert [nod for nod in found if not nod.kept] == []


def test_a_body_that_lies_down_to_look_down_nods_above_the_ground():
    found = [nod for nod in measure_nods(stage_set("adelino")) if nod.gesture != "shake"]
    assert len(found) == 14
    assert [nod for nod in found if not nod.kept] == []


def test_a_slow_body_nods_more_slowly_and_as_far(tmp_path):
    slow = tmp_path / "robots" / "slow"
    slow.mkdir(parents=True)
    text = (ROBOTS / "keepon" / "body.toml").read_text(encoding="utf-8")
    assert "max_velocity_deg_s = 180.0" in text
    slow.joinpath("body.toml").write_text(
        text.replace("max_velocity_deg_s = 180.0", "max_velocity_deg_s = 12.0"), encoding="utf-8"
    )
    stage = StageSet.find(slow, (ROOT,), seed=1)
    body = Animator(stage.program())
    run(body, 3.0)
    play(body, "nod")
    tilt = [body.step()["tilt"] for _ in range(400)]
    curve = stage.repertoire().animations["nod"].channel("Gazing.Vertical").curve
    assert np.ptp(tilt) >= 0.8 * np.ptp(curve.knots.values)
    (end,) = body.ended()
    assert end.duration_s > 1.5 * 2.15


def test_a_gaze_waits_for_a_nod_and_follows_whom_it_is_on():
    def look(horizontal_deg: float, target: str) -> Gaze:
        return Gaze(direction=Direction(horizontal_deg=horizontal_deg), target=target)

    body = animator()
    body.handle(look(0.0, "one"))
    run(body, 1.0)
    play(body, "nod")
    run(body, 0.4)  # people have seen it begin
    body.handle(look(30.0, "two"))
    body.handle(look(40.0, "three"))
    run(body, 1.0)
    assert value(body, "Gazing.Horizontal") == pytest.approx(0.0, abs=0.05)
    body.handle(look(4.0, "one"))
    run(body, 0.4)
    assert value(body, "Gazing.Horizontal") == pytest.approx(math.radians(4.0), abs=0.05)
    body.handle(look(40.0, "three"))
    run(body, 1.5)
    assert value(body, "Gazing.Horizontal") == pytest.approx(math.radians(40.0), abs=0.05)
