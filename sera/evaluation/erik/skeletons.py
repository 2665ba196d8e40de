"""The seven skeletons of the published evaluation, and what it printed about them.

Figures here are quotations (Tables 6.5, 6.8 and 6.9 of the document), shown beside our own and
never used to compute them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sera.kinematics.chain import Chain

ORIENTATIONS = 7609
"""Target orientations of every posture."""
TOTAL_SAMPLES = 302_374_051
"""The sum of Table 6.8. The text's 239,245,243 is no multiple of 7609."""


@dataclass(frozen=True)
class Published:
    """One row of Table 6.8: iterations and milliseconds of a sample (on an i7-7700HQ)."""

    iterations_most: int
    iterations_mean: float
    iterations_deviation: float
    time_least_ms: float
    time_most_ms: float
    time_mean_ms: float
    time_deviation_ms: float


@dataclass(frozen=True)
class ErrorMoments:
    """One row of Table 6.9: mean and standard deviation of the three errors."""

    combined: tuple[float, float]
    orientation: tuple[float, float]
    weighted_posture: tuple[float, float]


@dataclass(frozen=True)
class Skeleton:
    """A chain of unit segments along +Y with the same limits at every joint."""

    name: str
    axes: str
    limit_rad: float
    finest_sweep: int
    """Postures are swept with 1, 2, ... up to this number of steps; see `samples`."""
    postures: int
    """How many postures the document counts."""
    published: Published | None
    """None for a chain of our own."""

    @property
    def dof(self) -> int:
        return len(self.axes)

    @property
    def samples(self) -> int:
        return self.postures * ORIENTATIONS

    def chain(self) -> Chain:
        return Chain.from_axes(self.axes, limit_rad=self.limit_rad, name=f"skeleton {self.name}")


_QUARTER = math.pi / 2

SKELETONS = {
    skeleton.name: skeleton
    for skeleton in (
        Skeleton("A", "YXY", _QUARTER, 10, 33, Published(7, 4.14, 2.17, 6, 126, 45, 28)),
        Skeleton("B", "YXZY", math.pi, 10, 377, Published(10, 3.42, 2.19, 8, 189, 45, 30)),
        Skeleton("C", "YXXZY", _QUARTER, 10, 3789, Published(12, 2.31, 2.08, 6, 1165, 37, 36)),
        Skeleton("D", "YXZXY", math.pi, 10, 3789, Published(13, 2.02, 1.67, 10, 458, 36, 30)),
        Skeleton("E", "YXZXY", _QUARTER, 10, 3789, Published(12, 1.93, 1.78, 6, 225, 28, 27)),
        Skeleton("F", "YXXZXY", _QUARTER, 7, 8305, Published(13, 1.61, 1.46, 13, 368, 35, 35)),
        Skeleton("G", "YXZXYXZY", _QUARTER, 4, 19657, Published(11, 1.35, 1.02, 22, 759, 74, 63)),
    )
}

PUBLISHED_ERRORS = {
    "ERIK": ErrorMoments((0.026614, 0.021258), (0.005819, 0.009977), (0.020795, 0.021520)),
    "DLS100": ErrorMoments((0.087067, 0.086930), (0.052744, 0.085997), (0.034323, 0.020593)),
    "DLS200": ErrorMoments((0.086973, 0.086897), (0.052652, 0.085980), (0.034321, 0.020591)),
    "DLS400": ErrorMoments((0.086831, 0.086581), (0.052523, 0.085669), (0.034308, 0.020579)),
}
"""Skeleton C only. The posture column is already weighted: 0.005819 + 0.020795 = 0.026614."""
