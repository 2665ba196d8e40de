"""`sera space`: where robots, screens, seats and things stand: show and calibrate."""

from __future__ import annotations

import typer

from sera.cli import _space_calibrate, _space_show

app = typer.Typer(help="Where robots, screens and seats stand.", no_args_is_help=True)


@app.callback()
def _space() -> None:
    """Where robots, screens and seats stand."""


app.command()(_space_show.show)
app.command()(_space_calibrate.calibrate)
