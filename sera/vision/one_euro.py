"""The one-euro filter: steady where things rest, quick where they move.

Design overview: a first-order low pass whose cut-off rises with the speed of what it follows
(Casiez, Roussel and Vogel 2012). Its delay is known at every moment: `delay_s`.
Units: any value; seconds; hertz.
Threading: none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


class OneEuroFilter:
    """Smooths values that belong together, with one cut-off for all of them.

    Args:
        rest_hz: cut-off at rest: lower is steadier.
        per_speed: how much the cut-off rises for each unit a second: higher is quicker.
        speed_hz: cut-off of the speed itself.
    """

    def __init__(self, rest_hz: float = 2.0, per_speed: float = 0.5, speed_hz: float = 2.0) -> None:
        self._rest_hz = rest_hz
        self._per_speed = per_speed
        self._speed_hz = speed_hz
        self._value: list[float] | None = None
        self._speed: list[float] = []
        self._time_s = 0.0
        self._cut_off_hz = rest_hz

    @property
    def delay_s(self) -> float:
        """How far the output is behind a steady motion now."""
        return 1.0 / (2.0 * math.pi * self._cut_off_hz)

    def step(self, values: Sequence[float], time_s: float) -> list[float]:
        """The smoothed values; the first ones as they are."""
        new = [float(value) for value in values]
        if self._value is None or len(new) != len(self._value):
            self._value, self._speed, self._time_s = new, [0.0] * len(new), time_s
            return list(new)
        passed_s = time_s - self._time_s
        if passed_s <= 0.0:
            return list(self._value)
        self._time_s = time_s
        part = _part(self._speed_hz, passed_s)
        self._speed = [
            speed + part * ((value - old) / passed_s - speed)
            for speed, value, old in zip(self._speed, new, self._value, strict=True)
        ]
        self._cut_off_hz = self._rest_hz + self._per_speed * math.hypot(*self._speed)
        part = _part(self._cut_off_hz, passed_s)
        self._value = [
            old + part * (value - old) for old, value in zip(self._value, new, strict=True)
        ]
        return list(self._value)


def _part(cut_off_hz: float, passed_s: float) -> float:
    """How much of the way to the new value is gone in that time."""
    turn = 2.0 * math.pi * cut_off_hz * passed_s
    return turn / (turn + 1.0)
