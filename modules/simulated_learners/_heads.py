"""Where the learners' heads are and point, as a tracker would measure it.

Units and frames: metres and degrees along the axes of the scenario's space.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.behaviour.space import Frame, Room, Vector
from sera.messages import Direction, Position
from sera.runtime.scenario import Scenario

from ._deeds import ROBOT, TABLE

DOOR_M: Vector = (-1.8, 1.5, 3.2)
"""Where they come from."""


class Heads:
    """Places and directions in the room.

    Args:
        scenario: where seats, table and robot are; None: a usual table.
        seats: seat of each learner.
        screen: the table.
        robot: the character behind it.
    """

    def __init__(
        self, scenario: Scenario | None, seats: Mapping[str, str], screen: str, robot: str
    ) -> None:
        self.robot = robot
        self._screen = screen
        self._room = Room() if scenario is None else Room.from_scenario(scenario.space)
        character = None if scenario is None else scenario.characters.get(robot)
        base = (0.0, 0.9, 0.0) if character is None else character.position_m
        self._frame = Frame(base) if character is None else Frame.of(character)
        self._robot_m: Vector = self._frame.to_room((0.0, 0.19, 0.05))
        self._seat_m: dict[str, Vector] = {}
        for number, (learner, seat) in enumerate(seats.items()):
            usual = (0.38 if number % 2 == 0 else -0.38, 1.18, 0.98)
            known = self._room.seats.get(seat)
            self._seat_m[learner] = usual if known is None else known.position_m
        self._pixels: dict[str, tuple[float, float]] = {}

    def learn_places(self, pixels: Mapping[str, tuple[float, float]]) -> None:
        """Places on the table that can be looked at."""
        self._pixels = dict(pixels)

    def see_robot(self, face_m: Vector) -> None:
        """Its face is there now, along its own axes."""
        self._robot_m = self._frame.to_room(face_m)

    def seat(self, learner: str) -> Position:
        """Where the head is, seated."""
        return _position(self._seat_m[learner])

    def on_the_way(self, learner: str, part: float) -> Position:
        """Where the head is between door (0) and seat (1)."""
        seat, eased = self._seat_m[learner], 0.5 - 0.5 * math.cos(math.pi * part)
        x, y, z = (a + eased * (b - a) for a, b in zip(DOOR_M, seat, strict=True))
        return Position(x_m=x, y_m=y, z_m=z)

    def direction(self, learner: str, target: str) -> Direction:
        """Where the face points when the learner looks at something."""
        place = self._place(target)
        if place is None:
            return Direction(horizontal_deg=110.0, vertical_deg=0.0)
        x, y, z = (there - here for there, here in zip(place, self._seat_m[learner], strict=True))
        horizontal_deg = math.degrees(math.atan2(-x, z))
        vertical_deg = math.degrees(math.atan2(y, math.hypot(x, z)))
        return Direction(horizontal_deg=horizontal_deg, vertical_deg=vertical_deg)

    def looks_at(self, target: str) -> str | None:
        """What a tracker would call it; None where nobody knows what it is."""
        if target == ROBOT:
            return self.robot
        if target == TABLE:
            return self._screen
        return target if self._place(target) is not None else None

    def _place(self, target: str) -> Vector | None:
        if target == ROBOT:
            return self._robot_m
        if target in self._seat_m:
            return self._seat_m[target]
        plane = self._room.screens.get(self._screen)
        if plane is None:
            return (0.0, 0.74, 0.5) if target == TABLE or target in self._pixels else None
        if target in self._pixels:
            return plane.place_m(*self._pixels[target])
        return plane.frame.position_m if target == TABLE else None


def _position(place_m: Vector) -> Position:
    x, y, z = place_m
    return Position(x_m=x, y_m=y, z_m=z)
