"""A triple solved within the limits, and given up as soon as it costs too much.

Units and frames, threading and safety as in `_search`.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import multiply
from sera.kinematics.erik._closed_form import Triple, outer_turns, root_of, turn_of
from sera.kinematics.erik._problem import NEVER, Problem
from sera.kinematics.erik._table import (
    FULL_TURN,
    LOWER,
    POSE,
    UPPER,
    axis_of,
    clamped,
    cost_of,
    fit,
    in_window,
)

Turns = tuple[float, float, float, float, float, float]
"""Cosine and sine of the angles of the three joints."""
NOTHING = (1.0, 0.0, 1.0, 0.0, 1.0, 0.0)


@kernel
def number_of_goals(problem: Problem, k: int) -> int:
    """Two where a symmetric end point is not a matter of the solved end twister alone."""
    solved_by_twister = problem.period_end < FULL_TURN and k == problem.table.shape[0] - 1
    if solved_by_twister or problem.flipped_target == problem.target:
        return 1
    return 2


@kernel
def solve_side(
    table: FloatArray,
    i: int,
    j: int,
    k: int,
    prepared: Triple,
    side: int,
    period_end: float,
    most: float,
) -> tuple[float, Turns]:
    """Cost and turns of one root; NEVER where it is beyond a limit or would cost `most`."""
    lower, upper, wanted, middle_cosine, middle_sine, opening, _ = prepared
    cosine_j, sine_j = root_of(middle_cosine, middle_sine, opening, side)
    if not in_window(table, j, cosine_j, sine_j):
        return NEVER, NOTHING
    cost = cost_of(table, j, cosine_j, sine_j)
    if cost >= most:
        return NEVER, NOTHING
    inner = multiply(multiply(lower, turn_of(axis_of(table, j), cosine_j, sine_j)), upper)
    cosine_i, sine_i, cosine_k, sine_k = outer_turns(
        axis_of(table, i), axis_of(table, k), inner, wanted
    )
    if not in_window(table, i, cosine_i, sine_i):
        return NEVER, NOTHING
    if not in_window(table, k, cosine_k, sine_k):
        half_turn_helps = k == table.shape[0] - 1 and period_end < FULL_TURN
        if not (half_turn_helps and in_window(table, k, -cosine_k, -sine_k)):
            return NEVER, NOTHING
    cost += cost_of(table, i, cosine_i, sine_i) + cost_of(table, k, cosine_k, sine_k)
    return cost, (cosine_i, sine_i, cosine_j, sine_j, cosine_k, sine_k)


@kernel
def write_angle(
    table: FloatArray, index: int, cosine: float, sine: float, period_end: float
) -> None:
    """One angle of the pose at hand, within the limits."""
    lower, upper = table[index, LOWER], table[index, UPPER]
    period = period_end if index == table.shape[0] - 1 else FULL_TURN
    table[index, POSE] = clamped(fit(math.atan2(sine, cosine), lower, upper, period), lower, upper)


@kernel
def write_angles(
    table: FloatArray, i: int, j: int, k: int, turns: Turns, period_end: float
) -> None:
    """The angles of a solved triple."""
    write_angle(table, i, turns[0], turns[1], period_end)
    write_angle(table, j, turns[2], turns[3], period_end)
    write_angle(table, k, turns[4], turns[5], period_end)


@kernel
def write_nearest(
    table: FloatArray, i: int, j: int, k: int, prepared: Triple, side: int, period_end: float
) -> None:
    """The angles of one root, clamped where they are beyond a limit."""
    lower, upper, wanted, middle_cosine, middle_sine, opening, _ = prepared
    cosine_j, sine_j = root_of(middle_cosine, middle_sine, opening, side)
    inner = multiply(multiply(lower, turn_of(axis_of(table, j), cosine_j, sine_j)), upper)
    cosine_i, sine_i, cosine_k, sine_k = outer_turns(
        axis_of(table, i), axis_of(table, k), inner, wanted
    )
    turns = (cosine_i, sine_i, cosine_j, sine_j, cosine_k, sine_k)
    write_angles(table, i, j, k, turns, period_end)
