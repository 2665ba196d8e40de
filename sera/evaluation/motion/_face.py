"""Where a body's face is and looks, by forward kinematics: what an onlooker sees, whoever moved it.

What aims the gaze is not asked: of the body file alone comes which end point looks, and along which
of its axes. Units and frames: metres, degrees, in the frame of the body's base. Threading: pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sera.animation.body import Body
from sera.kinematics.rotations import rotate

FloatArray = NDArray[np.float64]
_NAMES = ("head", "face", "gaze", "tip")


class Face:
    """The face of a body."""

    def __init__(self, body: Body) -> None:
        """Raise LookupError if the body has no face."""
        chain = next((each for each in body.chains if each.aims == "Gazing"), None)
        names = _NAMES if chain is None else (chain.end_point,)
        found = [name for name in names if name in body.tree.end_points]
        if not found:
            raise LookupError(f"'{body.name}' has neither a gaze chain nor an end point 'head'")
        self.end_point = found[0]
        axis = "z" if chain is None else str(chain.face)
        self._axis = (-1.0 if axis.startswith("-") else 1.0) * np.eye(3)["xyz".index(axis[-1])]
        self._kinematics = body.tree.chain(self.end_point)

    def look(self, own: Mapping[str, float]) -> tuple[FloatArray, FloatArray]:
        """Its place and the unit vector along which it looks, for values of own channels."""
        pose = self._kinematics.pose([own[name] for name in self._kinematics.joint_names])
        return np.asarray(pose.position_m), np.asarray(rotate(pose.orientation_wxyz, self._axis))

    def looks_at_deg(self, own: Mapping[str, float]) -> tuple[float, float]:
        """To the right and upwards."""
        x, y, z = self.look(own)[1].tolist()
        return math.degrees(math.atan2(-x, z)), math.degrees(math.asin(max(-1.0, min(1.0, y))))
