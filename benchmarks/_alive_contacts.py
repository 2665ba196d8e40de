"""How deep a body goes into itself and into the ground, in an hour of mixed orders.

Every shape of the body file is a hull of balls; balls are strewn over it and carried along by
forward kinematics. A pair of shapes counts if joints in two places or more lie between them and
they are clear of each other when the body stands neutral: parts that are joined overlap by design.
Lights and what is small on a surface (eyes) are left out. The ground is where the lowest shape
stands in the neutral pose; shapes within two centimetres of it (feet, plates) stand on it.

Units and frames: metres, in the frame of the body's base. Threading: none.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._alive_actor import Actor, angles_of
from sera.animation.assets.sides import authored
from sera.animation.body import Body
from sera.animation.body.load import read_file
from sera.kinematics.rotations import rotate
from sera.messages import (
    Direction,
    Gaze,
    Message,
    Pad,
    PlayAnimation,
    Point,
    SetEmotion,
    SetPosture,
    StopAnimation,
)

FloatArray = NDArray[np.float64]

STANDING_M = 0.02
BELOW_M = 0.001
TOUCHING_M = 0.003
SAME_PLACE_M = 0.001
EVERY_S = 0.2
_STREWN = 60
NOT_IN_A_MIX = ("blink", "breathe", "idle_look")


@dataclass(frozen=True, slots=True)
class _Hull:
    joint: str
    points_m: FloatArray  # (n, 3) in the joint's frame
    radii_m: FloatArray
    reach_m: float
    """Of a ball around its middle that holds all of it."""


class Contacts:
    """Distances within one body, and to the ground that it stands on."""

    def __init__(self, body: Body) -> None:
        self._body = body
        rng = np.random.default_rng(0)
        hulls = [
            _strewn(table.joint, np.array(table.points_m), np.array(table.radius_m), rng)
            for table in read_file(body.folder)[1].shapes
            if table.glows is None and (not table.on_top or len(table.points_m) > 2)
        ]
        frames = body.tree.frame_names
        carriers = [frames.index(hull.joint) + 1 if hull.joint else 0 for hull in hulls]
        sizes = [len(hull.radii_m) for hull in hulls]
        self._carriers = np.repeat(carriers, sizes)
        self._points = np.vstack([hull.points_m for hull in hulls])
        self._radii = np.concatenate([hull.radii_m for hull in hulls])
        self._firsts = np.cumsum([0, *sizes])
        self._middles = np.array([hull.points_m.mean(axis=0) for hull in hulls])
        self._reaches = np.array([hull.reach_m for hull in hulls])
        self._bones = np.array(carriers)
        self._parents = {joint.name: joint.parent for joint in body.tree.joints}
        self._places = dict(zip(frames, body.tree.forward(body.tree.neutral)[0], strict=True))
        pairs = [
            (a, b)
            for a, b in itertools.combinations(range(len(hulls)), 2)
            if self._joints_between(hulls[a].joint, hulls[b].joint) >= 2
        ]
        self._pairs = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        clear, lowest = self._gaps_m({n: s.neutral for n, s in body.own.items()}, within_m=np.inf)
        self._pairs = self._pairs[clear > 0.0]
        self.ground_m = float(lowest.min())
        self._free = lowest > self.ground_m + STANDING_M

    def measure_m(self, own: Mapping[str, float]) -> tuple[float, float]:
        """The least clearance within the body, and over the ground; negative: that deep."""
        inside, lowest = self._gaps_m(own, within_m=0.02)
        over = (lowest[self._free] - self.ground_m).min(initial=np.inf)
        return float(inside.min(initial=np.inf)), float(over)

    def _gaps_m(self, own: Mapping[str, float], within_m: float) -> tuple[FloatArray, FloatArray]:
        """Of all pairs, infinite for those that cannot be as near; and the lowest of each hull."""
        frames = self._body.tree.forward(angles_of(self._body, own))
        places = np.vstack([np.zeros(3), frames.positions_m])
        turns = np.vstack([[1.0, 0.0, 0.0, 0.0], frames.orientations_wxyz])
        balls = places[self._carriers] + rotate(turns[self._carriers], self._points)
        middles = places[self._bones] + rotate(turns[self._bones], self._middles)
        lowest = np.minimum.reduceat(balls[:, 1] - self._radii, self._firsts[:-1])
        first, second = self._pairs.T
        apart = np.linalg.norm(middles[first] - middles[second], axis=1)
        near = apart - self._reaches[first] - self._reaches[second] < within_m
        found = np.full(len(self._pairs), np.inf)
        for number in np.flatnonzero(near):
            one, other = (slice(*self._firsts[each : each + 2]) for each in self._pairs[number])
            gaps = np.linalg.norm(balls[one, None] - balls[None, other], axis=2)
            found[number] = (gaps - self._radii[one, None] - self._radii[None, other]).min()
        return found, lowest

    def _joints_between(self, one: str, other: str) -> int:
        """Joints in one place, such as those of a neck, count as one."""
        between = set(self._to_base(one)) ^ set(self._to_base(other))
        return sum(
            np.linalg.norm(self._places[joint] - self._places.get(self._parents[joint], np.inf))
            > SAME_PLACE_M
            for joint in between
        )

    def _to_base(self, joint: str | None) -> list[str]:
        way = []
        while joint:
            way.append(joint)
            joint = self._parents[joint]
        return way


def _strewn(joint: str, points: FloatArray, radius: FloatArray, rng: np.random.Generator) -> _Hull:
    count = len(points)
    radii = np.broadcast_to(radius, (count,))
    if count <= 2:
        along = np.linspace(0.0, 1.0, 13)[: 1 if count == 1 else 13]
        weights = np.stack([1.0 - along, along], axis=1)[:, :count]
    else:
        weights = np.vstack([np.eye(count), rng.dirichlet(np.full(count, 0.6), _STREWN)])
    balls, sizes = weights @ points, weights @ radii
    reach = float((np.linalg.norm(balls - balls.mean(axis=0), axis=1) + sizes).max())
    return _Hull(joint, balls, sizes, reach)


@dataclass(frozen=True, slots=True)
class Hour:
    """What a body did to itself and its ground."""

    frames: int
    below: int
    lowest_m: float
    touching: int
    deepest_m: float


def live(folder: Path, minutes: float, seed: int) -> Hour:
    """Mixed orders, one after another in one to four seconds."""
    actor, chance = Actor(folder, seed=seed), random.Random(seed)
    contacts = Contacts(actor.body)
    repertoire = actor.stage_set.repertoire()
    gestures = sorted(set(authored(repertoire.animations)) - set(NOT_IN_A_MIX))
    postures = sorted(repertoire.postures)
    skip = round(EVERY_S / actor.step_s)
    inside, over = [], []
    while actor.time_s < 60.0 * minutes:
        actor.do(any_order(chance, gestures, postures))
        frames = actor.run(round(chance.uniform(1.0, 4.0), 1))
        for frame in frames[::skip]:
            gaps = contacts.measure_m(actor.pose(frame))
            inside.append(gaps[0])
            over.append(gaps[1])
    return Hour(
        frames=len(inside),
        below=sum(gap < -BELOW_M for gap in over),
        lowest_m=min(over),
        touching=sum(gap < -TOUCHING_M for gap in inside),
        deepest_m=max(0.0, -min(inside)),
    )


def any_order(chance: random.Random, gestures: list[str], postures: list[str]) -> Message:
    """A gesture half of the time, else a point, a posture, an emotion or a look."""
    kind = chance.random()
    if kind < 0.45:
        return PlayAnimation(animation=chance.choice(gestures))
    if kind < 0.5:
        return StopAnimation()
    if kind < 0.63:
        aside, up = chance.uniform(-70, 70), chance.uniform(-40, 30)
        there = Direction(horizontal_deg=aside, vertical_deg=up)
        return Point(direction=there, hold_s=1.5)
    if kind < 0.73:
        return SetPosture(posture=chance.choice(postures), blend_s=1.0)
    if kind < 0.8:
        corner = [chance.choice((-1.0, 1.0)) for _ in range(3)]
        names = ("pleasure", "arousal", "dominance")
        return SetEmotion(pad=Pad(**dict(zip(names, corner, strict=True))))
    aside, up = chance.uniform(-100, 100), chance.uniform(-35, 40)
    return Gaze(direction=Direction(horizontal_deg=aside, vertical_deg=up))
