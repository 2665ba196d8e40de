"""What the joints of a chain do to where its tip looks, and the enslaving rules that follow.

Design overview: about a neutral pose, a joint turns the look by its axis: the part along -Y is to
the right, along -X upwards, along +Z tilts the head to its right. Joints that do one of these
nearly alone share a channel by weights. Where no joint does, the joints' ways are computed by
turning the look step by step and written as curves.

Units and frames: radians; Y up, forward +Z; the chain's end point looks along its own +Z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.enslaving import Curve, Rule, Weights
from sera.animation.channels import ChannelSpec
from sera.kinematics.chain import Chain
from sera.kinematics.rotations import cross, rotate

FloatArray = NDArray[np.float64]
_FORWARD = (0.0, 0.0, 1.0)
_NEARLY_ALONE = 0.8
_CURVE_STEP_RAD = math.radians(15.0)
_CURVE_END_RAD = math.radians(75.0)
_REACHED_RAD = math.radians(1.0)
_DAMPING = 1e-3
SIGNS = {"Horizontal": (1, -1.0), "Vertical": (0, -1.0), "Roll": (2, 1.0)}
"""Channel to the coordinate of an axis that it is about, and its sign."""

Turns = Mapping[str, Rule]
"""`Gazing.…` to its rule."""


def looked(direction: FloatArray) -> tuple[float, float]:
    """A direction as horizontal and vertical angle."""
    x, y, z = direction.tolist()
    return math.atan2(-x, z), math.asin(min(1.0, max(-1.0, y)))


def axes_of(chain: Chain, pose: FloatArray) -> dict[str, FloatArray]:
    """Axes of the joints that turn, in the base frame, in a pose."""
    angular = chain.jacobian(pose)[3:].T
    return {
        name: axis
        for name, axis in zip(chain.joint_names, angular, strict=True)
        if float(axis @ axis) > 0.5
    }


def rules_for(
    chain: Chain, pose: FloatArray, trunk: Sequence[str], *, weighed: bool = True
) -> dict[str, Rule]:
    """Rules of `Gazing.…` about a pose; what the chain cannot do has none.

    Joints of the trunk are left alone where others do the same; without `weighed` the gaze has
    curves even where weights would do, which are nearer for axes that are a little askew.
    """
    axes = axes_of(chain, pose)
    rules: dict[str, Rule] = {}
    for channel, (coordinate, sign) in SIGNS.items():
        name = f"Gazing.{channel}"
        shares = {joint: sign * float(axis[coordinate]) for joint, axis in axes.items()}
        weights = weights_of(shares, trunk)
        if weights and (weighed or channel == "Roll"):
            rules[name] = Weights(name, weights)
        elif channel != "Roll":
            curve = _curve(chain, pose, channel)
            if curve is not None:
                rules[name] = curve
    return rules


def weights_of(shares: Mapping[str, float], trunk: Sequence[str] = ()) -> dict[str, float]:
    """Weights of the joints that do one thing nearly alone; those nearer to the tip weigh more."""
    alone = {name: share for name, share in shares.items() if abs(share) >= _NEARLY_ALONE}
    alone = {name: share for name, share in alone.items() if name not in trunk} or alone
    total = sum(range(1, len(alone) + 1))
    return {
        name: math.copysign(max(round(place / total, 3), 0.001), share)
        for place, (name, share) in enumerate(alone.items(), start=1)
    }


def _curve(chain: Chain, pose: FloatArray, channel: str) -> Curve | None:
    """The joints' ways to the sides or up and down, by small turns of the look."""
    name = f"Gazing.{channel}"
    points: dict[float, FloatArray] = {0.0: pose}
    for way in (-1.0, 1.0):
        angles = pose
        asked_rad = way * _CURVE_STEP_RAD
        while abs(asked_rad) <= _CURVE_END_RAD + 1e-9:
            target = (asked_rad, 0.0) if channel == "Horizontal" else (0.0, asked_rad)
            angles, missed_rad = turned_to(chain, angles, *target)
            if missed_rad > _REACHED_RAD:
                break
            points[asked_rad] = angles
            asked_rad += way * _CURVE_STEP_RAD
    if len(points) < 2:
        return None
    moved = [
        (place, joint)
        for place, joint in enumerate(chain.joint_names)
        if max(abs(angles[place] - pose[place]) for angles in points.values()) > 1e-3
    ]
    table = {
        joint: tuple((asked, float(points[asked][place])) for asked in sorted(points))
        for place, joint in moved
    }
    return Curve(name, table) if table else None


def turned_to(
    chain: Chain, start: FloatArray, horizontal_rad: float, vertical_rad: float
) -> tuple[FloatArray, float]:
    """Angles near `start` that look there, whatever the head's tilt, and by how much they miss."""
    level = math.cos(vertical_rad)
    target = np.array(
        [
            -math.sin(horizontal_rad) * level,
            math.sin(vertical_rad),
            math.cos(horizontal_rad) * level,
        ]
    )
    angles, lower, upper = start.copy(), chain.lower_rad, chain.upper_rad
    best, best_miss = angles, math.inf
    for _ in range(80):
        (_, orientation), jacobian = chain.pose_and_jacobian(angles)
        looks = rotate(orientation, _FORWARD)
        miss = math.atan2(float(np.linalg.norm(cross(looks, target))), float(looks @ target))
        if miss < best_miss - 1e-7:
            best, best_miss = angles.copy(), miss
        if miss < 1e-5:
            break
        ways = cross(jacobian[3:].T, looks).T  # (3, dof)
        error = target - looks
        stuck = ((angles <= lower) & (ways.T @ error < 0)) | (
            (angles >= upper) & (ways.T @ error > 0)
        )
        ways[:, stuck] = 0.0
        square = ways @ ways.T + _DAMPING * np.eye(3)
        angles = np.clip(angles + ways.T @ np.linalg.solve(square, error), lower, upper)
    return best, best_miss


def tried_rules(
    chain: Chain,
    pose: FloatArray,
    turns: Turns,
    directions_deg: Sequence[tuple[int, int]],
) -> float:
    """The largest angle between where the rules should look and where they do."""
    own = {
        name: ChannelSpec(name=f"Body.{name}", lower=low, upper=high, neutral=value)
        for name, low, high, value in zip(
            chain.joint_names,
            chain.lower_rad.tolist(),
            chain.upper_rad.tolist(),
            pose.tolist(),
            strict=True,
        )
    }
    worst = 0.0
    for horizontal, vertical in directions_deg:
        asked = math.radians(horizontal), math.radians(vertical)
        moved = {name: spec.neutral for name, spec in own.items()}
        for channel, value in zip(("Horizontal", "Vertical"), asked, strict=True):
            rule = turns.get(f"Gazing.{channel}")
            if rule is not None:
                for name, offset in rule.distribute(value, own).items():
                    moved[name] = own[name].clamp(moved[name] + offset)
        orientation = chain.pose(list(moved.values())).orientation_wxyz
        found = looked(rotate(orientation, _FORWARD))
        worst = max(worst, angle_between_looks(asked, found))
    return worst


def angle_between_looks(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The angle between two looks, each horizontal and vertical."""
    cosine = math.sin(one[1]) * math.sin(other[1])
    cosine += math.cos(one[1]) * math.cos(other[1]) * math.cos(one[0] - other[0])
    return math.acos(min(1.0, max(-1.0, cosine)))
