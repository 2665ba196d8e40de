"""Time scaling: limits hold everywhere, the path stays, nothing is longer than needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics.trajectories import (
    CubicSpline,
    MinimumJerk,
    QuinticSpline,
    Slerp,
    Squad,
    within_limits,
)

quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)


def random_trajectory(rng):
    count, joints = rng.integers(2, 8), rng.integers(1, 5)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.02, 0.5, count - 1))])
    knots = rng.normal(size=(count, joints))
    kind = rng.integers(4)
    if kind == 0:
        return MinimumJerk(knots[0], knots[1], times[-1], start_velocity=rng.normal(size=joints))
    if kind == 1:
        return MinimumJerk.through(times, knots)
    return CubicSpline(times, knots) if kind == 2 else QuinticSpline(times, knots)


@quick
@given(seeds)
def test_limits_hold_at_every_moment_of_a_dense_sample(seed):
    rng = np.random.default_rng(seed)
    trajectory = random_trajectory(rng)
    velocity, acceleration, jerk = (rng.uniform(0.1, 20.0, trajectory.dof) for _ in range(3))
    limited = within_limits(trajectory, velocity, acceleration, jerk)
    at = np.linspace(0.0, limited.duration_s, 3001)
    states = limited.at(at)
    assert np.all(np.abs(states.velocity) <= velocity)
    assert np.all(np.abs(states.acceleration) <= acceleration)
    # The jerk is what the acceleration does from one moment to the next.
    between = np.abs(np.diff(states.acceleration, axis=0)) / np.diff(at)[:, np.newaxis]
    assert np.all(between <= jerk * (1.0 + 1e-6))


@quick
@given(seeds)
def test_the_path_and_its_ends_stay_as_they_were(seed):
    rng = np.random.default_rng(seed)
    trajectory = random_trajectory(rng)
    limited = within_limits(trajectory, velocity=0.05)
    fractions = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(
        limited.at(fractions * limited.duration_s).position,
        trajectory.at(fractions * trajectory.duration_s).position,
        atol=1e-9,
    )
    for end in (0.0, 1.0):
        np.testing.assert_array_equal(
            limited.at(end * limited.duration_s).position,
            trajectory.at(end * trajectory.duration_s).position,
        )
    assert type(limited) is type(trajectory)


@quick
@given(seeds)
def test_it_takes_no_longer_than_a_limit_needs(seed):
    rng = np.random.default_rng(seed)
    trajectory = random_trajectory(rng)
    limits = [rng.uniform(0.01, 50.0, trajectory.dof) for _ in range(3)]
    fast = within_limits(trajectory, *limits, speed_up=True)
    use = np.array(fast.peaks()) / np.array(limits)
    assert 1.0 - 1e-6 < use.max() <= 1.0
    kept = within_limits(trajectory, *limits)
    assert kept.duration_s >= trajectory.duration_s
    if kept is not trajectory:
        assert kept.duration_s == pytest.approx(fast.duration_s)


def test_a_trajectory_within_its_limits_is_handed_back_as_it_is():
    move = MinimumJerk([0.0, 1.0], [1.0, 1.0], 2.0)
    assert within_limits(move, 1.0, 5.0, 60.0) is move
    assert within_limits(move) is move
    assert within_limits(move, velocity=[0.1, 1e9]).duration_s == pytest.approx(18.75)
    assert within_limits(move, velocity=np.inf) is move


@quick
@given(seeds)
def test_orientations_keep_a_limit_of_their_angular_speed(seed):
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.05, 0.6, 4))])
    knots = rotations.from_rotation_vector(rng.normal(size=(5, 3)))
    for trajectory in (Slerp(times, knots, ease="rest"), Squad(times, knots)):
        limited = within_limits(trajectory, velocity=0.8, acceleration=3.0)
        states = limited.at(np.linspace(0.0, limited.duration_s, 2001))
        assert np.max(np.linalg.norm(states.velocity_rad_s, axis=1)) <= 0.8 * (1 + 1e-6)
        assert np.max(np.linalg.norm(states.acceleration_rad_s2, axis=1)) <= 3.0 * (1 + 1e-4)
        met = limited.at(limited.times_s).orientation_wxyz
        assert np.all(rotations.angle_between(met, knots) < 1e-7)
    even = within_limits(Slerp(times, knots), velocity=0.8)
    assert even.peaks().velocity[0] <= 0.8


def test_a_limit_that_no_duration_can_keep_is_refused():
    knots = [0.0, 1.0, 2.5]
    bumpy = CubicSpline([0.0, 1.0, 2.0], knots, tangents="catmull-rom")
    assert within_limits(bumpy, 0.5, 1.0).duration_s > 2.0
    with pytest.raises(
        ValueError, match="limit on the jerk cannot be kept: the acceleration jumps"
    ):
        within_limits(bumpy, jerk=5.0)
    turns = rotations.from_axis_angle((0.0, 1.0, 0.0), knots)
    with pytest.raises(ValueError, match="on the acceleration cannot be kept: the velocity jumps"):
        within_limits(Slerp([0.0, 1.0, 2.0], turns), acceleration=5.0)
    with pytest.raises(ValueError, match="limit on the jerk cannot be kept"):
        within_limits(Squad([0.0, 1.0, 2.0], turns), jerk=5.0)


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (0.0, "velocity limit is 0.0; limits are above nought"),
        (-1.0, "above nought"),
        (np.nan, "above nought"),
        ([1.0, 2.0, 3.0], r"velocity limit has the shape \(3,\)"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limit, reason):
    with pytest.raises(ValueError, match=reason):
        within_limits(MinimumJerk([0.0, 0.0], [1.0, 1.0], 1.0), limit)
