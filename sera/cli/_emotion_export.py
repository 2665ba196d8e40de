"""`sera emotion export`: a gesture under an emotion as a timeline for slow playback."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sera.cli._emotion_parts import RobotArgument, emotions_of, profile_of, wish_of
from sera.cli._errors import CommandError, as_wrong_input


class TimelineFormat(StrEnum):
    """What is written."""

    CSV = "csv"
    NAOQI = "naoqi"


def export(
    robot: RobotArgument,
    *,
    emotion: Annotated[
        str,
        typer.Option(
            "--emotion", metavar="NAME|P,A,D", help="A name, three numbers, or a corner like LHL."
        ),
    ],
    gesture: Annotated[
        str,
        typer.Option(
            "--gesture", metavar="NAME", help="An animation of the robot; `none` for none."
        ),
    ] = "wave",
    seconds: Annotated[
        float, typer.Option("--seconds", min=1.0, max=600.0, help="How long, from its beginning.")
    ] = 5.0,
    rate_hz: Annotated[
        float, typer.Option("--rate", metavar="HZ", help="Samples a second of the playback.")
    ] = 4.45,
    form: Annotated[
        TimelineFormat,
        typer.Option("--format", help="Degrees in rows, or JSON for angleInterpolation."),
    ] = TimelineFormat.CSV,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file; ROBOT_EMOTION.csv or .json else."),
    ] = None,
) -> None:
    """Play an emotion with a gesture through the engine and write it at a low rate.

    The robot feels so already when the timeline begins, and looks straight ahead; idle life is
    left out. Says what the rate costs: jerk before and after, and frequencies that it loses.
    """
    from sera.cli._text import note
    from sera.evaluation.emotion.timeline import timeline

    wish = wish_of(emotion, emotions_of())
    if wish.remark is not None:
        note(wish.remark)
    stage_set, profile = profile_of(robot)
    ending = "csv" if form is TimelineFormat.CSV else "json"
    word = wish.title.replace(", ", "_").replace(" ", "_")
    path = out or Path(f"{robot}_{word}.{ending}")
    if not path.absolute().parent.is_dir():
        raise CommandError(f"{path}: there is no folder {path.absolute().parent}")
    played = None if gesture == "none" else gesture
    try:
        with as_wrong_input():
            exported = timeline(
                stage_set, profile, wish.pad, gesture=played, seconds=seconds, rate_hz=rate_hz
            )
    except LookupError as error:
        raise CommandError(str(error.args[0])) from None
    text = exported.csv() if form is TimelineFormat.CSV else exported.naoqi().to_json()
    path.write_text(text, encoding="utf-8")
    for warning in exported.warnings:
        note(warning)
    kept = exported.played_jerk_rad_s3 / max(exported.jerk_rad_s3, 1e-9)
    print(
        f"{len(exported.times_s)} samples of {len(exported.joints)} joints at {rate_hz:g} Hz; "
        f"rms jerk {exported.jerk_rad_s3:.1f} rad/s³ before, {exported.played_jerk_rad_s3:.1f} "
        f"played back ({100.0 * kept:.0f} %), {exported.error_rad:.3f} rad off the path"
    )
    print(path)
