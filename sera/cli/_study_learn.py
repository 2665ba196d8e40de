"""`sera study learn`: from a wizard's recordings to a policy that acts or suggests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.study.policy import Recording


def learn(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|RUNS…",
            help="A study or scenario, or ids, folders or logs of runs; `last` is the newest run.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where to write the policy, as JSON."),
    ] = None,
    forest: Annotated[
        bool, typer.Option("--forest", help="Many trees in place of one that can be read.")
    ] = False,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=20, help="Questions in a row, at most.")
    ] = 6,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="TYPE", help="Orders to learn; the most frequent unless given."
        ),
    ] = None,
    acts_on: Annotated[
        str | None,
        typer.Option("--acts-on", metavar="TYPE", help="The perception that is answered."),
    ] = None,
    also_unrestricted: Annotated[
        bool,
        typer.Option(
            "--also-unrestricted", help="Take decisions made with picture and sound, too."
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of everything that is drawn.")] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="For scripts: JSON on standard output and nothing else.")
    ] = False,
) -> None:
    """Learn from recordings what a wizard does, and write it as a policy.

    Prints the size of the table, how well the policy does on participants that it has not seen,
    the table of confusions and the tree itself.
    """
    from sera.cli._text import note, print_json
    from sera.recording import UnknownRun
    from sera.study.policy import (
        NeedsScikitLearn,
        NotLearnable,
        find_recordings,
        read_table,
        told,
    )
    from sera.study.policy import learn as grow

    try:
        recordings = find_recordings(names)
        _know_messages(recordings)
        table = read_table(
            recordings,
            only=only or (),
            acts_on=acts_on,
            also_unrestricted=also_unrestricted,
        )
        learned = grow(table, forest=forest, depth=depth, seed=seed)
    except (NotLearnable, NeedsScikitLearn, UnknownRun) as error:
        raise CommandError(str(error)) from None
    if out is not None:
        try:
            learned.policy.save(out)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror or error}") from None
    if as_json:
        written = None if out is None else str(out)
        told_json = {**learned.as_json(), "decisions": table.decided, "left_out": table.left_out}
        print_json({**told_json, "runs": len(recordings), "policy": written})
        return
    print(told(learned))
    for reason, count in table.left_out.items():
        note(f"{count} of {table.decided} decisions are left out: {reason}")
    print(f"\n{out}" if out is not None else "\nnothing was written: say where with --out FILE")


def _know_messages(recordings: list[Recording]) -> None:
    """Import the scenarios that were recorded, for the messages that they define."""
    from sera.cli._workspace import load_own_messages
    from sera.runtime.workspace import WorkspaceError
    from sera.study.policy import scenario_of

    names = {name for one in recordings if (name := scenario_of(one)) is not None}
    if not names:
        load_own_messages()
    for name in sorted(names):
        workspace = load_own_messages()
        try:
            path = workspace.find_scenario(name)
        except (WorkspaceError, LookupError, OSError):
            continue  # its messages stay unknown, and the table says so
        load_own_messages(path)
