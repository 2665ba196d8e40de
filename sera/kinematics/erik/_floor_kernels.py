"""The long search: the least error that any pose has, found without the solver's own reasoning.

Design overview: the yardstick of the solvers. From many starts (postures with random signs of
their bends, and poses at random) a damped Gauss-Newton search goes downhill on a smoothed error,
every kink √(x² + ε²) instead of |x|, and ε shrinks until the kinks are as good as sharp; the best
end points are then probed joint by joint with shrinking steps on the true error. It knows no
closed form, no triple and no twister, so that it fails in other places than the solvers do.

Units and frames: radians; turns (w, x, y, z) counted from the zero pose.
Threading: kernels without shared state; the interpreter lock is released.
Safety: poses that are compared lie within the limits.
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
    multiply,
    rotate,
    row3,
    row4,
)
from sera.kinematics.erik._errors import (
    cosine_of_bend,
    flipped,
    orientation_error,
    orientation_of,
    posture_error,
)

FIRST_BLUR = 0.03
LAST_BLUR = 1e-8
BLUR_SHRINKS = 0.25
DESCENTS_A_BLUR = 6
DAMPING_TRIES = 5
HOPELESS = 0.03
"""A start whose error, blur included, stays this far above the best is given up."""
PROBES_FROM_RAD = 0.02
PROBES_TO_RAD = 1e-7
MOST_PROBES = 120


class Task(NamedTuple):
    """One question: posture and target for a chain."""

    axes: FloatArray  # (n, 3)
    lower: FloatArray  # (n,)
    upper: FloatArray  # (n,)
    bends: FloatArray  # (n, 3)
    weights: FloatArray  # (n,) of the posture error, times its share in the combined error
    last_segment: FloatArray  # (3,)
    posture: FloatArray  # (n,)
    target: Quaternion
    symmetric: bool


class Desk(NamedTuple):
    """Room to work in, so that nothing is allocated on the way."""

    system: FloatArray  # (n, n)
    factor: FloatArray  # (n, n)
    slope: FloatArray  # (n,)
    step: FloatArray  # (n,)
    columns: FloatArray  # (n, 3) derivative of the orientation's residual
    trial: FloatArray  # (n,)


@kernel
def true_error(task: Task, pose: FloatArray) -> float:
    turn = orientation_of(task.axes, pose)
    off = orientation_error(turn, task.target, task.last_segment, task.symmetric)
    return off + posture_error(pose, task.posture, task.bends, task.weights)


@kernel
def residual(task: Task, goal: Quaternion, pose: FloatArray) -> tuple[float, float, float, float]:
    """A vector as long as the orientation error towards `goal`, and the sign it was taken with."""
    gap = multiply(orientation_of(task.axes, pose), conjugate(goal))
    sign = 1.0 if gap[0] >= 0.0 else -1.0
    scale = sign / math.sqrt(1.0 + abs(gap[0]))
    return (gap[1] * scale, gap[2] * scale, gap[3] * scale, sign * gap[0])


@kernel
def blurred_error(task: Task, goal: Quaternion, pose: FloatArray, blur: float) -> float:
    x, y, z, _ = residual(task, goal, pose)
    total = math.sqrt(x * x + y * y + z * z + blur * blur)
    for index in range(pose.shape[0]):
        if task.weights[index] != 0.0:
            gap = task.weights[index] * (
                cosine_of_bend(task.bends, index, pose[index])
                - cosine_of_bend(task.bends, index, task.posture[index])
            )
            total += math.sqrt(gap * gap + blur * blur)
    return total


@kernel
def fill_system(task: Task, goal: Quaternion, pose: FloatArray, blur: float, desk: Desk) -> None:
    """Gauss-Newton's matrix and slope of the blurred error, each kink weighed by 1/√(x²+ε²)."""
    count = pose.shape[0]
    x, y, z, cosine = residual(task, goal, pose)
    weight = 1.0 / math.sqrt(x * x + y * y + z * z + blur * blur)
    shrink = 1.0 / math.sqrt(1.0 + cosine)
    vector = (x / shrink, y / shrink, z / shrink)
    turn = (1.0, 0.0, 0.0, 0.0)
    for index in range(count):
        axis = rotate(turn, row3(task.axes, index))
        across = cross(axis, vector)
        along = axis[0] * vector[0] + axis[1] * vector[1] + axis[2] * vector[2]
        # The residual is vector / √(1 + cosine); the cosine moves with the angle as well.
        drift = 0.25 * along * shrink * shrink * shrink
        for part in range(3):
            desk.columns[index, part] = (
                0.5 * shrink * (cosine * axis[part] + across[part]) + drift * vector[part]
            )
        turn = multiply(turn, about(row3(task.axes, index), pose[index]))
    for row in range(count):
        first = desk.columns[row]
        desk.slope[row] = weight * (first[0] * x + first[1] * y + first[2] * z)
        for column in range(row + 1):
            second = desk.columns[column]
            product = first[0] * second[0] + first[1] * second[1] + first[2] * second[2]
            desk.system[row, column] = weight * product
        bend = task.weights[row]
        if bend != 0.0:
            angle = pose[row]
            gap = bend * (
                cosine_of_bend(task.bends, row, angle)
                - cosine_of_bend(task.bends, row, task.posture[row])
            )
            rise = bend * (
                task.bends[row, 1] * math.cos(angle) - task.bends[row, 0] * math.sin(angle)
            )
            inverse = 1.0 / math.sqrt(gap * gap + blur * blur)
            desk.slope[row] += inverse * gap * rise
            desk.system[row, row] += inverse * rise * rise


@kernel
def solve_step(task: Task, pose: FloatArray, damping: float, desk: Desk) -> None:
    """The damped step; joints that push against a limit keep still."""
    count = pose.shape[0]
    factor, step = desk.factor, desk.step
    for row in range(count):
        held = (pose[row] <= task.lower[row] and desk.slope[row] > 0.0) or (
            pose[row] >= task.upper[row] and desk.slope[row] < 0.0
        )
        step[row] = 0.0 if held else -desk.slope[row]
        for column in range(row + 1):
            still = held or (
                (pose[column] <= task.lower[column] and desk.slope[column] > 0.0)
                or (pose[column] >= task.upper[column] and desk.slope[column] < 0.0)
            )
            factor[row, column] = 0.0 if still else desk.system[row, column]
        factor[row, row] = 1.0 if held else desk.system[row, row] * (1.0 + damping) + damping
    for column in range(count):  # Cholesky, in place
        for inner in range(column):
            factor[column, column] -= factor[column, inner] * factor[column, inner]
        factor[column, column] = math.sqrt(max(factor[column, column], 1e-12))
        for row in range(column + 1, count):
            for inner in range(column):
                factor[row, column] -= factor[row, inner] * factor[column, inner]
            factor[row, column] /= factor[column, column]
    for row in range(count):
        for inner in range(row):
            step[row] -= factor[row, inner] * step[inner]
        step[row] /= factor[row, row]
    for row in range(count - 1, -1, -1):
        for inner in range(row + 1, count):
            step[row] -= factor[inner, row] * step[inner]
        step[row] /= factor[row, row]


@kernel
def descend(task: Task, goal: Quaternion, pose: FloatArray, best: float, desk: Desk) -> None:
    """Take `pose` downhill while the blur shrinks."""
    count = pose.shape[0]
    blur = FIRST_BLUR
    damping = 1e-2
    while blur > LAST_BLUR:
        value = blurred_error(task, goal, pose, blur)
        for _ in range(DESCENTS_A_BLUR):
            fill_system(task, goal, pose, blur, desk)
            before = value
            for _ in range(DAMPING_TRIES):
                solve_step(task, pose, damping, desk)
                for index in range(count):
                    moved = pose[index] + desk.step[index]
                    desk.trial[index] = min(max(moved, task.lower[index]), task.upper[index])
                tried = blurred_error(task, goal, desk.trial, blur)
                if tried < value:
                    value = tried
                    pose[:] = desk.trial
                    damping = max(damping * 0.3, 1e-9)
                    break
                damping = min(damping * 5.0, 1e3)
            if before - value < 1e-3 * blur:
                break
        if value > best + HOPELESS + (count + 1) * blur:
            return
        blur *= BLUR_SHRINKS
        damping = min(damping, 1e-2)


@kernel
def probe(task: Task, pose: FloatArray) -> float:
    """Joint by joint on the true error, with shrinking steps."""
    best = true_error(task, pose)
    step = PROBES_FROM_RAD
    for _ in range(MOST_PROBES):
        if step < PROBES_TO_RAD:
            break
        better = False
        for index in range(pose.shape[0]):
            kept = pose[index]
            for sign in (-1.0, 1.0):
                moved = min(max(kept + sign * step, task.lower[index]), task.upper[index])
                pose[index] = moved
                value = true_error(task, pose)
                if value < best:
                    best = value
                    kept = moved
                    better = True
            pose[index] = kept
        if not better:
            step *= 0.3
    return best


@kernel
def take_start(task: Task, start: FloatArray, number: int, pose: FloatArray) -> None:
    """Every other start bends as the posture does, to either side; the rest is at random."""
    for index in range(pose.shape[0]):
        share = start[index]
        pose[index] = task.lower[index] + share * (task.upper[index] - task.lower[index])
        if number % 2 == 0 and task.weights[index] != 0.0:
            bent = task.posture[index] if share < 0.5 else -task.posture[index]
            pose[index] = min(max(bent, task.lower[index]), task.upper[index])


@kernel
def long_search(task: Task, starts: FloatArray, best_pose: FloatArray) -> float:
    """The least error found from all `starts` (m, n), shares of the joints' ranges in 0 to 1."""
    count = best_pose.shape[0]
    desk = Desk(
        np.zeros((count, count)),
        np.zeros((count, count)),
        np.zeros(count),
        np.zeros(count),
        np.zeros((count, 3)),
        np.zeros(count),
    )
    pose = np.zeros(count)
    best = 9.0
    for number in range(starts.shape[0]):
        for side in range(2 if task.symmetric else 1):
            goal = task.target if side == 0 else flipped(task.target, task.last_segment)
            take_start(task, starts[number], number, pose)
            descend(task, goal, pose, best, desk)
            value = true_error(task, pose)
            if value < best + 1e-3:
                value = probe(task, pose)
            if value < best:
                best = value
                best_pose[:] = pose
    return best


@kernel
def search_rows(
    axes: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    bends: FloatArray,
    weights: FloatArray,
    last_segment: FloatArray,
    symmetric: bool,
    postures: FloatArray,
    targets: FloatArray,
    starts: FloatArray,
    first: int,
    beyond: int,
    poses: FloatArray,
    errors: FloatArray,
) -> None:
    """`long_search` for rows first … beyond-1; targets are turns counted from the zero pose."""
    for row in range(first, beyond):
        task = Task(
            axes, lower, upper, bends, weights, last_segment, postures[row], row4(targets, row),
            symmetric,
        )  # fmt: skip
        errors[row] = long_search(task, starts, poses[row])
