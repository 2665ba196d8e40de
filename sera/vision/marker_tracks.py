"""Markers over time: seen, moved, lost; steady while they lie still, prompt when they are moved.

Design overview: a marker counts as seen when it was found in some pictures within a short while, so
that a chance pattern raises nobody; it counts as lost when it was not found for longer than the
tracker's patience. In between it is reported as moved only when it has left a small ball around the
place that was reported last. Small trembling is smoothed away and large motion is followed at once.

Units and frames: metres and degrees in the scenario's space, seconds of the pictures.
Threading: no locks; one thread at a time. No clock inside: times come with the pictures.
Safety: at most `MOST_MARKERS` are kept. Pictures that come out of order are left out of account.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sera.behaviour.space import Frame, Vector
from sera.vision.markers import MarkerId, MarkerInPicture
from sera.vision.pose_from_marker import Eye, MarkerPose, choose_pose, poses_of, turn_between_deg

MOST_MARKERS = 256
_CONTINUITY_S = 1.0
"""How long the pose before helps to choose between two that fit alike."""
_OUTVOTED = 6
"""After how many pictures more against it than for it the pose before was the wrong one of two."""


class Change(StrEnum):
    """What became of a marker."""

    SEEN = "seen"
    MOVED = "moved"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class MarkerChange:
    """Something to tell others."""

    change: Change
    marker: MarkerId
    frame: Frame
    """Where it is, or was when it was seen last."""
    time_s: float
    """Of the picture."""
    confidence: float = 1.0

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """How it is turned: w, x, y, z."""
        return quaternion_of(self.frame)


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """How patient and how exact the tracker is."""

    size_m: float = 0.05
    """Length of the sides of the black square."""
    sizes_m: Mapping[MarkerId, float] = field(default_factory=dict)
    """The same for markers of another size."""
    patience_s: float = 1.0
    """How long a marker may be hidden before it counts as lost."""
    confirm: int = 2
    """In how many pictures it must be found to count as seen."""
    confirm_within_s: float = 0.5
    deadband_m: float = 0.005
    """Smaller motion than this is not told."""
    deadband_deg: float = 4.0
    """Smaller turns than this are not told."""
    follow_m: float = 0.012
    """A step as large as this is followed at once; smaller ones are smoothed."""
    follow_deg: float = 15.0
    smoothing: float = 0.3
    """What part of a very small step is followed."""
    worst_error_px: float = 4.0
    """Corners that fit a square worse than this are no marker of ours."""


@dataclass(slots=True)
class _Track:
    frame: Frame
    first_s: float
    last_s: float
    found: int = 1
    confirmed: bool = False
    told: Frame | None = None
    against: int = 0


class MarkerTracks:
    """Everything that is known of the markers in view of one camera.

    Args:
        eye: the camera.
        camera: its pose in the scenario's space.
        settings: how patient it is.
    """

    def __init__(self, eye: Eye, camera: Frame, settings: TrackSettings | None = None) -> None:
        self.eye = eye
        self.camera = camera
        self.settings = settings or TrackSettings()
        self.doubled: tuple[MarkerId, ...] = ()
        """Patterns that were there twice in the last picture: somebody printed a card twice."""
        self._tracks: dict[MarkerId, _Track] = {}
        self._latest_s = -math.inf

    @property
    def present(self) -> dict[MarkerId, Frame]:
        """Where the markers are that count as seen."""
        return {m: track.frame for m, track in self._tracks.items() if track.confirmed}

    def update(self, found: Sequence[MarkerInPicture], time_s: float) -> list[MarkerChange]:
        """Take what was found in a picture (nothing at all where it was black); what changed."""
        if not math.isfinite(time_s) or time_s < self._latest_s:
            return []
        self._latest_s = time_s
        counted = Counter(each.marker for each in found)
        self.doubled = tuple(marker for marker, count in counted.items() if count > 1)
        changes: list[MarkerChange] = []
        for marker in counted:
            change = self._found([each for each in found if each.marker == marker], time_s)
            if change is not None:
                changes.append(change)
        return [*changes, *self._forget(time_s)]

    def _found(self, same: Sequence[MarkerInPicture], time_s: float) -> MarkerChange | None:
        marker = same[0].marker
        track = self._tracks.get(marker)
        poses = [self._pose(each, track, time_s) for each in same]
        sound = [pose for pose in poses if pose is not None]
        if not sound:
            return None
        pose = sound[0]
        if track is not None and len(sound) > 1:
            # Of two equal patterns the one that was there before goes on being the marker.
            here_m = track.frame.position_m
            pose = min(sound, key=lambda each: math.dist(each.position_m, here_m))
        if track is None:
            if len(self._tracks) >= MOST_MARKERS:
                return None
            track = self._tracks[marker] = _Track(pose.frame, time_s, time_s)
        else:
            track.frame = self._followed(track.frame, pose.frame)
            track.last_s = time_s
            track.found += 1
        return self._told(marker, track, time_s, pose)

    def _pose(
        self, found: MarkerInPicture, track: _Track | None, time_s: float
    ) -> MarkerPose | None:
        settings = self.settings
        size_m = settings.sizes_m.get(found.marker, settings.size_m)
        recent = track is not None and time_s - track.last_s <= _CONTINUITY_S
        before = track.frame if track is not None and recent else None
        poses = [p.in_room(self.camera) for p in poses_of(found.corners_px, size_m, self.eye)]
        chosen = choose_pose(poses, before)
        if chosen is None or chosen.error_px > settings.worst_error_px:
            return None
        if track is not None:
            # The first picture may have chosen wrongly: later ones outvote it.
            track.against = max(0, track.against + (1 if chosen is not poses[0] else -1))
            if track.against >= _OUTVOTED:
                track.against = 0
                return poses[0]
        return chosen

    def _told(
        self, marker: MarkerId, track: _Track, time_s: float, pose: MarkerPose
    ) -> MarkerChange | None:
        settings = self.settings
        confidence = max(0.5, 1.0 - pose.error_px / (2.0 * settings.worst_error_px))
        if not track.confirmed:
            if track.found < settings.confirm:
                return None
            track.confirmed, track.told = True, track.frame
            return MarkerChange(Change.SEEN, marker, track.frame, time_s, confidence)
        assert track.told is not None
        moved_m = math.dist(track.frame.position_m, track.told.position_m)
        turned_deg = turn_between_deg(track.frame, track.told)
        if moved_m <= settings.deadband_m and turned_deg <= settings.deadband_deg:
            return None
        track.told = track.frame
        return MarkerChange(Change.MOVED, marker, track.frame, time_s, confidence)

    def _forget(self, time_s: float) -> list[MarkerChange]:
        lost: list[MarkerChange] = []
        for marker, track in list(self._tracks.items()):
            unseen_s = time_s - track.last_s
            if track.confirmed and unseen_s > self.settings.patience_s:
                lost.append(MarkerChange(Change.LOST, marker, track.frame, time_s))
                del self._tracks[marker]
            elif not track.confirmed and unseen_s > self.settings.confirm_within_s:
                del self._tracks[marker]
        return lost

    def _followed(self, before: Frame, now: Frame) -> Frame:
        """Between the pose before and the new one: the larger the step, the nearer to the new."""
        settings = self.settings
        step_m = math.dist(before.position_m, now.position_m)
        part = _part(step_m, settings.follow_m, settings.smoothing)
        step_deg = turn_between_deg(before, now)
        turn_part = _part(step_deg, settings.follow_deg, settings.smoothing)
        x, y, z = (
            a + part * (b - a) for a, b in zip(before.position_m, now.position_m, strict=True)
        )
        return frame_of((x, y, z), _between(quaternion_of(before), quaternion_of(now), turn_part))


Quaternion = tuple[float, float, float, float]


def _part(step: float, follow: float, least: float) -> float:
    return min(1.0, max(least, step / follow))


def _between(first: Quaternion, second: Quaternion, part: float) -> Quaternion:
    sign = 1.0 if sum(a * b for a, b in zip(first, second, strict=True)) >= 0.0 else -1.0
    w, x, y, z = (a + part * (sign * b - a) for a, b in zip(first, second, strict=True))
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length) if length > 1e-9 else second


def quaternion_of(frame: Frame) -> Quaternion:
    """How a frame is turned, as a unit quaternion w, x, y, z with w not below nought."""
    (a, b, c), (d, e, f), (g, h, i) = frame.axes
    # The largest of the four is taken from the diagonal, so that nothing small is divided by.
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    largest = max(range(4), key=squares.__getitem__)
    rows = (
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], b + d, c + g),
        (c - g, b + d, squares[2], f + h),
        (d - b, c + g, f + h, squares[3]),
    )
    row = rows[largest]
    length = math.sqrt(sum(value * value for value in row))
    sign = -1.0 if row[0] < 0 else 1.0
    w, x, y, z = (sign * value / length for value in row)
    return (w, x, y, z)


def frame_of(position_m: Vector, turned: Quaternion) -> Frame:
    """A frame from its place and a unit quaternion."""
    w, x, y, z = turned
    axes = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return Frame(position_m, axes)


__all__ = [
    "MOST_MARKERS",
    "Change",
    "MarkerChange",
    "MarkerTracks",
    "TrackSettings",
    "frame_of",
    "quaternion_of",
]
