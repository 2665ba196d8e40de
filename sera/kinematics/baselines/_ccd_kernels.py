"""Cyclic coordinate descent, compiled: one joint at a time, from the end to the root.

Design overview: turning a joint leaves the joints below it where they are. So one pass of forward
kinematics serves a whole sweep from end to root, and after each joint only the end point (its
place or its direction) is turned along.

Units and frames: radians and metres (prismatic joints), base frame.
Threading: no state; output arrays come from the caller.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC, REVOLUTE, chain_points
from sera.kinematics._compile import kernel
from sera.kinematics._inverse_step import settled
from sera.kinematics._quaternions import (
    Quaternion,
    Vector,
    about,
    conjugate,
    cross,
    dot3,
    multiply,
    rotate,
    row3,
)

Body: TypeAlias = tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]
FLAT = 1e-9
"""A projection shorter than this has no direction."""
STANDSTILL = 1e-9
"""A sweep that moves no joint by more has found a place that it will not leave."""


@kernel
def joint_axes(
    kinds: IntArray, axes: FloatArray, angles: FloatArray, now: FloatArray
) -> Quaternion:
    """Write the axes (n, 3) as they point now; returns the turn of the end from its zero pose."""
    turn = (1.0, 0.0, 0.0, 0.0)
    for joint in range(len(angles)):
        axis = row3(axes, joint)
        now[joint, 0], now[joint, 1], now[joint, 2] = rotate(turn, axis)
        if kinds[joint] == REVOLUTE:
            turn = multiply(turn, about(axis, angles[joint]))
    return turn


@kernel
def angle_about(axis: Vector, present: Vector, wanted: Vector) -> float:
    """The turn about `axis` that brings `present` nearest to `wanted`; nought if there is none."""
    along = dot3(axis, present)
    p = (
        present[0] - along * axis[0],
        present[1] - along * axis[1],
        present[2] - along * axis[2],
    )
    along = dot3(axis, wanted)
    w = (wanted[0] - along * axis[0], wanted[1] - along * axis[1], wanted[2] - along * axis[2])
    if dot3(p, p) < FLAT * FLAT or dot3(w, w) < FLAT * FLAT:
        return 0.0
    return math.atan2(dot3(axis, cross(p, w)), dot3(p, w))


@kernel
def aim_end(
    body: Body,
    limits: FloatArray,
    zero_direction: Vector,
    direction: Vector,
    precision: float,
    most: int,
    angles: FloatArray,
    best: FloatArray,
) -> tuple[float, int]:
    """Turn the end's own direction towards `direction`; the best angles are written to `best`.

    Returns the error of the best, (1 - cosine of the angle between) / 2, and the sweeps.
    """
    kinds, axes = body[0], body[1]
    count = len(angles)
    now = np.empty((count, 3))
    least = math.inf
    for sweep in range(most + 1):
        present = rotate(joint_axes(kinds, axes, angles, now), zero_direction)
        error = 0.5 * (1.0 - dot3(present, direction))
        if error < least:
            least = error
            best[:] = angles
        if error <= precision or sweep == most:
            return least, sweep
        moved = 0.0
        for joint in range(count - 1, -1, -1):
            if kinds[joint] == PRISMATIC:
                continue
            axis = row3(now, joint)
            before = angles[joint]
            value = before + angle_about(axis, present, direction)
            angles[joint] = settled(value, limits[0, joint], limits[1, joint], True)
            present = rotate(about(axis, angles[joint] - before), present)
            moved = max(moved, abs(angles[joint] - before))
        if moved < STANDSTILL:
            return least, sweep
    return least, most


@kernel
def roll_end(
    body: Body,
    limits: FloatArray,
    target: Quaternion,
    symmetric: bool,
    angles: FloatArray,
) -> None:
    """Turn the last joint so that the end comes nearest to the turn `target` from the zero pose."""
    last = len(angles) - 1
    now = np.empty((len(angles), 3))
    axis = row3(body[1], last)
    turn = joint_axes(body[0], body[1], angles, now)
    missing = multiply(conjugate(turn), target)
    roll = 2.0 * math.atan2(dot3((missing[1], missing[2], missing[3]), axis), missing[0])
    lower, upper = limits[0, last], limits[1, last]
    wanted = angles[last] + roll
    value = settled(wanted, lower, upper, True)
    if symmetric:
        other = settled(wanted + math.pi, lower, upper, True)
        off = abs(math.sin(0.5 * (value - wanted)))
        if abs(math.sin(0.5 * (other - wanted - math.pi))) < off:
            value = other
    angles[last] = value


@kernel
def reach_end(
    body: Body,
    limits: FloatArray,
    target: Vector,
    tolerance: float,
    most: int,
    angles: FloatArray,
    best: FloatArray,
) -> tuple[float, int]:
    """Move the end point towards a place; returns the distance of the best and the sweeps."""
    kinds, axes = body[0], body[1]
    count = len(angles)
    now = np.empty((count, 3))
    points = np.empty((count + 1, 3))
    least = math.inf
    for sweep in range(most + 1):
        joint_axes(kinds, axes, angles, now)
        chain_points(*body, angles, points)
        end = row3(points, count)
        off = (target[0] - end[0], target[1] - end[1], target[2] - end[2])
        distance = math.sqrt(dot3(off, off))
        if distance < least:
            least = distance
            best[:] = angles
        if distance <= tolerance or sweep == most:
            return least, sweep
        moved = 0.0
        for joint in range(count - 1, -1, -1):
            axis, place = row3(now, joint), row3(points, joint)
            arm = (end[0] - place[0], end[1] - place[1], end[2] - place[2])
            wanted = (target[0] - place[0], target[1] - place[1], target[2] - place[2])
            before = angles[joint]
            if kinds[joint] == PRISMATIC:
                value = before + dot3(axis, wanted) - dot3(axis, arm)
                slide = settled(value, limits[0, joint], limits[1, joint], False) - before
                end = (
                    end[0] + slide * axis[0],
                    end[1] + slide * axis[1],
                    end[2] + slide * axis[2],
                )
                angles[joint] = before + slide
            else:
                value = before + angle_about(axis, arm, wanted)
                angles[joint] = settled(value, limits[0, joint], limits[1, joint], True)
                arm = rotate(about(axis, angles[joint] - before), arm)
                end = (place[0] + arm[0], place[1] + arm[1], place[2] + arm[2])
            moved = max(moved, abs(angles[joint] - before))
        if moved < STANDSTILL:
            return least, sweep
    return least, most
