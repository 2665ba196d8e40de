"""Visibility: the closed form against a search, signs, and what the elbow does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from sera.evaluation.emotion.platform_arm import platform_arm
from sera.kinematics import rotations
from sera.kinematics.pose import Pose
from sera.kinematics.visibility import Link, Visibility, nearest_on_link

quick = settings(deadline=None, max_examples=80)
seeds = st.integers(0, 2**32 - 1)
BEFORE = Pose(np.array([0.0, 1.3, 3.0]), np.array([0.0, 0.0, 1.0, 0.0]))
"""A camera before the arm that looks back along -z: right in the image is -x."""


def random_scene(rng):
    """A link and a point before a camera, one of the link's ends often very near to it."""
    start, end, point = (rng.normal(size=3) * (1.0, 1.0, 0.0) for _ in range(3))
    start[2], end[2], point[2] = rng.uniform(0.05, 3.0, 3)
    return tuple(start), tuple(end), tuple(point)


def image_distance(start, end, point, share):
    x, y, z = np.array(start) + share * (np.array(end) - np.array(start))
    return math.hypot(x / z - point[0] / point[2], y / z - point[1] / point[2])


def printed_quotient(start, end, point):
    (xm, ym, zm), (rx, ry, rz) = start, point
    nx, ny, nz = np.array(end) - np.array(start)
    above = (
        xm**2 * rz * nz - xm * zm * rx * nz - xm * zm * rz * nx + ym**2 * rz * nz
        - ym * zm * ry * nz - ym * zm * rz * ny + zm**2 * rx * nx + zm**2 * ry * ny
    )  # fmt: skip
    below = (
        xm * rx * nz**2 - xm * rz * nx * nz + ym * ry * nz**2 - ym * rz * ny * nz
        - zm * rx * nx * nz - zm * ry * ny * nz + zm * rz * nx**2 + zm * rz * ny**2
    )  # fmt: skip
    return above / below


@quick
@given(seeds)
def test_the_nearest_point_of_a_link_is_what_a_search_finds(seed):
    scene = random_scene(np.random.default_rng(seed))
    found = nearest_on_link(*scene)
    assert 0.0 <= found <= 1.0
    search = minimize_scalar(
        lambda share: image_distance(*scene, share) ** 2,
        bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12},
    )  # fmt: skip
    best = min((search.x, 0.0, 1.0), key=lambda share: image_distance(*scene, share))
    assert image_distance(*scene, found) <= image_distance(*scene, best) + 1e-12
    # A search by values cannot tell shares apart that differ by less than the root of rounding.
    assert found == pytest.approx(best, abs=1e-6) or image_distance(*scene, found) == pytest.approx(
        image_distance(*scene, best), abs=1e-12
    )


@quick
@given(seeds)
def test_within_the_link_it_is_the_printed_quotient(seed):
    scene = random_scene(np.random.default_rng(seed))
    quotient = printed_quotient(*scene)
    assume(0.0 < quotient < 1.0)
    assert nearest_on_link(*scene) == pytest.approx(quotient, abs=1e-6)


def test_where_the_printed_quotient_is_clipped_to_the_wrong_end_it_is_not():
    start, end, point = (0.0, 0.0, 0.5), (1.0, 0.0, 2.0), (3.0, 0.0, 1.0)
    assert printed_quotient(start, end, point) < 0.0  # its clip is the start
    assert image_distance(start, end, point, 1.0) < image_distance(start, end, point, 0.0)
    assert nearest_on_link(start, end, point) == 1.0


def test_a_link_that_points_at_the_camera_has_one_image():
    assert nearest_on_link((0.1, 0.2, 1.0), (0.2, 0.4, 2.0), (0.5, 0.0, 1.0)) == 0.0


def arm(behind_rad, elbow=0.3):
    """Angles of an arm that is turned from beside to behind: the hand goes behind the shoulder."""
    return np.array([0.0, 0.0, 0.0, behind_rad, elbow, 0.0, 1.5, 0.0, 0.6, 0.0])


def seeing(**settings_given):
    return Visibility(platform_arm(), ("foot", "shoulder", "elbow"), "hand", **settings_given)


def test_a_hand_behind_the_arm_pushes_the_elbow_away_from_its_image():
    sight, tree = seeing(), platform_arm()
    for angle in (3.0, math.tau - 3.0):
        angles = arm(angle)
        view = sight.view(angles, BEFORE)
        assert view.share == pytest.approx(1.0)
        elbow, hand = (tree.pose(angles, name).position_m for name in ("elbow", "hand"))
        # Right in the image is -x: the elbow goes where the hand is not.
        assert view.velocities[0] * (hand[0] - elbow[0]) > 0.0
        assert np.linalg.norm(view.velocities) <= 2.5


def test_the_rows_are_how_the_elbow_moves_across_and_along_the_image():
    sight, tree = seeing(), platform_arm()
    angles, step = arm(3.0), 1e-6
    turn = rotations.multiply(
        BEFORE.orientation_wxyz, rotations.from_rotation_vector([0.1, 0.2, 0.3])
    )
    jacobian, _ = sight.rows(angles, Pose(BEFORE.position_m, turn))
    for column in range(tree.dof):
        one = step * np.eye(tree.dof)[column]
        moved = tree.pose(angles + one, "elbow")[0] - tree.pose(angles - one, "elbow")[0]
        seen = rotations.rotate(rotations.conjugate(turn), moved / (2 * step))
        np.testing.assert_allclose(jacobian[:, column], seen[:2], atol=1e-8)


def test_a_hand_before_the_arm_is_left_alone():
    view = seeing().view(arm(0.05), BEFORE)
    assert view.distances.min() < 0.05  # near in the image all the same
    assert view.share == 0.0
    assert not view.velocities.any()
    assert not view.jacobian.any()


def test_pushes_fade_in_with_the_distance_and_with_the_depth():
    shares = [seeing().view(arm(angle), BEFORE).share for angle in np.linspace(1.2, 3.1, 400)]
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert max(np.diff(shares)) < 0.05
    deep = [seeing(depth_m=depth).view(arm(3.1), BEFORE).share for depth in (0.1, 0.6, 2.0)]
    assert deep[0] > deep[1] > deep[2] > 0.0


def test_a_hand_right_behind_a_link_is_pushed_across_it():
    view = seeing().view(arm(math.pi), BEFORE)
    assert view.distances.min() == pytest.approx(0.0, abs=1e-9)
    assert abs(view.velocities[0]) > 0.5
    assert np.isfinite(view.velocities).all()


def test_what_is_not_before_the_camera_pushes_nothing():
    backwards = Pose(BEFORE.position_m, np.array([1.0, 0.0, 0.0, 0.0]))
    view = seeing().view(arm(math.pi), backwards)
    assert np.isinf(view.distances).all()
    assert view.share == 0.0


def test_a_camera_in_the_middle_of_a_link_sees_the_part_before_it():
    inside = Pose(np.array([0.0, 1.2, 0.05]), BEFORE.orientation_wxyz)
    view = seeing().view(arm(3.0, elbow=-0.4), inside)
    assert np.isfinite(view.distances).any()
    assert np.isfinite(view.velocities).all()


@quick
@given(seeds)
def test_whatever_the_pose_the_rows_are_finite_and_within_their_bounds(seed):
    rng = np.random.default_rng(seed)
    turn = rotations.from_rotation_vector(rng.normal(scale=1.5, size=3))
    camera = Pose(rng.normal(scale=1.5, size=3), turn)
    view = seeing().view(rng.uniform(-2.0, 2.0, 10), camera)
    assert 0.0 <= view.share <= 1.0
    assert np.isfinite(view.jacobian).all()
    assert np.linalg.norm(view.velocities) <= 2.5 + 1e-9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Visibility(platform_arm(), ("foot",), "hand"), "1 points have 0 links"),
        (lambda: Visibility(platform_arm(), ("foot", "elbow"), "hand"), "2 links"),
        (lambda: Visibility(platform_arm(), ("foot", "sholder", "elbow"), "hand"), "shoulder"),
        (lambda: seeing(depth_m=0.0), "above 0"),
        (lambda: Link(0.2, 0.1, 1.0), "larger"),
        (lambda: seeing().view(np.zeros(3), BEFORE), "10"),
        (lambda: seeing().view(np.zeros(10), Pose([0, 0, math.nan], [1, 0, 0, 0])), "camera is at"),
        (lambda: seeing().view(np.zeros(10), Pose([0, 0, 0], [0, 0, 0, 0])), "orientation"),
    ],
)
def test_what_cannot_be_seen_is_refused_with_what_to_do(call, message):
    with pytest.raises(ValueError, match=message):
        call()
