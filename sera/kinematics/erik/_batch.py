"""Entries to the solver: one pose with its errors, or many rows, all in one kernel call each."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import multiply, row4
from sera.kinematics.erik._body import Body
from sera.kinematics.erik._errors import orientation_error, orientation_of, posture_error
from sera.kinematics.erik._following import STEP_PER_TURN, allowed_step, solve_following
from sera.kinematics.erik._optimal import solve_optimal
from sera.kinematics.erik._problem import make_problem

SMALLEST_SHARE = 32
"""Rows a thread should have at least: below this starting it costs more than it saves."""


@kernel
def measure_rows(
    body: Body,
    weights: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    first: int,
    beyond: int,
    angles: FloatArray,
    errors: FloatArray,
) -> None:
    """Write orientation and posture error (not weighted) of rows first … beyond-1."""
    for row in range(first, beyond):
        turn = orientation_of(body.joints, angles[row])
        errors[row, 0] = orientation_error(
            turn, row4(targets, row), body.last_segment, body.symmetric
        )
        errors[row, 1] = posture_error(angles[row], postures[row], body.joints[:, 6:9], weights)


@kernel
def turned_rows(targets: FloatArray, turn: FloatArray, out: FloatArray) -> None:
    """Each target after a turn in its own frame."""
    for row in range(targets.shape[0]):
        w, x, y, z = multiply(row4(targets, row), (turn[0], turn[1], turn[2], turn[3]))
        out[row, 0], out[row, 1], out[row, 2], out[row, 3] = w, x, y, z


@kernel
def turn_between(body: Body, before: FloatArray, after: FloatArray) -> float:
    """The angle in rad between two targets (first rows), seen with the end point's symmetry."""
    error = orientation_error(row4(before, 0), row4(after, 0), body.last_segment, body.symmetric)
    return 2.0 * math.acos(max(0.0, 1.0 - error * error))


@kernel
def solve_rows(
    body: Body,
    weights: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    first: int,
    beyond: int,
    angles: FloatArray,
    errors: FloatArray,
    iterations: IntArray,
) -> None:
    """Solve rows first … beyond-1 with the method `optimal`."""
    for row in range(first, beyond):
        iterations[row] = solve_optimal(body, postures[row], targets[row], angles[row])
    measure_rows(body, weights, postures, targets, first, beyond, angles, errors)


@kernel
def solve_next(
    body: Body,
    weights: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    previous: FloatArray,
    asked_rad: float,
    threshold: float,
    angles: FloatArray,
    errors: FloatArray,
) -> tuple[int, bool]:
    """Solve one row near the previous pose; return the iterations and whether it switched."""
    answer = solve_following(
        body, postures[0], targets[0], previous, asked_rad, threshold, angles[0]
    )
    measure_rows(body, weights, postures, targets, 0, 1, angles, errors)
    return answer


@kernel
def solve_after(
    body: Body,
    weights: FloatArray,
    postures: FloatArray,
    targets: FloatArray,
    previous: FloatArray,
    previous_posture: FloatArray,
    previous_targets: FloatArray,
    threshold: float,
    angles: FloatArray,
    errors: FloatArray,
) -> tuple[int, bool]:
    """As `solve_next`, where what was asked for before is known: all in one call."""
    shift_rad = 0.0
    for joint in range(previous_posture.shape[0]):
        shift_rad = max(shift_rad, abs(previous_posture[joint] - postures[0, joint]))
    asked_rad = STEP_PER_TURN * turn_between(body, previous_targets, targets) + shift_rad
    return solve_next(
        body, weights, postures, targets, previous, asked_rad, threshold, angles, errors
    )


@kernel
def step_allowed(
    body: Body,
    posture: FloatArray,
    target: FloatArray,
    previous: FloatArray,
    asked_rad: float,
) -> float:
    """How far a joint may move from the previous pose without leaving its branch, in rad."""
    return allowed_step(make_problem(body, posture, target), previous, asked_rad)


def share_rows(work: Callable[[int, int], None], rows: int) -> None:
    """Call `work(first, beyond)` on shares of the rows, one thread a core.

    Kernels release the interpreter lock, so that threads are enough.
    """
    if rows < 2 * SMALLEST_SHARE:
        work(0, rows)
        return
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    threads = min(cores, rows // SMALLEST_SHARE)
    # Many small shares: rows differ in how long they take.
    shares = min(8 * threads, rows // SMALLEST_SHARE)
    edges = [rows * share // shares for share in range(shares + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
