"""Compiled evaluation and extremes of piecewise polynomials of degree five.

Piece i runs from `times_s[i]` to `times_s[i + 1]`; inside it u goes from 0 to 1 and the value is
the sum of `coefficients[i, k] * u**k`, k = 0 … 5, for each joint. Stretching time leaves the
coefficients as they are. `mirrored` are the coefficients of the same pieces seen from their ends,
in powers of 1 - u: each half of a piece is evaluated from its nearer knot, so that rounding does
not carry a movement beyond the knot that it approaches.

Threading: no state; the interpreter lock is released.
"""

from __future__ import annotations

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

_BISECTIONS = 60


@kernel
def evaluate(
    times_s: FloatArray,
    coefficients: FloatArray,
    mirrored: FloatArray,
    final: FloatArray,
    at_s: FloatArray,
    position: FloatArray,
    velocity: FloatArray,
    acceleration: FloatArray,
) -> None:
    """Write the states (n, dof) at n times; outside of the trajectory its ends are held.

    `final` (3, dof) is the state at the last knot, so that it is met to the last bit.
    """
    pieces, joints = coefficients.shape[0], coefficients.shape[2]
    end_s = times_s[pieces]
    for row in range(len(at_s)):
        t = at_s[row]
        if t < 0.0 or t >= end_s:
            moving = 1.0 if t == end_s else 0.0
            for joint in range(joints):
                position[row, joint] = coefficients[0, 0, joint] if t < 0.0 else final[0, joint]
                velocity[row, joint] = moving * final[1, joint]
                acceleration[row, joint] = moving * final[2, joint]
            continue
        low, high = 0, pieces
        while high - low > 1:
            middle = (low + high) // 2
            if times_s[middle] <= t:
                low = middle
            else:
                high = middle
        length_s = times_s[low + 1] - times_s[low]
        u = (t - times_s[low]) / length_s
        near, sign = coefficients, 1.0
        if u > 0.5:
            u, near, sign = (times_s[low + 1] - t) / length_s, mirrored, -1.0
        for joint in range(joints):
            p, v, a = 0.0, 0.0, 0.0
            for k in range(5, -1, -1):
                a = a * u + v
                v = v * u + p
                p = p * u + near[low, k, joint]
            position[row, joint] = p
            velocity[row, joint] = sign * v / length_s
            acceleration[row, joint] = 2.0 * a / (length_s * length_s)


@kernel
def _derivative_at(c: FloatArray, order: int, u: float) -> float:
    """The derivative of the given order of the polynomial with the six coefficients `c`."""
    value = 0.0
    for k in range(5, order - 1, -1):
        factor = 1.0
        for i in range(order):
            factor *= k - i
        value = value * u + factor * c[k]
    return value


@kernel
def _turning_points(c: FloatArray, order: int, points: FloatArray, spare: FloatArray) -> int:
    """Write where the derivative of the given order may be largest or smallest within 0 … 1.

    These are both ends and the zeros of the next derivative. They are found from the highest
    derivative downwards: between two neighbouring zeros of a derivative, the derivative below it
    only rises or only falls, and so has one zero at most, which bisection finds.
    """
    points[0], points[1] = 0.0, 1.0
    count = 2
    for level in range(4, order, -1):
        found = 1
        spare[0] = 0.0
        for index in range(count - 1):
            low, high = points[index], points[index + 1]
            rising = _derivative_at(c, level, high) > 0.0
            if (_derivative_at(c, level, low) > 0.0) == rising:
                continue
            for _ in range(_BISECTIONS):
                middle = 0.5 * (low + high)
                if (_derivative_at(c, level, middle) > 0.0) == rising:
                    high = middle
                else:
                    low = middle
            spare[found] = 0.5 * (low + high)
            found += 1
        spare[found] = 1.0
        count = found + 1
        for index in range(count):
            points[index] = spare[index]
    return count


@kernel
def extremes(
    times_s: FloatArray,
    coefficients: FloatArray,
    order: int,
    points: FloatArray,
    spare: FloatArray,
    one: FloatArray,
    lowest: FloatArray,
    highest: FloatArray,
) -> None:
    """Write the exact range (dof,) of the derivative of the given order over all pieces."""
    pieces, joints = coefficients.shape[0], coefficients.shape[2]
    for joint in range(joints):
        for piece in range(pieces):
            scale = (times_s[piece + 1] - times_s[piece]) ** order
            for k in range(6):
                one[k] = coefficients[piece, k, joint]
            count = _turning_points(one, order, points, spare)
            for index in range(count):
                value = _derivative_at(one, order, points[index]) / scale
                if (piece == 0 and index == 0) or value < lowest[joint]:
                    lowest[joint] = value
                if (piece == 0 and index == 0) or value > highest[joint]:
                    highest[joint] = value
