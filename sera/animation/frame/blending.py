"""The blend of a block's rows: the result of a frame and who contributed to it.

Design overview: a `Blend` ties a `FrameBlock` to an order of layers, their modes and a base pose,
and owns the arrays of the result. `run` is what happens each frame: three calls of kernels and no
allocation. Names are looked at again only in the reports (`owners`, `ignored`).
Units and frames: the channels' own units.
Threading: one thread, as the block.
Safety: the result is finite whatever is in the rows; `clamp` brings it into the channels' ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sera.animation.frame._kernels import blend_rows, blend_speeds, clamp_rows, weigh_rows
from sera.animation.frame.block import FrameBlock
from sera.animation.frame.operators import BlendMode


class Owner(NamedTuple):
    """A layer's part in a channel."""

    row: int
    share: float
    """0 to 1; the shares of a channel's owners sum to 1."""


class Ignored(NamedTuple):
    """An entry that was left out because it was not finite."""

    row: int | None
    """None for the base pose."""
    channel: str


class Blend:
    """Blends rows of a block, bottom to top.

    Args:
        block: the rows.
        order: the rows that take part, bottom first; None for all as they stand.

    Attributes:
        modes: uint8 (rows,), a `BlendMode` each; override at first.
        base: float64 (channels,), the pose below all layers; neutral at first.
        values: float64 (channels,), the result; base where no layer contributed.
        mask: uint8 (channels,), 1 where a layer contributed.
        shares: float64 (rows, channels), what each layer contributed to each channel.
        speeds: float64 (channels,), multipliers; 1 where no layer set one.
        speed_mask: uint8 (channels,), 1 where a layer set a speed.
        ignored_count: how many entries the last run left out.
    """

    __slots__ = (
        "_as_row",
        "_ignored",
        "_order",
        "base",
        "block",
        "ignored_count",
        "mask",
        "modes",
        "shares",
        "speed_mask",
        "speeds",
        "values",
    )

    def __init__(self, block: FrameBlock, order: Sequence[int] | None = None) -> None:
        channels = len(block.layout)
        self.block = block
        self.modes = np.full(block.rows, BlendMode.OVERRIDE, dtype=np.uint8)
        self.base = block.layout.neutral.copy()
        self.values = self.base.copy()
        self.mask = np.zeros(channels, dtype=np.uint8)
        self.shares = np.zeros((block.rows, channels))
        self.speeds = np.ones(channels)
        self.speed_mask = np.zeros(channels, dtype=np.uint8)
        self.ignored_count = 0
        # Room for every entry, once for its value and once for its speed, and for the base.
        self._ignored = np.zeros((2 * block.rows + 1) * channels, dtype=np.int64)
        self._as_row = self.values.reshape(1, channels)
        self._order = np.zeros(0, dtype=np.int64)
        self.set_order(range(block.rows) if order is None else order)

    @property
    def order(self) -> tuple[int, ...]:
        """The rows that take part, bottom first."""
        return tuple(int(row) for row in self._order)

    def set_order(self, order: Sequence[int]) -> None:
        """Choose which rows take part and how they lie. For loading and switching, not frames.

        Raises:
            LookupError: the block has no such row.
            ValueError: a row stands twice.
        """
        rows = [self.block.check_row(row) for row in order]
        if len(set(rows)) != len(rows):
            twice = next(row for row in rows if rows.count(row) > 1)
            raise ValueError(f"row {twice} stands twice in the order {rows}; name each row once")
        self._order = np.array(rows, dtype=np.int64)

    def set_mode(self, row: int, mode: BlendMode) -> None:
        """Choose how a row joins what is below it."""
        self.modes[self.block.check_row(row)] = mode

    def run(self) -> int:
        """Blend the rows as they are; how many entries were left out (see `ignored`)."""
        block = self.block
        weigh_rows(
            block.masks, block.passthrough, block.layer_masks, block.layer_weights, block.weights
        )
        count = blend_rows(
            block.values,
            block.weights,
            self.modes,
            self._order,
            self.base,
            self.values,
            self.mask,
            self.shares,
            self._ignored,
        )
        self.ignored_count = blend_speeds(
            block.speeds,
            block.speed_masks,
            block.passthrough,
            block.layer_masks,
            block.layer_weights,
            self.modes,
            self._order,
            self.speeds,
            self.speed_mask,
            self._ignored,
            count,
        )
        return self.ignored_count

    def clamp(self) -> int:
        """Bring the result into the channels' ranges; how many were outside."""
        layout = self.block.layout
        return clamp_rows(self._as_row, layout.lower, layout.upper, layout.neutral)

    def owners(self, channel: str | int) -> tuple[Owner, ...]:
        """Who contributed to a channel in the last run, the largest share first."""
        column = self.shares[:, self.block.layout.index(channel)]
        found = [Owner(int(row), float(column[row])) for row in column.nonzero()[0]]
        return tuple(sorted(found, key=lambda owner: (-owner.share, owner.row)))

    def ignored(self) -> tuple[Ignored, ...]:
        """What the last run left out, by row and channel; the base last."""
        layout = self.block.layout
        entries = sorted({int(entry) for entry in self._ignored[: self.ignored_count]})
        return tuple(
            Ignored(row if row < self.block.rows else None, layout.names[channel])
            for row, channel in (divmod(entry, len(layout)) for entry in entries)
        )
