"""The forward phase: from the end to the root, the posture's shape is put under the target.

Design overview: each joint starts from the frame that the warped posture has before it, takes the
angle that leads (within its limits, by latitude or by twist) to the frame that the joint after it
asks for, and passes the frame *before* it on as the demand on its own parent. What a limit cuts
off is thus handed down to the joints nearer the root.

Rolls that a joint cannot make are pushed up the chain. Half a turn of roll keeps the shape if all
bends above change their signs: that is how a twister with less than a full turn reaches the other
side.

Units and frames: radians; frames in the base frame of the chain.
Threading: no state but the arrays that are handed over.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    about,
    conjugate,
    multiply,
    rotate,
    row4,
)
from sera.kinematics.erik._joint_model import JointModel, axis_of, offset_of, twist_sign_of
from sera.kinematics.erik._published_joint import (
    away_from_edge,
    has_length,
    needed_twist,
    needs_half_turn,
    part_across,
    safe_angle,
    safe_end_twist,
    signed_angle,
    swing,
    turned,
    turned_back,
)
from sera.kinematics.erik._published_pose import Settings, apply_from, put

_FLIP_RAD = 0.01
"""A roll counts as half a turn within this much."""


@kernel
def roll_up(
    joints: JointModel, first: int, roll_rad: float, angles_rad: FloatArray, bases: FloatArray
) -> None:
    """Roll all frames from that before joint `first` upwards about the segments they stand on.

    Half a turn mirrors the bends, so that segments keep their places; any other roll turns the
    upper chain as a whole.
    """
    count = angles_rad.shape[0]
    if abs(roll_rad) > math.pi - _FLIP_RAD:
        half_turn = about((0.0, 1.0, 0.0), math.pi)
        for index in range(first, count):
            if twist_sign_of(joints, index) == 0.0:
                after = turned(joints, index, (1.0, 0.0, 0.0, 0.0), angles_rad[index])
                mirrored = rotate(half_turn, rotate(after, (0.0, 1.0, 0.0)))
                angles_rad[index] = swing(joints, index, mirrored)
    put(bases, first, multiply(row4(bases, first), about((0.0, 1.0, 0.0), roll_rad)))
    apply_from(joints, first, angles_rad, bases)


@kernel
def roll_left_over(joints: JointModel, index: int, bases: FloatArray) -> float:
    """The roll of the frame after a bending joint that the joint's own turn cannot explain.

    The axis of a joint is the same before and after its turn; what differs is roll.
    """
    axis = axis_of(joints, index)
    after = row4(bases, index + 1)
    segment = rotate(after, (0.0, 1.0, 0.0))
    wanted = part_across(rotate(row4(bases, index), axis), segment)
    found = rotate(after, rotate(conjugate(offset_of(joints, index)), axis))
    found = part_across(found, segment)
    if has_length(wanted) and has_length(found):
        return signed_angle(found, wanted, segment)
    return 0.0


@kernel
def forward_twister(
    joints: JointModel,
    settings: Settings,
    index: int,
    target: Quaternion,
    angles_rad: FloatArray,
    bases: FloatArray,
) -> None:
    """The twist towards the demanded frame, by way of half a turn where that is within limits."""
    basis = row4(bases, index)
    if index == angles_rad.shape[0] - 1:
        twist = needed_twist(joints, index, basis, target)
        angles_rad[index] = safe_end_twist(joints, index, twist, settings.symmetric_endpoint)
        return
    twist = needed_twist(joints, index, basis, row4(bases, index + 1))
    if needs_half_turn(joints, index, twist):
        roll_up(joints, index + 1, math.pi, angles_rad, bases)
        twist += math.pi
    angles_rad[index] = safe_angle(joints, index, twist)


@kernel
def forward_bender(
    joints: JointModel, index: int, target: Quaternion, angles_rad: FloatArray, bases: FloatArray
) -> None:
    """The swing with the latitude of the demanded segment."""
    basis = row4(bases, index)
    demanded = target
    if index < angles_rad.shape[0] - 1:
        roll_rad = roll_left_over(joints, index, bases)
        if twist_sign_of(joints, index + 1) != 0.0:
            # A twister above makes every roll itself; mirrored bends are all that is needed.
            roll_rad = math.pi if abs(roll_rad) > 0.5 * math.pi else 0.0
        if roll_rad != 0.0:
            roll_up(joints, index + 1, roll_rad, angles_rad, bases)
        demanded = row4(bases, index + 1)
    direction = rotate(conjugate(basis), rotate(demanded, (0.0, 1.0, 0.0)))
    angles_rad[index] = swing(joints, index, direction)


@kernel
def forward_phase(
    joints: JointModel,
    settings: Settings,
    target: Quaternion,
    posture_bases: FloatArray,
    angles_rad: FloatArray,
    bases: FloatArray,
) -> None:
    """From the end to the root; afterwards row k + 1 of `bases` is what joint k should reach."""
    end = angles_rad.shape[0] - 1
    for index in range(end, -1, -1):
        put(bases, index, row4(posture_bases, index))
        if twist_sign_of(joints, index) != 0.0:
            forward_twister(joints, settings, index, target, angles_rad, bases)
        else:
            forward_bender(joints, index, target, angles_rad, bases)
        if settings.avoid_edges:
            angles_rad[index] = away_from_edge(
                joints, index, angles_rad[index], settings.disturbance_rad
            )
        if index == end:
            apply_from(joints, index, angles_rad, bases)
        else:
            demanded = row4(bases, index + 1)
            put(bases, index, turned_back(joints, index, demanded, angles_rad[index]))
