"""Three joints, one orientation, a closed form: the stone that the optimal method is built of.

Design overview: hold all joints of a chain but three, i < j < k. The end point then turns by
L · Ri(ti) · M1 · Rj(tj) · M2 · Rk(tk) · R with constant L, M1, M2, R, and shall turn by τ. With
T = L⁻¹ τ R⁻¹ the outer turns vanish from  ai · T ak = ai · M1 Rj(tj) M2 ak,  because a turn leaves
its own axis alone. That is  A·cos tj + B·sin tj + C = c,  which has two roots; then ti is the angle
about ai that brings M1 Rj M2 ak onto T ak, and tk is what remains.

Where no root exists (|c - C| > √(A²+B²)) the nearest angle is taken and the gap is returned.

All of it is done on cosines and sines: most triples are given up before an angle is needed.

Units and frames: radians; axes in the base frame of the zero pose; turns as (w, x, y, z).
Threading: pure kernels on tuples.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    Vector,
    conjugate,
    cross,
    dot3,
    multiply,
    rotate,
)
from sera.kinematics.erik._table import axis_of, product

DEGENERATE = 1e-7
"""Below this √(A²+B²) the middle joint has no say in the latitude."""

Triple = tuple[Quaternion, Quaternion, Quaternion, float, float, float, float]


@kernel
def prepare_triple(table: FloatArray, i: int, j: int, k: int, target: Quaternion) -> Triple:
    """All that both roots share: M1, M2, T, then A/r, B/r, cosine of the half opening, the gap.

    The roots lie at atan2(B, A) ± opening. The gap is 9 where the triple is degenerate.
    """
    before = product(table, 0, i)
    lower = product(table, i + 1, j)
    upper = product(table, j + 1, k)
    after = product(table, k + 1, table.shape[0])
    wanted = multiply(multiply(conjugate(before), target), conjugate(after))
    axis_i, axis_j, axis_k = axis_of(table, i), axis_of(table, j), axis_of(table, k)
    first = rotate(conjugate(lower), axis_i)
    last = rotate(upper, axis_k)
    constant = dot3(first, axis_j) * dot3(axis_j, last)
    cosine = dot3(first, last) - constant
    sine = dot3(first, cross(axis_j, last))
    radius = math.sqrt(cosine * cosine + sine * sine)
    if radius < DEGENERATE:
        return lower, upper, wanted, 1.0, 0.0, 1.0, 9.0
    ratio = (dot3(axis_i, rotate(wanted, axis_k)) - constant) / radius
    opening = min(1.0, max(-1.0, ratio))
    return lower, upper, wanted, cosine / radius, sine / radius, opening, abs(ratio - opening)


@kernel
def root_of(
    middle_cosine: float, middle_sine: float, opening: float, side: int
) -> tuple[float, float]:
    """Cosine and sine of the middle joint's angle on one side; no angle is computed for it."""
    across = math.sqrt(max(0.0, 1.0 - opening * opening))
    if side == 1:
        across = -across
    return (
        middle_cosine * opening - middle_sine * across,
        middle_sine * opening + middle_cosine * across,
    )


@kernel
def turn_of(axis: Vector, cosine: float, sine: float) -> Quaternion:
    """The turn about `axis` by the angle that has this cosine and sine, by square roots alone."""
    if cosine > 0.0:
        half = math.sqrt(0.5 * (1.0 + cosine))
        across = 0.5 * sine / half
    else:
        across = math.sqrt(0.5 * (1.0 - cosine))
        half = 0.5 * sine / across
    return (half, across * axis[0], across * axis[1], across * axis[2])


@kernel
def triple_radius(table: FloatArray, i: int, j: int, k: int) -> float:
    """√(A²+B²): how much the middle joint has to say, nought to one."""
    first = rotate(conjugate(product(table, i + 1, j)), axis_of(table, i))
    last = rotate(product(table, j + 1, k), axis_of(table, k))
    axis = axis_of(table, j)
    constant = dot3(first, axis) * dot3(axis, last)
    return math.hypot(dot3(first, last) - constant, dot3(first, cross(axis, last)))


@kernel
def outer_turns(
    axis_i: Vector, axis_k: Vector, inner: Quaternion, wanted: Quaternion
) -> tuple[float, float, float, float]:
    """Cosines and sines of the outer joints' angles, given M1 · Rj · M2 and T."""
    start, end = rotate(inner, axis_k), rotate(wanted, axis_k)
    cosine_i = dot3(start, end) - dot3(axis_i, start) * dot3(axis_i, end)
    sine_i = dot3(axis_i, cross(start, end))
    length = math.sqrt(cosine_i * cosine_i + sine_i * sine_i)
    if length < DEGENERATE:  # both outer axes fall together: leave all to the second
        cosine_i, sine_i = 1.0, 0.0
    else:
        cosine_i /= length
        sine_i /= length
    rest = multiply(conjugate(multiply(turn_of(axis_i, cosine_i, sine_i), inner)), wanted)
    half, across = rest[0], dot3(axis_k, (rest[1], rest[2], rest[3]))
    length = half * half + across * across
    return cosine_i, sine_i, (half * half - across * across) / length, 2.0 * half * across / length
