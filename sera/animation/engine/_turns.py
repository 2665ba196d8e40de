"""Turns of one vector at a time, on plain floats: for three numbers arrays cost more than sums.

Units and frames: radians; quaternions as (w, x, y, z), unit ones; vectors are unit ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Face = Literal["x", "y", "z", "-x", "-y", "-z"]
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
FACES: dict[Face, Vector] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}


def quaternion_of(wxyz: NDArray[np.float64]) -> Quaternion:
    """An array as plain floats."""
    w, x, y, z = wxyz.tolist()
    return (w, x, y, z)


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """First b, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugated(a: Quaternion) -> Quaternion:
    """The turn back."""
    return (a[0], -a[1], -a[2], -a[3])


def turned(a: Quaternion, vector: Vector) -> Vector:
    """A vector after a turn."""
    w, x, y, z = a
    vx, vy, vz = vector
    cx, cy, cz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * cx + y * cz - z * cy,
        vy + w * cy + z * cx - x * cz,
        vz + w * cz + x * cy - y * cx,
    )


def unit(vector: Iterable[float]) -> Vector:
    """The same direction with the length one; forwards where there is none."""
    x, y, z = vector
    length = math.hypot(x, y, z)
    return (x / length, y / length, z / length) if length > 1e-9 else (0.0, 0.0, 1.0)


def way(start_m: Vector, end_m: Vector) -> Vector:
    """The direction from one place to another."""
    return unit((end_m[0] - start_m[0], end_m[1] - start_m[1], end_m[2] - start_m[2]))


def towards(horizontal_rad: float, vertical_rad: float) -> Vector:
    """The unit vector of a look to the right and upwards, on a body that faces +Z."""
    level = math.cos(vertical_rad)
    across, ahead = math.sin(horizontal_rad), math.cos(horizontal_rad)
    return (-level * across, math.sin(vertical_rad), level * ahead)


def looks(direction: Vector) -> tuple[float, float]:
    """How far a unit vector looks to the right, and upwards."""
    x, y, z = direction
    return math.atan2(-x, z), math.asin(min(1.0, max(-1.0, y)))


def between(a: Vector, b: Vector) -> float:
    """The angle between two directions, exact for small ones too."""
    apart = math.dist(a, b)
    return 2.0 * math.asin(min(1.0, 0.5 * apart))


def arc(a: Vector, b: Vector, *, about: Quaternion) -> Quaternion:
    """The shortest turn from one direction to another.

    Opposite directions have no shortest one: then half a turn about an axis across, taken from the
    orientation `about`, so that nearly the same question gets the same answer.
    """
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    w = 1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    size = math.hypot(w, *cross)
    if size > 1e-6:
        return (w / size, cross[0] / size, cross[1] / size, cross[2] / size)
    for face in (FACES["x"], FACES["y"]):
        side = turned(about, face)
        along = side[0] * a[0] + side[1] * a[1] + side[2] * a[2]
        x, y, z = side[0] - along * a[0], side[1] - along * a[1], side[2] - along * a[2]
        length = math.hypot(x, y, z)
        if length > 0.5:
            return (0.0, x / length, y / length, z / length)
    raise AssertionError("two axes of a frame are never both along one direction")


def rolled(orientation: Quaternion, face: Vector, angle_rad: float) -> Quaternion:
    """An orientation after a roll about its own face."""
    half = 0.5 * angle_rad
    sin = math.sin(half)
    return product(orientation, (math.cos(half), sin * face[0], sin * face[1], sin * face[2]))


def twist_rad(start: Quaternion, end: Quaternion, face: Vector) -> float:
    """The roll about the face that brings one orientation to another of the same face."""
    w, x, y, z = product(conjugated(start), end)
    angle = 2.0 * math.atan2(x * face[0] + y * face[1] + z * face[2], w)
    return math.remainder(angle, 2.0 * math.pi)
