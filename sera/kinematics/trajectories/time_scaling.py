"""Stretch a trajectory in time until it keeps within limits.

Design overview: the same path takes longer, everywhere by the same factor f. Velocities shrink by
f, accelerations by f² and jerks by f³, so that the factor follows at once from the largest values
over the whole trajectory, which polynomials know exactly: the limits hold between samples too.
Velocities at the ends shrink as well; a movement that has to keep them needs another duration
instead (`MinimumJerk`).

A limit on a derivative is refused where the derivative below it jumps at a knot: no duration would
help.

Units and frames: limits in radians or metres a second (squared, cubed), one for all joints or one
for each; for an orientation they are for the length of its angular velocity.
"""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics.trajectories.minimum_jerk import checked_limit
from sera.kinematics.trajectories.polynomial import Peaks

_MARGIN = 1e-9
"""How much longer than needed, so that rounding never lifts a value above its limit."""


class Trajectory(Protocol):
    """What can be stretched."""

    @property
    def duration_s(self) -> float: ...

    @property
    def smoothness(self) -> int: ...

    def peaks(self) -> Peaks: ...

    def stretched(self, factor: float) -> Self: ...


T = TypeVar("T", bound=Trajectory)

_JUMPING = ("the velocity jumps at its knots", "the acceleration jumps at its knots")


def within_limits(
    trajectory: T,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
    *,
    speed_up: bool = False,
) -> T:
    """The trajectory itself, or one as much longer as its limits need.

    With `speed_up` a trajectory that stays below its limits is shortened until it meets one.
    """
    peaks = trajectory.peaks()
    factor = 0.0
    for order, (limit, peak, what) in enumerate(
        zip((velocity, acceleration, jerk), peaks, Peaks._fields, strict=True), start=1
    ):
        if limit is None:
            continue
        checked = checked_limit(limit, peak, f"{what} limit")
        if order - 1 > trajectory.smoothness:
            raise ValueError(
                f"A limit on the {what} cannot be kept: {_JUMPING[trajectory.smoothness]}; use a "
                "smoother trajectory."
            )
        factor = max(factor, float(np.max(peak / checked)) ** (1.0 / order))
    if factor <= 0.0 or (factor <= 1.0 and not speed_up):
        return trajectory
    return trajectory.stretched(factor * (1.0 + _MARGIN))
