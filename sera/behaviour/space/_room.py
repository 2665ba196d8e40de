"""The room as one robot sees it: places, screens, seats and objects as angles, and back.

Design overview: a `Room` is frozen; a robot that moves gets a new one (`seen_by`). Everything that
the gaze and the pointing arm need from the physical space goes through it.

Units and frames: metres in the room, degrees as the robot sees them (horizontal to the right,
vertical up, against the robot's body facing forward, not against its turned head).
Threading: no state.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sera.behaviour.space._angles import Angles, angles_of, vector_of
from sera.behaviour.space._frame import Frame, Vector
from sera.behaviour.space._screen import ScreenHit, ScreenPlane
from sera.runtime.located import nearest_name
from sera.runtime.scenario import Character, Space


class UnknownPlace(ValueError):
    """A screen, seat or object that is not in the room."""

    def __init__(self, kind: str, name: str, known: Mapping[str, object]) -> None:
        self.nearest = nearest_name(name, known)
        meant = f"; did you mean '{self.nearest}'?" if self.nearest else ""
        listed = f"known: {', '.join(known)}" if known else f"add [space.{kind}s.{name}]"
        super().__init__(f"there is no {kind} '{name}' in the room{meant} ({listed})")


@dataclass(frozen=True, slots=True)
class Observer:
    """A robot in the room: its pose, and where its eyes are on it."""

    frame: Frame = field(default_factory=Frame)
    eye_m: Vector = (0.0, 0.0, 0.0)
    """The point between the eyes, along the robot's own axes."""

    @property
    def eye_in_room_m(self) -> Vector:
        return self.frame.to_room(self.eye_m)

    def angles_to(self, room_m: Vector) -> Angles:
        """The direction towards a place; a ValueError where the place is the eye itself."""
        return self.angles_of_local(self.frame.to_local(room_m))

    def angles_of_local(self, local_m: Vector) -> Angles:
        """The same for a place along the robot's own axes."""
        x, y, z = local_m
        eye = self.eye_m
        return angles_of((x - eye[0], y - eye[1], z - eye[2]))

    def raised_m(self, local_m: Vector, by_deg: float) -> Vector:
        """A place along the robot's own axes, turned upwards about the eye."""
        if by_deg == 0.0:
            return local_m
        eye = self.eye_m
        distance_m = math.dist(local_m, eye)
        x, y, z = vector_of(self.angles_of_local(local_m).raised(by_deg))
        return (eye[0] + distance_m * x, eye[1] + distance_m * y, eye[2] + distance_m * z)

    def place_at(self, angles: Angles, distance_m: float) -> Vector:
        """The place in that direction and at that distance from the eye."""
        x, y, z = vector_of(angles)
        eye = self.eye_m
        return self.frame.to_room(
            (eye[0] + distance_m * x, eye[1] + distance_m * y, eye[2] + distance_m * z)
        )

    def look(self, angles: Angles) -> Vector:
        """The direction, along the axes of the room."""
        return self.frame.turn_to_room(vector_of(angles))


@dataclass(frozen=True, slots=True)
class Room:
    """What is where, seen by one robot."""

    observer: Observer = field(default_factory=Observer)
    screens: Mapping[str, ScreenPlane] = field(default_factory=lambda: MappingProxyType({}))
    seats: Mapping[str, Frame] = field(default_factory=lambda: MappingProxyType({}))
    objects: Mapping[str, Frame] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def from_scenario(
        cls, space: Space, character: Character | None = None, eye_m: Vector = (0.0, 0.0, 0.0)
    ) -> Room:
        """The room of a scenario file, as a character of it sees it.

        Args:
            space: the tables `[space.…]`.
            character: who looks; None: somebody at the origin.
            eye_m: where the eyes are on the robot, along its own axes.
        """
        frame = Frame() if character is None else Frame.of(character)
        return cls(
            Observer(frame, eye_m),
            MappingProxyType(
                {
                    name: ScreenPlane(
                        Frame.of(screen), screen.width_m, screen.height_m, *screen.pixels
                    )
                    for name, screen in space.screens.items()
                }
            ),
            MappingProxyType({name: Frame.of(seat) for name, seat in space.seats.items()}),
            MappingProxyType({name: Frame.of(thing) for name, thing in space.objects.items()}),
        )

    def seen_by(self, observer: Observer) -> Room:
        """The same room from somewhere else."""
        return replace(self, observer=observer)

    def screen(self, name: str) -> ScreenPlane:
        """A screen by name; UnknownPlace where there is none."""
        if name not in self.screens:
            raise UnknownPlace("screen", name, self.screens)
        return self.screens[name]

    def seat(self, name: str) -> Frame:
        """A seat by name; UnknownPlace where there is none."""
        if name not in self.seats:
            raise UnknownPlace("seat", name, self.seats)
        return self.seats[name]

    def object(self, name: str) -> Frame:
        """A thing by name; UnknownPlace where there is none."""
        if name not in self.objects:
            raise UnknownPlace("object", name, self.objects)
        return self.objects[name]

    def angles_to(self, room_m: Vector) -> Angles:
        """The direction in which the robot sees a place."""
        return self.observer.angles_to(room_m)

    def angles_of_pixel(self, screen: str, x_px: float, y_px: float) -> Angles:
        """The direction in which the robot sees a pixel; also through the back of the screen."""
        return self.observer.angles_to(self.screen(screen).place_m(x_px, y_px))

    def can_see(self, screen: str) -> bool:
        """Whether the robot is in front of the screen rather than behind it."""
        return self.screen(screen).faces(self.observer.eye_in_room_m)

    def pixel_of_angles(self, screen: str, angles: Angles) -> ScreenHit:
        """Where a look of the robot meets a screen, and from which side."""
        return self.screen(screen).met_by(self.observer.eye_in_room_m, self.observer.look(angles))

    def place_of_sighting(
        self, direction: Angles, seen_from_m: Vector, distance_m: float
    ) -> Vector:
        """Where in the room something is that a camera sees in a direction.

        Args:
            direction: the angles along the axes of the room, as perception reports them.
            seen_from_m: where they are measured from.
            distance_m: how far away it is thought to be; it matters less the nearer the camera is
                to the robot's eyes.
        """
        x, y, z = vector_of(direction)
        from_x, from_y, from_z = seen_from_m
        return (from_x + distance_m * x, from_y + distance_m * y, from_z + distance_m * z)
