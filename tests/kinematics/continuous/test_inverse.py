"""The continuous inverse, left and right, against its definition."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.continuous import continuous_inverse, right_continuous_inverse
from sera.kinematics.priority import Damping

quick = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)


def truncated(matrix, truncate=1e-3):
    left, sizes, right = np.linalg.svd(matrix, full_matrices=False)
    inverse = np.where(sizes >= truncate, 1.0 / np.maximum(sizes, 1e-300), 0.0)
    return right.T @ (inverse[:, None] * left.T)


def by_definition(matrix, activations, truncate=1e-3):
    """All subsets, each by LAPACK."""
    total = np.zeros(matrix.T.shape)
    for chosen in itertools.product((0, 1), repeat=len(matrix)):
        weight = math.prod(h if c else 1 - h for h, c in zip(activations, chosen, strict=True))
        if weight:
            total += weight * truncated(np.diag(chosen) @ matrix, truncate)
    return total


def random_rows(rng):
    """Any shape, now and then with rows that depend on each other, or of nought."""
    rows = rng.normal(size=(rng.integers(1, 8), rng.integers(1, 10)))
    kind = rng.integers(5)
    if kind == 1 and len(rows) > 1:
        rows[-1] = 2.0 * rows[0]
    elif kind == 2 and len(rows) > 2:
        rows[-1] = rows[0] + rows[1] + 1e-5 * rng.normal(size=rows.shape[1])
    elif kind == 3:
        rows[0] = 0.0
    elif kind == 4:
        rows = np.round(rows)
    return rows


def random_activations(rng, count):
    kinds = rng.integers(4, size=count)
    return np.where(kinds == 0, 0.0, np.where(kinds == 1, 1.0, rng.random(count)))


@quick
@given(seeds)
def test_it_is_the_weighed_sum_over_all_subsets(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    activations = random_activations(rng, len(rows))
    expected = by_definition(rows, activations)
    found = continuous_inverse(rows, activations)
    np.testing.assert_allclose(found.matrix, expected, atol=1e-9 * (1 + np.abs(expected).max()))
    assert found.snapped == 0


@quick
@given(seeds)
def test_rows_that_are_on_or_off_give_the_pseudoinverse_of_those_that_are_on(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(6, 10))
    on = rng.integers(2, size=6)
    found = continuous_inverse(rows, on.astype(float))
    np.testing.assert_allclose(found.matrix, np.linalg.pinv(np.diag(on) @ rows), atol=1e-9)
    assert found.partial_inverses == (1 if on.any() else 0)


@quick
@given(seeds, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_two_rows_give_the_printed_sum(seed, first, second):
    rows = np.random.default_rng(seed).normal(size=(2, 4))
    nothing = np.zeros(4)
    printed = (
        first * (1 - second) * np.linalg.pinv(np.array([rows[0], nothing]))
        + (1 - first) * second * np.linalg.pinv(np.array([nothing, rows[1]]))
        + first * second * np.linalg.pinv(rows)
    )
    found = continuous_inverse(rows, [first, second]).matrix
    np.testing.assert_allclose(found, printed, atol=1e-9 * (1 + np.abs(printed).max()))


@quick
@given(seeds, st.floats(1e-8, 1e-4))
def test_a_small_change_of_activations_changes_it_a_little(seed, step):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    near = rng.random(len(rows)) * (1 - step)
    near[rng.random(len(rows)) < 0.3] = 0.0
    ends = near + step * rng.random(len(rows))
    before, after = (continuous_inverse(rows, h).matrix for h in (near, ends))
    # Each activation moves it by no more than the largest partial inverse times two.
    largest = max(
        np.linalg.norm(truncated(np.diag(chosen) @ rows), 2)
        for chosen in itertools.product((0, 1), repeat=len(rows))
    )
    assert np.abs(after - before).max() <= 2 * largest * len(rows) * step + 1e-8 * (1 + largest)


def test_rows_at_right_angles_need_no_sum():
    found = continuous_inverse(np.diag([1.0, 2.0, 4.0]), [0.25, 0.5, 1.0])
    np.testing.assert_allclose(found.matrix, np.diag([0.25, 0.25, 0.25]), atol=1e-15)
    assert found.partial_inverses == 1


def test_small_singular_values_are_left_out_from_where_it_is_told():
    rows = np.array([[1.0, 0.0, 0.0], [1.0, 0.01, 0.0]])
    for truncate in (1e-3, 0.1):
        found = continuous_inverse(rows, [0.5, 0.5], damping=Damping.truncated(truncate)).matrix
        np.testing.assert_allclose(found, by_definition(rows, [0.5, 0.5], truncate), atol=1e-9)
    kept, left_out = (
        np.abs(continuous_inverse(rows, [1, 1], damping=Damping.truncated(limit)).matrix).max()
        for limit in (1e-3, 0.1)
    )
    assert kept > 50
    assert left_out < 1


@quick
@given(seeds, st.sampled_from([0.3, math.inf]))
def test_small_singular_values_of_every_partial_inverse_are_damped_where_asked(seed, near):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng)
    activations = random_activations(rng, len(rows))
    damping = 0.2
    expected = np.zeros(rows.T.shape)
    for chosen in itertools.product((0, 1), repeat=len(rows)):
        weight = math.prod(h if c else 1 - h for h, c in zip(activations, chosen, strict=True))
        left, sizes, right = np.linalg.svd(np.diag(chosen) @ rows, full_matrices=False)
        squares = np.where(sizes < near, damping**2 * (1 - (sizes / near) ** 2), 0.0)
        factors = np.where(sizes > 1e-9, sizes / np.maximum(sizes**2 + squares, 1e-300), 0.0)
        expected += weight * (right.T @ (factors[:, None] * left.T))
    how = Damping(damping=damping, near=near)
    found = continuous_inverse(rows, activations, damping=how).matrix
    np.testing.assert_allclose(found, expected, atol=1e-9 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_the_size_of_the_rows_does_not_matter(size):
    rng = np.random.default_rng(3)
    rows, activations = rng.normal(size=(5, 7)), rng.random(5)
    found = continuous_inverse(
        size * rows, activations, damping=Damping.truncated(1e-6 * size)
    ).matrix
    np.testing.assert_allclose(size * found, by_definition(rows, activations), atol=1e-9)


def test_too_many_rows_in_transition_are_snapped_and_counted():
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(14, 20))
    activations = np.linspace(0.02, 0.98, 14)
    found = continuous_inverse(rows, activations)
    assert (found.snapped, found.partial_inverses) == (4, 2**10)
    settled = activations.copy()
    settled[[0, 1]], settled[[-1, -2]] = 0.0, 1.0
    np.testing.assert_allclose(found.matrix, continuous_inverse(rows, settled).matrix, atol=1e-12)
    none = continuous_inverse(rows, activations, most_in_transition=0)
    assert (none.snapped, none.partial_inverses) == (14, 1)
    np.testing.assert_allclose(none.matrix[:, 7:], np.linalg.pinv(rows[7:]), atol=1e-9)


@quick
@given(seeds)
def test_the_right_inverse_is_the_sum_over_the_singular_vectors_of_the_weight(seed):
    rng = np.random.default_rng(seed)
    height, joints = rng.integers(1, 7), rng.integers(2, 9)
    matrix = rng.normal(size=(height, joints))
    left, _, right = np.linalg.svd(rng.normal(size=(joints, joints)))
    sizes = random_activations(rng, joints)
    found = right_continuous_inverse(matrix, left @ np.diag(sizes) @ right)
    expected = left @ by_definition((matrix @ left).T, sizes).T
    np.testing.assert_allclose(found.matrix, expected, atol=1e-8 * (1 + np.abs(expected).max()))


@quick
@given(seeds)
def test_the_right_inverse_of_a_projector_is_the_pseudoinverse_within_it(seed):
    rng = np.random.default_rng(seed)
    above, rows = rng.normal(size=(3, 9)), rng.normal(size=(4, 9))
    free = np.eye(9) - np.linalg.pinv(above) @ above
    found = right_continuous_inverse(rows, free)
    np.testing.assert_allclose(found.matrix, np.linalg.pinv(rows @ free), atol=1e-8)
    assert found.partial_inverses == 1


def test_threads_do_not_share_their_arrays():
    rng = np.random.default_rng(5)
    jobs = [(rng.normal(size=(6, 10)), rng.random(6)) for _ in range(40)]
    alone = [continuous_inverse(*job).matrix for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: continuous_inverse(*job).matrix, jobs * 5))
    for index, found in enumerate(together):
        np.testing.assert_array_equal(found, alone[index % 40])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: continuous_inverse([[1.0, math.nan]], [1.0]), "not finite"),
        (lambda: continuous_inverse([[1e300, math.inf]], [1.0]), "not finite"),
        (lambda: continuous_inverse([1.0, 2.0], [1.0]), "rows and columns"),
        (lambda: continuous_inverse(np.eye(3), [1.0, 0.5]), "one for each of 3 rows"),
        (lambda: continuous_inverse(np.eye(2), [1.0, 1.5]), "from 0 to 1"),
        (lambda: continuous_inverse(np.eye(2), [1.0, math.nan]), "from 0 to 1"),
        (lambda: continuous_inverse(np.eye(2), [1, 1], most_in_transition=40), "doubles the work"),
        (lambda: right_continuous_inverse(np.ones((1, 3)), np.eye(2)), "takes one of \\(3, 3\\)"),
        (lambda: right_continuous_inverse(np.ones((1, 2)), 2 * np.eye(2)), "singular value of 2"),
    ],
)
def test_what_cannot_be_inverted_is_refused_with_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()
