"""The matrices behind a whole program: one row a layer or controller, one column a channel.

Design overview: everything that a partial frame says about a channel is one entry of a matrix.
Controllers write floats straight into their row (`values[row, column] = x`,
`masks[row, column] = 1`), kernels blend the rows, and `FrameBuffer` shows a row as the documented
buffer. Everything is allocated here, once; a frame allocates nothing.
Units and frames: values are in the channel's own unit, whatever type a buffer shows them in, so
that rows can be blended without asking.
Threading: none of its own; one thread steps a program.
Safety: whatever is written into a row, the kernels keep NaN and infinity out of the result.
"""

from __future__ import annotations

import numpy as np

from sera.animation.frame.frame_types import OWN_TYPES, FrameType
from sera.animation.frame.layout import ChannelLayout

FRAME_TYPES: tuple[FrameType, ...] = tuple(FrameType)
"""The types in the order of their numbers in `FrameBlock.frame_types`."""


class FrameBlock:
    """Rows of partial frames over one layout.

    Args:
        layout: the columns.
        rows: how many rows.
        body_name: the body that the frames are for.

    Attributes:
        values: float64 (rows, channels).
        masks: uint8 (rows, channels), 1 where a channel was animated in this frame.
        passthrough: float64 (rows, channels), the opacity of each channel, 0 to 1.
        speeds: float64 (rows, channels), multipliers of the motors' own speed.
        speed_masks: uint8 (rows, channels), 1 where a speed was set; independent of `masks`.
        layer_masks: float64 (rows, channels), how much a layer may touch a channel at all, 0 to 1.
            Set by the program when it is loaded; `begin_frame` leaves it alone.
        layer_weights: float64 (rows,), 0 to 1, fades included. `begin_frame` leaves it alone.
        weights: float64 (rows, channels), mask x passthrough x layer mask x layer weight as used
            by the last blend.
        frame_types: uint8 (rows, channels), index into `FRAME_TYPES`.
        touched: uint8 (rows,), 1 where a row was marked dirty without a value.
        delta_s: float64 (rows,), the time that each row's frame covers.
    """

    __slots__ = (
        "body_name",
        "delta_s",
        "frame_types",
        "layer_masks",
        "layer_weights",
        "layout",
        "masks",
        "passthrough",
        "rows",
        "speed_masks",
        "speeds",
        "touched",
        "values",
        "weights",
    )

    def __init__(self, layout: ChannelLayout, rows: int, body_name: str = "") -> None:
        if rows < 1:
            raise ValueError(f"a block needs at least one row, not {rows}")
        shape = (rows, len(layout))
        self.layout = layout
        self.rows = rows
        self.body_name = body_name
        self.values = np.zeros(shape)
        self.masks = np.zeros(shape, dtype=np.uint8)
        self.passthrough = np.ones(shape)
        self.speeds = np.ones(shape)
        self.speed_masks = np.zeros(shape, dtype=np.uint8)
        self.layer_masks = np.ones(shape)
        self.layer_weights = np.ones(rows)
        self.weights = np.zeros(shape)
        own = [FRAME_TYPES.index(OWN_TYPES[unit]) for unit in layout.units]
        self.frame_types = np.tile(np.array(own, dtype=np.uint8), (rows, 1))
        self.touched = np.zeros(rows, dtype=np.uint8)
        self.delta_s = np.zeros(rows)

    def __repr__(self) -> str:
        return f"FrameBlock({self.rows} rows of {len(self.layout)} channels)"

    def begin_frame(self, delta_s: float) -> None:
        """Empty all rows for a new frame, in place; what the program set stays."""
        self.values.fill(0.0)
        self.masks.fill(0)
        self.passthrough.fill(1.0)
        self.speeds.fill(1.0)
        self.speed_masks.fill(0)
        self.touched.fill(0)
        self.delta_s.fill(delta_s)

    def check_row(self, row: int) -> int:
        """The row as it is.

        Raises:
            LookupError: the block has no such row.
        """
        if not 0 <= row < self.rows:
            raise LookupError(f"there is no row {row}; this block has {self.rows}, counted from 0")
        return row
