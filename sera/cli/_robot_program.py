"""`sera robot program`: the animation program that counts for a robot, checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import FAILED
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.animation.program import Program
    from sera.animation.stage_set import StageSet
    from sera.runtime.located import FileProblem
    from sera.runtime.workspace import Workspace


def program(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `sera list robots` has it.")],
    *,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Another program file, in place of its own."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario", metavar="NAME|PATH", help="As this scenario plays it, with its own files."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the layers, controllers and wires of a robot's program, and check it.

    Exit code 1 where something is wrong with it, with every problem by file and line.
    """
    from sera.animation.body import BodyError
    from sera.cli._errors import CommandError
    from sera.cli._robot_program_view import picture_of
    from sera.cli._text import print_json
    from sera.cli._workspace import workspace_around
    from sera.runtime.located import FileProblem, FileProblems

    workspace = workspace_around(scenario)
    try:
        stage_set = _stage_set(workspace, name, file, scenario)
    except BodyError as error:  # its own command shows that better
        raise CommandError(str(error)) from None
    try:
        loaded = _loaded(stage_set, workspace)
        picture = picture_of(loaded, stage_set)
    except FileProblem as problem:
        _report([problem], as_json=as_json)
    except FileProblems as error:
        _report(error.problems, as_json=as_json)
    else:
        if as_json:
            print_json(picture.as_data())
            return
        for line in picture.lines():
            print(line)


def _stage_set(
    workspace: Workspace, name: str, file: Path | None, scenario: str | None
) -> StageSet:
    from sera.animation.stage_set import StageSet
    from sera.cli._errors import CommandError

    if file is not None and not file.is_file():
        raise CommandError(f"there is no program file {file}")
    return StageSet.find(
        workspace.find_robot(name),
        tuple(workspace.roots),
        scenario=None if scenario is None else _scenario_folder(workspace, scenario),
        # Below any folder, an absolute path is that path itself.
        program=None if file is None else str(file.resolve()),
    )


def _scenario_folder(workspace: Workspace, scenario: str) -> Path:
    path = Path(scenario).expanduser()
    if path.suffix == ".toml" and path.is_file():
        return path.resolve().parent
    if path.name != scenario and path.is_dir():
        return path.resolve()
    found = workspace.find_scenario(scenario)
    return found if found.is_dir() else found.parent


def _loaded(stage_set: StageSet, workspace: Workspace) -> Program:
    """The program; messages of the workspace's own modules are looked for where it needs them."""
    from sera.animation.program import ProgramError

    workspace.activate()
    try:
        return stage_set.program()
    except ProgramError:
        from sera.cli._workspace import load_own_messages

        scenario = None if stage_set.scenario is None else stage_set.scenario / "scenario.toml"
        load_own_messages(scenario)
        return stage_set.program()


def _report(problems: list[FileProblem] | tuple[FileProblem, ...], *, as_json: bool) -> None:
    from sera.cli._text import note, print_json

    if as_json:
        print_json({"problems": [problem.as_dict() for problem in problems]})
    else:
        count = len(problems)
        note(f"{count} problem{'' if count == 1 else 's'} in the animation program:", "bold red")
        for problem in problems:
            note(f"  {problem}", "red")
    raise typer.Exit(FAILED)
