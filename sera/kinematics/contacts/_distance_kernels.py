"""The distance between two hulls of balls, compiled.

Design overview: a hull of balls is every ball between its points: x = Σ λ·p with the radius Σ λ·r,
λ on the simplex. The distance of two of them is the least of |x - y| - r(λ) - r(μ), which is convex
in λ and μ while the cores do not cross. It is found by moving weight from the worst point in use to
the best one, in turns, each time as far as is best (in closed form): for balls and capsules that is
exact after a few moves, for larger hulls it converges. Weights are kept from frame to frame, so
that the next look begins at the last answer; that also keeps the place of a contact still where two
hulls lie along each other.

Units and frames: metres, any one frame. Threading: no state; arrays come from the caller.
Safety: cores that cross give the direction from one centre to the other. Large hulls that are
centimetres deep in each other are known to a few per cent of their depth in one look.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

MOVES = 24
CLOSE_M = 5e-5
"""Nearer than this to the least distance nothing is gained."""
_CROSSED_M = 1e-6


@kernel
def hull_distance(
    points_m: FloatArray,
    radii_m: FloatArray,
    weights: FloatArray,
    first: tuple[int, int],
    second: tuple[int, int],
    cap: float,
    witness: FloatArray,
) -> float:
    """The distance of the hulls of two rows of points; beyond `cap`, a bound below it.

    `weights` begin with those of the first hull's points, then those of the second's. `witness`
    (9,) takes the core points nearest to each other and the unit vector from second to first.
    """
    a, b = first[0], second[0]
    count_a, count_b = first[1] - a, second[1] - b
    x, y, z, radius = 0.0, 0.0, 0.0, 0.0
    for i in range(count_a):
        share = weights[i]
        x += share * points_m[a + i, 0]
        y += share * points_m[a + i, 1]
        z += share * points_m[a + i, 2]
        radius += share * radii_m[a + i]
    for i in range(count_b):
        share = weights[count_a + i]
        x -= share * points_m[b + i, 0]
        y -= share * points_m[b + i, 1]
        z -= share * points_m[b + i, 2]
        radius += share * radii_m[b + i]
    nx, ny, nz, size, gap = 0.0, 1.0, 0.0, 0.0, 0.0
    for _move in range(MOVES):
        size = math.sqrt(x * x + y * y + z * z)
        if size < _CROSSED_M:
            break
        nx, ny, nz = x / size, y / size, z / size
        best_a, worst_a, gap_a = _ends(points_m, radii_m, weights, first, 0, (nx, ny, nz))
        back = (-nx, -ny, -nz)
        best_b, worst_b, gap_b = _ends(points_m, radii_m, weights, second, count_a, back)
        gap = gap_a + gap_b
        # The least distance is never below this bound.
        if gap <= CLOSE_M or size - radius - gap > cap:
            break
        i, j, at, sign = a + best_a, a + worst_a, 0, 1.0
        best, worst = best_a, worst_a
        if gap_b > gap_a:
            i, j, at, sign = b + best_b, b + worst_b, count_a, -1.0
            best, worst = best_b, worst_b
        dx = sign * (points_m[i, 0] - points_m[j, 0])
        dy = sign * (points_m[i, 1] - points_m[j, 1])
        dz = sign * (points_m[i, 2] - points_m[j, 2])
        grown = radii_m[i] - radii_m[j]
        step = _best_step(x, y, z, dx, dy, dz, grown, weights[at + worst])
        weights[at + best] += step
        weights[at + worst] = max(0.0, weights[at + worst] - step)
        x, y, z = x + step * dx, y + step * dy, z + step * dz
        radius += step * grown
    for k in range(6):
        witness[k] = 0.0
    for i in range(count_a):
        for k in range(3):
            witness[k] += weights[i] * points_m[a + i, k]
    for i in range(count_b):
        for k in range(3):
            witness[3 + k] += weights[count_a + i] * points_m[b + i, k]
    size = math.sqrt(x * x + y * y + z * z)
    if size < _CROSSED_M:
        nx, ny, nz = _between_centres(points_m, first, second)
    else:
        nx, ny, nz = x / size, y / size, z / size
    witness[6], witness[7], witness[8] = nx, ny, nz
    distance = size - radius
    return distance - gap if distance - gap > cap else distance


@kernel
def _ends(
    points_m: FloatArray,
    radii_m: FloatArray,
    weights: FloatArray,
    hull: tuple[int, int],
    at: int,
    normal: tuple[float, float, float],
) -> tuple[int, int, float]:
    """The point that reaches farthest against `normal`, the worst in use, and what is between."""
    best, worst = 0, 0
    least, most = math.inf, -math.inf
    for i in range(hull[1] - hull[0]):
        point = hull[0] + i
        slope = (
            points_m[point, 0] * normal[0]
            + points_m[point, 1] * normal[1]
            + points_m[point, 2] * normal[2]
            - radii_m[point]
        )
        if slope < least:
            best, least = i, slope
        if weights[at + i] > 0.0 and slope > most:
            worst, most = i, slope
    return best, worst, most - least


@kernel
def _best_step(
    x: float, y: float, z: float, dx: float, dy: float, dz: float, grown: float, most: float
) -> float:
    """How far to go from x along d, at most `most`, for the least |x + t·d| - t·grown."""
    dd = dx * dx + dy * dy + dz * dz
    xd = x * dx + y * dy + z * dz
    xx = x * x + y * y + z * z
    room = dd - grown * grown
    if room <= 1e-12 * dd or dd <= 0.0:  # one ball lies in the other: the larger one counts
        return most
    beside = max(xx * dd - xd * xd, 0.0)
    return min(max((grown * math.sqrt(beside / room) - xd) / dd, 0.0), most)


@kernel
def _between_centres(
    points_m: FloatArray, first: tuple[int, int], second: tuple[int, int]
) -> tuple[float, float, float]:
    x, y, z = 0.0, 0.0, 0.0
    for i in range(first[0], first[1]):
        share = 1.0 / (first[1] - first[0])
        x += share * points_m[i, 0]
        y += share * points_m[i, 1]
        z += share * points_m[i, 2]
    for i in range(second[0], second[1]):
        share = 1.0 / (second[1] - second[0])
        x -= share * points_m[i, 0]
        y -= share * points_m[i, 1]
        z -= share * points_m[i, 2]
    size = math.sqrt(x * x + y * y + z * z)
    if size < _CROSSED_M:
        return 0.0, 1.0, 0.0
    return x / size, y / size, z / size
