"""What the scenario says of the microphones: where they are, how far apart, who wears them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sera.behaviour.space import Frame, angles_of
from sera.messages import Direction, Side
from sera.runtime.located import nearest_name

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

Arrangement = Literal["one", "each", "pair"]


@dataclass(frozen=True, slots=True)
class Placing:
    """The microphones in the scenario's space."""

    frame: Frame
    spacing_m: float | None = None
    worn_by: tuple[str, ...] = ()
    """People, in the order of the channels."""

    def arrangement(self) -> Arrangement:
        """What the table asks for."""
        if len(self.worn_by) > 1:
            return "each"
        return "one" if self.spacing_m is None else "pair"

    def channels(self) -> int:
        """How many channels that needs."""
        return {"one": 1, "pair": 2, "each": max(2, len(self.worn_by))}[self.arrangement()]

    def person(self, channel: int | None) -> str | None:
        """Who wears a channel, where it is known."""
        if channel is None:
            return self.worn_by[0] if len(self.worn_by) == 1 else None
        return self.worn_by[channel] if channel < len(self.worn_by) else None

    def direction(self, angle_rad: float, distance_m: float) -> Direction:
        """Where a voice is, seen from the origin of the scenario's space.

        Args:
            angle_rad: seen from the microphones, right positive.
            distance_m: how far from them people usually are: they do not tell.
        """
        local = (-distance_m * math.sin(angle_rad), 0.0, distance_m * math.cos(angle_rad))
        place = self.frame.to_room(local)
        if math.hypot(*place) < 1e-9:
            return Direction(horizontal_deg=0.0)
        angles = angles_of(place)
        return Direction(
            horizontal_deg=round(angles.horizontal_deg, 2),
            vertical_deg=round(angles.vertical_deg, 2),
        )


def side_of(channel: int | None, channels: int, *, swapped: bool) -> Side | None:
    """The side of a channel of two."""
    if channel is None or channels != 2:
        return None
    return Side.LEFT if (channel == 0) != swapped else Side.RIGHT


def placing_of(scenario: Scenario | None, name: str | None) -> Placing:
    """The microphones by their name, or the only ones that the scenario has.

    Raises:
        LookupError: there are none of that name, or several and no name.
    """
    tables = {} if scenario is None else scenario.space.microphones
    if name is not None and name not in tables:
        near = nearest_name(name, tables)
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"the scenario has no [space.microphones.{name}]{hint}")
    if name is None and len(tables) > 1:
        known = ", ".join(tables)
        raise LookupError(f"which microphones? Write microphones = … with one of {known}")
    if not tables:
        return Placing(Frame())
    table = tables[name] if name is not None else next(iter(tables.values()))
    assert scenario is not None
    sitting = {who.seat: role for role, who in scenario.people.items() if who.seat is not None}
    worn_by = tuple(sitting.get(one, one) for one in table.worn_by)
    return Placing(Frame.of(table), table.spacing_m, worn_by)
