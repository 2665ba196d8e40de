"""What a body stands on: the polygon on the floor above which its centre of mass has to stay.

Units and frames: metres; x and z of the base frame (to the left and forwards), Y up.
Threading: immutable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sera.kinematics._arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Support:
    """The polygon on the floor above which the centre of mass has to stay."""

    corners_m: tuple[tuple[float, float], ...]
    """(x, z), in order around it; convex."""
    margin_m: float = 0.01
    time_s: float = 0.1
    """How quickly the centre of mass may be brought to rest at the margin."""

    def __post_init__(self) -> None:
        if self.time_s <= 0.0 or self.margin_m < 0.0:
            raise ValueError("A support polygon needs time_s above 0 and margin_m of 0 or more.")
        if len(self.corners_m) < 3 or not np.isfinite(np.array(self.corners_m)).all():
            raise ValueError(
                f"A support polygon has three corners or more; given were {self.corners_m!r}."
            )
        turns = [_turn(*three) for three in self._threes()]
        if not (all(turn > 1e-12 for turn in turns) or all(turn < -1e-12 for turn in turns)):
            raise ValueError(
                f"The support polygon {self.corners_m!r} is not convex, or its corners are not in "
                "order around it."
            )

    def _threes(self) -> list[tuple[tuple[float, float], ...]]:
        corners = self.corners_m
        return [(corners[i - 2], corners[i - 1], corners[i]) for i in range(len(corners))]

    @property
    def edges(self) -> FloatArray:
        """(E, 3): normal that points inwards, and its distance from the origin."""
        middle = np.mean(np.array(self.corners_m), axis=0)
        edges = []
        for i, (x, z) in enumerate(self.corners_m):
            before_x, before_z = self.corners_m[i - 1]
            along = np.array((x - before_x, z - before_z))
            normal = np.array((-along[1], along[0])) / np.linalg.norm(along)
            if normal @ (middle - (x, z)) < 0.0:
                normal = -normal
            edges.append((*normal.tolist(), float(normal @ (x, z))))
        return np.array(edges)

    def inside_m(self, x_m: float, z_m: float) -> float:
        """How far a point is inside; negative outside."""
        edges = self.edges
        return float(np.min(edges[:, :2] @ (x_m, z_m) - edges[:, 2]))

    @property
    def kernel_values(self) -> tuple[FloatArray, float, float]:
        return np.ascontiguousarray(self.edges), self.margin_m, self.time_s

    @classmethod
    def anywhere(cls) -> Support:
        """A polygon that nobody looks at."""
        return cls(((-1.0, -1.0), (1.0, -1.0), (0.0, 1.0)))

    @classmethod
    def of(cls, corners_m: Sequence[Sequence[float]], margin_m: float = 0.01) -> Support:
        """From corners as they stand in a file."""
        return cls(tuple((float(x), float(z)) for x, z in corners_m), margin_m)


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
