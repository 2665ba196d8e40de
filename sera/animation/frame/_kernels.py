"""Blending of the rows of a frame block, compiled.

Design overview: `weigh_rows` makes one opacity for each row and channel, `blend_rows` lays the rows
from bottom to top and keeps account of who contributed, `blend_speeds` lays the speed multipliers,
`clamp_rows` brings values into their ranges. All write into arrays that they are given.

Shares say which layer owns a channel. An override with opacity w takes w of everything and leaves
1-w to what is below; an addition with opacity w stands beside what is below with the weight w, so
that additions share alike in any order. Below an override they count as one whole together. At
the end shares are scaled to a sum of 1 over the layers: the base pose has no share.

Units and frames: values in the channels' own units, the same for all rows of a column.
Threading: no state; the interpreter lock is released.
Safety: a value or an opacity that is not finite, or that would make the result so, is left out
and reported, never passed on; opacities are cut to 0..1. Indices in `order` are trusted here and
checked at the door (`Blend`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sera.kinematics._compile import kernel

FloatArray = NDArray[np.float64]
ByteArray = NDArray[np.uint8]
IntArray = NDArray[np.int64]

ADD = 0
OVERRIDE = 1


@kernel
def weigh_rows(
    masks: ByteArray,
    passthrough: FloatArray,
    layer_masks: FloatArray,
    layer_weights: FloatArray,
    weights: FloatArray,
) -> None:
    """Opacity of each row and channel: mask x passthrough x layer mask x layer weight."""
    for row in range(masks.shape[0]):
        for channel in range(masks.shape[1]):
            weights[row, channel] = (
                passthrough[row, channel] * layer_masks[row, channel] * layer_weights[row]
                if masks[row, channel]
                else 0.0
            )


@kernel
def _laid(below: float, above: float, weight: float, mode: int) -> float:
    if mode == ADD:
        return below + weight * above
    # In this form the ends are exact, and nothing between two numbers overflows.
    return (1.0 - weight) * below + weight * above


@kernel
def _report(ignored: IntArray, count: int, entry: int) -> int:
    if count < ignored.shape[0]:
        ignored[count] = entry
    return count + 1


@kernel
def _give_way(
    contributions: FloatArray, channel: int, order: IntArray, below: int, mass: float, weight: float
) -> float:
    """Make room for an override: the layers below keep 1 - weight of one whole. Their mass."""
    keep = (1.0 - weight) / mass if mass > 1.0 else 1.0 - weight
    for position in range(below):
        contributions[order[position], channel] *= keep
    return mass * keep


@kernel
def _scale_to_one(contributions: FloatArray, channel: int) -> None:
    # Summed anew: the running mass has been rounded otherwise than its parts.
    total = 0.0
    for row in range(contributions.shape[0]):
        total += contributions[row, channel]
    if total > 0.0:
        for row in range(contributions.shape[0]):
            contributions[row, channel] /= total


@kernel
def _held(base: float, last: float) -> float:
    """The base value; where that is no number the last result, so that a joint holds."""
    if math.isfinite(base):
        return base
    return last if math.isfinite(last) else 0.0


@kernel
def blend_rows(
    values: FloatArray,
    weights: FloatArray,
    modes: ByteArray,
    order: IntArray,
    base: FloatArray,
    out_values: FloatArray,
    out_mask: ByteArray,
    contributions: FloatArray,
    ignored: IntArray,
) -> int:
    """Lay rows on each other, from the first of `order` to the last.

    Args:
        values: (rows, channels).
        weights: (rows, channels), opacities; above 1 counts as 1, 0 or less as nothing.
        modes: (rows,), ADD or OVERRIDE.
        order: the rows that take part, bottom first, each once.
        base: (channels,), the pose below all layers.
        out_values: (channels,), written; base where nobody contributed.
        out_mask: (channels,), written; 1 where somebody contributed.
        contributions: (rows, channels), written; shares of the layers, summing to 1 or all 0.
        ignored: written; row x channels + channel of what was left out. The row after the last
            stands for the base.

    Returns:
        How many were left out, also those beyond the length of `ignored`.
    """
    rows, channels = values.shape
    count = 0
    for channel in range(channels):
        for row in range(rows):
            contributions[row, channel] = 0.0
        if not math.isfinite(base[channel]):
            count = _report(ignored, count, rows * channels + channel)
        value = _held(base[channel], out_values[channel])
        mass = 0.0
        for position in range(order.shape[0]):
            row = order[position]
            weight = weights[row, channel]
            if weight <= 0.0 and weight > -math.inf:
                continue
            laid = _laid(value, values[row, channel], min(weight, 1.0), modes[row])
            if not (math.isfinite(weight) and math.isfinite(laid)):
                count = _report(ignored, count, row * channels + channel)
                continue
            weight = min(weight, 1.0)
            if modes[row] != ADD:
                mass = _give_way(contributions, channel, order, position, mass, weight)
            value = laid
            contributions[row, channel] = weight
            mass += weight
        out_values[channel] = value
        out_mask[channel] = 1 if mass > 0.0 else 0
        _scale_to_one(contributions, channel)
    return count


@kernel
def blend_speeds(
    speeds: FloatArray,
    speed_masks: ByteArray,
    passthrough: FloatArray,
    layer_masks: FloatArray,
    layer_weights: FloatArray,
    modes: ByteArray,
    order: IntArray,
    out_speeds: FloatArray,
    out_mask: ByteArray,
    ignored: IntArray,
    count: int,
) -> int:
    """The speed multipliers of the same layers; 1 where nobody set one.

    The first one comes in from 1 whatever the mode, since an unset speed is no summand. What is
    left out is appended to `ignored` after the first `count`; the new count is returned.
    """
    channels = speeds.shape[1]
    for channel in range(channels):
        speed = 1.0
        is_set = False
        for position in range(order.shape[0]):
            row = order[position]
            if not speed_masks[row, channel]:
                continue
            weight = passthrough[row, channel] * layer_masks[row, channel] * layer_weights[row]
            if weight <= 0.0 and weight > -math.inf:
                continue
            mode = modes[row] if is_set else OVERRIDE
            laid = _laid(speed, speeds[row, channel], min(weight, 1.0), mode)
            if math.isfinite(weight) and math.isfinite(laid) and speeds[row, channel] >= 0.0:
                speed = laid
                is_set = True
            else:
                count = _report(ignored, count, row * channels + channel)
        out_speeds[channel] = speed
        out_mask[channel] = 1 if is_set else 0
    return count


@kernel
def clamp_rows(
    values: FloatArray, lower: FloatArray, upper: FloatArray, fallback: FloatArray
) -> int:
    """Bring values (rows, channels) into their ranges; how many were outside.

    What is not a number becomes `fallback`, which is itself kept inside.
    """
    count = 0
    for row in range(values.shape[0]):
        for channel in range(values.shape[1]):
            value = values[row, channel]
            if lower[channel] <= value <= upper[channel] and math.isfinite(value):
                continue
            count += 1
            wanted = fallback[channel] if math.isnan(value) else value
            values[row, channel] = max(lower[channel], min(wanted, upper[channel]))
    return count
