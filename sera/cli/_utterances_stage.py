"""A small run for one line: behaviour manager, speaker, engine and a simulated body."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from sera.cli._errors import CommandError
from sera.messages import (
    PerformUtterance,
    PersonDetected,
    Position,
    UtteranceCancelled,
    UtteranceFinished,
)
from sera.runtime.module import Module, Role, on
from sera.runtime.scenario import Character, ModulePlan, Scenario, load_scenario
from sera.runtime.workspace import Workspace

DEFAULT_ROBOT = "adelino"
LISTENER_AWAY_M = 1.5
LONGEST_S = 180.0
"""When a line that never ends is given up."""


class Director(Module):
    """Has one line performed and ends the run after it."""

    role = Role.WIZARD

    class Settings(Module.Settings):
        """What is said."""

        line: str | None = None
        text: str | None = None
        language: str | None = None
        tags: dict[str, str] = Field(default_factory=dict)
        listener_m: tuple[float, float, float] = (0.0, 1.2, LISTENER_AWAY_M)
        """Where somebody stands who listens, so that there is a person to look at."""

    async def run(self) -> None:
        settings = self.settings
        x_m, y_m, z_m = settings.listener_m
        place = Position(x_m=x_m, y_m=y_m, z_m=z_m)
        await self.publish(PersonDetected(person="listener", position=place))
        await self.publish(
            PerformUtterance(
                line=settings.line,
                text=settings.text,
                language=settings.language,
                tags=settings.tags,
            )
        )

    @on(UtteranceFinished, UtteranceCancelled)
    async def end(self, _message: UtteranceFinished | UtteranceCancelled) -> None:
        await self.end_run("the line is over")


@dataclass(frozen=True)
class Wanted:
    """What one line needs to be performed."""

    sheets: tuple[Path, ...] = ()
    """In place of those of the scenario."""
    robot: str | None = None
    language: str | None = None
    line: str | None = None
    text: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    tag_sign: str | None = None
    sound_folder: Path | None = None
    silent: bool = False


def scenario_of(
    name: str | None, folder: Path, robot: str | None, workspace: Workspace
) -> Scenario:
    """The scenario of a name, or one with nobody but a robot, written into `folder`."""
    if name is not None:
        return load_scenario(name, workspace)
    place = folder / "say"
    place.mkdir()
    card = workspace.find_robot(robot or DEFAULT_ROBOT).name
    (place / "scenario.toml").write_text(
        f'[scenario]\ntitle = "One line"\n\n[characters.{_name_of(card)}]\nrobot = "{card}"\n',
        encoding="utf-8",
    )
    return load_scenario(place, workspace)


def sheets_of(scenario: Scenario) -> tuple[Path, ...]:
    """The sheets that the first character speaks from."""
    settings = _settings(scenario, "behaviour_manager")
    return tuple(scenario.folder / name for name in settings.get("libraries", ()))


def character_of(scenario: Scenario) -> str:
    """Who performs: the first character that has a behaviour manager, else the first one."""
    for plan in scenario.plans:
        if plan.implementation == "behaviour_manager":
            return plan.character
    if not scenario.characters:
        raise CommandError(f"scenario '{scenario.name}' has no character who could say a line")
    return next(iter(scenario.characters))


def staged(scenario: Scenario, wanted: Wanted, workspace: Workspace) -> Scenario:
    """The scenario with only what one line needs, on a body that is simulated."""
    who = character_of(scenario)
    robots = dict(scenario.robots)
    if wanted.robot is not None or who not in robots:
        robots |= scenario.cast([f"{who}={wanted.robot or DEFAULT_ROBOT}"], workspace)
    behaviour: dict[str, Any] = {"participant": None, "reload": False}
    if wanted.sheets:
        behaviour["libraries"] = [str(sheet.absolute()) for sheet in wanted.sheets]
    if wanted.tag_sign is not None:
        behaviour["tag_sign"] = wanted.tag_sign
    speaker: dict[str, Any] = {}
    if wanted.sound_folder is not None:
        speaker |= {"sound_files": str(wanted.sound_folder), "keep_sound": True}
    if wanted.language is not None:
        behaviour["language"] = speaker["language"] = wanted.language
    if wanted.silent:
        speaker["voice"] = "silent"
    director = {
        "line": wanted.line,
        "text": wanted.text,
        "language": wanted.language,
        "tags": wanted.tags,
        "listener_m": _in_front_of(scenario.characters[who]),
    }
    changes: tuple[tuple[str, dict[str, Any]], ...] = (
        ("behaviour_manager", behaviour),
        ("speaker", speaker),
        ("animation_engine", {}),
        ("robot_bridge", {"output": "simulated"}),
        ("media_player", {}),
    )
    plans = []
    for module, changed in changes:
        # Figures of the scenario's own body may mean a real one: only sheets and voice are kept.
        own = _settings(scenario, module) if module in ("behaviour_manager", "speaker") else {}
        module_class = workspace.load_module_class(module)
        known = module_class.Settings.model_fields
        settings = {key: value for key, value in {**own, **changed}.items() if key in known}
        filled = module_class.Settings.model_validate(settings)
        plans.append(ModulePlan(who, module, module, "shared", module_class, filled))
    asked = Director.Settings.model_validate(director)
    plans.append(ModulePlan(who, "director", "director", "shared", Director, asked))
    kept = replace(scenario, plans=tuple(plans), robots=robots)
    return kept.overridden(duration_s=LONGEST_S)


def _settings(scenario: Scenario, module: str) -> dict[str, Any]:
    """What the scenario says about a module of the character who performs."""
    who = character_of(scenario)
    for plan in scenario.plans:
        if plan.character == who and plan.implementation == module:
            return {name: getattr(plan.settings, name) for name in plan.settings.model_fields_set}
    return {}


def _in_front_of(character: Character) -> tuple[float, float, float]:
    x_m, y_m, z_m = character.position_m
    yaw_rad = math.radians(character.yaw_deg)
    x_m += LISTENER_AWAY_M * math.sin(yaw_rad)
    z_m += LISTENER_AWAY_M * math.cos(yaw_rad)
    return x_m, y_m + 1.2, z_m


def _name_of(robot: str) -> str:
    return robot.lower().replace("-", "_")
