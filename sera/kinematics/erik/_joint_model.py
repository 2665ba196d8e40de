"""The joint model of ERIK's method `published`: local frames and the latitude look-up table.

Design overview: the document lets every segment lie along +Y of its joint's frame. A chain of any
shape is brought to that form: each joint gets a frame whose +Y is the segment that carries it, and
a fixed turn (`offsets`) leads from the frame of its own rotated segment to that of the next joint.
For robots whose segments all point up in the zero pose these turns are all nothing, and the
formulas are those of the document.

Latitude of a direction, seen from a joint: (1 + its cosine to the parent segment) / 2. On either
side of the plane through axis and parent segment every latitude belongs to at most one angle of
the joint; the table (LALUT) lists these angles per side. A *flat* joint, whose axis is its parent's
segment without being its own, has one latitude only: its table is of no use.

Units and frames: radians; local vectors in the frame of the joint before its own turn.
Threading: immutable after construction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    Vector,
    conjugate,
    cross,
    dot3,
    multiply,
    rotate,
)
from sera.kinematics.erik._model import TWISTER_SINE, ErikModel

UP: Vector = (0.0, 1.0, 0.0)
_FULL_TURN_RAD = 2.0 * math.pi


class JointModel(NamedTuple):
    """What the kernels know of the n joints, root first.

    Three arrays instead of a dozen: each kernel takes the model whole, and the compiler pays for
    every array that is handed on. The accessors below name the columns.
    """

    numbers: FloatArray  # (n, 16) columns as below
    tables: FloatArray  # (n, 2, 2, m) joint, side, latitude (ascending) or angle, entry
    root_wxyz: FloatArray  # (4,) frame of the root joint


class ErrorModel(NamedTuple):
    """What the error function needs, in the base frame of the zero pose."""

    axes: FloatArray  # (n, 3)
    last_segment: FloatArray  # (3,)
    bends: FloatArray  # (n, 3)
    weights: FloatArray  # (n,)
    end_wxyz: FloatArray  # (4,) frame of the end segment


@kernel
def axis_of(joints: JointModel, index: int) -> Vector:
    """The joint's axis in the frame before it."""
    return (joints.numbers[index, 0], joints.numbers[index, 1], joints.numbers[index, 2])


@kernel
def offset_of(joints: JointModel, index: int) -> Quaternion:
    """From the turned joint's frame to the frame of the next joint, +Y along the segment."""
    row = joints.numbers
    return (row[index, 3], row[index, 4], row[index, 5], row[index, 6])


@kernel
def limits_of(joints: JointModel, index: int) -> tuple[float, float]:
    """Lower and upper limit, always finite."""
    return (joints.numbers[index, 7], joints.numbers[index, 8])


@kernel
def twist_sign_of(joints: JointModel, index: int) -> float:
    """Of a twister 1 or -1 (its axis along or against its segment), of a bending joint 0."""
    return joints.numbers[index, 9]


@kernel
def is_flat(joints: JointModel, index: int) -> bool:
    return joints.numbers[index, 10] != 0.0


@kernel
def across_of(joints: JointModel, index: int) -> Vector:
    """Normal of the plane between the two sides, in the frame before the joint."""
    return (joints.numbers[index, 11], joints.numbers[index, 12], joints.numbers[index, 13])


@kernel
def entries_of(joints: JointModel, index: int, side: int) -> int:
    """How many entries of the table are used; side 0 is the one that `across_of` points to."""
    return int(joints.numbers[index, 14 + side])


def make_joint_model(model: ErikModel, lalut_step_rad: float) -> JointModel:
    """Local frames and look-up tables of a chain."""
    count = model.joint_count
    lower_rad, upper_rad = _finite_limits(model.lower_rad, model.upper_rad)
    frames = _segment_frames(model.segments)
    numbers = np.zeros((count, 16))
    sides: list[list[tuple[FloatArray, FloatArray]]] = []
    for index in range(count):
        carrying = frames[max(index - 1, 0)]
        axis = rotate(conjugate(carrying), _vector(model.axes[index]))
        offset = multiply(conjugate(carrying), frames[index])
        segment = rotate(offset, UP)
        numbers[index, 0:3] = axis
        numbers[index, 3:7] = offset
        numbers[index, 7:9] = lower_rad[index], upper_rad[index]
        if _sine(axis, segment) < TWISTER_SINE:
            numbers[index, 9] = 1.0 if dot3(axis, segment) > 0.0 else -1.0
        if _sine(axis, UP) < TWISTER_SINE:
            numbers[index, 10] = 1.0
        else:
            numbers[index, 11:14] = np.array(cross(axis, UP)) / _sine(axis, UP)
        limits_rad = (float(lower_rad[index]), float(upper_rad[index]))
        sides.append(_tables(model.bends[index], limits_rad, lalut_step_rad))
    size = max(len(latitudes) for joint in sides for latitudes, _ in joint)
    tables = np.zeros((count, 2, 2, size))
    for index, joint in enumerate(sides):
        for side, (latitudes, angles_rad) in enumerate(joint):
            numbers[index, 14 + side] = len(latitudes)
            tables[index, side, 0, : len(latitudes)] = latitudes
            tables[index, side, 1, : len(latitudes)] = angles_rad
    return JointModel(numbers, tables, np.array(frames[0]))


def make_error_model(model: ErikModel) -> ErrorModel:
    return ErrorModel(
        axes=model.axes,
        last_segment=np.ascontiguousarray(model.segments[-1]),
        bends=model.bends,
        weights=model.weights,
        end_wxyz=np.array(_segment_frames(model.segments)[-1]),
    )


def _tables(
    bend: FloatArray, limits_rad: tuple[float, float], step_rad: float
) -> list[tuple[FloatArray, FloatArray]]:
    """Latitudes and angles of either side, ascending in latitude.

    cos bend = A·cos t + B·sin t + C is highest at t = atan2(B, A) and falls steadily on both sides
    of it, so the distance from there orders each side. The two angles where the sides meet are
    entered into both: without them the table would end up to one step short of straight.
    """
    cosine, sine, constant = (float(value) for value in bend)
    lower_rad, upper_rad = limits_rad
    straight_rad = math.atan2(sine, cosine)
    middle_rad = 0.5 * (lower_rad + upper_rad)
    half_rad = min(0.5 * (upper_rad - lower_rad), math.pi)
    steps = max(1, math.ceil(2.0 * half_rad / step_rad))
    angles_rad = np.linspace(middle_rad - half_rad, middle_rad + half_rad, steps + 1)
    meeting_rad = middle_rad + _wrapped(
        np.array([straight_rad, straight_rad + math.pi]) - middle_rad
    )
    angles_rad = np.concatenate(
        [angles_rad, meeting_rad[np.abs(meeting_rad - middle_rad) <= half_rad]]
    )
    from_straight_rad = _wrapped(angles_rad - straight_rad)
    opposite = np.abs(from_straight_rad) >= math.pi - 1e-9
    result = []
    for sign in (1.0, -1.0):
        distances_rad = np.where(opposite, math.pi, sign * from_straight_rad)
        chosen = distances_rad >= -1e-9
        order = np.argsort(-distances_rad[chosen], kind="stable")
        distances_rad = distances_rad[chosen][order]
        cosines = constant + math.hypot(cosine, sine) * np.cos(distances_rad)
        result.append((0.5 * (1.0 + cosines), angles_rad[chosen][order]))
    return result


def _finite_limits(lower_rad: FloatArray, upper_rad: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A joint without a limit gets one full turn: beyond that every pose repeats itself."""
    lower, upper = lower_rad.copy(), upper_rad.copy()
    endless = np.isinf(lower) & np.isinf(upper)
    lower[endless], upper[endless] = -math.pi, math.pi
    lower = np.where(np.isinf(lower), upper - _FULL_TURN_RAD, lower)
    upper = np.where(np.isinf(upper), lower + _FULL_TURN_RAD, upper)
    return np.ascontiguousarray(lower), np.ascontiguousarray(upper)


def _segment_frames(segments: FloatArray) -> list[Quaternion]:
    """A frame for each segment with +Y along it, turned from one to the next without a roll."""
    frames: list[Quaternion] = []
    direction, frame = UP, (1.0, 0.0, 0.0, 0.0)
    for row in segments:
        following = _vector(row)
        frame = multiply(
            _shortest_turn(direction, following, rotate(frame, (1.0, 0.0, 0.0))), frame
        )
        frames.append(frame)
        direction = following
    return frames


def _shortest_turn(start: Vector, end: Vector, spare_axis: Vector) -> Quaternion:
    """The turn from one unit vector to another; half a turn about `spare_axis` to its opposite."""
    axis = cross(start, end)
    scalar = 1.0 + dot3(start, end)
    length = math.sqrt(scalar * scalar + dot3(axis, axis))
    if length < 1e-9:
        return (0.0, spare_axis[0], spare_axis[1], spare_axis[2])
    return (scalar / length, axis[0] / length, axis[1] / length, axis[2] / length)


def _wrapped(angles_rad: FloatArray) -> FloatArray:
    """The same angles between -π and π, which stay as they are."""
    return np.where(
        np.abs(angles_rad) <= math.pi,
        angles_rad,
        angles_rad - _FULL_TURN_RAD * np.floor((angles_rad + math.pi) / _FULL_TURN_RAD),
    )


def _vector(row: FloatArray) -> Vector:
    return (float(row[0]), float(row[1]), float(row[2]))


def _sine(a: Vector, b: Vector) -> float:
    return float(np.linalg.norm(cross(a, b)))
