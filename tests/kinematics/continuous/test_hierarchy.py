"""Levels by the continuous inverse: the document's examples, both enhancements, joint limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.chain import Chain
from sera.kinematics.continuous import (
    ContinuousHierarchy,
    Gate,
    JointLimits,
    Level,
    clamp_error,
    right_continuous_inverse,
)
from sera.kinematics.joints import Joint

quick = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)


def random_levels(rng, joints, depth=3):
    levels = [Level(np.eye(joints), rng.normal(size=joints), rng.choice([0, 1, 0.3, 0.8], joints))]
    for _ in range(depth - 1):
        height = rng.integers(1, joints)
        levels.append(Level(rng.normal(size=(height, joints)), rng.normal(size=height)))
    return levels


@pytest.mark.parametrize(("near", "far"), [(1.0, 3.0), (2.0, -1.0), (-0.5, 4.0)])
def test_what_the_second_level_leaves_can_grow_above_one(near, far):
    levels = [Level(np.eye(2), [0.0, 0.0], [0.0, 1.0]), Level([[near, far]], [0.0])]
    raw = ContinuousHierarchy(2, bounded=False, recursion="document")
    raw.solve(levels)
    assert raw.report[1].greatest_singular == pytest.approx(abs(far / near), abs=1e-9)
    np.testing.assert_allclose(raw.null, [[0.0, -far / near], [0.0, 0.0]], atol=1e-9)
    bounded = ContinuousHierarchy(2, recursion="document")
    bounded.solve(levels)
    assert np.linalg.norm(bounded.null, 2) == pytest.approx(min(1.0, abs(far / near)), abs=1e-9)
    projected = ContinuousHierarchy(2)
    projected.solve(levels)
    np.testing.assert_allclose(projected.null, np.zeros((2, 2)), atol=1e-9)


@pytest.mark.parametrize("recursion", ["projected", "document"])
def test_what_the_second_level_leaves_can_grow_above_one_in_transition(recursion):
    levels = [Level(np.eye(2), [0.0, 0.0], [0.0, 0.5]), Level([[1.0, 10.0]], [0.0])]
    hierarchy = ContinuousHierarchy(2, bounded=False, recursion=recursion)
    hierarchy.solve(levels)
    assert hierarchy.report[1].greatest_singular > 2.0
    assert np.linalg.norm(hierarchy.null, 2) == pytest.approx(
        hierarchy.report[1].greatest_singular, abs=1e-9
    )


def test_one_joint_near_its_end_moves_as_the_document_says():
    gain, share, place, wish = 2.0, 0.4, 0.95, 0.7
    levels = [Level([[1.0]], [-gain * place], [share]), Level([[1.0]], [wish])]
    velocity = ContinuousHierarchy(1).solve(levels)
    assert velocity[0] == pytest.approx((1 - share) * wish - share**2 * gain * place, abs=1e-12)
    assert velocity[0] == pytest.approx(0.116, abs=1e-9)
    stalls = gain * share**2 * place / (1 - share)
    levels[1] = Level([[1.0]], [stalls])
    assert ContinuousHierarchy(1).solve(levels)[0] == pytest.approx(0.0, abs=1e-12)


@quick
@given(seeds, st.sampled_from(["projected", "document"]))
def test_what_is_left_never_grows_above_one_when_bounded(seed, recursion):
    rng = np.random.default_rng(seed)
    joints = int(rng.integers(2, 9))
    hierarchy = ContinuousHierarchy(joints, recursion=recursion)
    levels = random_levels(rng, joints, depth=4)
    for depth in range(1, 5):
        hierarchy.solve(levels[:depth])
        assert np.linalg.norm(hierarchy.null, 2) <= 1.0 + 1e-9


@quick
@given(seeds)
def test_levels_that_are_fully_on_are_a_strict_hierarchy(seed):
    rng = np.random.default_rng(seed)
    sizes, joints = (2, 3, 2), 10
    levels = [Level(rng.normal(size=(m, joints)), rng.normal(size=m)) for m in sizes]
    velocity = ContinuousHierarchy(joints).solve(levels)
    for level in levels:  # seven rows of ten joints: all can be done
        np.testing.assert_allclose(np.asarray(level.jacobian) @ velocity, level.velocity, atol=1e-8)
    expected, free = np.zeros(joints), np.eye(joints)
    for rows, wanted, *_ in levels:
        inverse = np.linalg.pinv(rows @ free)
        expected = expected + inverse @ (wanted - rows @ expected)
        free = free - inverse @ (rows @ free)
    np.testing.assert_allclose(velocity, expected, atol=1e-8)


def test_as_printed_the_third_level_disturbs_the_second_where_the_first_is_on():
    rng = np.random.default_rng(2)
    levels = [Level(rng.normal(size=(2, 8)), rng.normal(size=2)) for _ in range(3)]
    second = np.asarray(levels[1].jacobian)
    for recursion, disturbed in (("document", True), ("projected", False)):
        hierarchy = ContinuousHierarchy(8, recursion=recursion)
        without = second @ hierarchy.solve(levels[:2])
        assert np.allclose(second @ hierarchy.solve(levels), without, atol=1e-9) is not disturbed


@quick
@given(seeds)
def test_the_third_level_makes_up_for_both_levels_above(seed):
    rng = np.random.default_rng(seed)
    joints = 6
    levels = random_levels(rng, joints)
    hierarchy = ContinuousHierarchy(joints)
    two = hierarchy.solve(levels[:2])
    free = hierarchy.null
    rows, wanted, *_ = levels[2]
    expected = two + right_continuous_inverse(rows, free).matrix @ (wanted - rows @ two)
    np.testing.assert_allclose(hierarchy.solve(levels), expected, atol=1e-7)


@quick
@given(seeds, st.floats(0.0, 1.0))
def test_a_lower_level_fades_by_its_own_activations(seed, share):
    rng = np.random.default_rng(seed)
    levels = random_levels(rng, 5, depth=2)
    rows, wanted, *_ = levels[1]
    velocities = []
    for on in (0.0, share, 1.0):
        fading = Level(rows[:1], wanted[:1], [on])
        velocities.append(ContinuousHierarchy(5).solve([levels[0], fading]))
    without, between, with_it = velocities
    np.testing.assert_allclose(without, ContinuousHierarchy(5).solve(levels[:1]), atol=1e-12)
    np.testing.assert_allclose(between, without + share * (with_it - without), atol=1e-9)


def test_rows_of_a_lower_level_are_snapped_and_counted_beyond_the_bound():
    rng = np.random.default_rng(1)
    rows, wanted = rng.normal(size=(4, 6)), rng.normal(size=4)
    top = Level(np.eye(6), np.zeros(6), np.zeros(6))
    hierarchy = ContinuousHierarchy(6, most_in_transition=2)
    found = hierarchy.solve([top, Level(rows, wanted, [0.02, 0.5, 0.4, 0.9])])
    assert hierarchy.report[1].snapped == 2
    assert hierarchy.report[1].partial_inverses == 4
    expected = ContinuousHierarchy(6).solve([top, Level(rows, wanted, [0.0, 0.5, 0.4, 1.0])])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_levels_below_fade_with_the_errors_of_all_levels_above():
    rows = np.eye(3)
    levels = [
        Level(rows[:1], [0.0], errors=(0.0015,)),
        Level(rows[1:2], [1.0], errors=(0.0015, 0.0)),
        Level(rows[2:], [1.0]),
    ]
    hierarchy = ContinuousHierarchy(3)
    np.testing.assert_allclose(hierarchy.solve(levels), [0.0, 0.5, 0.25], atol=1e-12)
    assert [each.share for each in hierarchy.report] == pytest.approx([1.0, 0.5, 0.25])
    np.testing.assert_allclose(ContinuousHierarchy(3, gate=None).solve(levels), [0, 1, 1])


def test_a_gate_watches_place_alone_or_the_largest_error():
    levels = [Level([[1.0, 0.0]], [0.0], errors=(0.0, 0.5)), Level([[0.0, 1.0]], [1.0])]
    assert ContinuousHierarchy(2, gate=Gate(watch="first")).solve(levels)[1] == 1.0
    assert ContinuousHierarchy(2, gate=Gate(watch="largest")).solve(levels)[1] == 0.0


def arm():
    joints = [
        Joint("slide", "prismatic", axis=(1, 0, 0), lower=-5, upper=5),
        Joint("first", lower=-1.0, upper=3.0, parent="slide"),
        Joint("second", lower=-2.0, upper=2.0, parent="first"),
    ]
    return Chain(joints, (0.0, 0.0, 1.0))


def test_joints_are_normalised_by_their_ranges_but_for_free_ones():
    limits = JointLimits(arm(), free=["slide"])
    np.testing.assert_allclose(limits.normalised([0.7, 3.0, -1.0]), [0.7, 1.0, -0.5])
    np.testing.assert_allclose(limits.scaled(np.ones((1, 3))), [[1.0, 2.0, 2.0]])
    np.testing.assert_allclose(limits.unscaled([1.0, 1.0, 1.0]), [1.0, 2.0, 2.0])


def test_a_joint_beyond_its_end_is_driven_back_against_all_other_wishes():
    limits = JointLimits(arm(), free=["slide"])
    hierarchy = ContinuousHierarchy(3)
    for second, expected in ((2.0, -4.0), (2.2, -4.4), (1.0, 4.0)):
        levels = [limits.level([0.0, 1.0, second]), Level(np.eye(3), [0.0, 0.0, 2.0])]
        velocity = limits.unscaled(hierarchy.solve(levels))
        assert velocity[2] == pytest.approx(expected)


def test_errors_are_clamped_in_their_direction():
    np.testing.assert_allclose(clamp_error([3.0, 4.0, 0.0], 0.5), [0.3, 0.4, 0.0])
    np.testing.assert_allclose(clamp_error([0.03, 0.04, 0.0], 0.5), [0.03, 0.04, 0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ContinuousHierarchy(0), "1 or more"),
        (lambda: ContinuousHierarchy(2, most_in_transition=-1), "0 to 16"),
        (
            lambda: ContinuousHierarchy(3).solve([Level(np.eye(2), [0, 0])]),
            "Level 1 has a Jacobian",
        ),
        (lambda: ContinuousHierarchy(2).solve([Level(np.eye(2), [0])]), "Level 1 has a Jacobian"),
        (lambda: ContinuousHierarchy(2).solve([Level(np.eye(2), [0, math.nan])]), "Level 1 wants"),
        (
            lambda: ContinuousHierarchy(1).solve([Level([[1.0]], [0], errors=(math.nan,))]),
            "errors of level 1",
        ),
        (lambda: Gate(start=0.2, end=0.1), "has to end above"),
        (lambda: Gate(watch="both"), "both"),
        (lambda: clamp_error([1.0], 0.0), "above 0"),
        (lambda: clamp_error([math.nan], 1.0), "finite"),
        (lambda: JointLimits(arm(), gain=-1.0), "gain"),
        (lambda: JointLimits(arm(), free=["slid"]), "slide"),
        (lambda: JointLimits(Chain([Joint("stuck", lower=1.0, upper=1.0)])), "no range"),
    ],
)
def test_what_cannot_be_solved_is_refused_with_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()
