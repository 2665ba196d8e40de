"""`sera replay`: play modules again with a recording as their world; what-if; training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._errors import FAILED, CommandError, as_wrong_input
from sera.cli._options import JsonOption
from sera.cli._run import HostOption, NoBrowserOption, PortOption, SpeedOption

if TYPE_CHECKING:
    from sera.recording.replay import Cast, Changes, RecordedRun, Replayed

_MODULES_SHOWN = 12


def replay(
    recording: Annotated[
        str,
        typer.Argument(metavar="RUN|FILE", help="Id or folder of a run, a log file, or `last`."),
    ],
    *,
    modules: Annotated[
        str | None,
        typer.Option(
            "--modules",
            metavar="SOURCE,…",
            help="Whom to play again, such as ada.decision; else all that decide, behave and move.",
        ),
    ] = None,
    from_s: Annotated[
        float | None, typer.Option("--from", metavar="S", help="Compare from here on.")
    ] = None,
    to_s: Annotated[float | None, typer.Option("--to", metavar="S", help="End here.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="LOG", help="Write a log of the replay.")
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="WHAT=…",
            help="What if: utterances=FILE, gaze_policy=NAME or condition=NAME.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="CHARACTER.MODULE.KEY=VALUE", help="What if: another setting."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Draw recorded and replayed as timelines."),
    ] = None,
    train: Annotated[
        bool,
        typer.Option("--train", help="Play it on the bus for a trainee in the wizard's place."),
    ] = False,
    character: Annotated[
        str | None,
        typer.Option("--character", "-c", metavar="NAME", help="Train: whose decisions count."),
    ] = None,
    window: Annotated[
        float | None,
        typer.Option("--window", metavar="S", help="Train: how near a decision must be; else 3."),
    ] = None,
    speed: SpeedOption = None,
    port: PortOption = 0,
    host: HostOption = None,
    no_browser: NoBrowserOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play modules of a recording again and compare, ask what if, or train a wizard with it.

    Exits with 0 when the same came out (and after a what-if), with 1 when something else did.
    """
    from sera.cli._workspace import workspace_around
    from sera.recording import UnknownRun, find_log
    from sera.recording.replay import cast_of, read_changes, read_recording

    _check_times(from_s, to_s, speed, window)
    if not train and (character, window, speed) != (None, None, None):
        raise CommandError("--character, --window and --speed belong to --train")
    if train and (modules, from_s, out, with_, set_, html) != (None,) * 6:
        raise CommandError("--train goes with --character, --window, --speed, --to and pages only")
    with as_wrong_input():
        changes = read_changes(with_ or [], set_ or [])
        try:
            run = read_recording(find_log(recording))
        except (UnknownRun, FileNotFoundError) as error:
            raise CommandError(str(error)) from None
        workspace = workspace_around()
        chosen = [one.strip() for one in (modules or "").split(",") if one.strip()]
        if modules is not None and not chosen:
            raise CommandError("--modules names nobody: give sources such as ada.decision")
        cast = cast_of(run, workspace, changes, chosen or None)
    if from_s is not None and from_s >= run.duration_s:
        raise CommandError(f"--from {from_s:g}: the recording lasts {run.duration_s:.1f} s")
    if train:
        from sera.cli._replay_train import train_with

        raise typer.Exit(
            train_with(
                run,
                cast,
                character=character,
                window_s=window,
                speed=speed,
                to_s=to_s,
                pages={"port": port, "host": host},
                open_browser=not no_browser,
                as_json=as_json,
            )
        )
    _check_free(out)
    _check_free(html)
    from sera.recording.replay import play

    replayed = play(run, cast, to_s=to_s, log=out)
    if replayed.died:
        lost = ", ".join(replayed.died)
        why = f": {replayed.faults[0]}" if replayed.faults else ""
        raise CommandError(f"{lost} could not be played, so that nothing came out of it{why}")
    same = _tell(run, cast, changes, replayed, from_s=from_s or 0.0, html=html, as_json=as_json)
    if not same and not changes.any:
        raise typer.Exit(FAILED)


def _check_times(*seconds: float | None) -> None:
    from_s, to_s, speed, window = seconds
    if from_s is not None and not from_s >= 0:
        raise CommandError(f"--from {from_s:g}: give seconds since the start, 0 or more")
    if to_s is not None and not 0 < to_s < float("inf"):
        raise CommandError(f"--to {to_s:g}: give seconds since the start, above 0")
    if from_s is not None and to_s is not None and from_s >= to_s:
        raise CommandError(f"--from {from_s:g} must be before --to {to_s:g}")
    for name, value in (("--speed", speed), ("--window", window)):
        if value is not None and not 0 < value < float("inf"):
            raise CommandError(f"{name} {value:g}: give a number above 0")


def _check_free(path: Path | None) -> None:
    if path is None:
        return
    if path.exists():
        raise CommandError(f"{path} exists already: give another name, or move it away")
    if not path.absolute().parent.is_dir():
        raise CommandError(f"{path}: there is no folder {path.absolute().parent}")


def _tell(
    run: RecordedRun,
    cast: Cast,
    changes: Changes,
    replayed: Replayed,
    *,
    from_s: float,
    html: Path | None,
    as_json: bool,
) -> bool:
    from sera.cli._text import note, print_json
    from sera.recording.replay import compare, difference, timeline_page

    compared = compare(replayed.recorded, replayed.said, exact=run.exact, from_s=from_s)
    if not (compared.rows or compared.motion or changes.any):
        raise CommandError(
            "nothing was said in that time by those who are played: there is nothing to compare; "
            "give another --from or --to, or a longer recording"
        )
    found = difference(replayed.recorded, replayed.said, replayed.duration_s)
    if html is not None:
        page = timeline_page(
            found,
            title=f"Replay of {run.name}",
            changes=changes.in_words(),
            duration_s=replayed.duration_s,
        )
        html.write_text(page, encoding="utf-8")
    told: dict[str, Any] = {
        "recording": str(run.path),
        "scenario": run.scenario,
        "condition": cast.scenario.condition,
        "seed": cast.scenario.seed,
        "clock": run.clock,
        "changes": changes.in_words(),
        "played": replayed.played,
        "fed": replayed.fed,
        "duration_s": round(replayed.duration_s, 3),
        "wall_s": round(replayed.wall_s, 3),
        "out_of_order": replayed.out_of_order,
        "faults": replayed.faults,
        "notes": replayed.notes,
    }
    if as_json:
        print_json({**told, "comparison": compared.as_dict(), "difference": found.as_dict()})
        return compared.same
    from sera.cli._replay_text import comparison_lines, difference_lines

    for sentence in [*replayed.notes, *replayed.faults]:
        note(sentence)
    whom = ", ".join(replayed.played[:_MODULES_SHOWN])
    print(
        f"Played {whom} for {replayed.duration_s:.1f} s of {run.scenario}, with {replayed.fed:,} "
        f"recorded messages of all others, in {replayed.wall_s:.1f} s."
    )
    lines = (
        difference_lines(found, changes.in_words()) if changes.any else comparison_lines(compared)
    )
    print("\n".join(lines))
    if html is not None:
        print(f"Timelines: {html}")
    return compared.same
