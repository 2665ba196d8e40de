"""Makes the parts of a behaviour manager from the scenario, the robot and the files beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sera.behaviour.gaze import BUILT_IN_POLICIES, GazePolicy, load_policies
from sera.behaviour.markup import BUILT_IN_VERBS, MarkupSyntax, TagDelimiters, load_verbs
from sera.behaviour.selection import Selector
from sera.behaviour.space import Frame, Observer, Room, Vector
from sera.behaviour.targets import TargetTable
from sera.runtime import ModuleContext
from sera.runtime.own_messages import import_own_messages
from sera.runtime.scenario import Scenario
from sera.runtime.workspace import Workspace

from ._body import abilities_of
from ._eyes import Eyes
from ._prompter import Prompter
from ._settings import BehaviourSettings
from ._sheets import Sheets

if TYPE_CHECKING:
    from . import BehaviourManager

VERBS, POLICIES = "verbs.toml", "policies.toml"
"""Files of a workspace or a scenario; the scenario's comes last and wins."""


def syntax_of(context: ModuleContext, settings: BehaviourSettings) -> MarkupSyntax:
    """The verbs and signs that lines may use.

    Raises:
        FileProblems: everything that is wrong in a file of verbs.
    """
    verbs = BUILT_IN_VERBS
    for file in _files(context.folder, VERBS):
        import_own_messages(Workspace.discover(file.parent), context.folder)
        verbs = load_verbs(file, verbs)
    sign = settings.tag_sign
    return MarkupSyntax(verbs=verbs, delimiters=TagDelimiters(sign, sign))


def policies_of(folder: Path | None) -> Mapping[str, GazePolicy]:
    """The built-in gaze policies and those of files.

    Raises:
        FileProblems: everything that is wrong in a file of policies.
    """
    policies = dict(BUILT_IN_POLICIES)
    for file in _files(folder, POLICIES):
        policies |= load_policies(file)
    return policies


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


def _files(scenario: Path | None, name: str) -> list[Path]:
    """The workspace's file and the scenario's, where they exist."""
    if scenario is None:
        return []
    own = Workspace.discover(scenario).own
    places = [*([] if own is None else [own]), scenario]
    return [place / name for place in places if (place / name).is_file()]
