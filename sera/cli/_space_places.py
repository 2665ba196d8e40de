"""The places of a scenario, and who looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.behaviour.space import Room, Vector
    from sera.runtime.scenario import Scenario
    from sera.runtime.workspace import Workspace


def load_with_text(scenario: str) -> tuple[Scenario, Workspace, bytes]:
    """The scenario, its workspace, and the bytes of its file before it was read.

    Raises:
        UnknownName, ScenarioError, FileProblem: it is not there or not sound.
    """
    from sera.cli._workspace import workspace_around
    from sera.runtime.scenario import find_scenario_file, load_scenario

    workspace = workspace_around(scenario)
    workspace.activate()
    path = find_scenario_file(scenario, workspace)
    before = path.read_bytes() if path.is_file() else b""
    return load_scenario(path, workspace), workspace, before


def the_character(scenario: Scenario, name: str | None, *, needs_robot: bool = False) -> str:
    """The character that is meant: by name, or the only one (with a robot) there is.

    Raises:
        CommandError: there is none, or several; with what to do.
    """
    from sera.runtime.located import nearest_name

    known = list(scenario.robots) if needs_robot else list(scenario.characters)
    if name is not None and name not in scenario.characters:
        near = nearest_name(name, scenario.characters)
        hint = f"; did you mean '{near}'?" if near else ""
        there = ", ".join(scenario.characters) or "none"
        raise CommandError(
            f"scenario '{scenario.name}' has no character '{name}'{hint} (it has: {there})"
        )
    if name is not None and name not in known:
        raise CommandError(
            f"the character '{name}' has no robot to look with; write robot = \"adelino\" in "
            f"[characters.{name}]"
        )
    if name is not None:
        return name
    if not known:
        raise CommandError(f"no character of scenario '{scenario.name}' has a robot to look with")
    if len(known) > 1:
        raise CommandError(f"who looks? Choose with --character: {', '.join(known)}")
    return known[0]


def room_of(scenario: Scenario, character: str) -> Room:
    """The room as a character sees it, with its eyes where its behaviour manager has them."""
    from sera.behaviour.space import Room

    card = scenario.robots.get(character)
    eye_m: Vector | None = None if card is None else card.eyes_m
    for plan in scenario.plans:
        if plan.character == character:
            eye_m = getattr(plan.settings, "eye_m", None) or eye_m
    who = scenario.characters[character]
    return Room.from_scenario(scenario.space, who, eye_m or (0.0, 0.0, 0.0))


def people_m(scenario: Scenario) -> dict[str, Vector]:
    """Where people are expected, of those whose place is known."""
    places: dict[str, Vector] = {}
    for name, person in scenario.people.items():
        if person.seat is not None:
            places[name] = scenario.space.seats[person.seat].position_m
        elif person.position_m is not None:
            places[name] = person.position_m
    return places
