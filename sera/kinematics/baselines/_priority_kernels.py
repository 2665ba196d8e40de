"""Two-priority damped least squares, compiled: orientation first, the posture in what is left free.

Design overview: one iteration takes the step of Eq. 6.18,

    step = D1 + (J2·P)⁺ · (e2 - J2·D1)      D1 = J1⁺ · e1,   e2 = posture - (angles + D1)

where J1 (3 rows) is the angular Jacobian of the end point, e1 the rotation vector to the target,
P = 1 - J1⁺·J1 the undamped projector into the null space of J1, and J2 the unit matrix without
the rows of twisters at root and end. The other two inverses are damped after Maciejewski: with
d = |error| / bound and s the least singular value, λ is d/2 below s = d/2, √(s·(d - s)) up to
s = d, and nought above. Singular vectors come from the eigenvectors of J1·J1ᵀ (3 by 3) and of
Nᵀ·J2·N, where the columns of N are a basis of the null space (two for five joints).

Units and frames: radians; turns are counted from the zero pose.
Threading: no state; the caller brings the scratch arrays.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import (
    Quaternion,
    Vector,
    about,
    conjugate,
    multiply,
    rotate,
    row3,
    row4,
)
from sera.kinematics.baselines._eigen import eigen_symmetric
from sera.kinematics.erik._errors import orientation_error, posture_error

Model: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""Axes (n, 3), last segment (3,), limits (2, n), weights (n,) and bends (n, 3) of `ErikModel`."""
Options: TypeAlias = tuple[float, float, float, float, float, bool]
"""Bound of a step, bound of the orientation error, weights of the two errors, threshold, symmetric
end point."""
Scratch: TypeAlias = tuple[
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
]
SINGULAR = 1e-6
"""Singular values below this count as nought."""


@kernel
def make_scratch(count: int) -> Scratch:
    return (
        np.empty((3, count)),
        np.empty((3, 3)),
        np.empty((3, 3)),
        np.empty((count, count)),
        np.empty((count, count)),
        np.empty((count, count)),
        np.empty((count, count)),
        np.empty(count),
        np.empty(count),
    )


@kernel
def turn_and_jacobian(axes: FloatArray, angles: FloatArray, jacobian: FloatArray) -> Quaternion:
    """Write the angular Jacobian (3, n); returns the turn of the end point from its zero pose."""
    turn = (1.0, 0.0, 0.0, 0.0)
    for joint in range(len(angles)):
        axis = row3(axes, joint)
        jacobian[0, joint], jacobian[1, joint], jacobian[2, joint] = rotate(turn, axis)
        turn = multiply(turn, about(axis, angles[joint]))
    return turn


@kernel
def turn_between(present: Quaternion, wanted: Quaternion, most: float) -> Vector:
    """Rotation vector from one orientation to the other, no longer than `most`."""
    w, x, y, z = multiply(wanted, conjugate(present))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    angle = min(2.0 * math.atan2(sine, w), most)
    factor = 2.0 if sine < 1e-12 else angle / sine
    return (factor * x, factor * y, factor * z)


@kernel
def squared_damping(error_length: float, bound: float, least_singular: float) -> float:
    """Maciejewski's damping factor, squared."""
    d = error_length / bound
    if least_singular <= 0.5 * d:
        return 0.25 * d * d
    if least_singular <= d:
        return least_singular * (d - least_singular)
    return 0.0


@kernel
def orientation_step(
    jacobian: FloatArray,
    error: Vector,
    bound: float,
    gram: FloatArray,
    vectors: FloatArray,
    projector: FloatArray,
    first: FloatArray,
) -> None:
    """Write the step of the first task (n,) and the projector into its null space (n, n)."""
    count = jacobian.shape[1]
    for row in range(3):
        for other in range(3):
            total = 0.0
            for joint in range(count):
                total += jacobian[row, joint] * jacobian[other, joint]
            gram[row, other] = total
    eigen_symmetric(gram, vectors, 3)
    least = math.inf
    for index in range(3):
        if gram[index, index] > SINGULAR * SINGULAR:
            least = min(least, math.sqrt(gram[index, index]))
    length = math.sqrt(error[0] * error[0] + error[1] * error[1] + error[2] * error[2])
    damping = squared_damping(length, bound, least)
    for joint in range(count):
        first[joint] = 0.0
        for other in range(count):
            projector[joint, other] = 1.0 if joint == other else 0.0
    for index in range(3):
        square = gram[index, index]
        if square <= SINGULAR * SINGULAR:
            continue
        u = (vectors[0, index], vectors[1, index], vectors[2, index])
        part = (u[0] * error[0] + u[1] * error[1] + u[2] * error[2]) / (square + damping)
        for joint in range(count):
            along = (
                u[0] * jacobian[0, joint] + u[1] * jacobian[1, joint] + u[2] * jacobian[2, joint]
            )
            first[joint] += along * part
            for other in range(count):
                projector[joint, other] -= (
                    along
                    * (
                        u[0] * jacobian[0, other]
                        + u[1] * jacobian[1, other]
                        + u[2] * jacobian[2, other]
                    )
                    / square
                )


@kernel
def basis_of(projector: FloatArray, basis: FloatArray) -> int:
    """Write an orthonormal basis, as columns, of the space projected into; returns their number.

    A Cholesky factorisation with pivots, which a projector of rank m ends after m columns. The
    projector is lost.
    """
    count = len(projector)
    for column in range(count):
        pivot = 0
        for joint in range(1, count):
            if projector[joint, joint] > projector[pivot, pivot]:
                pivot = joint
        if projector[pivot, pivot] <= SINGULAR:
            return column
        root = math.sqrt(projector[pivot, pivot])
        for joint in range(count):
            basis[joint, column] = projector[joint, pivot] / root
        for joint in range(count):
            for other in range(count):
                projector[joint, other] -= basis[joint, column] * basis[other, column]
    return count


@kernel
def along(basis: FloatArray, vectors: FloatArray, size: int, joint: int, index: int) -> float:
    """A joint's part in one singular vector, given by its parts in the basis."""
    total = 0.0
    for column in range(size):
        total += basis[joint, column] * vectors[column, index]
    return total


@kernel
def add_posture_step(
    angles: FloatArray,
    posture: FloatArray,
    counted: FloatArray,
    bound: float,
    projector: FloatArray,
    basis: FloatArray,
    square: FloatArray,
    vectors: FloatArray,
    wanted: FloatArray,
    step: FloatArray,
) -> None:
    """Add the step of the second task to that of the first; `counted` is the diagonal of J2.

    With the null space as P = N·Nᵀ the singular vectors of J2·P are those of J2·N, turned back.
    """
    count = len(angles)
    length = 0.0
    for joint in range(count):
        # Eq. 6.18 takes the first step off twice: once in e2 and once in the bracket.
        wanted[joint] = counted[joint] * (posture[joint] - angles[joint] - 2.0 * step[joint])
        length += wanted[joint] * wanted[joint]
    size = basis_of(projector, basis)
    for row in range(size):
        for column in range(size):
            total = 0.0
            for joint in range(count):
                total += counted[joint] * basis[joint, row] * basis[joint, column]
            square[row, column] = total
    eigen_symmetric(square, vectors, size)
    least = math.inf
    for index in range(size):
        if square[index, index] > SINGULAR * SINGULAR:
            least = min(least, math.sqrt(square[index, index]))
    damping = squared_damping(math.sqrt(length), bound, least)
    for index in range(size):
        if square[index, index] <= SINGULAR * SINGULAR:
            continue
        part = 0.0
        for joint in range(count):
            part += along(basis, vectors, size, joint, index) * wanted[joint]
        part /= square[index, index] + damping
        for joint in range(count):
            step[joint] += part * along(basis, vectors, size, joint, index)


@kernel
def solve_priorities(
    model: Model,
    options: Options,
    posture: FloatArray,
    counted: FloatArray,
    with_posture: bool,
    target: Quaternion,
    most: int,
    best: FloatArray,
    outcome: FloatArray,
    scratch: Scratch,
) -> None:
    """Iterate from the angles in `best`, which become the best found.

    The outcome (4,) is: orientation error, posture error, combined error, iterations.
    """
    axes, last_segment, limits, weights, bends = model
    bound, clamp, orientation_weight, posture_weight, threshold, symmetric = options
    jacobian, gram, small, projector, basis, square, vectors, wanted, step = scratch
    angles = best.copy()
    outcome[2] = math.inf
    for iteration in range(most + 1):
        turn = turn_and_jacobian(axes, angles, jacobian)
        first_error = orientation_error(turn, target, last_segment, symmetric)
        second_error = posture_error(angles, posture, bends, weights)
        combined = orientation_weight * first_error + posture_weight * second_error
        if combined < outcome[2]:
            outcome[0], outcome[1], outcome[2] = first_error, second_error, combined
            best[:] = angles
        outcome[3] = iteration
        if combined <= threshold or iteration == most:
            break
        error = turn_between(turn, target, clamp)
        orientation_step(jacobian, error, bound, gram, small, projector, step)
        if with_posture:
            add_posture_step(
                angles, posture, counted, bound, projector, basis, square, vectors, wanted, step
            )
        for joint in range(len(angles)):
            value = angles[joint] + step[joint]
            angles[joint] = min(max(value, limits[0, joint]), limits[1, joint])


@kernel
def flipped_target(target: Quaternion) -> Quaternion:
    """The target, or its half turn about its own segment, as skeleton C reaches it more easily."""
    facing = rotate(target, (0.0, 1.0, 0.0))
    upside = rotate(target, (0.0, 0.0, 1.0))
    if facing[2] * upside[1] > 0.0:
        return multiply(target, (0.0, 0.0, 1.0, 0.0))
    return target


@kernel
def solve_rows(
    model: Model,
    options: Options,
    counted: FloatArray,
    with_posture: bool,
    flips: bool,
    postures: FloatArray,
    targets: FloatArray,
    most: int,
    first: int,
    beyond: int,
    angles: FloatArray,
    outcomes: FloatArray,
) -> None:
    """Solve rows first … beyond-1 from the angles that stand in them; outcomes are (rows, 4)."""
    scratch = make_scratch(angles.shape[1])
    for row in range(first, beyond):
        target = row4(targets, row)
        if flips:
            target = flipped_target(target)
        solve_priorities(
            model, options, postures[row], counted, with_posture, target, most, angles[row],
            outcomes[row], scratch,
        )  # fmt: skip
