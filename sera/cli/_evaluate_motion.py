"""`sera evaluate motion`: whether a body's motion lives, on one's own robot too."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sera.cli._options import JsonOption


def evaluate_motion(
    robots: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ROBOT]...", help="Robots of the workspace; all unless given."),
    ] = None,
    *,
    frames: Annotated[
        int, typer.Option("--frames", min=1, help="Frames with random orders, on each body.")
    ] = 5000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which orders.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Measure gaze, gestures and limits of bodies, with the programs that count for them."""
    from sera.cli._robot import find_body
    from sera.cli._text import print_json, standard_console
    from sera.runtime.workspace import Workspace

    workspace = Workspace.discover()
    names = robots or [entry.name for entry in workspace.robots()]
    rows = []
    for name in names:
        find_body(name)  # says what is wrong with it
        rows.append(_measured(workspace, name, frames, seed))
    if as_json:
        print_json(rows)
    else:
        standard_console().print(_table(rows))
    if not all(row["met"] for row in rows):
        raise typer.Exit(1)


def _measured(workspace: Any, name: str, frames: int, seed: int) -> dict[str, Any]:
    from sera.animation.stage_set import StageSet
    from sera.evaluation.motion import measure_gaze, measure_gestures, measure_limits

    found = StageSet.find(workspace.find_robot(name), tuple(workspace.roots))
    gaze = measure_gaze(found)
    repertoire = found.repertoire()
    shares = measure_gestures(found, repertoire=repertoire)
    limits = measure_limits(found, frames, seed)
    share = min(shares.values(), default=1.0)
    return {
        "robot": name,
        "gaze_arrives_s": round(gaze.arrives_s, 3),
        "gaze_allowed_s": round(gaze.allowed_s, 3),
        "gaze_held_within_deg": round(gaze.held_within_deg, 3),
        "gestures": {gesture: round(part, 3) for gesture, part in shares.items()},
        "frames": limits.frames,
        "frames_beyond_limits": limits.exceeded,
        "met": gaze.met and share >= 0.9 and limits.exceeded == 0,
    }


def _table(rows: list[dict[str, Any]]) -> Any:
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for head in ("robot", "60° gaze step", "held within", "gestures reach", "beyond limits", ""):
        table.add_column(head)
    for row in rows:
        reach = min(row["gestures"].values(), default=None)
        table.add_row(
            row["robot"],
            f"{row['gaze_arrives_s']:.2f} s (≤ {row['gaze_allowed_s']:.2f} s)",
            f"{row['gaze_held_within_deg']:.2f}° (≤ 3°)",
            "-" if reach is None else f"{100 * reach:.0f} % (≥ 90 %)",
            f"{row['frames_beyond_limits']} of {row['frames']:,} frames",
            "good" if row["met"] else "[bold red]falls short",
        )
    return table
