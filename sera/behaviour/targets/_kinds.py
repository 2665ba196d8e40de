"""What a target can be: a place of some sort, or another target under a second name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sera.behaviour.space import Angles, Vector
from sera.messages import TargetUpdated
from sera.runtime.located import nearest_name


class Kind(StrEnum):
    """What sort of target a name stands for once its aliases are followed."""

    PERSON = "person"
    """Moves, is tracked, is looked at a little above the given point, and can be lost."""
    CLICKS = "clicks"
    """Where a screen was touched last."""
    SCREEN_POINT = "screen point"
    POSITION = "position"
    ANGLE = "angle"
    THROUGH_MAP = "through-map"
    """Three glances in a row across the screen."""
    ACROSS_ROOM = "across-room"
    """Three glances in a row from one side of the room to the other."""
    RANDOM = "random"
    ELSEWHERE = "elsewhere"
    """Random, but only upwards."""


@dataclass(frozen=True, slots=True)
class AngleTarget:
    """A direction as the robot sees it."""

    angles: Angles


@dataclass(frozen=True, slots=True)
class PositionTarget:
    """A place in the room."""

    position_m: Vector


@dataclass(frozen=True, slots=True)
class PointTarget:
    """A place on a screen, in pixels from its upper left corner."""

    screen: str
    x_px: float
    y_px: float


@dataclass(frozen=True, slots=True)
class AliasTarget:
    """Another target, followed with all its behaviours."""

    of: str


Place = AngleTarget | PositionTarget | PointTarget | AliasTarget

BUILT_IN_ANGLES = {
    "topLeft": Angles(-30.0, 30.0),
    "top": Angles(0.0, 30.0),
    "topRight": Angles(30.0, 30.0),
    "left": Angles(-30.0, 0.0),
    "front": Angles(0.0, 0.0),
    "right": Angles(30.0, 0.0),
    "bottomLeft": Angles(-30.0, -20.0),
    "bottom": Angles(0.0, -20.0),
    "bottomRight": Angles(30.0, -20.0),
}

CLICKS = "clicks"
RANDOM = "random"
ELSEWHERE = "elsewhere"
PERSON = "person"
"""The person whom the robot attends to; `person1` … are the slots."""

MOVING_NAMES = {
    CLICKS: Kind.CLICKS,
    RANDOM: Kind.RANDOM,
    ELSEWHERE: Kind.ELSEWHERE,
    "throughMap": Kind.THROUGH_MAP,
    "acrossRoom": Kind.ACROSS_ROOM,
}
"""Built-in names that make up their own place; nobody else can say where they are."""

BUILT_IN_NAMES = (PERSON, *BUILT_IN_ANGLES, *MOVING_NAMES)
"""Every name that is a target in all scenarios; the slots `person1` … are beside them."""


class UnknownTarget(ValueError):
    """A name that stands for no target."""

    def __init__(self, name: str, known: Iterable[str], why: str = "") -> None:
        names = list(known)
        self.name = name
        self.nearest = nearest_name(name, names)
        meant = f"; did you mean '{self.nearest}'?" if self.nearest else ""
        super().__init__(f"there is no target '{name}'{why}{meant} (known: {', '.join(names)})")


class TargetRefused(ValueError):
    """A target that cannot be made or changed like this, with the reason and the fix."""


def place_of(message: TargetUpdated) -> Place:
    """What a message says about a target's place."""
    if message.alias_of is not None:
        return AliasTarget(message.alias_of)
    if message.point is not None:
        return PointTarget(message.point.screen, message.point.x_px, message.point.y_px)
    if message.position is not None:
        at = message.position
        return PositionTarget((at.x_m, at.y_m, at.z_m))
    assert message.direction is not None
    return AngleTarget(Angles(message.direction.horizontal_deg, message.direction.vertical_deg))


def require_finite(name: str, place: Place) -> None:
    """Refuse a place that consists of anything but ordinary numbers."""
    numbers: tuple[float, ...] = ()
    if isinstance(place, AngleTarget):
        numbers = place.angles
    elif isinstance(place, PositionTarget):
        numbers = place.position_m
    elif isinstance(place, PointTarget):
        numbers = (place.x_px, place.y_px)
    for number in numbers:
        if not math.isfinite(number):
            raise TargetRefused(f"the target '{name}' needs ordinary numbers, not {number}")
