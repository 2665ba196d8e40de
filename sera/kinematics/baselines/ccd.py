"""Cyclic coordinate descent (CCD) on aims and on places.

Design overview: sweeps from the end to the root; every joint turns as far as it can help alone.
`aim_ccd` follows the document's Algorithm 22: it turns the direction of the last segment to that
of the target and rolls the end at last, if its last joint is a twister. (Its extension of joints
that keep off their limits is part of ERIK, not of this baseline.) `reach_ccd` brings the end point
to a place. The best angles met are kept, since clamped sweeps do not always improve.

Units and frames: radians, metres, quaternions (w, x, y, z), base frame.
Threading: no state.
Safety: angles are always within the limits; bad input raises ValueError.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics._chain_kernels import REVOLUTE
from sera.kinematics._inverse_goals import NO_PLACE, NO_TURN, goal_of
from sera.kinematics._quaternions import Quaternion, Vector
from sera.kinematics.baselines._ccd_kernels import aim_end, reach_end, roll_end
from sera.kinematics.chain import Chain
from sera.kinematics.erik._model import TWISTER_SINE, model_of_chain
from sera.kinematics.rotations import angle_between, conjugate, multiply, rotate


class CcdAim(NamedTuple):
    """A pose that aims at a direction."""

    angles_rad: FloatArray  # (dof,)
    direction_error_rad: float  # between the last segment and the target's
    orientation_error_rad: float  # of the whole orientation, after the roll
    converged: bool  # the direction is within the precision
    iterations: int  # sweeps


class CcdReach(NamedTuple):
    """A pose that reaches for a place."""

    angles_rad: FloatArray  # (dof,)
    position_error_m: float
    converged: bool
    iterations: int  # sweeps


def aim_ccd(
    chain: Chain,
    target_wxyz: ArrayLike,
    start_rad: ArrayLike | None = None,
    *,
    precision_rad: float = 1e-3,
    max_iterations: int = 100,
    symmetric_endpoint: bool = False,
) -> CcdAim:
    """Turn the last segment to the direction that it has in `target_wxyz`, then roll the end.

    With a symmetric end point half a turn about the last segment makes no difference.
    """
    goal = goal_of(NO_PLACE, target_wxyz)[3:]
    start = _start(chain, start_rad, max_iterations, "precision_rad", precision_rad)
    model = model_of_chain(chain, error_aggravation=1.0)
    segment = model.segments[-1]
    wanted = multiply(goal, conjugate(model.tip_wxyz))
    direction = rotate(wanted, segment)
    best = np.empty(chain.dof)
    limits = np.stack([chain.lower_rad, chain.upper_rad])
    error, sweeps = aim_end(
        chain.kernel_arrays, limits, _vector(segment), _vector(direction),
        math.sin(0.5 * precision_rad) ** 2, max_iterations, start, best,
    )  # fmt: skip
    if _rolls(chain, segment):
        w, x, y, z = wanted.tolist()
        target: Quaternion = (w, x, y, z)
        roll_end(chain.kernel_arrays, limits, target, symmetric_endpoint, best)
    found = chain.pose(best).orientation_wxyz
    off = float(angle_between(found, goal))
    if symmetric_endpoint:
        turned = multiply(multiply(found, conjugate(model.tip_wxyz)), (0.0, *segment))
        off = min(off, float(angle_between(multiply(turned, model.tip_wxyz), goal)))
    direction_error = 2.0 * math.asin(math.sqrt(min(max(error, 0.0), 1.0)))
    return CcdAim(best, direction_error, off, direction_error <= precision_rad, sweeps)


def reach_ccd(
    chain: Chain,
    position_m: ArrayLike,
    start_rad: ArrayLike | None = None,
    *,
    position_tolerance_m: float = 1e-4,
    max_iterations: int = 1000,
) -> CcdReach:
    """Bring the end point to a place, however it is turned there."""
    goal = goal_of(position_m, NO_TURN)
    start = _start(chain, start_rad, max_iterations, "position_tolerance_m", position_tolerance_m)
    best = np.empty(chain.dof)
    distance, sweeps = reach_end(
        chain.kernel_arrays, np.stack([chain.lower_rad, chain.upper_rad]), _vector(goal),
        float(position_tolerance_m), max_iterations, start, best,
    )  # fmt: skip
    return CcdReach(best, distance, distance <= position_tolerance_m, sweeps)


def _start(
    chain: Chain, start_rad: ArrayLike | None, max_iterations: int, name: str, tolerance: float
) -> FloatArray:
    """A copy of the start, zero angles by default, within the limits."""
    if max_iterations < 1 or int(max_iterations) != max_iterations:
        raise ValueError(f"max_iterations is {max_iterations}; give a whole number above 0.")
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise ValueError(f"{name} is {tolerance}; give a number above 0, such as 1e-3.")
    return chain.clamp(np.zeros(chain.dof) if start_rad is None else start_rad).copy()


def _rolls(chain: Chain, segment: FloatArray) -> bool:
    """Whether the last joint is a twister: it turns about the last segment."""
    kinds, axes = chain.kernel_arrays[:2]
    off_axis = float(np.linalg.norm(np.cross(axes[-1], segment)))
    return bool(kinds[-1] == REVOLUTE) and off_axis < TWISTER_SINE


def _vector(values: FloatArray) -> Vector:
    x, y, z = values[:3].tolist()
    return (x, y, z)
