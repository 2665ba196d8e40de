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

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body
from sera.animation.channels import OWN_SET
from sera.animation.engine.enslaving import CompiledRules
from sera.animation.engine.limbs import Limbs
from sera.animation.frame import Blend, ChannelLayout

FloatArray = NDArray[np.float64]
LEAST_S, MOST_S = 0.4, 1.5
UNSEEN_M = 0.02
"""Less is not seen: it takes the time that was asked for."""
PACE_M_S = 0.8
"""How fast an end point goes at the peak, where the longest time allows it …"""
FASTEST_M_S = 0.9
"""… and in any case, unless what ends was faster by itself."""
OWN_SHARE = 1.1
"""So much faster than a gesture by itself may its end be."""
_MINIMUM_JERK = np.array([u**3 * (10.0 - 15.0 * u + 6.0 * u * u) for u in np.linspace(0, 1, 9)])


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
        self.blend: Blend
        """What the layers made in the last frame; set by the engine."""
        self._effort_m(layout.neutral, layout.neutral)  # loads its kernels now, not in a frame

    def changed_s(
        self,
        changes: Mapping[int, float],
        at_least_s: float,
        quickest_m_s: Callable[[], float] = lambda: 0.0,
    ) -> float:
        """How long the blended channels take to change by so much.

        Args:
            changes: by column.
            at_least_s: the time that was asked for.
            quickest_m_s: how fast the motion was by itself; asked only if it matters.
        """
        after = self.blend.values.copy()
        mask = self.blend.mask.copy()
        for column, change in changes.items():
            after[column] += change
            mask[column] = 1
        before = self.posed(self.blend.values, mask)
        return _lasts_s(self._effort_m(before, self.posed(after, mask)), at_least_s, quickest_m_s)

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
        """How long it takes from one pose to another; (channels,) as `posed` gives them."""
        return _lasts_s(self._effort_m(before, after), at_least_s)

    def blended(self) -> FloatArray:
        """What the rows as they stand make of the own channels; (channels,)."""
        if self._scratch is None:
            self._scratch = Blend(self.blend.block, self.blend.order)
            self._scratch.modes = self.blend.modes
        self._scratch.run()
        self._scratch.clamp()
        return self.posed(self._scratch.values, self._scratch.mask)

    def posed(self, values: FloatArray, mask: NDArray[np.uint8]) -> FloatArray:
        """(channels,) with the own channels as the rules make them; nothing aims."""
        pose = values.copy()
        self._rules.apply(values, mask, pose)
        return pose

    def peak_m_s(self, poses: list[Mapping[int, float]], apart_s: float) -> float:
        """Peak speed of an end point through changes of the blended channels, evenly in time."""
        places = []
        for changes in poses:
            values, mask = self.blend.values.copy(), self.blend.mask.copy()
            for column, change in changes.items():
                values[column] += change
                mask[column] = 1
            places.append(self._ends_m(self.posed(values, mask)))
        if len(places) < 2:
            return 0.0
        return float(np.linalg.norm(np.diff(places, axis=0), axis=2).max()) / apart_s

    def _effort_m(self, before: FloatArray, after: FloatArray) -> float:
        """Peak speed of the fastest end point on the way, times how long the way takes."""
        if not self._ends or np.array_equal(before[self._columns], after[self._columns]):
            return 0.0
        places = np.array([self._ends_m(before + w * (after - before)) for w in _MINIMUM_JERK])
        moved = np.linalg.norm(np.diff(places, axis=0), axis=2)
        return float(moved.max()) * (len(_MINIMUM_JERK) - 1)

    def _ends_m(self, pose: FloatArray) -> list[FloatArray]:
        angles = self._rest.copy()
        angles[self._places] = pose[self._columns]
        return [end.position_m for end in self._tree.poses(angles, self._ends)]


def _lasts_s(
    effort_m: float, at_least_s: float, quickest_m_s: Callable[[], float] = lambda: 0.0
) -> float:
    if effort_m < UNSEEN_M:
        return at_least_s
    lasts_s = min(max(effort_m / PACE_M_S, LEAST_S), MOST_S)
    if effort_m / lasts_s > FASTEST_M_S:
        lasts_s = max(lasts_s, effort_m / max(FASTEST_M_S, OWN_SHARE * quickest_m_s()))
    return max(at_least_s, lasts_s)
