"""The search over corners: all joints but three as the posture bends them, three solved.

Design overview: the posture error is a sum of |Δ cos bend| over single joints, a function with
kinks, and the orientation is worth more than any bend. So the best pose nearly always meets the
orientation exactly with three joints (four or more would mean that the error stands still along a
curve) while every other joint sits at a kink — bent as the posture asks, to either side — or at
the end of its range. These corners are finitely many and each costs one closed form. Joints that
weigh nothing (twisters) are solved first, then those that weigh little.

Where no corner is within the limits, the nearest one to each is judged by its whole error.

Units and frames: radians, base frame of the zero pose.
Threading: pure kernels on arrays of the caller.
Safety: the pose that is kept lies within the limits that stand in the problem's joints.
"""

from __future__ import annotations

from sera.kinematics._arrays import IntArray
from sera.kinematics._compile import kernel
from sera.kinematics.erik._closed_form import prepare_triple
from sera.kinematics.erik._problem import EXACT, TIE, Problem, consider, whole_error
from sera.kinematics.erik._table import (
    FULL_TURN,
    KINK,
    KINKS,
    LOWER,
    POSE,
    POSTURE,
    UPPER,
    WEIGHT,
    clamped,
    cost_at,
    fit,
    set_turn,
)
from sera.kinematics.erik._triple import number_of_goals, solve_side, write_angles, write_nearest

MOST_PATTERNS = 32
FAR_OFF = 0.1
MORE_TRIPLES = 3
NATURAL_RAD = 0.3
"""A perfect pose this near to the posture needs no other beside it."""
MOST_AT_EDGES = 8
"""Patterns of sides tried with one joint at a limit: these corners win seldom."""


@kernel
def try_corner(problem: Problem, i: int, j: int, k: int, base_cost: float, clamp: bool) -> None:
    """Solve the triple with all other joints as they stand in pose and turns."""
    table, score, period_end = problem.table, problem.score, problem.period_end
    for goal in range(number_of_goals(problem, k)):
        aim = problem.target if goal == 0 else problem.flipped_target
        prepared = prepare_triple(table, i, j, k, aim)
        gap = prepared[6]
        if gap > (1.0 if clamp else EXACT):
            continue
        for side in range(2):
            if clamp:
                write_nearest(table, i, j, k, prepared, side, period_end)
                consider(problem, whole_error(problem))
                continue
            most = score[0] + TIE - base_cost
            cost, turns = solve_side(table, i, j, k, prepared, side, period_end, most)
            if cost < most:
                write_angles(table, i, j, k, turns, period_end)
                consider(problem, base_cost + cost)


@kernel
def lay_out(problem: Problem, i: int, j: int, k: int, held: int, held_at: float) -> float:
    """All joints outside the triple at their first kink, `held` at its own angle; their cost."""
    table = problem.table
    cost = 0.0
    for index in range(table.shape[0]):
        if index in (i, j, k):
            continue
        angle = held_at if index == held else table[index, KINK]
        table[index, POSE] = angle
        cost += cost_at(table, index, angle)
        set_turn(table, index, angle)
    return cost


@kernel
def try_all_sides(
    problem: Problem, i: int, j: int, k: int, held: int, held_at: float, clamp: bool
) -> None:
    """All patterns of kinks outside the triple, with one joint held at an angle (or none: -1)."""
    table = problem.table
    count = table.shape[0]
    base_cost = lay_out(problem, i, j, k, held, held_at)
    if base_cost >= problem.score[0]:
        return
    patterns = 1
    for index in range(count):
        if index not in (i, j, k, held):
            patterns *= int(table[index, KINKS])
    most = MOST_AT_EDGES if held >= 0 else MOST_PATTERNS
    for pattern in range(min(patterns, most)):
        rest = pattern
        for index in range(count):
            kinks = int(table[index, KINKS])
            if kinks > 1 and index not in (i, j, k, held):
                angle = table[index, KINK + rest % kinks]
                rest //= kinks
                if angle != table[index, POSE]:
                    table[index, POSE] = angle
                    set_turn(table, index, angle)
        try_corner(problem, i, j, k, base_cost, clamp)


@kernel
def try_edges(problem: Problem, i: int, j: int, k: int) -> None:
    """Every joint that bends, one after the other, at either end of its range."""
    table = problem.table
    for held in range(table.shape[0]):
        if held in (i, j, k) or table[held, WEIGHT] == 0.0:
            continue
        for edge in range(2):
            held_at = table[held, LOWER + edge]
            if cost_at(table, held, held_at) < problem.score[0]:
                try_all_sides(problem, i, j, k, held, held_at, False)


@kernel
def try_posture(problem: Problem) -> None:
    """The posture itself, as far as the limits allow it."""
    table = problem.table
    for index in range(table.shape[0]):
        lower, upper = table[index, LOWER], table[index, UPPER]
        angle = fit(table[index, POSTURE], lower, upper, FULL_TURN)
        table[index, POSE] = clamped(angle, lower, upper)
    consider(problem, whole_error(problem))


@kernel
def search_corners(problem: Problem, triples: IntArray) -> None:
    """Find the best corner: first every other joint at a kink, then one of them at a limit."""
    score = problem.score
    try_posture(problem)
    extra = MORE_TRIPLES
    for row in range(triples.shape[0]):
        if score[0] < TIE:
            # Perfect already; a few more triples may find it with less twist.
            if score[1] < NATURAL_RAD or extra == 0:
                return
            extra -= 1
        try_all_sides(problem, triples[row, 0], triples[row, 1], triples[row, 2], -1, 0.0, False)
    if score[0] < TIE:
        return
    for row in range(triples.shape[0]):
        try_edges(problem, triples[row, 0], triples[row, 1], triples[row, 2])
    if score[0] > FAR_OFF:  # no corner within the limits: the posture alone stands there
        for row in range(triples.shape[0]):
            try_all_sides(problem, triples[row, 0], triples[row, 1], triples[row, 2], -1, 0.0, True)
