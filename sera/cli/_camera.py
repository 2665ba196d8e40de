"""`sera camera`: find, calibrate and place cameras; print boards and markers."""

from __future__ import annotations

import typer

from sera.cli import _camera_calibrate, _camera_list, _camera_place, _camera_print, _camera_show

app = typer.Typer(help="Cameras: find, calibrate and place them.", no_args_is_help=True)


@app.callback()
def _camera() -> None:
    """Cameras: find, show, calibrate and place them; print boards and markers."""


app.command("list")(_camera_list.list_cameras)
app.command()(_camera_show.show)
app.command()(_camera_print.board)
app.command()(_camera_calibrate.calibrate)
app.command()(_camera_print.markers)
app.command()(_camera_place.place)
