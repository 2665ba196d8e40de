"""Pepper as the null-space document models it: a platform and 15 joints from a table of
Denavit-Hartenberg rows, with the limits of the maker.

The document's own table repeats the right arm's limits on the left and rounds some; limits and
speeds here are the maker's. Lengths are the table's, so that its golden values come out. The body
of `robots/pepper` is the one for robots; this one is for comparing with the document.

Units and frames: metres and radians; x forwards, y to the left, z up, as in the document. A
positive knee or hip pitch leans the body forwards, against the maker's sign.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sera.kinematics._arrays import FloatArray
from sera.kinematics._quaternions import Quaternion, Vector, about, multiply, rotate
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.tree import EndPoint, Tree

PLATFORM = ("x", "y", "yaw")
BODY_JOINTS = (
    "KneePitch", "HipPitch", "HipRoll", "HeadYaw", "HeadPitch",
    "RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw",
    "LShoulderPitch", "LShoulderRoll", "LElbowYaw", "LElbowRoll", "LWristYaw",
)  # fmt: skip
LIMITS: dict[str, tuple[float, float, float]] = {
    "KneePitch": (-0.514872, 0.514872, 2.93276),
    "HipPitch": (-1.03847, 1.03847, 2.93276),
    "HipRoll": (-0.514872, 0.514872, 2.27032),
    "HeadYaw": (-2.08567, 2.08567, 7.33998),
    "HeadPitch": (-0.706858, 0.637045, 9.22756),
    "RShoulderPitch": (-2.08567, 2.08567, 7.33998),
    "RShoulderRoll": (-1.56207, -0.00872665, 9.22756),
    "RElbowYaw": (-2.08567, 2.08567, 7.33998),
    "RElbowRoll": (0.00872665, 1.56207, 9.22756),
    "RWristYaw": (-1.82387, 1.82387, 17.3835),
    "LShoulderPitch": (-2.08567, 2.08567, 7.33998),
    "LShoulderRoll": (0.00872665, 1.56207, 9.22756),
    "LElbowYaw": (-2.08567, 2.08567, 7.33998),
    "LElbowRoll": (-1.56207, -0.00872665, 9.22756),
    "LWristYaw": (-1.82387, 1.82387, 17.3835),
}
"""Lower, upper, speed."""

_HALF = math.pi / 2
_X: Vector = (1.0, 0.0, 0.0)
_Z: Vector = (0.0, 0.0, 1.0)


class _Row(NamedTuple):
    """a, alpha, d, theta_0."""

    a_m: float
    alpha_rad: float
    d_m: float
    theta_rad: float


_BASE = _Row(0.0, -_HALF, 0.339, 0.0)
_TRUNK = {
    "KneePitch": _Row(0.268, 0.0, 0.0, -_HALF),
    "HipPitch": _Row(0.079, -_HALF, 0.0, 0.0),
}
_HEAD = {
    "HipRoll": _Row(0.0, -_HALF, 0.0, -_HALF),
    "HeadYaw": _Row(0.0, -_HALF, 0.309, -_HALF),
    "HeadPitch": _Row(0.0, 0.0, 0.0, 0.0),
}


def _arm(side: str, shoulder_m: float) -> dict[str, _Row]:
    return {
        "HipRoll": _Row(0.226, _HALF, -0.057, 0.0),
        f"{side}ShoulderPitch": _Row(0.0, _HALF, shoulder_m, _HALF),
        f"{side}ShoulderRoll": _Row(0.0, -_HALF, 0.0, -_HALF),
        f"{side}ElbowYaw": _Row(0.001, _HALF, 0.181, 0.0),
        f"{side}ElbowRoll": _Row(0.0, -_HALF, 0.0, 0.0),
        f"{side}WristYaw": _Row(0.0, 0.0, 0.150, 0.0),
    }


class _Frame(NamedTuple):
    place: Vector
    turn: Quaternion

    def then(self, row: _Row) -> _Frame:
        """After the constant part of a row, the joint's own angle being nought."""
        turned = about(_Z, row.theta_rad)
        step = rotate(turned, (row.a_m, 0.0, 0.0))
        x, y, z = rotate(self.turn, (step[0], step[1], row.d_m))
        place = (self.place[0] + x, self.place[1] + y, self.place[2] + z)
        return _Frame(place, multiply(self.turn, multiply(turned, about(_X, row.alpha_rad))))


_START = _Frame((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def document_pepper(*, limited: bool = True) -> Tree:
    """The tree of 18 joints: platform (x, y, yaw), then `BODY_JOINTS` by branch.

    Without limits joints turn as far and as fast as they are asked to, as in the document.
    """
    joints = [
        _platform("x", JointKind.PRISMATIC, (1.0, 0.0, 0.0), None, 0.35 if limited else math.inf),
        _platform("y", JointKind.PRISMATIC, (0.0, 1.0, 0.0), "x", 0.35 if limited else math.inf),
        _platform("yaw", JointKind.REVOLUTE, (0.0, 0.0, 1.0), "y", 1.0 if limited else math.inf),
    ]
    frame, parent = _START.then(_BASE), "yaw"
    for name, row in _TRUNK.items():
        joints.append(_joint(name, frame, parent, limited))
        frame, parent = _START.then(row), name
    joints.append(_joint("HipRoll", frame, parent, limited))
    ends = {}
    for end, rows in {
        "head": _HEAD,
        "right_wrist": _arm("R", -0.150),
        "left_wrist": _arm("L", 0.150),
    }.items():
        frame, parent = _START, "HipRoll"
        for name, row in rows.items():
            if name != "HipRoll":
                joints.append(_joint(name, frame, parent, limited))
            frame, parent = _START.then(row), name
        ends[end] = EndPoint(parent, frame.place, frame.turn)
    return Tree(joints, ends, name="the document's Pepper")


def _platform(name: str, kind: JointKind, axis: Vector, parent: str | None, speed: float) -> Joint:
    return Joint(name, kind, axis, lower=-10.0, upper=10.0, velocity_limit=speed, parent=parent)


def _joint(name: str, frame: _Frame, parent: str, limited: bool) -> Joint:
    lower, upper, speed = LIMITS[name]
    if not limited:
        lower, upper, speed = -10.0, 10.0, math.inf
    return Joint(
        name,
        axis=_Z,
        origin_m=frame.place,
        origin_wxyz=frame.turn,
        lower=lower,
        upper=upper,
        velocity_limit=speed,
        parent=parent,
    )


def in_tree(tree: Tree, body: FloatArray) -> FloatArray:
    """Angles of the whole tree from those of `BODY_JOINTS` (15,), the platform at nought."""
    angles = dict(zip(BODY_JOINTS, np.asarray(body).tolist(), strict=True))
    return tree.angles_of(angles, np.zeros(tree.dof))


def wave_rad(t_s: float) -> FloatArray:
    """A wave of the right hand in joint space: always feasible."""
    nominal = [0.0] * 5 + [-0.2, -0.35, 1.3, 1.05 + 0.35 * math.sin(math.tau * 0.8 * t_s), 0.0]
    return np.array([*nominal, 1.4, 0.2, -1.0, -0.3, 0.0])
