"""The targets that a scenario file gives a character, before anybody is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.behaviour.space import Frame, Observer, Room, Vector
from sera.behaviour.targets._settings import PeopleSettings, TargetSettings
from sera.behaviour.targets._table import TargetTable

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

_ORIGIN: Vector = (0.0, 0.0, 0.0)


def targets_of(
    scenario: Scenario | None,
    character: str,
    *,
    targets: TargetSettings | None = None,
    people: PeopleSettings | None = None,
    eye_m: Vector | None = None,
) -> TargetTable:
    """Everything that a character can look at when the scenario begins.

    Args:
        scenario: None: a room with nothing in it.
        character: who looks.
        targets: figures of looks.
        people: figures against ping-pong.
        eye_m: where the eyes are on the robot; None: as its body file says.
    """
    card = None if scenario is None else scenario.robots.get(character)
    eye_m = eye_m or (None if card is None else card.eyes_m) or _ORIGIN
    room, expected_m = Room(Observer(eye_m=eye_m)), {}
    if scenario is not None:
        room = Room.from_scenario(scenario.space, scenario.characters.get(character), eye_m)
        expected_m = _expected_m(scenario, character)
    return TargetTable(room, targets, people, expected_m)


def _expected_m(scenario: Scenario, own: str) -> dict[str, Vector]:
    """Where people and other characters of the scenario file are, as long as nobody sees them."""
    places: dict[str, Vector] = {}
    for name, person in scenario.people.items():
        seat = scenario.space.seats.get(person.seat or "")
        place_m = person.position_m if seat is None else seat.position_m
        if place_m is not None:
            places[name] = place_m
    for name, character in scenario.characters.items():
        card = scenario.robots.get(name)
        if name != own:
            eye_m = _ORIGIN if card is None or card.eyes_m is None else card.eyes_m
            places[name] = Frame.of(character).to_room(eye_m)
    return places
