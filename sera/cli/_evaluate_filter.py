"""`sera evaluate filter`: what the motion filter's presets do, as a table and as figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.evaluation.filter import Measures

Row: TypeAlias = dict[str, str | int | float]

STEP = "a step from 5 to -5 at 60 Hz"
HELD = "the same with the guard at the set-point (overshoot=0)"
GUARD = "a joint sent from one end of its range to the other"


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
    from sera.evaluation.filter import draw_figures

    tables = _tables()
    written: list[str] = []
    if figures:
        with as_wrong_input():  # matplotlib may be missing
            written = [str(path) for path in draw_figures(folder)]
    if as_json:
        print_json({"measures": tables[STEP], "tables": tables, "figures": written})
        return
    _show(tables)
    for path in written:
        print(path)


def _tables() -> dict[str, list[Row]]:
    from sera.evaluation.filter import measure_guard, measure_presets, measure_without_overshoot

    return {
        STEP: [
            {"preset": name, "order": order, "limiter": limiter.value, **_in_words(measures)}
            for (name, order, limiter), measures in measure_presets().items()
        ],
        HELD: [
            {"preset": name, "limiter": limiter.value, **_in_words(measures)}
            for (name, limiter), measures in measure_without_overshoot().items()
        ],
        GUARD: [
            {
                "form": each.form,
                "beyond its range / rad": round(each.beyond_range, 4),
                "acceleration ÷ limit": round(each.share_of_acceleration, 2),
                "jerk ÷ limit": round(each.share_of_jerk, 2),
            }
            for each in measure_guard()
        ],
    }


def _in_words(measures: Measures) -> Row:
    return {
        "overshoot": round(measures.overshoot, 3),
        "top velocity": round(measures.top_velocity, 2),
        "settling / s": round(measures.settling_s, 2),
        "reversals": measures.reversals,
    }


def _show(tables: dict[str, list[Row]]) -> None:
    from rich.table import Table

    from sera.cli._text import standard_console

    console = standard_console()
    for title, rows in tables.items():
        table = Table(box=None, pad_edge=False)
        for name, value in rows[0].items():
            table.add_column(name, justify="left" if isinstance(value, str) else "right")
        for row in rows:
            table.add_row(*(str(value) for value in row.values()))
        console.print(title)
        console.print(table)
        console.print()
