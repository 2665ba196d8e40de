"""Smoothing: a low-pass filter whose cut-off rises with speed (the one-euro filter).

Design overview: at rest a low cut-off takes the tremble out of a tracked value; in motion the
cut-off rises with the smoothed speed, so that it does not lag. With `speed_factor` 0 it is a plain
first-order low-pass.
Units and frames: the value has any unit; hertz.
Threading: one owner.
Safety: the result lies between the last result and the input: it never overshoots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import bounded, check


@dataclass(frozen=True, slots=True, kw_only=True)
class LowPassSettings:
    """How much is smoothed."""

    cutoff_hz: float = 1.5
    speed_factor: float = 0.0
    """Hertz added for each unit a second of speed."""
    speed_cutoff_hz: float = 1.0

    def __post_init__(self) -> None:
        check("cutoff_hz", self.cutoff_hz, 0.001, 500.0)
        check("speed_factor", self.speed_factor, 0.0, 1000.0)
        check("speed_cutoff_hz", self.speed_cutoff_hz, 0.001, 500.0)


class LowPass:
    """A smoothed value; the first input is taken as it is."""

    __slots__ = ("_before", "_speed", "_started", "settings", "value")

    def __init__(self, settings: LowPassSettings) -> None:
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        self.value = self._before = self._speed = 0.0
        self._started = False

    def step(self, dt_s: float, value: float) -> float:
        """The smoothed value `dt_s` later."""
        value = bounded(value)
        if not self._started:
            self._started = True
            self.value = self._before = value
            return value
        settings = self.settings
        cutoff_hz = settings.cutoff_hz
        if settings.speed_factor > 0.0 and dt_s > 0.0:
            speed = (value - self._before) / dt_s
            share = -math.expm1(-math.tau * settings.speed_cutoff_hz * dt_s)
            self._speed += share * (speed - self._speed)
            cutoff_hz += settings.speed_factor * abs(self._speed)
        self._before = value
        share = -math.expm1(-math.tau * cutoff_hz * dt_s)
        self.value = (1.0 - share) * self.value + share * value
        return self.value
