"""Scenarios: characters, modules, people and the room, assembled from one file.

`load_scenario` reads `scenario.toml`, finds every module and robot it names and checks every
setting, in every condition, before anything starts. What is wrong is reported all at once, each
with file, line, key and the nearest valid name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sera.bus import BrokerAddress
from sera.messages import WORLD, check_name
from sera.runtime._scenario_check import (
    JOINED_BY,
    ClassLoader,
    ModulePlan,
    ScenarioChecker,
    load_module_class,
    merge,
)
from sera.runtime._scenario_schema import (
    About,
    BrokerSettings,
    Camera,
    Character,
    Microphones,
    ModuleEntry,
    Person,
    Pose,
    RecordingSettings,
    ScenarioFile,
    Screen,
    Seat,
    Space,
    SpaceObject,
)
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name
from sera.runtime.robot import RobotCard, load_robot
from sera.runtime.workspace import UnknownName, Workspace

__all__ = [
    "About",
    "BrokerSettings",
    "Camera",
    "Character",
    "Microphones",
    "ModuleEntry",
    "ModulePlan",
    "Person",
    "Pose",
    "RecordingSettings",
    "Scenario",
    "ScenarioError",
    "ScenarioFile",
    "Screen",
    "Seat",
    "Space",
    "SpaceObject",
    "find_scenario_file",
    "load_scenario",
]

FILE_NAME = "scenario.toml"


class ScenarioError(FileProblems):
    """A scenario that cannot be run, with everything that is wrong in it."""

    what = "scenario"


@dataclass(frozen=True)
class Scenario:
    """A scenario in one condition, checked and ready to be started."""

    name: str
    """Name of its folder."""
    path: Path
    """Its file."""
    condition: str | None
    conditions: tuple[str, ...]
    """All conditions of the file, in its order."""
    file: ScenarioFile
    """The tables of the file, with the condition laid over them."""
    plans: tuple[ModulePlan, ...]
    """The modules to start: those of the world first, then by character, as in the file."""
    robots: Mapping[str, RobotCard]
    """The robot of each character that has one."""

    @property
    def folder(self) -> Path:
        """Where sheets, media and `decision.py` lie."""
        return self.path.parent

    @property
    def title(self) -> str:
        return self.file.scenario.title

    @property
    def description(self) -> str:
        return self.file.scenario.description

    @property
    def seed(self) -> int:
        return self.file.scenario.seed

    @property
    def duration_s(self) -> float | None:
        """When the run ends by itself; None: it does not."""
        return self.file.scenario.duration_s

    @property
    def characters(self) -> dict[str, Character]:
        return self.file.characters

    @property
    def people(self) -> dict[str, Person]:
        return self.file.people

    @property
    def space(self) -> Space:
        return self.file.space

    @property
    def activity(self) -> dict[str, Any]:
        return self.file.activity

    @property
    def recording(self) -> RecordingSettings:
        return self.file.recording

    @property
    def bodies(self) -> dict[str, str]:
        """Name of the robot of each character that has one."""
        return {character: card.name for character, card in self.robots.items()}

    def broker_address(self) -> BrokerAddress | None:
        """The broker that the file names; None where SERA starts its own.

        Raises:
            ValueError: the password is not where the file says.
        """
        return self.file.broker.address(self.folder, dict(os.environ))

    def plan(self, character: str, name: str) -> ModulePlan:
        """The plan of one module.

        Raises:
            LookupError: with the nearest module of the scenario.
        """
        source = f"{character}.{name}"
        for plan in self.plans:
            if plan.source == source:
                return plan
        near = nearest_name(source, [plan.source for plan in self.plans])
        hint = f"; did you mean '{near}'?" if near else ""
        raise LookupError(f"scenario '{self.name}' starts no module '{source}'{hint}")

    def overridden(
        self,
        *,
        seed: int | None = None,
        duration_s: float | None = None,
        robots: Mapping[str, RobotCard] | None = None,
    ) -> Scenario:
        """The same scenario with what the command line says in place of what the file says."""
        changes: dict[str, Any] = {}
        if seed is not None:
            changes["seed"] = seed
        if duration_s is not None:
            changes["duration_s"] = duration_s
        about = About.model_validate({**self.file.scenario.model_dump(), **changes})
        characters = {
            name: _standing(one, None if robots is None else robots.get(name))
            for name, one in self.file.characters.items()
        }
        file = self.file.model_copy(update={"scenario": about, "characters": characters})
        return replace(self, file=file, robots={**self.robots, **(robots or {})})

    def with_settings(self, changes: Mapping[str, Mapping[str, Any]]) -> Scenario:
        """The same scenario with other settings of modules, by `character.module` and key.

        Raises:
            LookupError: there is no such module or setting; with the nearest name.
            ValueError: a setting does not take the value.
        """
        for source in changes:
            character, dot, module = source.partition(".")
            # A name alone is taken for one of the world's: the sentence then has the nearest one.
            self.plan(character if dot else WORLD, module if dot else source)
        plans = [
            with_settings(plan, changes[plan.source]) if plan.source in changes else plan
            for plan in self.plans
        ]
        return replace(self, plans=tuple(plans))

    def cast(self, wishes: Sequence[str], workspace: Workspace) -> dict[str, RobotCard]:
        """Other robots for characters: `nao` for everyone who has a robot, `ada=nao` for one.

        Raises:
            LookupError, UnknownName: there is no such character or robot; with the nearest name.
            RobotError: the robot's body file is broken.
        """
        chosen: dict[str, RobotCard] = {}
        for wish in wishes:
            character, equals, robot = wish.rpartition("=")
            card = load_robot(workspace.find_robot(robot))
            if equals and character not in self.characters:
                near = nearest_name(character, self.characters)
                hint = f"; did you mean '{near}'?" if near else ""
                raise LookupError(f"scenario '{self.name}' has no character '{character}'{hint}")
            if not equals and not self.robots:
                names = ", ".join(self.characters) or "none"
                raise LookupError(
                    f"no character of scenario '{self.name}' has a robot; write --robot "
                    f"CHARACTER={robot} for one of {names}"
                )
            chosen |= dict.fromkeys([character] if equals else self.robots, card)
        return chosen


def _standing(character: Character, card: RobotCard | None) -> Character:
    """The character where a robot that is cast for it stands."""
    at_m = None if card is None else character.stands_at_m.get(card.name)
    if at_m is None:
        return character
    x_m, _, z_m = character.position_m
    return character.model_copy(update={"position_m": (x_m, at_m, z_m)})


def load_scenario(
    path_or_name: Path | str,
    workspace: Workspace,
    condition: str | None = None,
    *,
    class_loader: ClassLoader | None = None,
) -> Scenario:
    """Read a scenario and check all of it, every condition included.

    Args:
        path_or_name: a name of the workspace, or the path of a scenario's folder or file.
        workspace: where its modules and robots are found.
        condition: which condition to lay over the file, or several, as `c_erik+simulated`, of
            which the later lie over the earlier; None: the file as it stands.
        class_loader: finds a module's class, given what the scenario calls it and the scenario's
            folder; by default the workspace does.

    Raises:
        UnknownName: no scenario has that name.
        ScenarioError: with every problem of the file.
    """
    path = find_scenario_file(path_or_name, workspace)
    name = path.parent.name if path.name == FILE_NAME else path.stem
    try:
        check_name(name, "scenario")
        document = LocatedToml.load(path)
    except FileProblem as problem:
        raise ScenarioError([problem]) from None
    except ValueError as error:
        raise ScenarioError([FileProblem(path, str(error), fix="rename the folder")]) from None
    load = class_loader or (lambda module, folder: load_module_class(workspace, module, folder))
    checker = ScenarioChecker(document, workspace, load)
    variants, problems = checker.check_all()
    conditions = tuple(key for key in variants if key is not None)
    for wanted in [] if condition is None else condition.split(JOINED_BY):
        if wanted in conditions:
            continue
        known = f"it has {', '.join(conditions)}" if conditions else "it has none"
        message = f"the scenario has no condition '{wanted}'"
        near = nearest_name(wanted, conditions)
        problems.append(document.problem(("conditions",), message, nearest=near, fix=known))
    if not problems and condition not in variants:
        variants[condition] = checker.check(condition)
        problems += variants[condition].problems
    if problems:
        raise ScenarioError(problems)
    variant = variants[condition]
    if variant.file is None:
        raise AssertionError("a variant without problems has been read")
    return Scenario(
        name=name,
        path=path,
        condition=condition,
        conditions=conditions,
        file=variant.file,
        plans=tuple(variant.plans),
        robots=dict(variant.robots),
    )


def with_settings(plan: ModulePlan, new: Mapping[str, Any]) -> ModulePlan:
    """The plan of a module with some of its settings changed; tables are laid over each other.

    Raises:
        LookupError: it has no such setting; with the nearest name.
        ValueError: a setting does not take the value.
    """
    known = type(plan.settings).model_fields
    for key in new:
        if key not in known:
            near = nearest_name(key, known)
            hint = f"; did you mean '{near}'?" if near else f"; it has {', '.join(known) or 'none'}"
            raise LookupError(f"{plan.source} has no setting '{key}'{hint}")
    changed = merge(plan.settings.model_dump(exclude_unset=True), dict(new))
    try:
        return replace(plan, settings=type(plan.settings).model_validate(changed))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{plan.source}.{where}: {first['msg']}") from None


def find_scenario_file(path_or_name: Path | str, workspace: Workspace) -> Path:
    """The file of a scenario, by name or by path.

    Raises:
        UnknownName: it is neither a name of the workspace nor a path.
    """
    path = Path(path_or_name).expanduser()
    is_name = isinstance(path_or_name, str) and path.name == path_or_name and path.suffix == ""
    if is_name:
        try:
            return workspace.find_scenario(str(path_or_name)) / FILE_NAME
        except UnknownName:
            if not (path / FILE_NAME).is_file():
                raise
    path = path.resolve()
    return path / FILE_NAME if path.suffix != ".toml" else path
