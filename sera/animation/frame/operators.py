"""Operators on two partial frames: add, subtract, override as published, and the layers' blend.

All of them make a new stand-alone buffer with the body, the channels, the frame types and the
delta seconds of A. Channels that exist only in B are ignored. These are the plain forms, channel
by channel; the frame path uses the kernels, and tests hold both to the same results.

Where the published description leaves room, this is what was decided:

- *Speeds.* Value and speed are marked independently, so each follows its own mask: two set speeds
  are added, one set speed is copied, two unset ones stay unset and 1 (not 2).
- *Passthroughs* are added where both buffers use the channel (value or speed), and the sum is cut
  to 1, since an opacity lies between 0 and 1. Otherwise the one that is used is copied.
- *Subtract* "works as add, but performing subtraction of values": values alone are subtracted,
  speeds and passthroughs are added (a difference of two usual speeds would stop the motor), and
  what is active in B alone is copied, not negated.
- *Override* lays value with passthrough where B's value is active, and speed where B's speed is
  set; a B without a speed leaves A's.
- *Dirty*: when A or B is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import IntEnum

from sera.animation.frame.buffer import FrameBuffer


class BlendMode(IntEnum):
    """How a layer joins what is below it. The numbers are those of the kernels."""

    ADD = 0
    OVERRIDE = 1


def add(a: FrameBuffer, b: FrameBuffer) -> FrameBuffer:
    """A + B: values, speeds and passthroughs are added."""
    return _sum(a, b, 1.0)


def subtract(a: FrameBuffer, b: FrameBuffer) -> FrameBuffer:
    """A - B: as `add`, but where both are active B's values are subtracted."""
    return _sum(a, b, -1.0)


def override(a: FrameBuffer, b: FrameBuffer) -> FrameBuffer:
    """A copy of A with B's active channels laid over it."""
    result = _copy_of(a, b)
    block = result.block
    for to, at in _shared(a, b):
        if b.mask(at):
            block.values[0, to] = b.own_value(at)
            block.masks[0, to] = 1
        if b.speed_mask(at):
            block.speeds[0, to] = b.speed(at)
            block.speed_masks[0, to] = 1
        if _is_used(b, at):
            block.passthrough[0, to] = b.passthrough(at)
    return result


def blend(a: FrameBuffer, b: FrameBuffer, mode: BlendMode, weight: float = 1.0) -> FrameBuffer:
    """Lay layer B on the blend so far, A: what the kernels do for one layer.

    B's opacity in a channel is its passthrough times `weight`, cut to 0..1. Override goes that far
    from A to B; add puts that part of B on A. Below a channel that A does not animate lies the
    neutral pose: a layer that fades in starts there, and an added value is an offset from there
    (with a neutral of 0 this is the published copying). A's passthroughs stay. Channels of B with
    a value that is not finite, or that would make the result so, are left out.
    """
    result = _copy_of(a, b)
    block = result.block
    for to, at in _shared(a, b):
        opacity = b.passthrough(at) * weight
        if not math.isfinite(opacity) or opacity <= 0.0:
            continue
        opacity = min(opacity, 1.0)
        if b.mask(at):
            below = a.own_value(to) if a.mask(to) else a.layout.specs[to].neutral
            value = _laid(below, b.own_value(at), opacity, mode)
            if math.isfinite(value):
                block.values[0, to] = value
                block.masks[0, to] = 1
        if b.speed_mask(at):
            # The first speed that is set comes in from 1, whatever the mode.
            joined = mode if a.speed_mask(to) else BlendMode.OVERRIDE
            speed = _laid(a.speed(to), b.speed(at), opacity, joined)
            if math.isfinite(speed) and b.speed(at) >= 0.0:
                block.speeds[0, to] = speed
                block.speed_masks[0, to] = 1
    return result


def _laid(below: float, above: float, opacity: float, mode: BlendMode) -> float:
    if mode is BlendMode.ADD:
        return below + opacity * above
    return (1.0 - opacity) * below + opacity * above


def _sum(a: FrameBuffer, b: FrameBuffer, sign: float) -> FrameBuffer:
    result = _copy_of(a, b)
    block = result.block
    for to, at in _shared(a, b):
        if b.mask(at):
            both = a.mask(to)
            block.values[0, to] = (
                a.own_value(to) + sign * b.own_value(at) if both else b.own_value(at)
            )
            block.masks[0, to] = 1
        if b.speed_mask(at):
            block.speeds[0, to] = b.speed(at) + (a.speed(to) if a.speed_mask(to) else 0.0)
            block.speed_masks[0, to] = 1
        if _is_used(b, at):
            below = a.passthrough(to) if _is_used(a, to) else 0.0
            block.passthrough[0, to] = min(below + b.passthrough(at), 1.0)
    return result


def _copy_of(a: FrameBuffer, b: FrameBuffer) -> FrameBuffer:
    result = a.clone()
    if b.dirty:
        result.touch()
    return result


def _is_used(buffer: FrameBuffer, column: int) -> bool:
    return buffer.mask(column) or buffer.speed_mask(column)


def _shared(a: FrameBuffer, b: FrameBuffer) -> Iterator[tuple[int, int]]:
    """Columns in A and B of the channels that exist in both."""
    if a.layout is b.layout:
        yield from ((at, at) for at in range(len(a.layout)))
        return
    for at, name in enumerate(b.layout.names):
        to = a.layout.find(name)
        if to is None:
            continue
        if a.layout.units[to] is not b.layout.units[at]:
            raise ValueError(
                f"channel {name!r} is kept in {a.layout.units[to].value} by {a.body_name!r} "
                f"and in {b.layout.units[at].value} by {b.body_name!r}; "
                "give it the same unit in both bodies"
            )
        yield to, at
