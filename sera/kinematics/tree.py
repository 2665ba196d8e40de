"""Trees of joints: a body with several end points, such as a head and two arms on a trunk.

Design overview: a `Tree` is made of joints that name their parents, or from a URDF. It is laid
out once in its zero pose; poses, Jacobians and the centre of mass are computed by compiled
kernels over all joints. Fixed joints place frames and have no angle; driven joints (`mimic`)
follow the angle of another joint, wherever that is driven to: their own limits are not looked at.
An end point is a named frame that a joint carries; without any given, each joint that carries no
other is one, under its own name.

Units and frames: radians (metres for prismatic joints); right-handed base frame, +Y up; geometric
Jacobians with three linear rows first, then three angular ones, in the base frame. The frame of a
prismatic joint is where its link has slid to.
Threading: immutable; all methods may be called from several threads.
Safety: angles of the wrong length and NaN raise ValueError; limits are kept by `clamp` only, so
that a pose beyond a limit can be looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles, nearest_of
from sera.kinematics._arrays import FloatArray
from sera.kinematics._joint_space import JointSpace
from sera.kinematics._tree_build import TreeArrays, parent_indices, sorted_joints, tree_arrays
from sera.kinematics._tree_kernels import (
    frame_orientations,
    tree_centre_of_mass,
    tree_centre_of_mass_jacobian,
    tree_end_pose,
    tree_frames,
    tree_point_jacobian,
)
from sera.kinematics._zero_pose import zero_pose
from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.pose import Pose
from sera.kinematics.rotations import multiply, rotate


@dataclass(frozen=True, slots=True)
class EndPoint:
    """A frame that a joint carries, or the base where `joint` is None."""

    joint: str | None
    offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    offset_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


class Frames(NamedTuple):
    """Frames of all joints of a tree, in the order of `tree.frame_names`."""

    positions_m: FloatArray  # (n, 3)
    orientations_wxyz: FloatArray  # (n, 4)


class _End(NamedTuple):
    """An end point in the zero pose, as the kernels take it."""

    joint: int
    offset_m: FloatArray
    orientation_wxyz: FloatArray


class Tree(JointSpace):
    """Joints that branch from one base."""

    def __init__(
        self,
        joints: Sequence[Joint],
        end_points: Mapping[str, EndPoint] | None = None,
        name: str = "tree",
        frames: Mapping[str, EndPoint] | None = None,
    ) -> None:
        """Make a tree of joints that name their parents, in any order.

        `frames` are further names that `pose`, `jacobian` and `chain` know, such as links; joints
        are known by their names anyway.
        """
        ordered = sorted_joints(joints, name)
        drivers = [joint.mimic for joint in ordered if joint.mimic is not None]
        # Wrapping the turn of a joint that drives another would make the other one jump.
        super().__init__(ordered, name, locked_turn=drivers)
        parents = parent_indices(ordered)
        self._zero = zero_pose(ordered, parents)
        self._arrays = tree_arrays(ordered, parents, self._zero, name)
        self.frame_names: tuple[str, ...] = tuple(joint.name for joint in ordered)
        if end_points is None:
            carriers = {joint.parent for joint in ordered}
            end_points = {
                joint.name: EndPoint(joint.name) for joint in ordered if joint.name not in carriers
            }
        self.end_points: dict[str, EndPoint] = dict(end_points)
        self._named = {joint_name: EndPoint(joint_name) for joint_name in self.frame_names}
        self._named |= dict(frames or {}) | self.end_points
        self._ends = {key: self._laid_out(key, end) for key, end in self.end_points.items()}
        self._masses = np.array([joint.mass_kg for joint in ordered], dtype=np.float64)
        self._centres = np.zeros((len(ordered), 3))
        for index, joint in enumerate(ordered):
            self._centres[index] = rotate(self._zero.orientations_wxyz[index], joint.centre_m)
        self.mass_kg = float(self._masses.sum())

    @classmethod
    def from_urdf(cls, source: str | Path, end_points: Sequence[str] | None = None) -> Tree:
        """Make a tree from a URDF file or text; end points are links, the leaves unless named.

        See `sera.kinematics.urdf` for frames and for what is refused.
        """
        from sera.kinematics.urdf import tree_from_urdf

        return tree_from_urdf(source, end_points=end_points)

    def __repr__(self) -> str:
        ends = ", ".join(self.end_points)
        return f"<Tree {self.name!r}: {self.dof} joints that move, end points {ends or 'none'}>"

    @property
    def kernel_arrays(self) -> TreeArrays:
        """The eight arrays of `_tree_kernels`, as that file describes them; never write to them."""
        return self._arrays

    @property
    def mass_arrays(self) -> tuple[FloatArray, FloatArray]:
        """Masses (n,) and centres (n, 3) for `_tree_kernels`; never write to them."""
        return self._masses, self._centres

    def end_in_zero_pose(self, end_point: str) -> tuple[int, FloatArray, FloatArray]:
        """Joint, offset and orientation of an end point as `tree_end_pose` takes them."""
        return self._end(end_point)

    def forward(self, angles: ArrayLike) -> Frames:
        """Places and orientations of the frames of all joints, fixed ones too."""
        positions, turns, _ = self._frames(angles)
        orientations = np.empty_like(turns)
        frame_orientations(turns, self._arrays[7], orientations)
        return Frames(positions, orientations)

    def pose(self, angles: ArrayLike, end_point: str | None = None) -> Pose:
        """Place and orientation of an end point; its name may be left out if there is only one."""
        end = self._end(end_point)
        positions, turns, _ = self._frames(angles)
        pose = Pose(np.empty(3), np.empty(4))
        tree_end_pose(*end, positions, turns, *pose)
        return pose

    def poses(self, angles: ArrayLike, end_points: Sequence[str]) -> list[Pose]:
        """Places and orientations of several end points in one pass."""
        positions, turns, _ = self._frames(angles)
        found = []
        for name in end_points:
            pose = Pose(np.empty(3), np.empty(4))
            tree_end_pose(*self._end(name), positions, turns, *pose)
            found.append(pose)
        return found

    def jacobian(self, angles: ArrayLike, end_point: str | None = None) -> FloatArray:
        """The geometric Jacobian (6, dof) of an end point."""
        return self.pose_and_jacobian(angles, end_point)[1]

    def pose_and_jacobian(
        self, angles: ArrayLike, end_point: str | None = None
    ) -> tuple[Pose, FloatArray]:
        """Pose and Jacobian of an end point in one pass."""
        end = self._end(end_point)
        positions, turns, directions = self._frames(angles)
        pose = Pose(np.empty(3), np.empty(4))
        tree_end_pose(*end, positions, turns, *pose)
        jacobian = np.empty((6, self.dof))
        tree_point_jacobian(
            end.joint, *self._arrays[:4], positions, directions, pose.position_m, jacobian
        )
        return pose, jacobian

    def centre_of_mass(self, angles: ArrayLike) -> FloatArray:
        """The centre of mass (3,) of all links that have a mass."""
        return self._centre_of_mass(*self._frames(angles)[:2])[0]

    def centre_of_mass_jacobian(self, angles: ArrayLike) -> FloatArray:
        """How the centre of mass moves with the angles (3, dof)."""
        positions, turns, directions = self._frames(angles)
        _, moments = self._centre_of_mass(positions, turns)
        jacobian = np.empty((3, self.dof))
        carried = np.empty(len(self.joints))
        tree_centre_of_mass_jacobian(
            self._masses, *self._arrays[:4], positions, directions, carried, moments, jacobian
        )
        return jacobian

    def chain(self, end_point: str | None = None) -> Chain:
        """The row of joints from the base to an end point, without anything that branches off."""
        key = self._key(end_point)
        end = self._named[key]
        by_name = {joint.name: joint for joint in self.joints}
        row: list[Joint] = []
        name = end.joint
        while name is not None:
            row.append(by_name[name])
            name = by_name[name].parent
        return Chain(row[::-1], end.offset_m, end.offset_wxyz, name=key)

    def _frames(self, angles: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        checked = checked_angles(angles, self.joint_names, self.name)
        count = len(self.joints)
        positions, turns, directions = (
            np.empty((count, 3)),
            np.empty((count, 4)),
            np.empty((count, 3)),
        )
        tree_frames(*self._arrays, checked, positions, turns, directions)
        return positions, turns, directions

    def _centre_of_mass(
        self, positions: FloatArray, turns: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if self.mass_kg <= 0.0:
            raise ValueError(
                f"No joint of {self.name!r} has a mass, so there is no centre of mass; give "
                "mass_kg and centre_m to its joints (<inertial> in a URDF)."
            )
        centre, moments = np.empty(3), np.empty((len(self.joints), 3))
        tree_centre_of_mass(self._masses, self._centres, positions, turns, moments, centre)
        return centre, moments

    def _key(self, end_point: str | None) -> str:
        if end_point is None and len(self.end_points) == 1:
            return next(iter(self.end_points))
        if end_point is None:
            names = ", ".join(map(repr, self.end_points)) or "none"
            raise ValueError(f"Say which end point of {self.name!r} is meant; it has {names}.")
        if end_point not in self._named:
            known = self.end_points or self._named
            near = nearest_of(end_point, self._named)
            hint = near if near.startswith("did") else nearest_of(end_point, known)
            raise ValueError(f"{self.name!r} has no end point {end_point!r}; {hint}")
        return end_point

    def _end(self, end_point: str | None) -> _End:
        asked = end_point or ""
        end = self._ends.get(asked)
        if end is None:
            key = self._key(end_point)
            end = self._ends[asked] = self._laid_out(key, self._named[key])
        return end

    def _laid_out(self, key: str, end: EndPoint) -> _End:
        # A joint's checks hold for an end point as well: finite numbers, a unit quaternion.
        probe = Joint(
            f"end point {key}",
            JointKind.FIXED,
            origin_m=end.offset_m,
            origin_wxyz=end.offset_wxyz,
        )
        if end.joint is None:
            return _End(-1, np.array(probe.origin_m), np.array(probe.origin_wxyz))
        if end.joint not in self.frame_names:
            hint = nearest_of(end.joint, self.frame_names)
            raise ValueError(
                f"The end point {key!r} of {self.name!r} is carried by {end.joint!r}, which is no "
                f"joint; {hint}"
            )
        index = self.frame_names.index(end.joint)
        turned = self._zero.orientations_wxyz[index]
        return _End(index, rotate(turned, probe.origin_m), multiply(turned, probe.origin_wxyz))
