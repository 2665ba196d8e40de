"""FABRIK: forward and backward reaching, on places of joints.

Design overview: after Aristidou and Lasenby, without constraints: the last point is put on the
target and the others follow on lines at their segments' lengths (forth), then the root is put back
to its place and the others follow again (back), until the end is near enough. A target beyond
reach is answered at once by the straight chain. A chain that lies straight in the line of its
target would stay in that line for ever; it is bent a little aside.

The answer is places, not angles: segments bend freely in all directions there. Angles of joints
with one axis and limits that come nearest to such places are a task of their own, which ERIK
solves in its own way and this baseline does not.

Units and frames: metres, any frame.
Threading: no state.
Safety: lengths of segments and the root's place are kept; bad input raises ValueError.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics._inverse_goals import NO_TURN, goal_of
from sera.kinematics.baselines._fabrik_kernels import iterate, stretch


class FabrikSolution(NamedTuple):
    """Places of all joints and, last, of the end point."""

    points_m: FloatArray  # (joints + 1, 3)
    position_error_m: float
    converged: bool
    iterations: int


def fabrik(
    points_m: ArrayLike,
    target_m: ArrayLike,
    *,
    position_tolerance_m: float = 1e-6,
    max_iterations: int = 1000,
) -> FabrikSolution:
    """Bring the last of `points_m` to the target; the first stays where it is.

    `points_m` (joints + 1, 3) are a chain's present places, such as `chain.joint_positions_m(…)`.
    """
    points = _points(points_m)
    target = goal_of(target_m, NO_TURN)[:3].copy()
    if not (math.isfinite(position_tolerance_m) and position_tolerance_m > 0.0):
        raise ValueError(f"position_tolerance_m is {position_tolerance_m}; give one above 0.")
    if max_iterations < 1 or int(max_iterations) != max_iterations:
        raise ValueError(f"max_iterations is {max_iterations}; give a whole number above 0.")
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    root = points[0].copy()
    if float(np.linalg.norm(target - root)) >= float(lengths.sum()):
        stretch(points, lengths, target)
        left, iterations = float(np.linalg.norm(points[-1] - target)), 0
    else:
        left, iterations = iterate(
            points, lengths, root, target, float(position_tolerance_m), max_iterations
        )
    return FabrikSolution(points, left, left <= position_tolerance_m, iterations)


def _points(points_m: ArrayLike) -> FloatArray:
    try:
        points = np.array(points_m, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError("points_m must be rows of three numbers.") from None
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
        raise ValueError(
            f"points_m has the shape {points.shape}; give at least two rows of three numbers."
        )
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points))[0][0])
        raise ValueError(f"Row {row} of points_m is {points[row]}; give finite numbers, in metres.")
    return points
