"""Inverse kinematics finds what can be reached, within the limits, and says what cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics._inverse_step import damped_step, settled, solve_symmetric
from sera.kinematics.chain import Chain
from sera.kinematics.inverse import (
    solve_orientation,
    solve_pose,
    solve_pose_batch,
    solve_position,
)
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import angle_between

HALF = math.pi / 2
PANDA = Chain.from_dh(
    [
        (0.0, 0.333, 0.0, 0.0),
        (0.0, 0.0, 0.0, -HALF),
        (0.0, 0.316, 0.0, HALF),
        (0.0, 0.0, 0.0825, HALF),
        (0.0, 0.384, -0.0825, -HALF),
        (0.0, 0.0, 0.0, HALF),
        (0.0, 0.107, 0.088, HALF),
    ],
    modified=True,
    limits_rad=[
        (-2.8973, 2.8973),
        (-1.7628, 1.7628),
        (-2.8973, 2.8973),
        (-3.0718, -0.0698),
        (-2.8973, 2.8973),
        (-0.0175, 3.7525),
        (-2.8973, 2.8973),
    ],
)
PUMA = Chain.from_dh(
    [
        (0.0, 0.6718, 0.0, HALF),
        (0.0, 0.0, 0.4318, 0.0),
        (0.0, 0.15005, 0.0203, -HALF),
        (0.0, 0.4318, 0.0, HALF),
        (0.0, 0.0, 0.0, -HALF),
        (0.0, 0.0, 0.0, 0.0),
    ],
    limits_rad=[
        (-2.7925, 2.7925),
        (-0.7854, 3.9270),
        (-3.9270, 0.7854),
        (-1.9199, 2.9671),
        (-1.7453, 1.7453),
        (-4.6426, 4.6426),
    ],
)


def _random_chain(generator: np.random.Generator, count: int) -> Chain:
    """Any axes, any offsets, any limits, every fourth joint or so a slide."""
    joints = []
    for index in range(count):
        slides = generator.random() < 0.25
        lower, upper = sorted(generator.uniform(-0.4, 0.4, 2) * (1.0 if slides else 7.0))
        joints.append(
            Joint(
                f"joint_{index}",
                JointKind.PRISMATIC if slides else JointKind.REVOLUTE,
                axis=tuple(generator.standard_normal(3)),
                origin_m=tuple(generator.uniform(-0.4, 0.4, 3)),
                lower=lower,
                upper=max(upper, lower + 0.1),
            )
        )
    return Chain(joints, tip_m=generator.uniform(-0.3, 0.3, 3))


def _within(chain: Chain, angles: np.ndarray) -> bool:
    return bool(np.all(angles >= chain.lower_rad) and np.all(angles <= chain.upper_rad))


@pytest.mark.parametrize("chain", [PANDA, PUMA], ids=["seven joints", "six joints"])
def test_every_reachable_pose_is_found_within_the_limits(chain):
    generator = np.random.default_rng(4)
    poses = [chain.pose(generator.uniform(chain.lower_rad, chain.upper_rad)) for _ in range(2000)]
    found = solve_pose_batch(
        chain, [pose.position_m for pose in poses], [pose.orientation_wxyz for pose in poses]
    )
    assert found.converged.all()
    assert all(_within(chain, angles) for angles in found.angles_rad)
    for pose, angles in zip(poses[:100], found.angles_rad, strict=False):
        reached = chain.pose(angles)
        assert np.linalg.norm(reached.position_m - pose.position_m) <= 1.01e-6
        assert angle_between(reached.orientation_wxyz, pose.orientation_wxyz) <= 1.01e-6


@given(seed=st.integers(0, 10_000), count=st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_any_chain_of_one_to_twelve_joints_is_solved(seed, count):
    generator = np.random.default_rng(seed)
    chain = _random_chain(generator, count)
    target = chain.pose(generator.uniform(chain.lower_rad, chain.upper_rad))
    solution = solve_pose(chain, target, restarts=400)
    assert solution.converged
    assert _within(chain, solution.angles_rad)
    reached = chain.pose(solution.angles_rad)
    off = float(np.linalg.norm(reached.position_m - target.position_m))
    assert off == pytest.approx(solution.position_error_m, abs=1e-12)
    assert off <= 1e-6


@given(seed=st.integers(0, 10_000), count=st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_angles_are_within_the_limits_also_where_nothing_is_found(seed, count):
    generator = np.random.default_rng(seed)
    chain = _random_chain(generator, count)
    target = Pose(generator.uniform(-3.0, 3.0, 3), np.array([0.5, 0.5, -0.5, 0.5]))
    start = generator.uniform(-9.0, 9.0, count) if seed % 2 else None
    solution = solve_pose(chain, target, start, restarts=7)
    assert _within(chain, solution.angles_rad)
    reached = chain.pose(solution.angles_rad)
    off = float(np.linalg.norm(reached.position_m - target.position_m))
    assert off == pytest.approx(solution.position_error_m, abs=1e-9)


def test_a_solution_in_the_corner_of_the_limits_is_found():
    target = PUMA.pose([-2.779, -0.208, -3.451, -0.674, -1.724, -0.987])
    assert all(
        solve_pose(PUMA, target, generator=np.random.default_rng(seed)).converged
        for seed in range(20)
    )


def test_a_stretched_arm_reaches_its_target():
    stretched = np.array([0.3, 0.4, -0.2, -0.467, 0.0, 1.6, 0.1])
    target = PANDA.pose(stretched)
    solution = solve_pose(PANDA, target)
    assert solution.converged


def test_a_place_alone_leaves_the_orientation_free():
    target = PANDA.pose([0.4, 0.3, 0.1, -1.9, 0.2, 1.8, 0.5])
    solution = solve_position(PANDA, target.position_m)
    assert solution.converged
    assert solution.orientation_error_rad == 0.0
    reached = PANDA.pose(solution.angles_rad)
    assert np.linalg.norm(reached.position_m - target.position_m) <= 1.01e-6
    assert angle_between(reached.orientation_wxyz, target.orientation_wxyz) > 0.1


def test_an_orientation_alone_leaves_the_place_free():
    chain = Chain.from_axes("YXXZY", limit_rad=HALF)
    target = chain.pose([0.4, 0.3, -0.5, 0.2, 0.6])
    solution = solve_orientation(chain, target.orientation_wxyz)
    assert solution.converged
    assert solution.position_error_m == 0.0
    reached = chain.pose(solution.angles_rad)
    assert angle_between(reached.orientation_wxyz, target.orientation_wxyz) <= 1.01e-6


def test_equal_questions_have_equal_answers():
    target = PANDA.pose([0.4, 0.3, 0.1, -1.9, 0.2, 1.8, 0.5])
    first, second = solve_pose(PANDA, target), solve_pose(PANDA, target)
    assert np.array_equal(first.angles_rad, second.angles_rad)
    other = solve_pose(PANDA, target, generator=np.random.default_rng(3))
    assert other.converged
    assert not np.array_equal(first.angles_rad, other.angles_rad)


def test_a_batch_is_the_same_on_any_number_of_threads_and_begins_like_a_single_call():
    generator = np.random.default_rng(2)
    poses = [PANDA.pose(generator.uniform(PANDA.lower_rad, PANDA.upper_rad)) for _ in range(150)]
    places = np.array([pose.position_m for pose in poses])
    turns = np.array([pose.orientation_wxyz for pose in poses])
    alone = solve_pose_batch(PANDA, places, turns, threads=1)
    shared = solve_pose_batch(PANDA, places, turns, threads=3)
    assert np.array_equal(alone.angles_rad, shared.angles_rad)
    assert np.array_equal(alone.iterations, shared.iterations)
    assert np.array_equal(alone.angles_rad[0], solve_pose(PANDA, poses[0]).angles_rad)


def test_a_batch_of_places_alone_and_of_no_rows_is_solved():
    place = PANDA.pose([0.4, 0.3, 0.1, -1.9, 0.2, 1.8, 0.5]).position_m
    start = np.array([0.2, 0.2, 0.0, -1.5, 0.0, 1.5, 0.0])
    found = solve_pose_batch(PANDA, [place, place], None, starts_rad=[start, start])
    assert found.converged.all()
    assert np.array_equal(found.angles_rad[0], found.angles_rad[1])
    assert np.array_equal(found.angles_rad[0], solve_position(PANDA, place, start).angles_rad)
    assert solve_pose_batch(PANDA, np.empty((0, 3)), None).angles_rad.shape == (0, 7)


def test_a_place_beyond_reach_is_approached_as_far_as_the_arm_stretches():
    chain = Chain.from_axes("YXXZ", limit_rad=HALF)
    solution = solve_position(chain, [0.0, 1.0, 8.0])
    assert not solution.converged
    # The first segment stands upright, three more lie along +Z at its upper end.
    assert solution.position_error_m == pytest.approx(8.0 - 3.0, abs=1e-3)


@given(
    rows=st.integers(1, 9),
    seed=st.integers(0, 1000),
)
@settings(max_examples=25, deadline=None)
def test_the_small_system_is_solved_like_numpy_solves_it(rows, seed):
    generator = np.random.default_rng(seed)
    factor = generator.standard_normal((6, rows))
    matrix = factor @ factor.T + 0.1 * np.eye(6)
    vector = generator.standard_normal(6)
    expected = np.linalg.solve(matrix, vector)
    solve_symmetric(matrix.copy(), vector)
    assert np.allclose(vector, expected, rtol=1e-9, atol=1e-9)


def test_a_joint_at_its_limit_is_left_out_and_the_others_do_its_share():
    jacobian = np.zeros((6, 2))
    jacobian[0] = [1.0, 1.0]
    error = np.array([0.2, 0.0, 0.0, 0.0, 0.0, 0.0])
    limits = np.array([[-1.0, -1.0], [1.0, 1.0]])
    step = np.empty(2)
    damped_step(
        jacobian, error, 1e-12, np.array([1.0, 0.0]), limits, np.ones(2, dtype=np.int64),
        np.zeros(2), np.empty((6, 6)), np.empty(6), step,
    )  # fmt: skip
    assert step == pytest.approx([0.0, 0.2], abs=1e-9)


@given(value=st.floats(-30.0, 30.0), lower=st.floats(-4.0, 0.0), extent=st.floats(0.0, 8.0))
@settings(deadline=None)
def test_an_angle_settles_within_its_limits_a_whole_turn_away_where_possible(value, lower, extent):
    upper = lower + extent
    inside = settled(value, lower, upper, True)
    assert lower <= inside <= upper
    if extent >= math.tau:
        assert math.sin(0.5 * (inside - value)) == pytest.approx(0.0, abs=1e-9)
    assert settled(value, lower, upper, False) == min(max(value, lower), upper)


@pytest.mark.parametrize(
    ("position", "orientation", "sentence"),
    [
        ([0.0, math.nan, 0.0], [1.0, 0.0, 0.0, 0.0], "finite"),
        ([0.0, 0.0], [1.0, 0.0, 0.0, 0.0], "three numbers"),
        ([0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0], "length 2"),
        ([0.0, 0.0, 0.0], [math.nan, 0.0, 0.0, 0.0], "length nan"),
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], "four"),
        (["here", 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], "numbers"),
    ],
)
def test_a_target_that_is_none_is_refused_with_a_reason(position, orientation, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_pose(PANDA, Pose(position, orientation))


def test_settings_that_make_no_sense_are_refused():
    target = PANDA.pose(np.zeros(7))
    with pytest.raises(ValueError, match="position_tolerance_m"):
        solve_pose(PANDA, target, position_tolerance_m=0.0)
    with pytest.raises(ValueError, match="restarts"):
        solve_pose(PANDA, target, restarts=-1)
    with pytest.raises(ValueError, match="7 joints"):
        solve_pose(PANDA, target, [0.0, 0.0])
    with pytest.raises(ValueError, match="at least one"):
        solve_pose_batch(PANDA, None, None)
    with pytest.raises(ValueError, match="2 places and 1 orientations"):
        solve_pose_batch(PANDA, np.zeros((2, 3)), [[1.0, 0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="Row 1 of orientations_wxyz"):
        solve_pose_batch(PANDA, None, [[1.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="Row 0 of positions_m"):
        solve_pose_batch(PANDA, [[0.0, math.inf, 0.0]], None)
    with pytest.raises(ValueError, match="threads"):
        solve_pose_batch(PANDA, np.zeros((2, 3)), None, threads=0)
    with pytest.raises(ValueError, match="1 starts"):
        solve_pose_batch(PANDA, np.zeros((2, 3)), None, np.zeros((1, 7)))
