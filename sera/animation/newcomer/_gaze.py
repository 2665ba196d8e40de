"""How an unknown robot looks about: its face, its neutral pose, and what turns its gaze.

Design overview: a head looks ahead in its zero pose; an arm looks along its last segment, from a
neutral pose that is searched for. Each proposal is tried: the gaze is led to directions around
straight ahead, by expressive inverse kinematics and by enslaving alone, and forward kinematics
says how near it came. The proposal that came nearest is taken. Where none looks there with its
head upright, the face may roll, which arms with skew axes need.

Units and frames: radians; Y up, forward +Z; horizontal to the right, vertical upwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.enslaving import Rule, Share, Weights
from sera.animation.newcomer._neutral import neutral_poses
from sera.animation.newcomer._parts import Parts
from sera.animation.newcomer._skeleton import Skeleton, with_face
from sera.animation.newcomer._trials import tried_rolling, tried_solver
from sera.animation.newcomer._turning import Turns, looked, rules_for, tried_rules
from sera.kinematics.chain import Chain
from sera.kinematics.rotations import (
    conjugate,
    from_yaw_pitch_roll,
    multiply,
    rotate,
)
from sera.kinematics.tree import Tree

FloatArray = NDArray[np.float64]
_GOOD_RAD = math.radians(1.0)
_SNAP_COSINE = math.cos(math.radians(20.0))
_LEVEL_RAD = math.radians(12.0)
_LONG_DOF, _MANY_DOF = 12, 100
"""A chain or a body of more joints has one trial, which takes as long as many of an arm."""
_LONGEST_SOLVED_DOF = 24
"""What is longer is moved by rules alone: it would be late for every frame."""
_WORTH_ROLLING_RAD = math.radians(2.0)
"""A head that tilts for a look is stranger than one that misses by so little."""
TRIED_DEG = ((30, 0), (-30, 0), (0, 15), (0, -15), (30, 15), (-30, 15), (30, -15), (-30, -15))
"""Directions that a gaze is tried on: to the right, upwards."""


@dataclass(frozen=True, slots=True)
class GazePlan:
    """What is written into the files."""

    urdf: str
    end_point: str
    neutral: Mapping[str, float]
    """Of the chain's joints."""
    turns: Turns
    aims: bool
    """Whether expressive inverse kinematics does better than enslaving alone."""
    worst_rad: float
    upright: bool = True
    """Whether the face keeps its roll; an arm may need to give it up."""
    begins: str | None = None
    """The first joint of the neck, where the neck alone is enough and the trunk can stay."""


def plan_gaze(skeleton: Skeleton, tree: Tree, parts: Parts) -> GazePlan:
    """The best of some proposals; the first that is good."""
    chain = tree.chain(parts.gaze.link)
    best: GazePlan | None = None
    many = chain.dof > _LONG_DOF or tree.dof > _MANY_DOF
    for face in _faces(skeleton, chain, parts)[: 1 if many else None]:
        poses = neutral_poses(chain, face, count=1 if many else 3)
        if parts.is_head:
            poses.insert(0, chain.neutral)
        for pose in poses:
            plan = _tried(skeleton, parts, chain, face, pose)
            if plan.worst_rad < _GOOD_RAD and plan.upright:
                return plan
            if best is None or plan.worst_rad < best.worst_rad - math.radians(2.0):
                best = plan
    assert best is not None
    return best


def _faces(skeleton: Skeleton, chain: Chain, parts: Parts) -> list[FloatArray]:
    """Directions in the frame of the tip that may be its face, the likeliest first."""
    orientation = chain.pose(chain.neutral).orientation_wxyz
    axes = [np.array(axis) for axis in np.vstack([np.eye(3), -np.eye(3)])]
    if parts.is_head:
        return [rotate(conjugate(orientation), (0.0, 0.0, 1.0))]
    link = parts.gaze.link.lower()
    if "optical" in link:
        return [np.array([0.0, 1.0, 0.0]), *axes]  # the z of a URDF
    if "cam" in link:
        return [np.array([0.0, 0.0, 1.0]), *axes]
    outward = _outward(skeleton, chain, parts, orientation)
    snapped = next((axis for axis in axes if float(axis @ outward) > _SNAP_COSINE), outward)
    return [snapped, *(axis for axis in axes if float(axis @ snapped) < _SNAP_COSINE)]


def _outward(skeleton: Skeleton, chain: Chain, parts: Parts, orientation: FloatArray) -> FloatArray:
    """The last segment that has a length, in the frame of the tip."""
    points = chain.joint_positions_m(chain.neutral)
    segments = [points[-1] - points[-2]] if len(points) > 1 else []
    x, y, z = skeleton.robot.links[parts.gaze.link].centre_m
    segments.append(rotate(orientation, (y, z, x)))
    segments += [points[k] - points[k - 1] for k in range(len(points) - 2, 0, -1)]
    for segment in segments:
        length_m = float(np.linalg.norm(segment))
        if length_m > 1e-3:
            outward: FloatArray = rotate(conjugate(orientation), segment / length_m)
            return outward
    return np.array([0.0, 0.0, 1.0])


def _tried(
    skeleton: Skeleton, parts: Parts, chain: Chain, face: FloatArray, pose: FloatArray
) -> GazePlan:
    orientation = chain.pose(pose).orientation_wxyz
    horizontal_rad, vertical_rad = looked(rotate(orientation, face))
    wanted = from_yaw_pitch_roll(-horizontal_rad, -vertical_rad, 0.0)
    if math.hypot(horizontal_rad, vertical_rad) < _LEVEL_RAD:
        wanted = np.array([1.0, 0.0, 0.0, 0.0])  # near enough: this is straight ahead
    w, x, y, z = multiply(conjugate(orientation), wanted).tolist()
    urdf, link = with_face(skeleton, parts.gaze.link, (w, z, x, y))
    tree = Tree.from_urdf(urdf)
    faced = tree.chain(link)
    turns = rules_for(faced, pose, parts.trunk)
    solved = faced.dof <= _LONGEST_SOLVED_DOF
    by_solver = tried_solver(faced, pose, TRIED_DEG) if solved else math.inf
    by_rules = tried_rules(faced, pose, turns, TRIED_DEG)
    if parts.trunk and by_rules > _GOOD_RAD:  # the neck alone is not enough: the trunk helps
        turns = rules_for(faced, pose, ())
        by_rules = tried_rules(faced, pose, turns, TRIED_DEG)
    if min(by_solver, by_rules) > _GOOD_RAD:
        curves = rules_for(faced, pose, (), weighed=False)
        by_curves = tried_rules(faced, pose, curves, TRIED_DEG)
        if by_curves < by_rules:
            turns, by_rules = {**turns, **curves}, by_curves
    # A chain that aims has both channels, also where no joint of its own does one of them alone.
    whole = {"Gazing.Horizontal", "Gazing.Vertical"} <= turns.keys()
    aims = solved and (by_solver <= by_rules + math.radians(0.5) or not whole)
    worst_rad = by_solver if aims else by_rules
    upright = True
    if worst_rad > _GOOD_RAD and solved:
        rolling_rad = tried_rolling(tree, link, pose, TRIED_DEG)
        if rolling_rad < worst_rad - _WORTH_ROLLING_RAD:
            aims, upright, worst_rad = True, False, rolling_rad
    neutral = dict(zip(faced.joint_names, pose.tolist(), strict=True))
    neck = next((name for name in faced.joint_names if name not in parts.trunk), None)
    begins = (
        neck if parts.trunk and by_rules < _GOOD_RAD and not _moves_trunk(turns, parts) else None
    )
    return GazePlan(urdf, link, neutral, turns, aims, worst_rad, upright, begins)


def _moves_trunk(turns: Turns, parts: Parts) -> bool:
    rules = [turns[name] for name in ("Gazing.Horizontal", "Gazing.Vertical") if name in turns]
    moved = {name for rule in rules for name in _targets(rule)}
    return bool(moved.intersection(parts.trunk))


def _targets(rule: Rule) -> Mapping[str, object]:
    if isinstance(rule, Weights):
        return rule.weights
    return rule.factors if isinstance(rule, Share) else rule.points
