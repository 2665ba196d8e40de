"""Serial chains: one joint after another, one end point.

Design overview: a `Chain` is made of joints from root to end, or from an axes word, a
Denavit-Hartenberg table or a URDF text. Fixed joints are folded away: what is left is one axis
and one segment for every joint that moves, in the base frame of the zero pose. Poses and
Jacobians are computed by compiled kernels on these arrays.

Units and frames: radians (metres for prismatic joints); right-handed base frame, +Y up; geometric
Jacobians with three linear rows first, then three angular ones, in the base frame.
Threading: immutable; all methods may be called from several threads.
Safety: angles of the wrong length and NaN raise ValueError; limits are kept by `clamp` only, so
that a pose beyond a limit can be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles
from sera.kinematics._arrays import FloatArray, IntArray
from sera.kinematics._chain_kernels import (
    PRISMATIC,
    REVOLUTE,
    chain_jacobian,
    chain_points,
    chain_pose,
)
from sera.kinematics._joint_space import JointSpace
from sera.kinematics._zero_pose import zero_pose
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.pose import Pose

if TYPE_CHECKING:  # a tree hands out chains, and a chain its tree
    from sera.kinematics.tree import Tree

ChainArrays: TypeAlias = tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]
Limits: TypeAlias = float | Sequence[tuple[float, float]] | None

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


class Chain(JointSpace):
    """Joints in a row, from the root to one end point."""

    def __init__(
        self,
        joints: Sequence[Joint],
        tip_m: Sequence[float] = (0.0, 0.0, 0.0),
        tip_wxyz: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        name: str = "chain",
    ) -> None:
        """Make a chain of `joints` from root to end; the tip is placed in the last one's frame."""
        joints = tuple(joints)
        _check_row(joints, name)
        super().__init__(joints, name)
        self._tip = Joint(
            "tip", JointKind.FIXED, origin_m=_triple(tip_m), origin_wxyz=_four(tip_wxyz)
        )
        zero = zero_pose((*joints, self._tip), np.arange(-1, len(joints)))
        moving = [index for index, joint in enumerate(joints) if joint.moves]
        points = zero.positions_m[[*moving, len(joints)]]
        kinds = [PRISMATIC if joints[i].kind is JointKind.PRISMATIC else REVOLUTE for i in moving]
        self._arrays: ChainArrays = (
            np.array(kinds, dtype=np.int64),
            np.ascontiguousarray(zero.axes[moving]),
            np.ascontiguousarray(np.diff(points, axis=0)),
            points[0].copy(),
            zero.orientations_wxyz[-1].copy(),
        )

    @classmethod
    def from_axes(
        cls,
        axes: str | Sequence[Sequence[float]],
        limit_rad: Limits = math.pi / 2,
        lengths_m: float | Sequence[float] | None = None,
        names: Sequence[str] | None = None,
        name: str | None = None,
    ) -> Chain:
        """Make a chain of revolute joints with segments along +Y.

        `axes` is a word such as "YXXZY" or one 3-vector for each joint. Segments have the length
        one unless `lengths_m` says otherwise. `limit_rad` is one number for ± that angle
        everywhere, a (lower, upper) pair for each joint, or None for ± π.
        """
        vectors = _vectors_of(axes)
        count = len(vectors)
        lengths = _lengths_of(lengths_m, count)
        limits = limits_of(limit_rad, count)
        joint_names = list(names) if names is not None else [f"joint_{i + 1}" for i in range(count)]
        if len(joint_names) != count:
            raise ValueError(f"{len(joint_names)} names came in for {count} axes; give one each.")
        joints = [
            Joint(
                name=joint_names[index],
                axis=vectors[index],
                origin_m=(0.0, lengths[index - 1] if index else 0.0, 0.0),
                lower=limits[index][0],
                upper=limits[index][1],
            )
            for index in range(count)
        ]
        word = axes if isinstance(axes, str) else f"chain of {count} axes"
        return cls(joints, tip_m=(0.0, lengths[-1], 0.0), name=name or word)

    @classmethod
    def from_dh(
        cls,
        table: Sequence[object],
        modified: bool = False,
        limits_rad: Limits = None,
        names: Sequence[str] | None = None,
    ) -> Chain:
        """Make a chain from a Denavit-Hartenberg table; see `sera.kinematics.dh`."""
        from sera.kinematics.dh import chain_from_dh

        return chain_from_dh(table, modified=modified, limits_rad=limits_rad, names=names)

    @classmethod
    def from_urdf(
        cls, source: str | Path, end: str | None = None, root: str | None = None
    ) -> Chain:
        """Make a chain from a URDF file or text, from link `root` to link `end`.

        `end` may be left out where the robot has a single end; see `sera.kinematics.urdf`.
        """
        from sera.kinematics.urdf import chain_from_urdf

        return chain_from_urdf(source, end=end, root=root)

    def __repr__(self) -> str:
        return f"<Chain {self.name!r}: {self.dof} joints ({', '.join(self.joint_names)})>"

    @property
    def zero_axes(self) -> FloatArray:
        """Unit axes (dof, 3) in the base frame at zero angles. A copy."""
        return self._arrays[1].copy()

    @property
    def zero_segments_m(self) -> FloatArray:
        """Segments (dof, 3) in the base frame at zero angles: from each joint to the next one, the
        last to the end point. A copy.
        """
        return self._arrays[2].copy()

    @property
    def root_m(self) -> FloatArray:
        """Place (3,) of the first joint in the base frame. A copy."""
        return self._arrays[3].copy()

    @property
    def tip(self) -> Joint:
        """The end point, as a joint that does not move: its place in the last one's frame."""
        return self._tip

    @property
    def zero_tip_wxyz(self) -> FloatArray:
        """Orientation (4,) of the end point in the base frame at zero angles. A copy."""
        return self._arrays[4].copy()

    @property
    def kernel_arrays(self) -> ChainArrays:
        """The first five arguments of every kernel in `_chain_kernels`; never write to them.

        (kinds, axes, segments_m, root_m, tip_wxyz), as that file describes them.
        """
        return self._arrays

    def pose(self, angles: ArrayLike) -> Pose:
        """Place and orientation of the end point."""
        checked = checked_angles(angles, self.joint_names, self.name)
        pose = Pose(np.empty(3), np.empty(4))
        chain_pose(*self._arrays, checked, *pose)
        return pose

    def jacobian(self, angles: ArrayLike) -> FloatArray:
        """The geometric Jacobian (6, dof) of the end point."""
        return self.pose_and_jacobian(angles)[1]

    def pose_and_jacobian(self, angles: ArrayLike) -> tuple[Pose, FloatArray]:
        """Pose and Jacobian in one pass over the joints."""
        checked = checked_angles(angles, self.joint_names, self.name)
        pose = Pose(np.empty(3), np.empty(4))
        jacobian = np.empty((6, self.dof))
        chain_jacobian(*self._arrays, checked, *pose, jacobian)
        return pose, jacobian

    def joint_positions_m(self, angles: ArrayLike) -> FloatArray:
        """Places (dof + 1, 3) of all joints that move and, last, of the end point."""
        checked = checked_angles(angles, self.joint_names, self.name)
        points = np.empty((self.dof + 1, 3))
        chain_points(*self._arrays, checked, points)
        return points

    @cached_property
    def tree(self) -> Tree:
        """The same joints as a tree, whose only end point is called "tip"."""
        from sera.kinematics.tree import EndPoint, Tree

        parents = (None, *(joint.name for joint in self.joints))
        joints = [
            replace(joint, parent=parent)
            for joint, parent in zip(self.joints, parents, strict=False)
        ]
        end = EndPoint(parents[-1], self._tip.origin_m, self._tip.origin_wxyz)
        return Tree(joints, {"tip": end}, self.name)

    def centre_of_mass(self, angles: ArrayLike) -> FloatArray:
        """The centre of mass (3,) of the links of this chain."""
        return self.tree.centre_of_mass(angles)

    def centre_of_mass_jacobian(self, angles: ArrayLike) -> FloatArray:
        """How that centre of mass moves with the angles (3, dof)."""
        return self.tree.centre_of_mass_jacobian(angles)


def limits_of(limits_rad: Limits, count: int) -> list[tuple[float, float]]:
    """One (lower, upper) pair for each of `count` joints, from any form that users write."""
    if limits_rad is None:
        return [(-math.pi, math.pi)] * count
    if isinstance(limits_rad, int | float):
        if not (math.isfinite(limits_rad) and limits_rad > 0.0):
            raise ValueError(
                f"limit_rad is {limits_rad}; give an angle above nought, or None for ± π."
            )
        return [(-float(limits_rad), float(limits_rad))] * count
    pairs = list(limits_rad)
    if len(pairs) != count:
        raise ValueError(f"{len(pairs)} limits came in for {count} joints; give one pair each.")
    for index, pair in enumerate(pairs):
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            raise ValueError(
                f"The limit of joint {index + 1} is {pair!r}; give a pair (lower, upper), or one "
                "number for ± that angle on all joints."
            )
    return [(float(lower), float(upper)) for lower, upper in pairs]


def _vectors_of(axes: str | Sequence[Sequence[float]]) -> list[tuple[float, float, float]]:
    if len(axes) == 0:
        raise ValueError('A chain needs at least one axis: a word such as "YXXZY", or vectors.')
    if not isinstance(axes, str):
        return [_triple(axis) for axis in axes]
    for place, letter in enumerate(axes):
        if letter.upper() not in _AXES:
            raise ValueError(
                f"Axis {place + 1} of {axes!r} is {letter!r}; an axes word is made of X, Y and Z."
            )
    return [_AXES[letter.upper()] for letter in axes]


def _lengths_of(lengths_m: float | Sequence[float] | None, count: int) -> list[float]:
    if lengths_m is None:
        return [1.0] * count
    lengths = [lengths_m] * count if isinstance(lengths_m, int | float) else list(lengths_m)
    if len(lengths) != count:
        raise ValueError(f"{len(lengths)} lengths came in for {count} joints; give one each.")
    for index, length in enumerate(lengths):
        if not (math.isfinite(length) and length >= 0.0):
            raise ValueError(
                f"Segment {index + 1} has the length {length}; give metres, 0 or more."
            )
    return [float(length) for length in lengths]


def _check_row(joints: tuple[Joint, ...], name: str) -> None:
    if not any(joint.moves for joint in joints):
        raise ValueError(f"The chain {name!r} has no joint that moves; give it at least one.")
    seen: set[str] = set()
    for previous, joint in zip((None, *joints), joints, strict=False):
        if joint.name in seen:
            raise ValueError(
                f"The chain {name!r} has two joints called {joint.name!r}; rename one."
            )
        seen.add(joint.name)
        if joint.mimic is not None:
            raise ValueError(
                f"Joint {joint.name!r} of {name!r} follows {joint.mimic!r}, and a chain's joints "
                "are free of each other; end the chain before it, or use the tree."
            )
        if joint.parent is not None and (previous is None or joint.parent != previous.name):
            raise ValueError(
                f"Joint {joint.name!r} of {name!r} hangs on {joint.parent!r}, but the one before "
                f"it in the row is {previous.name if previous else 'the base'!r}; sort the joints."
            )


def _triple(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = values
    return (float(x), float(y), float(z))


def _four(values: Sequence[float]) -> tuple[float, float, float, float]:
    w, x, y, z = values
    return (float(w), float(x), float(y), float(z))
