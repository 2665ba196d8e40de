"""Ease: the family of slow-in and slow-out curves, and a move along one of them.

Design overview: a curve maps the share of the time to the share of the way. All are monotone and
exact at 0 and 1. `strength` blends from a steady pace (0) to the whole curve (1).
Units and frames: shares from 0 to 1; seconds.
Threading: curves are pure; a move has one owner.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from sera.animation.signals._checks import bounded, check


class EaseShape(StrEnum):
    """Slow in is a slow arrival's opposite: it begins slowly; slow out ends slowly."""

    LINEAR = "linear"
    SINE = "sine"
    CUBIC = "cubic"
    MINIMUM_JERK = "minimum-jerk"
    SLOW_IN = "slow-in"
    SLOW_OUT = "slow-out"
    EXPONENTIAL = "exponential"


def ease(shape: EaseShape, share: float, strength: float = 1.0) -> float:
    """The share of the way after a share of the time; both are held from 0 to 1."""
    if share <= 0.0:
        return 0.0
    if share >= 1.0:
        return 1.0
    return share + strength * (_CURVES[shape](share) - share)


def _linear(share: float) -> float:
    return share


def _sine(share: float) -> float:
    return 0.5 - 0.5 * math.cos(math.pi * share)


def _cubic(share: float) -> float:
    return share * share * (3.0 - 2.0 * share)


def _minimum_jerk(share: float) -> float:
    return share * share * share * (share * (6.0 * share - 15.0) + 10.0)


def _slow_in(share: float) -> float:
    return share * share * share


def _slow_out(share: float) -> float:
    left = 1.0 - share
    return 1.0 - left * left * left


def _exponential(share: float) -> float:
    # A logistic curve, stretched so that its ends are exact.
    steepness = 10.0
    end = 0.5 * math.tanh(0.25 * steepness)
    return 0.5 + 0.25 * math.tanh(0.5 * steepness * (share - 0.5)) / end


_CURVES: dict[str, Callable[[float], float]] = {
    EaseShape.LINEAR: _linear,
    EaseShape.SINE: _sine,
    EaseShape.CUBIC: _cubic,
    EaseShape.MINIMUM_JERK: _minimum_jerk,
    EaseShape.SLOW_IN: _slow_in,
    EaseShape.SLOW_OUT: _slow_out,
    EaseShape.EXPONENTIAL: _exponential,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EaseSettings:
    """Which curve, how strong, how long."""

    shape: EaseShape = EaseShape.CUBIC
    duration_s: float = 0.5
    strength: float = 1.0

    def __post_init__(self) -> None:
        if self.shape not in _CURVES:
            raise ValueError(f"shape is {self.shape!r}; give one of {', '.join(EaseShape)}.")
        check("duration_s", self.duration_s, 0.01, 600.0)
        check("strength", self.strength, 0.0, 1.0)


class EaseMove:
    """A move from one value to another along a curve; `SlowInOut` follows changing targets."""

    __slots__ = ("_from", "_time_s", "_to", "settings")

    def __init__(self, settings: EaseSettings) -> None:
        self.settings = settings
        self.reset()

    def reset(self, value: float = 0.0) -> None:
        self._from = self._to = bounded(value)
        self._time_s = 0.0

    def start(self, start: float, end: float) -> None:
        """Begin at `start`; `end` is reached after the duration."""
        self._from, self._to = bounded(start), bounded(end)
        self._time_s = 0.0

    @property
    def done(self) -> bool:
        return self._time_s >= self.settings.duration_s

    def step(self, dt_s: float) -> float:
        """The value `dt_s` later."""
        settings = self.settings
        self._time_s = min(self._time_s + dt_s, settings.duration_s)
        share = ease(settings.shape, self._time_s / settings.duration_s, settings.strength)
        return (1.0 - share) * self._from + share * self._to
