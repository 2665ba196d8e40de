"""How far poses of an arm are from what a neutral one should be, compiled.

Thousands of poses are weighed for one body. See `_neutral` for what is wished for.

Units and frames: radians (metres for joints that slide), metres; Y up, forward +Z.
Threading: no state.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import chain_jacobian, chain_points
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import cross, rotate

ROOM_RAD = math.radians(40.0)


@kernel
def weigh_poses(
    kinds: IntArray,
    axes: FloatArray,
    segments_m: FloatArray,
    root_m: FloatArray,
    tip_wxyz: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    turns: NDArray[np.bool_],
    reach_m: float,
    face: FloatArray,
    poses: FloatArray,
    costs: FloatArray,
) -> None:
    """Write the costs (n,) of poses (n, dof)."""
    dof = poses.shape[1]
    place, orientation = np.empty(3), np.empty(4)
    jacobian, points = np.empty((6, dof)), np.empty((dof + 1, 3))
    for number in range(len(poses)):
        pose = poses[number]
        chain_jacobian(
            kinds, axes, segments_m, root_m, tip_wxyz, pose, place, orientation, jacobian
        )
        chain_points(kinds, axes, segments_m, root_m, tip_wxyz, pose, points)
        looks = rotate(
            (orientation[0], orientation[1], orientation[2], orientation[3]),
            (face[0], face[1], face[2]),
        )
        costs[number] = (
            40.0 * (1.0 - looks[2])
            + _of_places(place, points, reach_m)
            + _of_room(pose, lower, upper, turns)
            + _of_turning(jacobian, looks)
        )


@kernel
def _of_places(place: FloatArray, points: FloatArray, reach_m: float) -> float:
    x = (place[0] - points[0, 0]) / reach_m
    y = (place[1] - points[0, 1]) / reach_m
    z = (place[2] - points[0, 2]) / reach_m
    cost = (y - 0.5) ** 2 + (z - 0.3) ** 2 + 2.0 * x * x
    for point in points:
        aside = (point[0] - points[0, 0]) / reach_m
        below = (points[0, 1] - point[1]) / reach_m - 0.05
        behind = (points[0, 2] - point[2]) / reach_m - 0.1
        cost += 6.0 * aside * aside / len(points) + 4.0 * max(below, 0.0)
        # An elbow far behind the base looks as if the robot shrank back, and hits the wall.
        cost += 6.0 * max(behind, 0.0)
    return cost


@kernel
def _of_room(
    pose: FloatArray, lower: FloatArray, upper: FloatArray, turns: NDArray[np.bool_]
) -> float:
    """Room on both sides, as a share of the range and in degrees."""
    cost = 0.0
    for joint in range(len(pose)):
        half = 0.5 * (upper[joint] - lower[joint])
        room = min(pose[joint] - lower[joint], upper[joint] - pose[joint])
        cost += 0.3 * (1.0 - room / half) ** 2 / len(pose)
        short = max(1.0 - room / min(ROOM_RAD, 0.8 * half), 0.0)
        cost += 0.5 * (short if turns[joint] else 0.2 * short) ** 2
        if turns[joint]:
            cost += 0.15 * (pose[joint] / math.pi) ** 2
    return cost


@kernel
def _of_turning(jacobian: FloatArray, looks: tuple[float, float, float]) -> float:
    """How well the look can be turned, and whether single joints do it alone."""
    pitches, yaws = 0.0, 0.0
    xx, xy, yy = 0.0, 0.0, 0.0
    for joint in range(jacobian.shape[1]):
        axis = (jacobian[3, joint], jacobian[4, joint], jacobian[5, joint])
        # One joint each that alone looks sideways, and up and down, makes clear rules.
        pitches, yaws = max(pitches, abs(axis[0])), max(yaws, abs(axis[1]))
        moved = cross(axis, looks)
        xx += moved[0] * moved[0]
        xy += moved[0] * moved[1]
        yy += moved[1] * moved[1]
    # The weaker of two directions: the smaller singular value of how the joints move the look.
    smaller = 0.5 * (xx + yy) - math.hypot(0.5 * (xx - yy), xy)
    weaker = math.sqrt(max(smaller, 0.0)) if jacobian.shape[1] > 1 else 0.0
    return 2.0 - pitches - yaws + 1.5 * max(0.0, 0.8 - weaker) ** 2
