"""Aiming: the second stage, which turns a gaze and a posture into joint angles of one chain.

Design overview: the layers give every joint of the chain a value, which is the posture; the gaze
channels give a direction. ERIK holds the posture and turns the end point into that direction,
near the pose of the frame before. A change of branch is counted and left to the motion filter.

Units and frames: radians; horizontal to the right and vertical upwards, in the frame of the body's
base, which faces +Z with Y up.
Threading: one owner.
Safety: angles are within the joints' limits; a direction that is not finite keeps the last one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body, IkChain
from sera.kinematics.erik import Solution, Solver
from sera.kinematics.rotations import rotate

FloatArray = NDArray[np.float64]
_FACES = {"y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def facing(horizontal_rad: float, vertical_rad: float, face: Literal["y", "z"]) -> FloatArray:
    """The orientation of an end point whose face looks there, with its head upright."""
    pitch_rad = -vertical_rad if face == "z" else 0.5 * math.pi - vertical_rad
    half_yaw, half_pitch = -0.5 * horizontal_rad, 0.5 * pitch_rad
    cos_yaw, sin_yaw = math.cos(half_yaw), math.sin(half_yaw)
    cos_pitch, sin_pitch = math.cos(half_pitch), math.sin(half_pitch)
    # A pitch about +X first, then a yaw about +Y.
    return np.array(
        [cos_yaw * cos_pitch, cos_yaw * sin_pitch, sin_yaw * cos_pitch, -sin_yaw * sin_pitch]
    )


class Aiming:
    """One chain of a body that aims."""

    def __init__(self, body: Body, chain: IkChain) -> None:
        """Prepare the solver; the chain's joints are those from the base to the end point."""
        self.chain = chain
        kinematics = body.tree.chain(chain.end_point)
        self.joints: tuple[str, ...] = kinematics.joint_names
        self._kinematics = kinematics
        self._solver = Solver(kinematics, symmetric_endpoint=chain.symmetric)
        self._previous: Solution | None = None
        self._direction = (0.0, 0.0)
        self.switches = 0

    def aim(
        self, posture_rad: Mapping[str, float], horizontal_rad: float, vertical_rad: float
    ) -> dict[str, float]:
        """Angles of the chain's joints for a posture and a direction."""
        if math.isfinite(horizontal_rad) and math.isfinite(vertical_rad):
            self._direction = (horizontal_rad, vertical_rad)
        target = facing(*self._direction, self.chain.face)
        posture = [posture_rad[name] for name in self.joints]
        solution = self._solver.solve(posture, target, self._previous)
        self._previous = solution
        self.switches += solution.switched
        return dict(zip(self.joints, solution.angles_rad.tolist(), strict=True))

    def start_from(self, angles_rad: Mapping[str, float]) -> None:
        """Begin at the pose that a robot has, so that the first frame makes no jump."""
        angles = [angles_rad[name] for name in self.joints]
        reached = self._kinematics.pose(angles).orientation_wxyz
        self._previous = self._solver.solve(angles, reached, angles)

    def looks_at(self, angles_rad: Mapping[str, float]) -> tuple[float, float]:
        """Where the face looks in a pose: horizontal to the right, vertical upwards."""
        angles = [angles_rad[name] for name in self.joints]
        orientation = self._kinematics.pose(angles).orientation_wxyz
        x, y, z = rotate(orientation, _FACES[self.chain.face]).tolist()
        return math.atan2(-x, z), math.asin(min(1.0, max(-1.0, y)))
