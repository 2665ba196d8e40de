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

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._polish import polish, settle
from sera.kinematics.erik._problem import (
    NEVER,
    TIE,
    Problem,
    consider,
    make_problem,
    take_best,
    whole_error,
)
from sera.kinematics.erik._refine import Bench, make_bench, refine
from sera.kinematics.erik._search import search_corners
from sera.kinematics.erik._table import BEST, KINK, KINKS, LOWER, POSE, UPPER, posture_cost

POLISH_PASSES = 2
SETTLE_PASSES = 20
GOLDEN_RATIO = 0.6180339887498949
PROMISING = 2e-3
"""A descent that ends this near to the best pose is worth settling."""
ORIENTATION_MET = 1e-7
"""Orientation errors below this are rounding."""


@kernel
def descend(problem: Problem, bench: Bench) -> None:
    """Refine the pose at hand, settle it on kinks and limits, and keep it if it is the best."""
    if refine(problem, bench) < problem.score[0] + PROMISING:
        settle(problem, SETTLE_PASSES)
        consider(problem, whole_error(problem))


@kernel
def descend_from_patterns(problem: Problem, bench: Bench, most: int) -> None:
    """Local descents from the posture itself and from its mirrored bends."""
    table = problem.table
    patterns = 1
    for index in range(table.shape[0]):
        patterns *= min(2, int(table[index, KINKS]))
    for pattern in range(min(patterns, most)):
        rest = pattern
        for index in range(table.shape[0]):
            sides = min(2, int(table[index, KINKS]))
            # The joints near the end, which weigh most, change sides last.
            table[index, POSE] = table[index, KINK + rest % sides]
            rest //= sides
        descend(problem, bench)


@kernel
def descend_from_afar(problem: Problem, bench: Bench, starts: int) -> None:
    """Local descents from points spread through the joints' ranges, always the same ones."""
    table = problem.table
    for start in range(starts):
        for index in range(table.shape[0]):
            lower, upper = table[index, LOWER], table[index, UPPER]
            share = (start + 0.5) * (GOLDEN_RATIO + 0.1947 * index) % 1.0
            table[index, POSE] = lower + share * (upper - lower)
        descend(problem, bench)


@kernel
def improve(body: Body, problem: Problem) -> int:
    """From the best corner to the optimum; return the passes made."""
    take_best(problem)
    passes = 0
    met = problem.score[0] - posture_cost(problem.table, -1) < ORIENTATION_MET
    if met:
        passes += polish(problem, body.curves, POLISH_PASSES)
        consider(problem, whole_error(problem))
        if problem.score[0] <= body.dear:
            return passes
    # Exact orientation may be impossible, or bought too dearly.
    bench = make_bench(problem.table.shape[0])
    if problem.score[0] < NEVER:
        descend(problem, bench)
    descend_from_patterns(problem, bench, body.starts)
    if problem.score[0] > body.dear:
        descend_from_afar(problem, bench, body.far_starts)
    return passes + 1


@kernel
def solve_problem(body: Body, problem: Problem) -> int:
    """Leave the best pose in the problem's table; return the passes of refinement plus one."""
    search_corners(problem, body.triples)
    if problem.score[0] <= TIE:
        return 1
    return 1 + improve(body, problem)


@kernel
def solve_optimal(body: Body, posture: FloatArray, target: FloatArray, pose: FloatArray) -> int:
    """Write the best pose into `pose`; return the passes of refinement plus one."""
    problem = make_problem(body, posture, target)
    passes = solve_problem(body, problem)
    for index in range(pose.shape[0]):
        pose[index] = problem.table[index, BEST]
    return passes
