"""One question to the method `optimal`: posture, target, and the table to work on.

Units and frames: radians; turns counted from the zero pose, base frame.
Threading: a problem belongs to one thread.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, about, dot4, multiply
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._table import (
    BEND_COS,
    BEND_SIN,
    BEST,
    CHAIN_COLUMNS,
    COLUMNS,
    FULL_TURN,
    KINK,
    KINKS,
    LOWER,
    POSE,
    POSTURE,
    UPPER,
    WANTED,
    WEIGHT,
    WINDOW,
    axis_of,
    clamped,
    cosine_at,
    cost_at,
    fit,
)

EXACT = 1e-9
"""Angles this near to a limit, and gaps this small, are rounding."""
NEVER = 9.0
"""An error that no pose has."""
TIE = 1e-7
"""Errors this near to each other count as equal: the pose more like the posture is taken."""
TWIST_SHARE = 0.1
"""How much a radian of twist counts beside one of bend in that likeness."""


class Problem(NamedTuple):
    """One question; turns are counted from the zero pose."""

    table: FloatArray  # (n, COLUMNS); see `_table`
    score: FloatArray  # (2,) of the best pose so far: its error, its distance from the posture
    target: Quaternion
    flipped_target: Quaternion  # equal to the target where the end point is not symmetric
    period_end: float  # half a turn where the last joint is the twister of a symmetric end


@kernel
def make_problem(body: Body, posture: FloatArray, target: FloatArray) -> Problem:
    count = body.joints.shape[0]
    aim = (target[0], target[1], target[2], target[3])
    flipped = aim
    period_end = FULL_TURN
    if body.symmetric:
        along = body.last_segment
        # A half turn backwards and forwards are the same rotation.
        flipped = multiply(aim, (0.0, along[0], along[1], along[2]))
        if body.joints[count - 1, WEIGHT] == 0.0:
            period_end = 0.5 * FULL_TURN
    table = np.zeros((count, COLUMNS))
    for index in range(count):
        for column in range(CHAIN_COLUMNS):
            table[index, column] = body.joints[index, column]
        table[index, POSTURE] = posture[index]
        table[index, WANTED] = cosine_at(table, index, posture[index])
        list_kinks(table, index)
        open_window(table, index)
    return Problem(table, np.full(2, NEVER), aim, flipped, period_end)


@kernel
def list_kinks(table: FloatArray, index: int) -> None:
    """The angles of a joint that corners are made of, within its limits.

    A joint that bends: where it bends as the posture does (one or two angles), or the nearer end
    of its range. A twister: both ends of its range and, inside the chain, as the posture has it and
    half way to either end.
    """
    lower, upper = table[index, LOWER], table[index, UPPER]
    posture = table[index, POSTURE]
    if table[index, WEIGHT] == 0.0:
        table[index, KINK] = lower
        table[index, KINK + 1] = upper
        natural = clamped(fit(posture, lower, upper, FULL_TURN), lower, upper)
        table[index, KINK + 2] = natural
        table[index, KINK + 3] = 0.5 * (natural + lower)
        table[index, KINK + 4] = 0.5 * (natural + upper)
        # Nobody sees where root and end are twisted; in between it is part of the shape.
        table[index, KINKS] = 5.0 if 0 < index < table.shape[0] - 1 else 2.0
        return
    found = 0
    straight = math.atan2(table[index, BEND_SIN], table[index, BEND_COS])
    for side in range(2):
        angle = posture if side == 0 else 2.0 * straight - posture
        angle = fit(angle, lower, upper, FULL_TURN)
        if lower - EXACT <= angle <= upper + EXACT:
            angle = clamped(angle, lower, upper)
            if found == 0 or abs(angle - table[index, KINK]) > EXACT:
                table[index, KINK + found] = angle
                found += 1
    if found == 0:
        upper_is_nearer = cost_at(table, index, upper) < cost_at(table, index, lower)
        table[index, KINK] = upper if upper_is_nearer else lower
        found = 1
    table[index, KINKS] = found


@kernel
def open_window(table: FloatArray, index: int) -> None:
    lower, upper = table[index, LOWER], table[index, UPPER]
    half = 0.5 * (upper - lower)
    table[index, WINDOW] = math.cos(0.5 * (lower + upper))
    table[index, WINDOW + 1] = math.sin(0.5 * (lower + upper))
    # A hair wider, so that a root exactly at a limit is not lost to rounding.
    table[index, WINDOW + 2] = math.cos(half) - 1e-12 if half < math.pi else -2.0


@kernel
def whole_error(problem: Problem) -> float:
    """Combined error of the pose at hand, from scratch."""
    table = problem.table
    turn = (1.0, 0.0, 0.0, 0.0)
    cost = 0.0
    for index in range(table.shape[0]):
        angle = table[index, POSE]
        turn = multiply(turn, about(axis_of(table, index), angle))
        cost += cost_at(table, index, angle)
    likeness = max(abs(dot4(turn, problem.target)), abs(dot4(turn, problem.flipped_target)))
    return math.sqrt(max(0.0, 1.0 - likeness)) + cost


@kernel
def distance_from_posture(table: FloatArray) -> float:
    """How unlike the posture a pose is that bends as much: other sides, more twist."""
    total = 0.0
    for index in range(table.shape[0]):
        share = TWIST_SHARE if table[index, WEIGHT] == 0.0 else 1.0
        total += share * abs(table[index, POSE] - table[index, POSTURE])
    return total


@kernel
def consider(problem: Problem, error: float) -> None:
    """Keep the pose at hand if it is better, or as good and more like the posture."""
    table, score = problem.table, problem.score
    if error >= score[0] + TIE:
        return
    distance = distance_from_posture(table)
    if error > score[0] - TIE and distance >= score[1]:
        return
    for index in range(table.shape[0]):
        table[index, BEST] = table[index, POSE]
    score[0] = error
    score[1] = distance


@kernel
def take_best(problem: Problem) -> None:
    """The best pose so far becomes the pose at hand."""
    for index in range(problem.table.shape[0]):
        problem.table[index, POSE] = problem.table[index, BEST]
