"""`sera study analyse` and `sera study report` as people call them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from sera.runtime.workspace import Workspace
from sera.study import load_plan
from sera.study.data import Participation
from sera.study.sessions import StudyFolder, Wish, look_at
from sera.study.simulation.results import save_simulation

SCENARIO = """
[scenario]
title = "Small"
[modules.clock]
[conditions.a.modules.clock]
[conditions.b.modules.clock]
"""
STUDY = """
[study]
title = "Small"
[design]
[[design.conditions]]
name = "a"
title = "Quiet"
[[design.conditions]]
name = "b"
title = "Lively"
[[phases]]
name = "one"
[[phases.steps]]
name = "play"
title = "Play"
form = "ios"
[[measures]]
name = "Marks"
how = "count"
message = "SessionMark"
[[analysis.hypotheses]]
name = "H1"
text = "Lively robots get more marks."
measures = ["Marks"]
groups = ["b", "a"]
expects = "higher"
"""


@pytest.fixture
def lab(place: Any) -> Any:
    place.write("scenarios/small/scenario.toml", SCENARIO)
    place.write("scenarios/small/study.toml", STUDY)
    return place


def simulated_in(place: Any, name: str = "latest") -> Path:
    rows = [
        Participation(
            participant=f"sim{number:02d}",
            session=f"sim{number:02d}",
            kind="simulated",
            fate="completed",
            condition="ab"[number % 2],
            seed=number,
            measures={"Marks": number % 7 + 9 * (number % 2)},
            answers={"ios": {"closeness": number % 7 + 1}},
        )
        for number in range(24)
    ]
    folder = Path(place.environment["SERA_RUNS"]) / "studies" / "small" / "simulated" / name
    return save_simulation(folder, rows, {"scenario": "small", "seed": 7})


def test_a_simulated_study_becomes_tables_and_a_report(lab: Any) -> None:
    folder = simulated_in(lab)
    told = lab.sera("study", "analyse", "small", "--simulated", "latest")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("!!!")
    assert "SIMULATED DATA" in told.stdout
    assert "Lively robots get more marks.  supported" in told.stdout
    assert "Seed of the simulation  7" in told.stdout
    written = lab.sera("study", "report", "small", "--simulated", "latest", timeout_s=110)
    assert written.returncode == 0, written.stderr
    paths = [Path(line) for line in written.stdout.splitlines()]
    assert [path.name for path in paths] == [
        "report.html",
        "report.pdf",
        "data.csv",
        "data.json",
        "analysis.json",
    ]
    assert paths[0].parent == folder / "report"
    assert all("SIMULATED" in page.extract_text() for page in PdfReader(paths[1]).pages)


def test_without_sessions_the_newest_simulation_is_taken_and_said_so(lab: Any) -> None:
    simulated_in(lab)
    told = lab.sera("study", "analyse", "small", "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["simulated"] is True
    assert "the simulated study 'latest' is taken instead" in told.stderr


def test_results_are_found_by_their_folder(lab: Any) -> None:
    folder = simulated_in(lab)
    for wanted in (folder, folder.parent.parent):
        told = lab.sera("study", "analyse", wanted, "--json")
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout)["participants"] == 24


def test_sessions_of_people_are_analysed_and_that_conditions_were_seen_is_kept(lab: Any) -> None:
    scenario = lab.folder / "scenarios" / "small" / "scenario.toml"
    folder = StudyFolder(Path(lab.environment["SERA_RUNS"]) / "studies" / "small")
    plan = load_plan(scenario.with_name("study.toml"))
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    fates: list[Any] = ["completed", "aborted", "completed"]
    for number, fate in enumerate(fates):
        began = now + timedelta(hours=number)
        session = folder.begin(
            plan,
            Wish(kind="study"),
            scenario_file=scenario,
            workspace=Workspace.discover(lab.folder),
            now=began,
        )
        folder.end(session, fate, "because", began)
    told = lab.sera("study", "analyse", "small", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["simulated"], found["participants"]) == (False, 2)
    assert {"kind": "study", "fate": "aborted", "sessions": 1} in found["flow"]
    assert "this shows the conditions" in told.stderr
    assert look_at(folder, plan, reveal=False).revealed


def test_what_cannot_be_analysed_is_said_in_a_sentence(lab: Any) -> None:
    for arguments, sentence in (
        (("small",), "has no session yet: `sera study run small` makes one"),
        (("small", "--simulated", "x"), "`sera study simulate small` makes one"),
        (("smal",), "small"),
    ):
        told = lab.sera("study", "analyse", *arguments)
        assert told.returncode == 2, (arguments, told.stderr)
        assert sentence in told.stderr
        assert "Traceback" not in told.stderr
    folder = simulated_in(lab)
    told = lab.sera("study", "analyse", "small", "--simulated", "latst")
    assert "did you mean 'latest'?" in told.stderr
    lab.write("taken", "a file")
    told = lab.sera("study", "report", "small", "--out", "taken")
    assert told.returncode == 2
    assert "is a file" in told.stderr
    rows = (folder / "rows.jsonl").read_text(encoding="utf-8")
    (folder / "rows.jsonl").write_text(rows.replace('"kind": "simulated"', '"kind": "study"', 1))
    told = lab.sera("study", "analyse", "small", "--simulated", "latest")
    assert told.returncode == 2
    assert "rows.jsonl:1: the row is not marked as simulated" in told.stderr
    (folder / "rows.jsonl").write_text("{broken\n")
    told = lab.sera("study", "analyse", folder)
    assert told.returncode == 2
    assert "rows.jsonl:1" in told.stderr
