"""What the number of a channel means to who reads and writes it: degree, radian, percent, valence.

The documented buffer lets every channel say the type of its value. Degrees and radians turn into
each other by themselves; percent and valence need the channel's range, which its `ChannelSpec` has.
`METRE` joins the four documented types, because spatial channels are kept in metres.
"""

from __future__ import annotations

import math
from enum import StrEnum

from sera.animation.channels import ChannelSpec, Unit


class FrameType(StrEnum):
    """How a channel's value is read and written."""

    DEGREE = "degree"
    RADIAN = "radian"
    PERCENT = "percent"
    """0 is the lower end of the range, 1 the upper one."""
    VALENCE = "valence"
    """-1 is the lower end of the range, 0 the neutral value, 1 the upper end."""
    METRE = "metre"


OWN_TYPES = {
    Unit.RADIAN: FrameType.RADIAN,
    Unit.METRE: FrameType.METRE,
    Unit.PERCENT: FrameType.PERCENT,
    Unit.VALENCE: FrameType.VALENCE,
}
"""The type in which a channel is kept."""


def refuse_impossible(spec: ChannelSpec, frame_type: FrameType) -> None:
    """A light has no degrees, and a channel without ends has no percent.

    Raises:
        ValueError: the channel cannot be expressed in that type.
    """
    own = OWN_TYPES[spec.unit]
    if frame_type is own or (own is FrameType.RADIAN and frame_type is FrameType.DEGREE):
        return
    if frame_type not in {FrameType.PERCENT, FrameType.VALENCE}:
        raise ValueError(
            f"channel {spec.name!r} is kept in {own.value} and has no value in "
            f"{frame_type.value}; use {own.value}, percent or valence"
        )
    if not math.isfinite(spec.upper - spec.lower) or spec.upper == spec.lower:
        raise ValueError(
            f"channel {spec.name!r} ranges from {spec.lower} to {spec.upper}, "
            f"of which there is no {frame_type.value}; use {own.value}"
        )


def to_frame_type(own_value: float, spec: ChannelSpec, frame_type: FrameType) -> float:
    """A value in the channel's own unit, as `frame_type`. Nothing is clamped."""
    refuse_impossible(spec, frame_type)
    if frame_type is OWN_TYPES[spec.unit]:
        return own_value
    if frame_type is FrameType.DEGREE:
        return math.degrees(own_value)
    if frame_type is FrameType.PERCENT:
        return spec.to_percent(own_value)
    return spec.to_valence(own_value)


def from_frame_type(value: float, spec: ChannelSpec, frame_type: FrameType) -> float:
    """The way back of `to_frame_type`."""
    refuse_impossible(spec, frame_type)
    if frame_type is OWN_TYPES[spec.unit]:
        return value
    if frame_type is FrameType.DEGREE:
        return math.radians(value)
    if frame_type is FrameType.PERCENT:
        return spec.from_percent(value)
    return spec.from_valence(value)
