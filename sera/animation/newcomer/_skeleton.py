"""A URDF from anywhere as a clean skeleton: links, joints, limits and masses, nothing else.

What can be mended is mended and said in a remark; what cannot is refused with a sentence. Meshes,
transmissions and tags of simulators are left out, since no engine here looks at them.

Units and frames: those of the URDF (x forward, z up, radians, metres).
Safety: document types and entities are refused unread.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from sera.animation.newcomer._mending import kind_of, mend_joints, rpy_of
from sera.kinematics._quaternions import Quaternion
from sera.kinematics._urdf_read import MOVING, UrdfRobot, read_robot
from sera.kinematics._urdf_xml import Element, parse
from sera.runtime.located import FileProblem

LARGEST_FILE_BYTES = 32 * 1024 * 1024
MOST_JOINTS = 256


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The clean URDF."""

    text: str
    robot: UrdfRobot
    remarks: tuple[str, ...]
    """What was mended or left out, one sentence each."""
    has_meshes: bool
    source: Element
    """The whole of the file."""


def read_skeleton(path: Path) -> Skeleton:
    """The skeleton of a URDF file.

    Raises:
        FileProblem: the file is missing, is no URDF, or cannot be mended.
    """
    try:
        original = _text_of(path)
        outermost = parse(original, path.name)
        remarks: list[str] = []
        text = _written(outermost, remarks)
        robot = read_robot(text)
    except ValueError as error:
        raise FileProblem(path, _sentence(str(error), path.name)) from None
    moving = sum(joint.kind in MOVING and joint.mimic is None for joint in robot.joints.values())
    if moving > MOST_JOINTS:
        message = f"the URDF has {moving} joints that move; at most {MOST_JOINTS} make a body"
        raise FileProblem(path, message, fix="make joints fixed that are not to be animated")
    if not moving:
        message = "the URDF has no joint that moves (revolute, continuous or prismatic)"
        if remarks:
            message += "; left out: " + "; ".join(remarks)
        raise FileProblem(path, message)
    return Skeleton(text, robot, tuple(remarks), "<mesh" in original, outermost)


def with_face(skeleton: Skeleton, carrier: str, turn_wxyz: Quaternion) -> tuple[str, str]:
    """The skeleton with one more link on `carrier`, and that link's name.

    `turn_wxyz` is the link's orientation against its carrier, in the URDF's axes.
    """
    link = _free_name("face", skeleton.robot)
    joint = _free_name("face_mount", skeleton.robot)
    rpy = " ".join(f"{angle:.9f}" for angle in rpy_of(turn_wxyz))
    added = [
        "  <!-- Where the robot looks: x is forwards, z is up while it looks straight ahead. -->",
        f"  <link name={quoteattr(link)}/>",
        f'  <joint name={quoteattr(joint)} type="fixed">',
        f'    <origin xyz="0 0 0" rpy="{rpy}"/>',
        f"    <parent link={quoteattr(carrier)}/>",
        f"    <child link={quoteattr(link)}/>",
        "  </joint>",
        "</robot>",
    ]
    return skeleton.text.removesuffix("</robot>\n") + "\n".join(added) + "\n", link


def _text_of(path: Path) -> str:
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise FileProblem(path, "this is a folder", fix="give the .urdf file in it")
        if size > LARGEST_FILE_BYTES:
            message = f"the file has {size / 1e6:.0f} MB; a URDF has at most 32"
            raise FileProblem(path, message, fix="give the robot's .urdf file, not a mesh")
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileProblem(path, "there is no such file") from None
    except OSError as error:
        raise FileProblem(path, f"it cannot be read: {error.strerror or error}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # old files with accents in their comments


def _written(robot: Element, remarks: list[str]) -> str:
    name = " ".join(robot.attributes.get("name", "").split()) or "robot"
    lines = [
        "<!-- Links, joints, limits and masses of the robot, written by `sera new robot`. -->",
        f"<robot name={quoteattr(name)}>",
    ]
    for link in robot.all("link"):
        lines += _link_lines(link)
    joints = list(robot.all("joint"))
    remarks += mend_joints(joints)
    for joint in joints:
        lines += _joint_lines(joint)
    return "\n".join([*lines, "</robot>"]) + "\n"


def _link_lines(link: Element) -> list[str]:
    name = quoteattr(link.name())
    inertial = link.first("inertial")
    if inertial is None:
        return [f"  <link name={name}/>"]
    parts = _tags(inertial, {"origin": ("xyz",), "mass": ("value",)})
    return [f"  <link name={name}><inertial>{''.join(parts)}</inertial></link>"]


def _joint_lines(joint: Element) -> list[str]:
    kept: dict[str, tuple[str, ...]] = {
        "origin": ("xyz", "rpy"),
        "parent": ("link",),
        "child": ("link",),
    }
    if kind_of(joint) in MOVING:
        kept |= {
            "axis": ("xyz",),
            "limit": ("lower", "upper", "velocity", "effort"),
            "mimic": ("joint", "multiplier", "offset"),
        }
    head = f"  <joint name={quoteattr(joint.name())} type={quoteattr(kind_of(joint))}>"
    return [head, *(f"    {tag}" for tag in _tags(joint, kept)), "  </joint>"]


def _tags(element: Element, kept: dict[str, tuple[str, ...]]) -> list[str]:
    tags = []
    for tag, keys in kept.items():
        part = element.first(tag)
        if part is not None:
            said = part.attributes
            pairs = [f" {key}={quoteattr(said[key])}" for key in keys if key in said]
            tags.append(f"<{tag}{''.join(pairs)}/>")
    return tags


def _free_name(wanted: str, robot: UrdfRobot) -> str:
    name = wanted
    while name in robot.links or name in robot.joints:
        name += "_1"
    return name


def _sentence(message: str, called: str) -> str:
    """Lines of the skeleton are not those of the file; those of the file are kept."""
    for prefix in (f"{called}, ", f"{called}: "):
        message = message.removeprefix(prefix)
    head, _, rest = message.partition(": ")
    return (rest if head.startswith("URDF") else message).rstrip(".")
