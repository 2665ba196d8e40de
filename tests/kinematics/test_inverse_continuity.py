"""With a start, a target that moves a little moves the joints a little."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.chain import Chain
from sera.kinematics.inverse import solve_orientation, solve_pose, solve_position
from sera.kinematics.joints import Joint
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import from_axis_angle

ARM = Chain.from_axes("YXXZXY", limit_rad=2.5, lengths_m=[0.3, 0.3, 0.25, 0.1, 0.1, 0.05])
HOME = np.array([0.3, 0.6, 0.9, -0.4, 0.7, 0.2])


def test_a_start_that_already_serves_is_given_back_to_the_last_bit():
    solution = solve_pose(ARM, ARM.pose(HOME), HOME)
    assert solution.converged
    assert np.array_equal(solution.angles_rad, HOME)
    assert (solution.iterations, solution.restarts) == (1, 0)


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_a_small_motion_is_followed_in_small_steps_on_one_branch(seed):
    generator = np.random.default_rng(seed)
    phases = generator.uniform(0.0, math.tau, 6)
    angles = HOME + 0.15 * np.sin(phases)
    before = angles
    for time in np.linspace(0.0, math.tau, 120)[1:]:
        motion = HOME + 0.15 * np.sin(phases + time)
        solution = solve_pose(ARM, ARM.pose(motion), angles)
        assert solution.converged
        assert solution.restarts == 0
        moved = np.abs(solution.angles_rad - angles).max()
        assert moved <= 1.05 * np.abs(motion - before).max() + 1e-5
        angles, before = solution.angles_rad, motion


def test_a_redundant_arm_turns_away_from_its_limits_rather_than_into_them():
    chain = Chain.from_axes("YXXXXXY", limit_rad=1.2, lengths_m=0.2)
    start = np.array([0.0, 1.1, -0.3, -0.3, 0.6, 0.1, 0.0])
    target = chain.pose(start)
    for step in range(1, 41):
        place = target.position_m + np.array([0.0, 0.0, -0.002 * step])
        solution = solve_position(chain, place, start)
        assert solution.converged
        assert solution.restarts == 0
        start = solution.angles_rad
    assert np.abs(start).max() < 1.1


def test_where_a_branch_ends_the_nearest_other_one_is_taken_and_reported():
    # The first joint stops at 1.5 rad: beyond it only the other elbow reaches on.
    chain = Chain.from_axes("ZZ", limit_rad=[(-1.5, 1.5), (-2.5, 2.5)])
    inside = np.array([1.45, -1.0])
    place = Chain.from_axes("ZZ", limit_rad=math.pi).pose([1.6, -1.0]).position_m
    solution = solve_position(chain, place, inside)
    assert solution.converged
    assert solution.restarts > 0
    assert solution.angles_rad == pytest.approx([0.6, 1.0], abs=1e-4)


def test_an_unreachable_target_does_not_make_the_arm_jump():
    far = ARM.pose(HOME)
    angles = HOME
    for step in range(60):
        place = far.position_m + np.array([0.0, 0.0, 0.03 * step])
        solution = solve_pose(ARM, Pose(place, far.orientation_wxyz), angles, restarts=0)
        assert np.abs(solution.angles_rad - angles).max() < 0.6
        angles = solution.angles_rad
    assert not solution.converged


def test_beyond_reach_the_way_from_the_start_is_kept():
    target = Pose(np.array([0.0, 0.5, 9.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    solution = solve_pose(ARM, target, HOME)
    assert not solution.converged
    assert solution.restarts == 0
    assert solution.position_error_m < np.linalg.norm(ARM.pose(HOME).position_m - target.position_m)


def test_a_continuous_joint_goes_on_over_half_a_turn():
    chain = Chain(
        [Joint("turntable", axis=(0.0, 1.0, 0.0), continuous=True)], tip_m=(0.0, 0.0, 1.0)
    )
    angles = np.array([3.0])
    for yaw in np.arange(3.0, 3.6, 0.05):
        solution = solve_orientation(chain, from_axis_angle((0.0, 1.0, 0.0), yaw), angles)
        assert solution.converged
        assert solution.restarts == 0
        assert abs(solution.angles_rad[0]) <= math.pi
        angles = solution.angles_rad
    assert angles[0] == pytest.approx(yaw - math.tau, abs=1e-5)


def test_a_start_beyond_the_limits_is_brought_inside_first():
    solution = solve_pose(ARM, ARM.pose(HOME), HOME + np.array([9.0, 0, 0, 0, 0, 0]))
    assert solution.converged
    assert np.abs(solution.angles_rad).max() <= 2.5


def test_a_start_without_a_slope_is_left_by_looking_around():
    # The arm stands upright and the target lies straight below its tip: no joint sees a way.
    chain = Chain.from_axes("XXX", limit_rad=2.8)
    solution = solve_position(chain, [0.0, 1.0, 0.0], np.zeros(3))
    assert solution.converged
    assert solution.restarts > 0
