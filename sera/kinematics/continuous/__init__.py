"""The continuous inverse: tasks are switched on and off without a jump.

See `inverse` for what it is, `hierarchy` for levels of tasks, `activation` for the shapes by which
something is switched, `limits` for the level that keeps joints from their ends.
"""

from __future__ import annotations

from sera.kinematics.continuous.activation import error_gate, fall, limit_activation, ramp, rise
from sera.kinematics.continuous.hierarchy import ContinuousHierarchy
from sera.kinematics.continuous.inverse import (
    ContinuousInverse,
    continuous_inverse,
    right_continuous_inverse,
)
from sera.kinematics.continuous.levels import (
    Gate,
    Level,
    LevelReport,
    Recursion,
    Watch,
    clamp_error,
)
from sera.kinematics.continuous.limits import JointLimits

__all__ = [
    "ContinuousHierarchy",
    "ContinuousInverse",
    "Gate",
    "JointLimits",
    "Level",
    "LevelReport",
    "Recursion",
    "Watch",
    "clamp_error",
    "continuous_inverse",
    "error_gate",
    "fall",
    "limit_activation",
    "ramp",
    "right_continuous_inverse",
    "rise",
]
