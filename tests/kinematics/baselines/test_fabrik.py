"""FABRIK keeps lengths and root, reaches what can be reached and stretches for the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.baselines.fabrik import fabrik
from sera.kinematics.chain import Chain


def _lengths(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(points, axis=0), axis=1)


@given(seed=st.integers(0, 100_000), count=st.integers(1, 12))
@settings(max_examples=80, deadline=None)
def test_lengths_and_root_are_kept_for_any_target(seed, count):
    generator = np.random.default_rng(seed)
    points = np.cumsum(generator.uniform(-0.5, 0.5, (count + 1, 3)), axis=0)
    target = generator.uniform(-3.0, 3.0, 3)
    solution = fabrik(points, target, max_iterations=200)
    assert np.allclose(_lengths(solution.points_m), _lengths(points), atol=1e-12)
    assert np.array_equal(solution.points_m[0], points[0])
    left = float(np.linalg.norm(solution.points_m[-1] - target))
    assert left == pytest.approx(solution.position_error_m, abs=1e-12)
    assert solution.converged == (left <= 1e-6)


@given(seed=st.integers(0, 100_000), count=st.integers(3, 8))
@settings(max_examples=60, deadline=None)
def test_a_place_well_within_reach_is_reached(seed, count):
    generator = np.random.default_rng(seed)
    start = np.cumsum(generator.standard_normal((count + 1, 3)), axis=0)
    steps = np.diff(start, axis=0)
    start[1:] = start[0] + np.cumsum(steps / np.linalg.norm(steps, axis=1)[:, None], axis=0)
    direction = generator.standard_normal(3)
    reach = generator.uniform(0.1, 0.9) * count
    target = start[0] + reach * direction / np.linalg.norm(direction)
    assert fabrik(start, target).converged


def test_a_place_beyond_reach_is_answered_by_the_straight_chain():
    points = Chain.from_axes("YXXZY").joint_positions_m([0.3, 0.5, 0.4, 0.2, 0.1])
    solution = fabrik(points, [0.0, 6.0, 8.0])
    assert not solution.converged
    assert solution.iterations == 0
    straight = np.arange(6)[:, None] * np.array([0.0, 0.6, 0.8])
    assert np.allclose(solution.points_m, straight)
    assert solution.position_error_m == pytest.approx(5.0)


def test_a_chain_that_lies_straight_in_the_line_of_its_target_bends():
    points = np.arange(5)[:, None] * np.array([0.0, 1.0, 0.0])
    solution = fabrik(points, [0.0, 1.5, 0.0])
    assert solution.converged
    assert np.abs(solution.points_m[:, [0, 2]]).max() > 0.1


def test_a_place_nearer_than_the_chain_can_fold_is_missed_by_what_must_be():
    # One long segment and one short: nearer to the root than 0.6 m is out of reach.
    solution = fabrik([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.4, 0.0]], [0.0, 0.2, 0.1])
    assert not solution.converged
    nearest = 0.6 - math.hypot(0.2, 0.1)
    assert solution.position_error_m == pytest.approx(nearest, abs=1e-3)


def test_a_target_already_met_moves_nothing():
    points = Chain.from_axes("YXXZY").joint_positions_m([0.3, 0.5, 0.4, 0.2, 0.1])
    solution = fabrik(points, points[-1])
    assert solution.iterations == 0
    assert np.array_equal(solution.points_m, points)


@pytest.mark.parametrize(
    ("points", "target", "sentence"),
    [
        ([[0.0, 0.0, 0.0]], [0.0, 0.0, 0.0], "two rows"),
        ([[0.0, 0.0], [1.0, 0.0]], [0.0, 0.0, 0.0], "three numbers"),
        ([[0.0, 0.0, 0.0], [math.nan, 0.0, 0.0]], [0.0, 0.0, 0.0], "Row 1"),
        ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.0, 0.0], "three numbers"),
    ],
)
def test_bad_input_is_refused_with_a_reason(points, target, sentence):
    with pytest.raises(ValueError, match=sentence):
        fabrik(points, target)
