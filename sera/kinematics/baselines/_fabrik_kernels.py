"""FABRIK, compiled: points on lines, forth from the target and back from the root.

Units and frames: metres, any frame.
Threading: no state; the points are changed in place.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel

COINCIDENT = 1e-12
LEAST_GAIN = 1e-9
"""An iteration that gains less, as a part of the chain's length, has come to a standstill."""
SIDESTEP = 1e-3
"""How far the points of a stuck chain are moved aside, as a part of its length."""
MOST_SIDESTEPS = 8


@kernel
def place_on_line(points: FloatArray, lengths: FloatArray, fixed: int, moved: int) -> None:
    """Put one point at its segment's length from its neighbour, on the line between the two."""
    segment = lengths[min(fixed, moved)]
    total = 0.0
    for axis in range(3):
        total += (points[moved, axis] - points[fixed, axis]) ** 2
    apart = math.sqrt(total)
    if apart < COINCIDENT:
        # Two points in one place have no line between them: any direction will do.
        points[moved, 0] = points[fixed, 0]
        points[moved, 1] = points[fixed, 1] + segment
        points[moved, 2] = points[fixed, 2]
        return
    part = segment / apart
    for axis in range(3):
        points[moved, axis] = (1.0 - part) * points[fixed, axis] + part * points[moved, axis]


@kernel
def distance_to(points: FloatArray, target: FloatArray) -> float:
    last = len(points) - 1
    total = 0.0
    for axis in range(3):
        total += (points[last, axis] - target[axis]) ** 2
    return math.sqrt(total)


@kernel
def stretch(points: FloatArray, lengths: FloatArray, target: FloatArray) -> None:
    """Lay the chain straight towards a target that it cannot reach."""
    for index in range(len(lengths)):
        for axis in range(3):
            points[index + 1, axis] = target[axis]
        place_on_line(points, lengths, index, index + 1)


@kernel
def step_aside(points: FloatArray, reach: float, attempt: int) -> None:
    """Move the inner points off their line: on a straight one every step stays on the line."""
    for index in range(1, len(points) - 1):
        angle = 2.4 * (attempt + index)
        points[index, 0] += SIDESTEP * reach * math.cos(angle)
        points[index, 1] += SIDESTEP * reach * math.sin(1.7 * angle)
        points[index, 2] += SIDESTEP * reach * math.sin(angle)


@kernel
def iterate(
    points: FloatArray,
    lengths: FloatArray,
    root: FloatArray,
    target: FloatArray,
    tolerance: float,
    most: int,
) -> tuple[float, int]:
    """Alternate both phases; returns the distance that is left and the iterations."""
    last = len(points) - 1
    reach = 0.0
    for index in range(last):
        reach += lengths[index]
    left = distance_to(points, target)
    aside = 0
    for iteration in range(1, most + 1):
        if left <= tolerance:
            return left, iteration - 1
        for axis in range(3):
            points[last, axis] = target[axis]
        for index in range(last - 1, -1, -1):
            place_on_line(points, lengths, index + 1, index)
        for axis in range(3):
            points[0, axis] = root[axis]
        for index in range(last):
            place_on_line(points, lengths, index, index + 1)
        before = left
        left = distance_to(points, target)
        if left > tolerance and before - left < LEAST_GAIN * reach:
            if aside == MOST_SIDESTEPS or iteration == most:
                return left, iteration
            step_aside(points, reach, aside)
            aside += 1
            left = math.inf
    return left, most
