"""Which files go into a session of a study: the scenario with everything that it names.

Nothing is imported for it: a module that is imported twice, from its place and from a frozen
copy, would define its messages twice.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sera
from sera.runtime.located import LocatedToml
from sera.runtime.workspace import UnknownName, Workspace
from sera.study.plan import PLAN_FILE, StudyPlan
from sera.study.questionnaire import FOLDER_NAME, find_questionnaire

ALWAYS = ("study_guide", "gateway", "recorder")
"""Modules of every session, whether or not the scenario names them."""
SHARED = "shared"
"""The folder beside the robots with what all of them have: program, animations, postures, faces."""
_LEFT_OUT = {"__pycache__", "node_modules", "runs"}
_OF_PARTICIPANTS = "memory-"
"""How files begin that remember a participant: no part of the scenario, and none of others'."""
_LONGEST_PATH = 300


@dataclass
class Inputs:
    """What a session is made of."""

    files: dict[str, Path] = field(default_factory=dict)
    """By their place in the frozen workspace."""
    elsewhere: list[Path] = field(default_factory=list)
    """Files outside of the workspace, which are used where they are."""


def gather(scenario_file: Path, plan: StudyPlan, workspace: Workspace) -> Inputs:
    """All inputs of a scenario.

    Args:
        scenario_file: its `scenario.toml`.
        plan: of the study.
        workspace: where its modules and robots are found.

    Raises:
        FileProblem: the scenario file cannot be read.
    """
    folder = scenario_file.parent.resolve()
    data = LocatedToml.load(scenario_file).data
    found = Inputs()
    _take(found, folder, f"scenarios/{folder.name}")
    for _, step in plan.steps():
        if step.form is not None:
            _take_form(found, folder, step.form)
    used = modules_of(data)
    if plan.media.cameras or plan.media.microphones:
        used.add("media_recorder")
    for entry in workspace.modules():
        # All of the laboratory's own: one may lean on another without the scenario saying so.
        if entry.name in used or entry.origin != "built-in":
            _take(found, entry.path, f"modules/{entry.name}")
    for name in sorted(_robots_of(data)):
        try:
            _take(found, workspace.find_robot(name), f"robots/{name}")
        except UnknownName:
            continue  # loading the scenario says so, with the line
    for root in workspace.roots:
        # The program and what every body can play; where two roots have a file, the first wins.
        _take(found, root / "robots" / SHARED, f"robots/{SHARED}")
    for text in _texts(data):
        _take_named(found, folder, text)
    return found


def modules_of(data: dict[str, Any]) -> set[str]:
    """Modules of the workspace that a scenario file names, in any of its conditions."""
    named = set(ALWAYS)
    for variant in (data, *_inner(data.get("conditions"))):
        tables = [variant.get("modules")]
        tables += [one.get("modules") for one in _inner(variant.get("characters"))]
        for table in tables:
            if isinstance(table, dict):
                for name, module in table.items():
                    chosen = module.get("module") if isinstance(module, dict) else None
                    named.add(chosen if isinstance(chosen, str) else str(name))
    return named


def study_file_of(scenario_file: Path) -> Path:
    """The study file of a scenario: `study.toml` unless its guide names another.

    Raises:
        FileProblem: the scenario file cannot be read.
    """
    data = LocatedToml.load(scenario_file).data
    for name, table in (data.get("modules") or {}).items():
        if isinstance(table, dict) and table.get("module", name) == "study_guide":
            chosen = table.get("plan")
            if isinstance(chosen, str):
                return scenario_file.parent / chosen
    return scenario_file.parent / PLAN_FILE


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_sera() -> str:
    """A digest of SERA's own code, which a version alone does not tell in a source checkout."""
    package = Path(sera.__file__).parent
    summed = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        summed.update(path.relative_to(package).as_posix().encode())
        summed.update(path.read_bytes())
    return summed.hexdigest()[:12]


def _robots_of(data: dict[str, Any]) -> set[str]:
    characters = [
        one
        for variant in (data, *_inner(data.get("conditions")))
        for one in _inner(variant.get("characters"))
    ]
    robots = (one.get("robot") for one in characters)
    return {robot for robot in robots if isinstance(robot, str) and robot}


def _take(found: Inputs, folder: Path, place: str) -> None:
    for path in _files_in(folder):
        found.files.setdefault(f"{place}/{path.relative_to(folder).as_posix()}", path)


def _take_form(found: Inputs, folder: Path, form: str) -> None:
    """SERA's own forms lie beside the scenario in the frozen copy, where they are found first."""
    try:
        path = find_questionnaire(form, folder)
    except LookupError:
        return  # the check of the study says so, with the line
    found.files.setdefault(f"scenarios/{folder.name}/{FOLDER_NAME}/{path.name}", path)


def _take_named(found: Inputs, folder: Path, text: str) -> None:
    """A file or folder outside of the scenario's own that a setting names."""
    if not text.strip() or len(text) > _LONGEST_PATH or "\0" in text:
        return
    path = Path(os.path.normpath(folder / text))
    try:
        if path.is_relative_to(folder) or folder.is_relative_to(path) or not path.exists():
            return
    except OSError:
        return
    root = folder.parent.parent
    for file in [path] if path.is_file() else _files_in(path):
        if file.is_relative_to(root):
            found.files.setdefault(file.relative_to(root).as_posix(), file)
        elif file not in found.elsewhere:
            found.elsewhere.append(file)


def _files_in(folder: Path) -> Iterator[Path]:
    """All files below a folder, without hidden ones and those that Python makes."""
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:  # a link that leads back up
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if _counts(name))
        for name in sorted(files):
            path = Path(place) / name
            if _counts(name) and path.is_file():
                yield path


def _counts(name: str) -> bool:
    return name not in _LEFT_OUT and not (
        name.startswith((".", _OF_PARTICIPANTS)) or name.endswith(".pyc")
    )


def _inner(value: Any) -> list[dict[str, Any]]:
    """The tables inside a table."""
    items = value.values() if isinstance(value, dict) else ()
    return [one for one in items if isinstance(one, dict)]


def _texts(value: Any) -> Iterator[str]:
    """All texts in a file, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
