"""Arms, trunk, hands, eyes and lids of an unknown robot: neutral angles and enslaving rules.

Design overview: what a joint of an arm is for is read off its axis and the way from it to the
hand, in a pose with hanging arms: about the way itself it twists; about the robot's left it raises;
otherwise, where the hand goes outwards, it opens. Beyond the middle of the arm it bends.

Units and frames: radians; Y up, forward +Z, the robot's left is +X.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.enslaving import Curve, Rule, Weights
from sera.animation.newcomer._parts import Limb, Parts
from sera.animation.newcomer._turning import weights_of
from sera.kinematics._urdf_read import UrdfJoint
from sera.kinematics.tree import Tree

FloatArray = NDArray[np.float64]
_TWISTS = 0.8
_RAISES = 0.7
_FOREARM = 0.7
"""A joint with less than this share of the arm beyond it belongs to the elbow or the wrist."""


def arm_rules(tree: Tree, side: str, arm: Limb, angles: FloatArray) -> dict[str, Rule]:
    """Rules of `Arms.Left…` or `Arms.Right…`."""
    jacobian = tree.jacobian(angles, arm.link)
    hand = tree.pose(angles, arm.link).position_m
    frames = tree.forward(angles)
    places = dict(zip(tree.frame_names, frames.positions_m, strict=True))
    whole_m = max(float(np.linalg.norm(hand - places[arm.joints[0]])), 1e-6)
    outwards = 1.0 if side == "Left" else -1.0
    signs: dict[str, tuple[str, float]] = {}
    before = hand - places[arm.joints[0]]
    for name in arm.joints:
        axis = jacobian[3:, tree.index(name)]
        if float(axis @ axis) < 0.5:
            continue  # it slides
        way = hand - places[name]
        length_m = float(np.linalg.norm(way))
        # At the wrist nothing is left of the way: that before it says where the forearm points.
        along = way / length_m if length_m > 0.05 * whole_m else before / np.linalg.norm(before)
        before = along
        twist = float(axis @ along)
        moved = np.cross(axis, along)
        far = length_m < _FOREARM * whole_m
        if abs(twist) > _TWISTS:
            role, sign = ("Wrist" if "Bend" in signs else "Turn"), outwards * twist
        elif far and "Bend" not in signs:
            role, sign = "Bend", _bend_sign(tree, name, angles, float(axis[0]))
        elif far:
            continue
        elif abs(float(axis[0])) > _RAISES:
            role, sign = "Raise", -float(axis[0])
        else:
            role, sign = "Out", outwards * float(moved[0])
        if role not in signs and abs(sign) > 1e-3:
            signs[role] = (name, math.copysign(1.0, sign))
    return {
        f"Arms.{side}{role}": Weights(f"Arms.{side}{role}", {name: sign})
        for role, (name, sign) in signs.items()
    }


def _bend_sign(tree: Tree, name: str, angles: FloatArray, across: float) -> float:
    """An elbow bends to where it has more room; with equal room, the hand goes forwards."""
    place = tree.index(name)
    up = tree.upper_rad[place] - angles[place]
    down = angles[place] - tree.lower_rad[place]
    if abs(up - down) > math.radians(20.0):
        return 1.0 if up > down else -1.0
    return -1.0 if across >= 0.0 else 1.0


def trunk_rules(tree: Tree, parts: Parts, end: str, angles: FloatArray) -> dict[str, Rule]:
    """Rules of `Torso.…`: of the trunk, or of the lower half of a body that is one row."""
    row = parts.trunk
    if not row and not parts.is_head:
        row = parts.gaze.joints[: (len(parts.gaze.joints) + 1) // 2]
    jacobian = tree.jacobian(angles, end)
    axes = {name: jacobian[3:, tree.index(name)] for name in row}
    # Forwards about the robot's left; to the right about forward; to the right about down.
    rules: dict[str, Rule] = {}
    for channel, coordinate, sign in (("Lean", 0, 1.0), ("Sway", 2, 1.0), ("Twist", 1, -1.0)):
        weights = weights_of({name: sign * float(axis[coordinate]) for name, axis in axes.items()})
        if weights:
            rules[f"Torso.{channel}"] = Weights(f"Torso.{channel}", weights)
    return rules


def face_rules(
    tree: Tree, parts: Parts, joints: Mapping[str, UrdfJoint], angles: FloatArray
) -> dict[str, Rule]:
    """Rules of lids, eyes, mouth, brows and hands, where joints are called so."""
    rules: dict[str, Rule] = {}
    for side, name in parts.lids.items():
        rules[f"Eyes.{side}Lid"] = _closing(f"Eyes.{side}Lid", tree, [name], joints, 0.0)
    if parts.mouth is not None:
        rules["Face.Mouth"] = _closing("Face.Mouth", tree, [parts.mouth], joints, 0.0)
    for channel, coordinate in (("Eyes.Horizontal", 1), ("Eyes.Vertical", 0)):
        weights = {}
        for name in parts.eyes:
            axis = tree.jacobian(angles, joints[name].child)[3:, tree.index(name)]
            if abs(float(axis[coordinate])) > _TWISTS:
                weights[name] = math.copysign(1.0, -float(axis[coordinate]))
        if weights:
            # Both eyes turn by the whole angle: curves, since weights would divide it.
            rules[channel] = _together(channel, tree, weights, angles)
    for side, names in parts.fingers.items():
        rules[f"Arms.{side}Hand"] = _closing(f"Arms.{side}Hand", tree, list(names), joints, 1.0)
    return rules


def _closing(
    channel: str, tree: Tree, names: list[str], joints: Mapping[str, UrdfJoint], rest: float
) -> Curve:
    """From 0 to 1 over the whole range; `rest` is the share that the neutral angle stands for."""
    table = {}
    for name in names:
        place = tree.index(name)
        lower, upper = float(tree.lower_rad[place]), float(tree.upper_rad[place])
        neutral = min(max(0.0, lower), upper)
        far = upper if upper - neutral >= neutral - lower else lower
        # Fingers that slide open as they go out; others close as they leave their neutral angle.
        near_value = 0.0 if joints[name].kind == "prismatic" else rest
        ends = {near_value: neutral, 1.0 - near_value: far}
        table[name] = tuple((share, ends[share]) for share in (0.0, 1.0))
    return Curve(channel, table)


def _together(channel: str, tree: Tree, signs: Mapping[str, float], angles: FloatArray) -> Curve:
    table = {}
    for name, sign in signs.items():
        place = tree.index(name)
        lower, upper = float(tree.lower_rad[place]), float(tree.upper_rad[place])
        ends = [(sign * (end - angles[place]), end) for end in (lower, upper)]
        table[name] = tuple(sorted((float(x), float(y)) for x, y in ends))
    return Curve(channel, table)
