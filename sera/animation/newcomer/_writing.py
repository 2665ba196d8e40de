"""The body file of a newcomer, as text that a person goes on with.

Units and frames: degrees and metres, as in every file that people write.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sera.animation.body.enslaving import Curve, Rule, Share, Weights
from sera.animation.body.sets import GENERIC
from sera.animation.channels import Unit
from sera.animation.newcomer._shapes import Shape
from sera.kinematics._urdf_read import UrdfJoint


@dataclass(frozen=True, slots=True)
class BodyText:
    """What a body file is written from; angles in radians."""

    title: str
    joints: Sequence[UrdfJoint]
    parents: Mapping[str, str]
    """The joint that moves and carries another, "" for none."""
    neutral: Mapping[str, float]
    rules: Mapping[str, Rule]
    urdf: str
    end_point: str | None
    begins: str | None
    """The first joint that moves for the gaze, None for all."""
    upright: bool
    """Whether the face keeps its roll."""
    remarks: Sequence[str]
    shapes: Sequence[Shape]
    grounded: bool
    """Whether it stands on something."""
    eyes_m: Sequence[float] | None = None
    """Where the gaze comes from in the neutral pose, None where nothing gazes."""


def body_text(body: BodyText) -> str:
    """The whole of `body.toml`."""
    count = len(body.joints)
    lines = [
        f"# The body of {_plain(body.title)}, proposed from its URDF.",
        "# Angles are in degrees and lengths in metres; Y is up, the robot faces +Z.",
        "# Neutral angles, signs and what generic channels do were computed: see README.md.",
        "",
        "[robot]",
        f"title = {quoted(body.title)}",
        f'description = "Made from a URDF with {count} joint{"" if count == 1 else "s"}."',
        f"urdf = {quoted(body.urdf)}    # axes and lengths",
        *_eyes_lines(body.eyes_m),
        'stop = "hold"    # what an emergency stop means: hold, compliant or rest',
        "rate_hz = 50.0",
        *([] if body.grounded else ['ground_m = "none"    # it hangs or floats']),
        "",
        "# The joints that move, in the order of the URDF.",
    ]
    lines += [f"# {_plain(remark)}." for remark in body.remarks]
    for joint in body.joints:
        lines += ["", *_joint_lines(joint, body)]
    if body.end_point is not None:
        lines += [
            "",
            "# The posture is held while this link of the URDF looks where it is told.",
            "[[ik]]",
            'name = "gaze"',
            f"end_point = {quoted(body.end_point)}",
            'aims = "Gazing"',
            'face = "z"',
        ]
        if body.begins is not None:
            lines.append(f"begins = {quoted(body.begins)}    # the trunk stays for a look")
        if not body.upright:
            lines.append("upright = false    # it may roll, and reaches more directions so")
    lines += ["", "# What generic channels do, so that animations of other bodies play here too."]
    for rule in body.rules.values():
        lines += ["", *_rule_lines(rule, body)]
    lines += ["", "# Where the joints go to rest.", "[rest]"]
    lines += [
        f"{quoted(joint.name)} = {_own(body.neutral[joint.name], joint)}" for joint in body.joints
    ]
    lines += [
        "",
        "# How the robot is reached; a bridge.py beside this file is another way.",
        "[connection]",
        'kind = "simulated"',
    ]
    if body.shapes:
        lines += ["", "# What it looks like, and what it keeps clear of itself and of the ground."]
        lines += _shape_lines(body.shapes)
    return "\n".join(lines) + "\n"


def _eyes_lines(eyes_m: Sequence[float] | None) -> list[str]:
    if eyes_m is None:
        return []
    place = ", ".join(f"{round(each, 3) + 0.0:g}" for each in eyes_m)
    return [f"eyes_m = [{place}]    # where the gaze comes from in the neutral pose"]


def quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(text: str) -> str:
    """For a comment: one line without control characters."""
    return "".join(char if char.isprintable() else " " for char in text)


def _joint_lines(joint: UrdfJoint, body: BodyText) -> list[str]:
    unit = "m" if joint.kind == "prismatic" else "deg"
    lines = [
        "[[joints]]",
        f"name = {quoted(joint.name)}",
        f'kind = "{joint.kind}"',
        f"parent = {quoted(body.parents[joint.name])}",
    ]
    if joint.kind != "continuous":
        lines += [
            f"lower_{unit} = {_own(joint.lower, joint)}",
            f"upper_{unit} = {_own(joint.upper, joint)}",
        ]
    lines += [
        f"neutral_{unit} = {_own(body.neutral[joint.name], joint)}",
        f"max_velocity_{unit}_s = {_own(joint.velocity_limit, joint)}",
    ]
    return lines


def _own(value: float, joint: UrdfJoint) -> str:
    """A value of a joint as its file has it."""
    return number(value if joint.kind == "prismatic" else math.degrees(value))


def number(value: float) -> str:
    """Up to six decimals, and always a decimal point."""
    text = f"{value:.6f}".rstrip("0")
    text = "0.0" if float(text) == 0.0 else text
    return text + "0" if text.endswith(".") else text


def _rule_lines(rule: Rule, body: BodyText) -> list[str]:
    lines = ["[[enslaving]]", f'channel = "{rule.channel}"']
    if isinstance(rule, Weights | Share):
        factors = rule.weights if isinstance(rule, Weights) else rule.factors
        lines.append('method = "weights"' if isinstance(rule, Weights) else 'method = "share"')
        parts = [f"{quoted(name)} = {number(factor)}" for name, factor in factors.items()]
    else:
        lines.append('method = "curve"')
        parts = [f"{quoted(name)} = {_points(rule, name, body)}" for name in rule.points]
    return [*lines, f"to = {{ {', '.join(parts)} }}"]


def _points(rule: Curve, name: str, body: BodyText) -> str:
    joint = next(joint for joint in body.joints if joint.name == name)
    turns = GENERIC[rule.channel].unit is Unit.RADIAN
    points = (
        f"[{number(math.degrees(x) if turns else x)}, {_own(y, joint)}]"
        for x, y in rule.points[name]
    )
    return f"[{', '.join(points)}]"


def _shape_lines(shapes: Sequence[Shape]) -> Iterator[str]:
    """The shapes as they stand in a body file."""
    for shape in shapes:
        points = ", ".join(
            f"[{', '.join(f'{round(c, 4) + 0.0:g}' for c in point)}]"
            for point in shape.points_m.tolist()
        )
        yield "\n[[shapes]]"
        if shape.joint:
            yield f"joint = {quoted(shape.joint)}"
        yield f"points_m = [{points}]"
        yield f"radius_m = {round(shape.radius_m, 4):g}"
