"""The search of inverse kinematics, compiled: descents from good starts until one arrives.

Design overview: starts are random within the limits: of a handful, the one whose pose is nearest
to the target is taken, since a pose costs a fifth of a step. Every second descent is free of the
limits, every seventh is patient (see `_inverse_descent`).

With a start of its own a search first descends from there, patiently and clamped. If that fails
it looks around the start in growing circles, gathers several solutions and takes the nearest: the
smallest jump.

Random numbers come from a counter-based generator (SplitMix64), so that a seed gives the same
result on any number of threads.

Units and frames: radians and metres (prismatic joints), base frame.
Threading: no state; every call allocates its own scratch arrays once.
Safety: results are within the limits, also where no descent arrives: then the best is returned,
with a start the best on the way from there, so that nothing jumps towards the unreachable.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import chain_pose
from sera.kinematics._compile import kernel
from sera.kinematics._inverse_descent import (
    ALWAYS,
    CLAMPED,
    FREE,
    WRAPPED,
    Scratch,
    Task,
    descend,
    make_scratch,
)
from sera.kinematics._inverse_step import residual

WordArray: TypeAlias = NDArray[np.uint64]

STARTS_COMPARED = 8
PATIENT_EVERY = 7
FREE_EVERY = 2
GATHERED = 12
BEYOND_REACH = 13
FIRST_CIRCLE = 0.02
CIRCLES = 6

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_ROW = np.uint64(0xD1B54A32D192ED03)
_ULP = 1.0 / 9007199254740992.0


@kernel
def uniform(state: WordArray) -> float:
    """The next random number in [0, 1)."""
    state[0] += _GAMMA
    mixed = state[0]
    mixed = (mixed ^ (mixed >> _S30)) * _MIX_1
    mixed = (mixed ^ (mixed >> _S27)) * _MIX_2
    mixed = mixed ^ (mixed >> _S31)
    return float(mixed >> _S11) * _ULP


@kernel
def draw_start(
    task: Task,
    target_m: FloatArray,
    target_wxyz: FloatArray,
    centre: FloatArray,
    circle: float,
    state: WordArray,
    angles: FloatArray,
    candidate: FloatArray,
    scratch: Scratch,
) -> None:
    """Write the best of a few random starts: anywhere, or in a circle (a part of the range)."""
    body, limits, _, weights, _ = task
    position, orientation, error = scratch[0], scratch[1], scratch[3]
    least = math.inf
    for _ in range(STARTS_COMPARED):
        for joint in range(len(angles)):
            lower, upper = limits[0, joint], limits[1, joint]
            if circle < 1.0:
                reach = circle * (upper - lower)
                lower = max(lower, centre[joint] - reach)
                upper = min(upper, centre[joint] + reach)
            candidate[joint] = lower + (upper - lower) * uniform(state)
        chain_pose(*body, candidate, position, orientation)
        distance, angle = residual(target_m, target_wxyz, position, orientation, weights, error)
        weighted = weights[0] * weights[0] * distance + weights[1] * weights[1] * angle
        if weighted < least:
            least = weighted
            angles[:] = candidate


@kernel
def farthest(one: FloatArray, other: FloatArray, wraps: IntArray) -> float:
    """The largest way of a joint between two sets of angles."""
    largest = 0.0
    for joint in range(len(one)):
        way = abs(one[joint] - other[joint])
        if wraps[joint] == ALWAYS:
            way = min(way, math.tau - way)
        largest = max(largest, way)
    return largest


@kernel
def is_beyond_reach(task: Task, target_m: FloatArray) -> bool:
    """Whether the stretched chain would not reach the place: most restarts would be in vain."""
    root_m, weights, squares = task[0][3], task[3], task[4]
    distance = 0.0
    for row in range(3):
        distance += (target_m[row] - root_m[row]) ** 2
    return weights[0] > 0.0 and distance > squares[2]


@kernel
def search(
    task: Task,
    target: FloatArray,
    start: FloatArray,
    has_start: bool,
    restarts: int,
    seed: int,
    row: int,
    found: FloatArray,
    outcome: FloatArray,
    scratch: Scratch,
) -> None:
    """Write the angles found (n,) and the outcome (5,).

    The outcome is: 1 where it arrived else 0, distance, angle, steps in all, restarts used. `row`
    is the number of the target within its batch: rows have random numbers of their own.
    """
    target_m, target_wxyz = target[:3], target[3:]
    count = len(found)
    angles, best, candidate = np.empty(count), np.empty(count), np.empty(count)
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(seed) + np.uint64(row) * _ROW
    if is_beyond_reach(task, target_m):
        restarts = 0 if has_start else min(restarts, BEYOND_REACH)
    steps, gathered, used = 0, 0, 0
    least, nearest = math.inf, math.inf
    for attempt in range(restarts + 1):
        used = attempt
        from_start = has_start and attempt == 0
        if from_start:
            angles[:] = start
        else:
            circle = FIRST_CIRCLE * 2.0**attempt if has_start and attempt < CIRCLES else 1.0
            draw_start(
                task, target_m, target_wxyz, start, circle, state, angles, candidate, scratch
            )
        patient = from_start or attempt % PATIENT_EVERY == PATIENT_EVERY - 1
        manner = FREE if attempt % FREE_EVERY == FREE_EVERY - 1 else WRAPPED
        if from_start:
            manner = CLAMPED
        arrived, taken, weighted, distance, angle = descend(
            task, target_m, target_wxyz, angles, best, patient, manner, scratch
        )
        steps += taken
        # Short of an arrival only the way from the start counts, and what kept the limits.
        better = weighted < least and gathered == 0 and manner != FREE
        better = better and (from_start or not has_start)
        if arrived:
            gathered += 1
            jump = farthest(best, start, task[2]) if has_start else 0.0
            better = jump < nearest
            nearest = min(nearest, jump)
        if better:
            least = weighted
            found[:] = best
            outcome[1], outcome[2] = math.sqrt(distance), math.sqrt(angle)
        if arrived and (from_start or not has_start or gathered == GATHERED):
            break
    outcome[0] = 1.0 if gathered else 0.0
    outcome[3], outcome[4] = steps, used


@kernel
def search_rows(
    task: Task,
    targets: FloatArray,
    starts: FloatArray,
    has_start: bool,
    restarts: int,
    seed: int,
    first_row: int,
    found: FloatArray,
    outcomes: FloatArray,
) -> None:
    """`search` for every row; `first_row` is the number of the first one in the whole batch."""
    scratch = make_scratch(found.shape[1])
    for row in range(len(targets)):
        start = starts[row if has_start else 0]
        number = first_row + row
        search(
            task,
            targets[row],
            start,
            has_start,
            restarts,
            seed,
            number,
            found[row],
            outcomes[row],
            scratch,
        )


@kernel
def search_one(
    task: Task,
    target: FloatArray,
    start: FloatArray,
    has_start: bool,
    restarts: int,
    seed: int,
    found: FloatArray,
    outcome: FloatArray,
) -> None:
    """`search` for one target, with scratch arrays of its own."""
    scratch = make_scratch(len(found))
    search(task, target, start, has_start, restarts, seed, 0, found, outcome, scratch)
