"""What the lines of one character may say: verbs, targets, and what its own body can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sera.cli._wording import (
    Wording,
    library_of,
    sign_of,
    syntax_of,
    vocabulary_of,
    wording_of,
)

if TYPE_CHECKING:
    from sera.runtime.scenario import Scenario


def wording_for(
    scenario: Path | None, condition: str | None = None, character: str | None = None
) -> Wording:
    """The names and the syntax for a character's lines.

    Args:
        scenario: its file; None: only verbs are known.
        condition: of the run.
        character: whose body performs the lines; None: any body of the scenario.

    Raises:
        FileProblem, FileProblems: everything that is wrong in the scenario.
    """
    if scenario is None:
        return wording_of(None)
    from sera.runtime.scenario import load_scenario
    from sera.runtime.workspace import Workspace

    workspace = Workspace.discover(scenario.parent)
    workspace.activate()
    loaded = load_scenario(str(scenario.parent), workspace, condition)
    own = loaded if character is None else _as_seen_by(character, loaded)
    return Wording(
        vocabulary_of(own, tuple(workspace.roots)),
        syntax_of(own.folder, sign_of(own) or sign_of(loaded)),
        library_of(own),
    )


def _as_seen_by(character: str, scenario: Scenario) -> Scenario:
    """The scenario with this character's body and modules alone; places and people stay."""
    robots = {name: card for name, card in scenario.robots.items() if name == character}
    plans = tuple(plan for plan in scenario.plans if plan.character == character)
    return replace(scenario, robots=robots or scenario.robots, plans=plans)
