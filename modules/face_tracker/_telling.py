"""What is said about somebody in the picture: places and directions in the scenario's space."""

from __future__ import annotations

from collections.abc import Iterator

from sera.behaviour.space import Angles, Frame, Vector, angles_of
from sera.messages import (
    Direction,
    HeadDirection,
    Message,
    PersonDetected,
    PersonMoved,
    Position,
)
from sera.vision.eye_contact import EyeContact
from sera.vision.face_engine import SeenPerson

from ._view import Placed

CAMERA = ""
"""Stands for the camera where the scenario has no robot to look at."""
_LEAVE_WIDER = 1.4


class Teller:
    """Turns what the engine saw into messages."""

    def __init__(self, placed: Placed, contact_deg: float) -> None:
        self._pose = placed.pose
        self._targets = placed.robots or {CAMERA: placed.pose.position_m}
        self._contact = EyeContact(enter_deg=contact_deg, leave_deg=_LEAVE_WIDER * contact_deg)
        self.told: set[str] = set()
        """Who is known to be there."""
        self.looking: set[str] = set()
        """Who looks at a robot."""

    def messages(self, person: SeenPerson) -> Iterator[Message]:
        """What there is to say about somebody in a picture."""
        head_m = self._pose.to_room(person.position_m)
        place = _position(head_m)
        seen_from = _position(self._pose.position_m)
        direction = _direction(angles_of(self._pose.turn_to_room(person.position_m)))
        confidence = round(min(1.0, max(0.0, person.confidence)), 3)
        kind = PersonMoved if person.name in self.told else PersonDetected
        self.told.add(person.name)
        yield kind(
            person=person.name,
            position=place,
            direction=direction,
            seen_from=seen_from,
            confidence=confidence,
        )
        if person.forward is not None and person.up is not None:
            yield self._head(person.name, head_m, person.forward, person.up)

    def forget(self, person: str) -> None:
        """Somebody was lost."""
        self.told.discard(person)
        self.looking.discard(person)
        self._contact.forget(person)

    def _head(self, name: str, head_m: Vector, forward: Vector, up: Vector) -> HeadDirection:
        face, top = self._pose.turn_to_room(forward), self._pose.turn_to_room(up)
        looks_at = self._contact.step(name, head_m, face, self._targets)
        if looks_at is None:
            self.looking.discard(name)
        else:
            self.looking.add(name)
        return HeadDirection(
            person=name,
            direction=_direction(angles_of(face)),
            roll_deg=round(_roll_deg(face, top), 2),
            looks_at=looks_at or None,
            eye_contact=looks_at is not None,
        )


def _roll_deg(face: Vector, top: Vector) -> float:
    left = (
        top[1] * face[2] - top[2] * face[1],
        top[2] * face[0] - top[0] * face[2],
        top[0] * face[1] - top[1] * face[0],
    )
    axes = (
        (left[0], top[0], face[0]),
        (left[1], top[1], face[1]),
        (left[2], top[2], face[2]),
    )
    return Frame((0.0, 0.0, 0.0), axes).yaw_pitch_roll_deg()[2]


def _position(place_m: Vector) -> Position:
    x, y, z = (round(value, 4) for value in place_m)
    return Position(x_m=x, y_m=y, z_m=z)


def _direction(angles: Angles) -> Direction:
    return Direction(
        horizontal_deg=round(angles.horizontal_deg, 2), vertical_deg=round(angles.vertical_deg, 2)
    )
