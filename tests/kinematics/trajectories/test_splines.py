"""Splines: they pass their knots, are as smooth as they say, and keep to their tangents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.interpolate
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.trajectories import CubicSpline, QuinticSpline

quick = settings(deadline=None, max_examples=40)
seeds = st.integers(0, 2**32 - 1)


def random_knots(rng, least=2):
    count, joints = rng.integers(least, 12), rng.integers(1, 5)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.1, 2.0, count - 1))])
    return times, rng.normal(size=(count, joints))


def all_splines(times, knots):
    return [
        CubicSpline(times, knots),
        CubicSpline(times, knots, ends="free"),
        CubicSpline(times, knots, tangents="catmull-rom"),
        CubicSpline(times, knots, tangents="catmull-rom", ends="free"),
        CubicSpline(times, knots, tangents=np.ones_like(knots)),
        QuinticSpline(times, knots),
        QuinticSpline(times, knots, np.ones_like(knots), -np.ones_like(knots)),
    ]


@quick
@given(seeds)
def test_every_spline_passes_its_knots_exactly_and_without_a_jump_in_velocity(seed):
    times, knots = random_knots(np.random.default_rng(seed))
    for spline in all_splines(times, knots):
        np.testing.assert_array_equal(spline.at(times).position, knots)
        before, after = spline.at(times[1:-1] - 1e-9), spline.at(times[1:-1])
        peaks = spline.peaks()
        assert np.all(np.abs(before.position - knots[1:-1]) <= 2e-9 * peaks.velocity + 1e-12)
        jump = np.abs(before.velocity - after.velocity)
        assert np.all(jump <= 1e-8 * (peaks.acceleration + 1.0))
        assert spline.at(spline.duration_s).position is not knots


@quick
@given(seeds)
def test_a_smooth_cubic_is_the_one_that_scipy_finds(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng, least=3)
    at = rng.uniform(0.0, times[-1], 50)
    for ends, condition in (("rest", "clamped"), ("free", "natural")):
        ours = CubicSpline(times, knots, ends=ends)
        theirs = scipy.interpolate.CubicSpline(times, knots, bc_type=condition)
        np.testing.assert_allclose(ours.at(at).position, theirs(at), atol=1e-9)
        np.testing.assert_allclose(ours.at(at).velocity, theirs(at, 1), atol=1e-8)
        np.testing.assert_allclose(ours.at(at).acceleration, theirs(at, 2), atol=1e-7)
        assert ours.smoothness == 2


@quick
@given(seeds)
def test_given_tangents_are_the_velocities_at_the_knots(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng)
    velocities, accelerations = rng.normal(size=(2, *knots.shape))
    cubic = CubicSpline(times, knots, tangents=velocities)
    np.testing.assert_allclose(cubic.at(times).velocity, velocities, atol=1e-12)
    quintic = QuinticSpline(times, knots, velocities, accelerations)
    np.testing.assert_allclose(quintic.at(times).velocity, velocities, atol=1e-12)
    np.testing.assert_allclose(quintic.at(times).acceleration, accelerations, atol=1e-10)
    assert quintic.smoothness == 2


def test_catmull_rom_takes_the_mean_slope_and_bends_only_near_a_moved_knot():
    times = np.arange(8.0)
    knots = np.array([0.0, 1.0, 0.0, 2.0, 1.0, 1.0, 3.0, 0.0])
    spline = CubicSpline(times, knots, tangents="catmull-rom")
    np.testing.assert_allclose(
        spline.at(times).velocity[1:-1, 0], (knots[2:] - knots[:-2]) / 2.0, atol=1e-14
    )
    assert spline.at(0.0).velocity[0] == 0.0
    moved = knots.copy()
    moved[6] += 1.0
    other = CubicSpline(times, moved, tangents="catmull-rom")
    early = np.linspace(0.0, 4.0, 50)
    np.testing.assert_array_equal(spline.at(early).position, other.at(early).position)
    assert spline.smoothness == 1


@quick
@given(seeds)
def test_a_quintic_is_smooth_up_to_its_fourth_derivative_and_rests_at_its_ends(seed):
    times, knots = random_knots(np.random.default_rng(seed), least=3)
    spline = QuinticSpline(times, knots)
    for end in (0.0, spline.duration_s):
        np.testing.assert_allclose(spline.at(end).velocity, 0.0, atol=1e-14)
        np.testing.assert_allclose(spline.at(end).acceleration, 0.0, atol=1e-14)
    lengths = np.diff(times)[:, np.newaxis]
    c = spline._coefficients
    for order, factors in ((3, (0, 0, 0, 6, 24, 60)), (4, (0, 0, 0, 0, 24, 120))):
        ends = np.einsum("k,pkj->pj", np.array(factors, dtype=float), c) / lengths**order
        starts = factors[order] * c[:, order] / lengths**order
        scale = np.max(np.abs(ends)) + np.max(np.abs(starts))
        np.testing.assert_allclose(ends[:-1], starts[1:], atol=1e-7 * scale)


@quick
@given(seeds)
def test_no_quintic_with_other_tangents_has_less_jerk(seed):
    rng = np.random.default_rng(seed)
    times, knots = random_knots(rng, least=3)
    best = QuinticSpline(times, knots)
    at_knots = best.at(times)

    def jerk_cost(spline):
        c = spline._coefficients
        j0, j1, j2 = 6.0 * c[:, 3], 24.0 * c[:, 4], 60.0 * c[:, 5]
        squared = j0**2 + j0 * j1 + (j1**2 + 2 * j0 * j2) / 3 + j1 * j2 / 2 + j2**2 / 5
        return np.sum(squared / (np.diff(times) ** 5)[:, np.newaxis])

    velocities, accelerations = at_knots.velocity.copy(), at_knots.acceleration.copy()
    velocities[1:-1] += 0.1 * rng.normal(size=velocities[1:-1].shape)
    accelerations[1:-1] += 0.1 * rng.normal(size=velocities[1:-1].shape)
    other = QuinticSpline(times, knots, velocities, accelerations)
    assert jerk_cost(best) <= jerk_cost(other) * (1.0 + 1e-9)


@quick
@given(seeds)
def test_peaks_and_ranges_are_those_that_dense_samples_approach(seed):
    times, knots = random_knots(np.random.default_rng(seed))
    at = np.concatenate([np.linspace(start, end, 500) for start, end in itertools.pairwise(times)])
    for spline in all_splines(times, knots):
        states, peaks = spline.at(at), spline.peaks()
        lowest, highest = spline.position_range()
        for sampled, exact in (
            (np.abs(states.velocity).max(axis=0), peaks.velocity),
            (np.abs(states.acceleration).max(axis=0), peaks.acceleration),
            (states.position.max(axis=0), highest),
            (-states.position.min(axis=0), -lowest),
        ):
            assert np.all(sampled <= exact + 1e-9 * (1.0 + np.abs(exact)))
            assert np.all(sampled >= exact - 0.02 * (1.0 + np.abs(exact)))


def test_two_knots_and_a_single_joint_written_as_plain_numbers_are_enough():
    spline = CubicSpline([0.0, 2.0], [0.0, 1.0])
    assert spline.dof == 1
    assert spline.at(1.0).position[0] == pytest.approx(0.5)
    assert CubicSpline([0.0, 2.0], [0.0, 1.0], tangents=[1.0, 1.0]).at(0.0).velocity[0] == 1.0
    assert QuinticSpline([0.0, 2.0], [0.0, 1.0]).at(1.0).velocity[0] == pytest.approx(1.875 / 2)


@pytest.mark.parametrize(
    ("times", "knots", "options", "reason"),
    [
        ([0.0], [1.0], {}, "at least two times"),
        ([0.0, 1.0, 1.0], [0.0, 1.0, 2.0], {}, "Knots 2 and 3 are both at 1 s"),
        ([0.0, 2.0, 1.0], [0.0, 1.0, 2.0], {}, "Knot 3 at 1 s comes before knot 2 at 2 s"),
        ([1.0, 2.0], [0.0, 1.0], {}, "first time is 1 s; a trajectory begins at 0 s"),
        ([0.0, np.nan], [0.0, 1.0], {}, "times holds a number"),
        ([0.0, 1.0], [0.0, np.inf], {}, "knots holds a number"),
        ([0.0, 1.0], [0.0, 1.0, 2.0], {}, "3 knots came in for 2 times"),
        ([0.0, 1.0], np.zeros((2, 2, 2)), {}, "rows of joints"),
        ([0.0, 1.0], [0.0, 1.0], {"tangents": "wiggly"}, "no tangents 'wiggly'; choose"),
        ([0.0, 1.0], np.zeros((2, 2)), {"tangents": np.zeros((3, 2))}, "tangents has the shape"),
        ([0.0, 1.0], [0.0, 1.0], {"ends": "loose"}, "ends are 'loose'; choose \"rest\""),
    ],
)
def test_knots_that_make_no_sense_are_refused_with_a_sentence(times, knots, options, reason):
    with pytest.raises(ValueError, match=reason):
        CubicSpline(times, knots, **options)


def test_accelerations_without_velocities_are_refused():
    with pytest.raises(ValueError, match="without velocities"):
        QuinticSpline([0.0, 1.0], [0.0, 1.0], accelerations=[0.0, 0.0])
