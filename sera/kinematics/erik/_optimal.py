"""The method `optimal`: the optimum of ERIK's error function, closed forms first.

Design overview: `search_corners` fills a pool of corner poses; the best of them are polished
along curves that keep the orientation, or, where the orientation is out of reach, joint by joint.
Chains of which no three joints can aim (fewer than three joints, parallel axes) begin from the
patterns of the posture's bends.

Units and frames: radians; turns (w, x, y, z) counted from the zero pose.
Threading: kernels without shared state; the interpreter lock is released.
Safety: the pose that is written lies within the limits that stand in `joints`.
"""

from __future__ import annotations

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import multiply
from sera.kinematics.erik._closed_form import FULL_TURN, LOWER, UPPER, WEIGHT, clamped, cosine_at
from sera.kinematics.erik._polish import error_without, polish, settle
from sera.kinematics.erik._search import (
    NEVER,
    TIE,
    Desk,
    Problem,
    consider,
    list_kinks,
    search_corners,
    whole_error,
)

MOST_PATTERNS = 64
POLISH_PASSES = 2
SETTLE_PASSES = 20
HEAVY = 0.3
"""A bend of this weight may be worth more than the orientation: corners alone do not tell."""
ORIENTATION_MET = 1e-7
"""Orientation errors below this are rounding."""


@kernel
def make_problem(
    joints: FloatArray,
    posture: FloatArray,
    target: FloatArray,
    last_segment: FloatArray,
    symmetric: bool,
) -> Problem:
    count = joints.shape[0]
    aim = (target[0], target[1], target[2], target[3])
    flipped = aim
    period_end = FULL_TURN
    if symmetric:
        # A half turn backwards and forwards are the same rotation.
        flipped = multiply(aim, (0.0, last_segment[0], last_segment[1], last_segment[2]))
        if joints[count - 1, WEIGHT] == 0.0:
            period_end = 0.5 * FULL_TURN
    wanted = np.empty(count)
    for index in range(count):
        wanted[index] = cosine_at(joints, index, posture[index])
    problem = Problem(
        joints,
        wanted,
        aim,
        flipped,
        period_end,
        posture,
        np.empty((count, 2)),
        np.empty(count, np.int64),
    )
    list_kinks(problem, posture)
    return problem


@kernel
def seed_from_patterns(problem: Problem, desk: Desk, pose: FloatArray) -> None:
    """Where no triple serves: every pattern of bends, settled joint by joint."""
    joints = problem.joints
    count = joints.shape[0]
    patterns = 1
    for index in range(count):
        patterns *= problem.counts[index]
    for pattern in range(min(patterns, MOST_PATTERNS)):
        rest = pattern
        for index in range(count):
            pose[index] = problem.kinks[index, rest % problem.counts[index]]
            rest //= problem.counts[index]
            if joints[index, WEIGHT] == 0.0:
                pose[index] = clamped(0.0, joints[index, LOWER], joints[index, UPPER])
        settle(problem, desk, pose, SETTLE_PASSES)
        consider(problem, desk.best, pose, whole_error(problem, pose))


@kernel
def solve_optimal(
    joints: FloatArray,
    triples: IntArray,
    curves: IntArray,
    posture: FloatArray,
    target: FloatArray,
    last_segment: FloatArray,
    symmetric: bool,
    pose: FloatArray,
) -> int:
    """Write the best pose into `pose`; return the passes of refinement plus one."""
    count = joints.shape[0]
    problem = make_problem(joints, posture, target, last_segment, symmetric)
    desk = Desk(np.zeros(count), np.zeros((count, 4)), np.full(count + 2, NEVER))
    search_corners(problem, desk, triples, MOST_PATTERNS)
    if desk.best[count] == NEVER or joints[:, WEIGHT].max() > HEAVY:
        seed_from_patterns(problem, desk, pose)
    for index in range(count):
        pose[index] = desk.best[index]
    error = desk.best[count]
    if error < TIE:
        return 1
    if error - error_without(problem, pose, -1) > ORIENTATION_MET:
        return 1 + settle(problem, desk, pose, SETTLE_PASSES)
    return 1 + polish(problem, desk, curves, pose, POLISH_PASSES)
