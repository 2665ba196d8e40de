"""Following a moving target: no joint jumps unless the branch is left, and that is said."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.chain import Chain
from sera.kinematics.erik import Solver
from sera.kinematics.rotations import from_axis_angle, multiply, slerp

ADELINO = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
POSTURES = {
    "upright": (0.0, 0.3, 0.3, 0.0, 0.0),
    "leaning": (0.0, -0.6, 1.2, 0.3, 0.0),
    "curled": (0.0, 1.0, -1.4, -0.6, 0.0),
}
FEW_DEGREES = 3.5


def facing(yaw_deg: float, pitch_deg: float) -> np.ndarray:
    return multiply(
        from_axis_angle((0, 1, 0), math.radians(yaw_deg)),
        from_axis_angle((1, 0, 0), math.radians(pitch_deg)),
    )


def follow(solver: Solver, postures, targets):
    """Solutions one after the other, and the largest joint step in degrees before each."""
    solutions, steps = [], []
    for posture, target in zip(postures, targets, strict=True):
        previous = solutions[-1] if solutions else None
        solutions.append(solver.solve(posture, target, previous))
        if previous is not None:
            moved = np.abs(solutions[-1].angles_rad - previous.angles_rad).max()
            steps.append(math.degrees(moved))
    return solutions, np.array(steps)


@pytest.mark.parametrize("pitch_deg", [20, 50, 90, 120])
@pytest.mark.parametrize("posture", POSTURES.values(), ids=POSTURES)
def test_a_sweep_all_around_moves_no_joint_by_more_than_a_few_degrees(posture, pitch_deg):
    solver = Solver(ADELINO, symmetric_endpoint=True)
    targets = [facing(yaw, pitch_deg) for yaw in range(-180, 181)]
    solutions, steps = follow(solver, [posture] * len(targets), targets)
    switched = np.array([solution.switched for solution in solutions[1:]])
    assert steps[~switched].max() <= FEW_DEGREES
    # A robot that turns half a circle to either side has to change over once or twice.
    assert 1 <= np.count_nonzero(switched) <= 3
    for solution in solutions:
        assert solution.error <= 0.0401
        assert ADELINO.within_limits(solution.angles_rad)


def test_a_sweep_back_and_forth_ends_where_it_began():
    solver = Solver(ADELINO, symmetric_endpoint=True)
    there = [facing(yaw, 70) for yaw in range(-40, 41)]
    posture = POSTURES["upright"]
    solutions, steps = follow(solver, [posture] * 162, there + there[::-1])
    assert not any(solution.switched for solution in solutions)
    assert steps.max() <= FEW_DEGREES
    np.testing.assert_allclose(solutions[0].angles_rad, solutions[-1].angles_rad, atol=0.02)


@pytest.mark.parametrize("pitch_deg", [60, 140], ids=["easy", "extreme"])
def test_the_orientation_holds_while_the_posture_shifts(pitch_deg):
    solver = Solver(ADELINO, symmetric_endpoint=True)
    first, second = np.array(POSTURES["upright"]), np.array(POSTURES["leaning"])
    postures = [first + (second - first) * k / 60 for k in range(61)]
    solutions, steps = follow(solver, postures, [facing(25, pitch_deg)] * 61)
    switched = np.array([solution.switched for solution in solutions[1:]])
    assert steps[~switched].max() <= FEW_DEGREES
    assert np.count_nonzero(switched) <= 1
    assert max(solution.orientation_error for solution in solutions) <= 0.02


def test_a_posture_that_changes_at_once_is_no_jump_of_the_branch():
    solver = Solver(ADELINO, symmetric_endpoint=True)
    target = facing(10, 60)
    before = solver.solve(POSTURES["upright"], target)
    after = solver.solve(POSTURES["leaning"], target, before)
    assert not after.switched
    assert after.orientation_error <= 1e-3
    assert after.error <= solver.solve(POSTURES["leaning"], target).error + 0.02


def test_a_target_at_rest_draws_the_pose_to_its_best_place_nearby():
    solver = Solver(ADELINO, symmetric_endpoint=True)
    target = facing(30, 80)
    posture = POSTURES["leaning"]
    pose = solver.solve(posture, facing(-30, 80))
    pose = solver.solve(posture, target, pose)
    errors = []
    for _ in range(120):
        pose = solver.solve(posture, target, pose)
        errors.append(pose.error)
    assert errors[-1] <= errors[0] + 1e-9
    assert errors[-1] == pytest.approx(errors[-30], abs=1e-4)
    assert pose.orientation_error < 1e-4


def test_bare_angles_serve_as_previous_pose():
    solver = Solver(ADELINO, symmetric_endpoint=True)
    first = solver.solve(POSTURES["upright"], facing(0, 60))
    from_solution = solver.solve(POSTURES["upright"], facing(1, 60), first)
    from_angles = solver.solve(POSTURES["upright"], facing(1, 60), first.angles_rad.tolist())
    np.testing.assert_array_equal(from_solution.angles_rad, from_angles.angles_rad)


def test_a_previous_pose_beyond_the_limits_is_taken_at_the_limit():
    solver = Solver(ADELINO)
    found = solver.solve(POSTURES["upright"], facing(0, 60), [3.0, -3.0, 3.0, 0.0, 0.0])
    assert ADELINO.within_limits(found.angles_rad)


def test_a_solution_of_another_chain_is_refused():
    other = Solver(Chain.from_axes("YXY")).solve(np.zeros(3), (1, 0, 0, 0))
    with pytest.raises(ValueError, match="solution of this chain"):
        Solver(ADELINO).solve(np.zeros(5), (1, 0, 0, 0), other)


def test_the_published_method_says_when_it_jumps():
    solver = Solver(ADELINO, symmetric_endpoint=True, method="published")
    targets = [facing(yaw, 60) for yaw in range(-180, 181)]
    solutions, steps = follow(solver, [POSTURES["upright"]] * len(targets), targets)
    jumped = np.array([solution.switched for solution in solutions[1:]])
    assert steps[~jumped].max() <= 20.0
    assert steps.max() > 20.0


@pytest.mark.parametrize("word", ["XZXZY", "YXZXYXZY", "XYZ", "ZXZXZX"])
def test_other_chains_follow_as_smoothly(word):
    chain = Chain.from_axes(word, limit_rad=math.pi / 2)
    solver = Solver(chain)
    generator = np.random.default_rng(5)
    begin, end = (
        chain.pose(generator.uniform(-0.8, 0.8, chain.dof)).orientation_wxyz for _ in range(2)
    )
    count = int(math.degrees(2 * math.acos(min(1.0, abs(float(begin @ end)))))) + 2
    targets = [slerp(begin, end, k / (count - 1)) for k in range(count)]
    posture = generator.uniform(-0.6, 0.6, chain.dof)
    solutions, steps = follow(solver, [posture] * count, targets)
    calm = np.array([not solution.switched for solution in solutions[1:]])
    assert np.count_nonzero(~calm) <= 1
    assert steps[calm].max() <= 1.0 + 2.0 * 1.1 + 2.5


def test_a_joint_that_turns_without_end_follows_round_and_round():
    joints = [
        replace(joint, continuous=True, lower=-math.pi, upper=math.pi) if index == 0 else joint
        for index, joint in enumerate(ADELINO.joints)
    ]
    chain = Chain(joints, tip_m=(0, 1, 0), name="endless")
    solver = Solver(chain)
    targets = [facing(yaw, 60) for yaw in range(0, 3 * 360, 2)]
    solutions, _ = follow(solver, [POSTURES["leaning"]] * len(targets), targets)
    assert not any(solution.switched for solution in solutions)
    angles = np.array([solution.angles_rad for solution in solutions])
    assert np.all(np.abs(angles[:, 0]) <= math.pi)
    turned = np.unwrap(angles[:, 0])
    assert turned[-1] - turned[0] == pytest.approx(math.radians(3 * 360 - 2), abs=0.05)
    assert np.abs(np.diff(turned)).max() <= math.radians(6)
    assert np.abs(np.diff(angles[:, 1:], axis=0)).max() <= math.radians(1)


@settings(max_examples=40, deadline=None)
@given(
    st.text("XYZ", min_size=2, max_size=8),
    st.integers(0, 2**32),
    st.floats(0.3, math.pi),
    st.booleans(),
)
def test_no_chain_ever_jumps_unsaid(word, seed, limit_rad, symmetric):
    generator = np.random.default_rng(seed)
    chain = Chain.from_axes(word, limit_rad=limit_rad)
    solver = Solver(chain, symmetric_endpoint=symmetric)
    posture = generator.uniform(-limit_rad, limit_rad, chain.dof)
    begin = generator.normal(size=4)
    target = begin / np.linalg.norm(begin)
    degree = from_axis_angle(generator.normal(size=3), math.radians(1.0))
    previous = solver.solve(posture, target)
    for _ in range(25):
        target = multiply(degree, target)
        found = solver.solve(posture, target, previous)
        moved_deg = math.degrees(np.abs(found.angles_rad - previous.angles_rad).max())
        # One degree at rest, two for the target's own, a quarter of a lag of ten at most.
        assert found.switched or moved_deg <= 5.5 + 1e-6
        assert chain.within_limits(found.angles_rad)
        previous = found
