"""`sera list modules|robots|scenarios|controllers`: what the workspace has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.cli._controller_facts import ControllerFacts
    from sera.cli._scenario_findings import Told
    from sera.runtime.workspace import Entry, Workspace

app = typer.Typer(
    help="List the modules, robots, scenarios or controllers there are.", no_args_is_help=True
)

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
    """List the scenarios that `sera run` can run, and what is wrong in the files beside them."""
    from sera.cli._scenario_findings import quick_problems

    workspace = _workspace()
    entries = workspace.scenarios()
    found = {entry.name: quick_problems(entry.path) for entry in entries}
    _show("scenarios", entries, workspace, as_json=as_json, found=found)


@app.command()
def controllers(
    kind: Annotated[
        str | None, typer.Argument(metavar="[TYPE]", help="Show this one with its parameters.")
    ] = None,
    *,
    robot: Annotated[
        str | None,
        typer.Option("--robot", metavar="NAME", help="Also the plug-ins of this robot's folder."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As a table for a document.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the controllers that a program file can use, or show one in full."""
    from sera.animation.program import Registry
    from sera.cli._controller_facts import facts_of, markdown_table
    from sera.cli._text import print_json

    workspace = _workspace()
    workspace.activate()
    registry = Registry()
    own = [] if robot is None else [workspace.find_robot(robot)]
    registry.load_plug_ins([*reversed(workspace.roots), *own])
    found = facts_of(registry)
    if kind is not None:
        try:
            registry.controller(kind)
        except LookupError as error:
            raise CommandError(error.args[0]) from None
        found = [facts for facts in found if facts.type == kind]
    if as_json:
        print_json([facts.as_data() for facts in found] if kind is None else found[0].as_data())
    elif markdown:
        print(markdown_table(found), end="")
    elif kind is None:
        _show_controllers(found)
    else:
        _show_controller(found[0])


def _show_controllers(found: list[ControllerFacts]) -> None:
    from rich.text import Text

    from sera.cli._text import clean, standard_console
    from sera.runtime.located import shown_path

    table = _table("controller", "gives", "what it does")
    for facts in found:
        plug_in = "" if facts.file is None else f" ({shown_path(facts.file)})"
        summary = Text(clean(facts.summary)).append(clean(plug_in), style="dim")
        table.add_row(Text(facts.type, style="bold"), facts.output, summary)
    standard_console().print(table)


def _show_controller(facts: ControllerFacts) -> None:
    from rich.text import Text

    from sera.cli._text import clean, standard_console
    from sera.runtime.located import shown_path

    console = standard_console()
    console.print(Text(f"{facts.type}: {clean(facts.summary)}"), soft_wrap=True)
    console.print(Text(f"gives: {facts.output}"))
    if facts.file is not None:
        console.print(Text(f"plug-in: {shown_path(facts.file)}"), soft_wrap=True)
    if not facts.parameters:
        console.print("it has no parameters")
        return
    console.print()
    table = _table("parameter", "type", "default", "wire", "meaning")
    for each in facts.parameters:
        cells = (each.type, each.default_text, "yes" if each.wired else "-", clean(each.meaning))
        table.add_row(Text(each.name, style="bold"), *map(Text, cells))
    console.print(table)


def _table(*heads: str) -> Any:
    from rich.table import Table

    return Table(*heads, box=None, pad_edge=False, padding=(0, 2, 0, 0))


def _workspace() -> Workspace:
    from sera.runtime.workspace import Workspace

    return Workspace.discover()


def _show(
    kind: str,
    entries: list[Entry],
    workspace: Workspace,
    *,
    as_json: bool,
    found: dict[str, list[Told]] | None = None,
) -> None:
    from sera.cli._text import clean, note, print_json, standard_console

    rows: list[dict[str, Any]] = [
        {
            "name": entry.name,
            "from": _WHERE[entry.origin],
            "summary": entry.summary(),
            "path": str(entry.path),
        }
        for entry in entries
    ]
    if found is not None:
        for row in rows:
            told = found[row["name"]]
            row["problems"] = [{"severity": how, **what.as_dict()} for how, what in told]
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
    for told in (found or {}).values():
        for severity, problem in told:
            note(clean(str(problem)), style="bold red" if severity == "error" else "yellow")
