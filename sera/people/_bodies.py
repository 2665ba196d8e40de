"""Sightings of several trackers become bodies: the same person seen twice is one.

Design overview
    A *track* is what one tracker calls one person: (source, id). A *body* is somebody in the room
    with one or several tracks. A track that appears joins the body that is nearest, where that is
    near enough and not yet followed by the same tracker; otherwise it makes a body, which takes
    the tracker's id as its name, so that with one tracker the names are the ones that everybody
    knows. A track that strays from the others of its body for a while is somebody else.
    Where trackers disagree, the place is their mean by confidence and freshness: one that dies
    fades out instead of letting the person jump.

Units and frames
    Metres in the scenario's space; seconds of the caller's clock. `captured_s` is on the tracker's
    own clock and only compared with others of the same track.

Threading
    One thread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import count

from pydantic import BaseModel, ConfigDict, Field

from sera.behaviour.space import Vector

TrackKey = tuple[str, str]
"""Source and its id for the person."""

_FRESH_S = 0.4
_LEAST_CONFIDENCE = 0.05
_SAME_TRACKER_BUSY_S = 0.5
_STRAYS_FOR_S = 1.0


class MergeSettings(BaseModel):
    """When two sightings are one person."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    merge_m: float = Field(default=0.6, gt=0)
    """How far apart two trackers may see the same head."""
    split_m: float = Field(default=1.1, gt=0)
    """Farther apart than this for a second, they see two people."""
    assumed_distance_m: float = Field(default=1.5, gt=0)
    """How far away a person is taken to be whose direction alone is known."""
    unseen_after_s: float = Field(default=3.0, gt=0)
    """A person of whom no tracker says anything for so long counts as unseen."""
    gone_after_s: float = Field(default=20.0, gt=0)
    """And after so long as gone, as when a tracker died without a word."""
    remembers_s: float = Field(default=3.0, ge=0)
    """How long somebody who was lost keeps the name for a return nearby."""
    walks_m_s: float = Field(default=1.5, gt=0)
    """How far a lost person may have got meanwhile."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A head, as one tracker sees it."""

    captured_s: float
    place_m: Vector
    """Where the head is; at the assumed distance where only the direction is known."""
    seen_from_m: Vector = (0.0, 0.0, 0.0)
    placed: bool = True
    """False where only the direction is known."""
    confidence: float = 1.0
    somewhere: bool = False
    """True where nothing at all is known of the place: the person is there, no more."""


@dataclass(slots=True)
class Track:
    """What one tracker said last about one person."""

    key: TrackKey
    sighting: Sighting
    seen_s: float
    strays_since_s: float | None = None


@dataclass(slots=True)
class Body:
    """Somebody in the room."""

    name: str
    tracks: dict[TrackKey, Track] = field(default_factory=dict)
    known_as: dict[TrackKey, None] = field(default_factory=dict)
    """Every track it ever had."""
    place_m: Vector = (0.0, 0.0, 0.0)
    placed: bool = False
    nowhere: bool = False
    """Whether nobody knows anything of the place."""
    seen_s: float = 0.0
    lost_s: float | None = None
    """When the last tracker lost it; None: it is there."""

    def settle(self) -> None:
        """Find the place anew from what the trackers say."""
        tracks = [track for track in self.tracks.values() if not track.sighting.somewhere]
        self.nowhere = bool(self.tracks) and not tracks
        if not tracks:
            return
        newest_s = max(track.seen_s for track in tracks)
        self.placed = any(track.sighting.placed for track in tracks)
        used = [track for track in tracks if track.sighting.placed or not self.placed]
        weights = [
            max(_LEAST_CONFIDENCE, track.sighting.confidence)
            * math.exp(-(newest_s - track.seen_s) / _FRESH_S)
            for track in used
        ]
        total = sum(weights)
        if total <= 0.0:  # all of them are very old beside one that only knows a direction
            weights, total = [1.0] * len(used), float(len(used))
        x, y, z = (
            sum(w * t.sighting.place_m[axis] for w, t in zip(weights, used, strict=True)) / total
            for axis in range(3)
        )
        self.place_m = (x, y, z)


class Bodies:
    """Everybody in the room, in the order in which they came."""

    def __init__(self, settings: MergeSettings | None = None) -> None:
        self.settings = settings or MergeSettings()
        self._bodies: dict[str, Body] = {}

    @property
    def present(self) -> list[Body]:
        """Everybody who is not lost."""
        return [body for body in self._bodies.values() if body.lost_s is None]

    def get(self, name: str) -> Body | None:
        """Somebody who is present, by name."""
        body = self._bodies.get(name)
        return body if body is not None and body.lost_s is None else None

    def called(self, person: str, source: str | None = None) -> Body | None:
        """Whom a tracker means: by its own id, else by anybody's id for a person."""
        if source is not None:
            own = self._of_key((source, person))
            if own is not None and own.lost_s is None:
                return own
        return self.get(person) or next(
            (body for body in self.present if any(key[1] == person for key in body.tracks)), None
        )

    def sight(self, key: TrackKey, sighting: Sighting, now_s: float) -> Body:
        """A tracker sees somebody."""
        body = self._of_key(key)
        if body is not None and key in body.tracks:
            track = body.tracks[key]
            track.seen_s = now_s
            overtaken = sighting.captured_s < track.sighting.captured_s
            if not overtaken and not sighting.somewhere:
                track.sighting = sighting
        else:
            if body is None:
                body = self._near(key, sighting, now_s)
            if body is None:
                body = self._make(key)
            self._join(body, Track(key, sighting, now_s))
        body.lost_s, body.seen_s = None, now_s
        body.settle()
        return body

    def touch(self, key: TrackKey, now_s: float) -> Body | None:
        """A tracker says something else about somebody it sees."""
        body = self._of_key(key)
        if body is None or key not in body.tracks or body.lost_s is not None:
            return None
        body.tracks[key].seen_s = body.seen_s = now_s
        return body

    def lose(self, key: TrackKey, now_s: float) -> Body | None:
        """A tracker lost somebody; the body, where nobody else sees it."""
        body = self._of_key(key)
        if body is None or body.tracks.pop(key, None) is None:
            return None
        others = [one for one in body.tracks.values() if self._alive(one, now_s)]
        if others:
            body.settle()
            return None
        body.tracks.clear()
        body.lost_s = now_s
        return body

    def drop_source(self, source: str) -> None:
        """A tracker is dead: whom it alone saw is unseen, not gone."""
        for body in self._bodies.values():
            if any(key[0] != source for key in body.tracks):
                for key in [key for key in body.tracks if key[0] == source]:
                    del body.tracks[key]
                body.settle()
            elif body.tracks:
                body.seen_s = -math.inf

    def step(self, now_s: float, kept: frozenset[str] = frozenset()) -> list[Body]:
        """Let time pass; whoever is gone now because nobody said anything for long.

        Args:
            now_s: the time.
            kept: names of those who are there by other knowledge.
        """
        gone: list[Body] = []
        for body in list(self._bodies.values()):
            if body.lost_s is not None:
                if now_s - body.lost_s > self.settings.remembers_s:
                    del self._bodies[body.name]
                continue
            self._split(body, now_s)
            if body.seen_s == -math.inf:
                body.seen_s = now_s - self.settings.unseen_after_s - 1e-6
            if now_s - body.seen_s > self.settings.gone_after_s and body.name not in kept:
                body.tracks.clear()
                body.lost_s = now_s
                gone.append(body)
        return gone

    def is_seen(self, body: Body, now_s: float) -> bool:
        return now_s - body.seen_s <= self.settings.unseen_after_s

    def _alive(self, track: Track, now_s: float) -> bool:
        return now_s - track.seen_s <= self.settings.unseen_after_s

    def _of_key(self, key: TrackKey) -> Body | None:
        """Who has the track; else who had it last."""
        holder = next((body for body in self._bodies.values() if key in body.tracks), None)
        return holder or next(
            (body for body in self._bodies.values() if key in body.known_as), None
        )

    def _near(self, key: TrackKey, sighting: Sighting, now_s: float) -> Body | None:
        best: tuple[float, Body] | None = None
        if sighting.somewhere:
            return None
        for body in self._bodies.values():
            if body.nowhere:
                continue
            within_m = self.settings.merge_m
            if body.lost_s is not None:
                within_m += self.settings.walks_m_s * (now_s - body.lost_s)
            elif any(
                other[0] == key[0] and now_s - track.seen_s < _SAME_TRACKER_BUSY_S
                for other, track in body.tracks.items()
            ):
                continue  # that tracker sees this body already, so this is somebody else
            apart_m = _apart_m(body, sighting)
            if apart_m <= within_m and (best is None or apart_m < best[0]):
                best = (apart_m, body)
        return None if best is None else best[1]

    def _make(self, key: TrackKey) -> Body:
        source, person = key
        candidates = (person, f"{source.rpartition('.')[2]}.{person}")
        name = next((one for one in candidates if one not in self._bodies), None)
        if name is None:
            numbered = (f"{candidates[1]}_{number}" for number in count(2))
            name = next(one for one in numbered if one not in self._bodies)
        body = self._bodies[name] = Body(name)
        return body

    def _join(self, body: Body, track: Track) -> None:
        for other in self._bodies.values():
            other.known_as.pop(track.key, None)
        body.tracks[track.key] = track
        body.known_as[track.key] = None

    def _split(self, body: Body, now_s: float) -> None:
        """Part a body whose trackers see two people; the one whose id is the name keeps it."""
        tracks = [one for one in body.tracks.values() if self._alive(one, now_s)]
        if len(tracks) < 2:
            return
        first, *others = sorted(tracks, key=lambda one: one.key[1] != body.name)
        for track in others:
            if not (first.sighting.placed and track.sighting.placed):
                continue
            if math.dist(first.sighting.place_m, track.sighting.place_m) <= self.settings.split_m:
                track.strays_since_s = None
            elif track.strays_since_s is None:
                track.strays_since_s = now_s
            elif now_s - track.strays_since_s >= _STRAYS_FOR_S:
                track.strays_since_s = None
                del body.tracks[track.key]
                body.known_as.pop(track.key, None)
                body.settle()
                self.sight(track.key, track.sighting, track.seen_s)


def _apart_m(body: Body, sighting: Sighting) -> float:
    """How far a sighting is from a body; from a line of sight, where only that is known."""
    if body.placed == sighting.placed:
        x, y, z = (a - b for a, b in zip(body.place_m, sighting.place_m, strict=True))
        return math.hypot(x, 0.5 * y, z)  # trackers disagree most about heights
    if not sighting.placed:
        return _from_line_m(sighting.seen_from_m, sighting.place_m, body.place_m)
    track = next(iter(body.tracks.values()), None)
    start = (0.0, 0.0, 0.0) if track is None else track.sighting.seen_from_m
    return _from_line_m(start, body.place_m, sighting.place_m)


def _from_line_m(start: Vector, end: Vector, place: Vector) -> float:
    """Distance of a place from the half line that begins at `start` and goes through `end`."""
    along = [b - a for a, b in zip(start, end, strict=True)]
    way = [b - a for a, b in zip(start, place, strict=True)]
    length = math.hypot(*along)
    if length == 0.0:
        return math.hypot(*way)
    part = max(0.0, sum(a * b for a, b in zip(along, way, strict=True)) / length**2)
    return math.hypot(*(w - part * a for w, a in zip(way, along, strict=True)))
