"""`sera list modules|robots|scenarios`: what the workspace has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.runtime.workspace import Entry, Workspace

app = typer.Typer(help="List the modules, robots or scenarios there are.", no_args_is_help=True)

_WHERE = {"own": "own", "path": "SERA_PATH", "built-in": "built-in"}


@app.command()
def modules(as_json: JsonOption = False) -> None:
    """List the modules that a scenario can start."""
    workspace = _workspace()
    _show("modules", workspace.modules(), workspace, as_json=as_json)


@app.command()
def robots(as_json: JsonOption = False) -> None:
    """List the robots that a character can have."""
    workspace = _workspace()
    _show("robots", workspace.robots(), workspace, as_json=as_json)


@app.command()
def scenarios(as_json: JsonOption = False) -> None:
    """List the scenarios that `sera run` can run."""
    workspace = _workspace()
    _show("scenarios", workspace.scenarios(), workspace, as_json=as_json)


def _workspace() -> Workspace:
    from sera.runtime.workspace import Workspace

    return Workspace.discover()


def _show(kind: str, entries: list[Entry], workspace: Workspace, *, as_json: bool) -> None:
    from sera.cli._text import clean, print_json, standard_console

    rows = [
        {
            "name": entry.name,
            "from": _WHERE[entry.origin],
            "summary": entry.summary(),
            "path": str(entry.path),
        }
        for entry in entries
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        print(f"no {kind} here: `sera new {kind[:-1]} NAME` makes one")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(kind[:-1], "from", "what it is", box=None, pad_edge=False)
    for row in rows:
        table.add_row(Text(row["name"], style="bold"), row["from"], Text(clean(row["summary"])))
    console = standard_console()
    console.print(table)
    if workspace.own is None:
        console.print(
            Text("you are in no workspace of your own: `sera new workspace FOLDER` makes one"),
            style="dim",
        )
