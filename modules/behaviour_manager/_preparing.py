"""Makes the parts of a behaviour manager from the scenario, the robot and the files beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sera.behaviour.markup import MarkupSyntax, TagDelimiters
from sera.behaviour.own_files import policies_of, verbs_of
from sera.behaviour.selection import Selector
from sera.behaviour.space import Frame, Observer, Room, Vector
from sera.behaviour.targets import TargetTable
from sera.runtime import ModuleContext
from sera.runtime.scenario import Scenario

from ._body import abilities_of
from ._eyes import Eyes
from ._prompter import Prompter
from ._settings import BehaviourSettings
from ._sheets import Sheets

if TYPE_CHECKING:
    from . import BehaviourManager


def syntax_of(context: ModuleContext, settings: BehaviourSettings) -> MarkupSyntax:
    """The verbs and signs that lines may use.

    Raises:
        FileProblems: everything that is wrong in a file of verbs.
    """
    sign = settings.tag_sign
    return MarkupSyntax(verbs=verbs_of(context.folder), delimiters=TagDelimiters(sign, sign))


def sheets_of(context: ModuleContext, settings: BehaviourSettings, syntax: MarkupSyntax) -> Sheets:
    """The sheets, not read yet, and what the body can do of what they say."""
    robot = context.robot
    abilities = abilities_of(None if robot is None else robot.folder, context.folder)
    folder = context.folder or Path()
    return Sheets([folder / name for name in settings.libraries], syntax, abilities)


def prompter_of(module: BehaviourManager, syntax: MarkupSyntax, sheets: Sheets) -> Prompter:
    """Who finds words for orders."""
    scenario, language = module.context.scenario, module.settings.language
    if language is None and scenario is not None and module.character in scenario.characters:
        language = scenario.characters[module.character].language
    return Prompter(Selector(module.random), syntax, sheets.abilities, language)


def eyes_of(module: BehaviourManager) -> Eyes:
    """The gaze, in the room of the scenario."""
    context, settings = module.context, module.settings
    robot = context.robot
    eye_m = settings.eye_m or (None if robot is None else robot.eyes_m) or (0.0, 0.0, 0.0)
    scenario, room, expected_m = context.scenario, Room(Observer(eye_m=eye_m)), {}
    if scenario is not None:
        who = scenario.characters.get(module.character)
        room = Room.from_scenario(scenario.space, who, eye_m)
        expected_m = _expected_m(scenario, module.character)
    return Eyes(
        TargetTable(room, settings.targets, settings.people, expected_m),
        policies_of(context.folder),
        settings.gaze_policy,
        publish=module.publish,
        note=module.log.info,
        clock=module.clock,
        source=module.random,
    )


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
            eye_m = (0.0, 0.0, 0.0) if card is None or card.eyes_m is None else card.eyes_m
            places[name] = Frame.of(character).to_room(eye_m)
    return places
