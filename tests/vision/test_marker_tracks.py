"""Markers over time: seen, moved, lost and back, steady at rest, one camera and one robot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Frame
from sera.evaluation.perception.printed import Printed, PrintedScene, marker_on_paper
from sera.vision.camera import CameraModel
from sera.vision.marker_overlay import draw_markers
from sera.vision.marker_tracks import (
    MOST_MARKERS,
    Change,
    MarkerTracks,
    TrackSettings,
    frame_of,
    quaternion_of,
)
from sera.vision.markers import MarkerDetector, MarkerId, MarkerInPicture, pattern_of
from sera.vision.placing import PlacingProblem, place_camera, place_robot
from sera.vision.pose_from_marker import compose, inverse, turn_between_deg

VGA = CameraModel(640, 480, 60.0)
CAMERA = Frame.from_degrees((0.0, 1.2, 2.0), yaw_deg=180.0, pitch_deg=20.0)
CARD = MarkerId("aruco_4x4", 17)
SIZE_M = 0.06
STEP_S = 1 / 30


def at(x_m: float = 0.0, z_m: float = 1.0, yaw_deg: float = 0.0) -> Frame:
    """A card in the room, tilted so that the camera sees it well."""
    return Frame.from_degrees((x_m, 0.85, z_m), yaw_deg, -50.0)


def seen(frame: Frame, marker: MarkerId = CARD, tremble_px: float = 0.0, seed: int = 0):
    """Its corners as the camera has them."""
    random = np.random.default_rng(seed)
    half = SIZE_M / 2
    corners = []
    for x, y in ((-half, half), (half, half), (half, -half), (-half, -half)):
        px = VGA.project(CAMERA.to_local(frame.to_room((x, y, 0.0))))
        corners.append(tuple(value + random.normal(0, tremble_px) for value in px))
    return MarkerInPicture(marker, tuple(corners))


def tracks(**settings) -> MarkerTracks:
    return MarkerTracks(VGA, CAMERA, TrackSettings(size_m=SIZE_M, **settings))


def test_a_card_is_seen_once_and_told_again_only_when_it_moves():
    following = tracks()
    told = [c for k in range(60) for c in following.update([seen(at())], k * STEP_S)]
    assert [each.change for each in told] == [Change.SEEN]
    assert told[0].time_s == pytest.approx(STEP_S)
    assert told[0].frame.position_m == pytest.approx(at().position_m, abs=1e-4)
    moved = following.update([seen(at(0.1))], 2.0)
    assert [each.change for each in moved] == [Change.MOVED]
    assert moved[0].frame.position_m == pytest.approx(at(0.1).position_m, abs=1e-4)
    assert following.update([seen(at(0.102))], 2.03) == []


def test_trembling_corners_move_no_card_that_lies_still():
    following = tracks()
    told = []
    for k in range(300):
        told += following.update([seen(at(), tremble_px=0.08, seed=k)], k * STEP_S)
    assert [each.change for each in told][:1] == [Change.SEEN]
    assert len(told) <= 3


def test_a_card_carried_by_hand_is_followed_within_a_centimetre():
    following = tracks()
    path = [at(0.25 * math.sin(k / 20), 1.0 + 0.1 * math.cos(k / 20)) for k in range(120)]
    last = None
    for k, frame in enumerate(path):
        for each in following.update([seen(frame, tremble_px=0.1, seed=k)], k * STEP_S):
            last = each.frame
        if k > 3:
            assert math.dist(last.position_m, frame.position_m) < 0.012


def test_it_is_lost_after_the_patience_and_seen_again_under_the_same_id():
    following = tracks(patience_s=1.0)
    for k in range(3):
        following.update([seen(at())], k * 0.1)
    assert following.update([], 1.1) == []
    (lost,) = following.update([], 1.25)
    assert (lost.change, lost.marker) == (Change.LOST, CARD)
    assert following.present == {}
    back = [c for k in range(3) for c in following.update([seen(at(0.2))], 2 + k * 0.1)]
    assert [(each.change, each.marker) for each in back] == [(Change.SEEN, CARD)]


def test_hidden_for_less_than_the_patience_it_is_not_told_to_be_lost():
    following = tracks(patience_s=1.0)
    told = []
    for k in range(100):
        hidden = 20 <= k < 45
        told += following.update([] if hidden else [seen(at())], k * STEP_S)
    assert [each.change for each in told] == [Change.SEEN]


def test_one_picture_is_no_card():
    following = tracks(confirm=2)
    assert following.update([seen(at())], 0.0) == []
    assert following.update([], 0.1) == []
    assert following.update([], 0.7) == []
    assert following.update([seen(at())], 0.8) == []


def test_a_card_that_was_printed_twice_is_reported_and_the_first_one_goes_on():
    following = tracks()
    for k in range(3):
        following.update([seen(at())], k * 0.1)
    assert following.doubled == ()
    following.update([seen(at(0.3)), seen(at())], 0.4)
    assert following.doubled == (CARD,)
    assert following.present[CARD].position_m == pytest.approx(at().position_m, abs=1e-3)


def test_the_wrong_one_of_two_poses_is_outvoted_by_later_pictures():
    following = tracks()
    wrong = Frame(at().position_m, Frame.from_degrees(yaw_deg=180.0, pitch_deg=0.0).axes)
    following.update([seen(at())], 0.0)
    following._tracks[CARD].frame = wrong
    for k in range(1, 60):
        following.update([seen(at(), tremble_px=0.02, seed=k)], k * STEP_S)
    assert turn_between_deg(following.present[CARD], at()) < 3.0


def test_late_and_wild_times_change_nothing():
    following = tracks()
    for k in range(3):
        following.update([seen(at())], 5 + k * 0.1)
    for time_s in (1.0, math.nan, math.inf, -math.inf):
        assert following.update([], time_s) == []
    assert CARD in following.present


def test_no_flood_of_ids_fills_the_memory():
    following = tracks()
    for k in range(2):
        flood = [seen(at(), MarkerId("aruco_4x4_1000", n)) for n in range(400)]
        following.update(flood, k * 0.1)
    assert len(following.present) == MOST_MARKERS


def test_sizes_of_single_markers_count():
    following = tracks(sizes_m={CARD: 2 * SIZE_M})
    for k in range(2):
        following.update([seen(at())], k * 0.1)
    away_m = math.dist(following.present[CARD].position_m, CAMERA.position_m)
    assert away_m == pytest.approx(2 * math.dist(at().position_m, CAMERA.position_m), rel=1e-3)


@given(st.floats(-180, 180), st.floats(-89, 89), st.floats(-180, 180))
def test_quaternions_go_there_and_back(yaw, pitch, roll):
    frame = Frame.from_degrees((1, 2, 3), yaw, pitch, roll)
    turned = quaternion_of(frame)
    assert math.fsum(v * v for v in turned) == pytest.approx(1.0)
    assert turned[0] >= 0
    assert turn_between_deg(frame_of((1, 2, 3), turned), frame) == pytest.approx(0, abs=1e-4)


def test_half_a_turn_about_the_vertical_is_the_quaternion_of_y():
    assert quaternion_of(Frame.from_degrees(yaw_deg=90)) == pytest.approx(
        (math.sqrt(0.5), 0, math.sqrt(0.5), 0)
    )


def test_pictures_of_a_moving_card_give_its_path_and_the_drawing_shows_it():
    scene, detector, following = PrintedScene(VGA, rays=2), MarkerDetector(), tracks()
    print_, share = marker_on_paper(pattern_of(CARD))
    random = np.random.default_rng(5)
    for k in range(20):
        frame = at(-0.1 + 0.01 * k)
        thing = Printed(print_, SIZE_M * share, compose(inverse(CAMERA), frame))
        picture = scene.draw([thing], blur_px=0.6, noise=3, random=random)
        found = detector.find(picture)
        following.update(found, k * STEP_S)
    assert math.dist(following.present[CARD].position_m, frame.position_m) < 0.01
    drawn = draw_markers(
        picture, found, following.present, camera=CAMERA, names={CARD: "card"}, problem="Dark."
    )
    x, y = (round(value) for value in found[0].corners_px[0])
    green = drawn[y - 2 : y + 3, x - 2 : x + 3].astype(int)
    assert (green[:, :, 1] - green[:, :, 0]).max() > 80
    assert (picture[:, :, 1] == picture[:, :, 0]).all()  # the picture itself stays as it was


ROBOT = Frame.from_degrees((0.2, 0.75, -0.1), yaw_deg=10.0)
CHEST = Frame.from_degrees((0.0, 0.3, 0.08), pitch_deg=-20.0)


def chest_corners(pictures: int, tremble_px: float = 0.05):
    return [
        seen(compose(ROBOT, CHEST), tremble_px=tremble_px, seed=k).corners_px
        for k in range(pictures)
    ]


def test_one_marker_on_the_robot_tells_where_the_camera_is():
    found = place_camera(chest_corners(40), SIZE_M, VGA, compose(ROBOT, CHEST), CAMERA)
    assert math.dist(found.frame.position_m, CAMERA.position_m) < 0.05
    assert turn_between_deg(found.frame, CAMERA) < 1.5
    assert found.error_px < 0.1
    assert found.tremble_px == pytest.approx(0.07, abs=0.03)


def test_the_same_marker_tells_where_the_robot_is():
    found = place_robot(
        chest_corners(40), SIZE_M, VGA, camera=CAMERA, marker_on_robot=CHEST, written=ROBOT
    )
    assert math.dist(found.frame.position_m, ROBOT.position_m) < 0.03
    assert turn_between_deg(found.frame, ROBOT) < 1.5


def test_an_unseen_or_moving_marker_places_nothing():
    with pytest.raises(PlacingProblem, match="not seen"):
        place_camera([], SIZE_M, VGA, Frame())
    moving = [*chest_corners(1), seen(at(0.3)).corners_px]
    with pytest.raises(PlacingProblem, match="stand still"):
        place_camera(moving, SIZE_M, VGA, Frame())


def test_a_marker_seen_from_the_front_is_placed_by_what_the_scenario_says_and_that_is_told():
    front = compose(CAMERA, Frame.from_degrees((0.0, 0.0, 2.5), yaw_deg=180.0))
    corners = [seen(front, tremble_px=0.1, seed=3).corners_px]
    found = place_camera(corners, SIZE_M, VGA, front, CAMERA)
    assert any("either way" in remark for remark in found.remarks)
    assert any("pixels wide" in remark for remark in found.remarks)
