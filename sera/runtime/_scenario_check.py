"""Check a scenario as a whole before anything starts, and collect all that is wrong.

The file is checked as it stands and once more with each of its conditions laid over it, so that
the last condition of a study cannot fail on the day of its first participant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from sera.messages import WORLD
from sera.runtime._loading import ModuleLoadError, load_class_from_file
from sera.runtime._scenario_schema import RESERVED_KEYS, ScenarioFile, settings_of
from sera.runtime._validation import holds, problems_of
from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name
from sera.runtime.robot import RobotCard, RobotError, load_robot
from sera.runtime.workspace import UnknownName, Workspace

if TYPE_CHECKING:
    from sera.runtime.module import Module

JOINED_BY = "+"
"""Between conditions of which the later lie over the earlier: `c_erik+simulated`."""
ClassLoader = Callable[[str, Path], "type[Module]"]
"""Finds a module class by what the scenario calls it and the scenario's folder."""


@dataclass(frozen=True)
class ModulePlan:
    """One module that the scenario starts, with its class found and its settings checked."""

    character: str
    """Whose module it is; `world` where it belongs to nobody."""
    name: str
    implementation: str
    """The module of the workspace, or `./file.py[:Class]`."""
    process: str
    module_class: type[Module]
    settings: BaseModel

    @property
    def source(self) -> str:
        """How it is called on the bus."""
        return f"{self.character}.{self.name}"


@dataclass
class Variant:
    """The scenario in one condition, as far as it is sound."""

    condition: str | None
    file: ScenarioFile | None = None
    plans: list[ModulePlan] = field(default_factory=list)
    robots: dict[str, RobotCard] = field(default_factory=dict)
    problems: list[FileProblem] = field(default_factory=list)


def load_module_class(workspace: Workspace, implementation: str, folder: Path) -> type[Module]:
    """The class of a module: by name from the workspace, or from a file beside the scenario.

    Raises:
        UnknownName: the workspace has no such module.
        ModuleLoadError: it is there but cannot be used.
    """
    if not implementation.startswith("./"):
        return workspace.load_module_class(implementation)
    file, _, class_name = implementation.partition(":")
    return load_class_from_file(folder / file, class_name or None)


class ScenarioChecker:
    """Checks the variants of one scenario file."""

    def __init__(
        self, document: LocatedToml, workspace: Workspace, class_loader: ClassLoader
    ) -> None:
        self._document = document
        self._workspace = workspace
        self._load = class_loader
        self._folder = document.path.parent
        conditions = document.data.get("conditions")
        self._overlays: dict[str, Any] = conditions if isinstance(conditions, dict) else {}

    def check(self, condition: str | None = None) -> Variant:
        """The file with that condition laid over it, or several, as `a+b`; None: as it stands."""
        return _Check(self, condition).run()

    def check_all(self) -> tuple[dict[str | None, Variant], list[FileProblem]]:
        """All variants, and all problems of all of them, each once, in the order of the file."""
        variants: dict[str | None, Variant] = {None: self.check()}
        problems = {_identity(problem): problem for problem in variants[None].problems}
        for name, overlay in self._overlays.items():
            if not isinstance(overlay, dict):
                continue  # the schema has complained
            variants[name] = self.check(name)
            for problem in variants[name].problems:
                if _identity(problem) in problems:
                    continue
                problems[_identity(problem)] = (
                    problem
                    if problem.key.startswith("conditions.")
                    else problem.with_message(f"{problem.message}, in the condition '{name}'")
                )
        ordered = sorted(problems.values(), key=lambda problem: (problem.file, problem.line or 0))
        return variants, ordered


class _Check:
    """One variant of a scenario, checked."""

    def __init__(self, checker: ScenarioChecker, condition: str | None) -> None:
        self._checker = checker
        self._document = checker._document
        self._conditions = [] if condition is None else condition.split(JOINED_BY)
        self._overlays = [checker._overlays[name] for name in self._conditions]
        self._variant = Variant(condition)
        self._data = self._document.data
        if condition is not None:
            self._data = {key: value for key, value in self._data.items() if key != "conditions"}
        for overlay in self._overlays:
            self._data = merge(self._data, overlay)

    def run(self) -> Variant:
        if any("conditions" in overlay for overlay in self._overlays):
            self._complain(("conditions",), "a condition cannot hold conditions")
        else:
            try:
                self._variant.file = ScenarioFile.model_validate(self._data)
            except ValidationError as error:
                self._variant.problems += problems_of(
                    error, self._document, ScenarioFile, self._data, relocate=self._relocate
                )
        for character, table in _tables(self._data.get("characters")):
            self._check_robot(character, table)
        for character, path, table in self._module_tables():
            if table.get("enabled", True) is not False:
                self._check_module(character, path, table)
        self._check_people()
        return self._variant

    def _relocate(self, path: KeyPath) -> KeyPath:
        """The place in the file of a key of the merged data."""
        # A key that is missing belongs to the table that lacks it.
        for length in (len(path), len(path) - 1):
            # Of several conditions the last one that says something is the one that holds.
            for name, overlay in zip(self._conditions[::-1], self._overlays[::-1], strict=True):
                if length > 0 and _reaches(overlay, path[:length]):
                    return ("conditions", name, *path)
            if self._document.has(path[:length]):
                return path
        return path

    def _complain(
        self, path: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> None:
        problem = self._document.problem(self._relocate(path), message, nearest=nearest, fix=fix)
        self._variant.problems.append(problem)

    def _module_tables(self) -> Iterator[tuple[str, KeyPath, dict[str, Any]]]:
        for name, table in _tables(self._data.get("modules")):
            yield WORLD, ("modules", name), table
        for character, own in _tables(self._data.get("characters")):
            for name, table in _tables(own.get("modules")):
                yield character, ("characters", character, "modules", name), table

    def _check_robot(self, character: str, table: dict[str, Any]) -> None:
        name = table.get("robot")
        if not isinstance(name, str) or not name:
            return
        try:
            folder = self._checker._workspace.find_robot(name)
            self._variant.robots[character] = load_robot(folder)
        except UnknownName as error:
            self._complain_unknown(("characters", character, "robot"), error)
        except RobotError as error:
            self._variant.problems += error.problems

    def _check_module(self, character: str, path: KeyPath, table: dict[str, Any]) -> None:
        name = str(path[-1])
        implementation = table.get("module", name)
        if not isinstance(implementation, str) or not implementation.strip():
            return  # the schema has complained
        place = (*path, "module") if "module" in table else path
        try:
            module_class = self._checker._load(implementation, self._checker._folder)
        except UnknownName as error:
            self._complain_unknown(place, error)
            return
        except ModuleLoadError as error:
            self._complain(place, str(error))
            return
        settings = self._check_settings(path, table, module_class)
        if settings is not None:
            process = str(table.get("process", "shared"))
            plan = ModulePlan(character, name, implementation, process, module_class, settings)
            self._variant.plans.append(plan)

    def _check_settings(
        self, path: KeyPath, table: dict[str, Any], module_class: type[Module]
    ) -> BaseModel | None:
        schema: type[BaseModel] = module_class.Settings
        for key in RESERVED_KEYS:
            if key in schema.model_fields:
                message = f"{module_class.__name__} has a setting '{key}', a name that is reserved"
                self._complain(path, message, fix="rename the setting in the module")
                return None
        given = settings_of(table)
        try:
            return schema.model_validate(given)
        except ValidationError as error:
            self._variant.problems += problems_of(
                error,
                self._document,
                schema,
                given,
                relocate=lambda inner: self._relocate((*path, *inner)),
                also_known=RESERVED_KEYS,
            )
        except Exception as error:  # a validator of the laboratory's own may raise anything
            reason = f"{type(error).__name__}: {error}"
            self._complain(path, f"the settings of {module_class.__name__} raised {reason}")
        return None

    def _check_people(self) -> None:
        space = self._data.get("space")
        space = space if isinstance(space, dict) else {}
        seats = [name for name, _ in _tables(space.get("seats"))]
        for name, person in _tables(self._data.get("people")):
            seat = person.get("seat")
            if not isinstance(seat, str):
                continue
            if seat not in seats:
                message = f"there is no seat '{seat}' in [space.seats]"
                self._complain(("people", name, "seat"), message, nearest=nearest_name(seat, seats))
            elif "position_m" in person:
                message = "give a seat or a position, not both"
                self._complain(("people", name, "position_m"), message)
        self._check_targets(space)

    def _check_targets(self, space: dict[str, Any]) -> None:
        """Gaze and gestures find people and things by name, so no two may share one."""
        groups: list[tuple[KeyPath, Any]] = [
            (("characters",), self._data.get("characters")),
            (("people",), self._data.get("people")),
            (("space", "screens"), space.get("screens")),
            (("space", "objects"), space.get("objects")),
        ]
        taken: dict[str, KeyPath] = {}
        for group, tables in groups:
            for name, _ in _tables(tables):
                first = taken.setdefault(name, group)
                if first != group:
                    message = f"the name '{name}' is taken in [{'.'.join(map(str, first))}]"
                    fix = "the robot could not tell which one to look at; rename one"
                    self._complain((*group, name), message, fix=fix)

    def _complain_unknown(self, place: KeyPath, error: UnknownName) -> None:
        reason = f": {error.reason}" if error.reason else ""
        message = f"unknown {error.kind[:-1]} '{error.name}'{reason}"
        fix = f"`sera list {error.kind}` lists all"
        self._complain(place, message, nearest=error.nearest, fix=fix)


def merge(base: dict[str, Any], overlay: dict[str, Any]) -> dict[str, Any]:
    """Lay one table over another: tables merge key by key, everything else is replaced."""
    merged = dict(base)
    for key, value in overlay.items():
        below = merged.get(key)
        both = isinstance(below, dict) and isinstance(value, dict)
        merged[key] = merge(below, value) if both else value  # type: ignore[arg-type]
    return merged


def _reaches(table: dict[str, Any], path: KeyPath) -> bool:
    current: Any = table
    for part in path:
        if not holds(current, part):
            return False
        current = current[part]
    return True


def _tables(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """The tables inside a table; nothing where the file has something else there."""
    items = value.items() if isinstance(value, dict) else ()
    return [(key, inner) for key, inner in items if isinstance(inner, dict)]


def _identity(problem: FileProblem) -> tuple[Path, int | None, str, str]:
    return problem.file, problem.line, problem.key, problem.message
