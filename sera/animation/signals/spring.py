"""A damped spring that pulls a value to its target.

Design overview: the equation of motion is solved exactly for a target that is constant during a
step, so that any step length is stable and the curve does not depend on the frame rate. The four
factors of the solution are kept until another step length comes.
Units and frames: the value has any unit; hertz of the undamped spring.
Threading: one owner.
Safety: with a damping ratio of 1 or more a value that starts at rest never overshoots a fixed
target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.animation.signals._checks import LARGEST, bounded, check

_CRITICAL_BAND = 1e-4
"""So near to critical damping the other two formulas divide by almost nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpringSettings:
    """How stiff and how damped."""

    frequency_hz: float = 2.0
    damping_ratio: float = 1.0
    """1 is critical; below it the spring swings, above it creeps."""

    def __post_init__(self) -> None:
        check("frequency_hz", self.frequency_hz, 0.01, 50.0)
        check("damping_ratio", self.damping_ratio, 0.02, 10.0)


class Spring:
    """A value on a spring."""

    __slots__ = ("_dt_s", "_vv", "_vx", "_xv", "_xx", "settings", "value", "velocity")

    def __init__(self, settings: SpringSettings) -> None:
        self.settings = settings
        self._dt_s = -1.0
        self._xx = self._xv = self._vx = self._vv = 0.0
        self.reset()

    def reset(self, value: float = 0.0) -> None:
        self.value = bounded(value)
        self.velocity = 0.0

    def step(self, dt_s: float, target: float) -> float:
        """The value `dt_s` later."""
        if dt_s != self._dt_s:
            self._solve(dt_s)
        target = bounded(target)
        away = self.value - target
        velocity = self.velocity
        self.value = bounded(target + self._xx * away + self._xv * velocity)
        # No spring within ±LARGEST is faster; rounding may not add up to more.
        fastest = 4.0 * LARGEST * math.tau * self.settings.frequency_hz
        self.velocity = min(max(self._vx * away + self._vv * velocity, -fastest), fastest)
        return self.value

    def _solve(self, dt_s: float) -> None:
        omega = math.tau * self.settings.frequency_hz
        ratio = self.settings.damping_ratio
        self._dt_s = dt_s
        if abs(ratio - 1.0) < _CRITICAL_BAND:
            fall = math.exp(-omega * dt_s)
            self._xx = fall * (1.0 + omega * dt_s)
            self._xv = fall * dt_s
            self._vx = -fall * omega * omega * dt_s
            self._vv = fall * (1.0 - omega * dt_s)
        elif ratio < 1.0:
            swing = omega * math.sqrt(1.0 - ratio * ratio)
            fall = math.exp(-ratio * omega * dt_s)
            cosine, sine = math.cos(swing * dt_s), math.sin(swing * dt_s)
            lean = ratio * omega / swing
            self._xx = fall * (cosine + lean * sine)
            self._xv = fall * sine / swing
            self._vx = -fall * omega * omega / swing * sine
            self._vv = fall * (cosine - lean * sine)
        else:
            root = omega * math.sqrt(ratio * ratio - 1.0)
            fast, slow = -ratio * omega - root, -ratio * omega + root
            fall_fast, fall_slow = math.exp(fast * dt_s), math.exp(slow * dt_s)
            gap = slow - fast
            self._xx = (slow * fall_fast - fast * fall_slow) / gap
            self._xv = (fall_slow - fall_fast) / gap
            self._vx = slow * fast * (fall_fast - fall_slow) / gap
            self._vv = (slow * fall_slow - fast * fall_fast) / gap
