"""Seams: how long a body takes from one motion to another, so that no hand or head is thrown.

Design overview: whatever ends, stops, lets go or begins elsewhere goes over by a weight with
minimum jerk. How long that takes grows with the way of the end point that has to travel farthest,
by forward kinematics along the line between both poses: 0.4 to 1.5 s, and longer only where an
end point would be faster than it may be. What moves no end point keeps the time that was asked
for, and that is the least in any case.

Units and frames: metres, seconds; values in the channels' own units.
Threading: one owner, the engine. Asked when something ends or begins, never in every frame: some
tenths of a millisecond.
Safety: only times; limits of joints are the motion filter's. An emergency stop never asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body
from sera.animation.channels import OWN_SET
from sera.animation.engine.aiming import Aiming
from sera.animation.engine.enslaving import CompiledRules
from sera.animation.engine.limbs import Limbs
from sera.animation.frame import Blend, BlendMode, ChannelLayout
from sera.kinematics.filter import MotionFilter
from sera.kinematics.tree import Tree

FloatArray = NDArray[np.float64]
LEAST_S, MOST_S = 0.4, 1.5
UNSEEN_M = 0.02
"""Less is not seen: it takes the time that was asked for."""
PACE_M_S = 0.65
"""How fast an end point goes at the peak, where the longest time allows it …"""
FASTEST_M_S = 0.9
"""… and in any case."""
_HALVINGS = 6
_GAZING, _NECK_JOINTS = "Gazing", 2
_TRY_EVERY_S, _SWING, _KEEPS = 0.04, 0.02, 0.9
_RATES = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
_MINIMUM_JERK = np.array([u**3 * (10.0 - 15.0 * u + 6.0 * u * u) for u in np.linspace(0, 1, 9)])


class _Face(NamedTuple):
    """A chain that aims a face."""

    aiming: Aiming
    columns: NDArray[np.intp]
    """Of its joints."""
    directions: list[int]
    """Of how far to the right, and upwards."""
    is_body: bool
    """Whether it is most of the body, so that a posture does not move it alone."""

    def aimed(self, posture: list[float], across: float, up: float) -> list[float]:
        self.aiming.start_from(dict(zip(self.aiming.joints, posture, strict=True)))
        return self.aiming.solve(posture, across, up)


def _face_of(body: Body, layout: ChannelLayout) -> _Face | None:
    for chain in body.chains:
        across, up = layout.find(chain.horizontal), layout.find(chain.vertical)
        if chain.aims == _GAZING and across is not None and up is not None:
            aiming = Aiming(body, chain)
            columns = layout.indices(f"{OWN_SET}.{joint}" for joint in aiming.joints)
            is_body = len(aiming.joints) > _NECK_JOINTS and chain.begins is None
            return _Face(aiming, columns, [across, up], is_body)
    return None


class Seams:
    """Times of going over, for one body."""

    def __init__(self, body: Body, layout: ChannelLayout, rules: CompiledRules) -> None:
        self._layout, self._rules, self._tree = layout, rules, body.tree
        self._ends = tuple(self._tree.end_points)
        names = self._tree.joint_names
        found = [layout.find(f"{OWN_SET}.{name}") for name in names]
        self._places = [place for place, column in enumerate(found) if column is not None]
        self._columns = [column for column in found if column is not None]
        self.limbs = Limbs(body)
        self._rest = np.zeros(len(names))
        self._scratch: Blend | None = None
        self._face = _face_of(body, layout)
        self._gaze = layout.find("Gazing.Horizontal"), layout.find("Gazing.Vertical")
        self._own = layout.indices(f"{OWN_SET}.{name}" for name in body.own)
        self.filter_from: Callable[[FloatArray], MotionFilter]
        """Makes a motion filter of the body, at rest; set by the engine."""
        self.touches: Callable[[FloatArray], bool] = lambda _: False
        """Whether a pose of the tree meets the ground, something beside it or itself; the same."""
        self.blend: Blend
        """What the layers made in the last frame; set by the engine."""
        self._effort_m(layout.neutral, layout.neutral)  # loads its kernels now, not in a frame

    def changed_s(self, changes: Mapping[int, float], at_least_s: float) -> float:
        """How long the blended channels take to change by so much, by column."""
        after = self.blend.values.copy()
        mask = self.blend.mask.copy()
        for column, change in changes.items():
            after[column] += change
            mask[column] = 1
        return self.between_s(
            self.posed(self.blend.values, mask), self.posed(after, mask), at_least_s
        )

    def gone_s(self, ways: Iterable[tuple[int, float, float]], at_least_s: float) -> float:
        """How long blended channels take from one value to another: column, from, to."""
        before, after = self.blend.values.copy(), self.blend.values.copy()
        mask = self.blend.mask.copy()
        for column, here, there in ways:
            before[column], after[column] = here, there
            mask[column] = 1
        return self.between_s(self.posed(before, mask), self.posed(after, mask), at_least_s)

    def without_s(
        self, passthrough: FloatArray, columns: Iterable[int], at_least_s: float
    ) -> float:
        """How long a row takes to let what is below show through in these columns."""
        kept = passthrough.copy()
        before = self.blended()
        passthrough[list(columns)] = 0.0
        after = self.blended()
        passthrough[:] = kept
        return self.between_s(before, after, at_least_s)

    def between_s(self, before: FloatArray, after: FloatArray, at_least_s: float) -> float:
        """How long it takes from one pose to another; (channels,), of which own ones count."""
        return _lasts_s(self._effort_m(before, after), at_least_s)

    def blended(self) -> FloatArray:
        """What the rows as they stand make of the own channels; (channels,)."""
        if self._scratch is None:
            self._scratch = Blend(self.blend.block, self.blend.order)
            self._scratch.modes = self.blend.modes
        self._scratch.run()
        self._scratch.clamp()
        return self.posed(self._scratch.values, self._scratch.mask)

    def posed(
        self, values: FloatArray, mask: NDArray[np.uint8], *, with_neck: bool = False
    ) -> FloatArray:
        """(channels,) with the own channels as rules make them, and as a face does that aims.

        Where a neck of two joints alone aims, no end point goes far by it; `with_neck` minds it.
        """
        pose, face = values.copy(), self._face
        if face is None or not (with_neck or face.is_body) or not any(mask[face.directions]):
            self._rules.apply(values, mask, pose)
            return pose
        mask = mask.copy()
        mask[face.directions] = 0
        self._rules.apply(values, mask, pose)
        across, up = values[face.directions].tolist()
        pose[face.columns] = face.aimed(pose[face.columns].tolist(), across, up)
        return pose

    def gaze_below(self, row: int) -> tuple[float, float]:
        """Where the rows below one look in this frame: to the right, upwards."""
        block, gaze = self.blend.block, []
        for column in self._gaze:
            value = 0.0
            for below in range(0 if column is None else row):
                weight = float(block.layer_weights[below] * block.passthrough[below, column])
                if block.masks[below, column] and weight > 0.0:
                    keeps = 1.0 if self.blend.modes[below] == BlendMode.ADD else 1.0 - weight
                    value = keeps * value + weight * float(block.values[below, column])
            gaze.append(value)
        return gaze[0], gaze[1]

    def looks(self, across: float, up: float) -> tuple[float, float]:
        """Where the body looks that is asked to look there, with the posture that it has.

        A body that lies down in order to look down does so as far as it stays clear.
        """
        wanted = [
            value
            if column is None
            else min(max(value, self._layout.lower[column]), self._layout.upper[column])
            for column, value in zip(self._gaze, (across, up), strict=True)
        ]
        face = self._face
        if face is None:
            return float(wanted[0]), float(wanted[1])
        mask = self.blend.mask.copy()
        mask[face.directions] = 0
        pose = self.blend.values.copy()
        self._rules.apply(self.blend.values, mask, pose)
        posture, (across, up) = pose[face.columns].tolist(), map(float, wanted)
        pose[face.columns] = face.aimed(posture, across, up)
        if face.is_body and up < 0.0 and self.touches(self._angles(pose)):
            lowest, clear = up, 0.0
            for _ in range(_HALVINGS):
                up = 0.5 * (lowest + clear)
                pose[face.columns] = face.aimed(posture, across, up)
                if self.touches(self._angles(pose)):
                    lowest = up
                else:
                    clear = up
            pose[face.columns] = face.aimed(posture, across, clear)
        angles = pose[face.columns].tolist()
        return face.aiming.looks_at(dict(zip(face.aiming.joints, angles, strict=True)))

    def rate(self, changes_at: Callable[[float], Mapping[int, float]], lasts_s: float) -> float:
        """How fast the body can make a motion that keeps its swing, as a share of its own speed.

        It is tried from the neutral pose, a little slower each time, with the motion filter. That
        takes some milliseconds: whoever asks remembers the answer.
        """
        poses = []
        for time_s in np.arange(0.0, lasts_s + _TRY_EVERY_S, _TRY_EVERY_S):
            values, mask = self._layout.neutral.copy(), self.blend.mask.copy()
            for column, change in changes_at(float(time_s)).items():
                values[column] += change
                mask[column] = 1
            poses.append(self.posed(values, mask, with_neck=True)[self._own])
        wanted = np.array(poses)
        wanted = wanted.clip(self._layout.lower[self._own], self._layout.upper[self._own])
        joints = np.ptp(wanted, axis=0) > _SWING
        for rate in _RATES:
            motion = self.filter_from(wanted[0])
            step = rate * motion.step_s / _TRY_EVERY_S
            places = np.append(np.arange(0.0, len(wanted) - 1, step), [len(wanted) - 1.0] * 10)
            reached = []
            for place in places:
                before = min(int(place), len(wanted) - 2)
                part = place - before
                motion.set_point((1.0 - part) * wanted[before] + part * wanted[before + 1])
                reached.append(motion.step())
            kept = np.ptp(np.array(reached), axis=0)[joints] / np.ptp(wanted, axis=0)[joints]
            if kept.min(initial=1.0) >= _KEEPS:
                break
        return rate

    def _effort_m(self, before: FloatArray, after: FloatArray) -> float:
        return _effort_m(self._tree, self._ends, self._angles(before), self._angles(after))

    def _angles(self, pose: FloatArray) -> FloatArray:
        angles = self._rest.copy()
        angles[self._places] = pose[self._columns]
        return angles


def move_s(
    tree: Tree, ends: Sequence[str], before: FloatArray, after: FloatArray, at_least_s: float
) -> float:
    """How long some end points take from one pose of a tree to another."""
    return _lasts_s(_effort_m(tree, ends, before, after), at_least_s)


def _effort_m(tree: Tree, ends: Sequence[str], before: FloatArray, after: FloatArray) -> float:
    """Peak speed of the fastest end point on the way, times how long the way takes."""
    if not ends or np.array_equal(before, after):
        return 0.0
    places = [_places_m(tree, ends, before + w * (after - before)) for w in _MINIMUM_JERK]
    moved = np.linalg.norm(np.diff(places, axis=0), axis=2)
    return float(moved.max()) * (len(_MINIMUM_JERK) - 1)


def _places_m(tree: Tree, ends: Sequence[str], angles: FloatArray) -> list[FloatArray]:
    return [end.position_m for end in tree.poses(angles, ends)]


def _lasts_s(effort_m: float, at_least_s: float) -> float:
    if effort_m < UNSEEN_M:
        return at_least_s
    lasts_s = min(max(effort_m / PACE_M_S, LEAST_S), MOST_S)
    return max(at_least_s, lasts_s, effort_m / FASTEST_M_S)
