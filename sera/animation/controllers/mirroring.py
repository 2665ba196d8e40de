"""The looking-glass: left for right."""

from __future__ import annotations

from typing import Any, Self

from sera.animation.controllers._rows import is_animated
from sera.animation.controllers._units import factor_of
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.animation.signals import Mirror, MirrorSettings


class MirrorChannels(Controller):
    """The same motion as in a looking-glass: pairs change sides, single channels their sign."""

    class Parameters(ControllerParameters):
        """Which channels."""

        pairs: tuple[tuple[str, str], ...] = ()
        """Left and right, such as ["Arms.LeftRaise", "Arms.RightRaise"]."""
        channels: tuple[str, ...] = ()
        """Channels that change their sign about neutral, such as "Gazing.Horizontal"."""

    reads_below = True

    def __init__(self, pairs: tuple[tuple[str, str], ...], channels: tuple[str, ...]) -> None:
        """Take names of channels; what a body lacks is left out."""
        self._pair_names, self._names = pairs, channels

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        for channel in (*parameters.channels, *(name for p in parameters.pairs for name in p)):
            factor_of(making.body, channel)
        return cls(parameters.pairs, parameters.channels)

    def bind(self, row: Row) -> None:
        self._row = row
        find = row.layout.find
        both = [(find(left), find(right)) for left, right in self._pair_names]
        self._pairs = [(a, b) for a, b in both if a is not None and b is not None]
        neutral = row.layout.neutral
        self._single = [
            (column, Mirror(MirrorSettings(centre=float(neutral[column]))))
            for column in map(find, self._names)
            if column is not None
        ]

    def step(self, dt_s: float) -> None:
        row = self._row
        for left, right in self._pairs:
            if is_animated(row, left) or is_animated(row, right):
                a, b = row.read(left), row.read(right)
                row.write(left, b)
                row.write(right, a)
        for column, mirror in self._single:
            if is_animated(row, column):
                row.write(column, mirror.step(dt_s, row.read(column)))
