"""Sight: where a face or a hand is in the wanted pose, and which way it must point for a place.

Design overview: a place is seen from wherever the face is, and where the face is depends on where
it looks. A `Sight` knows the first half: place and axis of one end point in the pose that was
wanted in the frame before, after all stages and before the motion filter, so that nothing the
filter does can swing back. A `Pursuit` solves the second: each frame it brings its direction nearer
to the one from there to the place, by less if the last step went too far. Where the body solves for
poses (`ErikStage`), a new place is first sought by trying poses that are not shown (`Seeking`), so
that the head sets out the right way; where no pose faces a place, the nearest is held still.

    place ──► Pursuit ──► direction ──► channels ──► stages ──► wanted pose ──► Sight ──┐
                 ▲──────────────────────── frame after frame ──────────────────────────┘

Units and frames: metres and unit vectors in the frame of the body's base, radians, seconds.
Threading: one owner, the engine. Nothing is computed unless somebody asks.
Safety: directions are unit vectors whatever comes in; a place at the very end point keeps the last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.face import face_of
from sera.animation.engine._turns import FACES, Face, Vector, between, looks, turned, unit, way
from sera.animation.engine.seeking import NEAR_RAD, Seeking
from sera.kinematics._chain_kernels import chain_pose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sera.animation.body import Body
    from sera.kinematics.chain import Chain

FloatArray = NDArray[np.float64]
_FOLLOWS_S = 0.045
"""Time constant of the direction: quick for an eye, slow enough that no pose overshoots."""
_MOST_STEP = 0.5
_CALMER, _BOLDER = 0.5, 1.1
_LEAST_STEP = 0.1
_NEAREST_M = 0.02
"""A place nearer to the end point than this has no direction."""
_LOST_RAD = math.radians(4.0)
"""Who stays further off than this, and stands, seeks anew."""
_LOST_S = 0.3
_FULL_SPEED = 0.9
_SAME_RAD = 2e-4
"""Joints that have moved by less leave the face where it is."""
_CALM = 1e-4
_AT_END_RAD = math.radians(0.5)
_OPPOSITE = 1.99
_MOVED_RAD = math.radians(3.0)
"""A direction that was held is sought anew when the place has moved by so much."""


class Sight:
    """One end point that aims."""

    def __init__(self, chain: Chain, body: Body, face: Face) -> None:
        self.joints = chain.joint_names
        self.seeking: Seeking | None = None
        """What a stage that solves for poses is to try."""
        self.wanted: FloatArray = np.zeros(0)
        """Own channels as they were wanted in the frame before."""
        self.put = False
        """Whether the body was put here, and did not look here."""
        self.heads_for: tuple[float, float] | None = None
        """Where a look is on its way to, as angles; None once it is there, and to be kept."""
        self.turns_over = False
        """Whether the chain is on its way to another branch of its poses."""
        self._speeds = [body.own[name].max_velocity for name in self.joints]
        self._arrays = chain.kernel_arrays
        places = {name: number for number, name in enumerate(body.own)}
        self._columns = np.array([places[name] for name in self.joints], dtype=np.intp)
        self._ends = [(body.own[name].lower, body.own[name].upper) for name in self.joints]
        self._face = FACES[face]
        self._angles = [math.inf] * len(self.joints)
        self._position, self._turn = np.empty(3), np.empty(4)
        self._seen: tuple[Vector, Vector] = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))

    @property
    def position_m(self) -> Vector:
        """Where the end point is."""
        return self.seen()[0]

    @property
    def axis(self) -> Vector:
        """Where it faces."""
        return self.seen()[1]

    def looks(self) -> tuple[float, float]:
        """The same as angles, to the right and upwards."""
        return looks(self.axis)

    def seen_at(self, own: FloatArray) -> tuple[Vector, Vector]:
        """Position and axis with other values of the own channels."""
        chain_pose(*self._arrays, own[self._columns], self._position, self._turn)
        x, y, z = self._position.tolist()
        w, i, j, k = self._turn.tolist()
        return (x, y, z), turned((w, i, j, k), self._face)

    def at_full_speed(self, velocities: FloatArray, share: float) -> list[str]:
        """Joints that carry it and move about as fast as they may: a share of what they can."""
        speeds = np.abs(velocities[self._columns])
        return [
            name
            for name, speed, most in zip(self.joints, speeds, self._speeds, strict=True)
            if speed > _FULL_SPEED * share * most
        ]

    def at_end(self) -> list[str]:
        """Joints that carry it and are wanted at an end of their range."""
        angles = self.wanted[self._columns].tolist()
        return [
            name
            for name, angle, (lower, upper) in zip(self.joints, angles, self._ends, strict=True)
            if angle - lower < _AT_END_RAD or upper - angle < _AT_END_RAD
        ]

    def seen(self) -> tuple[Vector, Vector]:
        """Position and axis; the same object as long as nothing of it has moved noticeably."""
        angles = self.wanted[self._columns].tolist()
        for angle, before in zip(angles, self._angles, strict=True):
            if abs(angle - before) > _SAME_RAD:
                self._angles, self._seen = angles, self.seen_at(self.wanted)
                break
        return self._seen


class Sights:
    """The end points of a body that aim, by what they aim (`Gazing`, `Arms.LeftPoint`)."""

    def __init__(self, body: Body) -> None:
        self._by_aim: dict[str, Sight] = {}
        face = face_of(body)
        ends = {chain.aims: (chain.end_point, chain.face) for chain in body.chains}
        if face is not None and "Gazing.Horizontal" in body.channels:
            ends["Gazing"] = face
        for aims, (end_point, axis) in ends.items():
            try:
                chain = body.tree.chain(end_point)
            except ValueError:  # joints that follow others have no chain: directions alone serve
                continue
            self._by_aim[aims] = Sight(chain, body, axis)

    def find(self, aims: str) -> Sight | None:
        return self._by_aim.get(aims)

    def __iter__(self) -> Iterator[Sight]:
        return iter(self._by_aim.values())

    def start(self, pose: FloatArray) -> None:
        """The body is there now, whoever looked where before."""
        self.show(pose)
        for sight in self._by_aim.values():
            sight.put = True

    def adopt(self, old: Sights) -> None:
        """The same body goes on under another program."""
        for aims, sight in self._by_aim.items():
            before = old._by_aim[aims]
            sight.wanted, sight.put, sight.heads_for = before.wanted, before.put, before.heads_for

    def show(self, wanted: FloatArray) -> None:
        """The pose that is wanted now; never written to afterwards."""
        for sight in self._by_aim.values():
            sight.wanted = wanted


class Pursuit:
    """The direction in which an end point points for a place."""

    def __init__(self) -> None:
        self.direction: Vector | None = None
        self.held = False
        """Whether no pose reaches the place, and the nearest one stands."""
        self._sought: Seeking | None = None
        self._held_for: Vector = (0.0, 0.0, 0.0)
        self._share = 1.0
        self._before: Vector = (0.0, 0.0, 0.0)
        self._lost_s = 0.0
        self._calm: tuple[Vector, tuple[Vector, Vector]] | None = None
        """Place, and what was seen, for which the direction is right as it is."""

    def begin(self, place_m: Vector, sight: Sight) -> None:
        """Another place: the direction starts anew, as seen from here."""
        self.direction = None
        self._seek(place_m, sight)

    def step(self, dt_s: float, place_m: Vector, sight: Sight, *, arrived: bool) -> Vector:
        """The direction `dt_s` later; `arrived` when the end point has been sent there wholly."""
        seen = sight.seen()
        calm = self._calm
        if calm is not None and calm[1] is seen and calm[0] == place_m:
            assert self.direction is not None
            return self.direction
        self._calm = None
        last = self.direction
        if math.dist(seen[0], place_m) < _NEAREST_M:
            self.direction = last or sight.axis
            return self.direction
        wanted = way(seen[0], place_m)
        goal = self._goal(wanted, place_m, arrived=arrived, turns_over=sight.turns_over)
        if last is None:
            self.direction = goal
            return goal
        off = (goal[0] - last[0], goal[1] - last[1], goal[2] - last[2])
        if math.hypot(*off) > _OPPOSITE:  # straight behind: some way round has to be taken
            x, y, z = last
            off = (off[0] + z, off[1], off[2] - x) if x or z else (off[0] + y, off[1], off[2])
        along = off[0] * self._before[0] + off[1] * self._before[1] + off[2] * self._before[2]
        self._before = off
        if self._sought is None and max(map(abs, off)) < _CALM:
            self._calm = place_m, seen
        self._share = max(_LEAST_STEP, self._share * (_CALMER if along < 0.0 else _BOLDER))
        self._share = min(1.0, self._share)
        step = self._share * min(_MOST_STEP, dt_s / (_FOLLOWS_S + dt_s))
        self.direction = unit(tuple(a + step * b for a, b in zip(last, off, strict=True)))
        off_rad = between(wanted, seen[1] if self.held else last)
        self._mind(dt_s, place_m, sight, off_rad, arrived=arrived)
        return self.direction

    def _goal(self, wanted: Vector, place_m: Vector, *, arrived: bool, turns_over: bool) -> Vector:
        sought = self._sought
        if sought is None or not sought.begun:
            return wanted
        if self.held or not sought.done:
            return sought.direction
        if turns_over or not arrived:
            return sought.carried_to(place_m)
        if not sought.settled and sought.off_rad > NEAR_RAD:
            self.held, self._held_for = True, place_m
            return sought.direction
        self._sought = None
        return wanted

    def _mind(
        self, dt_s: float, place_m: Vector, sight: Sight, off_rad: float, *, arrived: bool
    ) -> None:
        """Seek anew where a step at a time has lost the place, or where it has moved."""
        sought, here_m = self._sought, sight.position_m
        # What is held was the nearest for the posture that there was.
        most_rad = _LOST_RAD + (sought.off_rad if sought is not None and self.held else 0.0)
        self._lost_s = self._lost_s + dt_s if arrived and off_rad > most_rad else 0.0
        is_lost = self._lost_s > _LOST_S and (self.held or sought is None)
        moved_rad = between(way(here_m, self._held_for), way(here_m, place_m))
        if is_lost or (self.held and moved_rad > _MOVED_RAD):
            self._seek(place_m, sight)

    def _seek(self, place_m: Vector, sight: Sight) -> None:
        start = self.direction or way(sight.position_m, place_m)
        self._sought = sight.seeking = Seeking(place_m, start)
        self.held, self._lost_s, self._calm = False, 0.0, None
