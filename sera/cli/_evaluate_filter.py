"""`sera evaluate filter`: what the motion filter's presets do, as a table and as figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sera.cli._options import JsonOption


def evaluate_filter(
    folder: Annotated[
        Path, typer.Option("--folder", metavar="FOLDER", help="Where the figures are written to.")
    ] = Path("docs/figures"),
    *,
    figures: Annotated[
        bool, typer.Option("--figures/--no-figures", help="Draw the figures, or only measure.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Measure the motion filter's presets on a step, and draw its figures as PNG files."""
    from sera.cli._errors import as_wrong_input
    from sera.cli._text import print_json
    from sera.evaluation.filter import draw_figures, measure_presets

    rows = [
        {
            "preset": name,
            "order": order,
            "limiter": limiter.value,
            "overshoot": round(measures.overshoot, 3),
            "top velocity": round(measures.top_velocity, 2),
            "settling / s": round(measures.settling_s, 2),
            "reversals": measures.reversals,
        }
        for (name, order, limiter), measures in measure_presets().items()
    ]
    written: list[str] = []
    if figures:
        with as_wrong_input():  # matplotlib may be missing
            written = [str(path) for path in draw_figures(folder)]
    if as_json:
        print_json({"measures": rows, "figures": written})
        return
    _show(rows, written)


def _show(rows: list[dict[str, str | int | float]], written: list[str]) -> None:
    from rich.table import Table

    from sera.cli._text import standard_console

    table = Table(box=None, pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name, justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console = standard_console()
    console.print("a step from 5 to -5 at 60 Hz")
    console.print(table)
    for path in written:
        print(path)
