"""Checks one scenario with what lies beside it, in a process of its own.

Modules of a laboratory are imported for it, which may do anything; and two scenarios may each have
a message of the same name, which only one process can know at a time.

The question is a line of JSON on stdin: `scenario` (its folder) and `libraries` (whether sheets of
lines are read). The answer is JSON on stdout: a list of `severity` and the parts of a problem.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sera.runtime.located import FileProblem, FileProblems
from sera.runtime.workspace import Workspace, WorkspaceError

if TYPE_CHECKING:
    from sera.runtime.scenario import ModulePlan


def main() -> None:
    """Answer the question on stdin."""
    question = json.loads(sys.stdin.readline())
    # What modules print while they are imported must not get into the answer.
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    told = check_scenario(Path(question["scenario"]), libraries=question["libraries"])
    with os.fdopen(answer, "w", encoding="utf-8") as out:
        json.dump(told, out)


def check_scenario(folder: Path, *, libraries: bool) -> list[dict[str, Any]]:
    """All findings about a scenario of the workspace around the current folder."""
    from sera.cli._scenario_findings import beside_problems
    from sera.runtime.scenario import load_scenario

    workspace = Workspace.discover()
    workspace.activate()
    if not libraries and _import_what_buttons_send(folder):
        found = beside_problems(folder)
        return [{"severity": severity, **problem.as_dict()} for severity, problem in found]
    plans: tuple[ModulePlan, ...] = ()
    errors: list[FileProblem] = []
    try:
        plans = load_scenario(folder, workspace).plans
    except FileProblems as problems:
        errors += problems.problems
    except WorkspaceError as error:
        errors.append(FileProblem(folder / "scenario.toml", str(error)))
    found = beside_problems(folder, _plans_of_studies(plans))
    if libraries:
        from sera.console._fillers import filler_problem

        filler = filler_problem(folder / "scenario.toml", plans)
        found += [] if filler is None else [("warning", filler)]
    told = [*(("error", problem) for problem in errors), *found]
    return [{"severity": severity, **problem.as_dict()} for severity, problem in told]


def _import_what_buttons_send(folder: Path) -> bool:
    """Import the files of the scenario that define what its buttons send, and no others.

    A scenario as a whole has engines and voices, whose libraries take seconds to import.

    Returns:
        Whether every message is known now.
    """
    from sera.cli._own_definitions import files_that_define, sent_by_buttons
    from sera.messages import message_types
    from sera.runtime._loading import ModuleLoadError, import_file

    unknown = sent_by_buttons(folder) - set(message_types())
    files = files_that_define(folder, unknown)
    if set(files) != unknown:
        return False
    try:
        for file in dict.fromkeys(files.values()):
            import_file(file)
    except ModuleLoadError:
        return False
    return unknown <= set(message_types())


def _plans_of_studies(plans: tuple[ModulePlan, ...]) -> set[str]:
    """Study files that the scenario names by a name of its own."""
    named = (getattr(plan.settings, "plan", None) for plan in plans)
    return {str(one) for one in named if isinstance(one, Path)}


if __name__ == "__main__":
    main()
