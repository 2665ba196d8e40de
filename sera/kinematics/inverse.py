"""Inverse kinematics: joint angles that bring the end point of any chain to a place and an
orientation, or to one of the two.

Design overview: damped least squares (Levenberg-Marquardt) from good random starts until one
arrives, in one compiled call; see `_inverse_kernels` for the search and `_inverse_step` for its
steps. It knows nothing of a chain but its axes, segments and limits: 1 to 12 and more joints,
revolute and prismatic, redundant or short of joints.

With a start (the previous angles of a moving robot) the solution is the one that a descent from
there reaches, so that a target that moves a little moves the joints a little. `restarts` of the
solution is then nought; another number says that this branch ended and the nearest other one
was taken.

Units and frames: metres, radians (metres for prismatic joints), quaternions (w, x, y, z), base
frame of the chain.
Threading: no state; calls release the interpreter lock. `solve_pose_batch` uses all cores.
Safety: angles are within the limits, always. Where nothing arrives `converged` is false and the
angles are the best found, with a start the best on the way from there. NaN, wrong sizes and
quaternions that are none raise ValueError.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import BoolArray, FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC
from sera.kinematics._inverse_descent import ALWAYS, IN_RESTARTS, NEVER, Body, Task
from sera.kinematics._inverse_goals import NO_PLACE, NO_TURN, goal_of, goals_of, starts_of
from sera.kinematics._inverse_kernels import search_one, search_rows
from sera.kinematics.chain import Chain
from sera.kinematics.pose import Pose

DEFAULT_RESTARTS = 99
DEFAULT_TOLERANCE = 1e-6
_DEFAULT_SEED = 20_240_229
_ROWS_PER_TASK = 64
_LENGTHS_PER_REACH = 4.0


class InverseSolution(NamedTuple):
    """What was found for one target."""

    angles_rad: FloatArray  # (dof,) within the limits; metres for prismatic joints
    position_error_m: float  # nought where the place was left free
    orientation_error_rad: float  # angle of the shortest turn to the target; nought where left free
    converged: bool  # within both tolerances
    iterations: int  # steps in all
    restarts: int  # starts beyond the first


class InverseBatch(NamedTuple):
    """What was found for each row of a batch; fields as in `InverseSolution`."""

    angles_rad: FloatArray  # (rows, dof)
    position_error_m: FloatArray  # (rows,)
    orientation_error_rad: FloatArray  # (rows,)
    converged: BoolArray  # (rows,)
    iterations: IntArray  # (rows,)
    restarts: IntArray  # (rows,)


class _Facts(NamedTuple):
    """What the search needs to know of a chain."""

    body: Body
    limits: FloatArray  # (2, dof)
    wraps: IntArray  # (dof,)
    reach_m: float  # of the stretched chain
    per_length: float  # one through the characteristic length, which weighs as much as a radian


def solve_pose(
    chain: Chain,
    target: Pose,
    start_rad: ArrayLike | None = None,
    *,
    position_tolerance_m: float = DEFAULT_TOLERANCE,
    orientation_tolerance_rad: float = DEFAULT_TOLERANCE,
    restarts: int = DEFAULT_RESTARTS,
    generator: np.random.Generator | None = None,
) -> InverseSolution:
    """Bring the end point of `chain` to the place and orientation of `target`.

    Without a `generator` the random starts are the same in every call, so that equal questions
    have equal answers.
    """
    goal = goal_of(target.position_m, target.orientation_wxyz)
    tolerances = (position_tolerance_m, orientation_tolerance_rad)
    return _solve(chain, goal, start_rad, (True, True), tolerances, restarts, generator)


def solve_position(
    chain: Chain,
    position_m: ArrayLike,
    start_rad: ArrayLike | None = None,
    *,
    position_tolerance_m: float = DEFAULT_TOLERANCE,
    restarts: int = DEFAULT_RESTARTS,
    generator: np.random.Generator | None = None,
) -> InverseSolution:
    """Bring the end point to a place, however it is turned there."""
    goal = goal_of(position_m, NO_TURN)
    tolerances = (position_tolerance_m, 1.0)
    return _solve(chain, goal, start_rad, (True, False), tolerances, restarts, generator)


def solve_orientation(
    chain: Chain,
    orientation_wxyz: ArrayLike,
    start_rad: ArrayLike | None = None,
    *,
    orientation_tolerance_rad: float = DEFAULT_TOLERANCE,
    restarts: int = DEFAULT_RESTARTS,
    generator: np.random.Generator | None = None,
) -> InverseSolution:
    """Turn the end point to an orientation, wherever it is then."""
    goal = goal_of(NO_PLACE, orientation_wxyz)
    tolerances = (1.0, orientation_tolerance_rad)
    return _solve(chain, goal, start_rad, (False, True), tolerances, restarts, generator)


def solve_pose_batch(
    chain: Chain,
    positions_m: ArrayLike | None,
    orientations_wxyz: ArrayLike | None,
    starts_rad: ArrayLike | None = None,
    *,
    position_tolerance_m: float = DEFAULT_TOLERANCE,
    orientation_tolerance_rad: float = DEFAULT_TOLERANCE,
    restarts: int = DEFAULT_RESTARTS,
    generator: np.random.Generator | None = None,
    threads: int | None = None,
) -> InverseBatch:
    """Solve many targets on all cores.

    Places are (rows, 3), orientations (rows, 4), starts (rows, dof).
    None instead of places or orientations leaves that part free. The result does not depend on
    the number of threads.
    """
    goals = goals_of(positions_m, orientations_wxyz)
    asked = (positions_m is not None, orientations_wxyz is not None)
    task = _task(chain, asked, (position_tolerance_m, orientation_tolerance_rad), restarts)
    rows = len(goals)
    starts = starts_of(chain, starts_rad, rows)
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}; give 1 or more, or None for all cores.")
    seed = _seed(generator)
    found = np.empty((rows, chain.dof))
    outcomes = np.empty((rows, 5))

    def run(first: int) -> None:
        part = slice(first, first + _ROWS_PER_TASK)
        own = starts[part] if starts_rad is not None else starts
        search_rows(
            task,
            goals[part],
            own,
            starts_rad is not None,
            int(restarts),
            seed,
            first,
            found[part],
            outcomes[part],
        )

    firsts = range(0, rows, _ROWS_PER_TASK)
    if len(firsts) <= 1 or threads == 1:
        for first in firsts:
            run(first)
    else:
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            list(pool.map(run, firsts))
    return InverseBatch(
        found,
        outcomes[:, 1].copy(),
        outcomes[:, 2].copy(),
        outcomes[:, 0] == 1.0,
        outcomes[:, 3].astype(np.int64),
        outcomes[:, 4].astype(np.int64),
    )


def _solve(
    chain: Chain,
    goal: FloatArray,
    start_rad: ArrayLike | None,
    asked: tuple[bool, bool],
    tolerances: tuple[float, float],
    restarts: int,
    generator: np.random.Generator | None,
) -> InverseSolution:
    task = _task(chain, asked, tolerances, restarts)
    found = np.empty(chain.dof)
    outcome = np.empty(5)
    has_start = start_rad is not None
    start = chain.clamp(start_rad) if start_rad is not None else found
    search_one(task, goal, start, has_start, int(restarts), _seed(generator), found, outcome)
    arrived, distance, angle, steps, used = outcome.tolist()
    return InverseSolution(found, distance, angle, arrived == 1.0, int(steps), int(used))


@lru_cache(maxsize=64)
def _facts(chain: Chain) -> _Facts:
    body = chain.kernel_arrays
    lower, upper = chain.lower_rad, chain.upper_rad
    kinds, _, segments_m, _, _ = body
    slides = kinds == PRISMATIC
    lengths = np.linalg.norm(segments_m, axis=1)
    lengths[slides] += np.maximum(np.abs(lower), np.abs(upper))[slides]
    reach = float(lengths.sum())
    wraps = np.where(slides, NEVER, np.where(chain.continuous, ALWAYS, IN_RESTARTS))
    return _Facts(
        body,
        np.ascontiguousarray(np.stack([lower, upper])),
        wraps.astype(np.int64),
        reach,
        _LENGTHS_PER_REACH / reach if reach > 0.0 else 1.0,
    )


@lru_cache(maxsize=256)
def _task(
    chain: Chain, asked: tuple[bool, bool], tolerances: tuple[float, float], restarts: int
) -> Task:
    """The fixed part of a question; kept, because checks would cost more than the search."""
    for name, tolerance in zip(
        ("position_tolerance_m", "orientation_tolerance_rad"), tolerances, strict=True
    ):
        if not (math.isfinite(tolerance) and tolerance > 0.0):
            raise ValueError(f"{name} is {tolerance}; give a number above nought, such as 1e-6.")
    if restarts < 0 or int(restarts) != restarts:
        raise ValueError(f"restarts is {restarts}; give a whole number, 0 or more.")
    if not any(asked):
        raise ValueError("Neither places nor orientations were given; give at least one of them.")
    facts = _facts(chain)
    weights = np.array([facts.per_length if asked[0] else 0.0, 1.0 if asked[1] else 0.0])
    squares = np.square(np.array([*tolerances, facts.reach_m + tolerances[0]]))
    return facts.body, facts.limits, facts.wraps, weights, squares


def _seed(generator: np.random.Generator | None) -> int:
    return _DEFAULT_SEED if generator is None else int(generator.integers(1 << 62))
