"""Who speaks: from a name, a worn microphone, a direction, a side, or whose turn it is.

Units and frames: directions in degrees, seen from the origin of the scenario's space; left and
right as the robot has them (its left is +X). Threading: one thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sera.behaviour.space import Angles, Vector, between_deg, vector_of
from sera.messages import Side
from sera.people._scene import Scene


@dataclass(frozen=True, slots=True)
class Voice:
    """What a microphone says about a voice that began or ended."""

    source: str
    speaking: bool
    person: str | None = None
    side: Side | None = None
    direction: Angles | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Which voice ends with `speaking` False: by name or side, since directions wander."""
        return (self.source, self.person or self.side or "")


@dataclass(slots=True)
class _Heard:
    speakers: tuple[str, ...]
    since_s: float


class Voices:
    """The voices that sound, and whose they are.

    Args:
        scene: who wears which microphone.
        within_deg: how far beside the direction of a voice its speaker may be.
        longest_s: a voice whose end nobody heard ends after so long.
    """

    def __init__(self, scene: Scene, within_deg: float = 30.0, longest_s: float = 60.0) -> None:
        self._scene, self._within_deg, self._longest_s = scene, within_deg, longest_s
        self._sounding: dict[tuple[str, str], _Heard] = {}

    @property
    def speakers(self) -> list[str]:
        """Who speaks now, each once, in the order in which they began."""
        return list(dict.fromkeys(n for heard in self._sounding.values() for n in heard.speakers))

    def hear(
        self,
        voice: Voice,
        now_s: float,
        places_m: Mapping[str, Vector],
        turn: str | None,
        called: Callable[[str, str], str | None],
    ) -> tuple[str, ...]:
        """Take what a microphone says; whose voice began or ended, empty where nobody can tell.

        Args:
            voice: what it says.
            now_s: the time.
            places_m: where everybody is who is there or expected.
            turn: who is likely to speak: whose turn it is, or who alone is there.
            called: the name here of somebody whom a source calls something.
        """
        known = self._sounding.get(voice.key)
        if not voice.speaking:
            if known is None:
                return ()
            del self._sounding[voice.key]
            return known.speakers
        if known is None:
            speakers = self._whose(voice, places_m, turn, called)
            known = self._sounding[voice.key] = _Heard(speakers, now_s)
        known.since_s = now_s
        return known.speakers

    def forget(self, person: str) -> None:
        """Somebody is gone, and so is the voice."""
        for key, heard in list(self._sounding.items()):
            if person in heard.speakers:
                heard.speakers = tuple(one for one in heard.speakers if one != person)
                if not heard.speakers:
                    del self._sounding[key]

    def drop_source(self, source: str) -> None:
        """A microphone is dead: nobody will say when its voices end."""
        for key in [key for key in self._sounding if key[0] == source]:
            del self._sounding[key]

    def step(self, now_s: float) -> None:
        """Let time pass."""
        for key, heard in list(self._sounding.items()):
            if now_s - heard.since_s > self._longest_s:
                del self._sounding[key]

    def _whose(
        self,
        voice: Voice,
        places_m: Mapping[str, Vector],
        turn: str | None,
        called: Callable[[str, str], str | None],
    ) -> tuple[str, ...]:
        if voice.person is not None:
            return (called(voice.person, voice.source) or voice.person,)
        if voice.side is not None and self._scene.wearers:
            return self._wearers(voice.side, places_m, voice.source, called)
        if voice.direction is not None:
            there = self._towards(voice.direction, places_m)
            return () if there is None else (there,)
        if voice.side is not None:
            sides = [Side.LEFT, Side.RIGHT] if voice.side is Side.BOTH else [voice.side]
            found = (self._on(side, places_m, turn) for side in sides)
            return tuple(name for name in found if name is not None)
        return () if turn is None else (turn,)

    def _wearers(
        self,
        side: Side,
        places_m: Mapping[str, Vector],
        source: str,
        called: Callable[[str, str], str | None],
    ) -> tuple[str, ...]:
        worn = self._scene.wearers
        channels = {Side.LEFT: worn[:1], Side.RIGHT: worn[1:2], Side.BOTH: worn[:2]}[side]
        found: list[str] = []
        for wearer in channels:
            seat = self._scene.seats.get(wearer)
            if seat is not None:
                near = min(
                    places_m, key=lambda n: math.dist(places_m[n], seat.position_m), default=None
                )
                if near is not None and math.dist(places_m[near], seat.position_m) <= 1.0:
                    found.append(near)
            else:
                found.append(called(wearer, source) or wearer)
        return tuple(found)

    def _towards(self, direction: Angles, places_m: Mapping[str, Vector]) -> str | None:
        """Who is nearest to the direction, level: two microphones cannot tell heights."""
        level = vector_of(Angles(direction.horizontal_deg, 0.0))
        off = {
            name: between_deg(level, (x, 0.0, z))
            for name, (x, _, z) in places_m.items()
            if math.hypot(x, z) > 0.0
        }
        best = min(off, key=lambda name: off[name], default=None)
        return best if best is not None and off[best] <= self._within_deg else None

    def _on(self, side: Side, places_m: Mapping[str, Vector], turn: str | None) -> str | None:
        """The nearest person on that side of the robot; whose turn it is goes first."""
        robot = self._scene.first_robot
        x_m, _, z_m = (0.0, 0.0, 0.0) if robot is None else self._scene.robots[robot]
        there = {
            name: math.hypot(x - x_m, z - z_m)
            for name, (x, _, z) in places_m.items()
            if (x - x_m > 0.0) == (side is Side.LEFT)
        }
        if turn in there:
            return turn
        return min(there, key=lambda name: there[name], default=None)
