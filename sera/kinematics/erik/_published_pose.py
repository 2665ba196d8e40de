"""Whole poses of the method `published`: frames along the chain, and the two kinds of workspace.

`bases` holds n + 1 frames: row k is the frame before joint k (its +Y is the segment that carries
the joint), row n the frame of the end segment. The document calls row n the *superpoint*: it lets
the end joint be treated like any other.

Units and frames: radians; frames in the base frame of the chain.
Threading: a workspace belongs to one thread at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, dot3, rotate, row4
from sera.kinematics.erik._joint_model import JointModel, twist_sign_of
from sera.kinematics.erik._published_joint import (
    away_from_edge,
    safe_end_twist,
    turned,
    twist_between,
)


class Settings(NamedTuple):
    """The hyperparameters as a kernel takes them."""

    orientation_weight: float
    posture_weight: float
    threshold: float
    max_iterations: int
    max_ccd_iterations: int
    ccd_precision: float
    disturbance_rad: float
    non_convergence_window: int
    non_convergence_tolerance: float
    symmetric_endpoint: bool
    avoid_edges: bool
    offset_trick: bool
    ccd_trick: bool


class Workspace(NamedTuple):
    """What one solve writes while it runs; made once, used again and again."""

    posture_rad: FloatArray  # (n,) angles of the warped posture, limits not enforced
    posture_bases: FloatArray  # (n + 1, 4)
    angles_rad: FloatArray  # (n,) the candidate
    bases: FloatArray  # (n + 1, 4)
    best_rad: FloatArray  # (n,)
    errors: FloatArray  # (max iterations,) of the candidates at the end of each iteration


def make_workspace(joint_count: int, max_iterations: int) -> Workspace:
    return Workspace(
        posture_rad=np.zeros(joint_count),
        posture_bases=np.zeros((joint_count + 1, 4)),
        angles_rad=np.zeros(joint_count),
        bases=np.zeros((joint_count + 1, 4)),
        best_rad=np.zeros(joint_count),
        errors=np.zeros(max_iterations),
    )


@kernel
def put(bases: FloatArray, index: int, frame: Quaternion) -> None:
    bases[index, 0] = frame[0]
    bases[index, 1] = frame[1]
    bases[index, 2] = frame[2]
    bases[index, 3] = frame[3]


@kernel
def apply_from(joints: JointModel, first: int, angles_rad: FloatArray, bases: FloatArray) -> None:
    """Forward kinematics from the frame before joint `first` up to the end."""
    for index in range(first, angles_rad.shape[0]):
        put(bases, index + 1, turned(joints, index, row4(bases, index), angles_rad[index]))


@kernel
def apply_from_root(joints: JointModel, angles_rad: FloatArray, bases: FloatArray) -> None:
    root = joints.root_wxyz
    put(bases, 0, (root[0], root[1], root[2], root[3]))
    apply_from(joints, 0, angles_rad, bases)


@kernel
def off_direction(bases: FloatArray, target: Quaternion) -> float:
    """(1 - cosine) / 2 of the angle between the end's segment and the target's."""
    end = rotate(row4(bases, bases.shape[0] - 1), (0.0, 1.0, 0.0))
    return 0.5 * (1.0 - dot3(end, rotate(target, (0.0, 1.0, 0.0))))


@kernel
def avoid_edges(joints: JointModel, angles_rad: FloatArray, offset_rad: float) -> int:
    """Move every joint off its limits; the first joint that moved, or n."""
    first = angles_rad.shape[0]
    for index in range(angles_rad.shape[0] - 1, -1, -1):
        moved = away_from_edge(joints, index, angles_rad[index], offset_rad)
        if moved != angles_rad[index]:
            angles_rad[index] = moved
            first = index
    return first


@kernel
def twist_end(
    joints: JointModel,
    angles_rad: FloatArray,
    bases: FloatArray,
    target: Quaternion,
    symmetric: bool,
) -> None:
    """Roll the end into the target's roll, if the end is a twister."""
    end = angles_rad.shape[0] - 1
    sign = twist_sign_of(joints, end)
    if sign != 0.0:
        wanted = angles_rad[end] + sign * twist_between(row4(bases, end + 1), target)
        angles_rad[end] = safe_end_twist(joints, end, wanted, symmetric)
        apply_from(joints, end, angles_rad, bases)
