"""Quaternion kernels on plain floats: no allocation, for the inside of other kernels.

Quaternions are (w, x, y, z) of unit length; products compose from right to left, so that
`multiply(a, b)` turns by `b` first. Vectors and quaternions travel as tuples of floats, which the
compiler keeps in registers.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@kernel
def conjugate(a: Quaternion) -> Quaternion:
    return (a[0], -a[1], -a[2], -a[3])


@kernel
def about(axis: Vector, angle_rad: float) -> Quaternion:
    """The turn by `angle_rad` about the unit vector `axis`."""
    sine = math.sin(0.5 * angle_rad)
    return (math.cos(0.5 * angle_rad), axis[0] * sine, axis[1] * sine, axis[2] * sine)


@kernel
def rotate(a: Quaternion, v: Vector) -> Vector:
    """`v` turned by `a`."""
    w, x, y, z = a
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


@kernel
def dot4(a: Quaternion, b: Quaternion) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@kernel
def dot3(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel
def row3(rows: FloatArray, index: int) -> Vector:
    return (rows[index, 0], rows[index, 1], rows[index, 2])


@kernel
def row4(rows: FloatArray, index: int) -> Quaternion:
    return (rows[index, 0], rows[index, 1], rows[index, 2], rows[index, 3])
