"""Several end points on one body: a search over the joints they share.

Design overview: once the shared joints (the trunk) stand, every end point has a chain of its own
(neck, left arm, right arm), and these do not know of each other: each is solved in closed form,
with the trunk's turn taken out of its target. What is left is a search over the few angles of the
trunk: the patterns of the posture's bends and some spread points first, then a compass search
with shrinking steps. The error is the weighted mean over the end points of ERIK's error on the
path from root to end point.

Units and frames: radians; turns counted from the zero pose, base frame.
Threading: kernels without shared state.
Safety: all poses lie within the limits that stand in the rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import BoolArray, FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, about, conjugate, multiply, row3, row4
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._optimal import solve_problem
from sera.kinematics.erik._problem import NEVER, TIE, make_problem
from sera.kinematics.erik._table import (
    BEST,
    WEIGHT,
    clamped,
    cosine_at,
)

FIRST_STEP_RAD = 0.4
LAST_STEP_RAD = 0.004
SPREAD_POINTS = 12
FEW_STARTS = 4
MOST_PATTERNS = 16
GOLDEN_RATIO = 0.6180339887498949


class Paths(NamedTuple):
    """The ways from the root to each end point, one after the other in all arrays."""

    rows: FloatArray  # (p, COLUMNS) joints of all paths
    start: IntArray  # (e + 1,) where each path begins, and the end of the last
    shared: IntArray  # (e,) how many of its joints are shared: always the first ones
    trunk_place: IntArray  # (p,) place of a shared joint in the trunk, -1 for others
    triples: IntArray  # (m, 3), of the own joints, counted from the first own joint
    triple_start: IntArray  # (e + 1,)
    curves: IntArray  # (c, 4)
    curve_start: IntArray  # (e + 1,)
    last_segments: FloatArray  # (e, 3)
    symmetric: BoolArray  # (e,)
    dear: FloatArray  # (e,)
    starts: IntArray  # (e,)
    far_starts: IntArray  # (e,)
    shares: FloatArray  # (e,) weight of each end point; the sum is one


@kernel
def trunk_turn(paths: Paths, end: int, trunk: FloatArray) -> Quaternion:
    turn = (1.0, 0.0, 0.0, 0.0)
    for row in range(paths.start[end], paths.start[end] + paths.shared[end]):
        turn = multiply(turn, about(row3(paths.rows, row), trunk[paths.trunk_place[row]]))
    return turn


@kernel
def solve_end(
    paths: Paths,
    end: int,
    trunk: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    aim: FloatArray,
    poses: FloatArray,
    thorough: bool,
) -> float:
    """Solve the own joints of one end point; the error of its whole path.

    While trunks are compared the corners and their polish are enough; `thorough` adds descents.
    """
    first, beyond = paths.start[end], paths.start[end + 1]
    own = first + paths.shared[end]
    cost = 0.0
    for row in range(first, own):
        angle = trunk[paths.trunk_place[row]]
        poses[row] = angle
        wanted = cosine_at(paths.rows, row, postures[row])
        cost += paths.rows[row, WEIGHT] * abs(cosine_at(paths.rows, row, angle) - wanted)
    left = multiply(conjugate(trunk_turn(paths, end, trunk)), row4(targets, end))
    aim[0], aim[1], aim[2], aim[3] = left
    if own < beyond:
        body = Body(
            paths.rows[own:beyond],
            paths.triples[paths.triple_start[end] : paths.triple_start[end + 1]],
            paths.curves[paths.curve_start[end] : paths.curve_start[end + 1]],
            paths.last_segments[end],
            paths.symmetric[end],
            paths.dear[end] if thorough else NEVER,
            paths.starts[end] if thorough else min(FEW_STARTS, paths.starts[end]),
            paths.far_starts[end] if thorough else 0,
        )
        problem = make_problem(body, postures[own:beyond], aim)
        solve_problem(body, problem)
        for row in range(own, beyond):
            poses[row] = problem.table[row - own, BEST]
        return cost + problem.score[0]
    likeness = abs(left[0])
    if paths.symmetric[end]:
        along = paths.last_segments[end]
        likeness = max(likeness, abs(left[1] * along[0] + left[2] * along[1] + left[3] * along[2]))
    return cost + math.sqrt(max(0.0, 1.0 - likeness))


@kernel
def judge(
    paths: Paths,
    trunk: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    aim: FloatArray,
    poses: FloatArray,
    enough: float,
    thorough: bool,
) -> float:
    """Error of the whole body with the trunk as given; given up once it is above `enough`."""
    total = 0.0
    for end in range(paths.shares.shape[0]):
        total += paths.shares[end] * solve_end(
            paths, end, trunk, postures, targets, aim, poses, thorough
        )
        if total > enough:
            break
    return total


@kernel
def consider_trunk(
    paths: Paths,
    trunk: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    aim: FloatArray,
    poses: FloatArray,
    best_trunk: FloatArray,
    best_poses: FloatArray,
    best: float,
) -> float:
    """The better of the best error so far and that of `trunk`, which is copied if it is better."""
    error = judge(paths, trunk, postures, targets, aim, poses, best, False)
    if error >= best - 1e-9:
        return best
    best_trunk[:] = trunk
    best_poses[:] = poses
    return error


@kernel
def search_trunk(
    paths: Paths,
    limits: FloatArray,
    trunk_posture: FloatArray,
    trunk_mirror: FloatArray,
    start: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    spread: bool,
    best_poses: FloatArray,
) -> tuple[float, int]:
    """Write the best pose of all paths; return its error and how many trunks were judged.

    `limits` (t, 2) bounds the trunk; `start` is judged first; `spread` asks for points all over.
    """
    count = limits.shape[0]
    trunk, best_trunk = np.empty(count), np.empty(count)
    poses, aim = np.empty_like(best_poses), np.empty(4)
    best, judged = 9.0, 0
    patterns = min(MOST_PATTERNS, 2**count) if spread else 1
    trials = 1 + patterns + (SPREAD_POINTS if spread else 0) if count > 0 else 1
    for trial in range(trials):
        for index in range(count):
            lower, upper = limits[index, 0], limits[index, 1]
            angle = start[index]
            if 0 < trial <= patterns:
                mirrored = ((trial - 1) >> index) % 2 == 1
                angle = trunk_mirror[index] if mirrored else trunk_posture[index]
            elif trial > patterns:
                place = (trial - patterns) * (GOLDEN_RATIO + 0.1947 * index) % 1.0
                angle = lower + place * (upper - lower)
            trunk[index] = clamped(angle, lower, upper)
        best = consider_trunk(
            paths, trunk, postures, targets, aim, poses, best_trunk, best_poses, best
        )
        judged += 1
        if best < TIE:
            return best, judged
    step = FIRST_STEP_RAD
    while step > LAST_STEP_RAD and best > TIE:
        before = best
        for index in range(count):
            for direction in (-1.0, 1.0):
                trunk[:] = best_trunk
                trunk[index] = clamped(
                    best_trunk[index] + direction * step, limits[index, 0], limits[index, 1]
                )
                if trunk[index] == best_trunk[index]:
                    continue
                best = consider_trunk(
                    paths, trunk, postures, targets, aim, poses, best_trunk, best_poses, best
                )
                judged += 1
        if best > before - 1e-6:
            step *= 0.4
    error = judge(paths, best_trunk, postures, targets, aim, poses, NEVER, True)
    if error < best:
        best = error
        best_poses[:] = poses
    return best, judged
