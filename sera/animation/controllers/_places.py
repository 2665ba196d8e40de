"""A place that may move: sightings come some times a second, and eyes follow evenly.

Units and frames: metres along the body's axes, seconds. Threading: one owner.
"""

from __future__ import annotations

import math

from sera.animation.signals._minimum_jerk import MinimumJerkMove

Place = tuple[float, float, float]


class MovingPlace:
    """A place on its way to where it was seen last."""

    __slots__ = ("_ways", "here_m")

    def __init__(self, place_m: Place) -> None:
        self.here_m = place_m
        self._ways = tuple(MinimumJerkMove() for _ in place_m)
        for way, value in zip(self._ways, place_m, strict=True):
            way.reset(value)

    def go(self, place_m: Place, duration_s: float) -> None:
        """It was seen there; arrive after so long, from the present motion."""
        for way, value in zip(self._ways, place_m, strict=True):
            if value != way.target:
                way.go(value, duration_s)

    def leap_rad(self, place_m: Place, seen_from_m: Place) -> float:
        """How far a place is from where this one is going, as seen from there."""
        to = tuple(way.target - eye for way, eye in zip(self._ways, seen_from_m, strict=True))
        new = tuple(a - b for a, b in zip(place_m, seen_from_m, strict=True))
        lengths = math.hypot(*to) * math.hypot(*new)
        if lengths == 0.0:
            return 0.0
        dot = sum(a * b for a, b in zip(to, new, strict=True)) / lengths
        return math.acos(min(1.0, max(-1.0, dot)))

    def step(self, dt_s: float) -> Place:
        """Where it is `dt_s` later."""
        x, y, z = self._ways
        if x.moving or y.moving or z.moving:
            self.here_m = (x.step(dt_s), y.step(dt_s), z.step(dt_s))
        return self.here_m
