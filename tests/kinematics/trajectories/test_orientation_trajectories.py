"""Slerp and squad: shortest arcs, knots met, angular velocity without jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics.trajectories import Slerp, Squad

quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)


def random_knots(rng, least=2, largest_turn=2.5):
    """Knots at most `largest_turn` apart, with signs that mean nothing."""
    count = rng.integers(least, 9)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 1.5, count - 1))])
    knots = [rotations.from_rotation_vector(rng.normal(size=3))]
    for _ in range(count - 1):
        turn = rotations.from_axis_angle(rng.normal(size=3), rng.uniform(0.05, largest_turn))
        knots.append(rotations.multiply(knots[-1], turn))
    return times, np.array(knots) * rng.choice([-1.0, 1.0], (count, 1))


def rates_by_differences(trajectory, times, step=1e-5):
    ahead = trajectory.at(times + step).orientation_wxyz
    behind = trajectory.at(times - step).orientation_wxyz
    turned = rotations.multiply(ahead, rotations.conjugate(behind))
    return rotations.to_rotation_vector(turned) / (2 * step)


def inner_times(rng, times, margin=1e-3):
    parts = rng.uniform(margin, 1.0 - margin, (len(times) - 1, 4))
    return (times[:-1, np.newaxis] + parts * np.diff(times)[:, np.newaxis]).reshape(-1)


def makers():
    return (
        Slerp,
        lambda times, knots: Slerp(times, knots, ease="rest"),
        Squad,
    )


@quick
@given(seeds)
def test_every_knot_is_met_and_orientations_stay_of_length_one(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng)
    for make in makers():
        trajectory = make(times, knots)
        met = trajectory.at(times).orientation_wxyz
        assert np.all(rotations.angle_between(met, knots) < 1e-7)
        between = trajectory.at(inner_times(rng, times)).orientation_wxyz
        np.testing.assert_allclose(np.linalg.norm(between, axis=1), 1.0, atol=1e-12)


@quick
@given(seeds)
def test_angular_velocity_and_acceleration_are_the_derivatives(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng)
    at = inner_times(rng, times)
    for make in makers():
        trajectory = make(times, knots)
        state = trajectory.at(at)
        scale = 1.0 + np.max(np.abs(state.velocity_rad_s))
        np.testing.assert_allclose(
            state.velocity_rad_s, rates_by_differences(trajectory, at), atol=2e-5 * scale
        )
        ahead, behind = trajectory.at(at + 1e-5), trajectory.at(at - 1e-5)
        change = (ahead.velocity_rad_s - behind.velocity_rad_s) / 2e-5
        scale = 1.0 + np.max(np.abs(change))
        np.testing.assert_allclose(state.acceleration_rad_s2, change, atol=1e-4 * scale)


@quick
@given(seeds)
def test_slerp_turns_evenly_along_the_shorter_way(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng, largest_turn=3.0)
    trajectory = Slerp(times, knots)
    turns = rotations.angle_between(knots[:-1], knots[1:])
    middles = 0.5 * (times[1:] + times[:-1])
    state = trajectory.at(middles)
    np.testing.assert_allclose(
        np.linalg.norm(state.velocity_rad_s, axis=1), turns / np.diff(times), rtol=1e-7
    )
    np.testing.assert_allclose(
        rotations.angle_between(knots[:-1], state.orientation_wxyz), turns / 2, atol=1e-7
    )
    np.testing.assert_allclose(
        state.orientation_wxyz,
        np.sign(np.sum(state.orientation_wxyz * knots[:-1], axis=1, keepdims=True))
        * rotations.slerp(knots[:-1], knots[1:], 0.5),
        atol=1e-9,
    )
    fastest = np.max(turns / np.diff(times))
    assert trajectory.peaks().velocity[0] == pytest.approx(fastest, rel=1e-7)


@quick
@given(seeds)
def test_slerp_with_rests_stands_still_at_every_knot(seed):
    times, knots = random_knots(np.random.default_rng(seed))
    trajectory = Slerp(times, knots, ease="rest")
    state = trajectory.at(times)
    np.testing.assert_allclose(state.velocity_rad_s, 0.0, atol=1e-12)
    np.testing.assert_allclose(state.acceleration_rad_s2, 0.0, atol=1e-12)
    dense = trajectory.at(np.linspace(0.0, times[-1], 3001))
    for values, peak in (
        (dense.velocity_rad_s, trajectory.peaks().velocity[0]),
        (dense.acceleration_rad_s2, trajectory.peaks().acceleration[0]),
    ):
        largest = np.max(np.linalg.norm(values, axis=1))
        assert 0.95 * peak < largest <= peak * (1.0 + 1e-12)


@quick
@given(seeds)
def test_squad_keeps_its_angular_velocity_at_knots_of_any_spacing(seed):
    times, knots = random_knots(np.random.default_rng(seed), least=3)
    trajectory = Squad(times, knots)
    before = trajectory.at(times[1:-1] - 1e-9)
    after = trajectory.at(times[1:-1] + 1e-9)
    jump = np.linalg.norm(before.velocity_rad_s - after.velocity_rad_s, axis=1)
    assert np.all(jump < 1e-6 * (1.0 + trajectory.peaks().acceleration[0]))
    ends = trajectory.at([0.0, trajectory.duration_s])
    np.testing.assert_allclose(ends.velocity_rad_s, 0.0, atol=1e-9)


@quick
@given(seeds)
def test_squad_takes_on_the_angular_velocities_it_is_given(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng)
    velocities = rng.uniform(-1.0, 1.0, (len(times), 3))
    trajectory = Squad(times, knots, velocities)
    np.testing.assert_allclose(trajectory.at(times).velocity_rad_s, velocities, atol=1e-9)
    just_before = trajectory.at(times[1:] - 1e-9).velocity_rad_s
    bound = 1e-6 * (1.0 + trajectory.peaks().acceleration[0])
    np.testing.assert_allclose(just_before, velocities[1:], atol=bound)


def test_squad_stays_calm_where_a_slow_arc_meets_a_quick_one():
    knots = rotations.from_axis_angle((0.0, 1.0, 0.0), [0.0, 0.1, 2.5, 2.5, 2.5])
    trajectory = Squad([0.0, 3.0, 3.2, 4.0, 5.0], knots)
    yaw = rotations.to_yaw_pitch_roll(trajectory.at(np.linspace(0.0, 5.0, 2001))[0])[:, 0]
    assert np.all(np.diff(yaw) > -1e-9)  # it never turns back
    held = trajectory.at(np.linspace(3.2, 5.0, 50))
    np.testing.assert_allclose(held.velocity_rad_s, 0.0, atol=1e-9)


def test_squad_with_even_knots_about_one_axis_is_the_cubic_that_is_known():
    angles = np.array([0.0, 0.5, 1.2, 1.0])
    knots = rotations.from_axis_angle((0.0, 1.0, 0.0), angles)
    trajectory = Squad(np.arange(4.0), knots)
    inner = [(angles[2] - angles[0]) / 2, (angles[3] - angles[1]) / 2]
    np.testing.assert_allclose(trajectory.at([1.0, 2.0]).velocity_rad_s[:, 1], inner, atol=1e-12)
    # About one axis squad is the cubic with these velocities at its ends.
    u, change = 0.3, angles[1] - angles[0]
    expected = (3 * u**2 - 2 * u**3) * change + (u**3 - u**2) * inner[0]
    turned = rotations.to_rotation_vector(trajectory.at(u).orientation_wxyz)
    np.testing.assert_allclose(turned, [0.0, expected, 0.0], atol=1e-12)


@quick
@given(seeds)
def test_the_peaks_of_squad_are_those_that_dense_samples_approach(seed):
    times, knots = random_knots(np.random.default_rng(seed))
    trajectory = Squad(times, knots)
    dense = trajectory.at(np.linspace(0.0, times[-1], 5001))
    for values, peak in (
        (dense.velocity_rad_s, trajectory.peaks().velocity[0]),
        (dense.acceleration_rad_s2, trajectory.peaks().acceleration[0]),
    ):
        largest = np.max(np.linalg.norm(values, axis=1))
        assert 0.97 * peak < largest < peak * (1.0 + 1e-4)


def test_standing_still_gives_no_velocity_and_no_nan():
    still = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    for make in makers():
        state = make([0.0, 1.0, 2.0], still).at(np.linspace(0.0, 2.0, 9))
        np.testing.assert_array_equal(state.orientation_wxyz, np.tile(still[0], (9, 1)))
        np.testing.assert_array_equal(state.velocity_rad_s, 0.0)
        np.testing.assert_array_equal(state.acceleration_rad_s2, 0.0)


def test_single_times_samples_and_held_ends_have_the_right_shapes():
    knots = rotations.from_axis_angle((0.0, 1.0, 0.0), [0.0, 1.0])
    trajectory = Slerp([0.0, 2.0], knots)
    assert [part.shape for part in trajectory.at(0.5)] == [(4,), (3,), (3,)]
    samples = trajectory.sample(10.0)
    assert samples.position.shape == (21, 4)
    np.testing.assert_array_equal(samples.position[-1], knots[-1])
    after = trajectory.at(3.0)
    np.testing.assert_array_equal(after.orientation_wxyz, knots[-1])
    np.testing.assert_array_equal(after.velocity_rad_s, 0.0)
    np.testing.assert_array_equal(trajectory.at(-1.0).orientation_wxyz, knots[0])


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Slerp([0.0, 1.0], [[1, 0, 0, 0]]), "2 times need as many orientations"),
        (lambda: Slerp([0.0, 1.0], [[1, 0, 0, 0], [0, 0, 0, 0]]), "length 0"),
        (lambda: Slerp([0.0, 1.0], [[1, 0, 0, 0], [math.nan, 0, 0, 0]]), "not finite"),
        (lambda: Slerp([0.0, 0.0], np.eye(4)[:2]), "both at 0 s"),
        (lambda: Slerp([0.0, -1.0], np.eye(4)[:2]), "comes before"),
        (lambda: Slerp([0.0, 1.0], np.eye(4)[:2], ease="slow"), 'choose "even" or "rest"'),
        (lambda: Squad([0.0, 1.0], np.eye(4)[:2], np.zeros((3, 3))), "angular velocities"),
        (lambda: Squad([0.0, 1.0], np.eye(4)[:2], np.full((2, 3), 9.0)), "knot 1 is 15.6 rad/s"),
        (lambda: Squad([0.0, 1.0], np.eye(4)[:2]).at(math.inf), "time holds"),
        (lambda: Squad([0.0, 1.0], np.eye(4)[:2]).stretched(-1.0), "duration is -1"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(make, reason):
    with pytest.raises(ValueError, match=reason):
        make()
