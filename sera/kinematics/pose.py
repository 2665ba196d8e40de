"""A place and an orientation in space.

Units and frames: metres; unit quaternions (w, x, y, z); right-handed, +Y up.
"""

from __future__ import annotations

from typing import NamedTuple

from sera.kinematics._arrays import FloatArray


class Pose(NamedTuple):
    """Where a frame is and how it is turned, seen from the base frame.

    A named tuple, so that `position_m, orientation_wxyz = chain.pose(angles)` reads well and
    costs little.
    """

    position_m: FloatArray  # (3,)
    orientation_wxyz: FloatArray  # (4,)
