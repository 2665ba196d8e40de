"""Entries to the solver: one pose with its errors, or many rows, all in one kernel call each."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import row4
from sera.kinematics.erik._errors import orientation_error, orientation_of, posture_error
from sera.kinematics.erik._following import allowed_step, solve_following
from sera.kinematics.erik._optimal import make_problem, solve_optimal

SMALLEST_SHARE = 32
"""Rows a thread should have at least: below this starting it costs more than it saves."""


@kernel
def measure(
    joints: FloatArray,
    weights: FloatArray,
    posture: FloatArray,
    targets: FloatArray,
    row: int,
    last_segment: FloatArray,
    symmetric: bool,
    angles: FloatArray,
    errors: FloatArray,
) -> None:
    """Write orientation and posture error (not weighted) of a pose into errors[row]."""
    turn = orientation_of(joints, angles)
    errors[row, 0] = orientation_error(turn, row4(targets, row), last_segment, symmetric)
    errors[row, 1] = posture_error(angles, posture, joints[:, 6:9], weights)


@kernel
def measure_rows(
    joints: FloatArray,
    weights: FloatArray,
    last_segment: FloatArray,
    symmetric: bool,
    postures: FloatArray,
    targets: FloatArray,
    first: int,
    beyond: int,
    angles: FloatArray,
    errors: FloatArray,
) -> None:
    """`measure` for rows first … beyond-1."""
    for row in range(first, beyond):
        measure(
            joints, weights, postures[row], targets, row, last_segment, symmetric, angles[row],
            errors,
        )  # fmt: skip


@kernel
def step_allowed(
    joints: FloatArray,
    last_segment: FloatArray,
    symmetric: bool,
    posture: FloatArray,
    targets: FloatArray,
    previous: FloatArray,
    posture_shift_rad: float,
) -> float:
    """How far a joint may move from the previous pose without leaving its branch, in rad."""
    problem = make_problem(joints, posture, targets[0], last_segment, symmetric)
    return allowed_step(problem, previous, posture_shift_rad)


@kernel
def solve_rows(
    joints: FloatArray,
    weights: FloatArray,
    triples: IntArray,
    curves: IntArray,
    last_segment: FloatArray,
    symmetric: bool,
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
        iterations[row] = solve_optimal(
            joints, triples, curves, postures[row], targets[row], last_segment, symmetric,
            angles[row],
        )  # fmt: skip
    measure_rows(
        joints, weights, last_segment, symmetric, postures, targets, first, beyond, angles, errors
    )


@kernel
def solve_next(
    joints: FloatArray,
    weights: FloatArray,
    triples: IntArray,
    curves: IntArray,
    last_segment: FloatArray,
    symmetric: bool,
    posture: FloatArray,
    targets: FloatArray,
    previous: FloatArray,
    posture_shift_rad: float,
    threshold: float,
    angles: FloatArray,
    errors: FloatArray,
) -> tuple[int, bool]:
    """Solve one row near the previous pose; return the iterations and whether it switched."""
    answer = solve_following(
        joints, triples, curves, posture, targets[0], last_segment, symmetric, previous,
        posture_shift_rad, threshold, angles,
    )  # fmt: skip
    measure(joints, weights, posture, targets, 0, last_segment, symmetric, angles, errors)
    return answer


def share_rows(work: Callable[[int, int], None], rows: int) -> None:
    """Call `work(first, beyond)` on shares of the rows, one thread a core.

    Kernels release the interpreter lock, so that threads are enough.
    """
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    threads = min(cores, max(1, rows // SMALLEST_SHARE))
    if threads == 1:
        work(0, rows)
        return
    # Many small shares: rows differ in how long they take.
    shares = min(8 * threads, rows // SMALLEST_SHARE)
    edges = [rows * share // shares for share in range(shares + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))
