"""A place that may move: sightings come some times a second, and eyes follow evenly.

Design overview: who has been seen twice is taken to walk on as between the two, until the next
sighting is due; eyes are led a little ahead, by what they lag behind. A critically damped follower
makes one even motion of it. Who is not seen any more is where the last sighting was.

Units and frames: metres along the body's axes, seconds. Threading: one owner.
Safety: nothing runs further ahead than people walk.
"""

from __future__ import annotations

import math

from sera.animation.engine._turns import between, way

Place = tuple[float, float, float]
_STILL: Place = (0.0, 0.0, 0.0)
_QUICKNESS = 30.0
"""Of the follower, per second."""
_AHEAD_S = 0.02
"""By what face and direction lag behind a place that moves evenly."""
_RARE_S = 0.6
"""Sightings that are further apart say nothing about the way in between."""
_OFTEN_S = 0.08
_TREND = 0.6
_FASTEST_M_S = 3.0
_AT_REST_M = 1e-5
_LONGEST_STEP_S = 0.025


class MovingPlace:
    """A place on its way to where it was seen last, and a little beyond while it moves."""

    __slots__ = ("_age_s", "_every_s", "_pace", "_rests", "_seen", "_speed", "_walk", "here_m")

    def __init__(self, place_m: Place) -> None:
        self.here_m = self._seen = place_m
        self._speed = self._walk = self._pace = _STILL
        self._age_s = math.inf
        self._every_s = 0.0
        self._rests = True

    def go(self, place_m: Place) -> None:
        """It was seen there now."""
        since_s, before, was = self._age_s, self._seen, self._pace
        self._walk = self._pace = _STILL
        self._every_s = 0.0
        if 0.0 < since_s < _RARE_S:
            x, y, z = ((now - then) / since_s for now, then in zip(place_m, before, strict=True))
            if math.hypot(x, y, z) <= _FASTEST_M_S:
                self._pace, self._every_s = (x, y, z), since_s
                # Seldom seen, somebody has long begun to slow down; seen often, it is noise.
                trend = _TREND if since_s > _OFTEN_S and was != _STILL else 0.0
                wx, wy, wz = (a + trend * (a - b) for a, b in zip(self._pace, was, strict=True))
                self._walk = (wx, wy, wz)
        self._seen, self._age_s, self._rests = place_m, 0.0, False

    def leap_rad(self, place_m: Place, seen_from_m: Place) -> float:
        """How far a sighting is from where it was expected, as seen from there."""
        return between(way(seen_from_m, self._expected()), way(seen_from_m, place_m))

    def step(self, dt_s: float) -> Place:
        """Where it is `dt_s` later."""
        self._age_s += dt_s
        if self._rests:
            return self.here_m
        steps = math.ceil(dt_s / _LONGEST_STEP_S - 1e-9)
        goal, walk = self._expected(), self._walk if self._walks else _STILL
        for _ in range(steps):
            self._follow(dt_s / steps, goal, walk)
        if not self._walks and math.dist(self.here_m, goal) + math.hypot(*self._speed) < _AT_REST_M:
            self.here_m, self._speed, self._rests = goal, _STILL, True
        return self.here_m

    @property
    def _walks(self) -> bool:
        return self._age_s <= 1.3 * self._every_s

    def _expected(self) -> Place:
        """Where it is taken to be, led ahead; where it was seen once the next sighting is late."""
        if not self._walks:
            return self._seen
        ahead_s = min(self._age_s, self._every_s) + _AHEAD_S
        x, y, z = (a + ahead_s * b for a, b in zip(self._seen, self._walk, strict=True))
        return (x, y, z)

    def _follow(self, dt_s: float, goal: Place, walk: Place) -> None:
        pull, brake = _QUICKNESS * _QUICKNESS, 2.0 * _QUICKNESS
        here, speed = self.here_m, self._speed
        sx, sy, sz = (
            v + dt_s * (pull * (g - p) + brake * (w - v))
            for p, v, g, w in zip(here, speed, goal, walk, strict=True)
        )
        self._speed = (sx, sy, sz)
        self.here_m = (here[0] + dt_s * sx, here[1] + dt_s * sy, here[2] + dt_s * sz)
