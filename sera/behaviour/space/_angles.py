"""Angles as people write them: horizontal to the right, vertical up, in degrees.

Units and frames: seen from somebody who faces +Z with +Y up, so that the right is towards -X.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.behaviour.space._frame import Vector


class Angles(NamedTuple):
    """A direction as its observer sees it."""

    horizontal_deg: float
    """0 is straight ahead, positive to the right, from -180 to 180."""
    vertical_deg: float
    """0 is level, positive upwards, from -90 to 90."""

    def raised(self, by_deg: float) -> Angles:
        """The same direction further up, at most to the zenith."""
        return Angles(self.horizontal_deg, max(-90.0, min(90.0, self.vertical_deg + by_deg)))

    def apart_deg(self, other: Angles) -> float:
        """The angle between two directions, from 0 to 180."""
        return between_deg(vector_of(self), vector_of(other))


def angles_of(vector: Vector) -> Angles:
    """The angles of a direction.

    Raises:
        ValueError: the vector has no length, so it points nowhere.
    """
    x, y, z = vector
    level = math.hypot(x, z)
    if level == 0.0 and y == 0.0:
        raise ValueError("the place is the eye itself, so there is no direction towards it")
    horizontal = math.degrees(math.atan2(-x, z)) if level > 0.0 else 0.0
    return Angles(horizontal, math.degrees(math.atan2(y, level)))


def vector_of(angles: Angles) -> Vector:
    """The direction of length one that has these angles."""
    horizontal = math.radians(angles.horizontal_deg)
    vertical = math.radians(angles.vertical_deg)
    level = math.cos(vertical)
    return (-level * math.sin(horizontal), math.sin(vertical), level * math.cos(horizontal))


def between_deg(first: Vector, second: Vector) -> float:
    """The angle between two vectors; exact for small angles, where an arc cosine is not."""
    ax, ay, az = first
    bx, by, bz = second
    crossed = math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    return math.degrees(math.atan2(crossed, ax * bx + ay * by + az * bz))
