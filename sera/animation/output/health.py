"""How a body fares: hot, overloaded or empty bodies are warned of, then calmed, then rested.

Design overview: each measured quantity has three thresholds and a hysteresis. A level is entered
at its threshold and left only when the quantity has gone back by the hysteresis, so that a motor at
69.9 and 70.1 degrees does not make the robot lie down and rise again. The worst quantity decides.

Units and frames: degrees Celsius; load and battery 0 to 1.
Threading: none; whoever owns the monitor calls it.
Safety: a quantity that the body does not report is taken as well; NaN is ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from sera.animation.output.bridge import BodyReading


class HealthLevel(IntEnum):
    """How much care a body needs."""

    OK = 0
    WARN = 1
    CALM = 2
    REST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where one quantity becomes a warning, calms the motion and sends the body to rest.

    Where `rest` lies below `warn`, low values are the bad ones, as with a battery.
    """

    warn: float
    calm: float
    rest: float
    hysteresis: float

    def __post_init__(self) -> None:
        rising = self.warn <= self.calm <= self.rest
        falling = self.warn >= self.calm >= self.rest
        if not (rising or falling) or self.hysteresis < 0.0:
            raise ValueError(
                f"thresholds warn {self.warn}, calm {self.calm}, rest {self.rest} with hysteresis "
                f"{self.hysteresis}: they must get worse one after the other, and the hysteresis "
                "must not be negative"
            )

    def level(self, value: float, before: HealthLevel) -> HealthLevel:
        """The level of a value, given the level before."""
        if not math.isfinite(value):
            return before
        sign = -1.0 if self.rest < self.warn else 1.0
        found = HealthLevel.OK
        limits = (self.warn, self.calm, self.rest)
        for level, limit in zip(
            (HealthLevel.WARN, HealthLevel.CALM, HealthLevel.REST), limits, strict=True
        ):
            back = self.hysteresis if before >= level else 0.0
            if sign * value >= sign * limit - back:
                found = level
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthThresholds:
    """The thresholds of a body."""

    temperature_c: Thresholds = Thresholds(warn=60.0, calm=70.0, rest=80.0, hysteresis=5.0)
    load: Thresholds = Thresholds(warn=0.8, calm=0.9, rest=0.98, hysteresis=0.1)
    battery: Thresholds = Thresholds(warn=0.2, calm=0.1, rest=0.05, hysteresis=0.03)


class HealthMonitor:
    """Follows the readings of one body."""

    def __init__(self, thresholds: HealthThresholds | None = None) -> None:
        self._thresholds = thresholds or HealthThresholds()
        self._levels: dict[tuple[str, str], HealthLevel] = {}
        self._sentences: dict[tuple[str, str], str] = {}

    @property
    def level(self) -> HealthLevel:
        return max(self._levels.values(), default=HealthLevel.OK)

    @property
    def problem(self) -> str | None:
        """One sentence about the worst quantity; None where all is well."""
        if self.level is HealthLevel.OK:
            return None
        worst = max(self._levels, key=lambda key: (self._levels[key], key))
        return self._sentences[worst]

    def update(self, reading: BodyReading) -> HealthLevel:
        """Take a reading in and say how the body is now."""
        known = self._thresholds
        for name, value in reading.temperature_c.items():
            self._take(("temperature", name), value, known.temperature_c, f"{value:.0f} °C")
        for name, value in reading.load.items():
            self._take(("load", name), value, known.load, f"{value:.0%} of what it can bear")
        if reading.battery is not None:
            charge = f"{reading.battery:.0%} charged"
            self._take(("battery", ""), reading.battery, known.battery, charge)
        return self.level

    def _take(self, key: tuple[str, str], value: float, thresholds: Thresholds, shown: str) -> None:
        self._levels[key] = thresholds.level(value, self._levels.get(key, HealthLevel.OK))
        if math.isfinite(value):
            quantity, name = key
            self._sentences[key] = f"the {quantity}{f' of {name}' if name else ''} is at {shown}"
