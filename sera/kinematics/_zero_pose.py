"""Joints laid out in their zero pose, in the frame of the base.

Design overview: origins of joints are given from frame to frame. Here they are multiplied out
once, at construction, so that kernels need only axes and segments in the base frame.

Units and frames: metres, quaternions (w, x, y, z), base frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._quaternions import Quaternion, Vector, multiply, rotate
from sera.kinematics.joints import Joint


class ZeroPose(NamedTuple):
    """Arrays over joints, all in the base frame at zero angles."""

    positions_m: FloatArray  # (n, 3)
    orientations_wxyz: FloatArray  # (n, 4)
    axes: FloatArray  # (n, 3)


def zero_pose(joints: Sequence[Joint], parents: IntArray) -> ZeroPose:
    """Lay out joints, parents first; a parent of -1 is the base."""
    count = len(joints)
    positions = np.empty((count, 3))
    orientations = np.empty((count, 4))
    axes = np.empty((count, 3))
    for index, joint in enumerate(joints):
        base_m: Vector = (0.0, 0.0, 0.0)
        turned: Quaternion = (1.0, 0.0, 0.0, 0.0)
        if parents[index] >= 0:
            base_m = _as_vector(positions[parents[index]])
            turned = _as_quaternion(orientations[parents[index]])
        positions[index], orientations[index] = placed(
            base_m, turned, joint.origin_m, joint.origin_wxyz
        )
        axes[index] = rotate(_as_quaternion(orientations[index]), joint.axis)
    return ZeroPose(positions, orientations, axes)


def placed(
    base_m: Vector, base_wxyz: Quaternion, offset_m: Vector, offset_wxyz: Quaternion
) -> tuple[FloatArray, FloatArray]:
    """A frame given in another frame, both in the base frame; the orientation at length one."""
    position = np.add(base_m, rotate(base_wxyz, offset_m))
    orientation = np.asarray(multiply(base_wxyz, offset_wxyz))
    # Of the two quaternions that mean the same, the one whose w is not negative.
    return position, orientation / math.copysign(np.linalg.norm(orientation), orientation[0])


def _as_vector(row: FloatArray) -> Vector:
    return (float(row[0]), float(row[1]), float(row[2]))


def _as_quaternion(row: FloatArray) -> Quaternion:
    return (float(row[0]), float(row[1]), float(row[2]), float(row[3]))
