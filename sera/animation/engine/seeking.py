"""Seeking: which direction faces a place, found by trying poses that nobody sees.

Design overview: asks for a direction to try, is told where the face then is and looks, and asks
again. First the direction goes to the place from wherever the face came to be, by a step that
follows from the last two (Aitken's relaxation): a fixed point faces the place. Where there is none
within reach, rings of directions around the best one are tried, each ring narrower; what then is
the least off is the nearest pose.

Units and frames: metres and unit vectors in the frame of the body's base, radians.
Threading: one owner.
Safety: it ends, after at most `MOST_TRIES`; the best one so far always stands.
"""

from __future__ import annotations

import math

from sera.animation.engine._turns import Vector, between, unit, way

NEAR_RAD = math.radians(1.0)
"""So near is as good as on the place."""
_CLOSE_RAD = math.radians(0.2)
_STEPS = 14
_ABOVE_M = 0.2
"""What is no further aside goes round nothing."""
_RINGS_RAD = (0.7, 0.35, 0.18, 0.09, 0.045)
_AROUND = 6
MOST_TRIES = 1 + _STEPS + len(_RINGS_RAD) * _AROUND
_LEAST, _MOST, _FIRST = 0.05, 0.8, 0.5


class Seeking:
    """The search for one place."""

    def __init__(self, place_m: Vector, direction: Vector) -> None:
        self.place_m = place_m
        self.direction = direction
        """The best so far."""
        self.off_rad = math.inf
        """How far off the face is with it."""
        self.begun = self.done = False
        self.settled = False
        """Whether it ended where the direction is that to the place, be a joint at its end."""
        self._next = direction
        self._tried = 0
        self._step = _FIRST
        self._rest: Vector | None = None
        self._rings = list(_RINGS_RAD)
        self._waiting: list[Vector] = []

    @property
    def asks(self) -> Vector:
        """The direction to try next."""
        return self._next

    def carried_to(self, place_m: Vector) -> Vector:
        """The best so far, turned as far as its place has meanwhile gone round the base."""
        (ax, _, az), (bx, _, bz), (x, y, z) = self.place_m, place_m, self.direction
        if min(math.hypot(ax, az), math.hypot(bx, bz)) < _ABOVE_M:
            return self.direction
        turn = math.atan2(bx, bz) - math.atan2(ax, az)
        cos, sin = math.cos(turn), math.sin(turn)
        return (x * cos + z * sin, y, z * cos - x * sin)

    def tell(self, position_m: Vector, axis: Vector, *, simple: bool = False) -> None:
        """Where the face came to be, and looks; a `simple` neck has no other pose for it."""
        self._tried += 1
        self.begun = True
        wanted = way(position_m, self.place_m)
        off_rad = between(axis, wanted)
        if off_rad < self.off_rad - 1e-6:
            self.direction, self.off_rad = self._next, off_rad
        if self.off_rad < _CLOSE_RAD:
            self.done = self.settled = True
        elif self._tried <= _STEPS:
            self._relax(wanted, simple=simple)
        else:
            self._look_around()

    def _relax(self, wanted: Vector, *, simple: bool) -> None:
        here = self._next
        rest = (wanted[0] - here[0], wanted[1] - here[1], wanted[2] - here[2])
        if math.hypot(*rest) < _CLOSE_RAD:  # it settles here, as near as the joints let it
            if simple or self.off_rad < NEAR_RAD:
                self.direction, self.done, self.settled = here, True, True
            else:
                self._tried = _STEPS
                self._look_around()
            return
        before = self._rest
        if before is not None:
            change = tuple(a - b for a, b in zip(rest, before, strict=True))
            square = sum(each * each for each in change)
            if square > 1e-12:
                along = sum(a * b for a, b in zip(before, change, strict=True))
                self._step = min(_MOST, max(_LEAST, -self._step * along / square))
        self._rest = rest
        self._next = unit(tuple(a + self._step * b for a, b in zip(here, rest, strict=True)))

    def _look_around(self) -> None:
        if not self._waiting:
            if self.off_rad < NEAR_RAD or not self._rings:
                self.done = True
                return
            self._waiting = _ring(self.direction, self._rings.pop(0))
        self._next = self._waiting.pop()


def _ring(middle: Vector, radius_rad: float) -> list[Vector]:
    """Directions around one, all as far from it."""
    x, y, z = middle
    side = unit((z, 0.0, -x)) if math.hypot(x, z) > 1e-6 else (1.0, 0.0, 0.0)
    up = (y * side[2] - z * side[1], z * side[0] - x * side[2], x * side[1] - y * side[0])
    near, far = math.cos(radius_rad), math.sin(radius_rad)
    ring = []
    for number in range(_AROUND):
        turn = math.tau * number / _AROUND
        across, upward = far * math.cos(turn), far * math.sin(turn)
        ring.append(
            unit(
                near * m + across * s + upward * u for m, s, u in zip(middle, side, up, strict=True)
            )
        )
    return ring
