"""Arms point where they are told, with whatever roll they can take."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.body import load_body
from sera.animation.engine import Aiming, facing
from sera.animation.engine._turns import (
    FACES,
    arc,
    between,
    product,
    rolled,
    towards,
    turned,
    twist_rad,
)
from sera.kinematics.rotations import rotate

ROBOTS = Path(__file__).parents[3] / "robots"
BODIES = ("nao", "nao_t14", "pepper", "romeo", "mybot_ksr")
ARMS = [(name, chain) for name in BODIES for chain in ("left_point", "right_point")]
FRAMES_TO_SETTLE = 20


def arm_of(name, chain):
    body = load_body(ROBOTS / name)
    found = next(each for each in body.chains if each.name == chain)
    aiming = Aiming(body, found)
    return body, aiming, {joint: body.own[joint].neutral for joint in aiming.joints}


def off_deg(aiming, angles, horizontal_rad, vertical_rad):
    wanted, found = towards(horizontal_rad, vertical_rad), towards(*aiming.looks_at(angles))
    return math.degrees(between(wanted, found))


@pytest.mark.parametrize("face", list(FACES))
def test_every_face_turns_to_the_right_and_upwards(face):
    x, y, z = rotate(facing(math.radians(30), math.radians(20), face), FACES[face])
    assert math.degrees(math.atan2(-x, z)) == pytest.approx(30.0)
    assert math.degrees(math.asin(y)) == pytest.approx(20.0)


@pytest.mark.parametrize(("name", "chain"), ARMS)
def test_an_arm_points_to_its_own_side_and_ahead_within_a_degree(name, chain):
    body, aiming, posture = arm_of(name, chain)
    outwards = 1 if chain == "right_point" else -1
    for vertical_deg in (-45, -20, 0, 25, 50):
        for across_deg in (-10, 10, 30, 50, 70):
            where = (math.radians(outwards * across_deg), math.radians(vertical_deg))
            for _ in range(3):
                angles = aiming.aim(posture, *where)
            assert off_deg(aiming, angles, *where) < 1.0, (across_deg, vertical_deg)
            for joint, angle in angles.items():
                assert body.own[joint].lower - 1e-9 <= angle <= body.own[joint].upper + 1e-9


@pytest.mark.parametrize(("name", "chain"), ARMS)
def test_all_around_an_arm_comes_as_near_as_its_limits_allow(name, chain):
    body, aiming, posture = arm_of(name, chain)
    generator = np.random.default_rng(4)
    first = aiming.joints.index(aiming.chain.begins) if aiming.chain.begins else 0
    poses = []
    for _ in range(4000):
        pose = dict(posture)
        for joint in aiming.joints[first:]:
            pose[joint] = generator.uniform(body.own[joint].lower, body.own[joint].upper)
        poses.append(towards(*aiming.looks_at(pose)))
    reachable = np.array(poses)
    for vertical_deg in (-60, -20, 20, 60):
        for horizontal_deg in range(-180, 180, 45):
            where = (math.radians(horizontal_deg), math.radians(vertical_deg))
            for _ in range(FRAMES_TO_SETTLE):
                angles = aiming.aim(posture, *where)
            apart = np.linalg.norm(reachable - towards(*where), axis=1).min()
            nearest_deg = math.degrees(2.0 * math.asin(min(1.0, 0.5 * float(apart))))
            found_deg = off_deg(aiming, angles, *where)
            assert found_deg < nearest_deg + 1.0, (horizontal_deg, vertical_deg)


@pytest.mark.parametrize(("name", "chain"), ARMS)
def test_a_direction_that_travels_moves_no_joint_by_a_jump(name, chain):
    _, aiming, posture = arm_of(name, chain)
    outwards = 1 if chain == "right_point" else -1
    before = None
    for step in range(240):
        phase = 2.0 * math.pi * step / 240
        across = math.radians(outwards * (30 + 30 * math.sin(phase)))
        where = (across, math.radians(25 * math.sin(2.0 * phase)))
        angles = aiming.aim(posture, *where)
        assert off_deg(aiming, angles, *where) < 1.0
        if before is not None:
            # The direction itself goes by less than 1.6 degrees a frame.
            assert max(abs(angles[joint] - before[joint]) for joint in angles) < math.radians(12.0)
        before = angles
    assert aiming.switches == 0


@pytest.mark.parametrize("lean_rad", [-0.3, 0.3])
def test_a_trunk_that_leans_stays_as_it_is_and_the_arm_points_all_the_same(lean_rad):
    _, aiming, posture = arm_of("pepper", "left_point")
    posture |= {"HipPitch": lean_rad, "HipRoll": 0.2}
    angles = aiming.aim(posture, -0.5, 0.3)
    assert off_deg(aiming, angles, -0.5, 0.3) < 1.0
    assert {joint: angles[joint] for joint in ("KneePitch", "HipPitch", "HipRoll")} == {
        joint: posture[joint] for joint in ("KneePitch", "HipPitch", "HipRoll")
    }


def test_an_arm_begins_at_the_pose_that_the_robot_has():
    _, before, posture = arm_of("nao", "left_point")
    for _ in range(40):
        pose = before.aim(posture, -0.5, 0.2)
    _, after, _ = arm_of("nao", "left_point")
    after.start_from(pose)
    first = after.aim(posture, -0.5, 0.2)
    assert max(abs(first[joint] - pose[joint]) for joint in pose) < math.radians(3.0)


def test_the_same_questions_get_the_same_answers():
    answers = []
    for _ in range(2):
        _, aiming, posture = arm_of("nao", "right_point")
        answers.append([aiming.aim(posture, 0.1 * step, 0.05 * step) for step in range(20)])
    assert answers[0] == answers[1]


angles_rad = st.floats(-3.0, 3.0)


@given(angles_rad, st.floats(-1.5, 1.5), angles_rad, st.floats(-1.5, 1.5))
def test_the_shortest_turn_takes_one_direction_to_another(h1, v1, h2, v2):
    a, b = towards(h1, v1), towards(h2, v2)
    turn = arc(a, b, about=(1.0, 0.0, 0.0, 0.0))
    assert turned(turn, a) == pytest.approx(b, abs=1e-6)
    assert 2.0 * math.acos(min(1.0, abs(turn[0]))) == pytest.approx(between(a, b), abs=1e-5)


@pytest.mark.parametrize("a", list(FACES.values()))
def test_opposite_directions_are_half_a_turn_apart(a):
    b = (-a[0], -a[1], -a[2])
    turn = arc(a, b, about=(1.0, 0.0, 0.0, 0.0))
    assert turned(turn, a) == pytest.approx(b, abs=1e-12)


@given(angles_rad, st.floats(-1.5, 1.5), st.floats(-3.1, 3.1), st.sampled_from(list(FACES)))
def test_a_roll_is_found_again(horizontal, vertical, roll, face):
    w, x, y, z = facing(horizontal, vertical, face).tolist()
    start = (w, x, y, z)
    end = rolled(start, FACES[face], roll)
    assert twist_rad(start, end, FACES[face]) == pytest.approx(roll, abs=1e-9)
    assert turned(end, FACES[face]) == pytest.approx(turned(start, FACES[face]), abs=1e-9)
    assert product(start, (1.0, 0.0, 0.0, 0.0)) == start
