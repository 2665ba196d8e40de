"""`sera study export`: the data of a study for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption
from sera.cli._study_found import now

if TYPE_CHECKING:
    from sera.study.export import Export


def export(
    study: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FOLDER",
            help="A scenario with a study.toml, or a folder with the results of a study.",
        ),
    ],
    *,
    simulated: Annotated[
        str | None,
        typer.Option(
            "--simulated", metavar="NAME", help="The simulated study of that name, such as latest."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Else `export` beside the results."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Also sessions that do not count, each with its kind and fate."),
    ] = False,
    sav: Annotated[
        bool | None,
        typer.Option(
            "--sav/--no-sav", help="A file for SPSS; else where what writes it is installed."
        ),
    ] = None,
    streams: Annotated[
        bool,
        typer.Option("--streams", help="Also messages that come many times a second, long."),
    ] = False,
    bom: Annotated[
        bool,
        typer.Option("--bom", help="Begin CSV with a byte order mark, for some spreadsheets."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the data of a study: a wide and a long table, a codebook, tiers for ELAN, SPSS.

    Completed sessions of kind study are exported; pseudonyms only, and nothing that people typed.
    Exporting shows conditions, which is logged where the study file keeps them from operators.
    """
    from sera.cli._text import note, print_json

    written = _export(study, simulated, out, everything=everything, sav=sav, wish=(streams, bom))
    if written.simulated:
        note("SIMULATED: these data support no claim about people")
    for sentence in written.notes:
        note(sentence)
    if as_json:
        print_json(
            {
                "simulated": written.simulated,
                "rows": written.tables,
                "files": [str(path) for path in written.files],
                "notes": written.notes,
            }
        )
        return
    for path in written.files:
        print(path, flush=True)


def _export(
    study: str,
    simulated: str | None,
    out: Path | None,
    *,
    everything: bool,
    sav: bool | None,
    wish: tuple[bool, bool],
) -> Export:
    from sera.cli._study_analyse import _source
    from sera.study.export import ExportWish, SavNeeds, recorded_sessions, recorded_simulation
    from sera.study.export import export as export_rows
    from sera.study.form_wish import forms_of_plan

    source = _source(study, simulated)
    plan = source.study.plan
    folder = source.folder / "export" if out is None else out
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file: --out needs a folder")
    are_simulated = bool(source.rows) and all(row.simulated for row in source.rows)
    if are_simulated:
        recorded = recorded_simulation(source.folder, source.rows)
    else:
        recorded = recorded_sessions(source.study.folder.sessions())
    try:
        forms = forms_of_plan(plan, source.study.scenario_folder)
        written = export_rows(
            plan,
            source.rows,
            forms,
            recorded,
            folder,
            wish=ExportWish(everything, wish[0], wish[1], sav),
            now=now(),
        )
    except SavNeeds as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror or error}") from None
    except (LookupError, ValueError) as error:
        raise CommandError(str(error.args[0] if error.args else error)) from None
    if not are_simulated:
        written.notes[:0] = source.problems
    return written
