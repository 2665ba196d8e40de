"""Enslaving, compiled: generic channels move a body's own ones, in one pass over all rules.

Design overview: own channels begin at what the layers gave them; every generic channel that is
animated adds its offsets. A share adds its factor; weights divide the value among the targets, and
what one cannot take goes to the others; a curve adds what its table says beyond what it says at the
channel's neutral value.

Units and frames: columns of a `ChannelLayout`, values in the channels' own units.
Threading: no state; the interpreter lock is released.
Safety: own values end within their ranges; a generic value that is not finite moves nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sera.kinematics._compile import kernel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ByteArray = NDArray[np.uint8]

SHARE, WEIGHTS, CURVE = 0, 1, 2
ROUNDS = 16
"""Weights are handed on at most this often; each round fills at least one target."""


class RuleArrays(NamedTuple):
    """All rules of a body, one after the other."""

    sources: IntArray  # (r,) column of the generic channel
    kinds: IntArray  # (r,)
    first: IntArray  # (r + 1,) where each rule's targets begin
    targets: IntArray  # (t,) column of an own channel
    factors: FloatArray  # (t,) share or weight
    curve_first: IntArray  # (t + 1,) where each target's points begin
    curve_x: FloatArray  # (p,)
    curve_y: FloatArray  # (p,)


@kernel
def on_curve(rules: RuleArrays, target: int, value: float) -> float:
    """The table of a target at a value: straight between its points, held beyond them."""
    begin, end = rules.curve_first[target], rules.curve_first[target + 1]
    if value <= rules.curve_x[begin]:
        return rules.curve_y[begin]
    for point in range(begin + 1, end):
        if value <= rules.curve_x[point]:
            x0, x1 = rules.curve_x[point - 1], rules.curve_x[point]
            share = (value - x0) / (x1 - x0)
            return (1.0 - share) * rules.curve_y[point - 1] + share * rules.curve_y[point]
    return rules.curve_y[end - 1]


@kernel
def divide(
    rules: RuleArrays,
    rule: int,
    value: float,
    own: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> None:
    """Divide a value among the targets of a rule; what is full hands the rest on."""
    begin, end = rules.first[rule], rules.first[rule + 1]
    left = value
    for _ in range(ROUNDS):
        total = 0.0
        for target in range(begin, end):
            if _has_room(rules, target, left, own, lower, upper):
                total += abs(rules.factors[target])
        if total == 0.0 or abs(left) < 1e-12:
            return
        handed_out = 0.0
        for target in range(begin, end):
            if not _has_room(rules, target, left, own, lower, upper):
                continue
            column = rules.targets[target]
            direction = 1.0 if rules.factors[target] > 0.0 else -1.0
            wanted = own[column] + direction * left * abs(rules.factors[target]) / total
            taken = min(max(wanted, lower[column]), upper[column])
            handed_out += direction * (taken - own[column])
            own[column] = taken
        left -= handed_out


@kernel
def _has_room(
    rules: RuleArrays,
    target: int,
    left: float,
    own: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> bool:
    column = rules.targets[target]
    rising = (left > 0.0) == (rules.factors[target] > 0.0)
    return own[column] < upper[column] if rising else own[column] > lower[column]


@kernel
def enslave(
    rules: RuleArrays,
    values: FloatArray,
    masks: ByteArray,
    neutral: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    own: FloatArray,
) -> None:
    """Move the own columns of `own`, which holds all columns, by the animated generic ones.

    What rules add up to is kept within the range, not each of them: their order does not matter.
    """
    for rule in range(rules.sources.shape[0]):
        source = rules.sources[rule]
        value = values[source]
        if masks[source] == 0 or not math.isfinite(value):
            continue
        value = min(max(value, lower[source]), upper[source])
        if rules.kinds[rule] == WEIGHTS:
            divide(rules, rule, value - neutral[source], own, lower, upper)
            continue
        for target in range(rules.first[rule], rules.first[rule + 1]):
            column = rules.targets[target]
            offset = rules.factors[target] * (value - neutral[source])
            if rules.kinds[rule] == CURVE:
                offset = on_curve(rules, target, value) - on_curve(rules, target, neutral[source])
            own[column] += offset
    for column in rules.targets:
        own[column] = min(max(own[column], lower[column]), upper[column])
