"""What cameras would see of simulated people: noise, field of view, occlusion, loss, ids.

Design overview
    Each camera sees a head that lies in its picture, is near enough, turns its face to it, and is
    hidden neither by another body nor by a thing. What any camera sees is reported as a tracker
    would: an id after a few pictures, places with noise, a loss after some patience, and a new id
    for who comes back later than that. Without a camera in the scenario everybody is seen.

Units and frames
    Metres and degrees of the scenario's space, seconds.

Threading
    One thread; chance is injected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sera.behaviour.space import Angles, Frame, Vector, between_deg, vector_of

_HEIGHT_OF_PICTURE = 0.75
_BODY_RADIUS_M = 0.2
_HEAD_TOP_M = 0.12
_AHEAD = Angles(0.0, 0.0)


class SenseSettings(BaseModel):
    """How good cameras and microphones are."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    rate_hz: float = Field(default=10.0, gt=0, le=60)
    """Pictures a second."""
    latency_s: float = Field(default=0.06, ge=0, le=5)
    """From a picture to its messages."""
    noise_m: float = Field(default=0.01, ge=0, le=1)
    """Error of places across the line of sight; along it three times as much."""
    noise_deg: float = Field(default=2.0, ge=0, le=45)
    """Error of where a face points."""
    misses_part: float = Field(default=0.02, ge=0, le=1)
    """Part of the pictures in which somebody in view is overlooked."""
    patience_s: float = Field(default=1.0, gt=0)
    """How long somebody may be out of view before being lost."""
    range_m: float = Field(default=6.0, gt=0)
    face_within_deg: float = Field(default=80.0, gt=0, le=180)
    """How far a face may be turned from a camera and still be found."""
    ids: Literal["numbered", "own"] = "numbered"
    """`person_1`, `person_2` … as trackers give them, or the people's own names."""
    confirms_after: int = Field(default=2, ge=1, le=100)
    """In how many pictures a face must be found before it is reported."""
    voices: Literal["auto", "named", "direction", "side", "nothing"] = "auto"
    """What microphones know about a speaker; auto: the direction where the scenario has a pair of
    microphones, the side where they are worn, else the person."""
    sound_hz: float = Field(default=5.0, ge=0, le=50)
    """How often SoundLevel is reported; 0: never."""
    recogniser_s: float = Field(default=0.4, ge=0, le=30)
    """From the end of somebody's words to what was understood."""
    mishears_part: float = Field(default=0.0, ge=0, le=1)
    """Part of the words that are understood as others."""


@dataclass(frozen=True, slots=True)
class SimulatedCamera:
    """A camera of the scenario."""

    frame: Frame
    fov_deg: float

    def frames(self, place_m: Vector) -> bool:
        """Whether a place lies in its picture."""
        x, y, z = self.frame.to_local(place_m)
        half = math.tan(math.radians(0.5 * self.fov_deg))
        return z > 0.0 and abs(x) <= z * half and abs(y) <= z * half * _HEIGHT_OF_PICTURE


@dataclass(frozen=True, slots=True)
class Box:
    """A thing that hides what is behind it, as a box along the axes of the room."""

    centre_m: Vector
    size_m: Vector

    def hides(self, eye_m: Vector, place_m: Vector) -> bool:
        """Whether it stands between the two."""
        first, last = 0.0, 1.0
        for axis in range(3):
            start, way = eye_m[axis], place_m[axis] - eye_m[axis]
            low = self.centre_m[axis] - 0.5 * self.size_m[axis]
            high = self.centre_m[axis] + 0.5 * self.size_m[axis]
            if abs(way) < 1e-12:
                if not low <= start <= high:
                    return False
                continue
            enters, leaves = sorted(((low - start) / way, (high - start) / way))
            first, last = max(first, enters), min(last, leaves)
        return first < last


@dataclass(frozen=True, slots=True)
class Figure:
    """A body as the senses meet it."""

    head_m: Vector
    face: Angles


@dataclass(slots=True)
class _Tracked:
    id: str | None = None
    found: int = 0
    seen_s: float = -math.inf


@dataclass(frozen=True, slots=True)
class Seen:
    """What a tracker says about somebody after a picture."""

    name: str
    id: str
    what: Literal["detected", "moved", "lost"]
    place_m: Vector = (0.0, 0.0, 0.0)
    face: Angles = _AHEAD
    unseen_for_s: float = 0.0


@dataclass(slots=True)
class SimulatedTracker:
    """Cameras and the tracker behind them."""

    settings: SenseSettings
    random: Random
    cameras: Sequence[SimulatedCamera] = ()
    boxes: Sequence[Box] = ()
    _tracked: dict[str, _Tracked] = field(default_factory=dict)
    _given: int = 0

    def id_of(self, name: str) -> str | None:
        """The id that somebody has now; None: nobody sees them."""
        tracked = self._tracked.get(name)
        return None if tracked is None else tracked.id

    def look(self, figures: Mapping[str, Figure], now_s: float) -> list[Seen]:
        """Take a picture."""
        said: list[Seen] = []
        for name in figures:
            self._tracked.setdefault(name, _Tracked())
        for name, tracked in self._tracked.items():
            figure = figures.get(name)
            if figure is not None and self.sees(name, figures) and not self._overlooks():
                said += self._found(name, tracked, figure, now_s)
            elif tracked.id is None:
                tracked.found = 0
            elif now_s - tracked.seen_s > self.settings.patience_s:
                said.append(Seen(name, tracked.id, "lost", unseen_for_s=now_s - tracked.seen_s))
                tracked.id, tracked.found = None, 0
        return said

    def sees(self, name: str, figures: Mapping[str, Figure]) -> bool:
        """Whether any camera could see somebody now."""
        figure = figures[name]
        others = [other.head_m for who, other in figures.items() if who != name]
        return not self.cameras or any(
            self._in_view(camera, figure, others) for camera in self.cameras
        )

    def _in_view(self, camera: SimulatedCamera, figure: Figure, others_m: Iterable[Vector]) -> bool:
        eye_m, head_m = camera.frame.position_m, figure.head_m
        far_m = math.dist(eye_m, head_m)
        if not (0.05 < far_m <= self.settings.range_m and camera.frames(head_m)):
            return False
        towards = (eye_m[0] - head_m[0], eye_m[1] - head_m[1], eye_m[2] - head_m[2])
        if between_deg(vector_of(figure.face), towards) > self.settings.face_within_deg:
            return False
        return not any(box.hides(eye_m, head_m) for box in self.boxes) and not any(
            hides_body(eye_m, head_m, other_m) for other_m in others_m
        )

    def _overlooks(self) -> bool:
        return self.random.random() < self.settings.misses_part

    def _found(self, name: str, tracked: _Tracked, figure: Figure, now_s: float) -> list[Seen]:
        tracked.seen_s = now_s
        tracked.found += 1
        what: Literal["detected", "moved"] = "moved"
        if tracked.id is None:
            if tracked.found < self.settings.confirms_after:
                return []
            self._given += 1
            tracked.id = name if self.settings.ids == "own" else f"person_{self._given}"
            what = "detected"
        return [Seen(name, tracked.id, what, self._measured(figure.head_m), self._aim(figure))]

    def _measured(self, head_m: Vector) -> Vector:
        eye_m = self.cameras[0].frame.position_m if self.cameras else (0.0, head_m[1], 0.0)
        way = [b - a for a, b in zip(eye_m, head_m, strict=True)]
        length, noise = math.hypot(*way) or 1.0, self.settings.noise_m
        along = self.random.gauss(0.0, 2.8 * noise)  # √(1 + 2.8²) is about three
        x, y, z = (
            place + along * part / length + self.random.gauss(0.0, noise)
            for place, part in zip(head_m, way, strict=True)
        )
        return (x, y, z)

    def _aim(self, figure: Figure) -> Angles:
        noise = self.settings.noise_deg
        horizontal = figure.face.horizontal_deg + self.random.gauss(0.0, noise)
        vertical = figure.face.vertical_deg + self.random.gauss(0.0, noise)
        return Angles((horizontal + 180.0) % 360.0 - 180.0, max(-90.0, min(90.0, vertical)))


def hides_body(eye_m: Vector, head_m: Vector, other_m: Vector) -> bool:
    """Whether somebody else stands between an eye and a head."""
    way_x, way_z = head_m[0] - eye_m[0], head_m[2] - eye_m[2]
    squared = way_x**2 + way_z**2
    if squared == 0.0:
        return False
    part = ((other_m[0] - eye_m[0]) * way_x + (other_m[2] - eye_m[2]) * way_z) / squared
    if not 0.0 < part < 1.0:
        return False
    beside_m = math.hypot(
        eye_m[0] + part * way_x - other_m[0], eye_m[2] + part * way_z - other_m[2]
    )
    height_m = eye_m[1] + part * (head_m[1] - eye_m[1])
    return beside_m < _BODY_RADIUS_M and height_m < other_m[1] + _HEAD_TOP_M
