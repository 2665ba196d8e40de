"""The documented partial frame ("Ani-Buffer") as a view on one row of a `FrameBlock`.

Design overview: the frame path writes matrices; plug-ins, tests and tools want the documented
object with its operators. A `FrameBuffer` is that object, and it owns no numbers: it reads and
writes its row. A stand-alone buffer has a block of one row to itself.

Where the published description leaves room, this is what was decided:

- *Type of a value.* The row always holds the channel's own unit; the frame type says how the value
  is read and written here. Converting a channel thus never changes what it does, and operators may
  mix buffers of different types. Their arithmetic happens in the channel's own unit.
- *Default type.* Published: degree. Here: the channel's own, since angles are radians inside.
- *Percent and valence "keep" 0..1 and -1..1.* Nothing is clamped when it is written, because an
  added layer may say -0.2; `clamp` and, at the end of a program, `Blend.clamp` do it.
- *Zero-values* are value 0, passthrough 1, speed 1. The frame type is neither and stays.
- *Dirty* is marked as long as a channel is used (value or speed) or the buffer was touched; what a
  controller writes past this view is therefore seen too.
- *Multiply* changes the buffer itself, and its values alone.

Units and frames: own units as said above; `delta_s` in seconds.
Threading: as the block: one thread.
Safety: what is set through a buffer must be finite, otherwise ValueError names the channel.
"""

from __future__ import annotations

import math

from sera.animation.frame.block import FRAME_TYPES, FrameBlock
from sera.animation.frame.frame_types import (
    FrameType,
    from_frame_type,
    refuse_impossible,
    to_frame_type,
)
from sera.animation.frame.layout import ChannelLayout


class FrameBuffer:
    """One partial frame. Channels are given by name or by column.

    Args:
        layout: the channels that exist in this frame.
        body_name: the body that it is for.
        delta_s: the time that it covers.
    """

    __slots__ = ("block", "layout", "row")

    def __init__(self, layout: ChannelLayout, body_name: str = "", delta_s: float = 0.0) -> None:
        self.block = FrameBlock(layout, 1, body_name)
        self.layout = layout
        self.row = 0
        self.retime(delta_s)

    @classmethod
    def on_row(cls, block: FrameBlock, row: int) -> FrameBuffer:
        """A view on a row; what is done to the one is seen in the other."""
        view = cls.__new__(cls)
        view.block = block
        view.layout = block.layout
        view.row = block.check_row(row)
        return view

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self.value(name):g}" for name in self.active_channels)
        return f"FrameBuffer({self.body_name!r}, {shown or 'nothing active'})"

    # What the frame as a whole says

    @property
    def body_name(self) -> str:
        return self.block.body_name

    @property
    def delta_s(self) -> float:
        return float(self.block.delta_s[self.row])

    @property
    def dirty(self) -> bool:
        return bool(self.block.touched[self.row]) or self.used

    @property
    def used(self) -> bool:
        """Whether any channel has a value or a speed in this frame."""
        block, row = self.block, self.row
        return bool(block.masks[row].any() or block.speed_masks[row].any())

    @property
    def active_channels(self) -> tuple[str, ...]:
        """The names of the channels that were given a value."""
        return tuple(self.layout.names[at] for at in self.block.masks[self.row].nonzero()[0])

    # What a channel says

    def value(self, channel: str | int) -> float:
        """The channel's value in its frame type."""
        at = self.layout.index(channel)
        return to_frame_type(self.own_value(at), self.layout.specs[at], self.frame_type(at))

    def own_value(self, channel: str | int) -> float:
        """The channel's value in its own unit, as the kernels see it."""
        return float(self.block.values[self.row, self.layout.index(channel)])

    def mask(self, channel: str | int) -> bool:
        return bool(self.block.masks[self.row, self.layout.index(channel)])

    def passthrough(self, channel: str | int) -> float:
        return float(self.block.passthrough[self.row, self.layout.index(channel)])

    def speed(self, channel: str | int) -> float:
        return float(self.block.speeds[self.row, self.layout.index(channel)])

    def speed_mask(self, channel: str | int) -> bool:
        return bool(self.block.speed_masks[self.row, self.layout.index(channel)])

    def frame_type(self, channel: str | int) -> FrameType:
        return FRAME_TYPES[int(self.block.frame_types[self.row, self.layout.index(channel)])]

    # Operators on a channel

    def set_value(
        self, channel: str | int, value: float, frame_type: FrameType | None = None
    ) -> None:
        """Give a channel its value; it becomes active, and the frame dirty.

        Args:
            channel: name or column.
            value: the value in `frame_type`.
            frame_type: becomes the channel's type; None leaves the type that it has.
        """
        at = self.layout.index(channel)
        spec = self.layout.specs[at]
        chosen = self.frame_type(at) if frame_type is None else frame_type
        own = from_frame_type(value, spec, chosen)
        if not math.isfinite(own):
            raise ValueError(f"channel {spec.name!r} cannot be set to {value}; give a number")
        block, row = self.block, self.row
        block.values[row, at] = own
        block.masks[row, at] = 1
        block.frame_types[row, at] = FRAME_TYPES.index(chosen)

    def set_speed(self, channel: str | int, speed: float) -> None:
        """Change the multiplier of a channel's speed; its value's mask stays as it is."""
        at = self.layout.index(channel)
        if not (math.isfinite(speed) and speed >= 0.0):
            raise ValueError(
                f"the speed of channel {self.layout.names[at]!r} cannot be {speed}; "
                "give 1 for the usual speed, 0.5 for half of it"
            )
        self.block.speeds[self.row, at] = speed
        self.block.speed_masks[self.row, at] = 1

    def set_passthrough(self, channel: str | int, passthrough: float) -> None:
        """Change a channel's opacity, 0 to 1. That alone animates nothing: no mask, not dirty."""
        at = self.layout.index(channel)
        if not 0.0 <= passthrough <= 1.0:
            raise ValueError(
                f"the passthrough of channel {self.layout.names[at]!r} cannot be {passthrough}; "
                "give a number from 0 to 1"
            )
        self.block.passthrough[self.row, at] = passthrough

    def clear_value(self, channel: str | int) -> None:
        """Back to zero-values without flags; dirty no more if no other channel is used."""
        at = self.layout.index(channel)
        block, row = self.block, self.row
        block.values[row, at] = 0.0
        block.masks[row, at] = 0
        block.passthrough[row, at] = 1.0
        block.speeds[row, at] = 1.0
        block.speed_masks[row, at] = 0
        if not self.used:
            block.touched[row] = 0

    def convert(self, channel: str | int, frame_type: FrameType) -> float:
        """Express a channel in another type from now on; its value in that type.

        Raises:
            ValueError: the channel has no such type (a light in degrees).
        """
        at = self.layout.index(channel)
        refuse_impossible(self.layout.specs[at], frame_type)
        self.block.frame_types[self.row, at] = FRAME_TYPES.index(frame_type)
        return self.value(at)

    # Operators on the frame

    def retime(self, delta_s: float) -> None:
        """Change the time that the frame covers."""
        if not (math.isfinite(delta_s) and delta_s >= 0.0):
            raise ValueError(f"a frame cannot cover {delta_s} s; give 0 or more")
        self.block.delta_s[self.row] = delta_s

    def touch(self) -> None:
        """Mark the frame as dirty without setting a value."""
        self.block.touched[self.row] = 1

    def clone(self) -> FrameBuffer:
        """A deep copy with numbers of its own."""
        copy = FrameBuffer(self.layout, self.body_name, self.delta_s)
        for name in ("values", "masks", "passthrough", "speeds", "speed_masks", "frame_types"):
            getattr(copy.block, name)[0] = getattr(self.block, name)[self.row]
        copy.block.touched[0] = self.block.touched[self.row]
        return copy

    def multiply(self, factor: float) -> None:
        """Multiply the values of all active channels, in their own unit."""
        if not math.isfinite(factor):
            raise ValueError(f"a frame cannot be multiplied by {factor}; give a number")
        for at in self.block.masks[self.row].nonzero()[0]:
            self.block.values[self.row, at] *= factor

    def clamp(self) -> None:
        """Bring the values of all active channels into their ranges."""
        for at in self.block.masks[self.row].nonzero()[0]:
            own = float(self.block.values[self.row, at])
            self.block.values[self.row, at] = self.layout.specs[at].clamp(own)
