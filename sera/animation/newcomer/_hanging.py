"""Arms of an unknown robot hang in its neutral pose, above the floor.

Design overview: one joint of the shoulder lets the arm hang. Where the hand would then go through
the floor, as the long arms of robots on wheels do, the elbow bends as well: poses of the two joints
are tried, and the calmest that stays above the floor is taken.

Units and frames: radians, metres; Y up, forward +Z. The floor is as low as anything but the arm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sera.animation.newcomer._parts import Limb
from sera.kinematics.tree import Tree

FloatArray = NDArray[np.float64]
_LEVEL = 0.5
"""A joint whose axis is no steeper than this lets the arm hang."""
_LEVER_M = 0.02
"""A joint nearer than this to the line of its arm turns it about itself."""
_FINE_STEPS, _COARSE_STEPS = 73, 31
_INSIDE_RAD = math.radians(5.0)
_ABOVE_FLOOR = 0.2
"""Share of the arm's length that its joints stay above the floor: a hand has fingers."""
_ELBOW = (0.3, 0.8)
"""Share of the arm that is beyond an elbow."""


def hanging(tree: Tree, arm: Limb, angles: FloatArray) -> FloatArray:
    """The same pose with one arm hung down, by its shoulder alone where that is enough."""
    jacobian = tree.jacobian(angles, arm.link)
    shoulder = next((name for name in arm.joints if _hangs(tree, jacobian, name)), None)
    if shoulder is None:
        return angles
    heights = tree.forward(angles).positions_m[:, 1]
    others = [
        h for name, h in zip(tree.frame_names, heights, strict=True) if name not in arm.joints
    ]
    length_m = _length_m(tree, arm, angles)
    floor_m = min(0.0, *others) + _ABOVE_FLOOR * length_m
    best, lowest_m = angles, float(tree.pose(angles, arm.link).position_m[1]) - 1e-3
    for trial in _turned(tree, shoulder, angles, _FINE_STEPS):
        height_m = float(tree.pose(trial, arm.link).position_m[1])
        if height_m < lowest_m - 1e-6:
            best, lowest_m = trial, height_m
    if _points(tree, arm, best)[:, 1].min() >= floor_m:
        return best
    elbow = _elbow(tree, arm, best, shoulder)
    trials = _turned(tree, shoulder, angles, _COARSE_STEPS)
    if elbow is not None:
        trials = [bent for pose in trials for bent in _turned(tree, elbow, pose, _COARSE_STEPS)]
    return min([angles, *trials], key=lambda pose: _restless(tree, arm, pose, floor_m, length_m))


def _hangs(tree: Tree, jacobian: FloatArray, name: str) -> bool:
    """Whether it turns about a level axis, and not about the arm itself: a yaw hangs nothing."""
    moves, axis = jacobian[:3, tree.index(name)], jacobian[3:, tree.index(name)]
    if float(axis @ axis) < 0.5 or abs(float(axis[1])) > _LEVEL:
        return False
    return float(np.linalg.norm(moves)) > _LEVER_M


def _elbow(tree: Tree, arm: Limb, angles: FloatArray, shoulder: str) -> str | None:
    jacobian = tree.jacobian(angles, arm.link)
    beyond = arm.joints[arm.joints.index(shoulder) + 1 :]
    whole_m = max(_length_m(tree, arm, angles), 1e-6)
    for name in beyond:
        lever_m = float(np.linalg.norm(jacobian[:3, tree.index(name)]))
        if _ELBOW[0] < lever_m / whole_m < _ELBOW[1] and _hangs(tree, jacobian, name):
            return name
    return None


def _turned(tree: Tree, name: str, angles: FloatArray, steps: int) -> list[FloatArray]:
    """The pose with one joint at whole degrees over its range."""
    place = tree.index(name)
    lower, upper = float(tree.lower_rad[place]), float(tree.upper_rad[place])
    inside = min(_INSIDE_RAD, 0.25 * (upper - lower))
    found = []
    for angle in np.linspace(lower + inside, upper - inside, steps):
        trial = angles.copy()
        trial[place] = min(max(math.radians(round(math.degrees(angle))), lower), upper)
        found.append(trial)
    return found


def _points(tree: Tree, arm: Limb, angles: FloatArray) -> FloatArray:
    """Where the arm's joints and its hand are."""
    placed = dict(zip(tree.frame_names, tree.forward(angles).positions_m, strict=True))
    hand = tree.pose(angles, arm.link).position_m
    return np.array([*(placed[name] for name in arm.joints), hand])


def _length_m(tree: Tree, arm: Limb, angles: FloatArray) -> float:
    points = _points(tree, arm, angles)
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _restless(tree: Tree, arm: Limb, angles: FloatArray, floor_m: float, length_m: float) -> float:
    """How far an arm is from hanging calmly: low and close, above the floor, the hand in front."""
    points = (_points(tree, arm, angles) - (0.0, floor_m, 0.0)) / max(length_m, 1e-6)
    below = float(np.clip(-points[:, 1], 0.0, None).sum())
    away = np.linalg.norm(points[:, [0, 2]] - points[0, [0, 2]], axis=1)
    behind = max(0.0, float(points[0, 2] - points[-1, 2]))
    return float(points[:, 1].mean()) + float(away.mean()) + 20.0 * below + 2.0 * behind
