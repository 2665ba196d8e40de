"""Continuity: stay near the previous pose while that is good enough.

Design overview: the best pose jumps where two ways of bending change places. A robot that follows
a moving face shall not jump, so the search is first confined to a box around the previous pose,
as wide as the way of the target and of the posture since then explains. The pose found there is
kept while its error is acceptable: below the threshold, or hardly above the best error anywhere
(by more where the target is out of reach of every pose).
Otherwise the box widens until an acceptable pose is found — the nearest such pose — and the
change of branch is reported; smoothing it is the motion filter's work.

Units and frames: radians; turns counted from the zero pose.
Threading: kernels without shared state.
Safety: boxes lie within the joints' limits, and so does every pose.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import about, dot4, multiply
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._optimal import SETTLE_PASSES, solve_problem
from sera.kinematics.erik._polish import settle
from sera.kinematics.erik._problem import Problem, consider, make_problem, whole_error
from sera.kinematics.erik._table import (
    BEST,
    ENDLESS,
    FULL_TURN,
    LOWER,
    POSE,
    UPPER,
    axis_of,
    clamped,
    fit,
)

REST_STEP_RAD = math.radians(1.0)
"""How far a joint may move towards a better pose while target and posture stand still."""
STEP_PER_TURN = 2.0
"""How far a joint may move for each radian that the target has turned."""
CATCH_UP = 0.25
"""How far a joint may move for each radian that the end point is off the target."""
LARGEST_LAG_RAD = math.radians(10.0)
"""An end point that is further off does not lag: its target is out of reach."""
WIDER_BOXES_RAD = (0.25, 0.7, 1.6)
ACCEPTED_LOSS = 0.5
"""In thresholds: how much worse than the best pose an unacceptable branch may be and yet stay."""
OUT_OF_REACH, LOSS_OUT_OF_REACH = 3.0, 4.5
"""A target that even the best pose misses by so much is out of reach. There the branch stays until
the other one is better by so much (about 15° of what is asked beyond the middle), so that a target
right behind a robot does not swing it to and fro."""


@kernel
def turn_to_target(problem: Problem, pose: FloatArray) -> float:
    """Angle in rad between the end point of a pose and the target."""
    turn = (1.0, 0.0, 0.0, 0.0)
    for index in range(pose.shape[0]):
        turn = multiply(turn, about(axis_of(problem.table, index), pose[index]))
    likeness = max(abs(dot4(turn, problem.target)), abs(dot4(turn, problem.flipped_target)))
    return 2.0 * math.acos(min(1.0, likeness))


@kernel
def solve_in_box(
    body: Body,
    boxed: FloatArray,
    posture: FloatArray,
    target: FloatArray,
    previous: FloatArray,
    pose: FloatArray,
) -> tuple[float, int]:
    """The best pose within the limits of `boxed`; its error and the passes made."""
    count = boxed.shape[0]
    inside = Body(
        boxed,
        body.triples,
        body.curves,
        body.last_segment,
        body.symmetric,
        body.dear,
        body.starts,
        body.far_starts,
    )
    problem = make_problem(inside, posture, target)
    passes = solve_problem(inside, problem)
    # A small box may hold no corner near its best pose: begin from the previous one too.
    for index in range(count):
        problem.table[index, POSE] = clamped(
            previous[index], boxed[index, LOWER], boxed[index, UPPER]
        )
    passes += settle(problem, SETTLE_PASSES)
    consider(problem, whole_error(problem))
    for index in range(count):
        pose[index] = problem.table[index, BEST]
    return problem.score[0], passes


@kernel
def narrow(joints: FloatArray, previous: FloatArray, reach_rad: float, boxed: FloatArray) -> None:
    """Write limits within reach of the previous pose, and within the joints' own, into `boxed`."""
    for index in range(joints.shape[0]):
        lower, upper = joints[index, LOWER], joints[index, UPPER]
        if joints[index, ENDLESS] != 0.0:
            reach = min(reach_rad, 0.5 * FULL_TURN)
            boxed[index, LOWER] = previous[index] - reach
            boxed[index, UPPER] = previous[index] + reach
            continue
        middle = clamped(previous[index], lower, upper)
        boxed[index, LOWER] = max(lower, middle - reach_rad)
        boxed[index, UPPER] = min(upper, middle + reach_rad)


@kernel
def come_round(joints: FloatArray, pose: FloatArray) -> None:
    """Bring joints that turn without end back between their limits, to the same place."""
    for index in range(joints.shape[0]):
        if joints[index, ENDLESS] != 0.0:
            lower, upper = joints[index, LOWER], joints[index, UPPER]
            pose[index] = clamped(fit(pose[index], lower, upper, FULL_TURN), lower, upper)


@kernel
def allowed_step(problem: Problem, previous: FloatArray, asked_rad: float) -> float:
    """How far each joint may move without leaving its branch."""
    off_rad = turn_to_target(problem, previous)
    if asked_rad < 0.0:  # nobody knows what was asked before: all that is missing is new
        return REST_STEP_RAD + STEP_PER_TURN * off_rad
    return REST_STEP_RAD + asked_rad + CATCH_UP * min(off_rad, LARGEST_LAG_RAD)


@kernel
def solve_following(
    body: Body,
    posture: FloatArray,
    target: FloatArray,
    previous: FloatArray,
    asked_rad: float,
    threshold: float,
    pose: FloatArray,
) -> tuple[int, bool]:
    """Write the next pose; return the passes made and whether the branch was left.

    `asked_rad` is what the request itself has moved since, as an allowance for a joint; negative
    where the request before is not known.
    """
    joints = body.joints
    problem = make_problem(body, posture, target)
    boxed = joints.copy()
    step = allowed_step(problem, previous, asked_rad)
    narrow(joints, previous, step, boxed)
    error, passes = solve_in_box(body, boxed, posture, target, previous, pose)
    if error <= threshold:
        come_round(joints, pose)
        return passes, False
    passes += solve_problem(body, problem)
    best = problem.score[0]
    loss = ACCEPTED_LOSS if best <= OUT_OF_REACH * threshold else LOSS_OUT_OF_REACH
    acceptable = max(threshold, best + loss * threshold)
    if error <= acceptable:
        come_round(joints, pose)
        return passes, False
    for reach in WIDER_BOXES_RAD:
        if reach > step:
            narrow(joints, previous, reach, boxed)
            error, more = solve_in_box(body, boxed, posture, target, previous, pose)
            passes += more
            if error <= acceptable:
                come_round(joints, pose)
                return passes, True
    for index in range(joints.shape[0]):
        pose[index] = problem.table[index, BEST]
    return passes, True
