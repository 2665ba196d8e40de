"""The level that keeps joints from their ends, for the top of a continuous hierarchy.

Design overview: joints are normalised, -1 and 1 at their ends. Near an end a joint is driven to
the middle of its range, with an activation that grows from 0 where the band begins to 1 at the
end (`limit_activation`). Velocities of the hierarchy are then those of normalised joints, so that
Jacobians of all other levels are scaled: their columns by half of the joint's range.

Units and frames: radians or metres for joints, 1/s for the gain.
Threading: immutable.
Safety: this pushes back softly; it is no clamp, and the joint may be driven past its end by a step
that is too long. Who moves a robot clamps as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from sera.kinematics._angles import checked_angles
from sera.kinematics._arrays import FloatArray
from sera.kinematics._joint_space import JointSpace
from sera.kinematics.continuous.activation import limit_activation
from sera.kinematics.continuous.levels import Level


class JointLimits:
    """Ends of the joints of one body."""

    def __init__(
        self,
        body: JointSpace,
        *,
        free: Iterable[str] = (),
        gain: float = 2.0,
        band: float = 0.1,
    ) -> None:
        """Look up the ends.

        Args:
            body: a chain or a tree.
            free: joints without ends, such as a platform's; continuous joints are anyway.
            gain: how fast a joint is driven back, 1/s: K_1.
            band: share of the half range where that begins: beta.

        Raises:
            ValueError: unknown joints, a joint without a range, numbers out of their range.
        """
        limit_activation(0.0, band)
        if not (math.isfinite(gain) and gain >= 0.0):
            raise ValueError(f"The gain of the joint limits is {gain}; give 0 or more, in 1/s.")
        lower, upper = body.lower_rad, body.upper_rad
        held = ~body.continuous
        held[[body.index(name) for name in free]] = False
        for name, has_ends, low, high in zip(body.joint_names, held, lower, upper, strict=True):
            if has_ends and not low < high:
                raise ValueError(
                    f"Joint {name!r} of {body.name!r} has no range ({low} to {high}); name it in "
                    "`free`, or leave it out of the body."
                )
        self.body, self.gain, self.band = body, gain, band
        self._half = np.where(held, 0.5 * (upper - lower), 1.0)
        self._middle = np.where(held, 0.5 * (upper + lower), 0.0)
        self._held = np.flatnonzero(held)
        self._rows = np.ascontiguousarray(np.eye(body.dof)[self._held])

    def normalised(self, angles: ArrayLike) -> FloatArray:
        """Angles (n,) with -1 and 1 at the ends; joints without ends as they are."""
        checked = checked_angles(angles, self.body.joint_names, self.body.name)
        return np.asarray((checked - self._middle) / self._half)

    def ends(self, angles: ArrayLike) -> FloatArray:
        """The same for the joints that have ends, and none of the others."""
        return self.normalised(angles)[self._held]

    def scaled(self, jacobian: ArrayLike) -> FloatArray:
        """A Jacobian (m, n) for velocities of normalised joints."""
        return np.asarray(jacobian, dtype=np.float64) * self._half

    def unscaled(self, velocity: ArrayLike) -> FloatArray:
        """Velocities (n,) of the joints themselves from those of normalised ones."""
        return np.asarray(velocity, dtype=np.float64) * self._half

    def level(self, angles: ArrayLike) -> Level:
        """What the joints near their ends ask for."""
        off_middle = self.ends(angles)
        return Level(self._rows, -self.gain * off_middle, limit_activation(off_middle, self.band))
