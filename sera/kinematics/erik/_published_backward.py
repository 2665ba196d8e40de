"""The backward phase: from the root to the end, every joint follows its demand within its limits.

Design overview: the forward phase left in row k + 1 of `bases` the frame that joint k should
reach. Here the frames before the joints are real, built up from the root: a twister takes the roll
of its demand, a bending joint the latitude of its demand on the side that comes closer, and a
twister right before it is turned on so that the segment also has the right direction.

Units and frames: radians; frames in the base frame of the chain.
Threading: no state but the arrays that are handed over.
Safety: every angle ends within its limits.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    about,
    conjugate,
    dot3,
    multiply,
    rotate,
    row4,
)
from sera.kinematics.erik._joint_model import JointModel, axis_of, twist_sign_of
from sera.kinematics.erik._published_joint import (
    has_length,
    needs_half_turn,
    opposite_swing,
    part_across,
    safe_angle,
    signed_angle,
    swing,
    turned,
    twist_between,
)
from sera.kinematics.erik._published_pose import Settings, apply_from_root, put, twist_end

_ACROSS = 1e-6
_TIE = 1e-9


@kernel
def align_child(joints: JointModel, index: int, after: Quaternion, bases: FloatArray) -> None:
    """Roll the demand on a twister about the segment that its child carries.

    The child's axis must lie across the twister's segment, as it does on the real robot; the
    direction of the child's own segment is kept.
    """
    child = row4(bases, index + 1)
    segment = rotate(after, (0.0, 1.0, 0.0))
    child_axis = rotate(child, axis_of(joints, index + 1))
    if abs(dot3(child_axis, segment)) < _ACROSS:
        return
    child_segment = rotate(row4(bases, index + 2), (0.0, 1.0, 0.0))
    found = part_across(rotate(child, (0.0, 1.0, 0.0)), child_segment)
    wanted = part_across(segment, child_segment)
    if has_length(found) and has_length(wanted):
        roll_rad = signed_angle(found, wanted, child_segment)
        put(bases, index + 1, multiply(about(child_segment, roll_rad), child))


@kernel
def backward_twister(
    joints: JointModel, index: int, angles_rad: FloatArray, bases: FloatArray
) -> None:
    """The roll of the demanded frame, or the opposite one where only that is within limits.

    The bending joint that follows chooses its side accordingly.
    """
    after = turned(joints, index, row4(bases, index), angles_rad[index])
    align_child(joints, index, after, bases)
    twist = twist_between(after, row4(bases, index + 1))
    wanted = angles_rad[index] + twist_sign_of(joints, index) * twist
    if needs_half_turn(joints, index, wanted):
        wanted += math.pi
    angles_rad[index] = safe_angle(joints, index, wanted)


@kernel
def choose_side(
    joints: JointModel, index: int, demanded: Quaternion, angles_rad: FloatArray, bases: FloatArray
) -> None:
    """Of the two swings with the demanded latitude the one that comes closer to the demand.

    Where both come equally close, the direction of the next segment decides.
    """
    basis = row4(bases, index)
    goal = rotate(demanded, (0.0, 1.0, 0.0))
    local = rotate(conjugate(basis), goal)
    first = swing(joints, index, local)
    second = opposite_swing(joints, index, local)
    first_segment = rotate(turned(joints, index, basis, first), (0.0, 1.0, 0.0))
    second_segment = rotate(turned(joints, index, basis, second), (0.0, 1.0, 0.0))
    gain = dot3(second_segment, goal) - dot3(first_segment, goal)
    if abs(gain) < _TIE and index + 2 < bases.shape[0]:
        onwards = rotate(row4(bases, index + 2), (0.0, 1.0, 0.0))
        gain = dot3(second_segment, onwards) - dot3(first_segment, onwards)
    angles_rad[index] = second if gain > 0.0 else first


@kernel
def turn_parent(
    joints: JointModel, index: int, demanded: Quaternion, angles_rad: FloatArray, bases: FloatArray
) -> None:
    """Turn the twister before a bending joint until the segment points where it should."""
    parent = index - 1
    axis = rotate(row4(bases, parent), axis_of(joints, parent))
    after = turned(joints, index, row4(bases, index), angles_rad[index])
    found = part_across(rotate(after, (0.0, 1.0, 0.0)), axis)
    wanted = part_across(rotate(demanded, (0.0, 1.0, 0.0)), axis)
    if has_length(found) and has_length(wanted):
        turn = signed_angle(found, wanted, axis)
        angles_rad[parent] = safe_angle(joints, parent, angles_rad[parent] + turn)
        put(bases, index, turned(joints, parent, row4(bases, parent), angles_rad[parent]))


@kernel
def backward_phase(
    joints: JointModel,
    settings: Settings,
    target: Quaternion,
    angles_rad: FloatArray,
    bases: FloatArray,
) -> None:
    """From the root to the end; afterwards `bases` is the real pose of `angles_rad`."""
    end = angles_rad.shape[0] - 1
    root = joints.root_wxyz
    put(bases, 0, (root[0], root[1], root[2], root[3]))
    for index in range(end + 1):
        if index > 0:
            put(
                bases,
                index,
                turned(joints, index - 1, row4(bases, index - 1), angles_rad[index - 1]),
            )
        demanded = target if index == end else row4(bases, index + 1)
        if twist_sign_of(joints, index) != 0.0:
            if index < end:
                backward_twister(joints, index, angles_rad, bases)
            continue
        choose_side(joints, index, demanded, angles_rad, bases)
        if index > 0 and twist_sign_of(joints, index - 1) != 0.0:
            turn_parent(joints, index, demanded, angles_rad, bases)
    apply_from_root(joints, angles_rad, bases)
    twist_end(joints, angles_rad, bases, target, settings.symmetric_endpoint)
