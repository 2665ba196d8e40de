"""One channel's curve over time: cubics between keys, exact at the keys.

Design overview: between two knots runs the cubic Hermite polynomial of their values and slopes,
kept as four coefficients in the time since the knot. `sample` works on arrays; `at` is for the
frame loop, where a few numbers are faster without arrays. Curves can be cut, scaled and warped in
time without any loss: a piece of a cubic is a cubic.

Units and frames: seconds; values in the channel's own unit.
Threading: immutable.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sera.animation.assets.tangents import Key, Knots, knots_of
from sera.kinematics._arrays import FloatArray


class Curve:
    """A value for every time; before the first and after the last knot it stays."""

    __slots__ = ("_coefficients", "_pieces", "_starts_s", "knots")

    def __init__(self, knots: Knots) -> None:
        """Take knots that have been checked: two or more, finite, in order of time."""
        self.knots = knots
        self._coefficients = _coefficients(knots)
        self._starts_s: list[float] = knots.times_s.tolist()
        self._pieces: list[list[float]] = self._coefficients.tolist()

    @classmethod
    def through(cls, keys: Sequence[Key], *, closed: bool = False) -> Curve:
        """The curve through keys.

        Args:
            keys: two or more, in order of time.
            closed: it is played round and round.

        Raises:
            ValueError: there are too few, a number is not finite, or a time goes backwards.
        """
        if len(keys) < 2:
            raise ValueError(f"a curve needs two keys or more, not {len(keys)}")
        numbers = np.array([(key.time_s, key.value) for key in keys])
        if not bool(np.isfinite(numbers).all()):
            raise ValueError("a time or a value of a key is not a finite number")
        if not bool(np.all(np.diff(numbers[:, 0]) > 0.0)):
            raise ValueError("the times of the keys must increase from key to key")
        return cls(knots_of(list(keys), closed=closed))

    @property
    def first_s(self) -> float:
        return self._starts_s[0]

    @property
    def last_s(self) -> float:
        return self._starts_s[-1]

    def at(self, time_s: float) -> float:
        """The value at one time."""
        index = bisect_right(self._starts_s, time_s) - 1
        if index < 0:
            return self._pieces[0][0]
        since_s = time_s - self._starts_s[index]
        value, first, second, third = self._pieces[index]
        return value + since_s * (first + since_s * (second + since_s * third))

    def sample(self, times_s: ArrayLike) -> FloatArray:
        """The values at many times."""
        since_s, pieces = self._place(times_s)
        value, first, second, third = np.moveaxis(pieces, -1, 0)
        result: FloatArray = value + since_s * (first + since_s * (second + since_s * third))
        return result

    def slope(self, times_s: ArrayLike) -> FloatArray:
        """The velocities at many times; at a knot, with which the curve leaves it."""
        since_s, pieces = self._place(times_s)
        _, first, second, third = np.moveaxis(pieces, -1, 0)
        result: FloatArray = first + since_s * (2.0 * second + since_s * 3.0 * third)
        return result

    def value_range(self) -> tuple[float, float]:
        """The least and the greatest value anywhere, swings between keys included."""
        lengths_s = np.diff(self.knots.times_s)
        _, first, second, third = self._coefficients[:-1].T
        candidates = [self.knots.values]
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(second**2 - 3.0 * first * third)
            turns = [
                (-second + root) / (3.0 * third),
                (-second - root) / (3.0 * third),
                -first / (2.0 * second),
            ]
        for turn_s in turns:
            inside = (turn_s > 0.0) & (turn_s < lengths_s)
            candidates.append(self.sample(self.knots.times_s[:-1][inside] + turn_s[inside]))
        every = np.concatenate(candidates)
        return float(every.min()), float(every.max())

    def scaled(self, amplitude: float, speed: float, centre: float = 0.0) -> Curve:
        """Larger or smaller about `centre`, faster or slower."""
        knots = self.knots
        slope = amplitude * speed
        return Curve(
            Knots(
                knots.times_s / speed,
                centre + amplitude * (knots.values - centre),
                slope * knots.arriving,
                slope * knots.leaving,
                knots.holds,
            )
        )

    def moved(self, offset: float) -> Curve:
        """The same curve, higher by `offset`."""
        return Curve(replace(self.knots, values=self.knots.values + offset))

    def two_sided(self, below: float, above: float) -> Curve:
        """Values below zero times one factor, those above it times another."""
        knots = self.knots
        factors = np.where(knots.values < 0.0, below, above)
        factors[knots.values == 0.0] = 0.5 * (below + above)  # for the slopes there
        return Curve(
            replace(
                knots,
                values=knots.values * factors,
                arriving=knots.arriving * factors,
                leaving=knots.leaving * factors,
            )
        )

    def cut_at(self, times_s: Sequence[float]) -> Curve:
        """The same curve with knots at these times, too, where it has none yet."""
        inside = [t for t in times_s if self.first_s < t < self.last_s]
        new_s = np.array(sorted(set(inside) - set(self._starts_s)))
        if len(new_s) == 0:
            return self
        knots = self.knots
        where = np.searchsorted(knots.times_s, new_s)
        slopes = self.slope(new_s)
        return Curve(
            Knots(
                np.insert(knots.times_s, where, new_s),
                np.insert(knots.values, where, self.sample(new_s)),
                np.insert(knots.arriving, where, slopes),
                np.insert(knots.leaving, where, slopes),
                np.insert(knots.holds, where, knots.holds[where - 1]),
            )
        )

    def warped(self, authored_s: FloatArray, played_s: FloatArray) -> Curve:
        """What stood at `authored_s` comes at `played_s`, in between in proportion.

        Both increase and begin and end beyond the curve, or where it does.
        """
        knots = self.cut_at(authored_s.tolist()).knots
        stretch = np.diff(played_s) / np.diff(authored_s)
        last = len(stretch) - 1
        # On a joint the arrival belongs to the piece before, the departure to the one after it.
        before = np.clip(np.searchsorted(authored_s, knots.times_s, "left") - 1, 0, last)
        after = np.clip(np.searchsorted(authored_s, knots.times_s, "right") - 1, 0, last)
        return Curve(
            Knots(
                np.interp(knots.times_s, authored_s, played_s),
                knots.values,
                knots.arriving / stretch[before],
                knots.leaving / stretch[after],
                knots.holds,
            )
        )

    def _place(self, times_s: ArrayLike) -> tuple[FloatArray, FloatArray]:
        times = np.asarray(times_s, dtype=np.float64)
        starts_s = self.knots.times_s
        index = np.clip(np.searchsorted(starts_s, times, "right") - 1, 0, None)
        return np.maximum(times - starts_s[index], 0.0), self._coefficients[index]


def _coefficients(knots: Knots) -> FloatArray:
    """Powers of the time since each knot; the last row stays at the last value."""
    length_s = np.diff(knots.times_s)
    way = np.diff(knots.values) / length_s
    leaving, arriving = knots.leaving[:-1], knots.arriving[1:]
    table = np.zeros((len(knots.times_s), 4))
    table[:, 0] = knots.values
    table[:-1, 1] = leaving
    table[:-1, 2] = (3.0 * way - 2.0 * leaving - arriving) / length_s
    table[:-1, 3] = (leaving + arriving - 2.0 * way) / length_s**2
    table[knots.holds, 1:] = 0.0
    return table
