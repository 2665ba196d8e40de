"""Follow-through: a trailing part comes later, goes a little too far and settles.

Design overview: the leading motion is delayed and drives an under-damped spring. The overshoot is
set as a share of a sudden step, from which the spring's damping follows; smoother leads overshoot
less.
Units and frames: the unit of the signal; seconds, hertz.
Threading: one owner.
Safety: overshoot can look like lost control. It is 8 % by default and at most 40 %; with 0 the
part only trails. The engine's limits come after this signal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import check
from sera.animation.signals.delay import Delay, DelaySettings
from sera.animation.signals.spring import Spring, SpringSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowThroughSettings:
    """How late, how far too far, and how fast the part swings."""

    lag_s: float = 0.08
    overshoot: float = 0.08
    frequency_hz: float = 2.0

    def __post_init__(self) -> None:
        check("lag_s", self.lag_s, 0.0, 2.0)
        check("overshoot", self.overshoot, 0.0, 0.4)
        check("frequency_hz", self.frequency_hz, 0.1, 20.0)

    @property
    def damping_ratio(self) -> float:
        """The damping with which a step overshoots by that share."""
        if self.overshoot < 1e-6:
            return 1.0
        decrement = -math.log(self.overshoot)
        return decrement / math.hypot(math.pi, decrement)


class FollowThrough:
    """The trailing part of a leading motion."""

    __slots__ = ("_delay", "_spring", "_started", "settings")

    def __init__(self, settings: FollowThroughSettings) -> None:
        self.settings = settings
        self._delay = Delay(DelaySettings(delay_s=settings.lag_s))
        self._spring = Spring(
            SpringSettings(frequency_hz=settings.frequency_hz, damping_ratio=settings.damping_ratio)
        )
        self.reset()

    def reset(self) -> None:
        """Forget the past; the next input is where the part hangs at rest."""
        self._delay.reset()
        self._spring.reset()
        self._started = False

    def step(self, dt_s: float, lead: float) -> float:
        """The trailing value `dt_s` later."""
        if not self._started:
            self._started = True
            self._spring.reset(lead)
        return self._spring.step(dt_s, self._delay.step(dt_s, lead))
