"""Cyclic coordinate descent (CCD): the end's direction is corrected from the end downwards.

The last resort of the method `published`: it aims well and spends the posture for it.

Units and frames: radians; frames in the base frame of the chain.
Threading: no state but the arrays that are handed over.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, rotate
from sera.kinematics.erik._joint_model import JointModel
from sera.kinematics.erik._published_bwcd import turn_towards
from sera.kinematics.erik._published_joint import safe_angle
from sera.kinematics.erik._published_pose import (
    Settings,
    apply_from,
    avoid_edges,
    off_direction,
    twist_end,
)


@kernel
def descend_from_end(
    joints: JointModel,
    settings: Settings,
    angles_rad: FloatArray,
    bases: FloatArray,
    target: Quaternion,
) -> None:
    """Turn the end towards the target within limits, end first; then roll it."""
    direction = rotate(target, (0.0, 1.0, 0.0))
    last = 1e4
    for _ in range(settings.max_ccd_iterations):
        for index in range(angles_rad.shape[0] - 1, -1, -1):
            if off_direction(bases, target) <= settings.ccd_precision:
                break
            turn = turn_towards(joints, index, bases, direction)
            if turn == 0.0:
                continue
            angles_rad[index] = safe_angle(joints, index, angles_rad[index] + turn)
            first = index
            if settings.avoid_edges:
                first = min(first, avoid_edges(joints, angles_rad, settings.disturbance_rad))
            apply_from(joints, first, angles_rad, bases)
        off = off_direction(bases, target)
        if off <= settings.ccd_precision or abs(off - last) <= settings.ccd_precision:
            break
        last = off
    twist_end(joints, angles_rad, bases, target, settings.symmetric_endpoint)
