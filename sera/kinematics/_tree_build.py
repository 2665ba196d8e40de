"""Sort and check the joints of a tree, and lay them out for the kernels.

Units and frames: as in `_tree_kernels`, which describes the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from sera.kinematics._angles import nearest_of
from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import PRISMATIC, REVOLUTE
from sera.kinematics._tree_kernels import FIXED
from sera.kinematics._zero_pose import ZeroPose
from sera.kinematics.joints import Joint, JointKind

TreeArrays: TypeAlias = tuple[
    IntArray, IntArray, IntArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray
]

_KINDS = {JointKind.REVOLUTE: REVOLUTE, JointKind.PRISMATIC: PRISMATIC, JointKind.FIXED: FIXED}


def sorted_joints(joints: Sequence[Joint], owner: str) -> list[Joint]:
    """Parents before children, branch after branch, otherwise in the order given."""
    by_name: dict[str, Joint] = {}
    for joint in joints:
        if joint.name in by_name:
            raise ValueError(
                f"The tree {owner!r} has two joints called {joint.name!r}; rename one."
            )
        by_name[joint.name] = joint
    children: dict[str | None, list[Joint]] = {}
    for joint in joints:
        if joint.parent is not None and joint.parent not in by_name:
            raise ValueError(
                f"Joint {joint.name!r} of {owner!r} hangs on {joint.parent!r}, which is no joint; "
                f"{nearest_of(joint.parent, by_name)}"
            )
        children.setdefault(joint.parent, []).append(joint)
    found: list[Joint] = []
    waiting = children.get(None, [])[::-1]
    while waiting:
        joint = waiting.pop()
        found.append(joint)
        waiting.extend(children.get(joint.name, [])[::-1])
    if len(found) < len(joints):
        reached = {joint.name for joint in found}
        lost = [joint.name for joint in joints if joint.name not in reached]
        raise ValueError(
            f"The joints {', '.join(map(repr, lost))} of {owner!r} hang on each other in a ring; "
            "one joint of the ring needs the parent None or one outside of it."
        )
    return found


def parent_indices(joints: Sequence[Joint]) -> IntArray:
    """The place of each joint's parent among joints that are sorted; -1 for the base."""
    place: dict[str | None, int] = {joint.name: index for index, joint in enumerate(joints)}
    place[None] = -1
    return np.array([place[joint.parent] for joint in joints], dtype=np.int64)


def driver_of(joint: Joint, by_name: dict[str, Joint], owner: str) -> tuple[str, float, float]:
    """The free joint at the end of a row of followers, with multiplier and shift to get there."""
    multiplier, shift = 1.0, 0.0
    seen = [joint.name]
    while joint.mimic is not None:
        multiplier, shift = multiplier * joint.multiplier, shift + multiplier * joint.shift
        if joint.mimic not in by_name:
            hint = nearest_of(joint.mimic, by_name)
            raise ValueError(
                f"Joint {joint.name!r} of {owner!r} follows {joint.mimic!r}, which is no joint; "
                f"{hint}"
            )
        joint = by_name[joint.mimic]
        if joint.name in seen:
            ring = " -> ".join([*seen, joint.name])
            raise ValueError(f"Joints of {owner!r} follow each other in a ring: {ring}; free one.")
        seen.append(joint.name)
    if not joint.moves:
        raise ValueError(
            f"Joint {seen[-2]!r} of {owner!r} follows {joint.name!r}, which is fixed; make it move "
            "or remove the relation."
        )
    return joint.name, multiplier, shift


def tree_arrays(
    joints: Sequence[Joint], parents: IntArray, zero: ZeroPose, owner: str
) -> TreeArrays:
    """The arrays of `_tree_kernels` for sorted joints."""
    by_name = {joint.name: joint for joint in joints}
    column_of = {
        name: column
        for column, name in enumerate(joint.name for joint in joints if joint.has_angle)
    }
    columns = np.full(len(joints), -1, dtype=np.int64)
    multipliers = np.zeros(len(joints))
    shifts = np.zeros(len(joints))
    for index, joint in enumerate(joints):
        if joint.moves:
            driver, multipliers[index], shifts[index] = driver_of(joint, by_name, owner)
            columns[index] = column_of[driver]
    carried = parents >= 0
    offsets = zero.positions_m.copy()
    offsets[carried] -= zero.positions_m[parents[carried]]
    return (
        parents,
        np.array([_KINDS[joint.kind] for joint in joints], dtype=np.int64),
        columns,
        multipliers,
        shifts,
        zero.axes,
        offsets,
        zero.orientations_wxyz,
    )
