"""Who a page asks about: a character of the run, with the settings of its behaviour manager."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from sera.console._console import Console
from sera.console._visitor import Denied
from sera.runtime.located import FileProblem, FileProblems, nearest_name

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario

_SHOWN = 60
"""Characters of a name that does not exist which are repeated to whoever asked."""


@dataclass(frozen=True, slots=True)
class Cast:
    """One character of a scenario."""

    name: str
    scenario: Scenario
    roots: tuple[Path, ...]
    """Of the workspace, the user's own first."""

    @property
    def folder(self) -> Path:
        return self.scenario.folder

    @property
    def robot(self) -> Path | None:
        """Folder of the body; None for a character without one."""
        card = self.scenario.robots.get(self.name)
        return None if card is None else card.folder

    @property
    def language(self) -> str | None:
        """Of its lines, where a sheet has several; None: the first one."""
        own = self.setting("language", None)
        return own or self.scenario.characters[self.name].language

    def setting(self, name: str, otherwise: Any) -> Any:
        """What the scenario says about whatever says the character's lines."""
        for plan in self.scenario.plans:
            if plan.character == self.name and hasattr(plan.settings, "libraries"):
                return getattr(plan.settings, name, otherwise)
        return otherwise


def cast_of(console: Console, request: Request) -> Cast | None:
    """The character that a request is about, by default the first; None where there is nobody.

    Raises:
        Denied: there is no such character.
    """
    scenario = console.scenario
    if scenario is None or not scenario.characters:
        return None
    asked = request.query_params.get("character") or next(iter(scenario.characters))
    if asked not in scenario.characters:
        near = nearest_name(asked[:_SHOWN], scenario.characters)
        hint = near and f"did you mean '{near}'?"
        known = f"there are {', '.join(scenario.characters)}"
        raise Denied(404, f"there is no character '{asked[:_SHOWN]}'; {hint or known}")
    roots = () if console.workspace is None else tuple(console.workspace.roots)
    return Cast(asked, scenario, roots)


def sentences_of(problem: Exception) -> list[str]:
    """What is wrong in files, one sentence each, without the folders of this machine."""
    if isinstance(problem, FileProblems):
        return [each.for_pages for each in problem.problems]
    return [problem.for_pages if isinstance(problem, FileProblem) else str(problem)]
