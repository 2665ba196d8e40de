"""The search of inverse kinematics, compiled: descents from good starts until one arrives.

Design overview: a descent takes damped steps (`_inverse_step`) from one start, always within the
limits, until it is within the tolerances, stalls, or has used up its steps. Starts are random
within the limits: of a handful, the one whose pose is nearest to the target is taken, since a pose
costs a fifth of a step. Most descents give up early where they do not halve their error in a few
steps; every fourth is patient, because a stretched arm approaches its target slowly.

With a start of its own a search first descends from there, patiently and without wrapping angles.
If that fails it looks around the start in growing circles, gathers several solutions and takes
the nearest: the smallest jump.

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
from sera.kinematics._chain_kernels import chain_jacobian, chain_pose
from sera.kinematics._compile import kernel
from sera.kinematics._inverse_step import (
    ALWAYS,
    NEVER,
    damped_step,
    residual,
    settled,
    weigh,
)

WordArray: TypeAlias = NDArray[np.uint64]
Body: TypeAlias = tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]
Task: TypeAlias = tuple[Body, FloatArray, IntArray, FloatArray, FloatArray]
"""A chain's kernel arrays, limits (2, n), wraps (n,), weights (2,), squared tolerances (2,)."""
Scratch: TypeAlias = tuple[
    FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, IntArray
]
Descent: TypeAlias = tuple[bool, int, float, float, float]
"""Arrived, steps taken, and at the best angles: weighted error, distance², angle²."""

CLAMPED = 0
WRAPPED = 1
FREE = 2
DAMPING = 0.02
LEAST_DAMPING = 1e-12
STANDSTILL = 1e-11
CHECK_EVERY = 4
STALLED = 0.3
SHORT = 30
PATIENT = 100
STARTS_COMPARED = 8
PATIENT_EVERY = 6
FREE_EVERY = 2
GATHERED = 6
FIRST_CIRCLE = 0.02

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
def make_scratch(count: int) -> Scratch:
    return (
        np.empty(3),
        np.empty(4),
        np.empty((6, count)),
        np.empty(6),
        np.empty((6, 6)),
        np.empty(6),
        np.empty(count),
        np.empty(count, np.int64),
    )


@kernel
def bring_inside(angles: FloatArray, limits: FloatArray, wraps: IntArray) -> bool:
    """Turn joints by whole turns into their limits; false where that is not possible."""
    for joint in range(len(angles)):
        lower, upper = limits[0, joint], limits[1, joint]
        value = settled(angles[joint], lower, upper, wraps[joint] != NEVER)
        turns = (angles[joint] - value) / math.tau
        if abs(turns - np.rint(turns)) > 1e-12:
            return False
        angles[joint] = value
    return True


@kernel
def descend(
    task: Task,
    target_m: FloatArray,
    target_wxyz: FloatArray,
    angles: FloatArray,
    best: FloatArray,
    patient: bool,
    manner: int,
    scratch: Scratch,
) -> Descent:
    """Descend from `angles`, which move; the best ones met are written to `best`.

    A free descent has no best ones on its way, only an arrival.
    """
    body, limits, wraps, weights, tolerances = task
    position, orientation, jacobian, error, gram, solution, step, held = scratch
    count = len(angles)
    may_wrap = manner == WRAPPED
    for joint in range(count):
        turns = limits[1, joint] - limits[0, joint] >= math.tau and may_wrap
        loose = wraps[joint] == ALWAYS or (turns and wraps[joint] != NEVER)
        held[joint] = 0 if loose or manner == FREE else 1
    least, least_distance, least_angle, mark = math.inf, math.inf, math.inf, math.inf
    most = PATIENT if patient else SHORT
    for iteration in range(1, most + 1):
        chain_jacobian(*body, angles, position, orientation, jacobian)
        distance, angle = residual(target_m, target_wxyz, position, orientation, weights, error)
        weighted = weights[0] * weights[0] * distance + weights[1] * weights[1] * angle
        if weighted < least and manner != FREE:
            least, least_distance, least_angle = weighted, distance, angle
            best[:] = angles
        if distance <= tolerances[0] and angle <= tolerances[1]:
            best[:] = angles
            inside = manner != FREE or bring_inside(best, limits, wraps)
            return inside, iteration, weighted if inside else math.inf, distance, angle
        if not patient and iteration % CHECK_EVERY == 0:
            if weighted > STALLED * mark:
                return False, iteration, least, least_distance, least_angle
            mark = weighted
        weigh(jacobian, weights)
        damping = DAMPING * weighted + LEAST_DAMPING
        damped_step(jacobian, error, damping, angles, limits, held, gram, solution, step)
        moved = 0.0
        for joint in range(count):
            wrap = wraps[joint] == ALWAYS or (may_wrap and wraps[joint] != NEVER)
            value = angles[joint] + step[joint]
            if manner != FREE:
                value = settled(value, limits[0, joint], limits[1, joint], wrap)
            moved = max(moved, abs(value - angles[joint]))
            angles[joint] = value
        if moved < STANDSTILL:
            return False, iteration, least, least_distance, least_angle
    return False, most, least, least_distance, least_angle


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
def farthest(one: FloatArray, other: FloatArray) -> float:
    largest = 0.0
    for joint in range(len(one)):
        largest = max(largest, abs(one[joint] - other[joint]))
    return largest


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
    steps, gathered, used = 0, 0, 0
    least, nearest = math.inf, math.inf
    for attempt in range(restarts + 1):
        used = attempt
        from_start = has_start and attempt == 0
        if from_start:
            angles[:] = start
        else:
            circle = FIRST_CIRCLE * 2.0**attempt if has_start and attempt < 8 else 1.0
            draw_start(
                task, target_m, target_wxyz, start, circle, state, angles, candidate, scratch
            )
        patient = from_start or attempt % PATIENT_EVERY == PATIENT_EVERY - 1
        manner = CLAMPED if from_start else (FREE if attempt % FREE_EVERY == FREE_EVERY - 1 else WRAPPED)
        arrived, taken, weighted, distance, angle = descend(
            task, target_m, target_wxyz, angles, best, patient, manner, scratch
        )
        steps += taken
        better = weighted < least and gathered == 0 and not (has_start and attempt > 0)
        if arrived:
            gathered += 1
            jump = farthest(best, start) if has_start else 0.0
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
