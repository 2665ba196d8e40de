"""Trajectories: how joints and orientations get from one place to another in time."""

from __future__ import annotations

from sera.kinematics.trajectories.minimum_jerk import MinimumJerk
from sera.kinematics.trajectories.orientations import OrientationState, Slerp, Squad
from sera.kinematics.trajectories.polynomial import (
    Peaks,
    PolynomialTrajectory,
    Samples,
    State,
)
from sera.kinematics.trajectories.splines import CubicSpline, QuinticSpline
from sera.kinematics.trajectories.time_scaling import Trajectory, within_limits

__all__ = [
    "CubicSpline",
    "MinimumJerk",
    "OrientationState",
    "Peaks",
    "PolynomialTrajectory",
    "QuinticSpline",
    "Samples",
    "Slerp",
    "Squad",
    "State",
    "Trajectory",
    "within_limits",
]
