"""Marks of a room: places of known position that a robot is made to look at to find poses.

Units and frames: metres in the room; degrees as the robot sees them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sera.behaviour.space._angles import Angles
from sera.behaviour.space._frame import Vector
from sera.behaviour.space._room import Room

_AT_THE_EYE_M = 0.01


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to look at."""

    name: str
    """`table: top left` for the corner of a screen, else `seat guest` or `object lamp`."""
    place_m: Vector
    """In the room, as the scenario has it."""
    screen: str | None = None
    """Screen whose corner it is; None: something that stands in the room by itself."""
    local_m: Vector | None = None
    """The corner along the screen's own axes."""


def marks_of(room: Room, screens: Iterable[str] | None = None) -> tuple[Mark, ...]:
    """Seats, objects and the four corners of every screen; with `screens` only their corners.

    Raises:
        UnknownPlace: there is no such screen.
    """
    marks: list[Mark] = []
    if screens is None:
        marks += [Mark(f"seat {name}", seat.position_m) for name, seat in room.seats.items()]
        marks += [Mark(f"object {name}", it.position_m) for name, it in room.objects.items()]
    for name in dict.fromkeys(room.screens if screens is None else screens):
        screen = room.screen(name)
        for corner, pixel in screen.corners_px().items():
            if corner != "centre":
                local_m = screen.local_m(*pixel)
                place_m = screen.frame.to_room(local_m)
                marks.append(Mark(f"{name}: {corner}", place_m, name, local_m))
    eye_m = room.observer.eye_in_room_m
    # Who stands where a mark is has no direction towards it.
    return tuple(mark for mark in marks if math.dist(mark.place_m, eye_m) > _AT_THE_EYE_M)


@dataclass(frozen=True, slots=True)
class GazeReach:
    """How far a robot can turn its gaze, in degrees."""

    horizontal_deg: tuple[float, float] = (-180.0, 180.0)
    vertical_deg: tuple[float, float] = (-90.0, 90.0)

    def nearest(self, angles: Angles) -> Angles:
        """The same direction, or the nearest that can be reached."""
        return Angles(
            _within(angles.horizontal_deg, self.horizontal_deg),
            _within(angles.vertical_deg, self.vertical_deg),
        )

    def holds(self, angles: Angles) -> bool:
        """Whether the direction can be reached."""
        near = self.nearest(angles)
        return all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(near, angles, strict=True))

    def __str__(self) -> str:
        (left, right), (down, up) = self.horizontal_deg, self.vertical_deg
        return f"{left:.0f}° to {right:.0f}° sideways, {down:.0f}° to {up:.0f}° up"


def _within(value: float, span: tuple[float, float]) -> float:
    return max(span[0], min(span[1], value))
