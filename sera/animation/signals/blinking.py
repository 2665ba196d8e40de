"""Blinking: lids that close now and then, never as a metronome.

Design overview: waiting times are the least interval plus an exponential draw, so that blinks come
at random. A share of the blinks is double. The lid closes faster than it opens, with smooth ends.
Blinks disturb a dramatic expression: while `suppressed` none begins, and one that is due comes
right after. They fit well before a gaze shift: `blink_now` asks for one.
Units and frames: 0 is an open lid, 1 a closed one; seconds.
Threading: one owner.
Safety: the value stays from 0 to 1. With steps longer than a blink some blinks fall between two
frames.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sera.animation.signals._checks import RandomSource, check, seed_of

_LONGEST_WAIT_IN_MEANS = 4.0
"""An exponential draw has no end; a robot that stares for a minute looks broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlinkSettings:
    """How often and how fast."""

    mean_interval_s: float = 4.0
    """From a blink's end to the next one's begin, on average."""
    least_interval_s: float = 1.0
    double_share: float = 0.12
    double_gap_s: float = 0.12
    closing_s: float = 0.08
    closed_s: float = 0.04
    opening_s: float = 0.18

    def __post_init__(self) -> None:
        check("least_interval_s", self.least_interval_s, 0.05, 60.0)
        check("mean_interval_s", self.mean_interval_s, self.least_interval_s, 120.0)
        check("double_share", self.double_share, 0.0, 1.0)
        check("double_gap_s", self.double_gap_s, 0.0, 1.0)
        check("closing_s", self.closing_s, 0.01, 2.0)
        check("closed_s", self.closed_s, 0.0, 2.0)
        check("opening_s", self.opening_s, 0.01, 2.0)
        if self.closing_s >= self.opening_s:
            raise ValueError(
                f"closing_s is {self.closing_s:g} and opening_s is {self.opening_s:g}; "
                "a lid closes faster than it opens."
            )

    @property
    def blink_s(self) -> float:
        """How long one blink lasts."""
        return self.closing_s + self.closed_s + self.opening_s


class Blinking:
    """How far the lids are closed."""

    __slots__ = ("_age_s", "_is_second", "_random", "_seed", "_wait_s", "blinking", "settings")

    def __init__(self, settings: BlinkSettings, seed: RandomSource) -> None:
        self.settings = settings
        self._seed = seed_of(seed)
        self.reset()

    def reset(self) -> None:
        self._random = np.random.default_rng(self._seed)
        self.blinking = False
        self._is_second = False
        self._age_s = 0.0
        self._wait_s = self._drawn_wait()

    def blink_now(self) -> None:
        """Begin a blink with the next step, unless one is under way."""
        if not self.blinking:
            self._wait_s = 0.0

    def step(self, dt_s: float, suppressed: bool = False) -> float:
        """How far the lids are closed `dt_s` later."""
        if not self.blinking:
            self._wait_s -= dt_s
            if self._wait_s > 0.0 or suppressed:
                return 0.0
            self.blinking = True
            # What was waited too long is time that the blink has had already, at most this step.
            self._age_s = min(-self._wait_s, dt_s)
        else:
            self._age_s += dt_s
        if self._age_s >= self.settings.blink_s:
            self._end_blink()
            return 0.0
        return self._closure(self._age_s)

    def _end_blink(self) -> None:
        self.blinking = False
        if not self._is_second and self._random.random() < self.settings.double_share:
            self._is_second = True
            self._wait_s = self.settings.double_gap_s
        else:
            self._is_second = False
            self._wait_s = self._drawn_wait()

    def _drawn_wait(self) -> float:
        least_s = self.settings.least_interval_s
        spread_s = self.settings.mean_interval_s - least_s
        share = -math.log1p(-float(self._random.random()))
        return least_s + spread_s * min(share, _LONGEST_WAIT_IN_MEANS)

    def _closure(self, age_s: float) -> float:
        settings = self.settings
        if age_s < settings.closing_s:
            share = age_s / settings.closing_s
            return share * share * (3.0 - 2.0 * share)
        age_s -= settings.closing_s + settings.closed_s
        if age_s <= 0.0:
            return 1.0
        share = age_s / settings.opening_s
        return 1.0 - share * share * (3.0 - 2.0 * share)
