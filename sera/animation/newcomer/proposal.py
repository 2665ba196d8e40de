"""A URDF that nobody here has seen becomes a robot: body file, clean URDF, and what to check.

Design overview: the URDF is cleaned (`_skeleton`), its parts are found (`_parts`), a neutral pose,
a face and rules for the gaze are chosen and tried by forward kinematics (`_gaze`), arms, trunk and
face follow (`_limbs`), and everything is written as text (`_writing`). Nothing touches the disk:
`sera.runtime.scaffold` does.

Units and frames: Y up, forward +Z; radians inside, degrees in the text.
Threading: no state.
Safety: the proposal is loaded by the ordinary body loader in tests; limits never widen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sera.animation.body.enslaving import Rule
from sera.animation.channels import ChannelSpec
from sera.animation.newcomer._gaze import GazePlan, plan_gaze
from sera.animation.newcomer._hanging import hanging
from sera.animation.newcomer._limbs import arm_rules, face_rules, trunk_rules
from sera.animation.newcomer._parts import Parts, find_parts
from sera.animation.newcomer._shapes import lowest_of, shapes_of_urdf
from sera.animation.newcomer._skeleton import Skeleton, read_skeleton
from sera.animation.newcomer._writing import BodyText, body_text
from sera.kinematics._urdf_read import MOVING, UrdfJoint
from sera.kinematics.tree import Tree

FloatArray = NDArray[np.float64]
_WORTH_SAYING_RAD = math.radians(2.0)
_WORTH_SAYING_M = 0.02
_ASKED_RAD = {"Gazing.Horizontal": math.radians(30.0), "Gazing.Vertical": math.radians(15.0)}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is written for a new robot."""

    title: str
    body: str
    """The text of `body.toml`."""
    urdf: str
    """The text of the URDF beside it."""
    remarks: tuple[str, ...]
    """What a person should know, one sentence each without a full stop."""
    gaze: str
    """What carries the gaze, for people: `the link 'tool0' by 6 joints`."""


def propose_body(urdf: Path, urdf_name: str, title: str) -> Proposal:
    """The body of the robot in a URDF file.

    Args:
        urdf: the file.
        urdf_name: what the clean copy will be called, beside the body file.
        title: for a robot whose URDF has no name.

    Raises:
        FileProblem: the file is missing, is no URDF, or cannot be mended.
    """
    skeleton = read_skeleton(urdf)
    tree = Tree.from_urdf(skeleton.text)
    parts = find_parts(skeleton, tree)
    moving = [
        joint
        for joint in skeleton.robot.joints.values()
        if joint.kind in MOVING and joint.mimic is None
    ]
    remarks = list(skeleton.remarks)
    angles, rules = tree.neutral, {}
    plan: GazePlan | None = None
    if parts is None:
        remarks.append("no joint turns anything: this robot cannot look about")
    else:
        plan = plan_gaze(skeleton, tree, parts)
        angles = tree.angles_of(plan.neutral)
        for arm in parts.arms.values():
            angles = hanging(tree, arm, angles)
        rules = _rules(tree, parts, plan, skeleton, angles)
        remarks += _gaze_remarks(parts, plan)
    if skeleton.has_meshes:
        remarks.append("the meshes that the URDF names were not copied")
    shapes = shapes_of_urdf(skeleton.source, skeleton, tree)
    name = skeleton.robot.name
    shown = title if name == "robot" else name
    text = body_text(
        BodyText(
            title=shown,
            joints=moving,
            parents={joint.name: _carrier(skeleton, joint) for joint in moving},
            neutral=tree.by_name(angles),
            rules=rules,
            urdf=urdf_name,
            end_point=plan.end_point if plan is not None and plan.aims else None,
            begins=plan.begins if plan is not None else None,
            upright=plan is None or plan.upright,
            remarks=remarks,
            shapes=shapes,
            grounded=parts is None or _stands(parts, *lowest_of(shapes, tree, angles)),
            eyes_m=None
            if parts is None
            else tree.pose(angles, parts.gaze.link).position_m.tolist(),
        )
    )
    gaze = "nothing"
    if parts is not None:
        count = len(parts.gaze.joints)
        gaze = f"the link '{parts.gaze.link}' by {count} joint{'' if count == 1 else 's'}"
    urdf_text = skeleton.text if plan is None else plan.urdf
    return Proposal(shown, text, urdf_text, tuple(remarks), gaze)


def _stands(parts: Parts, lowest_m: float, carrier: str) -> bool:
    """Whether what is lowest stands there, and does not hang: an arm, or what gazes."""
    hangs = {*parts.gaze.joints, *(name for arm in parts.arms.values() for name in arm.joints)}
    return lowest_m > -_WORTH_SAYING_M or carrier not in hangs or parts.walks


def _rules(
    tree: Tree, parts: Parts, plan: GazePlan, skeleton: Skeleton, angles: FloatArray
) -> dict[str, Rule]:
    rules = {
        name: rule for name, rule in plan.turns.items() if not _narrows(tree, angles, plan, rule)
    }
    rules |= trunk_rules(tree, parts, parts.gaze.link, angles)
    for side, arm in parts.arms.items():
        rules |= arm_rules(tree, side, arm, angles)
    return rules | face_rules(tree, parts, skeleton.robot.joints, angles)


def _narrows(tree: Tree, angles: FloatArray, plan: GazePlan, rule: Rule) -> bool:
    """Whether a rule would keep a chain that aims from where it can look.

    A channel has the range of its rule; without one, a chain that aims gives it a whole turn.
    """
    asked_rad = _ASKED_RAD.get(rule.channel)
    if not plan.aims or asked_rad is None:
        return False
    limits = zip(tree.joint_names, tree.lower_rad, tree.upper_rad, angles, strict=True)
    own = {
        name: ChannelSpec(name=f"Body.{name}", lower=low, upper=high, neutral=value)
        for name, low, high, value in limits
    }
    lower, upper = rule.reach(own)
    return lower > -asked_rad or upper < asked_rad


def _gaze_remarks(parts: Parts, plan: GazePlan) -> list[str]:
    remarks = [
        f"no joint turns the gaze {way}"
        for channel, way in (("Horizontal", "sideways"), ("Vertical", "up and down"))
        if f"Gazing.{channel}" not in plan.turns and plan.worst_rad > _WORTH_SAYING_RAD
    ]
    if parts.walks:
        remarks.append("a leg looks about, for want of a head and an arm: let nothing stand on it")
    if not plan.upright:
        remarks.append("the face rolls while it looks about: upright, its joints reach less")
    if not any(said.startswith("no joint") for said in remarks) and (
        plan.worst_rad > _WORTH_SAYING_RAD
    ):
        worst = math.degrees(plan.worst_rad)
        remarks.append(
            f"within the limits the gaze misses directions of ±30° and ±15° by up to {worst:.0f}°"
        )
    if parts.passive:
        remarks.append(
            f"{', '.join(parts.passive)}: no motor seems to move them; a bridge has to solve the "
            "loop that the URDF cuts"
        )
    return remarks


def _carrier(skeleton: Skeleton, joint: UrdfJoint) -> str:
    """The joint that moves next below a joint, "" for none."""
    link = joint.parent
    while link != skeleton.robot.root:
        below = skeleton.robot.carriers[link]
        if below.kind in MOVING and below.mimic is None:
            return below.name
        link = below.parent
    return ""
