"""What somebody sees of a body: where its parts are, from joint angles alone, with noise.

Design overview
    Angles become places of the joints and of the end by forward kinematics. A person sees a
    silhouette: how high each part is, and how far in front of or behind the foot of the body,
    along the way it faces. The names and intentions behind a posture are not seen.

Units and frames
    Radians in, metres out; heights above the root, and distances along the direction in which the
    end lies from the root (seen from above).

Threading
    None of its own; the random source is the person's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import random

    from sera.animation.body import Body

FloatArray = NDArray[np.float64]
STRAIGHT_UP_M = 0.02
"""An end this near to the axis through the root lies in no direction."""


class PostureReader:
    """Reads the silhouette of one body.

    Args:
        body: whose kinematics is known to everybody who can see.
        end_point: the part that faces somebody; None: the body's only one.
    """

    def __init__(self, body: Body, end_point: str | None = None) -> None:
        self._chain = body.tree.chain(end_point)
        self.joints = tuple(self._chain.joint_names)
        self._root_m = np.asarray(self._chain.root_m)
        self.size = 2 * (len(self._parts(np.zeros(len(self.joints)))))

    def silhouette(self, joints_rad: Mapping[str, float]) -> FloatArray:
        """Height and reach of each part, without noise."""
        angles = np.array([joints_rad.get(name, 0.0) for name in self.joints])
        parts = self._parts(angles)
        sideways = parts[-1, [0, 2]]
        reach_m = math.hypot(*sideways)
        facing = sideways / reach_m if reach_m > STRAIGHT_UP_M else np.array([0.0, 1.0])
        outline: FloatArray = np.concatenate([parts[:, 1], parts[:, [0, 2]] @ facing])
        return outline

    def seen(
        self, joints_rad: Mapping[str, float], noise_m: float, chance: random.Random
    ) -> FloatArray:
        """The same as one look of a person gives it."""
        errors = [chance.gauss(0.0, noise_m) for _ in range(self.size)]
        seen: FloatArray = self.silhouette(joints_rad) + np.array(errors)
        return seen

    def _parts(self, angles: FloatArray) -> FloatArray:
        """Places of the joints, from root to end, and of the end, all seen from the root."""
        places = np.asarray(self._chain.joint_positions_m(angles)) - self._root_m
        end = np.asarray(self._chain.pose(angles).position_m) - self._root_m
        return np.vstack([places, end])
