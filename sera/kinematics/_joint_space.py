"""What chains and trees share: the joints that have an angle, their names, order and limits.

Units and frames: radians; metres for prismatic joints.
Threading: immutable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles, nearest_of, wrapped
from sera.kinematics._arrays import BoolArray, FloatArray
from sera.kinematics.joints import Joint


class JointSpace:
    """The angles of a body: one for each joint that moves freely, in a fixed order.

    `name`, `joints` (all of them), `joint_names` (those with an angle) and `dof` (how many) are
    plain attributes.
    """

    def __init__(self, joints: Sequence[Joint], name: str, locked_turn: Sequence[str] = ()) -> None:
        """Take all joints of a body; those of `locked_turn` are held at ± π even if continuous."""
        free = [joint for joint in joints if joint.has_angle]
        self.name = name
        self.joints: tuple[Joint, ...] = tuple(joints)
        self.joint_names: tuple[str, ...] = tuple(joint.name for joint in free)
        self.dof = len(free)
        self._lower = np.array([joint.lower for joint in free], dtype=np.float64)
        self._upper = np.array([joint.upper for joint in free], dtype=np.float64)
        self._velocity = np.array([joint.velocity_limit for joint in free], dtype=np.float64)
        self._continuous = np.array(
            [joint.continuous and joint.name not in locked_turn for joint in free], dtype=np.bool_
        )
        self._any_continuous = bool(self._continuous.any())

    @property
    def lower_rad(self) -> FloatArray:
        """Lower limits (dof,); metres for prismatic joints. A copy."""
        return self._lower.copy()

    @property
    def upper_rad(self) -> FloatArray:
        """Upper limits (dof,); metres for prismatic joints. A copy."""
        return self._upper.copy()

    @property
    def velocity_limits(self) -> FloatArray:
        """Velocity limits (dof,), radians or metres a second, infinite where none is known."""
        return self._velocity.copy()

    @property
    def continuous(self) -> BoolArray:
        """Which joints turn without end (dof,). A copy."""
        return self._continuous.copy()

    @property
    def neutral(self) -> FloatArray:
        """Zero angles, or the limits that are nearest to zero (dof,)."""
        return np.minimum(np.maximum(np.zeros(self.dof), self._lower), self._upper)

    def clamp(self, angles: ArrayLike) -> FloatArray:
        """The nearest angles within the limits; continuous joints are wrapped into ± π."""
        checked = checked_angles(angles, self.joint_names, self.name)
        if self._any_continuous:
            checked = np.where(self._continuous, wrapped(checked), checked)
        return np.minimum(np.maximum(checked, self._lower), self._upper)

    def within_limits(self, angles: ArrayLike, tolerance: float = 0.0) -> bool:
        """Whether all angles are within their limits; a continuous joint always is."""
        checked = checked_angles(angles, self.joint_names, self.name)
        inside = (checked >= self._lower - tolerance) & (checked <= self._upper + tolerance)
        return bool(np.all(inside | self._continuous))

    def index(self, joint_name: str) -> int:
        """The place of a joint in the angles."""
        try:
            return self.joint_names.index(joint_name)
        except ValueError:
            raise ValueError(self._no_angle(joint_name)) from None

    def angles_of(self, by_name: Mapping[str, float], start: ArrayLike | None = None) -> FloatArray:
        """Angles (dof,) with the named joints set; all others as in `start`, or neutral."""
        if start is None:
            angles = self.neutral
        else:
            angles = checked_angles(start, self.joint_names, self.name).copy()
        for joint_name, angle in by_name.items():
            angles[self.index(joint_name)] = angle
        return checked_angles(angles, self.joint_names, self.name)

    def by_name(self, angles: ArrayLike) -> dict[str, float]:
        """The angles under the names of their joints."""
        checked = checked_angles(angles, self.joint_names, self.name)
        return dict(zip(self.joint_names, checked.tolist(), strict=True))

    def _no_angle(self, joint_name: str) -> str:
        for joint in self.joints:
            if joint.name == joint_name and joint.mimic is not None:
                return (
                    f"Joint {joint_name!r} of {self.name!r} has no angle of its own: it follows "
                    f"{joint.mimic!r}; set that one."
                )
            if joint.name == joint_name:
                return f"Joint {joint_name!r} of {self.name!r} is fixed and has no angle."
        hint = nearest_of(joint_name, self.joint_names)
        return f"{self.name!r} has no joint {joint_name!r}; {hint}"
