"""A hand is sent behind its own arm, before a camera: with and without the visibility task.

The platform with an arm stands before a camera; the hand goes around it, from beside to behind.
Levels: the hand's pose; below it, where asked for, the elbow out of the way of the hand's image.

Units and frames: metres and seconds; y up; distances in the image at one metre from the camera.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.evaluation.emotion.platform_arm import platform_arm
from sera.kinematics import rotations
from sera.kinematics._arrays import FloatArray
from sera.kinematics.pose import Pose
from sera.kinematics.priority import PoseTask, PriorityController, RowsTask, Task
from sera.kinematics.visibility import Visibility

CAMERA = Pose(np.array([0.0, 1.3, 3.0]), np.array([0.0, 0.0, 1.0, 0.0]))
"""Before the robot at the height of its arm, looking back along -z."""

_BESIDE_RAD = np.array([0.0, 0.0, 0.0, math.pi / 2, 0.3, 0.0, 1.5, 0.0, 0.6, 0.0])
_SWEEP_RAD = 1.5
"""Almost a quarter of a turn: the hand ends a little beside the middle."""


class SightRun(NamedTuple):
    """What the camera saw and what the hand did."""

    least_distance: float
    """Between the images of the hand and of the nearest link."""
    last_distance: float
    mean_hand_error_m: float
    most_share: float
    """How much the links were in the way at most, 0-1."""


def send_behind(
    *, visible: bool, duration_s: float = 4.0, dt_s: float = 0.01, settle_s: float = 2.0
) -> SightRun:
    """Send the hand behind the arm within a time, and wait."""
    tree = platform_arm()
    levels: list[list[Task]] = [[PoseTask(name="hand", end_point="hand")]]
    if visible:
        levels.append([RowsTask(name="sight", count=2)])
    controller = PriorityController(tree, levels)
    controller.start_from(_BESIDE_RAD)
    sight = Visibility(tree, ("foot", "shoulder", "elbow"), "hand")
    begin = tree.pose(_BESIDE_RAD, "hand")
    distances, errors, share = [], [], 0.0
    for step in range(round((duration_s + settle_s) / dt_s)):
        place_m, turn_wxyz, spin = _around(begin, step * dt_s / duration_s)
        spin_rad_s = spin / duration_s
        controller["hand"].set(
            place_m, turn_wxyz, velocity_m_s=np.cross(spin_rad_s, place_m), spin_rad_s=spin_rad_s
        )
        view = sight.view(controller.angles_rad, CAMERA)
        if visible:
            controller["sight"].set_rows(view.jacobian, view.velocities)
            controller["sight"].activation = view.share
        controller.step(dt_s)
        errors.append(controller["hand"].state.distance_m)
        distances.append(float(view.distances.min()))
        share = max(share, view.share)
    return SightRun(min(distances), distances[-1], math.fsum(errors) / len(errors), share)


def _around(begin: Pose, way: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Place, orientation and spin at a share of the way around the robot, smooth at both ends."""
    way = min(max(way, 0.0), 1.0)
    part, rate = way**3 * (10 - 15 * way + 6 * way**2), 30 * way**2 * (1 - way) ** 2
    turned = rotations.from_axis_angle((0.0, 1.0, 0.0), part * _SWEEP_RAD)
    return (
        rotations.rotate(turned, begin.position_m),
        rotations.multiply(turned, begin.orientation_wxyz),
        np.array([0.0, rate * _SWEEP_RAD, 0.0]),
    )
