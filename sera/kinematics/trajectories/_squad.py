"""The spherical curve squad and its exact angular velocity, on arrays of many moments at once.

Design overview: between the orientations q0 and q1 squad mixes two great arcs, one from q0 to q1
and one between two controls s0 and s1, as `slerp(arc(u), controls(u), 2 u (1 - u))`. Its angular
velocity at the ends depends on the controls alone, so that they are chosen for the velocity that
is wanted there: for any spacing of the knots in time, where the usual formula for controls is
right for even spacing only (and is the same then).

Rotation vectors are axis times angle, in the frame of the body. Logarithms here never change the
sign of a quaternion: a curve must not switch to the other way round in its middle.
"""

from __future__ import annotations

import math

import numpy as np

from sera.kinematics._arrays import BoolArray, FloatArray
from sera.kinematics.rotations import conjugate, from_rotation_vector, multiply, rotate

_STEEPEST = 3.0
_FARTHEST = 1.8 * math.pi  # twice the angle between a knot and its control


def log_vector(wxyz: FloatArray) -> FloatArray:
    """The rotation vector of a quaternion as it stands, of a length of up to 2 π."""
    sine = np.linalg.norm(wxyz[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, wxyz[..., :1])
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(sine > 1e-150, angle / sine, 2.0)
    return np.asarray(factor * wxyz[..., 1:])


def mean_turning(arcs: FloatArray, lengths_s: FloatArray) -> FloatArray:
    """Angular velocities (n, 3) at n knots, in the frame of the body; nought at both ends."""
    slopes = arcs / lengths_s
    turning = np.zeros((len(arcs) + 1, 3))
    before, after = lengths_s[:-1], lengths_s[1:]
    mean = (slopes[:-1] * after + slopes[1:] * before) / (before + after)
    speeds = np.linalg.norm(slopes, axis=1, keepdims=True)
    bound = _STEEPEST * np.minimum(speeds[:-1], speeds[1:])
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.minimum(1.0, bound / np.linalg.norm(mean, axis=1, keepdims=True))
    turning[1:-1] = np.where(np.isfinite(share), share, 0.0) * mean
    while True:  # a velocity of nought always fits, as an arc is at most half a turn
        too_far = _too_far(turning, arcs, lengths_s)
        if not too_far.any():
            return turning
        turning[too_far] *= 0.5


def check_turning(turning: FloatArray, arcs: FloatArray, lengths_s: FloatArray) -> None:
    """Refuse angular velocities that would wind a piece up by more than a turn."""
    too_far = np.flatnonzero(_too_far(turning, arcs, lengths_s))
    if too_far.size:
        knot = int(too_far[0])
        speed = float(np.linalg.norm(turning[knot]))
        raise ValueError(
            f"The angular velocity at knot {knot + 1} is {speed:.3g} rad/s, which would turn more "
            "than once round within a piece beside it; slow down or put knots between."
        )


def _too_far(turning: FloatArray, arcs: FloatArray, lengths_s: FloatArray) -> BoolArray:
    """Knots (n,) whose velocity puts a control too far from its knot to stay on its side."""
    found = np.zeros(len(turning), dtype=np.bool_)
    found[:-1] |= np.linalg.norm(turning[:-1] * lengths_s - arcs, axis=1) > _FARTHEST
    found[1:] |= np.linalg.norm(turning[1:] * lengths_s - arcs, axis=1) > _FARTHEST
    return found


def controls(
    start: FloatArray,
    end: FloatArray,
    arc: FloatArray,
    turn_start: FloatArray,
    turn_end: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The first control of each piece and the rotation vector to the second one.

    `turn_start` and `turn_end` are angular velocities at the ends times the piece's duration.
    """
    first = multiply(start, from_rotation_vector(0.5 * (turn_start - arc)))
    second = multiply(end, from_rotation_vector(0.5 * (arc - turn_end)))
    return first, log_vector(multiply(conjugate(first), second))


def squad(
    start: FloatArray, arc: FloatArray, control: FloatArray, control_arc: FloatArray, u: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Orientations (n, 4) and rotation per unit of u (n, 3), in the base frame."""
    u = u[:, np.newaxis]
    on_arc = multiply(start, from_rotation_vector(u * arc))
    between = multiply(conjugate(on_arc), multiply(control, from_rotation_vector(u * control_arc)))
    apart = log_vector(between)
    share, share_rate = 2.0 * u * (1.0 - u), 2.0 - 4.0 * u
    apart_rate = _inverse_right(apart, control_arc - rotate(conjugate(between), arc))
    bent = from_rotation_vector(share * apart)
    bent_rate = _right(share * apart, share_rate * apart + share * apart_rate)
    orientation = multiply(on_arc, bent)
    body_rate = rotate(conjugate(bent), arc) + bent_rate
    return orientation, rotate(orientation, body_rate)


def _right(vector: FloatArray, rate: FloatArray) -> FloatArray:
    """Body angular velocity of exp(vector) whose vector changes at `rate` (right Jacobian)."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    once = np.cross(vector, rate)
    half = np.sinc(0.5 * angle / math.pi)
    with np.errstate(invalid="ignore", divide="ignore"):
        cubic = np.where(
            angle < 1e-3, 1.0 / 6.0 - angle**2 / 120.0, (angle - np.sin(angle)) / angle**3
        )
    return np.asarray(rate - 0.5 * half**2 * once + cubic * np.cross(vector, once))


def _inverse_right(vector: FloatArray, body_rate: FloatArray) -> FloatArray:
    """How a rotation vector changes at a body angular velocity (inverse of `_right`)."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    once = np.cross(vector, body_rate)
    half = 0.5 * angle
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(
            angle < 1e-3, 1.0 / 12.0 + angle**2 / 720.0, (1.0 - half / np.tan(half)) / angle**2
        )
    return np.asarray(body_rate + 0.5 * once + factor * np.cross(vector, once))
