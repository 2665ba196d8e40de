"""`sera emotion sheet` and `sera emotion curves`: emotions of a body as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._emotion_parts import (
    NEEDS_MATPLOTLIB,
    RobotArgument,
    emotions_of,
    profile_of,
    wish_of,
)
from sera.cli._errors import CommandError
from sera.cli._figures import picture_format

if TYPE_CHECKING:
    from sera.emotion.wish import Wish
    from sera.evaluation.emotion.curves import Curves

EmotionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--emotion",
        metavar="NAME|P,A,D",
        help="Only this one; may be given again.",
    ),
]


def sheet(
    robot: RobotArgument,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The PNG file; ROBOT_emotions.png else."),
    ] = None,
    emotion: EmotionsOption = None,
) -> None:
    """Draw a robot in all emotions: before and during a wave, or in its mixed postures."""
    from sera.emotion.wish import CORNERS
    from sera.evaluation.emotion.sheet import emotion_sheet

    path = _png(out or Path(f"{robot}_emotions.png"))
    stage_set, profile = profile_of(robot)
    wishes = _wishes(emotion, (*CORNERS, *emotions_of().names))
    try:
        print(emotion_sheet(stage_set, profile, wishes, path))
    except ImportError:
        raise CommandError(NEEDS_MATPLOTLIB) from None


def curves(
    robot: RobotArgument,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The PNG file; ROBOT_curves.png else."),
    ] = None,
    emotion: EmotionsOption = None,
) -> None:
    """Draw emotions over time: joints, gaze, the waving hand, speed and jerk; print the numbers.

    The eight corners of the published study, unless emotions are named.
    """
    from sera.emotion.wish import CORNERS
    from sera.evaluation.emotion.curves import measure

    path = _png(out or Path(f"{robot}_curves.png"))
    stage_set, profile = profile_of(robot)
    wishes = _wishes(emotion, CORNERS)
    try:
        from sera.evaluation.emotion.curve_figure import curve_figure, needed

        needed()
    except ImportError:
        raise CommandError(NEEDS_MATPLOTLIB) from None
    plain, *felt = measure(stage_set, profile, wishes)
    title = f"{stage_set.body.title}: " + (
        "the eight corners of pleasure, arousal and dominance (L low, H high)"
        if emotion is None
        else "emotions over time"
    )
    curve_figure(title, plain, felt, path)
    _print_table([plain, *felt])
    print(path)


def _png(path: Path) -> Path:
    """A path that a picture can be written to; said before anything is computed."""
    if picture_format(path) != "png":
        raise CommandError(f"{path}: these pictures end in .png")
    return path


def _wishes(given: list[str] | None, usual: tuple[str, ...]) -> list[Wish]:
    emotions = emotions_of()
    return [wish_of(text, emotions) for text in given or usual]


def _print_table(rows: list[Curves]) -> None:
    from rich.table import Table

    from sera.cli._text import clean, standard_console

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("emotion")
    for head in ("gaze off / deg", "hand off its path / mm", "energy", "rms jerk / rad/s3"):
        table.add_column(head, justify="right")
    for each in rows:
        table.add_row(
            clean(each.wish.title),
            "-" if each.gaze_deg is None else f"{each.gaze_deg:.1f}",
            "-" if each.hand_mm is None else f"{each.hand_mm:.2f}",
            f"{each.energy:.3f}",
            f"{each.rms_jerk:.1f}",
        )
    standard_console().print(table)
