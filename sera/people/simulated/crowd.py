"""All simulated people in one room, and what senses would report of them.

Design overview
    `advance` lets time pass up to a picture: people walk, look and speak, then the cameras and
    microphones say what they perceived, as the messages that real trackers publish, each with the
    moment at which it was captured and the moment at which it is due. The same seed, the same
    words of the robot and the same hands on the floor plan give the same.

Units and frames
    Metres and degrees of the scenario's space, seconds of the caller's clock.

Threading
    One thread; clock and chance are injected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from sera.behaviour.space import Angles, Vector, vector_of
from sera.messages import (
    Direction,
    HeadDirection,
    Message,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Position,
)
from sera.people._scene import Scene
from sera.people.looking import looked_at, off_deg
from sera.people.simulated._ears import SimulatedEars
from sera.people.simulated._person import Around, SimulatedPerson
from sera.people.simulated._senses import Figure, Seen, SenseSettings, SimulatedTracker

_EYE_CONTACT_DEG = 5.0
_VOICE_LATENCY_S = 0.12
_SLICE_S = 0.05


@dataclass(frozen=True, slots=True)
class Observed:
    """A message of a sense, when it was captured and when it is there."""

    message: Message
    captured_s: float
    due_s: float


class Crowd:
    """Everybody who is simulated.

    Args:
        people: by name.
        scene: the room.
        tracker: the cameras.
        ears: the microphones.
        began_s: when the simulation begins.
    """

    def __init__(
        self,
        people: Mapping[str, SimulatedPerson],
        scene: Scene,
        tracker: SimulatedTracker,
        ears: SimulatedEars,
        began_s: float,
    ) -> None:
        self.people = dict(people)
        self.scene = scene
        self.tracker = tracker
        self._ears = ears
        self._now_s = began_s
        self._sound_s = began_s
        self._robot_words: dict[str, str] = {}
        self._quiet_since_s: float | None = began_s
        self._looks: dict[str, str | None] = {}

    @property
    def settings(self) -> SenseSettings:
        return self.tracker.settings

    @property
    def finished(self) -> bool:
        """Whether everybody has played their part; who was not told to leave stays."""
        return all(person.finished for person in self.people.values())

    def robot_begins(self, speech: str, text: str) -> None:
        """A robot says something."""
        self._robot_words[speech] = text

    def robot_ends(self, speech: str, now_s: float, *, to_its_end: bool) -> None:
        """A robot is silent again."""
        text = self._robot_words.pop(speech, "")
        if text and to_its_end:
            for person in self.people.values():
                person.hear_robot(text, now_s)

    def advance(self, now_s: float) -> list[Observed]:
        """Let time pass up to a picture, and report what the senses perceived."""
        said: list[Observed] = []
        while self._now_s < now_s - 1e-9:
            slice_s = min(_SLICE_S, now_s - self._now_s)
            self._now_s += slice_s
            said += self._live(slice_s)
        said += self._watch()
        said += self._listen()
        return said

    # -- people -----------------------------------------------------------------------------

    def _live(self, slice_s: float) -> list[Observed]:
        now_s, said = self._now_s, []
        speakers = [name for name, one in self.people.items() if one.mouth.saying is not None]
        noisy = bool(speakers or self._robot_words)
        if noisy:
            self._quiet_since_s = None
        elif self._quiet_since_s is None:
            self._quiet_since_s = now_s
        here_m = {n: one.walker.place_m for n, one in self.people.items() if one.present}
        robot = self.scene.first_robot
        speaker = robot if self._robot_words else (speakers[0] if speakers else None)
        places_m = self.scene.places_m(here_m)
        if robot is not None:
            places_m.setdefault("robot", self.scene.robots[robot])
        around = Around(
            places_m,
            robot,
            speaker,
            self._quiet_since_s,
            (*here_m, *self.scene.screens, *self.scene.objects),
        )
        for person in self.people.values():
            person.advance(now_s, slice_s, around)
            if person.present or person.mouth.saying is not None:
                said += self._speak(person)
        return said

    def _speak(self, person: SimulatedPerson) -> list[Observed]:
        now_s, name = self._now_s, person.name
        others = any(
            one.mouth.saying is not None for one in self.people.values() if one is not person
        )
        quiet_s = None if others or self._robot_words else self._quiet_since_s
        ended, began = person.mouth.advance(now_s, quiet_s)
        track, place_m = self.tracker.id_of(name), person.walker.place_m
        if not began and ended is None:
            return []
        activity = self._ears.activity(name, track, place_m, speaking=began)
        said = [Observed(activity, now_s, now_s + _VOICE_LATENCY_S)]
        if ended is not None:
            understood_s = now_s + max(_VOICE_LATENCY_S, self.settings.recogniser_s)
            said.append(Observed(self._ears.heard(ended, track), now_s, understood_s))
        return said

    # -- senses -----------------------------------------------------------------------------

    def _watch(self) -> list[Observed]:
        figures = {
            name: Figure(person.walker.place_m, person.head.face)
            for name, person in self.people.items()
            if person.present
        }
        due_s = self._now_s + self.settings.latency_s
        seen = self.tracker.look(figures, self._now_s)
        places_m = {one.id: one.place_m for one in seen if one.what != "lost"}
        return [
            Observed(message, self._now_s, due_s)
            for one in seen
            for message in self._messages(one, places_m)
        ]

    def _messages(self, seen: Seen, places_m: Mapping[str, Vector]) -> list[Message]:
        if seen.what == "lost":
            self._looks.pop(seen.id, None)
            return [PersonLost(person=seen.id, unseen_for_s=round(seen.unseen_for_s, 3))]
        kind = PersonDetected if seen.what == "detected" else PersonMoved
        position = _position(seen.place_m)
        return [kind(person=seen.id, position=position), self._head(seen, places_m)]

    def _head(self, seen: Seen, places_m: Mapping[str, Vector]) -> HeadDirection:
        others_m = {name: place for name, place in places_m.items() if name != seen.id}
        self._looks[seen.id] = looked_at(
            seen.place_m,
            vector_of(seen.face),
            self.scene,
            others_m,
            before=self._looks.get(seen.id),
        )
        person = self.people[seen.name]
        return HeadDirection(
            person=seen.id,
            direction=_direction(seen.face),
            looks_at=self._looks[seen.id],
            eye_contact=self._eye_contact(person),
        )

    def _eye_contact(self, person: SimulatedPerson) -> bool | None:
        robot = self.scene.first_robot
        if robot is None:
            return None
        gaze = vector_of(person.head.gaze)
        off = off_deg(person.walker.place_m, gaze, self.scene.robots[robot])
        return off <= _EYE_CONTACT_DEG

    def _listen(self) -> list[Observed]:
        rate_hz = self.settings.sound_hz
        if rate_hz <= 0.0 or self._now_s < self._sound_s - 1e-9:
            return []
        self._sound_s = max(self._sound_s + 1.0 / rate_hz, self._now_s)
        speaking_m = [
            one.walker.place_m for one in self.people.values() if one.mouth.saying is not None
        ]
        level = self._ears.level(speaking_m)
        return [Observed(level, self._now_s, self._now_s + _VOICE_LATENCY_S)]


def own_random(seed: Random) -> Random:
    """A source of chance of one's own, so that one person's doings do not change another's."""
    return Random(seed.getrandbits(64))  # noqa: S311  # not for secrets


def _position(place_m: Vector) -> Position:
    return Position(x_m=round(place_m[0], 4), y_m=round(place_m[1], 4), z_m=round(place_m[2], 4))


def _direction(angles: Angles) -> Direction:
    return Direction(
        horizontal_deg=round(math.fmod(angles.horizontal_deg, 360.0), 3),
        vertical_deg=round(angles.vertical_deg, 3),
    )
