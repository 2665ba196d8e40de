"""The kinematic tree of a body file: from its own joints, or from the URDF beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sera.animation.body._channels import own_channels
from sera.animation.body._file import BodyFile, JointTable
from sera.animation.channels import ChannelSpec
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.rotations import from_rotation_vector
from sera.kinematics.tree import EndPoint, Tree

BASE = "base, which stands"
"""A joint that does not move: the mass of the base hangs on it."""
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def build_tree(folder: Path) -> Tree:
    """The tree; where a URDF has the kinematics, the body file's limits stand above its own."""
    from sera.animation.body.load import read_file

    document, file = read_file(folder)
    if file.robot.urdf is not None:
        return Tree.from_urdf(folder / file.robot.urdf)
    own, _ = own_channels(document, file)
    joints: list[Joint] = []
    for number, table in enumerate(file.joints):
        before = file.joints[number - 1] if number else None
        joints.append(_joint(table, before, file, own[table.name]))
    if file.robot.base_mass_kg > 0.0:
        joints.append(_base(file))
    ends = {end.name: EndPoint(end.joint, end.offset_m) for end in file.end_points}
    return Tree(joints, ends or None, name=folder.name)


def _base(file: BodyFile) -> Joint:
    """What no joint carries has a mass all the same; it comes last and has no angle."""
    return Joint(
        name=BASE,
        kind=JointKind.FIXED,
        mass_kg=file.robot.base_mass_kg,
        centre_m=file.robot.base_centre_m,
    )


def _turn(turned_deg: tuple[float, float, float]) -> tuple[float, float, float, float]:
    w, x, y, z = from_rotation_vector(np.radians(turned_deg)).tolist()
    return (w, x, y, z)


def _joint(
    table: JointTable, before: JointTable | None, file: BodyFile, spec: ChannelSpec
) -> Joint:
    parent_name = table.parent if table.parent is not None else (before.name if before else "")
    parent = next((joint for joint in file.joints if joint.name == parent_name), None)
    origin = table.origin_m
    if origin is None:
        origin = (0.0, (parent.length_m or 0.0) if parent else 0.0, 0.0)
    letter = (table.axis or "y").removeprefix("-")
    sign = -1.0 if (table.axis or "").startswith("-") else 1.0
    x, y, z = _AXES[letter]
    return Joint(
        name=table.name,
        kind=JointKind.PRISMATIC if table.kind == "prismatic" else JointKind.REVOLUTE,
        axis=table.axis_vector or (sign * x, sign * y, sign * z),
        origin_m=origin,
        origin_wxyz=_turn(table.turned_deg),
        lower=spec.lower,
        upper=spec.upper,
        velocity_limit=spec.max_velocity,
        mass_kg=table.mass_kg,
        centre_m=table.centre_m,
        parent=parent_name or None,
        continuous=table.kind == "continuous",
    )
