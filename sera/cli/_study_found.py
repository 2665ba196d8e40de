"""Finds the study that a command is about, and checks it before anything starts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.runtime.workspace import Workspace
    from sera.study.plan import StudyPlan
    from sera.study.sessions import StudyFolder

StudyArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME|PATH", help="A scenario of the workspace with a study.toml, or its path."
    ),
]

WaitOption = Annotated[
    float | None,
    typer.Option(
        "--wait", metavar="S", min=0, help="How long screens and tablets may take to connect."
    ),
]


@dataclass(frozen=True)
class FoundStudy:
    """A study and where everything of it is."""

    name: str
    asked: str
    """What the command line said."""
    scenario_file: Path
    plan_file: Path
    plan: StudyPlan
    workspace: Workspace
    folder: StudyFolder

    @property
    def scenario_folder(self) -> Path:
        return self.scenario_file.parent


def find_study(wanted: str) -> FoundStudy:
    """The study of a scenario; its modules are not imported.

    Raises:
        UnknownName: there is no such scenario.
        CommandError: it has no study file.
        StudyError: the file is wrong, with every problem.
    """
    from sera.cli._workspace import workspace_around
    from sera.runtime.located import shown_path
    from sera.runtime.scenario import find_scenario_file
    from sera.study.plan import load_plan
    from sera.study.sessions import StudyFolder, study_file_of

    workspace = workspace_around(wanted)
    scenario_file = find_scenario_file(wanted, workspace)
    plan_file = study_file_of(scenario_file)
    if not plan_file.is_file():
        raise CommandError(
            f"scenario '{scenario_file.parent.name}' has no study: write {shown_path(plan_file)} "
            "(docs/study-session.md says what stands in it)"
        )
    plan = load_plan(plan_file)
    name = scenario_file.parent.name
    folder = StudyFolder.of(name)
    return FoundStudy(name, wanted, scenario_file, plan_file, plan, workspace, folder)


def check_study(study: FoundStudy) -> None:
    """See that the scenario and everything beside it is in order, in a process of its own.

    Raises:
        StudyError, CommandError: with every problem.
    """
    from sera.cli._scenario_findings import NotChecked, ask
    from sera.runtime.located import FileProblems

    try:
        around = study.workspace.own or study.scenario_folder
        told = ask(study.scenario_folder, libraries=False, around=around)
    except NotChecked as error:
        raise CommandError(f"scenario '{study.name}' cannot be checked: {error}") from None
    problems = [problem for severity, problem in told if severity == "error"]
    if problems:
        raise FileProblems(problems)


def now() -> datetime:
    """The time on the wall, with its zone."""
    return datetime.now().astimezone()
