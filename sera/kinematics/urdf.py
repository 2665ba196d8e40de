"""Chains and trees from URDF files.

Design overview: an own small reader takes links, joints, limits, masses and mimic relations, and
leaves out what kinematics does not need (meshes, transmissions, simulator tags). A file that is
wrong is refused with a sentence that names the line, the joint or link and the fix.

Decisions:

- *Frames.* A URDF has x forward, y to the left and z up; here +Z is forward, +X to the left and
  +Y up. Every vector and every rotation of the file is written in our axes (x, y, z become
  y, z, x), for the base and for all links: a robot that faces forward with all its links at rest
  has the identity as orientation everywhere. Nothing outside this file knows of the other frame;
  `to_urdf_frame` and `from_urdf_frame` translate poses for programs that do.
- *Links and joints.* A link has the frame of the joint that carries it. The root link is carried by
  a fixed joint of its own name, so that its mass counts.
- *End points* are links: the leaves unless others are named. Every link (and every joint) can be
  asked for by its name.
- *Mimic* joints are driven: they have no angle and follow their master through any number of
  steps. A chain whose way leads over a mimic joint is refused, as its joints are free.
- *Continuous* joints have the limits ± π and are wrapped. Limits of revolute and prismatic joints
  must be given; where <limit> leaves out one side, it is nought, as URDF says. A velocity limit
  of nought counts as none.
- *A missing axis* is x, as URDF says; one of no length is refused.
- *Floating and planar* joints are refused: they have more than one degree of freedom.

Units and frames: metres and radians; right-handed, +Y up, forward +Z.
Safety: document types and entities are refused unread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sera.kinematics._quaternions import Quaternion, Vector, about, multiply
from sera.kinematics._urdf_read import UrdfJoint, UrdfLink, UrdfRobot, read_robot
from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.pose import Pose
from sera.kinematics.tree import EndPoint, Tree

Z_UP_TO_Y_UP: Quaternion = (0.5, -0.5, -0.5, -0.5)
"""The turn that takes x forward, z up to +Z forward, +Y up."""

_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
}


def tree_from_urdf(source: str | Path, end_points: Sequence[str] | None = None) -> Tree:
    """Make a tree from a URDF file or text, with the named links as end points, or the leaves."""
    robot = read_robot(source)
    root = _root_joint_name(robot)
    carriers = {robot.root: root} | {link: joint.name for link, joint in robot.carriers.items()}
    joints = [_fixed_root(robot, root)]
    joints += [_joint(joint, robot, carriers[joint.parent]) for joint in robot.joints.values()]
    chosen = robot.leaves if end_points is None else list(end_points)
    for link in chosen:
        robot.link(link, "link")
    return Tree(
        joints,
        end_points={link: EndPoint(carriers[link]) for link in chosen},
        name=robot.name,
        frames={link: EndPoint(joint) for link, joint in carriers.items()},
    )


def chain_from_urdf(source: str | Path, end: str | None = None, root: str | None = None) -> Chain:
    """Make a chain from link `root` (the robot's own unless given) to link `end`.

    The base of the chain is the frame of its root link. `end` may be left out where the robot has
    a single leaf.
    """
    robot = read_robot(source)
    if end is None:
        if len(robot.leaves) != 1:
            names = ", ".join(map(repr, robot.leaves))
            raise ValueError(f"{robot.name!r} has several ends: {names}; name one as `end`.")
        end = robot.leaves[0]
    robot.link(end, "link")
    start = robot.root if root is None else robot.link(root, "link").name
    row: list[UrdfJoint] = []
    link = end
    while link != start:
        if link == robot.root:
            raise ValueError(
                f"The link {start!r} of {robot.name!r} is not on the way from {robot.root!r} to "
                f"{end!r}; begin at one of {', '.join(repr(j.parent) for j in reversed(row))}."
            )
        row.append(robot.carriers[link])
        link = robot.carriers[link].parent
    joints = [_joint(joint, robot, None) for joint in reversed(row)]
    return Chain(joints, name=f"{robot.name} to {end}")


def from_urdf_frame(pose: Pose) -> Pose:
    """A pose of the URDF's axes (x forward, z up) in ours."""
    x, y, z = pose.position_m
    qw, qx, qy, qz = pose.orientation_wxyz
    return Pose(np.array([y, z, x]), np.array([qw, qy, qz, qx]))


def to_urdf_frame(pose: Pose) -> Pose:
    """One of our poses in the URDF's axes (x forward, z up)."""
    x, y, z = pose.position_m
    qw, qx, qy, qz = pose.orientation_wxyz
    return Pose(np.array([z, x, y]), np.array([qw, qz, qx, qy]))


def _ours(vector: Vector) -> Vector:
    return (vector[1], vector[2], vector[0])


def turn_of_rpy(rpy_rad: Vector) -> Quaternion:
    """Fixed-axes roll, pitch, yaw about x, y, z of a URDF as a rotation in our axes."""
    roll, pitch, yaw = rpy_rad
    about_z = about((0.0, 0.0, 1.0), yaw)
    about_y = about((0.0, 1.0, 0.0), pitch)
    w, x, y, z = multiply(multiply(about_z, about_y), about((1.0, 0.0, 0.0), roll))
    return (w, y, z, x)


def _root_joint_name(robot: UrdfRobot) -> str:
    name = robot.root
    while name in robot.joints:
        name += "_base"
    return name


def _fixed_root(robot: UrdfRobot, name: str) -> Joint:
    link = robot.links[robot.root]
    return Joint(name, JointKind.FIXED, mass_kg=link.mass_kg, centre_m=_ours(link.centre_m))


def _joint(joint: UrdfJoint, robot: UrdfRobot, parent: str | None) -> Joint:
    link: UrdfLink = robot.links[joint.child]
    moves = joint.kind != "fixed"
    return Joint(
        name=joint.name,
        kind=_KINDS[joint.kind],
        axis=_ours(joint.axis),
        origin_m=_ours(joint.origin_m),
        origin_wxyz=turn_of_rpy(joint.origin_rpy_rad),
        lower=joint.lower if moves else -math.pi,
        upper=joint.upper if moves else math.pi,
        velocity_limit=joint.velocity_limit,
        mass_kg=link.mass_kg,
        centre_m=_ours(link.centre_m),
        parent=parent,
        continuous=joint.kind == "continuous",
        mimic=joint.mimic,
        multiplier=joint.multiplier,
        shift=joint.shift,
    )
