"""Who is there, where, who speaks, who looks at whom, and who is engaged: all senses together.

Design overview
    `_bodies` makes one person of several sightings, `looking` finds what a face points at,
    `_voices` whose voice it is, `engagement` how far somebody is engaged with each robot. What the
    activity knows (whose turn it is) stands in where no sense sees anybody: such a person is in
    the picture with `seen` False, at the place where the scenario expects them.

Units and frames
    Metres in the scenario's space, degrees as messages have them, seconds of the caller's clock.

Threading
    One thread; no clock and no input of its own. The same facts at the same times give the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from sera.behaviour.space import Angles, Vector, vector_of
from sera.messages import Engagement, PersonSummary, Position
from sera.people._bodies import Bodies, Body, MergeSettings, Sighting
from sera.people._scene import Scene
from sera.people._voices import Voice, Voices
from sera.people.engagement import EngagementJudge, EngagementSettings, LevelChange, Signs
from sera.people.looking import DEFAULT_LOOKS, LookSettings, looked_at, off_deg

_HEAD_COUNTS_S = 2.0
"""How long the last word about somebody's head stands."""
_AT_EXPECTED_M = 0.8
_STRENGTH = (
    Engagement.UNKNOWN,
    Engagement.DISENGAGED,
    Engagement.DISENGAGING,
    Engagement.ENGAGING,
    Engagement.ENGAGED,
)


@dataclass(slots=True)
class _Head:
    direction: Vector
    captured_s: float
    seen_s: float
    eye_contact: bool | None = None
    looks_at: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """Somebody's engagement with a robot has changed."""

    person: str
    robot: str
    change: LevelChange


@dataclass(slots=True)
class _Turn:
    person: str | None = None
    since_s: float = -math.inf


@dataclass(slots=True)
class _Minds:
    """What was understood about each person by name."""

    heads: dict[str, _Head] = field(default_factory=dict)
    judges: dict[tuple[str, str], EngagementJudge] = field(default_factory=dict)


class Fusion:
    """The picture of the people in the room.

    Args:
        scene: the room.
        merging: when two sightings are one person.
        looks: how exact a look must be.
        engagement: what it takes to be engaged.
        stands_in_s: how long the activity's word that it is somebody's turn stands.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        merging: MergeSettings | None = None,
        looks: LookSettings = DEFAULT_LOOKS,
        engagement: EngagementSettings | None = None,
        stands_in_s: float = 60.0,
    ) -> None:
        self.scene = scene
        self._bodies = Bodies(merging)
        self._voices = Voices(scene)
        self._looks = looks
        self._engagement = engagement
        self._minds = _Minds()
        self._turn = _Turn()
        self._stands_in_s = stands_in_s
        self._gone: list[Judged] = []

    # -- facts ------------------------------------------------------------------------------

    def see(
        self,
        source: str,
        person: str,
        now_s: float,
        *,
        captured_s: float | None = None,
        position_m: Vector | None = None,
        direction: Angles | None = None,
        seen_from_m: Vector = (0.0, 0.0, 0.0),
        confidence: float = 1.0,
    ) -> str:
        """A tracker sees somebody; the name here."""
        place_m, somewhere = position_m, position_m is None and direction is None
        if place_m is None and direction is not None:
            way, far_m = vector_of(direction), self._bodies.settings.assumed_distance_m
            x, y, z = (a + far_m * b for a, b in zip(seen_from_m, way, strict=True))
            place_m = (x, y, z)
        sighting = Sighting(
            now_s if captured_s is None else captured_s,
            place_m or (0.0, 0.0, 0.0),
            seen_from_m,
            position_m is not None,
            confidence,
            somewhere,
        )
        return self._bodies.sight((source, person), sighting, now_s).name

    def lose(self, source: str, person: str, now_s: float) -> None:
        """A tracker lost somebody."""
        body = self._bodies.lose((source, person), now_s)
        if body is not None:
            self._forget(body)

    def turn_head(
        self,
        source: str,
        person: str,
        now_s: float,
        direction: Angles,
        *,
        captured_s: float | None = None,
        looks_at: str | None = None,
        eye_contact: bool | None = None,
    ) -> None:
        """A tracker says where a face points, and maybe at whom."""
        body = self._bodies.touch((source, person), now_s) or self._bodies.called(person, source)
        if body is None:
            return  # nobody has said yet where the person is
        when_s = now_s if captured_s is None else captured_s
        before = self._minds.heads.get(body.name)
        if before is not None and when_s < before.captured_s and now_s - before.seen_s < 1.0:
            return  # it was overtaken
        head = _Head(vector_of(direction), when_s, now_s, eye_contact)
        head.looks_at = self._target(body, head, looks_at, source, before)
        self._minds.heads[body.name] = head

    def hear(self, voice: Voice, now_s: float) -> tuple[str, ...]:
        """Somebody began or ceased to speak; who, empty where nobody can tell."""
        here = [body.name for body in self._bodies.present]
        likely = self.turn(now_s) or (here[0] if len(here) == 1 else None)
        return self._voices.hear(voice, now_s, self._places_m(now_s), likely, self._name)

    def take_turn(self, person: str | None, now_s: float) -> None:
        """The activity says whose turn it is; None: nobody's."""
        self._turn = _Turn(person, now_s)

    def move_marker(self, marker: str, position_m: Vector) -> None:
        """A marker is here, and the thing of the scenario that carries it."""
        self.scene.move_marker(marker, position_m)

    def drop_source(self, source: str) -> None:
        """A tracker or a microphone is dead."""
        self._bodies.drop_source(source)
        self._voices.drop_source(source)

    # -- what follows -----------------------------------------------------------------------

    def step(self, now_s: float) -> list[Judged]:
        """Let time pass; whose engagement has changed."""
        turn = self.turn(now_s)
        for body in self._bodies.step(now_s, frozenset() if turn is None else frozenset({turn})):
            self._forget(body)
        self._voices.step(now_s)
        judged, self._gone = self._gone, []
        speakers = self._voices.speakers
        for body in self._bodies.present:
            for robot, eye_m in self.scene.robots.items():
                judge = self._minds.judges.get((body.name, robot))
                if judge is None:
                    judge = EngagementJudge(self._engagement)
                    self._minds.judges[body.name, robot] = judge
                signs = self._signs(body, robot, eye_m, now_s, speaks=body.name in speakers)
                change = judge.step(signs, now_s)
                if change is not None:
                    judged.append(Judged(body.name, robot, change))
        return judged

    def people(self, now_s: float) -> list[PersonSummary]:
        """Everybody who is there, in the order in which they came; expected ones last."""
        speakers = self._voices.speakers
        found = [
            PersonSummary(
                person=body.name,
                position=_position(body.place_m) if body.placed else None,
                seen=self._bodies.is_seen(body, now_s),
                speaking=body.name in speakers,
                looks_at=self._looks_now(body.name, now_s),
                engagement=self._level(body.name),
            )
            for body in self._bodies.present
        ]
        here = {summary.person for summary in found}
        turn = self.turn(now_s)
        for name in dict.fromkeys([*([] if turn is None else [turn]), *speakers]):
            if name not in here:
                place_m = self.scene.expected.get(name)
                position = None if place_m is None else _position(place_m)
                found.append(
                    PersonSummary(
                        person=name, position=position, seen=False, speaking=name in speakers
                    )
                )
        return found

    @property
    def speaker(self) -> str | None:
        """Who alone speaks."""
        speakers = self._voices.speakers
        return speakers[0] if len(speakers) == 1 else None

    def turn(self, now_s: float) -> str | None:
        """Whose turn it is, by the name that the person has here."""
        person = self._turn.person
        if person is None or now_s - self._turn.since_s > self._stands_in_s:
            return None
        return self._name(person) or person

    # -- inside -----------------------------------------------------------------------------

    def _name(self, person: str, source: str | None = None) -> str | None:
        """The name here of somebody whom others call so, or who sits where that one should."""
        body = self._bodies.called(person, source)
        if body is not None:
            return body.name
        place_m = self.scene.expected.get(person)
        if place_m is None:
            return None
        near = [
            (math.dist(body.place_m, place_m), body.name)
            for body in self._bodies.present
            if body.placed and body.name not in self.scene.people
        ]
        best = min(near, default=None)
        return best[1] if best is not None and best[0] <= _AT_EXPECTED_M else None

    def _places_m(self, now_s: float) -> dict[str, Vector]:
        places = {body.name: body.place_m for body in self._bodies.present if not body.nowhere}
        turn = self.turn(now_s)
        if turn is not None and turn not in places and turn in self.scene.expected:
            places[turn] = self.scene.expected[turn]
        return places

    def _others_m(self, own: str) -> Mapping[str, Vector]:
        return {
            body.name: body.place_m
            for body in self._bodies.present
            if body.name != own and body.placed
        }

    def _target(
        self, body: Body, head: _Head, told: str | None, source: str, before: _Head | None
    ) -> str | None:
        """What is looked at: as the tracker says, else by geometry."""
        if told is not None:
            if told in self.scene.robots or told in self.scene.screens:
                return told
            other = self._bodies.called(told, source)
            return told if other is None else other.name
        if head.eye_contact and len(self.scene.robots) == 1:
            return self.scene.first_robot
        if not body.placed:
            return None
        return looked_at(
            body.place_m,
            head.direction,
            self.scene,
            self._others_m(body.name),
            before=None if before is None else before.looks_at,
            settings=self._looks,
        )

    def _signs(self, body: Body, robot: str, eye_m: Vector, now_s: float, *, speaks: bool) -> Signs:
        x, _, z = (a - b for a, b in zip(body.place_m, eye_m, strict=True))
        distance_m = math.hypot(x, z) if body.placed else None
        head = self._minds.heads.get(body.name)
        if head is None or now_s - head.seen_s > _HEAD_COUNTS_S:
            return Signs(distance_m=distance_m, speaking=speaks)
        off = off_deg(body.place_m, head.direction, eye_m) if body.placed else None
        # Who looks at something else on purpose does not face the robot by chance.
        meant = head.looks_at is not None and head.looks_at != robot
        return Signs(
            distance_m=distance_m,
            looks_at_robot=head.looks_at == robot,
            off_deg=None if meant else off,
            speaking=speaks,
        )

    def _looks_now(self, name: str, now_s: float) -> str | None:
        head = self._minds.heads.get(name)
        return None if head is None or now_s - head.seen_s > _HEAD_COUNTS_S else head.looks_at

    def _level(self, name: str) -> Engagement:
        """The strongest of the levels towards all robots."""
        levels = [judge.level for (who, _), judge in self._minds.judges.items() if who == name]
        return max(levels, key=_STRENGTH.index, default=Engagement.UNKNOWN)

    def _forget(self, body: Body) -> None:
        self._minds.heads.pop(body.name, None)
        self._voices.forget(body.name)
        for (who, robot), judge in list(self._minds.judges.items()):
            if who == body.name:
                change = judge.leave()
                if change is not None:
                    self._gone.append(Judged(who, robot, change))
                del self._minds.judges[who, robot]


def _position(place_m: Vector) -> Position:
    return Position(x_m=place_m[0], y_m=place_m[1], z_m=place_m[2])
