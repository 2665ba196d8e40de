"""Anticipation: a shorter move the other way tells what is coming.

Design overview: when a target comes that is far enough away, the value first moves back by a share
of the way, then goes and arrives exactly. A target that changes while the value travels is
followed at once without a second wind-up: once in motion, being responsive is worth more. Small
changes are not announced either.
Units and frames: the value has any unit; seconds.
Threading: one owner.
Safety: it goes back at most `largest_back` behind where it set out; the end is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import LARGEST, bounded, check
from sera.animation.signals._minimum_jerk import MinimumJerkMove


@dataclass(frozen=True, slots=True, kw_only=True)
class AnticipationSettings:
    """How far back and how long."""

    back_share: float = 0.11
    """Of the way; the documented example goes 10° back before 90° ahead."""
    largest_back: float = 0.35
    back_s: float = 0.25
    travel_s: float = 0.5
    least_travel: float = 0.1
    """Shorter ways are not announced."""

    def __post_init__(self) -> None:
        check("back_share", self.back_share, 0.0, 1.0)
        check("largest_back", self.largest_back, 0.0, LARGEST)
        check("back_s", self.back_s, 0.01, 10.0)
        check("travel_s", self.travel_s, 0.01, 60.0)
        check("least_travel", self.least_travel, 0.0, LARGEST)


class Anticipation:
    """A value that winds up before it goes."""

    __slots__ = ("_goal", "_move", "_winding", "settings")

    def __init__(self, settings: AnticipationSettings) -> None:
        self.settings = settings
        self._move = MinimumJerkMove()
        self.reset()

    def reset(self, value: float = 0.0) -> None:
        self._move.reset(value)
        self._goal = self._move.value
        self._winding = False

    @property
    def winding_up(self) -> bool:
        """True while the value moves back."""
        return self._winding

    def step(self, dt_s: float, target: float) -> float:
        """The value `dt_s` later on the way to a target, which may be a new one."""
        target = bounded(target)
        if target != self._goal:
            self._goal = target
            self._set_out()
        move = self._move
        if self._winding and dt_s >= move.remaining_s:
            dt_s -= move.remaining_s
            move.step(move.remaining_s)
            self._winding = False
            move.go(self._goal, self.settings.travel_s)
        return move.step(dt_s)

    def _set_out(self) -> None:
        if self._winding:
            return
        settings = self.settings
        move = self._move
        way = self._goal - move.value
        if move.moving or abs(way) < settings.least_travel or settings.back_share == 0.0:
            move.go(self._goal, settings.travel_s)
            return
        back = min(settings.back_share * abs(way), settings.largest_back)
        self._winding = True
        move.go(move.value - math.copysign(back, way), settings.back_s)
