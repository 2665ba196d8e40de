"""One damped step of inverse kinematics, compiled: the error, the normal equations, the limits.

Design overview: the error between the pose of the end point and the target is a 6-vector, three
rows of place (in characteristic lengths of the chain, so that metres and radians weigh alike) and
three of orientation (a rotation vector). A step solves (J·Jᵀ + λ·1)·y = e and moves by Jᵀ·y; the
6 by 6 system is the same for any number of joints. λ grows with the squared error (Chan and
Lawrence): far from the target steps are short, near it they are those of Gauss and Newton.

A joint that stands at a limit and would be pushed beyond it is taken out of the step, so that the
others do its share; without this, clamped steps crawl along the limit.

Units and frames: radians and metres (prismatic joints), base frame.
Threading: no state; output arrays come from the caller.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Vector, conjugate, multiply

ROWS = 6
SMALLEST_PIVOT = 1e-300


@kernel
def solve_symmetric(matrix: FloatArray, vector: FloatArray) -> None:
    """Solve a positive definite 6 by 6 system in place by a Cholesky factorisation without roots.

    Only the lower triangle of `matrix` is read; it is overwritten, `vector` becomes the solution.
    """
    for column in range(ROWS):
        inverse = 1.0 / max(matrix[column, column], SMALLEST_PIVOT)
        for row in range(column + 1, ROWS):
            factor = matrix[row, column] * inverse
            vector[row] -= factor * vector[column]
            for other in range(column + 1, row + 1):
                matrix[row, other] -= factor * matrix[other, column]
        matrix[column, column] = inverse
    for row in range(ROWS - 1, -1, -1):
        total = vector[row]
        for other in range(row + 1, ROWS):
            total -= matrix[other, row] * vector[other]
        vector[row] = total * matrix[row, row]


@kernel
def rotation_vector(target_wxyz: FloatArray, orientation_wxyz: FloatArray) -> Vector:
    """The shortest turn, axis times angle, that takes the orientation to the target."""
    present = (
        orientation_wxyz[0],
        orientation_wxyz[1],
        orientation_wxyz[2],
        orientation_wxyz[3],
    )
    wanted = (target_wxyz[0], target_wxyz[1], target_wxyz[2], target_wxyz[3])
    w, x, y, z = multiply(wanted, conjugate(present))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, w) / sine
    return (factor * x, factor * y, factor * z)


@kernel
def residual(
    target_m: FloatArray,
    target_wxyz: FloatArray,
    position_m: FloatArray,
    orientation_wxyz: FloatArray,
    weights: FloatArray,
    error: FloatArray,
) -> tuple[float, float]:
    """Write the weighted error (6,); returns the squares of the distance and of the angle.

    `weights` are two: of the place and of the orientation; one of nought leaves that part free.
    """
    distance_squared, angle_squared = 0.0, 0.0
    if weights[0] > 0.0:
        for row in range(3):
            difference = target_m[row] - position_m[row]
            distance_squared += difference * difference
            error[row] = weights[0] * difference
    else:
        error[0] = error[1] = error[2] = 0.0
    if weights[1] > 0.0:
        x, y, z = rotation_vector(target_wxyz, orientation_wxyz)
        angle_squared = x * x + y * y + z * z
        error[3], error[4], error[5] = weights[1] * x, weights[1] * y, weights[1] * z
    else:
        error[3] = error[4] = error[5] = 0.0
    return distance_squared, angle_squared


@kernel
def weigh(jacobian: FloatArray, weights: FloatArray) -> None:
    """Give the rows of the Jacobian the weights of the error."""
    for row in range(ROWS):
        weight = weights[row // 3]
        if weight != 1.0:
            for joint in range(jacobian.shape[1]):
                jacobian[row, joint] *= weight


@kernel
def towards_middle(
    angles: FloatArray, limits: FloatArray, held: IntArray, size: float, wish: FloatArray
) -> None:
    """Write where the joints would like to go: away from their limits, the more the nearer."""
    for joint in range(len(angles)):
        half = 0.5 * (limits[1, joint] - limits[0, joint])
        wish[joint] = 0.0
        if held[joint] and half > 0.0:
            off_middle = (angles[joint] - limits[0, joint]) / half - 1.0
            wish[joint] = -size * half / math.pi * off_middle**3


@kernel
def damped_step(
    jacobian: FloatArray,
    error: FloatArray,
    damping: float,
    angles: FloatArray,
    limits: FloatArray,
    held: IntArray,
    wish: FloatArray,
    gram: FloatArray,
    solution: FloatArray,
    step: FloatArray,
) -> None:
    """Write the step (n,) of all joints: wish + J⁺·(error - J·wish).

    So the wish (n,) is followed as far as the error leaves joints free. `held` (n,) says which
    joints may be held at their limits; the columns of those that are held are lost.
    """
    count = jacobian.shape[1]
    for attempt in range(2):
        for row in range(ROWS):
            for other in range(row + 1):
                total = 0.0
                for joint in range(count):
                    total += jacobian[row, joint] * jacobian[other, joint]
                gram[row, other] = total
            gram[row, row] += damping
            total = error[row]
            for joint in range(count):
                total -= jacobian[row, joint] * wish[joint]
            solution[row] = total
        solve_symmetric(gram, solution)
        blocked = False
        for joint in range(count):
            total = wish[joint]
            for row in range(ROWS):
                total += jacobian[row, joint] * solution[row]
            step[joint] = total
            if held[joint] and (
                (total < 0.0 and angles[joint] <= limits[0, joint])
                or (total > 0.0 and angles[joint] >= limits[1, joint])
            ):
                blocked = True
                if attempt == 0:
                    wish[joint] = 0.0
                    for row in range(ROWS):
                        jacobian[row, joint] = 0.0
        if not blocked:
            break


@kernel
def settled(value: float, lower: float, upper: float, wraps: bool) -> float:
    """The value within its limits: a whole number of turns away if that helps, else clamped."""
    if value < lower or value > upper:
        if wraps:
            turned = value - math.tau * math.floor((value - lower) / math.tau)
            if turned <= upper:
                return max(turned, lower)
        return lower if value < lower else upper
    return value
