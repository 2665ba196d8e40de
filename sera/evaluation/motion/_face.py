"""Where a body's face looks, by forward kinematics: what an onlooker sees, whoever moved it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sera.animation.body import Body
from sera.animation.engine import Aiming
from sera.kinematics.rotations import rotate

_NAMES = ("head", "face", "gaze", "tip")


class Face:
    """The face of a body; chains that aim know it, otherwise it is the end point of a head."""

    def __init__(self, body: Body) -> None:
        """Raise LookupError where the body has no face."""
        chain = next((each for each in body.chains if each.aims == "Gazing"), None)
        self._aiming = None if chain is None else Aiming(body, chain)
        self._body = body
        if self._aiming is not None:
            return
        ends = body.tree.end_points
        found = [name for name in _NAMES if name in ends]
        if not found:
            raise LookupError(f"'{body.name}' has neither a gaze chain nor an end point 'head'")
        self._kinematics = body.tree.chain(found[0])

    def looks_at_deg(self, own: Mapping[str, float]) -> tuple[float, float]:
        """To the right and upwards, for values of own channels."""
        if self._aiming is not None:
            horizontal, vertical = self._aiming.looks_at(own)
            return math.degrees(horizontal), math.degrees(vertical)
        angles = np.array([own[name] for name in self._kinematics.joint_names])
        turn = self._kinematics.pose(angles).orientation_wxyz
        x, y, z = rotate(turn, (0.0, 0.0, 1.0)).tolist()
        return math.degrees(math.atan2(-x, z)), math.degrees(math.asin(max(-1.0, min(1.0, y))))
