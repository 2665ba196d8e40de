"""A chain as the kernels of the method `optimal` take it: one tuple of arrays.

Units and frames: radians; axes and segments in the base frame of the zero pose.
Threading: read only.
"""

from __future__ import annotations

from typing import NamedTuple

from sera.kinematics._arrays import FloatArray, IntArray


class Body(NamedTuple):
    """What is the same for every question about a chain."""

    joints: FloatArray  # (n, CHAIN_COLUMNS): axis, limits, weight, bend; see `_table`
    triples: IntArray  # (m, 3) joints that are solved for together, the best first
    curves: IntArray  # (c, 4) triples with a fourth joint that drives them
    last_segment: FloatArray  # (3,) direction of the end point's own segment
    symmetric: bool  # the end point looks the same after half a turn about it
    dear: float  # errors above this are worth descents from further poses
    starts: int  # how many of them, made from the posture's bends
    far_starts: int  # and how many spread all over
