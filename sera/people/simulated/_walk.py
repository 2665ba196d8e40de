"""A body that walks, stands and sits: never faster and never more suddenly than people do.

Units and frames: metres and seconds; the floor is x and z, y is the height of the head.
Threading: one thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sera.behaviour.space import Vector
from sera.people.simulated.script import FloorPoint

SLICE_S = 0.02
MOST_M_S = 3.0
"""Nobody is faster, not even when dragged over a floor plan."""
ACCELERATION_M_S2 = 1.8
HASTE_M_S2 = 6.0
"""Acceleration of somebody who is dragged."""
_RISES_M_S = 0.7
_BRAKES = 0.6
"""Part of the acceleration that is planned for stopping; the rest is for turning."""
_PASSED_M = 0.3
_ARRIVED_M = 0.015
_STOPPED_M_S = 0.08


class Walker:
    """Where a body is and how it moves."""

    def __init__(self, place: FloorPoint, height_m: float) -> None:
        self.x_m, self.z_m = place
        self.y_m = height_m
        self.velocity_m_s: FloorPoint = (0.0, 0.0)
        self._way: list[FloorPoint] = []
        self._speed_m_s = 1.0
        self._acceleration_m_s2 = ACCELERATION_M_S2
        self._wanted_y_m = height_m

    @property
    def place_m(self) -> Vector:
        return (self.x_m, self.y_m, self.z_m)

    @property
    def arrived(self) -> bool:
        return not self._way

    @property
    def speed_m_s(self) -> float:
        return math.hypot(*self.velocity_m_s)

    def appear(self, place: FloorPoint, height_m: float) -> None:
        """Be somewhere else; only for somebody who is not there."""
        self.x_m, self.z_m = place
        self.y_m = self._wanted_y_m = height_m
        self.velocity_m_s, self._way = (0.0, 0.0), []

    def go(self, way: Sequence[FloorPoint], speed_m_s: float, *, haste: bool = False) -> None:
        """Walk along these points, at most this fast."""
        self._way = list(way)
        self._speed_m_s = min(MOST_M_S, speed_m_s)
        self._acceleration_m_s2 = HASTE_M_S2 if haste else ACCELERATION_M_S2

    def rise_to(self, height_m: float) -> None:
        """Sit down or stand up until the head is there."""
        self._wanted_y_m = height_m

    def advance(self, for_s: float) -> None:
        """Let time pass."""
        while for_s > 1e-9:
            slice_s = min(SLICE_S, for_s)
            self._slice(slice_s)
            for_s -= slice_s

    def _slice(self, slice_s: float) -> None:
        wanted_x, wanted_z = self._wanted_velocity()
        x, z = self.velocity_m_s
        change_x, change_z = wanted_x - x, wanted_z - z
        size, most = math.hypot(change_x, change_z), self._acceleration_m_s2 * slice_s
        if size > most:
            change_x, change_z = change_x * most / size, change_z * most / size
        x, z = x + change_x, z + change_z
        self.velocity_m_s = (x, z)
        self.x_m += x * slice_s
        self.z_m += z * slice_s
        rise_m = self._wanted_y_m - self.y_m
        most_m = _RISES_M_S * slice_s
        self.y_m += max(-most_m, min(most_m, rise_m))

    def _wanted_velocity(self) -> FloorPoint:
        while self._way:
            to_x, to_z = self._way[0][0] - self.x_m, self._way[0][1] - self.z_m
            far_m = math.hypot(to_x, to_z)
            last = len(self._way) == 1
            if not last and far_m < _PASSED_M:
                self._way.pop(0)
                continue
            if last and far_m < _ARRIVED_M and self.speed_m_s < _STOPPED_M_S * 4:
                self._way.clear()
                break
            speed = self._speed_m_s
            if last:
                speed = min(speed, math.sqrt(2 * _BRAKES * self._acceleration_m_s2 * far_m))
            return (speed * to_x / far_m, speed * to_z / far_m) if far_m > 0.0 else (0.0, 0.0)
        return (0.0, 0.0)
