"""Baselines: the methods that ERIK and the general solver are measured against."""

from sera.kinematics.baselines.ccd import CcdAim, CcdReach, aim_ccd, reach_ccd
from sera.kinematics.baselines.ebps import (
    DOCUMENTED_ELEVATIONS_RAD,
    DOCUMENTED_YAWS_RAD,
    ExamplePostures,
    PostureSolver,
    facing,
)
from sera.kinematics.baselines.fabrik import FabrikSolution, fabrik
from sera.kinematics.baselines.priority_dls import PriorityDls

__all__ = [
    "DOCUMENTED_ELEVATIONS_RAD",
    "DOCUMENTED_YAWS_RAD",
    "CcdAim",
    "CcdReach",
    "ExamplePostures",
    "FabrikSolution",
    "PostureSolver",
    "PriorityDls",
    "aim_ccd",
    "fabrik",
    "facing",
    "reach_ccd",
]
