"""Targets of inverse kinematics as they come in: checked, and in one layout for the kernels.

Units and frames: metres, quaternions (w, x, y, z), base frame of the chain.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.chain import Chain

NO_PLACE = (0.0, 0.0, 0.0)
NO_TURN = (1.0, 0.0, 0.0, 0.0)
"""What stands for a part of the target that is left free."""
_UNIT_TOLERANCE = 1e-3


def goal_of(position_m: ArrayLike, orientation_wxyz: ArrayLike) -> FloatArray:
    """Place and orientation as one array (7,), checked."""
    place = _floats(position_m, "position_m")
    turn = _floats(orientation_wxyz, "orientation_wxyz")
    if place.shape != (3,):
        raise ValueError(f"position_m has the shape {place.shape}; give three numbers, x, y and z.")
    if turn.shape != (4,):
        raise ValueError(f"orientation_wxyz has the shape {turn.shape}; give four, w, x, y and z.")
    x, y, z = place.tolist()
    if not math.isfinite(x + y + z):
        raise ValueError(f"position_m is ({x}, {y}, {z}); give finite numbers, in metres.")
    w, i, j, k = turn.tolist()
    length = math.sqrt(w * w + i * i + j * j + k * k)
    if not abs(length - 1.0) <= _UNIT_TOLERANCE:
        raise ValueError(
            f"orientation_wxyz ({w}, {i}, {j}, {k}) has the length {length:.6g}; an orientation "
            "is a quaternion (w, x, y, z) of length 1: divide it by its length."
        )
    return np.array((x, y, z, w / length, i / length, j / length, k / length))


def goals_of(positions_m: ArrayLike | None, orientations_wxyz: ArrayLike | None) -> FloatArray:
    """Places and orientations as one array (rows, 7), checked."""
    given = [
        _table(values, width, name)
        for values, width, name in (
            (positions_m, 3, "positions_m"),
            (orientations_wxyz, 4, "orientations_wxyz"),
        )
        if values is not None
    ]
    rows = len(given[0]) if given else 0
    if len(given) == 2 and len(given[1]) != rows:
        raise ValueError(
            f"{rows} places and {len(given[1])} orientations came in; give as many of each."
        )
    goals = np.empty((rows, 7))
    goals[:, :3] = given[0] if positions_m is not None else NO_PLACE
    goals[:, 3:] = given[-1] if orientations_wxyz is not None else NO_TURN
    lengths = np.linalg.norm(goals[:, 3:], axis=1)
    for row in np.flatnonzero(np.abs(lengths - 1.0) > _UNIT_TOLERANCE)[:1]:
        raise ValueError(
            f"Row {row} of orientations_wxyz has the length {lengths[row]:.6g}; an orientation "
            "is a quaternion (w, x, y, z) of length 1: divide it by its length."
        )
    goals[:, 3:] /= lengths[:, None]
    return goals


def starts_of(chain: Chain, starts_rad: ArrayLike | None, rows: int) -> FloatArray:
    if starts_rad is None:
        return np.zeros((1, chain.dof))
    starts = _table(starts_rad, chain.dof, "starts_rad")
    if len(starts) != rows:
        raise ValueError(f"{len(starts)} starts came in for {rows} targets; give one each.")
    return np.array([chain.clamp(start) for start in starts]).reshape(starts.shape)


def _table(values: ArrayLike, width: int, name: str) -> FloatArray:
    table = _floats(values, name)
    if table.ndim != 2 or table.shape[1] != width:
        raise ValueError(f"{name} has the shape {table.shape}; give rows of {width} numbers.")
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(bad):
        raise ValueError(f"Row {bad[0]} of {name} is {table[bad[0]]}; give finite numbers.")
    return table


def _floats(values: ArrayLike, name: str) -> FloatArray:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers; given was {values!r}.") from None
