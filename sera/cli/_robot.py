"""`sera robot show`: a body at a glance."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli import _robot_calibrate, _robot_check, _robot_program, _robot_sheet, _robot_watch
from sera.cli._errors import CommandError
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.animation.body import Body
    from sera.animation.channels import ChannelSpec

app = typer.Typer(
    help="Bodies of robots: show, check, calibrate, watch, draw.", no_args_is_help=True
)


@app.callback()
def _robot() -> None:
    """Bodies of robots: show, check, calibrate, watch, draw."""


app.command()(_robot_check.check)
app.command()(_robot_calibrate.calibrate)
app.command()(_robot_sheet.sheet)
app.command()(_robot_program.program)
app.command()(_robot_watch.watch)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `sera list robots` has it.")],
    *,
    draw: Annotated[
        Path | None, typer.Option("--draw", metavar="FILE", help="Also draw it into a PNG file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a robot's joints, channels, limits and rules."""
    from sera.animation.body.drawing import draw_body, tree_lines
    from sera.cli._text import clean, print_json, standard_console

    body = find_body(name)
    if draw is not None:
        try:
            draw_body(body, draw)
        except ImportError:
            fix = 'pip install "sera-hri[figures]"'
            raise CommandError(f"drawing needs matplotlib: {fix}") from None
    if as_json:
        print_json(_as_data(body))
        return
    console = standard_console()
    console.print(f"{clean(body.title)}: {clean(body.description)}", soft_wrap=True)
    console.print()
    for line in tree_lines(body):
        console.print(line, markup=False, highlight=False)
    console.print()
    console.print(_table(body))
    for chain in body.chains:
        symmetric = ", symmetric" if chain.symmetric else ""
        console.print(
            f"expressive inverse kinematics: {chain.name} aims {chain.end_point} "
            f"by {chain.aims}{symmetric}"
        )
    console.print(f"an emergency stop means: {body.stop}; {body.rate_hz:g} frames a second")
    if draw is not None:
        print(draw)


def find_body(name: str) -> Body:
    """The body of a robot of the workspace, or a sentence with the nearest name."""
    from sera.animation.body import BodyError, load_body
    from sera.runtime.located import nearest_name
    from sera.runtime.workspace import Workspace

    robots = {entry.name: entry.path for entry in Workspace.discover().robots()}
    if name not in robots:
        near = nearest_name(name, robots)
        hint = f"; did you mean '{near}'?" if near else "; `sera list robots` shows them"
        raise CommandError(f"there is no robot '{name}'{hint}")
    try:
        return load_body(robots[name])
    except BodyError as error:
        raise CommandError(str(error)) from None


def _in_file_unit(spec: ChannelSpec, value: float) -> float:
    from sera.animation.channels import Unit

    return round(math.degrees(value) if spec.unit is Unit.RADIAN else value, 3)


def _unit_of(spec: ChannelSpec) -> str:
    from sera.animation.channels import Unit

    return "deg" if spec.unit is Unit.RADIAN else spec.unit.value


def _as_data(body: Body) -> dict[str, Any]:
    return {
        "name": body.name,
        "title": body.title,
        "stop": body.stop,
        "rate_hz": body.rate_hz,
        "channels": [
            {
                "name": spec.name,
                "kind": spec.kind.value,
                "unit": _unit_of(spec),
                "lower": _in_file_unit(spec, spec.lower),
                "upper": _in_file_unit(spec, spec.upper),
                "neutral": _in_file_unit(spec, spec.neutral),
            }
            for spec in body.channels.values()
        ],
        "chains": [
            {"name": chain.name, "end_point": chain.end_point, "symmetric": chain.symmetric}
            for chain in body.chains
        ],
    }


def _table(body: Body) -> Any:
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for head in ("channel", "kind", "unit", "from", "to", "neutral", "a second"):
        table.add_column(head, justify="left" if head in {"channel", "kind", "unit"} else "right")
    for spec in body.channels.values():
        top = _in_file_unit(spec, spec.max_velocity) if math.isfinite(spec.max_velocity) else None
        table.add_row(
            spec.name,
            spec.kind.value,
            _unit_of(spec),
            *(f"{_in_file_unit(spec, end):g}" for end in (spec.lower, spec.upper, spec.neutral)),
            "-" if top is None else f"{top:g}",
        )
    return table
