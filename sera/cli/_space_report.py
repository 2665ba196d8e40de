"""What a calibration found: for people, for scripts, and into the scenario file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from sera.behaviour.space import Marking, RoomSolution, SolvedPose
from sera.cli._errors import FAILED
from sera.cli._space_write import CannotWrite, Tables, rewrite, tables_as_toml
from sera.cli._text import note, print_json, standard_console
from sera.runtime.located import shown_path


def new_tables(character: str, solution: RoomSolution) -> Tables:
    tables: dict[tuple[str, ...], dict[str, Any]] = {}
    if solution.robot is not None:
        pose = _pose(solution.robot)
        tables["characters", character] = {key: pose[key] for key in ("position_m", "yaw_deg")}
    for name, solved in solution.screens.items():
        tables["space", "screens", name] = _pose(solved)
    return tables


def _pose(solved: SolvedPose) -> dict[str, Any]:
    x, y, z = (round(value, 4) + 0.0 for value in solved.frame.position_m)
    yaw, pitch, roll = (round(value, 3) + 0.0 for value in solved.frame.yaw_pitch_roll_deg())
    return {"position_m": (x, y, z), "yaw_deg": yaw, "pitch_deg": pitch, "roll_deg": roll}


def print_for_people(marking: Marking, solution: RoomSolution, tables: Tables) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("mark")
    for head in ("expected (right, up)", "looked (right, up)", "residual"):
        table.add_column(head, justify="right")
    for mark, look in marking.accepted.items():
        expected = marking.nominal[mark]
        residual = f"{solution.residuals_deg[mark.name]:.2f}°"
        if mark.name in solution.outliers:
            residual += " left out"
        cells = [f"{each[0]:+.1f}° {each[1]:+.1f}°" for each in (expected, look)]
        table.add_row(mark.name, *cells, residual)
    standard_console().print(table)
    found = {"robot": "the robot", "screens": "the screens", "both": "the robot and the screens"}
    print(f"residual of {found[solution.solved]}: {solution.rms_deg:.2f}° (root mean square)")
    for name in solution.outliers:
        note(f"{name} does not fit the others and was left out: look at it again")
    for remark in solution.remarks:
        note(remark)
    print(f"\n{tables_as_toml(tables)}", flush=True)


def print_as_json(marking: Marking, solution: RoomSolution, tables: Tables) -> None:
    rows = [
        {
            "mark": mark.name,
            "expected_deg": list(marking.nominal[mark]),
            "looked_deg": list(look),
            "residual_deg": solution.residuals_deg[mark.name],
            "left_out": mark.name in solution.outliers,
        }
        for mark, look in marking.accepted.items()
    ]
    print_json(
        {
            "solved": solution.solved.value,
            "rms_deg": solution.rms_deg,
            "marks": rows,
            "remarks": list(solution.remarks),
            "poses": {".".join(path): dict(values) for path, values in tables.items()},
        }
    )


def write_poses(path: Path, before: bytes, tables: Tables) -> None:
    try:
        backup = rewrite(path, before, tables)
    except CannotWrite as error:
        note(f"{error}; put the lines above into it by hand", "bold red")
        raise typer.Exit(FAILED) from None
    note(f"written to {shown_path(path)}; the file before is {shown_path(backup)}", "green")
