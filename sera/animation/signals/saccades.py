"""Saccades: small darts of eyes or head around what is looked at.

Design overview: a fixation, then a dart to another point near the target, and so on; now and then
the dart goes back to the target itself. A dart's duration grows with its length as in human eyes
(the main sequence: 21 ms and 2.2 ms a degree), times a factor for slower parts such as a head. The
way is straight with slow ends; as a disc is convex, a way between two of its points stays inside.
Units and frames: offsets from the target in radians, yaw and pitch; seconds.
Threading: one owner.
Safety: yaw² + pitch² never exceeds radius².
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sera.animation.signals._checks import RandomSource, check, seed_of, within

_BASE_S = 0.021
_PER_DEGREE_S = 0.0022
_LONGEST_IN_MEANS = 3.0
"""An exponential draw has no end; eyes that rest beside their target seem to look past it."""
_INSIDE = 1.0 - 1e-9
"""Rounding must not put the outermost points outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaccadeSettings:
    """How far, how often and how fast."""

    radius_rad: float = 0.03
    least_fixation_s: float = 0.2
    mean_fixation_s: float = 0.9
    home_share: float = 0.35
    """How many of the darts go back to the target itself."""
    duration_factor: float = 1.0
    """1 for eyes; a head needs 4 to 10."""

    def __post_init__(self) -> None:
        check("radius_rad", self.radius_rad, 0.0, math.pi)
        check("least_fixation_s", self.least_fixation_s, 0.05, 60.0)
        check("mean_fixation_s", self.mean_fixation_s, self.least_fixation_s, 120.0)
        check("home_share", self.home_share, 0.0, 1.0)
        check("duration_factor", self.duration_factor, 0.1, 100.0)


def saccade_duration_s(length_rad: float, factor: float = 1.0) -> float:
    """The main sequence: how long a dart of this length lasts."""
    return factor * (_BASE_S + _PER_DEGREE_S * math.degrees(abs(length_rad)))


class Saccades:
    """Offsets of yaw and pitch from the target."""

    __slots__ = ("_dart_s", "_fixation_s", "_from_pitch", "_from_yaw", "_random", "_seed",
                 "_time_s", "_to_pitch", "_to_yaw", "settings")  # fmt: skip

    def __init__(self, settings: SaccadeSettings, seed: RandomSource) -> None:
        self.settings = settings
        self._seed = seed_of(seed)
        self.reset()

    def reset(self) -> None:
        self._random = np.random.default_rng(self._seed)
        self._from_yaw = self._from_pitch = self._to_yaw = self._to_pitch = 0.0
        self._time_s = 0.0
        self._dart_s = 0.0
        self._fixation_s = self._drawn_fixation()

    def step(self, dt_s: float, spread: float = 1.0) -> tuple[float, float]:
        """Yaw and pitch `dt_s` later; `spread` from 0 to 1 narrows the disc."""
        self._time_s += dt_s
        while self._time_s >= self._dart_s + self._fixation_s:
            self._time_s -= self._dart_s + self._fixation_s
            self._begin_dart()
        share = 1.0 if self._time_s >= self._dart_s else self._time_s / self._dart_s
        share = share * share * share * (share * (6.0 * share - 15.0) + 10.0)
        scale = within(spread, 0.0, 1.0)
        yaw = self._from_yaw + share * (self._to_yaw - self._from_yaw)
        pitch = self._from_pitch + share * (self._to_pitch - self._from_pitch)
        return scale * yaw, scale * pitch

    def _begin_dart(self) -> None:
        self._from_yaw, self._from_pitch = self._to_yaw, self._to_pitch
        if self._random.random() < self.settings.home_share:
            self._to_yaw = self._to_pitch = 0.0
        else:
            # The root spreads the points evenly over the disc.
            away = self.settings.radius_rad * math.sqrt(self._random.random()) * _INSIDE
            angle = math.tau * self._random.random()
            self._to_yaw, self._to_pitch = away * math.cos(angle), away * math.sin(angle)
        length = math.hypot(self._to_yaw - self._from_yaw, self._to_pitch - self._from_pitch)
        self._dart_s = saccade_duration_s(length, self.settings.duration_factor)
        self._fixation_s = self._drawn_fixation()

    def _drawn_fixation(self) -> float:
        spread_s = self.settings.mean_fixation_s - self.settings.least_fixation_s
        draw = -math.log1p(-float(self._random.random()))
        return self.settings.least_fixation_s + spread_s * min(draw, _LONGEST_IN_MEANS)
