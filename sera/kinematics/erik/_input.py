"""What comes in is checked here, so that the kernels need not: shape, numbers, unit length."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles
from sera.kinematics._arrays import FloatArray
from sera.kinematics.chain import Chain
from sera.kinematics.rotations import UNIT_TOLERANCE, checked_unit


def checked_posture(posture_rad: ArrayLike, chain: Chain) -> FloatArray:
    """A posture of the chain: one angle a joint; it may lie beyond the limits."""
    return checked_angles(posture_rad, chain.joint_names, chain.name)


def checked_target(target_wxyz: ArrayLike) -> FloatArray:
    """An orientation as a unit quaternion; small deviations of the length are evened out."""
    target = np.array(target_wxyz, dtype=np.float64) if _is_numeric(target_wxyz) else None
    if target is not None and target.shape == (4,):
        # The common case on plain floats: an array of four is too short for numpy to be quick.
        w, x, y, z = target.tolist()
        length = math.sqrt(w * w + x * x + y * y + z * z)
        if abs(length - 1.0) <= UNIT_TOLERANCE:
            target /= length
            return target
    checked = checked_unit(target_wxyz, "target orientation")
    if checked.shape != (4,):
        raise ValueError(
            f"A target orientation is one quaternion (w, x, y, z); an array of shape "
            f"{checked.shape} came in. For many targets call solve_batch."
        )
    return checked


def _is_numeric(values: ArrayLike) -> bool:
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "fiu"
    return isinstance(values, list | tuple) and all(isinstance(v, float | int) for v in values)


def checked_rows(
    postures_rad: ArrayLike, targets_wxyz: ArrayLike, chain: Chain
) -> tuple[FloatArray, FloatArray]:
    """Postures (m, n) and targets (m, 4); either may be a single one for all rows."""
    try:
        postures = np.array(postures_rad, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"The postures of {chain.name!r} must be rows of numbers.") from None
    if postures.ndim not in {1, 2} or postures.shape[-1] != chain.dof:
        raise ValueError(
            f"{chain.name!r} has {chain.dof} joints that move, so that postures are an array "
            f"(rows, {chain.dof}); one of shape {postures.shape} came in."
        )
    bad = np.argwhere(~np.isfinite(postures))
    if len(bad):
        raise ValueError(
            f"Posture {bad[0][0] if postures.ndim == 2 else 0} has an angle that is no number "
            f"({postures[tuple(bad[0])]}) at joint {chain.joint_names[int(bad[0][-1])]!r}."
        )
    targets = checked_unit(targets_wxyz, "target orientation")
    if targets.ndim not in {1, 2}:
        raise ValueError(f"Targets are an array (rows, 4); one of shape {targets.shape} came in.")
    rows = max(len(array) if array.ndim == 2 else 1 for array in (postures, targets))
    for what, array in (("postures", postures), ("targets", targets)):
        if array.ndim == 2 and len(array) not in {1, rows}:
            raise ValueError(
                f"{len(postures)} postures and {len(targets)} targets do not go together: give as "
                f"many {what} as the others, or one for all."
            )
    return (
        # Writable copies always: kernels are compiled for each kind of array that they get.
        np.array(np.broadcast_to(postures, (rows, chain.dof)), order="C"),
        np.array(np.broadcast_to(targets, (rows, 4)), order="C"),
    )
