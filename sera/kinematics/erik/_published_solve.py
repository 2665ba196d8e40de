"""The method `published` from a posture and a target to angles: phases, tests, tricks.

Design overview: warp the posture towards the target (BWCD without limits); then iterate the
forward phase, the backward phase, a test, BWCD within limits, and a test again. When the error
stands still or goes round in circles, the target is disturbed once; the next time CCD is tried
from where the chain is and then from the zero pose. The first pose within the threshold is taken,
otherwise the best one seen.

Units and frames: radians; targets are turns of the end counted from the zero pose, w, x, y, z.
Threading: the interpreter lock is released; one workspace a thread.
Safety: every candidate, and so the result, lies within the limits. Nothing is random.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, about, multiply, rotate, row4
from sera.kinematics.erik._errors import orientation_error, orientation_of, posture_error
from sera.kinematics.erik._joint_model import ErrorModel, JointModel, axis_of, limits_of
from sera.kinematics.erik._published_backward import backward_phase
from sera.kinematics.erik._published_bwcd import descend_from_root, warp_posture
from sera.kinematics.erik._published_ccd import descend_from_end
from sera.kinematics.erik._published_forward import forward_phase
from sera.kinematics.erik._published_joint import safe_angle
from sera.kinematics.erik._published_pose import (
    Settings,
    Workspace,
    apply_from_root,
    avoid_edges,
)


@kernel
def combined_error(
    errors: ErrorModel,
    settings: Settings,
    angles_rad: FloatArray,
    posture_rad: FloatArray,
    target: Quaternion,
) -> float:
    """The error function on the target and posture as they were asked for."""
    turn = orientation_of(errors.axes, angles_rad)
    orientation = orientation_error(turn, target, errors.last_segment, settings.symmetric_endpoint)
    posture = posture_error(angles_rad, posture_rad, errors.bends, errors.weights)
    return settings.orientation_weight * orientation + settings.posture_weight * posture


@kernel
def stands_still(settings: Settings, errors: FloatArray, first: int, count: int) -> bool:
    """Whether the errors of iterations `first` to `count` repeat: one value, or a short cycle."""
    for period in range(1, settings.non_convergence_window + 1):
        needed = max(settings.non_convergence_window, 2 * period)
        if count - first < needed:
            continue
        repeats = True
        for index in range(count - needed + period, count):
            if abs(errors[index] - errors[index - period]) > settings.non_convergence_tolerance:
                repeats = False
                break
        if repeats:
            return True
    return False


@kernel
def disturbed(
    joints: JointModel,
    settings: Settings,
    angles_rad: FloatArray,
    bases: FloatArray,
    target: Quaternion,
) -> Quaternion:
    """The target turned a little about the axes of the root joint and its child."""
    for index in range(min(2, angles_rad.shape[0])):
        axis = rotate(row4(bases, index), axis_of(joints, index))
        lower, upper = limits_of(joints, index)
        turn = -settings.disturbance_rad
        if abs(angles_rad[index] - lower) > abs(angles_rad[index] - upper):
            turn = settings.disturbance_rad
        target = multiply(about(axis, turn), target)
    return target


@kernel
def zero_pose(joints: JointModel, angles_rad: FloatArray, bases: FloatArray) -> None:
    """All joints at zero, or as near as their limits allow."""
    for index in range(angles_rad.shape[0]):
        angles_rad[index] = safe_angle(joints, index, 0.0)
    apply_from_root(joints, angles_rad, bases)


@kernel
def copy(source: FloatArray, goal: FloatArray) -> None:
    """Element by element: a slice assignment takes the compiler a second longer."""
    for index in range(goal.shape[0]):
        goal[index] = source[index]


@kernel
def keep_if_best(
    errors: ErrorModel,
    settings: Settings,
    work: Workspace,
    posture_rad: FloatArray,
    target: Quaternion,
    best: float,
) -> tuple[float, float]:
    """The candidate's error and the best error so far; the best angles are copied."""
    error = combined_error(errors, settings, work.angles_rad, posture_rad, target)
    if error <= best:
        best = error
        copy(work.angles_rad, work.best_rad)
    return error, best


@kernel
def solve_pose(
    joints: JointModel,
    errors: ErrorModel,
    settings: Settings,
    posture_rad: FloatArray,
    target: Quaternion,
    work: Workspace,
) -> tuple[float, int, bool]:
    """Error, iterations, and whether the error is within the threshold; `work.best_rad` is set."""
    angles, bases = work.angles_rad, work.bases
    end = errors.end_wxyz
    aim = multiply(target, (end[0], end[1], end[2], end[3]))
    zero_pose(joints, angles, bases)
    _, best = keep_if_best(errors, settings, work, posture_rad, target, math.inf)
    copy(posture_rad, work.posture_rad)
    apply_from_root(joints, work.posture_rad, work.posture_bases)
    warp_posture(joints, settings, work.posture_rad, work.posture_bases, aim)
    if settings.avoid_edges:
        avoid_edges(joints, work.posture_rad, settings.disturbance_rad)
        apply_from_root(joints, work.posture_rad, work.posture_bases)
    has_disturbed = not settings.offset_trick
    first = 0
    for iteration in range(settings.max_iterations):
        forward_phase(joints, settings, aim, work.posture_bases, angles, bases)
        backward_phase(joints, settings, aim, angles, bases)
        error, best = keep_if_best(errors, settings, work, posture_rad, target, best)
        if error <= settings.threshold:
            return best, iteration + 1, True
        descend_from_root(joints, settings, angles, bases, aim)
        error, best = keep_if_best(errors, settings, work, posture_rad, target, best)
        if error <= settings.threshold:
            return best, iteration + 1, True
        work.errors[iteration] = error
        if not stands_still(settings, work.errors, first, iteration + 1):
            continue
        if not has_disturbed:
            has_disturbed = True
            first = iteration + 1
            aim = disturbed(joints, settings, angles, bases, aim)
            continue
        if settings.ccd_trick:
            for attempt in range(2):
                if attempt == 1:
                    zero_pose(joints, angles, bases)
                descend_from_end(joints, settings, angles, bases, aim)
                error, best = keep_if_best(errors, settings, work, posture_rad, target, best)
                if error <= settings.threshold:
                    return best, iteration + 1, True
        return best, iteration + 1, best <= settings.threshold
    return best, settings.max_iterations, best <= settings.threshold


@kernel
def solve_rows(
    joints: JointModel,
    error_model: ErrorModel,
    settings: Settings,
    postures_rad: FloatArray,
    targets: FloatArray,
    work: Workspace,
    angles_rad: FloatArray,
    errors: FloatArray,
    iterations: IntArray,
) -> None:
    """Row by row; an error within the threshold means that the row converged."""
    for row in range(postures_rad.shape[0]):
        error, count, _ = solve_pose(
            joints, error_model, settings, postures_rad[row], row4(targets, row), work
        )
        copy(work.best_rad, angles_rad[row])
        errors[row] = error
        iterations[row] = count
