"""Workspaces: the folders in which modules, robots and scenarios are found.

A workspace is a list of roots. Each root may have the folders `modules/`, `robots/` and
`scenarios/`. The own root is searched first, then those of SERA_PATH, then the built-in one, so
that a laboratory's module stands beside the built-in ones, or in place of one of the same name.
"""

from __future__ import annotations

import ast
import keyword
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import sera
from sera.messages import check_name
from sera.runtime.located import FileProblem, LocatedToml, nearest_name, shown_path

if TYPE_CHECKING:
    from sera.runtime.module import Module

Kind = Literal["modules", "robots", "scenarios"]
Origin = Literal["own", "path", "built-in"]
Severity = Literal["error", "warning", "info"]

MARKER = "sera.toml"
"""A root that has nothing in its folders yet is known by this file."""
_SIGN_OF: dict[Kind, str] = {
    "modules": "__init__.py",
    "robots": "body.toml",
    "scenarios": "scenario.toml",
}
_INSTALLED = {"site-packages", "dist-packages"}


class WorkspaceError(Exception):
    """Something about the workspace keeps it from being used; the message says what to do."""


class UnknownName(WorkspaceError, LookupError):
    """No module, robot or scenario of that name is in the workspace."""

    def __init__(self, kind: Kind, name: str, known: list[str], reason: str | None = None) -> None:
        self.kind = kind
        self.name = name
        self.known = known
        self.reason = reason
        """Why a folder of that name does not count, where there is one."""
        self.nearest = None if reason else nearest_name(name, known)
        hint = f": {reason}" if reason else ""
        if self.nearest:
            hint = f"; did you mean '{self.nearest}'?"
        super().__init__(f"unknown {kind[:-1]} '{name}'{hint} (`sera list {kind}` lists all)")


@dataclass(frozen=True)
class Entry:
    """One module, robot or scenario of the workspace."""

    kind: Kind
    name: str
    path: Path
    """Its folder."""
    root: Path
    origin: Origin

    @property
    def file(self) -> Path:
        """The file that makes the folder what it is."""
        return self.path / _SIGN_OF[self.kind]

    def summary(self) -> str:
        """One line that says what it is; empty where its file says nothing or cannot be read."""
        try:
            if self.kind == "modules":
                tree = ast.parse(self.file.read_text(encoding="utf-8"))
                classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
                texts = [ast.get_docstring(tree), *map(ast.get_docstring, classes)]
                return next((text for text in texts if text), "").partition("\n")[0]
            table = LocatedToml.load(self.file).data.get(self.kind[:-1], {})
        except (FileProblem, OSError, SyntaxError, ValueError):
            return ""
        if not isinstance(table, dict):
            return ""
        return str(table.get("description") or table.get("title") or "")


@dataclass(frozen=True)
class Finding:
    """Something about the workspace that a person should know."""

    severity: Severity
    path: Path
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{shown_path(self.path)}: {self.message} ({self.fix})"


class Workspace:
    """The roots in which modules, robots and scenarios are found, the own one first.

    Args:
        roots: folders, in the order in which they are searched.
        built_in: which of them holds what comes with SERA.
        own: which of them is the person's own; None where there is none.
    """

    def __init__(
        self, roots: list[Path], *, built_in: Path | None = None, own: Path | None = None
    ) -> None:
        self.roots = tuple(dict.fromkeys(root.resolve() for root in roots))
        self.built_in = built_in.resolve() if built_in else None
        self.own = own.resolve() if own else None

    @classmethod
    def discover(cls, start: Path | None = None, *, required: bool = False) -> Workspace:
        """The workspace around a folder or file (by default the current folder).

        Args:
            start: where to begin; the nearest folder around it that is a workspace is the own
                root.
            required: there must be an own root.

        Raises:
            WorkspaceError: `start` does not exist, or `required` and nothing was found.
        """
        place = (start or Path.cwd()).expanduser().resolve()
        if not place.exists():
            raise WorkspaceError(f"there is no folder {shown_path(place)}")
        own = next((folder for folder in (place, *place.parents) if is_workspace(folder)), None)
        if own is None and required:
            raise WorkspaceError(
                f"{shown_path(place)} is in no workspace: no folder around it has a {MARKER} or "
                "anything in modules/, robots/ or scenarios/ (`sera new workspace` makes one)"
            )
        listed = [folder for folder in sera_path() if folder.is_dir()]
        built_in = built_in_root()
        roots = [root for root in (own, *listed, built_in) if root is not None]
        return cls(roots, built_in=built_in, own=own)

    def activate(self) -> dict[Kind, Path]:
        """Make `import modules.<name>` (robots, scenarios) find what is in the roots.

        The roots go to the end of `sys.path`, so that a file in a workspace never hides an
        installed package.

        Returns:
            Those of the three names that cannot be had, because a package of that name from
            elsewhere is in use, with its file; `problems` explains them.
        """
        from sera.runtime._loading import claim_namespaces

        present = {str(Path(entry).resolve()) for entry in sys.path if entry}
        sys.path.extend(str(root) for root in self.roots if str(root) not in present)
        return claim_namespaces(self.roots)

    def modules(self) -> list[Entry]:
        """All modules by name; an own one stands in place of a built-in one."""
        return self._entries("modules")

    def robots(self) -> list[Entry]:
        """All robots by name."""
        return self._entries("robots")

    def scenarios(self) -> list[Entry]:
        """All scenarios by name."""
        return self._entries("scenarios")

    def find_module(self, name: str) -> Path:
        """The folder of a module.

        Raises:
            UnknownName: with the nearest valid name.
        """
        return self._find("modules", name).path

    def find_robot(self, name: str) -> Path:
        """The folder of a robot.

        Raises:
            UnknownName: with the nearest valid name.
        """
        return self._find("robots", name).path

    def find_scenario(self, name: str) -> Path:
        """The folder of a scenario.

        Raises:
            UnknownName: with the nearest valid name.
        """
        return self._find("scenarios", name).path

    def load_module_class(self, name: str) -> type[Module]:
        """Import `modules.<name>` and return its module class.

        Raises:
            UnknownName: there is no such module.
            ModuleLoadError: it cannot be imported, or has no class or too many.
        """
        from sera.runtime._loading import load_packaged_class

        return load_packaged_class(self, name)

    def problems(self) -> list[Finding]:
        """What is wrong or surprising in the roots, errors first."""
        from sera.runtime._workspace_check import check_workspace

        return check_workspace(self)

    def origin_of(self, root: Path) -> Origin:
        """Whether a root is the own one, one of SERA_PATH, or the built-in one."""
        if root == self.built_in:
            return "built-in"
        return "own" if root == self.own else "path"

    def all_entries(self, kind: Kind) -> Iterator[Entry]:
        """Every entry of every root in the order of the roots, also those that are hidden."""
        for root in self.roots:
            for folder in candidate_folders(root / kind):
                if why_unusable(folder, kind) is None:
                    yield Entry(kind, folder.name, folder, root, self.origin_of(root))

    def _entries(self, kind: Kind) -> list[Entry]:
        found: dict[str, Entry] = {}
        for entry in self.all_entries(kind):
            found.setdefault(entry.name, entry)
        return [found[name] for name in sorted(found)]

    def _find(self, kind: Kind, name: str) -> Entry:
        entries = self._entries(kind)
        for entry in entries:
            if entry.name == name:
                return entry
        reasons = (
            f"{shown_path(folder)} {why_unusable(folder, kind)}"
            for root in self.roots
            for folder in candidate_folders(root / kind)
            if folder.name == name
        )
        raise UnknownName(kind, name, [entry.name for entry in entries], next(reasons, None))


def is_workspace(folder: Path) -> bool:
    """True for a folder with the marker file, or with a module, robot or scenario in it.

    A folder that merely has a folder named `modules` is none.
    """
    if _INSTALLED & set(folder.parts):
        return False
    if (folder / MARKER).is_file():
        return True
    return any(
        (child / sign).is_file()
        for kind, sign in _SIGN_OF.items()
        for child in candidate_folders(folder / kind)
    )


def scenario_folders(scenario: Path | None, robot: Path) -> tuple[Path, ...]:
    """Where a scenario keeps what it adds for all robots, and then for this one alone."""
    return () if scenario is None else (scenario, scenario / "robots" / robot.name)


def built_in_root() -> Path | None:
    """Where the built-in modules, robots and scenarios are.

    A wheel carries them inside the package; in a source checkout they are beside it.
    """
    package = Path(sera.__file__).resolve().parent
    if (package / "_builtin").is_dir():
        return package / "_builtin"
    source = package.parent
    return source if (source / "pyproject.toml").is_file() else None


def candidate_folders(folder: Path) -> list[Path]:
    """The folders inside, by name, without hidden ones and those that Python makes."""
    try:
        children = sorted(folder.iterdir())
    except OSError:  # not there, or not ours to read
        return []
    return [child for child in children if child.is_dir() and child.name[0] not in "._"]


def sera_path() -> list[Path]:
    """The folders that SERA_PATH names, whether or not they exist."""
    parts = os.environ.get("SERA_PATH", "").split(os.pathsep)
    return [Path(part).expanduser() for part in parts if part.strip()]


def why_unusable(folder: Path, kind: Kind) -> str | None:
    """Why a folder inside `modules/`, `robots/` or `scenarios/` does not count as one."""
    if not (folder / _SIGN_OF[kind]).is_file():
        return f"has no {_SIGN_OF[kind]}"
    if keyword.iskeyword(folder.name):
        return "is named like a word of the Python language"
    try:
        check_name(folder.name, kind[:-1])
    except ValueError as error:
        return f"has a name that cannot be used: {error}"
    return None
