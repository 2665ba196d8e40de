"""From a pixel to a direction and back."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Frame, between_deg
from sera.vision.camera import CameraModel

LENS = CameraModel(
    640,
    480,
    matrix=((520.0, 0.0, 322.0), (0.0, 515.0, 236.0), (0.0, 0.0, 1.0)),
    distortion=(-0.28, 0.09, 0.001, -0.002, -0.01),
)


def test_the_middle_of_the_picture_is_straight_ahead():
    assert CameraModel(640, 480, 60.0).ray(319.5, 239.5) == (0.0, 0.0, 1.0)


def test_the_right_of_the_picture_is_to_the_cameras_right_and_its_top_is_up():
    x, y, z = CameraModel(640, 480, 60.0).ray(500.0, 100.0)
    assert x < 0.0 < y
    assert math.hypot(x, y, z) == pytest.approx(1.0)


def test_the_edges_lie_half_the_field_of_view_aside():
    camera = CameraModel(640, 480, 70.0)
    left, right = camera.ray(-0.5, 239.5), camera.ray(639.5, 239.5)
    assert between_deg(left, right) == pytest.approx(70.0)
    assert left[0] > 0.0 > right[0]


@given(st.floats(0, 639), st.floats(0, 479), st.floats(0.2, 8.0))
def test_what_is_projected_is_seen_where_it_was(x_px, y_px, distance_m):
    for camera in (CameraModel(640, 480, 75.0), LENS):
        ray = camera.ray(x_px, y_px)
        seen = camera.project(tuple(distance_m * value for value in ray))
        assert seen == pytest.approx((x_px, y_px), abs=0.05)


def test_lens_errors_are_those_of_opencv():
    point = (-0.4, 0.25, 1.3)  # along the camera's axes: right and up
    theirs, _ = cv2.projectPoints(
        np.array([[0.4, -0.25, 1.3]]),
        np.zeros(3),
        np.zeros(3),
        np.array(LENS.opencv_matrix()),
        np.array(LENS.distortion),
    )
    assert LENS.project(point) == pytest.approx(tuple(theirs.reshape(2)), abs=1e-6)


def test_a_pose_turns_rays_into_the_room():
    # The camera hangs at 2 m and looks back at the robot.
    pose = Frame.from_degrees((0.0, 2.0, 3.0), yaw_deg=180.0)
    ahead = CameraModel(640, 480).ray(319.5, 239.5)
    assert pose.turn_to_room(ahead) == pytest.approx((0.0, 0.0, -1.0), abs=1e-12)


def test_a_smaller_picture_of_the_same_camera_sees_the_same_directions():
    small = LENS.for_picture(320, 240)
    assert small.ray(0.5 * 400 - 0.25, 0.5 * 100 - 0.25) == pytest.approx(LENS.ray(400.0, 100.0))
    assert LENS.for_picture(640, 480) is LENS


def test_another_shape_is_cut_above_and_below():
    wide = LENS.for_picture(640, 360)
    assert wide.ray(322.0, 236.0 - 60.0) == pytest.approx((0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width_px": 0, "height_px": 480}, "width and height"),
        ({"width_px": 640, "height_px": 480, "fov_deg": 181.0}, "fov_deg = 181"),
        ({"width_px": 640, "height_px": 480, "fov_deg": math.nan}, "fov_deg"),
        ({"width_px": 640, "height_px": 480, "distortion": (0.1,)}, "4, 5 or 8"),
        ({"width_px": 640, "height_px": 480, "matrix": ((0.0,) * 3,) * 3}, "calibrate again"),
    ],
)
def test_what_is_no_camera_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        CameraModel(**arguments)


def test_what_is_behind_the_camera_is_in_no_picture():
    with pytest.raises(ValueError, match="in front"):
        CameraModel(640, 480).project((0.0, 0.0, -1.0))
