"""The error function of ERIK: how far a pose is from the orientation and from the posture.

orientation = min(|τ-ω|, |τ+ω|) / √2, with a symmetric end point also against the end turned by π
about its own segment; posture = Σ weight · |cos bend of the pose - cos bend of the posture|.
Both lie in [0, 1]. combined = 1.0 · orientation + 0.2 · posture by default.
"""

from __future__ import annotations

import math

from sera.kinematics._arrays import FloatArray
from sera.kinematics._compile import kernel
from sera.kinematics._quaternions import Quaternion, about, dot4, multiply, row3


@kernel
def orientation_of(axes: FloatArray, angles: FloatArray) -> Quaternion:
    """The turn of the end point from its zero pose: the product of the joints' turns."""
    turn = (1.0, 0.0, 0.0, 0.0)
    for index in range(angles.shape[0]):
        turn = multiply(turn, about(row3(axes, index), angles[index]))
    return turn


@kernel
def distance(likeness: float) -> float:
    """min(|τ-ω|, |τ+ω|) / √2 from the scalar product of the two unit quaternions."""
    return math.sqrt(max(0.0, 1.0 - abs(likeness)))


@kernel
def flipped(turn: Quaternion, last_segment: FloatArray) -> Quaternion:
    """`turn` followed by half a turn about the end's own segment."""
    half = (0.0, last_segment[0], last_segment[1], last_segment[2])
    return multiply(turn, half)


@kernel
def orientation_error(
    turn: Quaternion, target: Quaternion, last_segment: FloatArray, symmetric: bool
) -> float:
    """Both turns are counted from the zero pose."""
    likeness = abs(dot4(turn, target))
    if symmetric:
        likeness = max(likeness, abs(dot4(flipped(turn, last_segment), target)))
    return distance(likeness)


@kernel
def cosine_of_bend(bends: FloatArray, index: int, angle_rad: float) -> float:
    """Cosine of the angle between a joint's segment and its parent's."""
    return (
        bends[index, 0] * math.cos(angle_rad)
        + bends[index, 1] * math.sin(angle_rad)
        + bends[index, 2]
    )


@kernel
def posture_error(
    angles: FloatArray, posture: FloatArray, bends: FloatArray, weights: FloatArray
) -> float:
    total = 0.0
    for index in range(angles.shape[0]):
        if weights[index] != 0.0:
            total += weights[index] * abs(
                cosine_of_bend(bends, index, angles[index])
                - cosine_of_bend(bends, index, posture[index])
            )
    return total
