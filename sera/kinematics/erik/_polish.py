"""From a good corner to the optimum: line searches that never leave the target orientation.

Design overview: four joints that turn together while three of them keep the end point aimed have
one way to move, a curve. Along it the posture error is followed downhill until it rises again.
Where the orientation cannot be met at all, single joints are turned one after the other, each to
the best place for the combined error.

Units and frames, threading and safety as in `_search`.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, conjugate, dot3, multiply
from sera.kinematics.erik._closed_form import prepare_triple
from sera.kinematics.erik._problem import EXACT, NEVER, Problem, whole_error
from sera.kinematics.erik._table import (
    FULL_TURN,
    KINK,
    KINKS,
    LOWER,
    POSE,
    UPPER,
    axis_of,
    clamped,
    cost_at,
    fit,
    posture_cost,
    product,
    set_turn,
)
from sera.kinematics.erik._triple import (
    NOTHING,
    Turns,
    number_of_goals,
    solve_side,
    write_angles,
)

FIRST_STEP_RAD = 0.08
LAST_STEP_RAD = 2e-3
SHRINK = 0.3
TO_SECOND_LOOK = 0.125
WORTH_ANOTHER_PASS = 3e-5

Curve = tuple[int, int, int, int]
"""Three joints that are solved for, and the one that drives them."""


@kernel
def error_on_curve(
    problem: Problem, curve: Curve, angle_rad: float, branch: int, most: float
) -> tuple[float, Turns]:
    """Posture error of the four joints with the driver at an angle and the others solved.

    `branch` says which of the two roots and which goal. NEVER, or above, where the triple has no
    solution within the limits or costs `most`.
    """
    i, j, k, driver = curve
    table = problem.table
    cost = cost_at(table, driver, angle_rad)
    if cost >= most:
        return NEVER, NOTHING
    set_turn(table, driver, angle_rad)
    aim = problem.target if branch < 2 else problem.flipped_target
    prepared = prepare_triple(table, i, j, k, aim)
    if prepared[6] > EXACT:
        return NEVER, NOTHING
    own, turns = solve_side(table, i, j, k, prepared, branch % 2, problem.period_end, most - cost)
    return cost + own, turns


@kernel
def descend_curve(
    problem: Problem, curve: Curve, start_rad: float, branch: int, start: float
) -> tuple[float, float]:
    """The best angle of the driver near `start_rad`, and the error of the four joints there."""
    lowest, highest = problem.table[curve[3], LOWER], problem.table[curve[3], UPPER]
    best_rad, best = start_rad, start
    step = FIRST_STEP_RAD
    moved = False
    while step > LAST_STEP_RAD:
        for direction in (-1.0, 1.0):
            angle = clamped(best_rad + direction * step, lowest, highest)
            error, _ = error_on_curve(problem, curve, angle, branch, best)
            downhill = error < best - 1e-9
            while error < best - 1e-9:
                moved = True
                best, best_rad = error, angle
                step *= 1.6
                angle = clamped(best_rad + direction * step, lowest, highest)
                error, _ = error_on_curve(problem, curve, angle, branch, best)
            if downhill:
                break
        # Most poses sit at a kink already: two looks tell.
        step *= SHRINK if moved else TO_SECOND_LOOK
    return best_rad, best


@kernel
def polish_along(problem: Problem, curve: Curve) -> float:
    """Move the pose at hand to the best place on one curve; return what was gained."""
    table = problem.table
    before = 0.0
    for joint in curve:
        before += cost_at(table, joint, table[joint, POSE])
    if before < EXACT:
        return 0.0
    for index in range(table.shape[0]):
        set_turn(table, index, table[index, POSE])
    start_rad = table[curve[3], POSE]
    best, best_rad, best_branch = before - 1e-7, 0.0, -1
    for branch in range(2 * number_of_goals(problem, curve[2])):
        start, _ = error_on_curve(problem, curve, start_rad, branch, NEVER)
        if start > before + 1e-6:
            continue
        angle, error = descend_curve(problem, curve, start_rad, branch, start)
        if error < best:
            best, best_rad, best_branch = error, angle, branch
    if best_branch < 0:
        return 0.0
    _, turns = error_on_curve(problem, curve, best_rad, best_branch, NEVER)
    table[curve[3], POSE] = best_rad
    write_angles(table, curve[0], curve[1], curve[2], turns, problem.period_end)
    return before - best


@kernel
def polish(problem: Problem, curves: IntArray, passes: int) -> int:
    """Improve the pose at hand, which meets the orientation; return the passes that were made."""
    for done in range(passes):
        gained = 0.0
        for row in range(curves.shape[0]):
            curve = (curves[row, 0], curves[row, 1], curves[row, 2], curves[row, 3])
            gained += polish_along(problem, curve)
        if gained < WORTH_ANOTHER_PASS:
            return done + 1
    return passes


@kernel
def error_of_joint(
    table: FloatArray, index: int, angle_rad: float, straight: float, across: float
) -> float:
    """Combined error as far as one joint decides it, for one goal."""
    likeness = abs(straight * math.cos(0.5 * angle_rad) + across * math.sin(0.5 * angle_rad))
    return math.sqrt(max(0.0, 1.0 - likeness)) + cost_at(table, index, angle_rad)


@kernel
def best_for_joint(
    table: FloatArray, index: int, straight: float, across: float
) -> tuple[float, float]:
    """Best angle and error of one joint: as it is, aimed, at a kink, or near the best of these."""
    lowest, highest = table[index, LOWER], table[index, UPPER]
    best_rad = table[index, POSE]
    best = error_of_joint(table, index, best_rad, straight, across)
    aimed = fit(2.0 * math.atan2(across, straight), lowest, highest, FULL_TURN)
    kinks = int(table[index, KINKS])
    for choice in range(kinks + 1):
        angle = table[index, KINK + choice] if choice < kinks else clamped(aimed, lowest, highest)
        error = error_of_joint(table, index, angle, straight, across)
        if error < best:
            best_rad, best = angle, error
    step = 0.1
    while step > LAST_STEP_RAD:
        moved = False
        for direction in (-1.0, 1.0):
            angle = clamped(best_rad + direction * step, lowest, highest)
            error = error_of_joint(table, index, angle, straight, across)
            if error < best - 1e-9:
                best_rad, best, moved = angle, error, True
                break
        if not moved:
            step *= SHRINK
    return best_rad, best


@kernel
def settle_joint(problem: Problem, index: int, goal: Quaternion, error: float) -> float:
    """Turn one joint to its best place for one goal; the error of the pose after it."""
    table = problem.table
    prefix = conjugate(product(table, 0, index))
    suffix = conjugate(product(table, index + 1, table.shape[0]))
    rest = multiply(multiply(prefix, goal), suffix)
    across = dot3(axis_of(table, index), (rest[1], rest[2], rest[3]))
    angle, own = best_for_joint(table, index, rest[0], across)
    others = posture_cost(table, index)
    if own + others < error - 1e-10:
        table[index, POSE] = angle
        set_turn(table, index, angle)
        return own + others
    return error


@kernel
def settle(problem: Problem, passes: int) -> int:
    """Turn joint after joint of the pose at hand to its best place for the combined error."""
    table = problem.table
    count = table.shape[0]
    error = whole_error(problem)
    for index in range(count):
        set_turn(table, index, table[index, POSE])
    for done in range(passes):
        before = error
        for index in range(count - 1, -1, -1):
            error = settle_joint(problem, index, problem.target, error)
            if problem.flipped_target != problem.target:
                error = settle_joint(problem, index, problem.flipped_target, error)
        if before - error < 1e-6:
            return done + 1
    return passes
