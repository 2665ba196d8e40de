"""Faces, the eyes' light, the mouth and the hand on the target's side, as orders on bodies."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.controllers import Point
from sera.animation.engine import Engine, Layer
from sera.animation.frame import BlendMode
from sera.animation.stage_set import StageSet
from sera.messages import (
    EmergencyStop,
    MouthPoint,
    PlayAnimation,
    SetEyesLight,
    SetFace,
    SetLayer,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
)

ROOT = Path(__file__).parents[2]
STILL = SetLayer(layer="life", active=False, fade_s=0.0)
MOUTH = [(0.1, 0.0), (0.3, 0.8), (0.5, 0.3), (0.9, 0.0)]


@cache
def stage_set(robot: str) -> StageSet:
    return StageSet.find(ROOT / "robots" / robot, (ROOT,))


def animator_of(robot: str) -> Animator:
    made = Animator(stage_set(robot).program())
    made.handle(STILL)
    run(made, 60)
    return made


def run(animator: Animator, frames: int, channel: str = "Gazing.Horizontal") -> np.ndarray:
    """What the layers make of a channel, before rules and filter."""
    column = animator.engine.layout.index(channel)
    values = []
    for _ in range(frames):
        animator.step()
        values.append(float(animator.engine.blend.values[column]))
    return np.array(values)


def started(speech: str, mouth: list[tuple[float, float]] = MOUTH) -> SpeechStarted:
    points = [MouthPoint(time_s=time_s, opening=opening) for time_s, opening in mouth]
    return SpeechStarted(speech=speech, text="hello there", mouth=points)


def finished(speech: str) -> SpeechFinished:
    return SpeechFinished(speech=speech, duration_s=1.0)


def word(speech: str, index: int = 0) -> SpeechWord:
    return SpeechWord(speech=speech, index=index, text="wonderful", start_s=0.0)


# -- faces ----------------------------------------------------------------------------------


def test_emys_smiles_for_a_moment_over_a_face_that_stays():
    emys = animator_of("emys")
    emys.handle(SetFace(face="sad"))
    assert run(emys, 50, "Face.Smile")[-1] == pytest.approx(-0.9)
    emys.handle(SetFace(face="smile", hold_s=1.0))
    assert emys.face == "joy"
    smile = run(emys, 150, "Face.Smile")
    assert smile[20:60] == pytest.approx(0.9)
    assert smile[-1] == pytest.approx(-0.9)
    assert emys.face == "sadness"


def test_adelino_shows_joy_by_its_lights_and_neutral_gives_them_back():
    adelino = animator_of("adelino")
    before = run(adelino, 1, "Lights.Left")[0]
    adelino.handle(SetFace(face="joy"))
    assert run(adelino, 30, "Lights.Left")[-1] == pytest.approx(1.0)
    adelino.handle(SetFace(face="neutral"))
    assert run(adelino, 30, "Lights.Left")[-1] == pytest.approx(before)


@pytest.mark.parametrize(
    ("robot", "face", "sentence"),
    [("emys", "hapy", "did you mean 'happy'"), ("mybot_ksr", "joy", "cannot show the face 'joy'")],
)
def test_a_face_that_cannot_be_shown_is_one_sentence_and_changes_nothing(robot, face, sentence):
    animator = animator_of(robot)
    with pytest.raises(LookupError, match=sentence):
        animator.handle(SetFace(face=face))
    assert animator.face == "neutral"
    assert animator.refused == 1


def test_a_face_goes_on_when_the_program_is_exchanged_and_a_stop_ends_a_moment():
    emys = animator_of("emys")
    emys.handle(SetFace(face="anger"))
    emys.handle(SetFace(face="joy", hold_s=60.0))
    run(emys, 30)
    emys.exchange(stage_set("emys").program())
    assert run(emys, 2, "Face.Smile") == pytest.approx(0.9)
    emys.handle(EmergencyStop(reason="test"))
    assert emys.face == "anger"


# -- the light of the eyes ------------------------------------------------------------------


def test_until_the_first_order_the_posture_lights_the_eyes():
    assert run(animator_of("adelino"), 50, "Lights.Left") == pytest.approx(0.6)


@pytest.mark.parametrize("robot", ["adelino", "nao"])
def test_the_eyes_take_a_level_within_a_third_of_a_second_and_smoothly(robot):
    animator = animator_of(robot)
    for level, before in ((1.0, 0.6), (0.3, 1.0)):
        animator.handle(SetEyesLight(level=level))
        values = run(animator, 40, "Lights.Left")
        assert values[14:] == pytest.approx(level, abs=1e-9)
        steps = np.diff([before, *values])
        assert np.abs(steps).max() < 0.13 * abs(level - before) + 1e-9
        assert np.all(steps * (level - before) >= -1e-12)
        assert run(animator, 1, "Lights.Right")[0] == pytest.approx(level)


def test_a_body_without_lights_takes_the_order_without_complaint():
    emys = animator_of("emys")
    emys.handle(SetEyesLight(level=1.0))
    run(emys, 10)
    assert emys.refused == 0


def test_speech_dims_the_lights_by_its_share_of_the_level_and_gives_it_back_smoothly():
    adelino = animator_of("adelino")
    for level in (1.0, 0.3):
        adelino.handle(SetEyesLight(level=level))
        run(adelino, 40)
        adelino.handle(started("a", [(0.0, 0.0), (0.4, 1.0), (0.8, 0.0), (1.6, 0.0)]))
        lights = run(adelino, 70, "Lights.Left")
        assert lights[19] == pytest.approx(level)  # wide open after 0.4 s
        assert lights[45:] == pytest.approx(0.3 * level)
        adelino.handle(finished("a"))
        after = run(adelino, 20, "Lights.Left")
        assert after[-1] == pytest.approx(level)
        assert np.abs(np.diff([lights[-1], *after])).max() < 0.2 * level


# -- the mouth ------------------------------------------------------------------------------


def test_the_mouth_follows_the_voices_curve_and_words_do_not_change_it():
    emys = animator_of("emys")
    emys.handle(started("a"))
    seen = []
    for frame in range(60):
        if frame % 10 == 0:
            emys.handle(word("a", frame // 10))
        seen.append(run(emys, 1, "Face.Mouth")[0])
    times_s = 0.02 * np.arange(1, 61)
    wanted = np.interp(times_s, *zip(*MOUTH, strict=True), left=0.0, right=0.0)
    assert seen == pytest.approx(wanted, abs=1e-9)
    emys.handle(word("a", 6))  # never finished: the curve is over, and the mouth stays closed
    assert run(emys, 50, "Face.Mouth").max() == 0.0


def test_a_speech_without_a_curve_is_estimated_from_its_words():
    emys = animator_of("emys")
    emys.handle(started("a", []))
    emys.handle(word("a"))
    assert run(emys, 20, "Face.Mouth").max() > 0.5


def test_a_curve_that_is_broken_off_closes_within_a_tenth_of_a_second():
    emys = animator_of("emys")
    emys.handle(started("a"))
    assert run(emys, 15, "Face.Mouth")[-1] == pytest.approx(0.8)
    emys.handle(finished("a"))
    closing = run(emys, 5, "Face.Mouth")
    assert np.all(np.diff(closing) < 0.0)
    assert closing[-1] == pytest.approx(0.0, abs=1e-9)
    assert run(emys, 60, "Face.Mouth").max() == pytest.approx(0.0, abs=1e-9)


def test_speeches_follow_each_other_and_a_late_end_of_the_first_leaves_the_second_alone():
    emys = animator_of("emys")
    emys.handle(started("a"))
    run(emys, 15)
    emys.handle(started("b"))
    emys.handle(finished("a"))
    assert run(emys, 15, "Face.Mouth")[-1] == pytest.approx(0.8)
    emys.handle(word("c"))  # one whose beginning was lost
    assert run(emys, 20, "Face.Mouth").max() > 0.5
    emys.handle(finished("c"))
    assert run(emys, 60, "Face.Mouth")[-1] == pytest.approx(0.0, abs=1e-6)


# -- the hand on the target's side ----------------------------------------------------------


def pointing() -> Point:
    controller = Point()
    Engine(stage_set("nao").body, [Layer("pointing", [controller], mode=BlendMode.OVERRIDE)])
    return controller


def at(controller: Point, horizontal_deg: float) -> str:
    return controller.point(math.radians(horizontal_deg), 0.0, hold_s=0.5)


def test_the_arm_on_the_targets_side_points():
    for horizontal_deg, arm in ((40.0, "right"), (-40.0, "left"), (0.0, "right"), (-1.0, "left")):
        assert at(pointing(), horizontal_deg) == arm


def test_an_arm_that_points_goes_on_a_little_beyond_straight_ahead():
    controller = pointing()
    arms = [at(controller, deg) for deg in (20, 3, -3, -9, 2, -9, -11, -2, 3, 9, -4, 11, -2)]
    assert arms == ["right"] * 6 + ["left"] * 5 + ["right"] * 2
    for _ in range(100):
        controller.step(0.02)
    assert at(controller, -2.0) == "left"  # it was down: the side counts alone


@pytest.mark.parametrize("side", ["left", "right"])
def test_nao_waves_with_the_hand_on_the_side_that_is_asked_for(side):
    nao = animator_of("nao")
    nao.handle(PlayAnimation(animation=f"wave_{side}"), "order-1")
    run(nao, 75)
    values, layout = nao.engine.blend.values, nao.engine.layout
    raised = {each: values[layout.index(f"Arms.{each}Raise")] for each in ("Left", "Right")}
    neutral = layout.neutral[layout.index("Arms.LeftRaise")]
    assert raised.pop(side.capitalize()) - neutral > math.radians(60)
    assert abs(raised.popitem()[1] - neutral) < math.radians(10)


def test_an_animation_without_sides_is_the_same_on_both():
    emys = animator_of("emys")
    emys.handle(PlayAnimation(animation="nod_left"), "order-1")
    assert emys.playing == ["nod"]
    with pytest.raises(LookupError, match="did you mean 'wave_left'"):
        emys.handle(PlayAnimation(animation="wve_left"), "order-2")
