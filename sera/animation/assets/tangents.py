"""Tangents: how a curve arrives at a key and how it leaves.

Design overview: a tangent is a slope, or a name that stands for one:

- "smooth" (the default): slows down where the motion turns round and passes through elsewhere;
  between two keys the curve never leaves their values. The first and the last key are at rest.
- "flat": at rest at the key (slow in and slow out).
- "linear": straight to the neighbouring key.
- "anticipate": leaves the key backwards first, by a ninth of the way (ten degrees before a turn of
  ninety), and then goes.
- "hold": stays until the next key, and jumps there.

The smooth slope is the weighted harmonic mean of both neighbouring slopes, and zero where
they disagree in sign: the known condition for a cubic that is monotone between its keys.

Units and frames: slopes are in the channel's unit for each second.
Threading: pure functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from sera.kinematics._arrays import BoolArray, FloatArray

Tangent: TypeAlias = str | float
"""A name of `TANGENTS`, or a slope in units a second."""

SMOOTH: Final = "smooth"
FLAT: Final = "flat"
LINEAR: Final = "linear"
ANTICIPATE: Final = "anticipate"
HOLD: Final = "hold"
TANGENTS: Final = (SMOOTH, FLAT, LINEAR, ANTICIPATE, HOLD)
LEAVING_ONLY: Final = (ANTICIPATE, HOLD)
"""What has no meaning for the arrival at a key; there it counts as flat."""

BACKWARDS_SHARE: Final = 1.0 / 9.0
"""How far an anticipation goes back, of the way that follows."""
BACKWARDS_TIME_SHARE: Final = 0.3
"""When it turns round, of the time to the next key."""


@dataclass(frozen=True, slots=True)
class Key:
    """A value at a time, and how the curve goes through it."""

    time_s: float
    value: float
    arriving: Tangent = SMOOTH
    leaving: Tangent = SMOOTH


@dataclass(frozen=True, slots=True, eq=False)
class Knots:
    """Keys with slopes in place of names: all that a cubic needs."""

    times_s: FloatArray
    values: FloatArray
    arriving: FloatArray
    leaving: FloatArray
    holds: BoolArray
    """True where the value stays until the next knot."""


def knots_of(keys: list[Key], *, closed: bool = False) -> Knots:
    """Turn names into slopes; anticipations become knots of their own.

    Args:
        keys: at least two, with increasing times.
        closed: the curve is played round and round, so that its ends are neighbours.
    """
    times = np.array([key.time_s for key in keys])
    values = np.array([key.value for key in keys])
    holds = np.array([key.leaving == HOLD for key in keys])
    secants = np.diff(values) / np.diff(times)
    secants[holds[:-1]] = 0.0  # a jump has no slope, so that what is smooth comes to rest there
    joined = closed and values[0] == values[-1]
    smooth = smooth_slopes(np.diff(times), secants, closed=joined)
    arriving, leaving = smooth.copy(), smooth.copy()
    for index, key in enumerate(keys):
        if key.arriving != SMOOTH:
            before = secants[max(index - 1, 0)]
            arriving[index] = _slope(key.arriving, float(before))
        if key.leaving != SMOOTH:
            after = secants[min(index, len(secants) - 1)]
            leaving[index] = _slope(key.leaving, float(after))
    knots = Knots(times, values, arriving, leaving, holds)
    backwards = [n for n, key in enumerate(keys[:-1]) if key.leaving == ANTICIPATE]
    return _with_anticipations(knots, backwards) if backwards else knots


def smooth_slopes(lengths_s: FloatArray, secants: FloatArray, *, closed: bool) -> FloatArray:
    """Slopes that keep every cubic between the values of its two keys."""
    if closed:
        around_s = np.concatenate([lengths_s[-1:], lengths_s, lengths_s[:1]])
        around = np.concatenate([secants[-1:], secants, secants[:1]])
        return _harmonic_means(around_s, around)
    inner = _harmonic_means(lengths_s, secants)
    return np.concatenate([[0.0], inner, [0.0]])


def _harmonic_means(lengths_s: FloatArray, secants: FloatArray) -> FloatArray:
    before_s, after_s = lengths_s[:-1], lengths_s[1:]
    before, after = secants[:-1], secants[1:]
    same_way = (np.sign(before) == np.sign(after)) & (before != 0.0)
    first, second = 2.0 * after_s + before_s, after_s + 2.0 * before_s
    result = np.zeros(len(before))
    with np.errstate(over="ignore"):  # a slope next to nothing has an infinite inverse: mean zero
        inverse = first[same_way] / before[same_way] + second[same_way] / after[same_way]
    result[same_way] = (first + second)[same_way] / inverse
    return result


def _slope(tangent: Tangent, secant: float) -> float:
    if isinstance(tangent, str):
        return secant if tangent == LINEAR else 0.0
    return tangent


def _with_anticipations(knots: Knots, starts: list[int]) -> Knots:
    """One more knot, at rest, after each start: back by a share of the way to come."""
    at = np.array(starts) + 1
    times, values = knots.times_s, knots.values
    turn_s = times[starts] + BACKWARDS_TIME_SHARE * (times[at] - times[starts])
    turn = values[starts] - BACKWARDS_SHARE * (values[at] - values[starts])
    return Knots(
        np.insert(times, at, turn_s),
        np.insert(values, at, turn),
        np.insert(knots.arriving, at, 0.0),
        np.insert(knots.leaving, at, 0.0),
        np.insert(knots.holds, at, False),
    )
