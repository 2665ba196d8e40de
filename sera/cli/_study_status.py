"""`sera study status` and `sera study fate`: how a study stands, and what became of a session."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption
from sera.cli._study_found import StudyArgument, find_study, now

if TYPE_CHECKING:
    from sera.study.sessions import SessionLine, StudyStatus

_FATE_STYLES = {"completed": "green", "under_way": "bold yellow", "aborted": "dim"}


class LaterFate(StrEnum):
    """What may be said of a session after its end."""

    EXCLUDED = "excluded"
    REPLACED = "replaced"
    COMPLETED = "completed"
    """Only where a damaged file has lost what became of it."""


def status(
    study: StudyArgument,
    *,
    reveal: Annotated[
        bool,
        typer.Option(
            "--reveal", help="Also the conditions, for nobody who is blind; it is logged."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Tell how a study stands: sessions by kind and fate, what is missing, what differs.

    Conditions are told only where the study file reveals them, or with --reveal. A session whose
    inputs differ from those of the first one is named with the files.
    """
    from sera.cli._text import print_json
    from sera.study.sessions import look_at, note_revealing

    found = find_study(study)
    if reveal and "condition" not in found.plan.study.reveal:
        note_revealing(found.folder, now())
    told = look_at(found.folder, found.plan, reveal=reveal)
    if as_json:
        print_json(told.as_json())
    else:
        _print(told)


def fate(
    study: StudyArgument,
    session: Annotated[
        str, typer.Argument(metavar="SESSION|PARTICIPANT", help="Which session; the newest one.")
    ],
    became: Annotated[
        LaterFate,
        typer.Argument(
            metavar="FATE",
            help="excluded or replaced; completed only where a damaged file has lost it.",
        ),
    ],
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it is kept.")],
) -> None:
    """Say that a session does not count: its slot goes back to the assignment.

    What was said before stays beside it. Rules of the study file are applied by themselves.
    """
    found = find_study(study)
    kept = found.folder.find(session)
    if (holder := kept.held_by()) is not None:
        raise CommandError(
            f"session {kept.session} goes on in {holder}: end it at the console first, then say "
            "what became of it"
        )
    if became is LaterFate.COMPLETED and kept.fate_problem is None:
        raise CommandError(
            f"session {kept.session} is {kept.fate.replace('_', ' ')}: completed is said by "
            "`sera study run` alone, and here only of a session whose fate cannot be read"
        )
    found.folder.end(kept, became.value, reason, now())
    print(f"session {kept.session}: {kept.fate} ({reason})", flush=True)


def _print(told: StudyStatus) -> None:
    from rich.text import Text

    from sera.cli._text import clean, standard_console

    console = standard_console()
    for words, style in _head(told):
        console.print(Text(clean(words), style), soft_wrap=True)
    if told.sessions:
        console.print()
    for line in told.sessions:
        console.print(_line(line), soft_wrap=True)
        for words, style in _below(line):
            console.print(Text(f"      {clean(words)}", style), soft_wrap=True)
    for date in told.revealed:
        console.print(Text(f"conditions were revealed on {clean(date)}", style="yellow"))
    for problem in told.problems:
        console.print(Text(clean(problem), style="bold red"), soft_wrap=True)


def _head(told: StudyStatus) -> Iterator[tuple[str, str]]:
    """Lines about the study as a whole, each with its style."""
    planned = "" if told.planned is None else f" of {told.planned} planned"
    yield f"{told.study}: {told.completed}{planned} completed", "bold"
    if told.power is not None:
        yield f"  {told.power}", "dim"
    for kind, fates in told.counts.items():
        listed = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in fates.items())
        yield f"  {kind:<10}{listed}", ""
    if told.cells is not None:
        each = told.planned_per_condition
        per = "" if each is None else f" of {each}"
        for condition, count in told.cells.items():
            yield f"  {condition:<24}{count}{per}", ""
    elif told.sessions:
        yield "  conditions are not shown (--reveal shows them, and is logged)", "dim"


def _line(line: SessionLine) -> object:
    from rich.text import Text

    text = Text(f"  {line.session:<28}{line.kind:<10}")
    text.append(line.fate.replace("_", " "), style=_FATE_STYLES.get(line.fate, "red"))
    if line.conditions is not None:
        text.append(f"  {' → '.join(line.conditions)}")
    if line.deviations:
        text.append(f"  {line.deviations} deviation{'' if line.deviations == 1 else 's'}", "yellow")
    return text


def _below(line: SessionLine) -> list[tuple[str, str]]:
    told = []
    if line.reason:
        told.append((line.reason, "dim"))
    if line.held_by:
        told.append((f"goes on in {line.held_by}", "bold yellow"))
    if line.overridden:
        told.append((f"begun although a check was red: {line.overridden}", "yellow"))
    if line.differs:
        named = ", ".join(line.differs[:8])
        more = len(line.differs) - 8
        named += f" and {more} more" if more > 0 else ""
        told.append((f"its inputs differ from the first session's: {named}", "bold yellow"))
    return told
