"""Whether the category of fillers in `console.toml` is one of the scenario's libraries.

Reading libraries takes longer than reading the layout: whoever lists scenarios leaves it out, and
pages ask for it after everything else. `FillerCheck` reads them again only when a file has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from sera.console._scenario_tables import libraries_of
from sera.console.layout import FILE_NAME
from sera.runtime.located import FileProblem, LocatedToml, nearest_name

if TYPE_CHECKING:
    from sera.runtime.scenario import ModulePlan

_KEY = "filler_category"
_LISTED = 12
"""How many categories a sentence names."""


def filler_problem(scenario_file: Path, plans: Iterable[ModulePlan] = ()) -> FileProblem | None:
    """What is wrong with the layout's `filler_category`; None: nothing, or it cannot be told.

    Blocks while sheets are read. A sheet that cannot be read is for others to report: without it
    nobody knows which categories there are.

    Args:
        scenario_file: beside which `console.toml` stands.
        plans: modules whose settings may have libraries that the file does not name.
    """
    folder = scenario_file.parent
    try:
        document = LocatedToml.load(folder / FILE_NAME)
    except FileProblem:
        return None
    wanted = document.data.get(_KEY)
    if not isinstance(wanted, str) or not wanted.strip():
        return None
    known = _categories(_sheets(scenario_file, plans), wanted)
    if known is None:
        return None
    message = f"no library of the scenario has the category '{wanted[:60]}'"
    if not known:
        message = f"no character has lines, so none of the category '{wanted[:60]}'"
        return document.problem((_KEY,), message, fix="give a character `libraries`")
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    fix = f"there are {', '.join(known[:_LISTED])}{more}"
    return document.problem((_KEY,), message, nearest=nearest_name(wanted, known), fix=fix)


class FillerCheck:
    """Remembers what was found until one of the files is another one; safe in several threads."""

    def __init__(self, scenario_file: Path, plans: Sequence[ModulePlan] = ()) -> None:
        """Read nothing yet; the arguments are those of `filler_problem`."""
        self._scenario_file = scenario_file
        self._plans = tuple(plans)
        self._lock = Lock()
        self._stamps: list[tuple[str, int, int]] | None = None
        self._problem: FileProblem | None = None

    def problem(self) -> FileProblem | None:
        """What is wrong now; blocks while sheets are read."""
        with self._lock:
            files = [self._scenario_file, self._scenario_file.with_name(FILE_NAME)]
            stamps = [_stamp(file) for file in (*files, *_sheets(files[0], self._plans))]
            if stamps != self._stamps:
                self._problem = filler_problem(self._scenario_file, self._plans)
                self._stamps = stamps
            return self._problem


def _stamp(file: Path) -> tuple[str, int, int]:
    try:
        status = file.stat()
    except OSError:
        return str(file), 0, 0
    return str(file), status.st_mtime_ns, status.st_size


def _sheets(scenario_file: Path, plans: Iterable[ModulePlan]) -> list[Path]:
    sheets = libraries_of(scenario_file)
    sheets += [str(name) for plan in plans for name in getattr(plan.settings, "libraries", ())]
    return [scenario_file.parent / sheet for sheet in dict.fromkeys(sheets)]


def _categories(sheets: list[Path], wanted: str) -> list[str] | None:
    """All categories and those above them; None where the wanted one is there, or may be."""
    from sera.behaviour.library import read_library

    known: dict[str, str] = {}
    for sheet in sheets:
        reading = read_library(sheet)
        if not reading.usable or reading.library.in_category(wanted):
            return None
        for line in reading.library.lines:
            for depth in range(1, len(line.category) + 1):
                path = ":".join(line.category[:depth])
                known.setdefault(path.casefold(), path)
    return list(known.values())
