"""How channels become servo positions.

Design overview: a `BoardLayout` lists the servos and lights of a model in the order of its board;
each `ServoMap` is a straight line from channel to servo. `calibration` corrects it for one unit.

Units and frames: servo units (degrees 0 to 180, or percent 0 to 100); channels in their own unit.
servo = offset + sign · scale · value.
Threading: immutable.
Safety: a position never leaves the servo's range.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

_LARGEST = 6553.5
"""What the protocol's two bytes can carry."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ServoMap:
    """One servo: `servo = offset + sign · scale · value`, kept between `lower` and `upper`."""

    channel: str
    sign: int = 1
    offset: float = 90.0
    """Servo position where the channel is zero."""
    scale: float = math.degrees(1.0)
    """Servo units for one unit of the channel; the default turns radians into degrees."""
    lower: float = 0.0
    upper: float = 180.0

    def __post_init__(self) -> None:
        numbers = (self.offset, self.scale, self.lower, self.upper)
        if self.sign not in {-1, 1} or not all(map(math.isfinite, numbers)) or self.scale <= 0.0:
            raise ValueError(
                f"servo of '{self.channel}': the sign is 1 or -1, all else is a finite number, and "
                "the scale is above zero"
            )
        if not 0.0 <= self.lower < self.upper <= _LARGEST:
            raise ValueError(
                f"servo of '{self.channel}': the range {self.lower} to {self.upper} must rise and "
                f"lie between 0 and {_LARGEST}"
            )

    def to_servo(self, value: float) -> float:
        """The servo position for a channel's value, within the servo's range."""
        position = self.offset + self.sign * self.scale * value
        return min(max(position, self.lower), self.upper)

    def to_channel(self, position: float) -> float:
        """The channel's value at a servo position."""
        return (position - self.offset) * self.sign / self.scale


@dataclasses.dataclass(frozen=True, slots=True)
class BoardLayout:
    """What hangs on a board, in its order."""

    robot: str
    servos: tuple[ServoMap, ...]
    lights: tuple[str, ...] = ()
    """Channels of lights, percent 0 to 1."""


KEEPON = BoardLayout(
    "keepon",
    (
        ServoMap(channel="Body.pan"),
        ServoMap(channel="Body.roll"),
        ServoMap(channel="Body.tilt"),
        # Bop is no angle: the board takes percent, the channel 0 to 1.
        ServoMap(channel="Body.bop", offset=0.0, scale=100.0, upper=100.0),
    ),
)
ADELINO = BoardLayout(
    "adelino",
    tuple(
        ServoMap(channel=f"Body.{joint}")
        for joint in ("base", "lower_bend", "upper_bend", "head_bend", "head_twist")
    ),
    ("Body.left_eye", "Body.right_eye"),
)
LAYOUTS: Mapping[str, BoardLayout] = {layout.robot: layout for layout in (KEEPON, ADELINO)}
