"""Trials of a gaze by inverse kinematics: how far it misses, with its head upright or rolling.

Units and frames: radians, directions in degrees; Y up, forward +Z; the end point looks along its
own +Z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.body import IkChain
from sera.animation.engine.aiming import Aiming
from sera.animation.newcomer._turning import angle_between_looks
from sera.kinematics.chain import Chain
from sera.kinematics.erik import Solution, Solver
from sera.kinematics.rotations import from_yaw_pitch_roll, rotate
from sera.kinematics.tree import Tree

FloatArray = NDArray[np.float64]
Directions = Sequence[tuple[int, int]]
_STEPS = 12
_STANDS = 12
"""Frames at the end of the way, in which an arm looks for another roll."""


@dataclass(frozen=True, slots=True)
class _Skeleton:
    """A body that has nothing but its kinematics."""

    tree: Tree


def tried_solver(chain: Chain, pose: FloatArray, directions_deg: Directions) -> float:
    """The largest angle between where ERIK should look, upright, and where it does."""
    solver = Solver(chain)
    worst = 0.0
    for target_deg in directions_deg:
        previous: Solution | None = None
        for step in range(_STEPS + 1):
            horizontal_rad, vertical_rad = np.radians(target_deg) * (step / _STEPS)
            target = from_yaw_pitch_roll(-horizontal_rad, -vertical_rad, 0.0)
            previous = solver.solve(pose, target, previous)
        assert previous is not None
        looks = rotate(chain.pose(previous.angles_rad).orientation_wxyz, (0.0, 0.0, 1.0))
        asked = rotate(target, (0.0, 0.0, 1.0))
        worst = max(worst, math.acos(min(1.0, float(looks @ asked))))
    return worst


def tried_rolling(tree: Tree, link: str, pose: FloatArray, directions_deg: Directions) -> float:
    """The same for a face that may roll, solved as the engine does."""
    chain = IkChain("gaze", link, symmetric=False, aims="Gazing", face="z", upright=False)
    worst = 0.0
    for target_deg in directions_deg:
        across_rad, up_rad = (math.radians(angle) for angle in target_deg)
        aiming = Aiming(_Skeleton(tree), chain)
        for step in range(_STEPS + _STANDS + 1):
            way = min(1.0, step / _STEPS)
            angles = aiming.solve(pose.tolist(), way * across_rad, way * up_rad)
        found = aiming.looks_at(dict(zip(aiming.joints, angles, strict=True)))
        worst = max(worst, angle_between_looks((across_rad, up_rad), found))
    return worst
