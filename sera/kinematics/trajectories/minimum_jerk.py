"""Minimum-jerk movements: the smoothest way between two states.

Among all movements with given position, velocity and acceleration at both ends, the polynomial of
degree five has the least squared jerk over time. From rest to rest over a time T it is
`start + (end - start) * (10 k³ - 15 k⁴ + 6 k⁵)` with k = t / T, and its peaks are 1.875 of the
change over T in velocity, 10 / √3 ≈ 5.7735 over T² in acceleration, and 60 over T³ in jerk.

Units and frames: seconds; joints in radians or metres.
Threading: immutable.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._arrays import FloatArray
from sera.kinematics.trajectories._checks import (
    checked_duration,
    checked_knots,
    checked_row,
    checked_times,
    finite,
)
from sera.kinematics.trajectories.polynomial import PolynomialTrajectory, quintic_pieces

PEAK_VELOCITY = 1.875
PEAK_ACCELERATION = 10.0 / math.sqrt(3.0)
PEAK_JERK = 60.0


class MinimumJerk(PolynomialTrajectory):
    """One movement between two states, or several with a rest at every knot (`through`)."""

    def __init__(
        self,
        start: ArrayLike,
        end: ArrayLike,
        duration_s: float,
        *,
        start_velocity: ArrayLike | None = None,
        end_velocity: ArrayLike | None = None,
        start_acceleration: ArrayLike | None = None,
        end_acceleration: ArrayLike | None = None,
    ) -> None:
        """Move from `start` to `end` in `duration_s`; velocities and accelerations are nought
        unless given.
        """
        duration = checked_duration(duration_s)
        first, last = _ends(start, end)
        position = np.stack([first, last])
        velocity = np.stack(
            [
                checked_row(start_velocity, first, "start velocity"),
                checked_row(end_velocity, first, "end velocity"),
            ]
        )
        acceleration = np.stack(
            [
                checked_row(start_acceleration, first, "start acceleration"),
                checked_row(end_acceleration, first, "end acceleration"),
            ]
        )
        times = np.array([0.0, duration])
        super().__init__(
            times,
            quintic_pieces(times, position, velocity, acceleration),
            np.stack([last, velocity[1], acceleration[1]]),
        )

    @classmethod
    def through(cls, times_s: ArrayLike, knots: ArrayLike) -> PolynomialTrajectory:
        """Rest at every knot and move between them: velocity and acceleration join smoothly."""
        times = checked_times(times_s)
        position = checked_knots(knots, len(times))
        still = np.zeros_like(position)
        final = np.stack([position[-1], still[-1], still[-1]])
        return PolynomialTrajectory(times, quintic_pieces(times, position, still, still), final)

    @classmethod
    def shortest(
        cls,
        start: ArrayLike,
        end: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike | None = None,
        jerk: ArrayLike | None = None,
    ) -> MinimumJerk:
        """The quickest movement from rest to rest whose every joint keeps within the limits."""
        first, last = _ends(start, end)
        change = np.abs(last - first)
        duration = 0.0
        for limit, peak, power, what in (
            (velocity, PEAK_VELOCITY, 1.0, "velocity limit"),
            (acceleration, PEAK_ACCELERATION, 2.0, "acceleration limit"),
            (jerk, PEAK_JERK, 3.0, "jerk limit"),
        ):
            if limit is not None:
                needed = (peak * change / checked_limit(limit, first, what)) ** (1.0 / power)
                duration = max(duration, float(np.max(needed)))
        if duration == 0.0:
            raise ValueError("Start and end are the same place; there is nothing to move.")
        # A trifle longer, so that rounding does not lift a peak above its limit.
        return cls(first, last, duration * (1.0 + 1e-12))


def checked_limit(limit: ArrayLike, like: FloatArray, what: str) -> FloatArray:
    """Limits above nought, one for each joint; infinite where there is none."""
    array = np.array(limit, dtype=np.float64)
    if np.any(np.isnan(array)) or np.any(array <= 0.0):
        raise ValueError(f"The {what} is {limit!r}; limits are above nought.")
    if array.ndim and array.shape != like.shape:
        raise ValueError(
            f"The {what} has the shape {array.shape}; give one number, or one for each joint: "
            f"{like.shape}."
        )
    return np.array(np.broadcast_to(array, like.shape))


def _ends(start: ArrayLike, end: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first = np.atleast_1d(finite(start, "start"))
    last = np.atleast_1d(finite(end, "end"))
    if first.ndim != 1 or first.shape != last.shape or not first.size:
        raise ValueError(
            f"Start and end need the same joints; their shapes are {first.shape} and {last.shape}."
        )
    return first, last
