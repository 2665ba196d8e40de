"""`sera new workspace|module|scenario|robot`: something of one's own that runs at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.runtime.scaffold import Created

app = typer.Typer(
    help="Make a workspace, module, scenario or robot that runs at once.", no_args_is_help=True
)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Lower-case letters, digits and _.")
]


@app.command()
def workspace(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="New or existing folder.")],
    as_json: JsonOption = False,
) -> None:
    """Make a folder for your own work, with a first scenario."""
    from sera.runtime.scaffold import new_workspace

    _report(new_workspace(folder), as_json=as_json)


@app.command()
def module(name: NameArgument, as_json: JsonOption = False) -> None:
    """Make a small working module in modules/NAME/."""
    from sera.runtime.scaffold import new_module

    _report(new_module(_root(), name), as_json=as_json)


@app.command()
def scenario(
    name: NameArgument,
    template: Annotated[
        str | None,
        typer.Option("--from", metavar="SCENARIO", help="Copy this scenario instead of hello."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a copy of hello in scenarios/NAME/."""
    from sera.runtime.scaffold import new_scenario
    from sera.runtime.scenario import find_scenario_file
    from sera.runtime.workspace import Workspace

    folder = None
    if template is not None:
        folder = find_scenario_file(template, Workspace.discover()).parent
    _report(new_scenario(_root(), name, folder), as_json=as_json)


@app.command()
def robot(
    name: NameArgument,
    urdf: Annotated[
        Path | None, typer.Option("--urdf", metavar="FILE", help="Take the joints from this URDF.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a robot in robots/NAME/, from a URDF or by itself."""
    from sera.runtime.scaffold import new_robot

    _report(new_robot(_root(), name, urdf), as_json=as_json)


def _root() -> Path:
    """The user's own workspace, in which new things go."""
    from sera.runtime.workspace import Workspace

    own = Workspace.discover(required=True).own
    assert own is not None
    return own


def _report(created: Created, *, as_json: bool) -> None:
    from sera.cli._text import print_json
    from sera.runtime.located import shown_path

    if as_json:
        print_json(
            {
                "path": str(created.path),
                "files": [str(path) for path in created.files],
                "next_steps": list(created.next_steps),
            }
        )
        return
    print(f"made {shown_path(created.path)}")
    for path in created.files:
        print(f"  {path.relative_to(created.path).as_posix()}")
    if created.next_steps:
        print("next:")
        for step in created.next_steps:
            print(f"  {step}")
