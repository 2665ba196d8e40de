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
from sera.kinematics._quaternions import about, conjugate, dot3, multiply, row3
from sera.kinematics.erik._closed_form import (
    FULL_TURN,
    LOWER,
    UPPER,
    clamped,
    cost_at,
    fit,
    prepare_triple,
    product,
    set_turn,
)
from sera.kinematics.erik._search import (
    EXACT,
    NEVER,
    Desk,
    Problem,
    number_of_goals,
    outer_pair,
    whole_error,
)

FIRST_STEP_RAD = 0.08
WORTH_ANOTHER_PASS = 3e-5
LAST_STEP_RAD = 2e-3
SHRINK = 0.3
TO_SECOND_LOOK = 0.125


@kernel
def error_on_curve(
    problem: Problem, desk: Desk, curve: IntArray, angle_rad: float, branch: int
) -> float:
    """Posture error with joint curve[3] at an angle and the triple curve[:3] solved.

    `branch` says which of the two roots and which goal. The pose is left on the desk. NEVER where
    the triple has no solution within the limits.
    """
    joints, wanted, pose = problem.joints, problem.wanted, desk.pose
    i, j, k, driver = curve[0], curve[1], curve[2], curve[3]
    pose[driver] = angle_rad
    set_turn(joints, desk.turns, driver, angle_rad)
    aim = problem.target if branch < 2 else problem.flipped_target
    lower, upper, inner_aim, middle, opening, gap = prepare_triple(joints, desk.turns, curve, aim)
    if gap > EXACT:
        return NEVER
    angle_j = middle + opening if branch % 2 == 0 else middle - opening
    angle_j = fit(angle_j, joints[j, LOWER], joints[j, UPPER], FULL_TURN)
    pose[j] = clamped(angle_j, joints[j, LOWER], joints[j, UPPER])
    if abs(angle_j - pose[j]) > EXACT:
        return NEVER
    inner = multiply(multiply(lower, about(row3(joints, j), angle_j)), upper)
    if outer_pair(problem, curve, inner, inner_aim, pose) > EXACT:
        return NEVER
    return (
        cost_at(joints, i, pose[i], wanted[i])
        + cost_at(joints, j, pose[j], wanted[j])
        + cost_at(joints, k, pose[k], wanted[k])
        + cost_at(joints, driver, angle_rad, wanted[driver])
    )


@kernel
def descend_curve(
    problem: Problem, desk: Desk, curve: IntArray, start_rad: float, branch: int, start: float
) -> tuple[float, float]:
    """The best angle of the driver near `start_rad`, and the error of the four joints there."""
    lowest, highest = problem.joints[curve[3], LOWER], problem.joints[curve[3], UPPER]
    best_rad, best = start_rad, start
    step = FIRST_STEP_RAD
    moved = False
    while step > LAST_STEP_RAD:
        for direction in (-1.0, 1.0):
            angle = clamped(best_rad + direction * step, lowest, highest)
            error = error_on_curve(problem, desk, curve, angle, branch)
            downhill = error < best - 1e-9
            while error < best - 1e-9:
                moved = True
                best, best_rad = error, angle
                step *= 1.6
                angle = clamped(best_rad + direction * step, lowest, highest)
                error = error_on_curve(problem, desk, curve, angle, branch)
            if downhill:
                break
        # Most poses sit at a kink already: two looks tell.
        step *= SHRINK if moved else TO_SECOND_LOOK
    return best_rad, best


@kernel
def polish(problem: Problem, desk: Desk, curves: IntArray, pose: FloatArray, passes: int) -> int:
    """Improve a pose that meets the orientation, in place; return the passes that were made."""
    joints, wanted = problem.joints, problem.wanted
    count = joints.shape[0]
    for done in range(passes):
        gained = 0.0
        for row in range(curves.shape[0]):
            curve = curves[row]
            before = 0.0
            for index in range(count):
                desk.pose[index] = pose[index]
                set_turn(joints, desk.turns, index, pose[index])
            for place in range(4):
                before += cost_at(joints, curve[place], pose[curve[place]], wanted[curve[place]])
            if before < EXACT:
                continue
            best, best_rad, best_branch = before - 1e-7, 0.0, -1
            for branch in range(2 * number_of_goals(problem, curve)):
                start_rad = pose[curve[3]]
                start = error_on_curve(problem, desk, curve, start_rad, branch)
                if start > before + 1e-6:
                    continue
                angle, error = descend_curve(problem, desk, curve, start_rad, branch, start)
                if error < best:
                    best, best_rad, best_branch = error, angle, branch
            if best_branch >= 0:
                error_on_curve(problem, desk, curve, best_rad, best_branch)
                for index in range(count):
                    pose[index] = desk.pose[index]
                gained += before - best
        if gained < WORTH_ANOTHER_PASS:
            return done + 1
    return passes


@kernel
def error_of_joint(
    problem: Problem, index: int, angle_rad: float, straight: float, across: float
) -> float:
    """Combined error as far as one joint decides it, for one goal."""
    likeness = abs(straight * math.cos(0.5 * angle_rad) + across * math.sin(0.5 * angle_rad))
    return math.sqrt(max(0.0, 1.0 - likeness)) + cost_at(
        problem.joints, index, angle_rad, problem.wanted[index]
    )


@kernel
def best_for_joint(
    problem: Problem, index: int, now_rad: float, straight: float, across: float
) -> tuple[float, float]:
    """Best angle and error of one joint: aimed, at a kink, or between aim and kink."""
    joints = problem.joints
    lowest, highest = joints[index, LOWER], joints[index, UPPER]
    aimed = fit(2.0 * math.atan2(across, straight), lowest, highest, FULL_TURN)
    aimed = clamped(aimed, lowest, highest)
    best_rad, best = aimed, error_of_joint(problem, index, aimed, straight, across)
    for choice in range(problem.counts[index] + 1):
        other = now_rad if choice == 2 or choice == problem.counts[index] else 0.0
        if choice < problem.counts[index]:
            other = problem.kinks[index, choice]
        error = error_of_joint(problem, index, other, straight, across)
        if error < best:
            best_rad, best = other, error
    step = 0.1
    while step > LAST_STEP_RAD:
        moved = False
        for direction in (-1.0, 1.0):
            angle = clamped(best_rad + direction * step, lowest, highest)
            error = error_of_joint(problem, index, angle, straight, across)
            if error < best - 1e-9:
                best_rad, best, moved = angle, error, True
                break
        if not moved:
            step *= SHRINK
    return best_rad, best


@kernel
def settle(problem: Problem, desk: Desk, pose: FloatArray, passes: int) -> int:
    """Turn joint after joint to its best place, in place; for orientations out of reach."""
    joints = problem.joints
    count = joints.shape[0]
    error = whole_error(problem, pose)
    for index in range(count):
        set_turn(joints, desk.turns, index, pose[index])
    for done in range(passes):
        before = error
        for index in range(count - 1, -1, -1):
            prefix = conjugate(product(desk.turns, 0, index))
            suffix = conjugate(product(desk.turns, index + 1, count))
            others = error_without(problem, pose, index)
            axis = row3(joints, index)
            for goal in range(2):
                aim = problem.target if goal == 0 else problem.flipped_target
                rest = multiply(multiply(prefix, aim), suffix)
                across = dot3(axis, (rest[1], rest[2], rest[3]))
                angle, own = best_for_joint(problem, index, pose[index], rest[0], across)
                if own + others < error - 1e-10:
                    error = own + others
                    pose[index] = angle
                    set_turn(joints, desk.turns, index, angle)
                if problem.flipped_target == problem.target:
                    break
        if before - error < 1e-6:
            return done + 1
    return passes


@kernel
def error_without(problem: Problem, pose: FloatArray, left_out: int) -> float:
    """Posture error of all joints but one."""
    cost = 0.0
    for index in range(problem.joints.shape[0]):
        if index != left_out:
            cost += cost_at(problem.joints, index, pose[index], problem.wanted[index])
    return cost
