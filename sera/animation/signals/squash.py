"""Squash and stretch: what becomes shorter becomes wider, the volume stays.

Design overview: one input from -1 (squashed) over 0 to 1 (stretched) gives a factor of height and
a factor of width. Height times width to the number of lateral axes is 1: two axes for a body in
space, one for a face on a screen or for a pose that only spreads sideways.
Units and frames: factors, 1 at rest.
Threading: one owner.
Safety: both factors are bounded by `largest_stretch`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import check, within


@dataclass(frozen=True, slots=True, kw_only=True)
class SquashSettings:
    """How far height changes and how many axes give way."""

    largest_stretch: float = 1.3
    """Height at input 1; at -1 it is one over this."""
    lateral_axes: int = 2

    def __post_init__(self) -> None:
        check("largest_stretch", self.largest_stretch, 1.0, 4.0)
        if self.lateral_axes not in (1, 2):
            raise ValueError(f"lateral_axes is {self.lateral_axes}; give 1 or 2.")


class Squash:
    """Height and width of one volume."""

    __slots__ = ("_log_stretch", "settings")

    def __init__(self, settings: SquashSettings) -> None:
        self.settings = settings
        self._log_stretch = math.log(settings.largest_stretch)

    def reset(self) -> None:
        """Nothing is remembered."""

    def step(self, dt_s: float, stretch: float) -> tuple[float, float]:  # noqa: ARG002
        """Factors of height and width for a stretch from -1 to 1."""
        exponent = within(stretch, -1.0, 1.0) * self._log_stretch
        return math.exp(exponent), math.exp(-exponent / self.settings.lateral_axes)
