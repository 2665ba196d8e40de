"""Joints of a URDF that cannot be used as they stand, mended in place.

More than one degree of freedom becomes none; limits that are missing, velocities that nobody can
have meant and ranges of more than a turn become cautious ones; what has no room stands fixed where
its limits put it. Everything is said in remarks.

Units and frames: those of the URDF (x forward, z up, radians, metres).
Safety: limits are only ever narrowed, also where degrees stand for radians, to four decimals of a
degree so that the body file and the URDF say the same; a limit that is missing becomes a cautious
one, never none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sera.kinematics._quaternions import Quaternion, Vector, about, multiply, rotate
from sera.kinematics._urdf_read import MOVING
from sera.kinematics._urdf_xml import Element

ASSUMED_LIMIT_RAD = math.radians(45.0)
ASSUMED_VELOCITY_RAD_S = math.radians(90.0)
ASSUMED_VELOCITY_M_S = 0.2
# What a file may say of a velocity and still be believed.
_SLOWEST, _FASTEST_RAD_S, _FASTEST_M_S = 0.01, 20.0, 2.0
_MANY_TURNS_RAD, _TURN_DEG = 20.0, 360.0
"""Nothing on a robot turns more than three times: limits between these are degrees."""
_LEAST_RANGE = 1e-3
_DECIMALS = 4


def mend_joints(joints: Sequence[Element]) -> list[str]:
    """Mend all joints; remarks on what was done."""
    remarks: list[str] = []
    fixed: set[str] = set()
    for joint in joints:
        _mend(joint, fixed, remarks)
        if kind_of(joint) not in MOVING:
            fixed.add(joint.name())
    _fix_followers(joints, fixed, remarks)
    return remarks


def kind_of(joint: Element) -> str:
    return joint.attributes.get("type", "")


def _mend(joint: Element, fixed: set[str], remarks: list[str]) -> None:
    """Make of a joint one that can be used, in place."""
    name, kind = joint.name(), kind_of(joint)
    if kind in {"floating", "planar"}:
        remarks.append(f"{name}: it is {kind}, which is more than one degree of freedom; now fixed")
        joint.attributes["type"] = "fixed"
        return
    if kind not in MOVING or joint.first("mimic") is not None:
        if kind in MOVING and joint.first("limit") is None and kind != "continuous":
            joint.children.append(Element("limit", {}, joint.where))
        return
    owner = f"joint {name!r}"
    limit = joint.first("limit")
    if limit is None:
        if kind == "prismatic":
            _fix_at(joint, 0.0, fixed)
            remarks.append(f"{name}: it slides, and nothing says how far; now fixed")
            return
        limit = Element("limit", {}, joint.where)
        joint.children.append(limit)
        if kind == "revolute":
            limit.attributes.update(lower=repr(-ASSUMED_LIMIT_RAD), upper=repr(ASSUMED_LIMIT_RAD))
            remarks.append(f"{name}: it has no limits; ±45° were assumed")
    if kind != "continuous":
        lower, upper = (limit.number(key, 0.0, owner=owner) for key in ("lower", "upper"))
        if lower > upper:
            raise ValueError(
                f"{limit.where}: {owner} has its lower limit {lower:g} above its upper limit "
                f"{upper:g}; swap them."
            )
        if upper - lower < _LEAST_RANGE:
            _fix_at(joint, lower, fixed)
            remarks.append(f"{name}: its limits leave it no room to move; now fixed")
            return
        if kind == "revolute" and _MANY_TURNS_RAD < max(-lower, upper) <= _TURN_DEG:
            remarks.append(
                f"{name}: its limits {lower:g} and {upper:g} must be degrees, and are taken so"
            )
            lower, upper = math.radians(lower), math.radians(upper)
        if kind == "revolute" and upper - lower > 2.0 * math.pi + 1e-6:
            remarks.append(f"{name}: it turns more than once; one turn about its zero is used")
            lower, upper = max(lower, -math.pi), min(upper, math.pi)
            if upper - lower < _LEAST_RANGE:
                raise ValueError(
                    f"{limit.where}: the limits of {owner} are many turns from its zero; "
                    "give them in radians."
                )
        limit.attributes.update(
            lower=_narrowed(lower, kind, math.ceil), upper=_narrowed(upper, kind, math.floor)
        )
    _mend_velocity(limit, kind, owner, remarks)


def _mend_velocity(limit: Element, kind: str, owner: str, remarks: list[str]) -> None:
    said = limit.attributes.get("velocity", "")
    try:
        velocity = float(said) if said.strip() else 0.0
    except ValueError:
        raise ValueError(
            f"{limit.where}: velocity of <limit> of {owner} is {said!r}, which is no number."
        ) from None
    fastest = _FASTEST_M_S if kind == "prismatic" else _FASTEST_RAD_S
    if not _SLOWEST <= velocity <= fastest:
        assumed = ASSUMED_VELOCITY_M_S if kind == "prismatic" else ASSUMED_VELOCITY_RAD_S
        limit.attributes["velocity"] = repr(assumed)
        shown = "0.2 m/s" if kind == "prismatic" else "90°/s"
        what = f"no velocity of {said}" if said.strip() else "no velocity"
        remarks.append(f"{owner.split(' ', 1)[1][1:-1]}: it has {what} to rely on; {shown} assumed")


def _fix_at(joint: Element, value: float, fixed: set[str]) -> None:
    """Turn a joint into a fixed one at the only value that it can have."""
    owner = f"joint {joint.name()!r}"
    origin = joint.first("origin")
    if value != 0.0:
        axis_element = joint.first("axis")
        axis = (1.0, 0.0, 0.0)
        if axis_element is not None:
            axis = axis_element.vector("xyz", axis, owner=owner)
        length = math.hypot(*axis) or 1.0
        axis = (axis[0] / length, axis[1] / length, axis[2] / length)
        if origin is None:
            origin = Element("origin", {}, joint.where)
            joint.children.append(origin)
        rpy = origin.vector("rpy", (0.0, 0.0, 0.0), owner=owner)
        turn = _from_rpy(rpy)
        if kind_of(joint) == "prismatic":
            place = origin.vector("xyz", (0.0, 0.0, 0.0), owner=owner)
            way = rotate(turn, axis)
            moved = [a + value * b for a, b in zip(place, way, strict=True)]
            origin.attributes["xyz"] = " ".join(map(repr, moved))
        else:
            turned = rpy_of(multiply(turn, about(axis, value)))
            origin.attributes["rpy"] = " ".join(map(repr, turned))
    joint.attributes["type"] = "fixed"
    fixed.add(joint.name())


def _fix_followers(joints: Sequence[Element], fixed: set[str], remarks: list[str]) -> None:
    """A joint that follows one which does not move does not move either."""
    again = True
    while again:
        again = False
        for joint in joints:
            mimic = joint.first("mimic")
            if mimic is None or kind_of(joint) not in MOVING:
                continue
            master = " ".join(mimic.attributes.get("joint", "").split())
            if master in fixed:
                _fix_at(joint, 0.0, fixed)
                remarks.append(f"{joint.name()}: it follows {master}, which does not move")
                again = True
    remarks += [
        f"{joint.name()}: it follows another joint"
        for joint in joints
        if joint.first("mimic") is not None and kind_of(joint) in MOVING
    ]


def _narrowed(value: float, kind: str, way: Callable[[float], int]) -> str:
    """A limit at four decimals of what the body file has, never further out."""
    scale = 1.0 if kind == "prismatic" else math.degrees(1.0)
    # The small amount keeps what was meant as a round number from being cut by one decimal.
    towards = 1e-6 if way is math.floor else -1e-6
    shown = way(value * scale * 10**_DECIMALS + towards) / 10**_DECIMALS
    return repr(shown if kind == "prismatic" else math.radians(shown))


def _from_rpy(rpy_rad: Vector) -> Quaternion:
    roll, pitch, yaw = rpy_rad
    turned = multiply(about((0.0, 0.0, 1.0), yaw), about((0.0, 1.0, 0.0), pitch))
    return multiply(turned, about((1.0, 0.0, 0.0), roll))


def rpy_of(wxyz: Quaternion) -> Vector:
    """Fixed-axes roll, pitch and yaw of a rotation."""
    w, x, y, z = wxyz
    up = max(-1.0, min(1.0, 2.0 * (w * y - z * x)))
    if abs(up) > 1.0 - 1e-12:  # roll and yaw turn about one axis: yaw takes all
        return 0.0, math.copysign(0.5 * math.pi, up), math.copysign(2.0, -up) * math.atan2(x, w)
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return roll, math.asin(up), yaw
