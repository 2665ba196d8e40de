"""The table that the kernels of the method `optimal` work on: one row a joint, one column a fact.

Design overview: everything about a joint stands in one row, given and worked out alike, because a
kernel that takes one array runs several times as fast as one that takes ten: every array that is
handed on is counted by the run time, and these kernels hand on all the time. The first columns
come from the chain and never change; the others belong to one question.

Units and frames: radians; axes in the base frame of the zero pose; turns as (w, x, y, z).
Threading: a table belongs to one thread.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, Vector, about, multiply

FULL_TURN = 2.0 * math.pi

# From the chain: axis (three columns), limits, weight and bend; see `_model`.
AXIS, LOWER, UPPER, WEIGHT, BEND_COS, BEND_SIN, BEND_CONSTANT, ENDLESS = 0, 3, 4, 5, 6, 7, 8, 9
CHAIN_COLUMNS = 10
# From the question: posture, the cosine of its bend, angles that corners are made of, the range
# as cosine and sine of its middle and cosine of its half.
POSTURE, WANTED, KINK, KINKS, WINDOW = 10, 11, 12, 17, 18
# Worked on: the joint's present turn (four columns), the pose at hand, the best pose so far.
TURN, POSE, BEST = 21, 25, 26
COLUMNS = 27


@kernel
def axis_of(table: FloatArray, index: int) -> Vector:
    return (table[index, 0], table[index, 1], table[index, 2])


@kernel
def turn_at(table: FloatArray, index: int) -> Quaternion:
    return (table[index, 21], table[index, 22], table[index, 23], table[index, 24])


@kernel
def set_turn(table: FloatArray, index: int, angle_rad: float) -> None:
    turn = about(axis_of(table, index), angle_rad)
    table[index, 21] = turn[0]
    table[index, 22] = turn[1]
    table[index, 23] = turn[2]
    table[index, 24] = turn[3]


@kernel
def product(table: FloatArray, first: int, beyond: int) -> Quaternion:
    """The turns of the joints first … beyond-1, composed."""
    if first >= beyond:
        return (1.0, 0.0, 0.0, 0.0)
    turn = turn_at(table, first)
    for index in range(first + 1, beyond):
        turn = multiply(turn, turn_at(table, index))
    return turn


@kernel
def fit(angle_rad: float, lower: float, upper: float, period: float) -> float:
    """The equal angle nearest to the middle of the range; it may still lie outside."""
    middle = 0.5 * (lower + upper)
    return angle_rad - period * math.floor((angle_rad - middle) / period + 0.5)


@kernel
def clamped(angle_rad: float, lower: float, upper: float) -> float:
    return min(max(angle_rad, lower), upper)


@kernel
def cosine_at(table: FloatArray, index: int, angle_rad: float) -> float:
    """Cosine of the joint's bend."""
    return (
        table[index, BEND_COS] * math.cos(angle_rad)
        + table[index, BEND_SIN] * math.sin(angle_rad)
        + table[index, BEND_CONSTANT]
    )


@kernel
def cost_at(table: FloatArray, index: int, angle_rad: float) -> float:
    """The joint's share in the weighted posture error."""
    weight = table[index, WEIGHT]
    if weight == 0.0:
        return 0.0
    return weight * abs(cosine_at(table, index, angle_rad) - table[index, WANTED])


@kernel
def cost_of(table: FloatArray, index: int, cosine: float, sine: float) -> float:
    """The same from the angle's cosine and sine."""
    weight = table[index, WEIGHT]
    if weight == 0.0:
        return 0.0
    bend = table[index, BEND_COS] * cosine + table[index, BEND_SIN] * sine
    return weight * abs(bend + table[index, BEND_CONSTANT] - table[index, WANTED])


@kernel
def in_window(table: FloatArray, index: int, cosine: float, sine: float) -> bool:
    """Whether the angle with this cosine and sine is within the joint's limits."""
    return cosine * table[index, 18] + sine * table[index, 19] >= table[index, 20]


@kernel
def posture_cost(table: FloatArray, left_out: int) -> float:
    """Weighted posture error of the pose at hand, without one joint (-1: of all)."""
    cost = 0.0
    for index in range(table.shape[0]):
        if index != left_out:
            cost += cost_at(table, index, table[index, POSE])
    return cost
