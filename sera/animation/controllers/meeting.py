"""A moment of an animation under way is made to come at another time: its stroke with a word.

Design overview: the animation's clock runs faster or slower until the moment has come, then as
before. Each frame the pace is set anew from what is left of both, and follows with a short lag, so
that the motion has no kink and yet arrives on time.

Units and frames: seconds; `pace` is a factor on the speed at which the animation plays anyway.
Threading: one owner.
Safety: the pace stays within what still looks like the same gesture; the motion filter's limits
hold in any case.
"""

from __future__ import annotations

from dataclasses import dataclass

SLOWEST, QUICKEST = 0.75, 1.0 / 0.6
_LAG_S = 0.05


@dataclass(slots=True)
class Meeting:
    """A moment that is to come at a time."""

    moment_s: float
    """In the animation's own time."""
    in_s: float
    """How long from now on."""
    pace: float = 1.0

    def passes(self, dt_s: float, time_s: float, speed: float) -> float:
        """How much of the animation passes in this frame; `speed` is its usual one."""
        left_s = max(self.in_s, dt_s) * speed
        wanted = min(max((self.moment_s - time_s) / left_s, SLOWEST), QUICKEST) if left_s else 1.0
        self.pace += (wanted - self.pace) * min(1.0, dt_s / _LAG_S)
        self.in_s -= dt_s
        return dt_s * speed * self.pace

    def is_over(self, time_s: float) -> bool:
        """Whether the moment has come."""
        return time_s >= self.moment_s
