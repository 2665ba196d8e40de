"""Backward coordinate descent (BWCD): the end's direction is corrected from the root upwards.

The warping gathers near the root, so that the shape of the posture is kept near the end. The
posture version knows no limits; the solution version does, and rolls the end at last.

Units and frames: radians; frames in the base frame of the chain.
Threading: no state but the arrays that are handed over.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, Vector, rotate, row4
from sera.kinematics.erik._joint_model import JointModel, axis_of
from sera.kinematics.erik._published_joint import has_length, part_across, safe_angle, signed_angle
from sera.kinematics.erik._published_pose import Settings, apply_from, off_direction, twist_end


@kernel
def turn_towards(joints: JointModel, index: int, bases: FloatArray, direction: Vector) -> float:
    """By how much one joint brings the end's segment closest to a direction; 0 if it cannot."""
    axis = rotate(row4(bases, index), axis_of(joints, index))
    here = part_across(rotate(row4(bases, bases.shape[0] - 1), (0.0, 1.0, 0.0)), axis)
    there = part_across(direction, axis)
    if has_length(here) and has_length(there):
        return signed_angle(here, there, axis)
    return 0.0


@kernel
def warp_posture(
    joints: JointModel,
    settings: Settings,
    angles_rad: FloatArray,
    bases: FloatArray,
    target: Quaternion,
) -> None:
    """Turn the posture's end towards the target's direction, beyond limits if need be."""
    direction = rotate(target, (0.0, 1.0, 0.0))
    for _ in range(settings.max_ccd_iterations):
        for index in range(angles_rad.shape[0]):
            if off_direction(bases, target) <= settings.ccd_precision:
                return
            turn = turn_towards(joints, index, bases, direction)
            if turn != 0.0:
                angles_rad[index] += turn
                apply_from(joints, index, angles_rad, bases)


@kernel
def descend_from_root(
    joints: JointModel,
    settings: Settings,
    angles_rad: FloatArray,
    bases: FloatArray,
    target: Quaternion,
) -> None:
    """Turn the solution's end towards the target within limits, root first; then roll it."""
    direction = rotate(target, (0.0, 1.0, 0.0))
    sweep = 0
    while sweep < settings.max_ccd_iterations:
        sweep += 1
        for index in range(angles_rad.shape[0]):
            if off_direction(bases, target) <= settings.ccd_precision:
                sweep = settings.max_ccd_iterations
                break
            turn = turn_towards(joints, index, bases, direction)
            if turn != 0.0:
                angles_rad[index] = safe_angle(joints, index, angles_rad[index] + turn)
                apply_from(joints, index, angles_rad, bases)
    twist_end(joints, angles_rad, bases, target, settings.symmetric_endpoint)
