"""Where the head turns: straight at the partner, averted, or anything between.

    direct = look_at(eyes_m, partner_m)
    head = averted(direct, features.gaze, side="left")

Design overview: the document turns the head from wherever the posture has it (gaze 0) towards the
partner (gaze 1): `directed`. But where the posture has the head depends on activity, so that a
lively robot averts its gaze by a few degrees only. `averted` therefore turns away from the partner
by angles of its own, aside and down, whatever the body does: the aside is a yaw about the vertical
and the down a pitch of the head, so that the head stays upright.

These run once a frame, and four numbers are turned faster without arrays: hence plain floats here,
where `sera.kinematics.rotations` works on arrays of any shape.

Units and frames: metres and quaternions (w, x, y, z); right-handed, +Y up, a head faces along its
+Z; angles in degrees where they are settings.
Threading: pure.
Safety: what is not finite is refused. A partner straight above or below has an orientation, too,
and one at the very place of the eyes is looked at straight ahead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sera.emotion.profile import GazeManner

FloatArray = NDArray[np.float64]
Numbers = Sequence[float] | FloatArray
Side = Literal["left", "right"]
_Wxyz = tuple[float, float, float, float]
_NEAREST_M = 1e-6
_POLE = 1e-6
"""Sine of the angle to the vertical below which there is no upright any more."""
_UNIT = 1e-3
_PARALLEL = 1e-9


def look_at(eyes_m: Numbers, partner_m: Numbers) -> FloatArray:
    """The orientation whose +Z points at the partner and whose +Y is as upright as can be.

    Straight above or below, the left of the head stays the left of the robot.
    """
    eyes, partner = _floats(eyes_m, 3, "eyes"), _floats(partner_m, 3, "partner")
    left, up, ahead = (b - a for a, b in zip(eyes, partner, strict=True))
    level = math.hypot(left, ahead)
    distance = math.hypot(level, up)
    if distance < _NEAREST_M:
        return np.array([1.0, 0.0, 0.0, 0.0])
    half_yaw = 0.5 * math.atan2(left, ahead) if level > _POLE * distance else 0.0
    half_pitch = -0.5 * math.atan2(up, level)  # a pitch about +X is downwards
    cos_yaw, sin_yaw = math.cos(half_yaw), math.sin(half_yaw)
    cos_pitch, sin_pitch = math.cos(half_pitch), math.sin(half_pitch)
    return np.array(
        [cos_yaw * cos_pitch, cos_yaw * sin_pitch, sin_yaw * cos_pitch, -sin_yaw * sin_pitch]
    )


def directed(posed_wxyz: Numbers, direct_wxyz: Numbers, gaze: float) -> FloatArray:
    """The document's form: from where the posture has the head (0) to the partner (1)."""
    share = _share(gaze)
    posed = _orientation(posed_wxyz, "posed head")
    direct = _orientation(direct_wxyz, "direct gaze")
    if share == 0.0:
        return np.array(posed)
    if share == 1.0:
        return np.array(direct)
    cosine = math.fsum(a * b for a, b in zip(posed, direct, strict=True))
    sign = -1.0 if cosine < 0.0 else 1.0  # the shorter way round
    chord = math.dist(posed, [sign * one for one in direct])
    angle = 2.0 * math.asin(min(1.0, 0.5 * chord))  # exact for small angles, unlike the cosine
    first, second = 1.0 - share, share
    if angle > _PARALLEL:
        sine = math.sin(angle)
        first, second = math.sin(first * angle) / sine, math.sin(second * angle) / sine
    mixed = [first * a + sign * second * b for a, b in zip(posed, direct, strict=True)]
    length = math.hypot(*mixed)
    return np.array([one / length for one in mixed])


def averted(
    direct_wxyz: Numbers,
    gaze: float,
    side: Side,
    yaw_deg: float = 25.0,
    pitch_deg: float = 15.0,
) -> FloatArray:
    """Away from the partner to a side and down, wholly at gaze 0 and not at all at 1."""
    away = 1.0 - _share(gaze)
    direct = _orientation(direct_wxyz, "direct gaze")
    if side not in {"left", "right"}:
        raise ValueError(f"a gaze is averted to the left or to the right, not to '{side}'")
    if away == 0.0:
        return np.array(direct)
    half_yaw = (0.5 if side == "left" else -0.5) * away * math.radians(yaw_deg)
    half_pitch = 0.5 * away * math.radians(pitch_deg)
    yaw = (math.cos(half_yaw), 0.0, math.sin(half_yaw), 0.0)
    pitch = (math.cos(half_pitch), math.sin(half_pitch), 0.0, 0.0)
    return np.array(_product(_product(yaw, direct), pitch))


def head_target(
    manner: GazeManner,
    posed_wxyz: Numbers,
    direct_wxyz: Numbers,
    gaze: float,
    side: Side = "left",
) -> FloatArray:
    """Where the head turns, by the manner of a robot's profile."""
    if manner.mode == "document":
        return directed(posed_wxyz, direct_wxyz, gaze)
    yaw_deg, pitch_deg = math.degrees(manner.yaw_rad), math.degrees(manner.pitch_rad)
    return averted(direct_wxyz, gaze, side, yaw_deg, pitch_deg)


def away_from_partner_rad(head_wxyz: Numbers, direct_wxyz: Numbers) -> float:
    """The angle between where a head faces and where the partner is."""
    faces = _faces(_orientation(head_wxyz, "head"))
    wanted = _faces(_orientation(direct_wxyz, "direct gaze"))
    # Half the angle from the chord keeps small angles exact.
    return 2.0 * math.asin(min(1.0, 0.5 * math.dist(faces, wanted)))


def _faces(wxyz: _Wxyz) -> tuple[float, float, float]:
    w, x, y, z = wxyz
    return 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)


def _product(a: _Wxyz, b: _Wxyz) -> _Wxyz:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def _orientation(values: Numbers, what: str) -> _Wxyz:
    numbers = _floats(values, 4, what)
    length = math.hypot(*numbers)
    if abs(length - 1.0) > _UNIT:
        raise ValueError(f"the orientation of the {what} has the length {length:.4g}, not 1")
    w, x, y, z = (one / length for one in numbers)
    return w, x, y, z


def _floats(values: Numbers, count: int, what: str) -> list[float]:
    numbers = values.tolist() if isinstance(values, np.ndarray) else [float(one) for one in values]
    if len(numbers) != count or not all(math.isfinite(one) for one in numbers):
        raise ValueError(f"for the {what} {count} finite numbers are needed, not {values!r}")
    return numbers


def _share(gaze: float) -> float:
    if not math.isfinite(gaze):
        raise ValueError(f"gaze is {gaze!r}; give a number from 0 to 1")
    return min(1.0, max(0.0, float(gaze)))
