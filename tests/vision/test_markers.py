"""Markers in pictures: ids, corners, poses, judged by pictures whose poses are known exactly."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sera.behaviour.space import Frame
from sera.evaluation.perception.printed import Printed, PrintedScene, marker_on_paper
from sera.vision.camera import CameraModel
from sera.vision.markers import (
    FAMILIES,
    MarkerDetector,
    MarkerError,
    MarkerId,
    count_of,
    dictionary_of,
    parse_numbers,
    pattern_of,
)
from sera.vision.pose_from_marker import (
    MarkerPose,
    choose_pose,
    compose,
    inverse,
    poses_of,
    turn_between_deg,
)

VGA = CameraModel(640, 480, 60.0)
WIDE = CameraModel(
    640, 480,
    matrix=((420.0, 0.0, 330.0), (0.0, 422.0, 236.0), (0.0, 0.0, 1.0)),
    distortion=(-0.28, 0.09, 0.001, -0.0008, 0.0),
)  # fmt: skip


def paper(marker: MarkerId, size_m: float, frame: Frame) -> Printed:
    picture, share = marker_on_paper(pattern_of(marker))
    return Printed(picture, size_m * share, frame)


def some_frame(random: np.random.Generator, away_m: float = 1.0, tilt_deg: float = 50.0) -> Frame:
    """Somewhere in view, turned to the camera but for a tilt."""
    yaw, pitch = random.uniform(-tilt_deg, tilt_deg, 2)
    x, y = random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2)
    return Frame.from_degrees((x, y, away_m), 180 + yaw, pitch, random.uniform(-180, 180))


def room_background(random: np.random.Generator) -> np.ndarray:
    """Blotches of all sizes: a cluttered room without markers."""
    coarse = random.integers(0, 255, (12, 16)).astype(np.uint8)
    clutter = cv2.resize(coarse, (640, 480), interpolation=cv2.INTER_CUBIC)
    for _ in range(25):
        x, y = int(random.integers(640)), int(random.integers(480))
        size = int(random.integers(8, 60))
        cv2.rectangle(clutter, (x, y), (x + size, y + size), int(random.integers(255)), -1)
    return clutter


@pytest.mark.parametrize(("camera", "size_m"), [(VGA, 0.05), (VGA, 0.1), (WIDE, 0.08)])
def test_at_one_metre_place_and_turn_are_exact_in_noise_and_blur_and_no_id_is_confused(
    camera, size_m
):
    random = np.random.default_rng(6)
    scene, detector = PrintedScene(camera), MarkerDetector()
    off_m, off_deg, missed = [], [], 0
    for _ in range(40):
        marker, frame = MarkerId("aruco_4x4", int(random.integers(50))), some_frame(random)
        picture = scene.draw(
            [paper(marker, size_m, frame)],
            background=room_background(random),
            blur_px=random.uniform(0.3, 0.9),
            noise=random.uniform(1.0, 6.0),
            light=random.uniform(0.4, 1.0),
            random=random,
        )
        found = detector.find(picture)
        assert [each.marker for each in found] in ([marker], [])
        if not found:
            missed += 1
            continue
        pose = choose_pose(poses_of(found[0].corners_px, size_m, camera))
        assert pose is not None
        off_m.append(math.dist(pose.position_m, frame.position_m))
        off_deg.append(turn_between_deg(pose.frame, frame))
    assert missed <= 2
    assert np.percentile(off_m, 95) <= 0.01
    assert np.percentile(off_deg, 95) <= 3.0


def test_a_marker_that_faces_the_camera_is_upright_and_turned_by_half_a_turn():
    frame = Frame.from_degrees((0.1, -0.05, 0.8), 180.0)
    marker = MarkerId("aruco_4x4", 7)
    (found,) = MarkerDetector().find(PrintedScene(VGA).draw([paper(marker, 0.1, frame)]))
    # +X of the camera is at ITS left, so it appears left of the middle; the marker is upright.
    assert found.centre_px[0] < 320
    assert found.centre_px[1] > 240
    assert found.corners_px[0][0] < found.corners_px[1][0]
    assert found.corners_px[0][1] < found.corners_px[3][1]
    pose = poses_of(found.corners_px, 0.1, VGA)[0]
    assert pose.position_m == pytest.approx((0.1, -0.05, 0.8), abs=0.004)
    assert pose.frame.turn_to_room((0, 0, 1)) == pytest.approx((0, 0, -1), abs=0.05)
    assert pose.frame.turn_to_room((0, 1, 0)) == pytest.approx((0, 1, 0), abs=0.05)


def test_the_pose_in_the_room_follows_from_the_cameras():
    camera = Frame.from_degrees((0.5, 1.4, 2.0), yaw_deg=180.0, pitch_deg=25.0)
    in_room = Frame.from_degrees((0.45, 0.95, 1.1), yaw_deg=0.0, pitch_deg=-70.0)
    in_camera = compose(inverse(camera), in_room)
    marker = MarkerId("aruco_4x4", 3)
    (found,) = MarkerDetector().find(PrintedScene(VGA).draw([paper(marker, 0.1, in_camera)]))
    pose = poses_of(found.corners_px, 0.1, VGA)[0].in_room(camera)
    assert pose.position_m == pytest.approx(in_room.position_m, abs=0.004)
    assert turn_between_deg(pose.frame, in_room) < 1.5


def test_several_families_are_told_apart_in_one_picture():
    families = ("aruco_4x4", "aruco_6x6", "apriltag_36h11")
    markers = [MarkerId(family, 5 + k) for k, family in enumerate(families)]
    things = [
        paper(marker, 0.12, Frame.from_degrees((0.25 * (k - 1), 0.0, 0.9), 180.0))
        for k, marker in enumerate(markers)
    ]
    picture = PrintedScene(VGA).draw(things, noise=2.0, random=np.random.default_rng(1))
    assert {each.marker for each in MarkerDetector(families).find(picture)} == set(markers)
    assert [each.marker for each in MarkerDetector().find(picture)] == markers[:1]


def test_a_room_without_markers_has_none():
    random = np.random.default_rng(3)
    detector = MarkerDetector(["aruco_4x4", "apriltag_36h11"])
    for _ in range(30):
        noisy = room_background(random).astype(float) + random.normal(0, 8, (480, 640))
        assert detector.find(np.clip(noisy, 0, 255).astype(np.uint8)) == []


def test_grey_colour_and_transparent_pictures_serve_and_others_get_a_sentence():
    detector = MarkerDetector()
    picture = PrintedScene(VGA).draw(
        [paper(MarkerId("aruco_4x4", 1), 0.1, Frame.from_degrees((0, 0, 0.7), 180))]
    )
    for fit in (
        picture,
        picture[:, :, 0],
        picture[:, :, :1],
        np.dstack([picture, picture[:, :, 0]]),
    ):
        assert [str(each.marker) for each in detector.find(fit)] == ["aruco_4x4:1"]
    for bad in (picture.astype(np.float32), picture[:0], np.dstack([picture, picture])):
        with pytest.raises(ValueError, match="a picture has"):
            detector.find(bad)


def test_of_two_poses_that_fit_alike_the_one_before_goes_on_and_a_clear_one_wins():
    near, far = Frame.from_degrees(yaw_deg=170), Frame.from_degrees(yaw_deg=190)
    alike = [MarkerPose(near, 0.10), MarkerPose(far, 0.11)]
    assert choose_pose(alike) is alike[0]
    assert choose_pose(alike, far) is alike[1]
    assert choose_pose([MarkerPose(near, 0.1), MarkerPose(far, 0.9)], far).frame is near
    assert choose_pose([]) is None


@pytest.mark.parametrize("size_m", [0.0, -1.0, math.nan, math.inf])
def test_a_size_that_is_none_is_refused(size_m):
    with pytest.raises(ValueError, match="size above 0"):
        poses_of(((0, 0), (10, 0), (10, 10), (0, 10)), size_m, VGA)


@given(st.lists(st.tuples(st.floats(-50, 700), st.floats(-50, 500)), min_size=4, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_four_points_give_sound_poses_or_none(points):
    for pose in poses_of(tuple(points), 0.05, WIDE):
        assert all(math.isfinite(value) for value in pose.position_m)
        assert pose.position_m[2] > 0
        rows = np.array(pose.frame.axes)
        assert np.allclose(rows @ rows.T, np.eye(3), atol=1e-6)
        assert np.linalg.det(rows) == pytest.approx(1.0, abs=1e-6)


@given(st.lists(st.floats(-179, 179), min_size=6, max_size=6))
def test_frames_compose_and_invert(numbers):
    a, b, c, d, e, f = numbers
    first = Frame.from_degrees((a / 90, b / 90, c / 90), d, e / 2, f)
    second = Frame.from_degrees((f / 90, e / 90, d / 90), c, b / 2, a)
    point = (0.3, -0.2, 1.1)
    assert compose(first, second).to_room(point) == pytest.approx(
        first.to_room(second.to_room(point)), abs=1e-9
    )
    back = compose(inverse(first), first)
    assert back.position_m == pytest.approx((0, 0, 0), abs=1e-9)
    assert turn_between_deg(back, Frame()) == pytest.approx(0, abs=1e-5)


@given(st.floats(-180, 180))
def test_the_turn_between_frames_is_the_angle_of_the_turn(angle):
    turned = Frame.from_degrees(roll_deg=angle)
    assert turn_between_deg(Frame(), turned) == pytest.approx(abs(angle), abs=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_the_markers_it_says_and_its_patterns_have_a_black_border(family):
    assert dictionary_of(family).bytesList.shape[0] == count_of(family)
    cells = pattern_of(MarkerId(family, count_of(family) - 1))
    assert cells.shape[0] == cells.shape[1] == dictionary_of(family).markerSize + 2
    border = [cells[0], cells[-1], cells[:, 0], cells[:, -1]]
    assert np.array(border).all()


def test_ids_are_read_as_people_write_them():
    assert MarkerId.parse(" ArUco_4x4:17 ") == MarkerId("aruco_4x4", 17)
    assert MarkerId.parse("17", "apriltag_36h11") == MarkerId("apriltag_36h11", 17)
    assert str(MarkerId("aruco_4x4", 17)) == "aruco_4x4:17"
    assert [m.number for m in parse_numbers("0-3, 7,2", "aruco_4x4")] == [0, 1, 2, 3, 7]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("17", "write its family and number"),
        ("aruco_4x4:50", "numbers 0 to 49"),
        ("aruco_4x:1", "did you mean 'aruco_4x4'"),
        ("aruco_4x4:-1", "write its family and number"),
        ("aruco_4x4:²", "write its family and number"),
        ("", "write its family and number"),
    ],
)
def test_what_is_no_id_gets_a_sentence(text, told):
    with pytest.raises(MarkerError, match=told):
        MarkerId.parse(text)


@example("0\x1f")
@given(st.text(max_size=30))
def test_any_text_is_an_id_or_a_marker_error(text):
    for read in (MarkerId.parse, lambda words: parse_numbers(words, "aruco_4x4")):
        told = ""
        try:
            read(text)
        except MarkerError as error:
            told = str(error)
        assert len(told) < 250
