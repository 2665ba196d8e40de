"""Regions that a point may move in: boxes and balls. Both are convex, which the guard relies on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._filter_kernels import edge_share

# Kinds of region, with their rows in a table: lower and upper corner; centre and radius.
EVERYWHERE, BOX, BALL = range(3)
FIRST, SECOND = range(2)


def _vector(values: Sequence[float] | FloatArray, axes: int, what: str) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (axes,) or bool(np.isnan(array).any()):
        raise ValueError(f"{what} is {values!r}: give {axes} numbers, one for each coordinate")
    return array


@dataclass(frozen=True, eq=False)
class Box:
    """All points between two corners; a coordinate may be open (infinite) at either end."""

    lower: Sequence[float] | FloatArray
    upper: Sequence[float] | FloatArray

    def table(self, axes: int) -> tuple[int, FloatArray]:
        """Kind and numbers of this region for the kernels, checked."""
        lower = _vector(self.lower, axes, "the lower corner of the box")
        upper = _vector(self.upper, axes, "the upper corner of the box")
        if bool(np.any((lower > upper) | (lower == math.inf) | (upper == -math.inf))):
            raise ValueError(
                f"the box from {lower.tolist()} to {upper.tolist()} is empty: each coordinate of "
                "the lower corner must be at most that of the upper one"
            )
        return BOX, np.array([lower, upper])


@dataclass(frozen=True, eq=False)
class Ball:
    """All points within `radius` of `centre`: a disc in the plane."""

    centre: Sequence[float] | FloatArray
    radius: float

    def table(self, axes: int) -> tuple[int, FloatArray]:
        """Kind and numbers of this region for the kernels, checked."""
        centre = _vector(self.centre, axes, "the centre of the ball")
        if not (bool(np.isfinite(centre).all()) and 0.0 <= self.radius < math.inf):
            raise ValueError(
                f"the ball at {centre.tolist()} with radius {self.radius:g} is none: both must be "
                "finite and the radius not below zero"
            )
        return BALL, np.array([centre, np.full(axes, self.radius)])


@kernel
def _from_centre(point: FloatArray, region: FloatArray) -> float:
    total = 0.0
    for axis in range(point.shape[0]):
        total += (point[axis] - region[FIRST, axis]) ** 2
    return math.sqrt(total)


@kernel
def inside(point: FloatArray, kind: int, region: FloatArray) -> bool:
    """Whether the region holds `point`."""
    if kind == BOX:
        for axis in range(point.shape[0]):
            if not region[FIRST, axis] <= point[axis] <= region[SECOND, axis]:
                return False
    elif kind == BALL:
        return _from_centre(point, region) <= region[SECOND, 0]
    return True


@kernel
def pull_inside(point: FloatArray, kind: int, region: FloatArray) -> None:
    """Move `point` to the nearest one that the region holds."""
    if kind == BOX:
        for axis in range(point.shape[0]):
            point[axis] = min(max(point[axis], region[FIRST, axis]), region[SECOND, axis])
    elif kind == BALL:
        distance = _from_centre(point, region)
        if distance > region[SECOND, 0]:
            share = region[SECOND, 0] / distance * (1.0 - 1e-15)  # rounding must not undo it
            for axis in range(point.shape[0]):
                point[axis] = region[FIRST, axis] + (point[axis] - region[FIRST, axis]) * share


@kernel
def saturate(
    velocity: FloatArray, position: FloatArray, kind: int, region: FloatArray, exponent: float
) -> None:
    """Slow down what leads towards the edge: each coordinate in a box, the radial one in a ball."""
    if kind == BOX:
        for axis in range(velocity.shape[0]):
            lower, upper = region[FIRST, axis], region[SECOND, axis]
            half_width = 0.5 * upper - 0.5 * lower
            if half_width < math.inf:
                outward = position[axis] - (0.5 * lower + 0.5 * upper)
                if outward * velocity[axis] > 0.0:
                    velocity[axis] *= edge_share(abs(outward), half_width, exponent)
    elif kind == BALL:
        along = 0.0
        for axis in range(velocity.shape[0]):
            along += (position[axis] - region[FIRST, axis]) * velocity[axis]
        if along > 0.0:
            distance = _from_centre(position, region)
            loss = 1.0 - edge_share(distance, region[SECOND, 0], exponent)
            for axis in range(velocity.shape[0]):
                outward = (position[axis] - region[FIRST, axis]) / distance
                velocity[axis] -= loss * (along / distance) * outward
