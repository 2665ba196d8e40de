"""From a picture to people: find faces, tell them apart, measure where they are and look.

Design overview
    detector → pieces and looks → tracker → landmarks → head pose → smoothing. Landmarks are sought
    only for people who are known, the rest is cheap. Without landmarks (a face seen from the side,
    or Haar in place of the networks) the box tells direction and distance, and nothing is said
    about the head.

Units and frames
    Along the camera's own axes: X to its left, Y up, Z forward, metres. `View` is about the
    picture's own time.

Threading
    One thread at a time; nothing is shared.

Safety
    Any picture is taken. One that cannot be worked on counts as one without faces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from sera.behaviour.space import Vector
from sera.vision.camera import CameraModel
from sera.vision.detection import Detection, overlap, without_doubles
from sera.vision.face_shape import BOX_WIDTH_M
from sera.vision.head_pose import HeadPose, solve_head_pose
from sera.vision.landmarks import LandmarkFinder, appearance, cut_piece
from sera.vision.one_euro import OneEuroFilter
from sera.vision.people_tracker import PeopleTracker, Sighting, Track
from sera.vision.source import Frame, Picture

LEAST_PRESENCE = 0.5


class FaceDetector(Protocol):
    """What finds faces: the networks, or Haar."""

    name: str

    def find(self, picture: Picture, *, search_far: bool = True) -> list[Detection]:
        """Every face that is seen."""

    def near(self, picture: Picture, place: Detection) -> Detection | None:
        """The face at a place, looked at closely."""


@dataclass(frozen=True, slots=True)
class SeenPerson:
    """Somebody in the picture."""

    name: str
    is_new: bool
    face: Detection
    confidence: float
    position_m: Vector
    """The middle between the eyes."""
    forward: Vector | None = None
    """Where the face points; None where it cannot be told."""
    up: Vector | None = None
    """Towards the top of the head."""


@dataclass(frozen=True, slots=True)
class View:
    """What one picture shows."""

    time_s: float
    people: list[SeenPerson] = field(default_factory=list)
    lost: list[tuple[str, float]] = field(default_factory=list)
    """Who is given up, and for how long they were unseen."""
    smoothing_s: float = 0.0
    """How far the filters are behind now, at most."""


class FaceEngine:
    """Works on pictures one after the other.

    Args:
        camera: the inside of the camera; it is scaled to the size of the pictures.
        detector: finds faces.
        landmarks: finds the points of a face; None: directions only.
        tracker: tells people apart.
    """

    def __init__(
        self,
        camera: CameraModel,
        detector: FaceDetector,
        landmarks: LandmarkFinder | None,
        tracker: PeopleTracker | None = None,
    ) -> None:
        self._camera = camera
        self._detector = detector
        self._landmarks = landmarks
        self._tracker = tracker or PeopleTracker()
        self._filters: dict[str, _Filters] = {}
        self._pictures = 0

    def look(self, frame: Frame) -> View:
        """The people of a picture."""
        picture, time_s = frame.picture, frame.time_s
        camera = self._camera.for_picture(picture.shape[1], picture.shape[0])
        step = self._tracker.step(self._sightings(picture, time_s), time_s)
        new = {track.name for track in step.new}
        people = [
            self._measure(picture, camera, track, sighting.face, time_s, is_new=track.name in new)
            for track, sighting in step.seen
        ]
        delay_s = max((self._filters[p.name].delay_s for p in people), default=0.0)
        return View(time_s, people, self._lost(step.lost, time_s), delay_s)

    def wait(self, time_s: float) -> View:
        """Time passed without a picture."""
        return View(time_s, [], self._lost(self._tracker.step([], time_s).lost, time_s))

    def _lost(self, tracks: list[Track], time_s: float) -> list[tuple[str, float]]:
        for track in tracks:
            self._filters.pop(track.name, None)
        return [(track.name, time_s - track.seen_s) for track in tracks]

    def _sightings(self, picture: Picture, time_s: float) -> list[Sighting]:
        # Far people come slowly: looking for them in every second picture is enough.
        self._pictures += 1
        found = self._detector.find(picture, search_far=self._pictures % 2 == 0)
        for place in self._tracker.expected(time_s):
            if all(overlap(place, face) < 0.3 for face in found):
                close = self._detector.near(picture, place)
                found = found if close is None else [*found, close]
        return [
            Sighting(face, appearance(cut_piece(picture, face))) for face in without_doubles(found)
        ]

    def _measure(
        self,
        picture: Picture,
        camera: CameraModel,
        track: Track,
        face: Detection,
        time_s: float,
        *,
        is_new: bool,
    ) -> SeenPerson:
        filters = self._filters.setdefault(track.name, _Filters())
        pose = self._head_pose(picture, camera, face)
        if pose is not None:
            place = pose.position_m
            distance_m = math.hypot(*place)
            ray = (place[0] / distance_m, place[1] / distance_m, place[2] / distance_m)
        else:
            ray = camera.ray(*face.middle_px)
            depth_m = BOX_WIDTH_M * camera.focal_x_px / max(face.size_px, 1.0)
            distance_m = depth_m / max(ray[2], 0.1)
        distance_m = max(0.1, min(15.0, distance_m))
        ray, distance_m = filters.place(ray, distance_m, time_s)
        forward = up = None
        if pose is not None:
            forward, up = filters.head(pose.forward, pose.up, time_s)
        position = (ray[0] * distance_m, ray[1] * distance_m, ray[2] * distance_m)
        return SeenPerson(track.name, is_new, face, face.score, position, forward, up)

    def _head_pose(self, picture: Picture, camera: CameraModel, face: Detection) -> HeadPose | None:
        if self._landmarks is None:
            return None
        points = self._landmarks.find(cut_piece(picture, face))
        if points is None or points.presence < LEAST_PRESENCE:
            return None
        return solve_head_pose(points.points_px, camera)


class _Filters:
    """The smoothing of one person."""

    def __init__(self) -> None:
        # Rays change by about 0.5 a second when somebody walks by at two metres.
        self._ray = OneEuroFilter(rest_hz=3.0, per_speed=20.0)
        self._distance = OneEuroFilter(rest_hz=1.0, per_speed=2.0)
        self._head = OneEuroFilter(rest_hz=2.0, per_speed=4.0)

    @property
    def delay_s(self) -> float:
        return max(self._ray.delay_s, self._head.delay_s)

    def place(self, ray: Vector, distance_m: float, time_s: float) -> tuple[Vector, float]:
        smooth = _unit(self._ray.step(ray, time_s))
        # Errors of a distance grow with it: its logarithm is what has an even noise.
        (logarithm,) = self._distance.step([math.log(distance_m)], time_s)
        return smooth, math.exp(logarithm)

    def head(self, forward: Vector, up: Vector, time_s: float) -> tuple[Vector, Vector]:
        values = self._head.step([*forward, *up], time_s)
        return _unit(values[:3]), _unit(values[3:])


def _unit(values: list[float]) -> Vector:
    x, y, z = values
    length = math.sqrt(x * x + y * y + z * z) or 1.0
    return x / length, y / length, z / length
