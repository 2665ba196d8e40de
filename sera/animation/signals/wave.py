"""Periodic signals: sine, square and triangle.

Design overview: the phase is accumulated, so that a changed rate bends the curve without a jump.
All three shapes have the same zero crossings and the same sign; `phase_rad` shifts them to
earlier.
Units and frames: the value has the unit of `amplitude`; hertz, radians.
Threading: one owner.
Safety: |value| never exceeds amplitude times gain; a square wave jumps, and is meant for lights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from sera.animation.signals._checks import LARGEST, bounded, check, within


class WaveShape(StrEnum):
    """The form of one period."""

    SINE = "sine"
    SQUARE = "square"
    TRIANGLE = "triangle"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveSettings:
    """What a wave looks like."""

    shape: WaveShape = WaveShape.SINE
    amplitude: float = 1.0
    frequency_hz: float = 1.0
    phase_rad: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if self.shape not in list(WaveShape):
            known = ", ".join(WaveShape)
            raise ValueError(f"shape is {self.shape!r}; give one of {known}.")
        check("amplitude", self.amplitude, 0.0, LARGEST)
        check("frequency_hz", self.frequency_hz, 0.0, 1000.0)
        check("phase_rad", self.phase_rad, -1000.0, 1000.0)
        check("offset", self.offset, -LARGEST, LARGEST)


class Wave:
    """A wave that runs on with each step."""

    __slots__ = ("_cycle", "settings")

    def __init__(self, settings: WaveSettings) -> None:
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        self._cycle = (self.settings.phase_rad / math.tau) % 1.0

    def step(self, dt_s: float, gain: float = 1.0, rate: float = 1.0) -> float:
        """The value `dt_s` later; `gain` scales the amplitude, `rate` the frequency."""
        settings = self.settings
        turns = dt_s * settings.frequency_hz * within(rate, -1e3, 1e3)
        self._cycle = cycle = (self._cycle + turns) % 1.0
        return bounded(settings.offset + settings.amplitude * bounded(gain) * self._form(cycle))

    def _form(self, cycle: float) -> float:
        shape = self.settings.shape
        if shape == WaveShape.SINE:
            return math.sin(math.tau * cycle)
        if shape == WaveShape.SQUARE:
            return 1.0 if cycle < 0.5 else -1.0
        if cycle < 0.25:
            return 4.0 * cycle
        return 2.0 - 4.0 * cycle if cycle < 0.75 else 4.0 * cycle - 4.0
