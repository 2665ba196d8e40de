"""What ERIK knows of a chain: axes, segment directions, limits, weights of the posture error.

Design overview: a chain of any origin (axes words, Denavit-Hartenberg table, URDF) is looked at
in its zero pose, in the frame of its base. There every joint has an axis and a segment; turning
the joints multiplies rotations about these axes from root to end. Lengths do not matter: ERIK
aims and bends, it does not reach. A segment of no length (axes that meet in one point) takes the
direction of the next one that has a length.

A *twister* turns about its own segment. It bends nothing and so does not count in the posture.

Units and frames: radians; vectors in the base frame of the zero pose, +Y up.
Threading: immutable after construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sera.kinematics._arrays import BoolArray, FloatArray, IntArray
from sera.kinematics._chain_kernels import REVOLUTE
from sera.kinematics.chain import Chain

TWISTER_SINE = 1e-6
"""Axis and segment count as parallel below this sine of the angle between them."""


@dataclass(frozen=True, slots=True)
class ErikModel:
    """Arrays over the n joints of a chain, root first."""

    axes: FloatArray  # (n, 3) unit
    segments: FloatArray  # (n, 3) unit: direction of the segment that the joint carries
    parents: FloatArray  # (n, 3) unit: direction of the segment that carries the joint
    lower_rad: FloatArray  # (n,)
    upper_rad: FloatArray  # (n,)
    weights: FloatArray  # (n,) of |Δ cos bend|: aggravation^i / (2 · norm), nought for twisters
    tip_wxyz: FloatArray  # (4,) orientation of the end point in the zero pose
    bends: FloatArray  # (n, 3) cos bend = A·cos t + B·sin t + C of the joint's own angle t
    endless: BoolArray  # (n,) turns on beyond its limits, which are the same place

    @property
    def joint_count(self) -> int:
        return len(self.axes)

    @property
    def twisters(self) -> BoolArray:
        return self.weights == 0.0


def make_model(
    axes: FloatArray,
    segments_m: FloatArray,
    lower_rad: FloatArray,
    upper_rad: FloatArray,
    *,
    tip_wxyz: FloatArray,
    error_aggravation: float,
    endless: BoolArray | None = None,
) -> ErikModel:
    """Build the model from axes and segments of the zero pose, both in the base frame."""
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    segments = _directions(segments_m)
    # The root's bend is measured from its own segment at rest, as the document does.
    parents = np.vstack([segments[:1], segments[:-1]])
    is_twister = np.linalg.norm(np.cross(axes, segments), axis=1) < TWISTER_SINE
    weights = np.zeros(len(axes))
    weights[~is_twister] = error_aggravation ** np.arange(np.count_nonzero(~is_twister))
    norm = weights.sum()
    if norm > 0.0:
        weights /= 2.0 * norm
    along = np.einsum("ij,ij->i", axes, segments)
    constant = along * np.einsum("ij,ij->i", axes, parents)
    cosine = np.einsum("ij,ij->i", parents, segments) - constant
    sine = np.einsum("ij,ij->i", parents, np.cross(axes, segments))
    return ErikModel(
        axes=np.ascontiguousarray(axes),
        segments=np.ascontiguousarray(segments),
        parents=np.ascontiguousarray(parents),
        lower_rad=np.ascontiguousarray(lower_rad, dtype=np.float64),
        upper_rad=np.ascontiguousarray(upper_rad, dtype=np.float64),
        weights=weights,
        tip_wxyz=np.ascontiguousarray(tip_wxyz, dtype=np.float64),
        bends=np.ascontiguousarray(np.stack([cosine, sine, constant], axis=1)),
        endless=np.zeros(len(axes), dtype=np.bool_) if endless is None else endless,
    )


def model_of_chain(chain: Chain, error_aggravation: float) -> ErikModel:
    """The model of a chain's turning joints; prismatic ones only lengthen the segment below."""
    turning = turning_joints(chain)
    if len(turning) < 1:
        raise ValueError(f"{chain.name!r} has no joint that turns; ERIK needs at least one.")
    starts = [*turning.tolist(), chain.dof]
    segments = chain.zero_segments_m
    return make_model(
        chain.zero_axes[turning],
        np.array([segments[a:b].sum(axis=0) for a, b in pairwise(starts)]),
        chain.lower_rad[turning],
        chain.upper_rad[turning],
        tip_wxyz=chain.zero_tip_wxyz,
        error_aggravation=error_aggravation,
        endless=chain.continuous[turning],
    )


def turning_joints(chain: Chain) -> IntArray:
    """Places of the revolute joints among the joints that move."""
    return np.flatnonzero(chain.kernel_arrays[0] == REVOLUTE).astype(np.int64)


def _directions(segments_m: FloatArray) -> FloatArray:
    """Unit directions; a segment without length takes that of the next, the last ones +Y."""
    directions = np.empty_like(segments_m, dtype=np.float64)
    following = np.array([0.0, 1.0, 0.0])
    for index in range(len(segments_m) - 1, -1, -1):
        length = float(np.linalg.norm(segments_m[index]))
        if length > 1e-9:
            following = segments_m[index] / length
        directions[index] = following
    return directions
