"""Three joints, one orientation, a closed form: the stone that the optimal method is built of.

Design overview: hold all joints of a chain but three, i < j < k. The end point then turns by
L · Ri(ti) · M1 · Rj(tj) · M2 · Rk(tk) · R with constant L, M1, M2, R, and shall turn by τ. With
T = L⁻¹ τ R⁻¹ the outer turns vanish from  ai · T ak = ai · M1 Rj(tj) M2 ak,  because a turn leaves
its own axis alone. That is  A·cos tj + B·sin tj + C = c,  which has two roots; then ti is the angle
about ai that brings M1 Rj M2 ak onto T ak, and tk is what remains.

Where no root exists (|c - C| > √(A²+B²)) the nearest angle is taken and the gap is returned.

Units and frames: radians; axes in the base frame of the zero pose; turns as (w, x, y, z).
Threading: pure kernels on tuples.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    Vector,
    about,
    conjugate,
    cross,
    dot3,
    multiply,
    rotate,
    row3,
    row4,
)

FULL_TURN = 2.0 * math.pi
DEGENERATE = 1e-7
"""Below this √(A²+B²) the middle joint has no say in the latitude."""

# Columns of the array `joints`, one row a joint: everything a kernel asks about a joint.
LOWER, UPPER, WEIGHT, BEND_COS, BEND_SIN, BEND_CONSTANT, ENDLESS = 3, 4, 5, 6, 7, 8, 9
COLUMNS = 10

Triple = tuple[Quaternion, Quaternion, Quaternion, float, float, float]


@kernel
def product(turns: FloatArray, first: int, beyond: int) -> Quaternion:
    """The turns of the joints first … beyond-1, composed."""
    turn = (1.0, 0.0, 0.0, 0.0)
    for index in range(first, beyond):
        turn = multiply(turn, row4(turns, index))
    return turn


@kernel
def prepare_triple(
    joints: FloatArray, turns: FloatArray, triple: IntArray, target: Quaternion
) -> Triple:
    """All that both roots share: M1, M2, T, the middle of the roots, their half opening, the gap.

    The gap is 9 where the triple is degenerate.
    """
    i, j, k = triple[0], triple[1], triple[2]
    before = product(turns, 0, i)
    lower = product(turns, i + 1, j)
    upper = product(turns, j + 1, k)
    after = product(turns, k + 1, joints.shape[0])
    wanted = multiply(multiply(conjugate(before), target), conjugate(after))
    axis_i, axis_j, axis_k = row3(joints, i), row3(joints, j), row3(joints, k)
    first = rotate(conjugate(lower), axis_i)
    last = rotate(upper, axis_k)
    constant = dot3(first, axis_j) * dot3(axis_j, last)
    cosine = dot3(first, last) - constant
    sine = dot3(first, cross(axis_j, last))
    radius = math.sqrt(cosine * cosine + sine * sine)
    if radius < DEGENERATE:
        return lower, upper, wanted, 0.0, 0.0, 9.0
    ratio = (dot3(axis_i, rotate(wanted, axis_k)) - constant) / radius
    gap = max(0.0, abs(ratio) - 1.0)
    opening = math.acos(min(1.0, max(-1.0, ratio)))
    return lower, upper, wanted, math.atan2(sine, cosine), opening, gap


@kernel
def triple_radius(joints: FloatArray, turns: FloatArray, triple: IntArray) -> float:
    """√(A²+B²): how much the middle joint has to say, nought to one."""
    i, j, k = triple[0], triple[1], triple[2]
    first = rotate(conjugate(product(turns, i + 1, j)), row3(joints, i))
    last = rotate(product(turns, j + 1, k), row3(joints, k))
    axis = row3(joints, j)
    constant = dot3(first, axis) * dot3(axis, last)
    return math.hypot(dot3(first, last) - constant, dot3(first, cross(axis, last)))


@kernel
def angle_from_to(axis: Vector, start: Vector, end: Vector) -> float:
    """The turn about `axis` that brings `start` into the half-plane of `end`."""
    return math.atan2(
        dot3(axis, cross(start, end)),
        dot3(start, end) - dot3(axis, start) * dot3(axis, end),
    )


@kernel
def outer_angles(
    axis_i: Vector, axis_k: Vector, inner: Quaternion, wanted: Quaternion
) -> tuple[float, float]:
    """Angles of the outer joints of a triple, given M1 · Rj · M2 and T."""
    angle_i = angle_from_to(axis_i, rotate(inner, axis_k), rotate(wanted, axis_k))
    rest = multiply(conjugate(multiply(about(axis_i, angle_i), inner)), wanted)
    angle_k = 2.0 * math.atan2(dot3(axis_k, (rest[1], rest[2], rest[3])), rest[0])
    return angle_i, angle_k


@kernel
def fit(angle_rad: float, lower: float, upper: float, period: float) -> float:
    """The equal angle nearest to the middle of the range; it may still lie outside."""
    middle = 0.5 * (lower + upper)
    return angle_rad - period * math.floor((angle_rad - middle) / period + 0.5)


@kernel
def clamped(angle_rad: float, lower: float, upper: float) -> float:
    return min(max(angle_rad, lower), upper)


@kernel
def cosine_at(joints: FloatArray, index: int, angle_rad: float) -> float:
    """Cosine of the joint's bend."""
    return (
        joints[index, BEND_COS] * math.cos(angle_rad)
        + joints[index, BEND_SIN] * math.sin(angle_rad)
        + joints[index, BEND_CONSTANT]
    )


@kernel
def cost_at(joints: FloatArray, index: int, angle_rad: float, wanted_cosine: float) -> float:
    """The joint's share in the weighted posture error."""
    weight = joints[index, WEIGHT]
    if weight == 0.0:
        return 0.0
    return weight * abs(cosine_at(joints, index, angle_rad) - wanted_cosine)


@kernel
def set_turn(joints: FloatArray, turns: FloatArray, index: int, angle_rad: float) -> None:
    turn = about(row3(joints, index), angle_rad)
    turns[index, 0] = turn[0]
    turns[index, 1] = turn[1]
    turns[index, 2] = turn[2]
    turns[index, 3] = turn[3]
