"""`sera study simulate`: a whole study with simulated participants, in virtual time."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._errors import CommandError

if TYPE_CHECKING:
    from sera.study.simulation import Job, Simulated, Stage


def simulate(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A scenario with a study.toml.")],
    *,
    participants: Annotated[
        int | None,
        typer.Option("--participants", metavar="N", min=1, help="Else the planned sample."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0)] = 1,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="CHARACTER.MODULE.KEY=VALUE",
            help="A setting in place of the scenario's; may be given several times.",
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option("--processes", metavar="N", min=1, help="Else one a core.")
    ] = None,
    out: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What the results are called.")
    ] = "latest",
    logs: Annotated[bool, typer.Option("--logs", help="Keep a recording of each.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a participant, and nothing else.")
    ] = False,
) -> None:
    """Let simulated participants take part in a study, and keep what is measured.

    Simulated rows support no claim about people: they show whether a study runs through, and what
    its analysis would look like.
    """
    from sera.recording import runs_folder
    from sera.study.simulation import SimulationError, players, save_simulation
    from sera.study.simulation import Stage as MakeStage
    from sera.study.simulation import simulate as play_all

    if not out.replace("_", "").replace("-", "").isalnum():
        raise CommandError(f"--name {out!r}: use letters, digits, `_` and `-`")
    began_s = time.perf_counter()
    try:
        stage = MakeStage(name)
        participants = participants or _planned(stage)
        folder = runs_folder() / "studies" / stage.folder.name / "simulated" / out
        logs_folder = folder / "logs" if logs else None
        if logs_folder is not None:
            logs_folder.mkdir(parents=True, exist_ok=True)
        with players(min(processes or os.cpu_count() or 1, participants)) as pool:
            results = play_all(
                name,
                participants,
                seed,
                settings=_settings(settings or []),
                pool=pool,
                logs=logs_folder,
                told=_print_json if as_json else None,
            )
    except (SimulationError, LookupError, ValueError) as error:
        raise CommandError(str(error.args[0] if error.args else error)) from None
    took_s = time.perf_counter() - began_s
    rows = [row for result in results for row in result.rows]
    about = {
        "study": stage.plan.study.title,
        "scenario": stage.folder.name,
        "participants": participants,
        "seed": seed,
        "settings": settings or [],
        "took_s": round(took_s, 2),
    }
    try:
        save_simulation(folder, rows, about)
    except OSError as error:
        raise CommandError(f"{folder}: the rows cannot be written: {error.strerror}") from None
    if not as_json:
        _print_table(stage, results, took_s, folder)


def _planned(stage: Stage) -> int:
    from sera.study.design import planned_sample

    planned = None if stage.plan.design is None else planned_sample(stage.plan.design)
    if planned is None:
        raise CommandError(f"study.toml of {stage.name} plans no sample: say --participants N")
    return planned.participants


def _settings(words: list[str]) -> dict[str, dict[str, Any]]:
    from sera.cli._values import parse_value
    from sera.study.simulation.jobs import parsed_settings

    assignments = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise CommandError(f"--set {word}: write CHARACTER.MODULE.KEY=VALUE")
        assignments[key] = parse_value(value)
    return parsed_settings(assignments)


def _print_json(_job: Job, result: Simulated) -> None:
    from sera.study.data import as_one

    sys.stdout.write(json.dumps(as_one(result.rows), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _print_table(stage: Stage, results: list[Simulated], took_s: float, folder: Path) -> None:
    import statistics

    from sera.cli._text import note

    rows = [row for result in results for row in result.rows]
    measures = [measure.name for measure in stage.plan.measures]
    assert stage.plan.design is not None
    titles = {each.name: each.heading for each in stage.plan.design.conditions}
    print("SIMULATED: these figures support no claim about people.\n")
    wide = max(14, *(len(title) + 2 for title in titles.values()))
    print(f"{'condition':<{wide}}{'n':>4}" + "".join(f"{name:>14}" for name in measures))
    for condition, title in titles.items():
        own = [row for row in rows if row.condition == condition]
        cells = []
        for name in measures:
            values = [value for row in own if (value := row.measures.get(name)) is not None]
            cells.append(f"{statistics.fmean(values):.1f}" if values else "-")
        print(f"{title:<{wide}}{len(own):>4}" + "".join(f"{cell:>14}" for cell in cells))
    for row in rows:
        for problem in row.problems[:3]:
            note(f"{row.participant}: {problem}")
    frames = sum(result.frames for result in results)
    played_s = sum(result.took_s for result in results)
    virtual_s = sum(result.virtual_s for result in results)
    people = "1 participant" if len(results) == 1 else f"{len(results)} participants"
    long = f"{virtual_s / 3600:.1f} h" if virtual_s >= 3600 else f"{virtual_s / 60:.0f} min"
    print(
        f"\n{people}, {long} of play, in {took_s:.0f} s: "
        f"{played_s / max(1, frames) * 1e6:.0f} µs a frame. Rows: {folder}"
    )
    print(f"Analyse them: sera study report {stage.folder.name} --simulated {folder.name}")
