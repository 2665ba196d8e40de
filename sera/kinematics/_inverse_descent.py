"""One descent of inverse kinematics, compiled: damped steps until it arrives or stalls.

Design overview: a descent has one of three manners. *Clamped* it stays within the limits and turns
only continuous joints over ± π: the way of a moving robot. *Wrapped* it stays within the limits,
but a joint may leave at one end and come in at the other, a whole turn away. *Free* it knows no
limits, and its arrival counts only if whole turns bring it inside: solutions in a corner of the
limits are found this way, where descents along the limits get stuck.

Most descents give up where they do not lessen their error in a few steps. A *patient* one never
goes up (a step that does is taken back and tried with more damping) and takes its time, because a
stretched arm approaches its target slowly; it ends at the nearest approach where there is no
solution.

Units and frames: radians and metres (prismatic joints), base frame.
Threading: no state; the caller brings the scratch arrays.
Safety: the best angles of clamped and wrapped descents are within the limits; those of a free one
only where it arrived.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import chain_jacobian
from sera.kinematics._compile import kernel
from sera.kinematics._inverse_step import (
    damped_step,
    residual,
    settled,
    towards_middle,
    weigh,
)

Body: TypeAlias = tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]
Task: TypeAlias = tuple[Body, FloatArray, IntArray, FloatArray, FloatArray]
"""A chain's kernel arrays, limits (2, n), wraps (n,), weights (2,), and squares (3,) of the two
tolerances and of the reach."""
Scratch: TypeAlias = tuple[
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    IntArray,
]
Descent: TypeAlias = tuple[bool, int, float, float, float]
"""Arrived, steps taken, and at the best angles: weighted error, distance squared, angle squared."""

CLAMPED, WRAPPED, FREE = 0, 1, 2
NEVER, IN_RESTARTS, ALWAYS = 0, 1, 2
"""When a joint may be turned by whole turns: prismatic, limited, continuous ones."""
DAMPING = 0.02
LEAST_DAMPING = 1e-12
STANDSTILL = 1e-11
CENTRING = 1.0
"""How far joints turn away from their limits where they are free to, beside a step's error."""
MOST_CENTRING = 0.3
CHECK_EVERY = 4
STALLED = 0.3
SHORT = 30
PATIENT = 100


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
def hold_at_limits(limits: FloatArray, wraps: IntArray, manner: int, held: IntArray) -> None:
    """Say which joints are held where they stand at a limit."""
    for joint in range(len(wraps)):
        turns = wraps[joint] == IN_RESTARTS and limits[1, joint] - limits[0, joint] >= math.tau
        loose = wraps[joint] == ALWAYS or (manner == WRAPPED and turns)
        held[joint] = 0 if loose or manner == FREE else 1


@kernel
def advance(
    angles: FloatArray, step: FloatArray, limits: FloatArray, wraps: IntArray, manner: int
) -> float:
    """Move by a step, within the limits unless free; returns the largest way of a joint."""
    largest = 0.0
    for joint in range(len(angles)):
        value = angles[joint] + step[joint]
        if manner != FREE:
            turns = wraps[joint] == ALWAYS or (manner == WRAPPED and wraps[joint] == IN_RESTARTS)
            value = settled(value, limits[0, joint], limits[1, joint], turns)
        largest = max(largest, abs(value - angles[joint]))
        angles[joint] = value
    return largest


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

    A patient descent never goes up: a step that does is taken back and tried with more damping.
    """
    body, limits, wraps, weights, squares = task
    position, orientation, jacobian, error, gram, solution, step, wish, held = scratch
    hold_at_limits(limits, wraps, manner, held)
    wish[:] = 0.0
    least, least_distance, least_angle, mark = math.inf, math.inf, math.inf, math.inf
    caution = 1.0
    centring = CENTRING if manner == CLAMPED else 0.0
    most = PATIENT if patient else SHORT
    for iteration in range(1, most + 1):
        chain_jacobian(*body, angles, position, orientation, jacobian)
        distance, angle = residual(target_m, target_wxyz, position, orientation, weights, error)
        weighted = weights[0] * weights[0] * distance + weights[1] * weights[1] * angle
        if weighted < least:
            least, least_distance, least_angle = weighted, distance, angle
            best[:] = angles
            caution = max(1.0, 0.2 * caution)
        elif patient and weighted > least:
            caution *= 10.0
            centring = 0.0
            wish[:] = 0.0
            angles[:] = best
            continue
        if distance <= squares[0] and angle <= squares[1]:
            best[:] = angles
            inside = manner != FREE or bring_inside(best, limits, wraps)
            return inside, iteration, weighted, distance, angle
        if not patient and iteration % CHECK_EVERY == 0:
            if weighted > STALLED * mark:
                return False, iteration, least, least_distance, least_angle
            mark = weighted
        weigh(jacobian, weights)
        damping = caution * DAMPING * weighted + LEAST_DAMPING
        if centring > 0.0:
            size = centring * min(math.sqrt(weighted), MOST_CENTRING)
            towards_middle(angles, limits, held, size, wish)
        damped_step(jacobian, error, damping, angles, limits, held, wish, gram, solution, step)
        if advance(angles, step, limits, wraps, manner) < STANDSTILL:
            return False, iteration, least, least_distance, least_angle
    return False, most, least, least_distance, least_angle
