"""A local descent on the whole error, for poses where exact orientation is out of reach or dear.

Design overview: the error is a sum of absolute values. Each is replaced by a parabola that touches
it at the present pose, blurred near nought; the sum of parabolas is minimised by a damped
Gauss-Newton step over all joints at once, joints that push against a limit excepted; then the
parabolas are drawn anew with less blur (iteratively reweighted least squares). Joints that must
move together, which a search joint by joint never finds, move together here.

Units and frames: radians; base frame of the zero pose.
Threading: pure kernels on arrays of the caller.
Safety: every pose is clamped to the limits in `joints`; a step that raises the error is undone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    about,
    conjugate,
    cross,
    dot4,
    multiply,
    rotate,
    row3,
)
from sera.kinematics.erik._problem import Problem, whole_error
from sera.kinematics.erik._table import (
    BEND_COS,
    BEND_SIN,
    LOWER,
    POSE,
    UPPER,
    WANTED,
    WEIGHT,
    axis_of,
    clamped,
    cosine_at,
)

STEPS = 14
FIRST_BLUR = 0.03
LAST_BLUR = 1e-4
BLUR_SHRINK = 0.4
FIRST_DAMPING = 1e-4
LARGEST_STEP_RAD = 0.6


class Bench(NamedTuple):
    """Room for the normal equations, owned by one thread."""

    matrix: FloatArray  # (n, n)
    step: FloatArray  # (n,)
    slopes: FloatArray  # (n, 3) of the relative turn's vector part
    before: FloatArray  # (n,) the pose before a step


@kernel
def make_bench(count: int) -> Bench:
    return Bench(np.empty((count, count)), np.empty(count), np.empty((count, 3)), np.empty(count))


@kernel
def draw_parabolas(table: FloatArray, goal: Quaternion, blur: float, bench: Bench) -> None:
    """Fill matrix and right-hand side of the weighted normal equations at a pose."""
    count = table.shape[0]
    after = (1.0, 0.0, 0.0, 0.0)
    for index in range(count - 1, -1, -1):
        axis = rotate(conjugate(after), axis_of(table, index))
        bench.slopes[index, 0], bench.slopes[index, 1], bench.slopes[index, 2] = axis
        after = multiply(about(axis_of(table, index), table[index, POSE]), after)
    off = multiply(conjugate(goal), after)
    if off[0] < 0.0:
        off = (-off[0], -off[1], -off[2], -off[3])
    vector = (off[1], off[2], off[3])
    squared = vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2
    size = squared / (1.0 + off[0])  # the orientation error, squared
    sharpness = 0.5 / ((1.0 + off[0]) * math.sqrt(size + blur * blur))
    for index in range(count):
        axis = row3(bench.slopes, index)
        turned = cross(vector, axis)
        for part in range(3):
            bench.slopes[index, part] = 0.5 * (off[0] * axis[part] + turned[part])
    for index in range(count):
        right = 0.0
        for part in range(3):
            right += sharpness * bench.slopes[index, part] * vector[part]
        for other in range(index + 1):
            total = 0.0
            for part in range(3):
                total += bench.slopes[index, part] * bench.slopes[other, part]
            bench.matrix[index, other] = sharpness * total
        weight, angle = table[index, WEIGHT], table[index, POSE]
        if weight != 0.0:
            gap = cosine_at(table, index, angle) - table[index, WANTED]
            slope = table[index, BEND_SIN] * math.cos(angle) - table[index, BEND_COS] * math.sin(
                angle
            )
            narrow = 0.5 * weight / math.sqrt(gap * gap + blur * blur)
            bench.matrix[index, index] += narrow * slope * slope
            right += narrow * slope * gap
        bench.step[index] = -right


@kernel
def hold_at_limits(table: FloatArray, bench: Bench) -> None:
    """Joints at a limit that would be pushed beyond it keep still."""
    count = table.shape[0]
    for index in range(count):
        angle = table[index, POSE]
        at_lower = angle <= table[index, LOWER] and bench.step[index] < 0.0
        at_upper = angle >= table[index, UPPER] and bench.step[index] > 0.0
        if at_lower or at_upper:
            for other in range(count):
                bench.matrix[max(index, other), min(index, other)] = 0.0
            bench.matrix[index, index] = 1.0
            bench.step[index] = 0.0


@kernel
def solve_in_place(matrix: FloatArray, step: FloatArray, damping: float) -> None:
    """Cholesky on the lower triangle: the right-hand side in `step` becomes the solution."""
    count = step.shape[0]
    for row in range(count):
        for column in range(row + 1):
            total = matrix[row, column]
            for inner in range(column):
                total -= matrix[row, inner] * matrix[column, inner]
            if row == column:
                matrix[row, row] = math.sqrt(max(total + damping, 1e-12))
            else:
                matrix[row, column] = total / matrix[column, column]
    for row in range(count):
        for inner in range(row):
            step[row] -= matrix[row, inner] * step[inner]
        step[row] /= matrix[row, row]
    for row in range(count - 1, -1, -1):
        for inner in range(row + 1, count):
            step[row] -= matrix[inner, row] * step[inner]
        step[row] /= matrix[row, row]


@kernel
def nearer_goal(problem: Problem) -> Quaternion:
    """The target, or the flipped one where the pose at hand is nearer to it."""
    table = problem.table
    turn = (1.0, 0.0, 0.0, 0.0)
    for index in range(table.shape[0]):
        turn = multiply(turn, about(axis_of(table, index), table[index, POSE]))
    if abs(dot4(turn, problem.flipped_target)) > abs(dot4(turn, problem.target)):
        return problem.flipped_target
    return problem.target


@kernel
def refine(problem: Problem, bench: Bench) -> float:
    """Descend from the pose at hand, in place; return its error."""
    table = problem.table
    count = table.shape[0]
    best = whole_error(problem)
    blur, damping = FIRST_BLUR, FIRST_DAMPING
    for _ in range(STEPS):
        draw_parabolas(table, nearer_goal(problem), blur, bench)
        hold_at_limits(table, bench)
        solve_in_place(bench.matrix, bench.step, damping)
        for index in range(count):
            angle = table[index, POSE]
            move = clamped(bench.step[index], -LARGEST_STEP_RAD, LARGEST_STEP_RAD)
            bench.before[index] = angle
            table[index, POSE] = clamped(angle + move, table[index, LOWER], table[index, UPPER])
        error = whole_error(problem)
        if error < best:
            gained = best - error
            best = error
            damping = max(1e-6, 0.3 * damping)
            if gained < 1e-5 and blur <= LAST_BLUR:
                return best
        else:
            for index in range(count):
                table[index, POSE] = bench.before[index]
            damping *= 8.0
        blur = max(LAST_BLUR, BLUR_SHRINK * blur)
    return best
