"""One joint at a time: safe angles, swings by latitude, twists, backing off from limits.

These kernels answer the question of the document's joint model: by how much must this joint turn,
given its limits, so that its segment (with the help of a twister before it) points somewhere?

Units and frames: radians; directions in the frame that each kernel names.
Threading: pure functions without allocation.
Safety: every angle that leaves this file lies within the joint's limits.
"""

from __future__ import annotations

import math

from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    Vector,
    about,
    conjugate,
    cross,
    dot3,
    multiply,
    rotate,
)
from sera.kinematics.erik._joint_model import (
    JointModel,
    across_of,
    axis_of,
    entries_of,
    is_flat,
    limits_of,
    offset_of,
    twist_sign_of,
)

_EDGE_RAD = 1e-9
_NO_LENGTH = 1e-9


@kernel
def wrapped(angle_rad: float) -> float:
    """The same angle in [-π, π)."""
    return angle_rad - 2.0 * math.pi * math.floor((angle_rad + math.pi) / (2.0 * math.pi))


@kernel
def part_across(vector: Vector, normal: Vector) -> Vector:
    """What is left of a vector without its part along a unit normal."""
    along = dot3(vector, normal)
    return (
        vector[0] - along * normal[0],
        vector[1] - along * normal[1],
        vector[2] - along * normal[2],
    )


@kernel
def has_length(vector: Vector) -> bool:
    return dot3(vector, vector) > _NO_LENGTH


@kernel
def signed_angle(start: Vector, end: Vector, axis: Vector) -> float:
    """The angle from `start` to `end`, positive when turning about `axis` (both lie across it)."""
    return math.atan2(dot3(cross(start, end), axis), dot3(start, end))


@kernel
def turned(joints: JointModel, index: int, basis: Quaternion, angle_rad: float) -> Quaternion:
    """The frame after a joint, +Y along its segment, from the frame before it."""
    turn = about(axis_of(joints, index), angle_rad)
    return multiply(basis, multiply(turn, offset_of(joints, index)))


@kernel
def turned_back(joints: JointModel, index: int, after: Quaternion, angle_rad: float) -> Quaternion:
    """The frame before a joint from the frame after it."""
    turn = about(axis_of(joints, index), -angle_rad)
    return multiply(after, multiply(conjugate(offset_of(joints, index)), turn))


@kernel
def safe_angle(joints: JointModel, index: int, angle_rad: float) -> float:
    """The angle within limits, counted round the circle: 350° is -10° before it is clamped."""
    lower, upper = limits_of(joints, index)
    if lower <= angle_rad <= upper:
        return angle_rad
    middle = 0.5 * (lower + upper)
    return min(upper, max(lower, middle + wrapped(angle_rad - middle)))


@kernel
def excess(joints: JointModel, index: int, angle_rad: float) -> float:
    """How far an angle lies beyond the limits, round the circle."""
    return abs(wrapped(angle_rad - safe_angle(joints, index, angle_rad)))


@kernel
def needs_half_turn(joints: JointModel, index: int, angle_rad: float) -> bool:
    """Whether a twister that cannot reach an angle comes closer to the opposite one."""
    beyond = excess(joints, index, angle_rad)
    return beyond > _EDGE_RAD and excess(joints, index, angle_rad + math.pi) < beyond


@kernel
def safe_end_twist(joints: JointModel, index: int, angle_rad: float, symmetric: bool) -> float:
    """The end's twist within limits; of two equal ones of a symmetric end the smaller turn."""
    best = safe_angle(joints, index, wrapped(angle_rad))
    if symmetric:
        other_rad = wrapped(angle_rad + math.pi)
        other = safe_angle(joints, index, other_rad)
        gain = excess(joints, index, angle_rad) - excess(joints, index, other_rad)
        if gain > _EDGE_RAD or (gain > -_EDGE_RAD and abs(other) < abs(best)):
            best = other
    return best


@kernel
def away_from_edge(joints: JointModel, index: int, angle_rad: float, offset_rad: float) -> float:
    """An angle exactly on a limit, moved inwards; the middle at most."""
    lower, upper = limits_of(joints, index)
    inwards = min(offset_rad, 0.5 * (upper - lower))
    if abs(angle_rad - upper) <= _EDGE_RAD:
        return upper - inwards
    if abs(angle_rad - lower) <= _EDGE_RAD:
        return lower + inwards
    return angle_rad


@kernel
def look_up(joints: JointModel, index: int, side: int, latitude: float) -> float:
    """The angle of a joint for a latitude on one side, interpolated in the table.

    Latitudes beyond the table end on its last entry; a side without entries gives way to the
    other. Where the limits cut a piece out of a side's middle, the interpolated angle lies beyond
    them and the nearer edge is taken.
    """
    if entries_of(joints, index, side) == 0:
        side = 1 - side
    tables = joints.tables
    low, high = 0, entries_of(joints, index, side) - 1
    if latitude <= tables[index, side, 0, low]:
        return safe_angle(joints, index, tables[index, side, 1, low])
    if latitude >= tables[index, side, 0, high]:
        return safe_angle(joints, index, tables[index, side, 1, high])
    while high - low > 1:
        middle = (low + high) // 2
        if tables[index, side, 0, middle] <= latitude:
            low = middle
        else:
            high = middle
    below, above = tables[index, side, 0, low], tables[index, side, 0, high]
    fraction = (latitude - below) / (above - below)
    angle = tables[index, side, 1, low]
    step = wrapped(tables[index, side, 1, high] - angle)
    return safe_angle(joints, index, angle + fraction * step)


@kernel
def holds(joints: JointModel, index: int, side: int, latitude: float) -> bool:
    """Whether a side of a joint's table reaches a latitude."""
    last = entries_of(joints, index, side) - 1
    if last < 0:
        return False
    return joints.tables[index, side, 0, 0] <= latitude <= joints.tables[index, side, 0, last]


@kernel
def side_of(joints: JointModel, index: int, direction: Vector) -> int:
    """The side of the table on which a local direction lies."""
    return 0 if dot3(direction, across_of(joints, index)) >= 0.0 else 1


@kernel
def turn_about_parent(joints: JointModel, index: int, direction: Vector) -> float:
    """The angle of a flat joint: it turns its segment about its parent's towards a direction."""
    axis = axis_of(joints, index)
    here = part_across(rotate(offset_of(joints, index), (0.0, 1.0, 0.0)), axis)
    there = part_across(direction, axis)
    if not (has_length(here) and has_length(there)):
        return safe_angle(joints, index, 0.0)
    return safe_angle(joints, index, signed_angle(here, there, axis))


@kernel
def swing(joints: JointModel, index: int, direction: Vector) -> float:
    """The angle that gives a joint's segment the latitude of a direction in the joint's frame.

    Where the limits keep the segment from that latitude on the direction's own side, a joint
    carried by a twister swings to the other side and leaves the rest to the twister.
    """
    if is_flat(joints, index):
        return turn_about_parent(joints, index, direction)
    latitude = 0.5 * (1.0 + direction[1])
    side = side_of(joints, index, direction)
    on_twister = index > 0 and twist_sign_of(joints, index - 1) != 0.0
    if (
        on_twister
        and not holds(joints, index, side, latitude)
        and holds(joints, index, 1 - side, latitude)
    ):
        side = 1 - side
    return look_up(joints, index, side, latitude)


@kernel
def opposite_swing(joints: JointModel, index: int, direction: Vector) -> float:
    """The angle for the same latitude on the other side."""
    if is_flat(joints, index):
        return turn_about_parent(joints, index, direction)
    side = 1 - side_of(joints, index, direction)
    return look_up(joints, index, side, 0.5 * (1.0 + direction[1]))


@kernel
def needed_twist(joints: JointModel, index: int, basis: Quaternion, after: Quaternion) -> float:
    """The angle by which a twister best leads from the frame before it to one after it.

    Yaw plus roll of a yaw-pitch-roll decomposition about the twister's axis is the twist of a
    swing-twist decomposition; the latter has no special cases.
    """
    turn = multiply(conjugate(basis), multiply(after, conjugate(offset_of(joints, index))))
    axis = axis_of(joints, index)
    along = dot3((turn[1], turn[2], turn[3]), axis)
    if along * along + turn[0] * turn[0] < _NO_LENGTH:
        return 0.0  # half a turn across the axis: every twist is as good
    return wrapped(2.0 * math.atan2(along, turn[0]))


@kernel
def twist_between(current: Quaternion, target: Quaternion) -> float:
    """The roll about the current segment that brings its frame closest to the target's.

    Of the target's X and Z axes the one that lies more across the segment is compared.
    """
    segment = rotate(current, (0.0, 1.0, 0.0))
    target_x = rotate(target, (1.0, 0.0, 0.0))
    target_z = rotate(target, (0.0, 0.0, 1.0))
    if abs(dot3(target_x, segment)) < abs(dot3(target_z, segment)):
        here = rotate(current, (1.0, 0.0, 0.0))
        return signed_angle(here, part_across(target_x, segment), segment)
    here = rotate(current, (0.0, 0.0, 1.0))
    return signed_angle(here, part_across(target_z, segment), segment)
