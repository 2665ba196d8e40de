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

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import multiply
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._closed_form import FULL_TURN, LOWER, UPPER, WEIGHT, cosine_at
from sera.kinematics.erik._polish import error_without, polish, settle
from sera.kinematics.erik._refine import Bench, make_bench, refine
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

MOST_PATTERNS = 32
POLISH_PASSES = 2
SETTLE_PASSES = 20
SPREAD_STARTS = 12
GOLDEN_RATIO = 0.6180339887498949
PROMISING = 2e-3
"""A descent that ends this near to the best pose is worth settling."""
ORIENTATION_MET = 1e-7
"""Orientation errors below this are rounding."""


@kernel
def make_problem(body: Body, posture: FloatArray, target: FloatArray) -> Problem:
    joints = body.joints
    count = joints.shape[0]
    aim = (target[0], target[1], target[2], target[3])
    flipped = aim
    period_end = FULL_TURN
    if body.symmetric:
        along = body.last_segment
        # A half turn backwards and forwards are the same rotation.
        flipped = multiply(aim, (0.0, along[0], along[1], along[2]))
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
        np.empty((count, 3)),
        np.empty(count, np.int64),
    )
    list_kinks(problem, posture)
    return problem


@kernel
def descend_from_patterns(problem: Problem, desk: Desk, bench: Bench, most: int) -> None:
    """Local descents from the posture itself and from its mirrored bends."""
    count = problem.joints.shape[0]
    patterns = 1
    for index in range(count):
        patterns *= min(2, problem.counts[index])
    for pattern in range(min(patterns, most)):
        rest = pattern
        for index in range(count):
            sides = min(2, problem.counts[index])
            # The joints near the end, which weigh most, change sides last.
            desk.pose[index] = problem.kinks[index, rest % sides]
            rest //= sides
        descend(problem, desk, bench, desk.pose)


@kernel
def descend_from_afar(problem: Problem, desk: Desk, bench: Bench) -> None:
    """Local descents from points spread through the joints' ranges, always the same ones."""
    for start in range(SPREAD_STARTS):
        for index in range(problem.joints.shape[0]):
            lower, upper = problem.joints[index, LOWER], problem.joints[index, UPPER]
            share = (start + 0.5) * (GOLDEN_RATIO + 0.1947 * index) % 1.0
            desk.pose[index] = lower + share * (upper - lower)
        descend(problem, desk, bench, desk.pose)


@kernel
def descend(problem: Problem, desk: Desk, bench: Bench, pose: FloatArray) -> None:
    """Refine a pose, settle it on kinks and limits, and keep it if it is the best."""
    count = pose.shape[0]
    if refine(problem, pose, bench) < desk.best[count] + PROMISING:
        settle(problem, desk, pose, SETTLE_PASSES)
        consider(problem, desk.best, pose, whole_error(problem, pose))


@kernel
def solve_optimal(body: Body, posture: FloatArray, target: FloatArray, pose: FloatArray) -> int:
    """Write the best pose into `pose`; return the passes of refinement plus one."""
    count = body.joints.shape[0]
    problem = make_problem(body, posture, target)
    desk = Desk(np.zeros(count), np.zeros((count, 4)), np.full(count + 2, NEVER))
    search_corners(problem, desk, body.triples, MOST_PATTERNS)
    passes = 1
    if desk.best[count] > TIE:
        for index in range(count):
            pose[index] = desk.best[index]
        met = desk.best[count] - error_without(problem, pose, -1) < ORIENTATION_MET
        if met:
            passes += polish(problem, desk, body.curves, pose, POLISH_PASSES)
            consider(problem, desk.best, pose, whole_error(problem, pose))
        # Exact orientation may be impossible, or bought too dearly.
        if not met or desk.best[count] > body.dear:
            bench = make_bench(count)
            if desk.best[count] < NEVER:
                descend(problem, desk, bench, pose)
            descend_from_patterns(problem, desk, bench, body.starts)
            if body.curves.shape[0] == 0:  # a stiff chain: corners say little about it
                descend_from_afar(problem, desk, bench)
            passes += 1
    for index in range(count):
        pose[index] = desk.best[index]
    return passes
