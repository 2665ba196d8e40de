"""Slow in and slow out for a target that may change at any time.

Design overview: each new target starts a minimum-jerk move from the present motion; the value
never jumps, is smooth to its second derivative, and ends exactly. A target that moves all the time
is followed with a lag of about 0.6 of the duration.
Units and frames: the value has any unit; seconds.
Threading: one owner.
Safety: a target that turns round under way may be overrun a little, as the motion has speed then.
"""

from __future__ import annotations

from dataclasses import dataclass

from sera.animation.signals._checks import bounded, check
from sera.animation.signals._minimum_jerk import MinimumJerkMove


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowInOutSettings:
    """How long a move lasts."""

    duration_s: float = 0.5

    def __post_init__(self) -> None:
        check("duration_s", self.duration_s, 0.01, 60.0)


class SlowInOut:
    """A value that sets out and arrives softly."""

    __slots__ = ("_move", "settings")

    def __init__(self, settings: SlowInOutSettings) -> None:
        self.settings = settings
        self._move = MinimumJerkMove()

    def reset(self, value: float = 0.0) -> None:
        self._move.reset(value)

    @property
    def moving(self) -> bool:
        return self._move.moving

    def step(self, dt_s: float, target: float) -> float:
        """The value `dt_s` later on the way to a target, which may be a new one."""
        if bounded(target) != self._move.target:
            self._move.go(target, self.settings.duration_s)
        return self._move.step(dt_s)
