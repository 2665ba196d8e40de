"""Faces, the eyes' light and the mouth on the bus, in virtual time: orders in, frames out."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.messages import (
    BodyHealth,
    BodyState,
    JointFrame,
    ModuleFault,
    MouthPoint,
    SetEyesLight,
    SetFace,
    SetLayer,
    SpeechFinished,
    SpeechStarted,
)

ROOT = Path(__file__).parents[2]
STILL = SetLayer(layer="life", active=False)
FASTEST_LIGHT = 0.2
"""How much a light may change in a frame of 20 ms."""


def joint(stage: Any, name: str) -> np.ndarray:
    return np.array([frame.joints_rad[name] for frame in stage.of(JointFrame)])


def light(stage: Any) -> np.ndarray:
    return np.array([frame.channels["left_eye"] for frame in stage.of(JointFrame)])


def test_emys_smiles_for_a_moment_and_its_jaw_returns(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 1.0)
        await stage.do(SetFace(face="happy", hold_s=1.0), 4.0)

    jaw = joint(play(scene, robot="emys"), "lower_plate")
    assert jaw[40] == pytest.approx(0.0, abs=0.01)
    assert jaw.min() == pytest.approx(-0.9 * np.radians(30.0), abs=0.01)
    assert jaw[-1] == pytest.approx(0.0, abs=0.01)
    assert np.abs(np.diff(jaw)).max() <= np.radians(150.0) * 0.02 + 1e-9


def test_an_unknown_face_is_told_to_its_sender_and_the_face_stays(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL)
        await stage.do(SetFace(face="joy"), 2.0)
        await stage.do(SetFace(face="angr"), 2.0)

    stage = play(scene, robot="emys")
    (fault,) = stage.of(ModuleFault)
    assert "there is no face 'angr'; did you mean 'angry'?" in fault.summary
    assert joint(stage, "lower_plate")[-1] == pytest.approx(-0.9 * np.radians(30.0), abs=0.01)


def test_adelinos_eyes_follow_their_level_without_a_flash(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 2.0)
        await stage.do(SetEyesLight(level=1.0, reason="mutual gaze with person_1"), 1.0)
        await stage.do(SetEyesLight(level=0.3), 1.0)

    stage = play(scene)
    seen = light(stage)
    assert seen[90] == pytest.approx(0.6, abs=0.01)
    assert seen[140] == pytest.approx(1.0, abs=0.01)
    assert seen[-1] == pytest.approx(0.3, abs=0.01)
    assert np.abs(np.diff(seen[60:])).max() < FASTEST_LIGHT
    assert stage.of(ModuleFault) == []


def test_the_mouth_moves_with_the_curve_and_closes_when_the_speech_is_cut(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 1.0)
        points = [MouthPoint(time_s=0.0, opening=0.0), MouthPoint(time_s=0.5, opening=1.0)]
        points.append(MouthPoint(time_s=9.0, opening=1.0))
        await stage.do(SpeechStarted(speech="s1", text="oh", mouth=points), 1.0)
        stage.notes["open"] = len(stage.of(JointFrame))
        await stage.do(SpeechFinished(speech="s1", duration_s=1.0), 0.5)

    stage = play(scene, robot="emys")
    jaw = joint(stage, "lower_plate")
    assert jaw[stage.notes["open"] - 1] == pytest.approx(np.radians(10.0), abs=0.005)
    assert jaw[-1] == pytest.approx(0.0, abs=0.005)


def test_a_face_that_is_ordered_while_the_body_is_stopped_is_shown_after_it(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 0.5)
        await stage.do(BodyState(health=BodyHealth.STOPPED))
        await stage.do(SetFace(face="joy"), 0.5)
        await stage.do(BodyState(health=BodyHealth.OK))
        await asyncio.sleep(2.0)

    jaw = joint(play(scene, robot="emys"), "lower_plate")
    assert jaw[-1] == pytest.approx(-0.9 * np.radians(30.0), abs=0.01)


def test_the_first_frame_needs_no_scipy_and_none_of_the_solvers_that_no_body_uses():
    script = """
import sys
sys.path.insert(0, ".")
from pathlib import Path
from modules.animation_engine._quick_start import skip_search_for_blas
from sera.animation.animator import Animator
from sera.animation.stage_set import StageSet
skip_search_for_blas()
animator = Animator(StageSet.find(Path("robots/adelino").resolve(), (Path.cwd(),)).program())
animator.step()
unwanted = ("scipy.linalg", "sera.kinematics.baselines", "sera.kinematics.inverse",
            "sera.kinematics.trajectories", "sera.kinematics.erik._published", "matplotlib")
print([name for name in unwanted if name in sys.modules])
import numba, numpy
turned = numba.njit(lambda a, b: numpy.dot(a, b))(numpy.eye(3), numpy.arange(3.0))
print(turned.tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[0.0, 1.0, 2.0]"], done.stderr
