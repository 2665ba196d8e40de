"""Read the movable joints of a URDF and their limits, for a new robot's body file.

Only names and limits are taken. Axes and lengths stay in the URDF, which has another frame (Z up):
the kinematics package reads them from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from sera.runtime.located import FileProblem, read_text

MOVABLE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class UrdfJoint:
    """One movable joint; angles in degrees, lengths in metres."""

    name: str
    kind: str
    lower: float | None
    upper: float | None
    max_velocity: float | None

    @property
    def unit(self) -> str:
        return "m" if self.kind == "prismatic" else "deg"

    @property
    def neutral(self) -> float:
        """Zero, or the limit that is nearest to it."""
        if self.lower is None or self.upper is None:
            return 0.0
        return min(max(0.0, self.lower), self.upper)


@dataclass(frozen=True)
class UrdfRobot:
    """What a URDF says about the joints."""

    title: str
    joints: tuple[UrdfJoint, ...]
    left_out: tuple[str, ...]
    """Why other joints are not in the list, one sentence each."""


def read_urdf(path: Path) -> UrdfRobot:
    """The movable joints of a URDF file, in its order.

    Raises:
        FileProblem: the file is missing, is no URDF, or a joint makes no sense.
    """
    text = read_text(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FileProblem(path, "a URDF has no DOCTYPE or ENTITY", fix="remove these lines")
    try:
        robot = ET.fromstring(text)  # noqa: S314 - entities were refused above
    except ET.ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise FileProblem(path, f"not valid XML: {reason}", line=line, column=column + 1) from None
    if robot.tag != "robot":
        raise FileProblem(
            path,
            f"this is no URDF: the outermost element is <{robot.tag}>, not <robot>",
            fix="give the robot's .urdf file",
        )
    if "${" in text or "xacro:" in text:
        raise FileProblem(
            path,
            "this is a xacro file, which has to be expanded first",
            fix="`xacro FILE > robot.urdf` does that where ROS is installed",
        )
    return _read_joints(path, robot)


def _read_joints(path: Path, robot: ET.Element) -> UrdfRobot:
    joints: list[UrdfJoint] = []
    left_out: list[str] = []
    names: set[str] = set()
    for element in robot.findall("joint"):
        name, kind = " ".join(element.get("name", "").split()), element.get("type", "")
        if not name:
            raise FileProblem(path, f"a joint of type '{kind}' has no name")
        if name in names:
            raise FileProblem(path, f"two joints have the name '{name}'")
        names.add(name)
        if kind == "fixed":
            continue
        if kind not in MOVABLE:
            left_out.append(
                f"{name}: the type '{kind}' has more than one degree of freedom or none"
            )
        elif element.find("mimic") is not None:
            left_out.append(f"{name}: it follows another joint")
        else:
            joint = _read_limits(path, element, name, kind)
            if joint.lower is not None and joint.lower == joint.upper:
                left_out.append(f"{name}: its limits leave it no room to move")
            else:
                joints.append(joint)
    if not joints:
        raise FileProblem(
            path, "the URDF has no joint that moves (revolute, continuous or prismatic)"
        )
    return UrdfRobot(robot.get("name", ""), tuple(joints), tuple(left_out))


def _read_limits(path: Path, element: ET.Element, name: str, kind: str) -> UrdfJoint:
    scale = 1.0 if kind == "prismatic" else math.degrees(1.0)
    limit = element.find("limit")
    if limit is None:
        if kind != "continuous":
            fix = '<limit lower="…" upper="…" velocity="…" effort="…"/>'
            raise FileProblem(path, f"the {kind} joint '{name}' has no limit", fix=f"add {fix}")
        return UrdfJoint(name, kind, None, None, None)
    velocity = _number(path, limit, "velocity", name) * scale
    max_velocity = round(velocity, 6) if velocity > 0 else None
    if kind == "continuous":
        return UrdfJoint(name, kind, None, None, max_velocity)
    lower = round(_number(path, limit, "lower", name) * scale, 6)
    upper = round(_number(path, limit, "upper", name) * scale, 6)
    if lower > upper:
        raise FileProblem(
            path, f"the joint '{name}' has its lower limit ({lower:g}) above its upper ({upper:g})"
        )
    return UrdfJoint(name, kind, lower, upper, max_velocity)


def _number(path: Path, limit: ET.Element, key: str, joint: str) -> float:
    text = limit.get(key, "0")  # what URDF says of a limit that is not given
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FileProblem(path, f"the joint '{joint}' has {key}=\"{text}\", which is no number")
    return value
