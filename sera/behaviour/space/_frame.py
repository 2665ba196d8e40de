"""Where something is and how it is turned, as a frame: positions go in and out of it.

Design overview: three numbers for the place and nine for the rotation, in plain tuples. Gaze needs
a few of these a second for each person, which is too little work to be worth an array.

Units and frames: metres, Y up, right-handed, a body faces +Z with +X to its own left. Yaw turns
about Y, pitch about X, roll about Z, in the order yaw · pitch · roll (`sera.kinematics.rotations`).
Threading: no state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

_UPRIGHT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class _Posed(Protocol):
    """Anything with the keys of a pose, such as the tables of a scenario file."""

    @property
    def position_m(self) -> Vector: ...
    @property
    def yaw_deg(self) -> float: ...
    @property
    def pitch_deg(self) -> float: ...
    @property
    def roll_deg(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the room with its own axes."""

    position_m: Vector = (0.0, 0.0, 0.0)
    axes: Matrix = _UPRIGHT
    """The rotation by rows: `axes · local` is the vector in the room."""

    @classmethod
    def from_degrees(
        cls,
        position_m: Vector = (0.0, 0.0, 0.0),
        yaw_deg: float = 0.0,
        pitch_deg: float = 0.0,
        roll_deg: float = 0.0,
    ) -> Frame:
        """A frame from what people write."""
        for value in (*position_m, yaw_deg, pitch_deg, roll_deg):
            if not math.isfinite(value):
                raise ValueError(f"a pose consists of ordinary numbers, not {value}")
        cy, sy = _cos_sin(yaw_deg)
        cp, sp = _cos_sin(pitch_deg)
        cr, sr = _cos_sin(roll_deg)
        axes = (
            (cy * cr + sy * sp * sr, sy * sp * cr - cy * sr, sy * cp),
            (cp * sr, cp * cr, -sp),
            (cy * sp * sr - sy * cr, sy * sr + cy * sp * cr, cy * cp),
        )
        return cls(position_m, axes)

    @classmethod
    def of(cls, pose: _Posed) -> Frame:
        """The frame of a table of the scenario file."""
        return cls.from_degrees(pose.position_m, pose.yaw_deg, pose.pitch_deg, pose.roll_deg)

    def yaw_pitch_roll_deg(self) -> Vector:
        """The angles that `from_degrees` takes; at a pitch of ± 90° roll is nought."""
        (_, _, x_forward), (y_left, y_up, y_forward), (z_left, z_up, z_forward) = self.axes
        pitch = math.asin(max(-1.0, min(1.0, -y_forward)))
        if math.hypot(y_left, y_up) < 1e-9:
            sign = math.copysign(1.0, pitch)
            yaw = math.atan2(-z_left, sign * z_up)
            return math.degrees(yaw), math.degrees(pitch), 0.0
        yaw = math.atan2(x_forward, z_forward)
        return math.degrees(yaw), math.degrees(pitch), math.degrees(math.atan2(y_left, y_up))

    def to_room(self, local_m: Vector) -> Vector:
        """A place given along these axes, as a place in the room."""
        turned = self.turn_to_room(local_m)
        here = self.position_m
        return (here[0] + turned[0], here[1] + turned[1], here[2] + turned[2])

    def to_local(self, room_m: Vector) -> Vector:
        """A place in the room, along these axes."""
        here = self.position_m
        return self.turn_to_local((room_m[0] - here[0], room_m[1] - here[1], room_m[2] - here[2]))

    def turn_to_room(self, local: Vector) -> Vector:
        """A direction given along these axes, along those of the room."""
        x, y, z = local
        a, b, c = self.axes
        return (
            a[0] * x + a[1] * y + a[2] * z,
            b[0] * x + b[1] * y + b[2] * z,
            c[0] * x + c[1] * y + c[2] * z,
        )

    def turn_to_local(self, room: Vector) -> Vector:
        """A direction in the room, along these axes."""
        x, y, z = room
        a, b, c = self.axes
        return (
            a[0] * x + b[0] * y + c[0] * z,
            a[1] * x + b[1] * y + c[1] * z,
            a[2] * x + b[2] * y + c[2] * z,
        )


def _cos_sin(angle_deg: float) -> tuple[float, float]:
    angle = math.radians(angle_deg)
    return math.cos(angle), math.sin(angle)
