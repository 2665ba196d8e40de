"""Asymmetry: two sides that do the same are a little apart in time and size.

Design overview: symmetry looks stiff. One side is delayed and scaled about neutral, the other
passes as it is.
Units and frames: the unit of the signals; seconds.
Threading: one owner.
Safety: with a scale of at most 1 the late side never goes further than its input went.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sera.animation.signals._checks import LARGEST, bounded, check
from sera.animation.signals.delay import Delay, DelaySettings


class Side(StrEnum):
    """Left and right as the robot sees itself."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class AsymmetrySettings:
    """Which side is late, by how much, and how much smaller it is."""

    late_side: Side = Side.LEFT
    delay_s: float = 0.08
    scale: float = 0.85
    neutral: float = 0.0

    def __post_init__(self) -> None:
        if self.late_side not in list(Side):
            raise ValueError(f"late_side is {self.late_side!r}; give one of {', '.join(Side)}.")
        check("delay_s", self.delay_s, 0.0, 2.0)
        check("scale", self.scale, 0.0, 2.0)
        check("neutral", self.neutral, -LARGEST, LARGEST)


class Asymmetry:
    """Left and right, one of them late and smaller."""

    __slots__ = ("_delay", "settings")

    def __init__(self, settings: AsymmetrySettings) -> None:
        self.settings = settings
        self._delay = Delay(DelaySettings(delay_s=settings.delay_s))

    def reset(self) -> None:
        self._delay.reset()

    def step(self, dt_s: float, left: float, right: float) -> tuple[float, float]:
        """Left and right `dt_s` later."""
        if self.settings.late_side == Side.LEFT:
            return self._late(dt_s, left), right
        return left, self._late(dt_s, right)

    def _late(self, dt_s: float, value: float) -> float:
        neutral = self.settings.neutral
        late = self._delay.step(dt_s, value)
        return bounded(neutral + self.settings.scale * (late - neutral))
