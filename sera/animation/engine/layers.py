"""Layers and what fills them.

Design overview: a layer owns one row of the frame block. Its controllers step one after the other
and write into that row: generators set channels, operators change what is there. The layer's
weight fades towards its goal, so that layers come and go without a jump; a mask says which
channels it may touch at all.

Life cycle of a controller: made from its settings → `bind(row)` once, where names become columns →
`step(dt_s)` every frame while its layer has any weight → never again once it was muted for a fault.

Units and frames: values in the channels' own units.
Threading: one owner, the engine.
Safety: a controller that raises, or writes what is no number, is muted and reported; its layer
goes on without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sera.animation.frame import BlendMode, ChannelLayout, FrameBlock

FloatArray = NDArray[np.float64]


class Row:
    """One layer's row: what controllers write into."""

    __slots__ = ("layout", "masks", "passthrough", "values")

    def __init__(self, block: FrameBlock, row: int) -> None:
        self.layout: ChannelLayout = block.layout
        self.values: FloatArray = block.values[row]
        self.masks: NDArray[np.uint8] = block.masks[row]
        self.passthrough: FloatArray = block.passthrough[row]

    def write(self, column: int, value: float) -> None:
        """Animate a channel in this frame."""
        self.values[column] = value
        self.masks[column] = 1

    def add(self, column: int, value: float) -> None:
        """Add to what the layer has for a channel; nought where it has nothing yet."""
        self.values[column] += value
        self.masks[column] = 1


class Controller(ABC):
    """Something that moves channels."""

    name: str = ""
    muted: bool = False

    @abstractmethod
    def bind(self, row: Row) -> None:
        """Find the columns once; LookupError names a channel that the body does not have."""

    @abstractmethod
    def step(self, dt_s: float) -> None:
        """Write this frame's values into the row."""


class Layer:
    """A chain of controllers with a weight."""

    def __init__(
        self,
        name: str,
        controllers: Sequence[Controller],
        *,
        mode: BlendMode = BlendMode.ADD,
        weight: float = 1.0,
        active: bool = True,
        fade_s: float = 0.3,
        only: Iterable[str] | None = None,
    ) -> None:
        """Make a layer; `only` names channels or body sets that it may touch, None: all."""
        if not 0.0 <= weight <= 1.0:
            raise ValueError(f"layer {name!r} has the weight {weight}; it lies between 0 and 1")
        if not fade_s >= 0.0:
            raise ValueError(f"layer {name!r} fades in {fade_s} s; that cannot be negative")
        self.name = name
        self.controllers = list(controllers)
        self.mode = mode
        self.fade_s = fade_s
        self.only = None if only is None else tuple(only)
        self._full = weight
        self._goal = weight if active else 0.0
        self._now = self._goal
        self._rate = 0.0

    @property
    def weight(self) -> float:
        """What it counts now, fades included."""
        return self._now

    @property
    def active(self) -> bool:
        return self._goal > 0.0

    def set(
        self,
        *,
        active: bool | None = None,
        weight: float | None = None,
        fade_s: float | None = None,
    ) -> None:
        """Switch or weigh it; the change takes `fade_s` (its own fade where None)."""
        if weight is not None:
            if not 0.0 <= weight <= 1.0:
                raise ValueError(f"the weight {weight} of layer {self.name!r} is not within 0 to 1")
            self._full = weight
        on = self.active if active is None else active
        self._goal = self._full if on else 0.0
        duration_s = self.fade_s if fade_s is None else fade_s
        self._rate = abs(self._goal - self._now) / duration_s if duration_s > 0.0 else 0.0
        if duration_s == 0.0:
            self._now = self._goal

    def fade(self, dt_s: float) -> None:
        """Move the weight towards its goal."""
        reach = self._rate * dt_s
        if abs(self._goal - self._now) <= reach or self._rate == 0.0:
            self._now = self._goal
        else:
            self._now += reach if self._goal > self._now else -reach

    def mask(self, layout: ChannelLayout) -> FloatArray:
        """One for every channel that the layer may touch."""
        if self.only is None:
            return np.ones(len(layout))
        allowed = np.zeros(len(layout))
        for name in self.only:
            columns = layout.of_set(name)
            if "." in name or len(columns) == 0:
                columns = layout.indices([name])
            allowed[columns] = 1.0
        return allowed
