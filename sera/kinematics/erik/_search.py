"""The search over corners: all joints but three as the posture bends them, three solved.

Design overview: the posture error is a sum of |Δ cos bend| over single joints, a function with
kinks, and the orientation is worth more than any bend. So the best pose nearly always meets the
orientation exactly with three joints (four or more would mean that the error stands still along a
curve) while every other joint sits at a kink — bent as the posture asks, to either side — or at
the end of its range. These corners are finitely many and each costs one closed form. Joints that
weigh nothing (twisters) are solved first, then those that weigh little.

The best corner found is kept for polishing.

Units and frames: radians, base frame of the zero pose.
Threading: pure kernels on arrays of the caller.
Safety: the pose that is kept lies within the limits that stand in `joints`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, about, dot4, multiply, row3
from sera.kinematics.erik._closed_form import (
    BEND_COS,
    BEND_SIN,
    FULL_TURN,
    LOWER,
    UPPER,
    WEIGHT,
    clamped,
    cost_at,
    fit,
    outer_angles,
    prepare_triple,
    set_turn,
)

EXACT = 1e-9
"""Angles this near to a limit, and gaps this small, are rounding."""
NEVER = 9.0
"""An error that no pose has."""
TIE = 1e-7
"""Errors this near to each other count as equal: the pose more like the posture is taken."""
TWIST_SHARE = 0.1
"""How much a radian of twist counts beside one of bend in that likeness."""
MOST_AT_EDGES = 8
"""Patterns of sides tried with one joint at a limit: these corners win seldom."""
STEEPNESS = 0.15
"""A radian beyond a limit costs at least about this much orientation error."""


class Problem(NamedTuple):
    """One question to the solver; turns are counted from the zero pose."""

    joints: FloatArray  # (n, COLUMNS): axis, limits, weight, bend
    wanted: FloatArray  # (n,) cosine of the bend that the posture asks for
    target: Quaternion
    flipped_target: Quaternion  # equal to the target where the end point is not symmetric
    period_end: float  # half a turn where the last joint is the twister of a symmetric end
    posture: FloatArray  # (n,)
    kinks: FloatArray  # (n, 3) angles of the joints that a corner does not solve for
    counts: IntArray  # (n,) how many of them


class Desk(NamedTuple):
    """Room to work in, owned by one thread."""

    pose: FloatArray  # (n,)
    turns: FloatArray  # (n, 4) turn of each joint
    best: FloatArray  # (n + 2,) best pose so far, its error, its distance from the posture


@kernel
def whole_error(problem: Problem, pose: FloatArray) -> float:
    """Combined error of any pose, from scratch."""
    joints = problem.joints
    turn = (1.0, 0.0, 0.0, 0.0)
    cost = 0.0
    for index in range(joints.shape[0]):
        turn = multiply(turn, about(row3(joints, index), pose[index]))
        cost += cost_at(joints, index, pose[index], problem.wanted[index])
    likeness = max(abs(dot4(turn, problem.target)), abs(dot4(turn, problem.flipped_target)))
    return math.sqrt(max(0.0, 1.0 - likeness)) + cost


@kernel
def outer_pair(
    problem: Problem, triple: IntArray, inner: Quaternion, wanted: Quaternion, pose: FloatArray
) -> float:
    """Write the outer angles of a triple into `pose`; return by how much they were clamped."""
    joints = problem.joints
    i, k = triple[0], triple[2]
    period_k = problem.period_end if k == joints.shape[0] - 1 else FULL_TURN
    angle_i, angle_k = outer_angles(row3(joints, i), row3(joints, k), inner, wanted)
    angle_i = fit(angle_i, joints[i, LOWER], joints[i, UPPER], FULL_TURN)
    angle_k = fit(angle_k, joints[k, LOWER], joints[k, UPPER], period_k)
    pose[i] = clamped(angle_i, joints[i, LOWER], joints[i, UPPER])
    pose[k] = clamped(angle_k, joints[k, LOWER], joints[k, UPPER])
    return abs(angle_i - pose[i]) + abs(angle_k - pose[k])


@kernel
def number_of_goals(problem: Problem, triple: IntArray) -> int:
    """Two where a symmetric end point is not a matter of the solved end twister alone."""
    solved_by_twister = problem.period_end < FULL_TURN and triple[2] == problem.joints.shape[0] - 1
    if solved_by_twister or problem.flipped_target == problem.target:
        return 1
    return 2


@kernel
def distance_from_posture(problem: Problem, pose: FloatArray) -> float:
    """How unlike the posture a pose is that bends as much: other sides, more twist."""
    total = 0.0
    for index in range(pose.shape[0]):
        if problem.joints[index, WEIGHT] == 0.0:
            total += TWIST_SHARE * abs(pose[index] - problem.posture[index])
        else:
            total += abs(pose[index] - problem.posture[index])
    return total


@kernel
def consider(problem: Problem, best: FloatArray, pose: FloatArray, error: float) -> None:
    """Keep the pose if it is better, or as good and more like the posture."""
    count = pose.shape[0]
    if error >= best[count] + TIE:
        return
    distance = distance_from_posture(problem, pose)
    if error > best[count] - TIE and distance >= best[count + 1]:
        return
    for index in range(count):
        best[index] = pose[index]
    best[count] = error
    best[count + 1] = distance


@kernel
def try_corner(problem: Problem, desk: Desk, triple: IntArray, base_cost: float) -> None:
    """Solve the triple with all other joints as they stand on the desk."""
    joints, wanted = problem.joints, problem.wanted
    pose, best = desk.pose, desk.best
    count = joints.shape[0]
    i, j, k = triple[0], triple[1], triple[2]
    for goal in range(number_of_goals(problem, triple)):
        aim = problem.target if goal == 0 else problem.flipped_target
        lower, upper, inner_aim, middle, opening, gap = prepare_triple(
            joints, desk.turns, triple, aim
        )
        if gap > 1.0:
            continue
        for side in range(2):
            angle_j = middle + opening if side == 0 else middle - opening
            angle_j = fit(angle_j, joints[j, LOWER], joints[j, UPPER], FULL_TURN)
            pose[j] = clamped(angle_j, joints[j, LOWER], joints[j, UPPER])
            beyond = abs(angle_j - pose[j])
            cost = base_cost + cost_at(joints, j, pose[j], wanted[j])
            if cost + STEEPNESS * beyond >= best[count] + TIE:
                continue
            inner = multiply(multiply(lower, about(row3(joints, j), angle_j)), upper)
            beyond += outer_pair(problem, triple, inner, inner_aim, pose)
            cost += cost_at(joints, i, pose[i], wanted[i]) + cost_at(joints, k, pose[k], wanted[k])
            if cost + STEEPNESS * beyond >= best[count] + TIE:
                continue
            if beyond > EXACT or gap > EXACT:
                cost = whole_error(problem, pose)
            consider(problem, best, pose, cost)


@kernel
def list_kinks(problem: Problem, posture: FloatArray) -> None:
    """The angles of every joint that corners are made of, within its limits.

    A joint that bends: where it bends as the posture does (one or two angles), or the nearer end
    of its range. A twister: as the posture has it, and both ends of its range.
    """
    joints, kinks = problem.joints, problem.kinks
    for index in range(joints.shape[0]):
        lower, upper = joints[index, LOWER], joints[index, UPPER]
        if joints[index, WEIGHT] == 0.0:
            kinks[index, 0] = lower
            kinks[index, 1] = upper
            kinks[index, 2] = clamped(fit(posture[index], lower, upper, FULL_TURN), lower, upper)
            # Nobody sees where root and end are twisted; in between it is part of the shape.
            problem.counts[index] = 3 if 0 < index < joints.shape[0] - 1 else 2
            continue
        found = 0
        straight = math.atan2(joints[index, BEND_SIN], joints[index, BEND_COS])
        for side in range(2):
            angle = posture[index] if side == 0 else 2.0 * straight - posture[index]
            angle = fit(angle, lower, upper, FULL_TURN)
            if lower - EXACT <= angle <= upper + EXACT:
                angle = clamped(angle, lower, upper)
                if found == 0 or abs(angle - kinks[index, 0]) > EXACT:
                    kinks[index, found] = angle
                    found += 1
        if found == 0:
            wanted = problem.wanted[index]
            at_lower = cost_at(joints, index, lower, wanted)
            kinks[index, 0] = lower
            if cost_at(joints, index, upper, wanted) < at_lower:
                kinks[index, 0] = upper
            found = 1
        problem.counts[index] = found


@kernel
def lay_out(problem: Problem, desk: Desk, triple: IntArray, held: int, held_at: float) -> float:
    """All joints outside the triple at their first kink, `held` at its own angle; their cost."""
    joints = problem.joints
    cost = 0.0
    for index in range(joints.shape[0]):
        if index in (triple[0], triple[1], triple[2]):
            continue
        desk.pose[index] = held_at if index == held else problem.kinks[index, 0]
        cost += cost_at(joints, index, desk.pose[index], problem.wanted[index])
        set_turn(joints, desk.turns, index, desk.pose[index])
    return cost


@kernel
def try_all_sides(
    problem: Problem,
    desk: Desk,
    triple: IntArray,
    held: int,
    held_at: float,
    most_patterns: int,
) -> None:
    """All patterns of kinks outside the triple, with one joint held at an angle (or none: -1)."""
    count, counts = problem.joints.shape[0], problem.counts
    base_cost = lay_out(problem, desk, triple, held, held_at)
    if base_cost >= desk.best[count]:
        return
    patterns = 1
    for index in range(count):
        if index not in (triple[0], triple[1], triple[2], held):
            patterns *= counts[index]
    for pattern in range(min(patterns, most_patterns)):
        rest = pattern
        for index in range(count):
            if index not in (triple[0], triple[1], triple[2], held) and counts[index] > 1:
                angle = problem.kinks[index, rest % counts[index]]
                rest //= counts[index]
                if angle != desk.pose[index]:
                    desk.pose[index] = angle
                    set_turn(problem.joints, desk.turns, index, angle)
        try_corner(problem, desk, triple, base_cost)


@kernel
def search_corners(problem: Problem, desk: Desk, triples: IntArray, most_patterns: int) -> None:
    """Fill the pool: first with every other joint at a kink, then with one of them at a limit."""
    joints = problem.joints
    count = joints.shape[0]
    for row in range(triples.shape[0]):
        try_all_sides(problem, desk, triples[row], -1, 0.0, most_patterns)
        if desk.best[count] < TIE:
            return
    for row in range(triples.shape[0]):
        triple = triples[row]
        for held in range(count):
            if held in (triple[0], triple[1], triple[2]) or joints[held, WEIGHT] == 0.0:
                continue
            for edge in range(2):
                held_at = joints[held, LOWER + edge]
                if cost_at(joints, held, held_at, problem.wanted[held]) < desk.best[count]:
                    try_all_sides(
                        problem, desk, triple, held, held_at, min(most_patterns, MOST_AT_EDGES)
                    )
