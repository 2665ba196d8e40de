"""Rotations about three axes in one order, told in another."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.transform import Rotation

from sera.kinematics._arrays import FloatArray


def taken_apart(angles_rad: FloatArray, order: str, new_order: str) -> FloatArray:
    """Angles (n, 3) about the turned axes of `order`, as angles about those of `new_order`.

    Angles follow each other without jumps by whole turns.
    """
    with warnings.catch_warnings():
        # Where two axes fall together one angle is free; it is taken as zero.
        warnings.filterwarnings("ignore", message="Gimbal lock")
        taken = Rotation.from_euler(order, angles_rad).as_euler(new_order)
    result: FloatArray = np.unwrap(np.asarray(taken, dtype=np.float64), axis=0)
    return result
