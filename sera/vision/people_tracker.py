"""Which face is whose: stable ids while people move, cross, and are hidden for a moment.

Design overview
    Every track predicts where its face is now (constant velocity that fades while it is unseen).
    Faces are given to tracks all at once, by the least sum of costs: how far from the prediction,
    how different in size, how different in looks. While two people overlap, looks decide and are
    not learnt, since each picture then shows a bit of both. What nobody claims becomes a track of
    its own after a few frames; what is not seen for `lost_after_s` is lost.

Units and frames
    Pixels and seconds; distances count in face sizes, so that near and far people are alike.

Threading
    None. The same input gives the same ids.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sera.vision.detection import Detection, overlap

Look = NDArray[np.float32]

_NEVER = 1e6
_UNMATCHED = 4.0
"""What it costs to leave somebody without a face."""
_GATE_SIZES = 1.2
_GATE_GROWTH_PER_S = 2.5
_GATE_LARGEST_SIZES = 4.0
_LOOK_WEIGHT = 2.0
_STRANGER = 0.75
"""Looks that differ by more are somebody else's, where two people are near each other."""
_SAME = 0.45
"""Looks that differ by less are the same person's, also far from where the track went on."""
_CALM_S = 0.8
_FOLLOW, _ACCELERATE = 0.75, 0.35
_LEARN = 0.12


@dataclass(frozen=True, slots=True)
class Sighting:
    """A face in the newest picture, and what it looks like."""

    face: Detection
    look: Look | None = None


@dataclass(slots=True)
class Track:
    """Somebody who is followed."""

    face: Detection
    """As last seen."""
    seen_s: float
    look: Look | None
    number: int | None = None
    """Counts people; None while it may be a mistake of the detector."""
    velocity_px_s: tuple[float, float] = (0.0, 0.0)
    sightings: int = 1
    crowded: bool = False
    """Somebody else is where this one is."""

    @property
    def name(self) -> str:
        return f"person_{self.number}"

    def predicted(self, time_s: float) -> Detection:
        """Where the face should be now."""
        unseen_s = max(0.0, time_s - self.seen_s)
        # Somebody who is hidden may have stopped: the way goes on, but fades.
        way_s = _CALM_S * (1.0 - math.exp(-unseen_s / _CALM_S)) if unseen_s > 0.15 else unseen_s
        vx, vy = self.velocity_px_s
        return replace(
            self.face, x_px=self.face.x_px + vx * way_s, y_px=self.face.y_px + vy * way_s
        )

    def unlike(self, look: Look | None) -> float:
        """How different it looks: 0 the same, 1 nothing in common."""
        if look is None or self.look is None:
            return 0.3
        return float(1.0 - np.dot(self.look, look))


@dataclass(frozen=True, slots=True)
class Step:
    """What one picture changed."""

    seen: list[tuple[Track, Sighting]] = field(default_factory=list)
    """Known people who were seen, in the order of their numbers."""
    new: list[Track] = field(default_factory=list)
    """Those of them who are new."""
    lost: list[Track] = field(default_factory=list)
    """Who has been unseen for too long."""


class PeopleTracker:
    """Follows up to so many people."""

    def __init__(
        self, *, largest_people: int = 4, lost_after_s: float = 2.0, sure_after: int = 3
    ) -> None:
        self._largest_people = largest_people
        self._lost_after_s = lost_after_s
        self._sure_after = sure_after
        self._tracks: list[Track] = []
        self._count = 0

    @property
    def people(self) -> list[Track]:
        """Everybody who is known, seen or hidden."""
        return [track for track in self._tracks if track.number is not None]

    def expected(self, time_s: float) -> list[Detection]:
        """Where faces should be in a picture of that time, those not yet counted as well."""
        recent = [track for track in self._tracks if time_s - track.seen_s < 1.0]
        return [track.predicted(time_s) for track in recent]

    def step(self, found: list[Sighting], time_s: float) -> Step:
        """Take the faces of a picture, or none at all where only time passed."""
        self._mark_crowds(time_s)
        pairs = _assign(self.people, found, time_s)
        pairs += self._recognise(found, pairs, time_s)
        # Who is not counted yet must not take a face from somebody who is.
        uncounted = [track for track in self._tracks if track.number is None]
        pairs += _assign(uncounted, _left(found, pairs), time_s)
        for track, sighting in pairs:
            self._follow(track, sighting, time_s)
        for sighting in _left(found, pairs):
            self._tracks.append(Track(sighting.face, time_s, sighting.look))
        new = self._confirm([track for track, _ in pairs])
        lost = self._forget(time_s)
        seen = [(track, sighting) for track, sighting in pairs if track.number is not None]
        seen.sort(key=lambda pair: pair[0].number or 0)
        return Step(seen, new, lost)

    def _mark_crowds(self, time_s: float) -> None:
        places = [track.predicted(time_s) for track in self._tracks]
        for index, track in enumerate(self._tracks):
            track.crowded = track.number is not None and any(
                other.number is not None
                and other is not track
                and _near(places[index], places[place], 1.3)
                for place, other in enumerate(self._tracks)
            )

    def _recognise(
        self, found: list[Sighting], pairs: list[tuple[Track, Sighting]], time_s: float
    ) -> list[tuple[Track, Sighting]]:
        """Give faces that came back elsewhere to hidden people who look like them."""
        busy = {id(track) for track, _ in pairs}
        taken = {id(sighting) for _, sighting in pairs}
        candidates = sorted(
            (
                (track.unlike(sighting.look), track.number or 0, place, track, sighting)
                for track in self.people
                if id(track) not in busy and time_s - track.seen_s > 0.1
                for place, sighting in enumerate(found)
                if id(sighting) not in taken and sighting.look is not None
            ),
            key=lambda candidate: candidate[:3],
        )
        again: list[tuple[Track, Sighting]] = []
        for unlike, _, _, track, sighting in candidates:
            free = id(track) not in busy and id(sighting) not in taken
            if free and unlike < _SAME and track.look is not None:
                busy.add(id(track))
                taken.add(id(sighting))
                again.append((track, sighting))
        return again

    def _follow(self, track: Track, sighting: Sighting, time_s: float) -> None:
        passed_s = time_s - track.seen_s
        place, face = track.predicted(time_s), sighting.face
        off_x, off_y = face.x_px - place.x_px, face.y_px - place.y_px
        vx, vy = track.velocity_px_s
        if track.sightings == 1 and passed_s > 0.0:
            vx, vy = 0.5 * off_x / passed_s, 0.5 * off_y / passed_s
        elif passed_s > 0.3:
            vx, vy = 0.5 * vx, 0.5 * vy  # it was hidden: what it did meanwhile is not known
        elif passed_s > 0.0:
            vx, vy = vx + _ACCELERATE * off_x / passed_s, vy + _ACCELERATE * off_y / passed_s
        fastest = 8.0 * face.size_px
        speed = math.hypot(vx, vy)
        if speed > fastest:
            vx, vy = vx * fastest / speed, vy * fastest / speed
        part = _FOLLOW if passed_s < 0.3 else 1.0
        track.velocity_px_s = (vx, vy)
        track.face = replace(face, x_px=place.x_px + part * off_x, y_px=place.y_px + part * off_y)
        track.seen_s = time_s
        track.sightings += 1
        if sighting.look is not None and not track.crowded:
            mixed = sighting.look
            if track.look is not None:
                mixed = track.look + _LEARN * (sighting.look - track.look)
            track.look = np.asarray(mixed / max(float(np.linalg.norm(mixed)), 1e-6), np.float32)

    def _confirm(self, seen: list[Track]) -> list[Track]:
        """Number those who were seen often enough; the nearest first where many come at once."""
        new = []
        ripe = [t for t in seen if t.number is None and t.sightings >= self._sure_after]
        for track in sorted(ripe, key=lambda one: -one.face.size_px):
            if len(self.people) >= self._largest_people:
                break
            self._count += 1
            track.number = self._count
            new.append(track)
        return new

    def _forget(self, time_s: float) -> list[Track]:
        lost = [t for t in self.people if time_s - t.seen_s >= self._lost_after_s - 1e-9]
        self._tracks = [
            track
            for track in self._tracks
            if (track.number is not None and track not in lost)
            or (track.number is None and time_s - track.seen_s < 0.35)
        ]
        return lost


def _assign(
    tracks: list[Track], found: list[Sighting], time_s: float
) -> list[tuple[Track, Sighting]]:
    """Whose each face is, by the least sum of costs; those who match nothing stay out."""
    if not found or not tracks:
        return []
    costs = np.full((len(tracks), len(found)), _UNMATCHED)
    for row, track in enumerate(tracks):
        place = track.predicted(time_s)
        for column, sighting in enumerate(found):
            # Capped: a hopeless pair must not push two good ones into a swap.
            costs[row, column] = min(_UNMATCHED, _cost(track, place, sighting, time_s))
    rows, columns = linear_sum_assignment(costs)
    return [
        (tracks[row], found[column])
        for row, column in zip(rows, columns, strict=True)
        if costs[row, column] < _UNMATCHED
    ]


def _left(found: list[Sighting], pairs: list[tuple[Track, Sighting]]) -> list[Sighting]:
    taken = {id(sighting) for _, sighting in pairs}
    return [sighting for sighting in found if id(sighting) not in taken]


def _cost(track: Track, place: Detection, sighting: Sighting, time_s: float) -> float:
    face = sighting.face
    size_px = max(place.size_px, face.size_px, 1.0)
    far = math.hypot(face.x_px - place.x_px, face.y_px - place.y_px) / size_px
    unseen_s = max(0.0, time_s - track.seen_s)
    gate = min(_GATE_LARGEST_SIZES, _GATE_SIZES + _GATE_GROWTH_PER_S * unseen_s)
    resized = abs(math.log(max(face.size_px, 1.0) / max(place.size_px, 1.0)))
    unlike = track.unlike(sighting.look)
    if far > gate or resized > 0.6 + unseen_s:
        return _NEVER
    if unlike > _STRANGER and (track.crowded or unseen_s > 0.3):
        return _NEVER
    if not track.crowded:
        return far + resized + _LOOK_WEIGHT * unlike
    # One hides the other: looks count more, and who was seen just now is the one in front.
    return far + resized + 1.5 * _LOOK_WEIGHT * unlike + min(0.8, 5.0 * unseen_s)


def _near(first: Detection, second: Detection, times: float) -> bool:
    wide = replace(first, width_px=first.width_px * times, height_px=first.height_px * times)
    return overlap(wide, second) > 0.0
