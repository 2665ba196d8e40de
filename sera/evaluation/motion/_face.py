"""Where a body's face looks, by forward kinematics: what an onlooker sees, whoever moved it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.animation.body import Body, face_of
from sera.animation.engine import FACES
from sera.kinematics.rotations import rotate


class Face:
    """The face of a body."""

    def __init__(self, body: Body) -> None:
        """Raise LookupError where the body has no face."""
        found = face_of(body)
        if found is None:
            raise LookupError(f"'{body.name}' has neither a gaze chain nor an end point 'head'")
        self._axis = FACES[found.axis]
        self._kinematics = body.tree.chain(found.end_point)

    def looks_at_deg(self, own: Mapping[str, float]) -> tuple[float, float]:
        """To the right and upwards, for values of own channels."""
        angles = [own[name] for name in self._kinematics.joint_names]
        turn = self._kinematics.pose(angles).orientation_wxyz
        x, y, z = rotate(turn, self._axis).tolist()
        return math.degrees(math.atan2(-x, z)), math.degrees(math.asin(max(-1.0, min(1.0, y))))
