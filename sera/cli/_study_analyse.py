"""`sera study analyse` and `sera study report`: what the sessions of a study show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import CommandError
from sera.cli._options import JsonOption
from sera.cli._study_found import FoundStudy, find_study, now

if TYPE_CHECKING:
    from sera.study.analysis import Analysis
    from sera.study.data import Participation
    from sera.study.questionnaire import Questionnaire
    from sera.study.report import Section

_WhatArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FOLDER",
        help="A scenario with a study.toml, or a folder with the results of a study.",
    ),
]
_SimulatedOption = Annotated[
    str | None,
    typer.Option(
        "--simulated", metavar="NAME", help="The simulated study of that name, such as latest."
    ),
]


@dataclass(frozen=True)
class _Source:
    """Rows, and where they come from."""

    study: FoundStudy
    rows: list[Participation]
    folder: Path
    """Where a report goes, unless another place is wanted."""
    facts: dict[str, str]
    problems: tuple[str, ...] = ()
    """Sessions that cannot be read, or whose fate is not known, one sentence each."""


def analyse(
    study: _WhatArgument, *, simulated: _SimulatedOption = None, as_json: JsonOption = False
) -> None:
    """Compare the groups of a study: tables, tests and hypotheses, as text.

    Completed sessions of kind study count. Analysing them shows conditions, which is logged where
    the study file keeps them from operators. Where there are no sessions, the newest simulated
    study is taken, and all that is printed says so.
    """
    from sera.cli._text import print_json
    from sera.study.report import document_of, text_of

    source = _source(study, simulated)
    found, forms = _analysed(source)
    if as_json:
        print_json(found.as_json())
        return
    document = document_of(found, forms=forms, facts=source.facts, own=_own(source, found))
    print(text_of(document), end="", flush=True)


def report(
    study: _WhatArgument,
    *,
    simulated: _SimulatedOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Else `report` beside the results."),
    ] = None,
) -> None:
    """Write the report of a study: one HTML file, a PDF with the same content, and the data.

    A report of simulated participants says SIMULATED on every page, plot and row; nothing removes
    it.
    """
    from sera.cli._text import note
    from sera.study.report import ReportNeeds, write_report

    source = _source(study, simulated)
    found, forms = _analysed(source)
    folder = source.folder / "report" if out is None else out
    if folder.exists() and not folder.is_dir():
        raise CommandError(f"{folder} is a file: --out needs a folder")
    facts = {**source.facts, "Written": now().strftime("%Y-%m-%d %H:%M")}
    try:
        own = _own(source, found)
        paths = write_report(found, folder, forms=forms, facts=facts, own=own)
    except ReportNeeds as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror or error}") from None
    if found.simulated:
        note("SIMULATED: this report supports no claim about people")
    for path in paths:
        print(path, flush=True)


def _analysed(source: _Source) -> tuple[Analysis, dict[str, Questionnaire]]:
    from sera.study.analysis import AnalysisRefused
    from sera.study.analysis import analyse as analyse_rows
    from sera.study.form_wish import forms_of_plan
    from sera.study.scoring import scales_of

    plan = source.study.plan
    try:
        forms = forms_of_plan(plan, source.study.scenario_folder)
        found = analyse_rows(plan, source.rows, scales_of(forms, plan.study.languages[0]))
    except AnalysisRefused as error:
        raise CommandError(str(error)) from None
    except (LookupError, ValueError) as error:
        raise CommandError(str(error.args[0] if error.args else error)) from None
    if source.problems and not found.simulated:
        found = replace(found, notes=(*source.problems, *found.notes))
    return found, forms


def _own(source: _Source, found: Analysis) -> list[Section]:
    """What the study's own functions add."""
    from sera.study.report import own_sections

    return own_sections(source.study.plan, found.counted, source.study.scenario_folder)


def _source(wanted: str, simulated: str | None) -> _Source:
    folder = Path(wanted).expanduser()
    if folder.is_dir() and (folder / "rows.jsonl").is_file():
        return _of_simulation(_study_of_results(folder), folder)
    study = find_study(wanted) if not _holds_results(folder) else _study_around(folder)
    if simulated is not None:
        return _of_simulation(study, _named_simulation(study, simulated))
    return _of_sessions(study)


def _holds_results(folder: Path) -> bool:
    return (folder / "sessions").is_dir() or (folder / "simulated").is_dir()


def _study_around(folder: Path) -> FoundStudy:
    """The study whose results are in a folder, which is called like its scenario."""
    from sera.study.sessions import StudyFolder

    study = find_study(folder.resolve().name)
    return replace(study, folder=StudyFolder(folder))


def _study_of_results(folder: Path) -> FoundStudy:
    """The study that a folder of simulated results belongs to, by its meta.json or its place."""
    import json

    try:
        about = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        name = about["scenario"]
    except (OSError, ValueError, KeyError, TypeError):
        name = folder.resolve().parent.parent.name
    return find_study(str(name))


def _named_simulation(study: FoundStudy, name: str) -> Path:
    from sera.runtime.located import nearest_name
    from sera.study.simulation import simulations_in

    known = {folder.name: folder for folder in simulations_in(study.folder.path)}
    if name in known:
        return known[name]
    near = nearest_name(name, known)
    hint = f"; did you mean '{near}'?" if near else ""
    if not known:
        hint = f": `sera study simulate {study.name}` makes one"
    elif not near:
        hint = f" (there are {', '.join(known)})"
    raise CommandError(f"'{study.name}' has no simulated study '{name[:60]}'{hint}")


def _of_simulation(study: FoundStudy, folder: Path) -> _Source:
    from sera.study.simulation import load_simulation

    try:
        rows, about = load_simulation(folder)
    except OSError as error:
        raise CommandError(f"{folder} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise CommandError(str(error)) from None
    facts = {"Data": f"SIMULATED: {len(rows)} rows of {folder.name}"}
    if "seed" in about:
        facts["Seed of the simulation"] = str(about["seed"])
    if about.get("settings"):
        facts["Settings"] = ", ".join(map(str, about["settings"]))
    return _Source(study, rows, folder, facts)


def _of_sessions(study: FoundStudy) -> _Source:
    from sera.cli._text import note
    from sera.study.sessions import note_revealing, take_rows
    from sera.study.simulation import simulations_in

    sessions = study.folder.sessions()
    if not sessions:
        simulations = simulations_in(study.folder.path)
        if simulations:
            note(f"no session yet: the simulated study '{simulations[0].name}' is taken instead")
            return _of_simulation(study, simulations[0])
        raise CommandError(
            f"'{study.name}' has no session yet: `sera study run {study.name}` makes one, and "
            f"`sera study simulate {study.name}` plays it with simulated participants"
        )
    if "condition" not in study.plan.study.reveal:
        note_revealing(study.folder, now())
        note("this shows the conditions; that it was done is written down")
    rows = take_rows(study.plan, sessions, study.scenario_folder)
    facts = {"Data": "1 session" if len(sessions) == 1 else f"{len(sessions)} sessions"}
    unknown = (one.fate_problem for one in sessions if one.fate_problem is not None)
    problems = (*study.folder.unreadable, *unknown)
    return _Source(study, rows, study.folder.path, facts, problems)
