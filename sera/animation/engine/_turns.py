"""Turns of one vector at a time, on plain floats: for three numbers arrays cost more than sums.

Units and frames: radians; quaternions as (w, x, y, z), unit ones; vectors are unit ones.
"""

from __future__ import annotations

import math
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
