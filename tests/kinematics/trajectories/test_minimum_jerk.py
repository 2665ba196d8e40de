"""Minimum-jerk movements: known values, exact ends, smoothness, least jerk."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.trajectories import CubicSpline, MinimumJerk

quick = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)


def random_move(rng):
    count = rng.integers(1, 8)
    states = rng.normal(scale=2.0, size=(6, count))
    duration = float(rng.uniform(0.05, 8.0))
    move = MinimumJerk(
        states[0],
        states[1],
        duration,
        start_velocity=states[2],
        end_velocity=states[3],
        start_acceleration=states[4],
        end_acceleration=states[5],
    )
    return states, duration, move


def test_from_rest_to_rest_it_is_the_known_polynomial():
    start, end, duration, steps = np.array([0.2, -1.0]), np.array([1.7, 0.5]), 2.5, 50
    move = MinimumJerk(start, end, duration)
    samples = move.sample(steps / duration)
    assert len(samples.times_s) == steps + 1
    k = (np.arange(steps + 1) / steps)[:, np.newaxis]
    change = end - start
    np.testing.assert_allclose(
        samples.position, start + change * (10 * k**3 - 15 * k**4 + 6 * k**5), atol=1e-14
    )
    np.testing.assert_allclose(
        samples.velocity, change / duration * (30 * k**2 - 60 * k**3 + 30 * k**4), atol=1e-13
    )
    np.testing.assert_allclose(
        samples.acceleration, change / duration**2 * (60 * k - 180 * k**2 + 120 * k**3), atol=1e-13
    )


def test_its_midpoint_and_its_peaks_are_where_they_are_known_to_be():
    change, duration = 3.0, 1.6
    move = MinimumJerk(1.0, 1.0 + change, duration)
    assert move.at(duration / 2).position[0] == pytest.approx(1.0 + change / 2, abs=1e-14)
    peaks = move.peaks()
    assert peaks.velocity[0] == pytest.approx(1.875 * change / duration, rel=1e-12)
    assert peaks.acceleration[0] == pytest.approx(5.773502692 * change / duration**2, rel=1e-9)
    assert peaks.jerk[0] == pytest.approx(60.0 * change / duration**3, rel=1e-12)
    for k in (0.5 - math.sqrt(3) / 6, 0.5 + math.sqrt(3) / 6):
        there = abs(move.at(k * duration).acceleration[0])
        assert there == pytest.approx(peaks.acceleration[0], rel=1e-12)


@quick
@given(seeds)
def test_any_states_at_both_ends_are_met(seed):
    states, duration, move = random_move(np.random.default_rng(seed))
    first, last = move.at(0.0), move.at(duration)
    np.testing.assert_array_equal(first.position, states[0])
    np.testing.assert_array_equal(last.position, states[1])
    np.testing.assert_allclose(first.velocity, states[2], rtol=1e-12)
    np.testing.assert_array_equal(last.velocity, states[3])
    np.testing.assert_allclose(first.acceleration, states[4], rtol=1e-12)
    np.testing.assert_array_equal(last.acceleration, states[5])
    # Just before the end the polynomial itself arrives there too.
    near = move.at(duration * (1.0 - 1e-12))
    np.testing.assert_allclose(near.position, states[1], atol=1e-7)
    np.testing.assert_allclose(near.velocity, states[3], atol=1e-5 * (1 + 1 / duration))


@quick
@given(seeds)
def test_velocity_and_acceleration_are_the_derivatives_of_the_position(seed):
    rng = np.random.default_rng(seed)
    _, duration, move = random_move(rng)
    times = rng.uniform(0.01, 0.99, 20) * duration
    step = 1e-5 * duration
    ahead, now, behind = move.at(times + step), move.at(times), move.at(times - step)
    scale = move.peaks()
    velocity = (ahead.position - behind.position) / (2 * step)
    acceleration = (ahead.velocity - behind.velocity) / (2 * step)
    assert np.all(np.abs(velocity - now.velocity) <= 1e-6 * (scale.velocity + 1.0))
    assert np.all(np.abs(acceleration - now.acceleration) <= 1e-6 * (scale.acceleration + 1.0))


def test_no_other_way_from_rest_to_rest_has_less_jerk():
    duration = 1.3

    def jerk_cost(accelerations, times):
        return np.sum(np.diff(accelerations) ** 2 / np.diff(times))

    times = np.linspace(0.0, duration, 2001)
    smooth = MinimumJerk(0.0, 1.0, duration)
    best = jerk_cost(smooth.at(times).acceleration[:, 0], times)
    assert best == pytest.approx(720.0 / duration**5, rel=1e-3)
    cubic = CubicSpline([0.0, duration], [0.0, 1.0])  # begins and ends with a jolt
    jolt = cubic.at(0.0).acceleration[0]
    assert abs(jolt) == pytest.approx(6.0 / duration**2)
    for bump in (0.05, -0.05):  # the same ends, another way
        k = times / duration
        aside = bump * np.gradient(np.gradient(k**3 * (1 - k) ** 3, times), times)
        other = smooth.at(times).acceleration[:, 0] + aside
        assert jerk_cost(other[2:-2], times[2:-2]) > jerk_cost(
            smooth.at(times).acceleration[2:-2, 0], times[2:-2]
        )


def test_movements_in_a_row_join_without_a_jump_and_rest_at_every_knot():
    knots = np.array([[0.0, 0.0], [1.0, -0.5], [0.4, 0.3], [0.0, 0.0]])
    times = np.array([0.0, 0.8, 2.0, 2.5])
    row = MinimumJerk.through(times, knots)
    assert row.smoothness == 2
    for knot, time in zip(knots, times, strict=True):
        state = row.at(time)
        np.testing.assert_array_equal(state.position, knot)
        np.testing.assert_array_equal(state.velocity, [0.0, 0.0])
        np.testing.assert_array_equal(state.acceleration, [0.0, 0.0])
    fine = row.sample(2000.0)
    assert np.max(np.abs(np.diff(fine.acceleration, axis=0))) < 1.01 * row.peaks().jerk.max() / 2000


def test_outside_of_its_time_the_ends_are_held_without_velocity():
    move = MinimumJerk([0.0], [1.0], 1.0, start_velocity=[2.0], end_velocity=[3.0])
    for time, place in ((-0.5, 0.0), (1.5, 1.0)):
        state = move.at(time)
        assert state.position[0] == place
        assert state.velocity[0] == state.acceleration[0] == 0.0


@quick
@given(st.floats(0.01, 20.0), st.floats(0.5, 1000.0))
def test_samples_are_even_and_the_last_one_is_the_end(duration, rate):
    samples = MinimumJerk([0.0], [1.0], duration).sample(rate)
    assert samples.times_s[0] == 0.0
    np.testing.assert_allclose(np.diff(samples.times_s), 1.0 / rate, rtol=1e-6)
    assert samples.position[-1, 0] == 1.0
    assert duration <= samples.times_s[-1] < duration + 1.0 / rate
    assert samples.times_s[-2] < duration


@quick
@given(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(0.1, 20.0))
def test_no_rounding_carries_a_movement_beyond_its_ends(start, end, duration):
    move = MinimumJerk([start], [end], duration)
    positions = move.at(np.linspace(0.0, duration, 3001)).position
    assert positions.min() >= min(start, end)
    assert positions.max() <= max(start, end)


@quick
@given(seeds)
def test_the_shortest_movement_meets_one_limit_and_breaks_none(seed):
    rng = np.random.default_rng(seed)
    start, end = rng.normal(size=(2, 5))
    velocity, acceleration, jerk = (rng.uniform(0.1, 10.0, 5) for _ in range(3))
    move = MinimumJerk.shortest(start, end, velocity, acceleration, jerk)
    use = np.array(move.peaks()) / np.array([velocity, acceleration, jerk])
    assert use.max() <= 1.0
    assert use.max() > 1.0 - 1e-9


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: MinimumJerk([0.0], [1.0], 0.0), "duration is 0.0 s; .* longer than 0 s"),
        (lambda: MinimumJerk([0.0], [1.0], -1.0), "duration is -1.0 s"),
        (lambda: MinimumJerk([0.0], [1.0], math.nan), "duration is nan s"),
        (lambda: MinimumJerk([0.0], [1.0, 2.0], 1.0), r"same joints; their shapes are \(1,\) and"),
        (lambda: MinimumJerk([math.nan], [1.0], 1.0), "start holds a number that is not finite"),
        (lambda: MinimumJerk(["a"], [1.0], 1.0), "start must be numbers"),
        (
            lambda: MinimumJerk([0.0], [1.0], 1.0, end_velocity=[1.0, 2.0]),
            "end velocity has the shape",
        ),
        (lambda: MinimumJerk([0.0], [1.0], 1.0).at(math.nan), "time holds a number"),
        (lambda: MinimumJerk([0.0], [1.0], 1.0).at([[0.0]]), "one time or a row"),
        (lambda: MinimumJerk([0.0], [1.0], 1.0).sample(0.0), "rate is 0.0 Hz"),
        (lambda: MinimumJerk.shortest([0.0], [1.0], 0.0), "limits are above nought"),
        (lambda: MinimumJerk.shortest([1.0], [1.0], 2.0), "nothing to move"),
        (lambda: MinimumJerk.through([0.0, 1.0], [[0.0]]), "1 knots came in for 2 times"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(make, reason):
    with pytest.raises(ValueError, match=reason):
        make()
