"""The recursion over levels: identities of projectors, exact priorities, ranks, caps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.evaluation.emotion.document_pepper import PLATFORM, document_pepper, in_tree
from sera.kinematics.priority import (
    Damping,
    OrientationTask,
    PoseTask,
    PostureTask,
    PriorityController,
    RowsTask,
)
from sera.kinematics.priority._levels import _extend
from sera.kinematics.priority._singular import decompose, inverted

quick = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)
PEPPER = document_pepper()
UNLIMITED = document_pepper(limited=False)
THETA_0 = np.array([0.5, 0.5, 0, 0, 0.637, 0.9, -0.3, 0, 1.1, 1, 0.9, 0.3, 0, -1.1, -1])
THETA_V0 = np.array(
    [0, -0.05, 0, 0, -0.3, 1.57, -0.85, 1.5, 0.1, 1.15, 1.57, 0.85, -1.5, -0.1, -1.15]
)
FREE = {"limits": "none", "damping": Damping.truncated(1e-9)}


def rows_controller(counts, form="strict", **options):
    levels = [[RowsTask(name=f"level {n}", count=count)] for n, count in enumerate(counts)]
    return PriorityController(
        options.pop("tree", UNLIMITED), levels, posture=PostureTask(name="posture", gain=1.0),
        form=form, **(FREE | options),
    )  # fmt: skip


def pinv(matrix):
    return np.linalg.pinv(matrix, rcond=1e-12)


# -- singular values --------------------------------------------------------------------------


@quick
@given(seed=seeds, rows=st.integers(1, 7), width=st.integers(1, 12), rank=st.integers(0, 7))
def test_singular_values_are_those_of_lapack_and_small_ones_as_exact_as_large_ones(
    seed, rows, width, rank
):
    rng = np.random.default_rng(seed)
    rank = min(rank, rows, width)
    matrix = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, width))
    v, u, sizes = matrix.copy(), np.empty((rows, rows)), np.empty(rows)
    decompose(v, u, sizes)
    expected = np.zeros(rows)
    found = np.linalg.svd(matrix, compute_uv=False)
    expected[: len(found)] = found[:rows]
    assert np.allclose(np.sort(sizes)[::-1], expected, atol=1e-12)
    assert np.allclose(u.T @ np.diag(sizes) @ v, matrix, atol=1e-12)
    assert np.allclose(u @ u.T, np.eye(rows), atol=1e-12)
    large = sizes > 1e-9
    assert np.allclose(v[large] @ v[large].T, np.eye(int(large.sum())), atol=1e-9)


@quick
@given(size=st.floats(0, 2), damping=st.floats(0.001, 0.5), near=st.floats(0.001, 1.0))
def test_a_damped_inverse_has_no_jump_and_stays_bounded(size, damping, near):
    value = inverted(size, 0.0, damping, near)
    assert value >= 0.0
    if size >= near:
        assert value == 1.0 / size
    else:
        share = 1.0 - (size / near) ** 2
        assert value <= 0.5 / (damping * math.sqrt(share)) + 1e-9
    beside = inverted(size * (1 + 1e-9), 0.0, damping, near)
    if size > 1e-6:
        assert beside == pytest.approx(value, rel=1e-6)


# -- identities -------------------------------------------------------------------------------


@quick
@given(seed=seeds, first=st.integers(1, 8), second=st.integers(1, 8))
def test_lower_levels_leave_higher_ones_alone_in_both_forms(seed, first, second):
    rng = np.random.default_rng(seed)
    for form in ("strict", "chiaverini"):
        controller = rows_controller((first, second), form)
        wanted = [rng.normal(size=(count, 18)) for count in (first, second)]
        speeds = [rng.normal(size=count) for count in (first, second)]
        for number in range(2):
            controller[f"level {number}"].set_rows(wanted[number], speeds[number])
        controller.start_from(np.zeros(18))
        controller.wish(controller.angles_rad, rng.normal(size=18))
        controller.step(1e-9)
        velocity = controller.velocity_rad_s
        # What the first level does is what it asked for, whatever the others want.
        assert np.allclose(wanted[0] @ velocity, speeds[0], atol=1e-9)
        assert all(level.leak < 1e-10 for level in controller.report.levels)
        n_1 = np.eye(18) - pinv(wanted[0]) @ wanted[0]
        alone = pinv(wanted[0]) @ speeds[0]
        if form == "strict":
            alone = alone + pinv(wanted[1] @ n_1) @ (speeds[1] - wanted[1] @ alone)
        else:
            alone = alone + n_1 @ pinv(wanted[1]) @ speeds[1]
        assert np.allclose(wanted[1] @ velocity, wanted[1] @ alone, atol=1e-8)


@quick
@given(seed=seeds)
def test_the_recursion_is_the_published_one_with_matrices(seed):
    rng = np.random.default_rng(seed)
    counts = (4, 5, 3)
    controller = rows_controller(counts)
    projector, velocity = np.eye(18), np.zeros(18)
    for number, count in enumerate(counts):
        jacobian, wanted = rng.normal(size=(count, 18)), rng.normal(size=count)
        controller[f"level {number}"].set_rows(jacobian, wanted)
        inverse = pinv(jacobian @ projector)
        velocity = velocity + inverse @ (wanted - jacobian @ velocity)
        projector = projector - inverse @ jacobian @ projector
    wish = rng.normal(size=18)
    velocity = velocity + projector @ (wish - velocity)
    controller.start_from(np.zeros(18))
    controller.wish(controller.angles_rad, wish)
    controller.step(1e-9)
    assert np.allclose(controller.velocity_rad_s, velocity, atol=1e-9)


@quick
@given(seed=seeds)
def test_a_dependent_row_is_no_direction_and_does_no_harm(seed):
    rng = np.random.default_rng(seed)
    controller = rows_controller((6, 3))
    jacobian = rng.normal(size=(6, 18))
    jacobian[5] = jacobian[0] - 2.0 * jacobian[3]
    wanted = jacobian @ rng.normal(size=18)
    controller["level 0"].set_rows(jacobian, wanted)
    controller["level 1"].set_rows(jacobian[:3], wanted[:3] + 1.0)  # cannot be had any more
    controller.start_from(np.zeros(18))
    controller.wish(controller.angles_rad, rng.normal(size=18))
    controller.step(1e-9)
    assert controller.report.directions_used == 5
    assert np.allclose(jacobian @ controller.velocity_rad_s, wanted, atol=1e-8)
    assert np.abs(controller.velocity_rad_s).max() < 100.0


# -- Pepper -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pose", [THETA_0, THETA_V0, 0.5 * (THETA_0 + THETA_V0)])
@pytest.mark.parametrize(("locked", "left"), [(PLATFORM, 6), ((), 9)])
def test_peppers_redundancy_is_counted_as_published(pose, locked, left):
    controller = PriorityController(
        PEPPER,
        [
            [PoseTask(name="hand", end_point="right_wrist")],
            [OrientationTask(name="head", end_point="head")],
        ],
        posture=PostureTask(name="posture"), locked=locked, **FREE,
    )  # fmt: skip
    controller.start_from(in_tree(PEPPER, pose))
    hand = PEPPER.pose(controller.angles_rad, "right_wrist")
    controller["hand"].set(hand.position_m, hand.orientation_wxyz)
    controller.step(1e-6)
    assert controller.report.directions_used == 6
    controller["head"].set(orientation_wxyz=(1.0, 0.0, 0.0, 0.0))
    controller.step(1e-6)
    assert controller.report.directions_used == 9
    assert 18 - len(locked) - 9 == left


def test_no_more_directions_are_used_than_there_are_joints():
    memory = np.zeros((4, 3))
    assert _extend(memory[:3], 2, np.ones((2, 3)), 2) == 3
    assert not memory[3].any()


def test_a_level_of_more_rows_than_joints_is_refused():
    with pytest.raises(ValueError, match="Level 1 asks for 19 rows of 18 joints"):
        rows_controller((19,))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.25, 0.0])
def test_rows_of_ones_own_are_held_as_much_as_they_are_switched_on(share):
    controller = rows_controller((1,), tree=PEPPER)
    row, wish = np.zeros((1, 18)), np.zeros(18)
    row[0, 0], wish[0] = 1.0, 0.2
    controller.start_from(np.zeros(18))
    controller.wish(np.zeros(18), wish)
    controller["level 0"].set_rows(row, [0.1])
    controller["level 0"].activation = share
    controller.step(1e-6)
    assert controller.velocity_rad_s[0] == pytest.approx(share * 0.1 + (1.0 - share) * 0.2)
    controller["level 0"].set_rows(row, [0.1])
    controller["level 0"].activation = 1.0
    controller.step(1e-6)
    assert controller.velocity_rad_s[0] == pytest.approx(0.1)


# -- caps -------------------------------------------------------------------------------------


@quick
@given(seed=seeds, size=st.floats(0.1, 100.0))
def test_lower_levels_are_scaled_below_the_caps_and_the_first_is_not(seed, size):
    rng = np.random.default_rng(seed)
    levels = [[RowsTask(name="first", count=3)], [RowsTask(name="second", count=3)]]
    controller = PriorityController(
        PEPPER, levels, posture=PostureTask(name="p", gain=0.0), speed_share=0.8, **FREE
    )
    jacobian = rng.normal(size=(3, 18))
    slow = 0.02 * rng.normal(size=3)
    controller["first"].set_rows(jacobian, slow)
    controller["second"].set_rows(rng.normal(size=(3, 18)), size * rng.normal(size=3))
    controller.start_from(np.zeros(18))
    controller.wish(controller.angles_rad, size * rng.normal(size=18))
    controller.step(1e-9)
    velocity, report = controller.velocity_rad_s, controller.report
    assert np.all(np.abs(velocity) <= 0.8 * PEPPER.velocity_limits + 1e-9)
    assert np.allclose(jacobian @ velocity, slow, atol=1e-9)
    assert 0.0 <= report.levels[1].scale <= 1.0
    assert report.too_fast == ()


def test_a_first_level_that_asks_for_too_much_is_done_more_slowly_and_the_joint_is_named():
    controller = rows_controller((1,), tree=PEPPER)
    row = np.zeros((1, 18))
    row[0, [PEPPER.index("HeadYaw"), PEPPER.index("LWristYaw")]] = 1.0, 0.5
    controller["level 0"].set_rows(row, [50.0])
    controller.start_from(np.zeros(18))
    controller.step(1e-6)
    velocity = controller.velocity_rad_s
    assert velocity[PEPPER.index("HeadYaw")] == pytest.approx(7.33998)
    assert velocity[PEPPER.index("LWristYaw")] == pytest.approx(0.5 * 7.33998)  # the same way
    assert controller.report.too_fast == ("HeadYaw",)
    assert controller.report.levels[0].scale == pytest.approx(7.33998 / 40.0)
