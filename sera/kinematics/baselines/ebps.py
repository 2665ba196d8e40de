"""Example-based posture synthesis (EBPS): authored postures, interpolated over the direction.

Design overview: for each expression there is one posture for every point of a grid of directions,
authored by hand or by any solver (`from_solver`). A direction between the points takes the
posture between its four neighbours (bilinear in the angles); one beyond the grid that of the edge.
The document's set has 15 yaws from -70° to 70° and two elevations, 0° and 80°.

Units and frames: radians. Yaw turns about +Y, positive to the robot's left; elevation counts from
the horizon upwards. Yaw 0 at elevation 0 looks along +Z.
Threading: immutable.
Safety: postures given are checked against the limits, so that everything between them is within
them as well; grids with holes, unknown expressions and NaN raise ValueError.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles, nearest_of, wrapped
from sera.kinematics._arrays import FloatArray
from sera.kinematics.chain import Chain
from sera.kinematics.rotations import from_axis_angle, multiply

DOCUMENTED_YAWS_RAD: tuple[float, ...] = tuple(math.radians(yaw) for yaw in range(-70, 71, 10))
DOCUMENTED_ELEVATIONS_RAD: tuple[float, ...] = (0.0, math.radians(80.0))

Examples: TypeAlias = Mapping[tuple[float, float], ArrayLike]
"""Posture for each (yaw, elevation)."""


class PostureSolver(Protocol):
    """Anything that finds a pose for a posture and an orientation, such as `erik.Solver`."""

    def solve(self, posture_rad: ArrayLike, target_wxyz: ArrayLike, previous: Any = None) -> Any:
        """Return something that has `angles_rad`."""


def facing(yaw_rad: float, elevation_rad: float) -> FloatArray:
    """The orientation (w, x, y, z) whose +Y axis, the end's own segment, looks that way."""
    level = from_axis_angle((1.0, 0.0, 0.0), 0.5 * math.pi - elevation_rad)
    return multiply(from_axis_angle((0.0, 1.0, 0.0), yaw_rad), level)


class ExamplePostures:
    """Postures of several expressions over one grid of directions."""

    def __init__(self, chain: Chain, expressions: Mapping[str, Examples]) -> None:
        """Take postures for every (yaw, elevation) in radians, in any order."""
        if not expressions:
            raise ValueError("There are no expressions; give at least one with its postures.")
        self.chain = chain
        self._endless = chain.continuous if chain.continuous.any() else None
        self.yaws_rad, self.elevations_rad = _grid(expressions)
        self._postures = {
            name: self._table(name, examples) for name, examples in expressions.items()
        }

    @classmethod
    def from_solver(
        cls,
        chain: Chain,
        solver: PostureSolver,
        postures: Mapping[str, ArrayLike],
        yaws_rad: Sequence[float] = DOCUMENTED_YAWS_RAD,
        elevations_rad: Sequence[float] = DOCUMENTED_ELEVATIONS_RAD,
        orientation: Callable[[float, float], ArrayLike] = facing,
    ) -> ExamplePostures:
        """Author a set without an animator: one posture for each expression is enough.

        The grid is walked from its middle outwards, and each solution is handed to the next as
        `previous`, so that neighbours are of one kind and what lies between them makes sense.
        """
        yaws, elevations = list(map(float, yaws_rad)), list(map(float, elevations_rad))
        if not yaws or not elevations:
            raise ValueError("The grid is empty; give at least one yaw and one elevation.")
        middle = min(range(len(yaws)), key=lambda index: abs(yaws[index]))
        walks = (list(range(middle, len(yaws))), list(range(middle, -1, -1)))
        expressions: dict[str, dict[tuple[float, float], FloatArray]] = {}
        for name, posture in postures.items():
            authored: dict[tuple[float, float], FloatArray] = {}
            below = None
            for elevation in elevations:
                for walk in walks:
                    previous = below
                    for index in walk:
                        target = orientation(yaws[index], elevation)
                        previous = solver.solve(posture, target, previous=previous)
                        if index == middle:
                            below = previous
                        authored[yaws[index], elevation] = np.asarray(previous.angles_rad)
            expressions[name] = authored
        return cls(chain, expressions)

    def __repr__(self) -> str:
        return (
            f"<ExamplePostures of {self.chain.name!r}: {', '.join(self.expressions)} over "
            f"{len(self.yaws_rad)} yaws and {len(self.elevations_rad)} elevations>"
        )

    @property
    def expressions(self) -> tuple[str, ...]:
        """Names of all expressions."""
        return tuple(self._postures)

    def posture(self, expression: str, yaw_rad: float, elevation_rad: float) -> FloatArray:
        """The angles (dof,) for an expression that looks into a direction."""
        table = self._postures.get(expression)
        if table is None:
            raise ValueError(
                f"There is no expression {expression!r}; {nearest_of(expression, self._postures)}"
            )
        if not (math.isfinite(yaw_rad) and math.isfinite(elevation_rad)):
            raise ValueError(f"The direction ({yaw_rad}, {elevation_rad}) is none; give radians.")
        column, across = _between(self.yaws_rad, yaw_rad)
        row, upwards = _between(self.elevations_rad, elevation_rad)
        right, above = min(column + 1, len(table) - 1), min(row + 1, table.shape[1] - 1)
        low = self._blend(table[column, row], table[right, row], across)
        high = self._blend(table[column, above], table[right, above], across)
        return self.chain.clamp(self._blend(low, high, upwards))

    def _blend(self, one: FloatArray, other: FloatArray, part: float) -> FloatArray:
        """Between two postures; joints that turn without end take the shorter way."""
        if part == 0.0:
            return one
        way = other - one
        if self._endless is not None:
            way = np.where(self._endless, wrapped(way), way)
        return one + part * way

    def _table(self, name: str, examples: Examples) -> FloatArray:
        """Postures (yaws, elevations, dof) of one expression."""
        chain = self.chain
        table = np.empty((len(self.yaws_rad), len(self.elevations_rad), chain.dof))
        for column, yaw in enumerate(self.yaws_rad):
            for row, elevation in enumerate(self.elevations_rad):
                where = f"{name!r} at {_degrees(yaw, elevation)}"
                if (yaw, elevation) not in examples:
                    raise ValueError(
                        f"Expression {name!r} has no posture at {_degrees(yaw, elevation)}, where "
                        "the grid has a point; author it, or take that yaw or elevation out of "
                        "all expressions."
                    )
                angles = checked_angles(examples[yaw, elevation], chain.joint_names, where)
                within = chain.clamp(angles)
                beyond = np.flatnonzero((within != angles) & ~chain.continuous)
                if len(beyond):
                    joint = int(beyond[0])
                    raise ValueError(
                        f"Expression {where}: joint {chain.joint_names[joint]!r} is at "
                        f"{angles[joint]:.6g}, beyond its limits; the nearest angle is "
                        f"{within[joint]:.6g}."
                    )
                table[column, row] = within
        return table


def _grid(expressions: Mapping[str, Examples]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    yaws: set[float] = set()
    elevations: set[float] = set()
    for name, examples in expressions.items():
        for key in examples:
            if not (isinstance(key, tuple) and len(key) == 2 and all(map(math.isfinite, key))):
                raise ValueError(
                    f"Expression {name!r} has a posture at {key!r}; give (yaw, elevation) in rad."
                )
            yaws.add(key[0])
            elevations.add(key[1])
    if not yaws:
        raise ValueError("The expressions hold no postures; give one for each direction.")
    return tuple(sorted(yaws)), tuple(sorted(elevations))


def _between(points: Sequence[float], value: float) -> tuple[int, float]:
    """Index of the point below a value and the part of the way to the next; held at the edges."""
    below = bisect.bisect_right(points, value) - 1
    if below < 0:
        return 0, 0.0
    if below >= len(points) - 1:
        return len(points) - 1, 0.0
    return below, (value - points[below]) / (points[below + 1] - points[below])


def _degrees(yaw_rad: float, elevation_rad: float) -> str:
    return f"yaw {math.degrees(yaw_rad):g}°, elevation {math.degrees(elevation_rad):g}°"
