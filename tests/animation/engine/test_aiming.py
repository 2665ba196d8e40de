"""Aiming: the face looks where it is told, on every body that has a chain for it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Aiming, facing
from sera.kinematics.rotations import rotate

REPOSITORY = Path(__file__).parents[3]
BODIES = [
    folder
    for folder in sorted(file.parent for file in (REPOSITORY / "robots").glob("*/body.toml"))
    if load_body(folder).chains
]


@pytest.mark.parametrize("face", ["y", "z"])
def test_an_orientation_turns_the_face_to_the_right_and_upwards(face):
    ahead = {"y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}[face]
    x, y, z = rotate(facing(math.radians(30), math.radians(20), face), ahead)
    # The robot's left is +X: to the right is negative.
    assert math.degrees(math.atan2(-x, z)) == pytest.approx(30.0)
    assert math.degrees(math.asin(y)) == pytest.approx(20.0)


@pytest.mark.parametrize("folder", BODIES, ids=lambda folder: folder.name)
def test_the_face_looks_where_it_is_told_within_what_the_body_can(folder):
    body = load_body(folder)
    aiming = Aiming(body, body.chains[0])
    neutral = {name: body.own[name].neutral for name in aiming.joints}
    for horizontal_deg in (-50, -20, 0, 20, 50):
        for vertical_deg in (-15, 0, 15):
            angles = aiming.aim(neutral, math.radians(horizontal_deg), math.radians(vertical_deg))
            for name, angle in angles.items():
                assert body.own[name].lower <= angle <= body.own[name].upper
            found = np.degrees(aiming.looks_at(angles))
            assert found == pytest.approx([horizontal_deg, vertical_deg], abs=2.0)


def test_a_gaze_that_travels_moves_no_joint_by_more_than_a_few_degrees():
    body = load_body(REPOSITORY / "robots" / "adelino")
    aiming = Aiming(body, body.chains[0])
    posture = {"base": 0.0, "lower_bend": 0.5, "upper_bend": 0.3, "head_bend": 0.2, "head_twist": 0}
    before = aiming.aim(posture, math.radians(-60), 0.0)
    for degree in range(-59, 61):
        angles = aiming.aim(posture, math.radians(degree), 0.0)
        moved = max(abs(angles[name] - before[name]) for name in angles)
        assert aiming.switches or math.degrees(moved) <= 5.5
        before = angles
    assert aiming.switches <= 1


def test_no_number_keeps_the_last_direction():
    body = load_body(REPOSITORY / "robots" / "adelino")
    aiming = Aiming(body, body.chains[0])
    neutral = {name: body.own[name].neutral for name in aiming.joints}
    for _ in range(60):
        there = aiming.aim(neutral, 0.4, 0.2)
    still = aiming.aim(neutral, math.nan, 0.2)
    assert still == pytest.approx(there, abs=0.03)


def test_it_begins_at_the_pose_that_the_robot_has():
    body = load_body(REPOSITORY / "robots" / "adelino")
    posture = dict.fromkeys(body.joints, 0.2)
    before, after = Aiming(body, body.chains[0]), Aiming(body, body.chains[0])
    for _ in range(80):
        pose = before.aim(posture, 0.5, 0.1)
    after.start_from(pose)
    first = after.aim(posture, 0.5, 0.1)
    # The new posture is allowed for; the pose is nearly there already.
    assert max(abs(first[name] - pose[name]) for name in pose) <= math.radians(1.5)
    assert after.switches == 0
