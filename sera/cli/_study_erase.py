"""`sera study erase`: takes one participant out of everything that a study keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption
from sera.cli._study_found import StudyArgument, find_study, now


def erase(
    study: StudyArgument,
    participant: Annotated[str, typer.Argument(metavar="PARTICIPANT", help="The pseudonym.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Erase everything of one participant: sessions, journal, recordings, media and memories.

    What stays is a line without content. The slot goes back to the assignment. Tables and reports
    that were made before are named, and are yours to delete or to make again.
    """
    import sys

    from sera.cli._text import note, print_json
    from sera.recording import runs_folder
    from sera.runtime.located import shown_path
    from sera.study.sessions import erase as erase_everything

    found = find_study(study)
    if not yes:
        if not sys.stdin.isatty():
            raise CommandError("this cannot be undone: write --yes where nobody can be asked")
        question = f"Erase everything of {participant} for good?"
        typer.confirm(question, default=False, abort=True, err=True)
    done = erase_everything(
        found.folder,
        participant,
        scenario=found.name,
        runs=runs_folder(),
        memory_folders=_memory_folders(found.scenario_file, runs_folder()),
        now=now(),
    )
    if as_json:
        print_json(
            {
                "sessions": done.sessions,
                "files": done.files,
                "originals": done.originals,
                "still_named": [str(path) for path in done.still_named],
            }
        )
        return
    sessions = "1 session" if done.sessions == 1 else f"{done.sessions} sessions"
    print(f"erased: {sessions}, {done.files} files")
    for run in done.originals:
        print(f"  originals in the run {run}")
    for path in done.still_named:
        note(f"still names the participant, delete it or make it again: {shown_path(path)}")


def _memory_folders(scenario_file: Path, runs: Path) -> list[Path]:
    """Where the scenario's robots remember what participants have heard."""
    from sera.runtime.located import LocatedToml

    folders = [runs / "memories"]
    todo: list[object] = [LocatedToml.load(scenario_file).data]
    while todo:
        table = todo.pop()
        if isinstance(table, dict):
            named = table.get("memories")
            if isinstance(named, str):
                folders.append(scenario_file.parent / named)
            todo += table.values()
    return list(dict.fromkeys(folders))
