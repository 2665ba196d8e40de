"""One smooth move to a target that may change under way, shared by the signals that travel.

Design overview: a fifth-order polynomial leads from the present value, velocity and acceleration
to rest at the target. A new target starts a new polynomial from where the motion is, so the value
stays smooth to the second derivative and the end is exact. A target that moves every frame is
followed with a lag of about 0.6 of the duration.
Units and frames: the value has any unit; times are seconds.
Threading: one owner.
"""

from __future__ import annotations

from sera.animation.signals._checks import bounded


class MinimumJerkMove:
    """Value, velocity and acceleration on the way to `target`."""

    __slots__ = ("_c", "_duration_s", "_time_s", "acceleration", "moving", "target", "value",
                 "velocity")  # fmt: skip

    def __init__(self) -> None:
        self._c = [0.0] * 6
        self.reset(0.0)

    def reset(self, value: float) -> None:
        """Stand still at `value`."""
        self.value = self.target = bounded(value)
        self.velocity = self.acceleration = 0.0
        self.moving = False
        self._duration_s = 1.0
        self._time_s = 0.0

    def go(self, target: float, duration_s: float) -> None:
        """Arrive at `target` after `duration_s`, beginning with the present motion."""
        target = bounded(target)
        way = target - self.value
        c1 = self.velocity * duration_s
        c2 = 0.5 * self.acceleration * duration_s * duration_s
        c = self._c
        c[0] = self.value
        c[1] = c1
        c[2] = c2
        c[3] = 10.0 * way - 6.0 * c1 - 3.0 * c2
        c[4] = -15.0 * way + 8.0 * c1 + 3.0 * c2
        c[5] = 6.0 * way - 3.0 * c1 - c2
        self.target = target
        self._duration_s = duration_s
        self._time_s = 0.0
        self.moving = True

    def shift(self, by: float) -> None:
        """Let the end of the move be elsewhere, arriving when it would have; at rest it follows."""
        self.target = bounded(self.target + by)
        if not self.moving:
            self.value = self.target
            return
        c = self._c
        c[3] += 10.0 * by
        c[4] -= 15.0 * by
        c[5] += 6.0 * by

    @property
    def remaining_s(self) -> float:
        """Seconds until arrival, 0 at rest."""
        return self._duration_s - self._time_s if self.moving else 0.0

    @property
    def share(self) -> float:
        """How much of the move's time is over, 1 at rest."""
        return self._time_s / self._duration_s if self.moving else 1.0

    @property
    def duration_s(self) -> float:
        return self._duration_s

    def step(self, dt_s: float) -> float:
        if not self.moving:
            return self.value
        self._time_s += dt_s
        if self._time_s >= self._duration_s:
            self.value = self.target
            self.velocity = self.acceleration = 0.0
            self.moving = False
            return self.value
        duration = self._duration_s
        u = self._time_s / duration
        c0, c1, c2, c3, c4, c5 = self._c
        self.value = c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))))
        slope = c1 + u * (2.0 * c2 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))
        bend = 2.0 * c2 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))
        self.velocity = slope / duration
        self.acceleration = bend / (duration * duration)
        return self.value
