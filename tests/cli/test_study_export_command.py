"""`sera study export` as people call it."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope, QuestionnaireAnswered, SessionMark
from sera.recording import LogHeader, LogWriter, RunFolder
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
[[design.conditions]]
name = "b"
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
"""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def lab(place: Any) -> Any:
    place.write("scenarios/small/scenario.toml", SCENARIO)
    place.write("scenarios/small/study.toml", STUDY)
    return place


def study_folder(place: Any) -> StudyFolder:
    return StudyFolder(Path(place.environment["SERA_RUNS"]) / "studies" / "small")


def simulated_in(place: Any) -> Path:
    rows = [
        Participation(
            participant=f"s{number:02d}",
            session=f"s{number:02d}",
            kind="simulated",
            fate="completed",
            condition="ab"[number % 2],
            measures={"Marks": number},
            answers={"ios": {"closeness": number + 1}},
        )
        for number in range(4)
    ]
    folder = study_folder(place).path / "simulated" / "latest"
    return save_simulation(folder, rows, {"scenario": "small", "seed": 7})


def wide(folder: Path) -> list[dict[str, str]]:
    with (folder / "wide.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_simulated_study_is_exported_and_says_so(lab: Any) -> None:
    folder = simulated_in(lab)
    told = lab.sera("study", "export", "small", "--simulated", "latest", "--bom")
    assert told.returncode == 0, told.stderr
    assert "SIMULATED" in told.stderr
    names = [Path(line).name for line in told.stdout.splitlines()]
    assert names == ["wide.sav", "wide.csv", "long.csv", "codebook.csv", "codebook.md"]
    rows = wide(folder / "export")
    assert [row["simulated"] for row in rows] == ["true"] * 4
    assert [row["scale.IOS"] for row in rows] == ["1.0", "2.0", "3.0", "4.0"]
    assert (folder / "export" / "wide.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_sessions_are_exported_with_logs_and_tiers(lab: Any) -> None:
    scenario = lab.folder / "scenarios" / "small" / "scenario.toml"
    folder, plan = study_folder(lab), load_plan(scenario.with_name("study.toml"))
    for number, fate in enumerate(("completed", "aborted")):
        session = folder.begin(
            plan,
            Wish(kind="study"),
            scenario_file=scenario,
            workspace=Workspace.discover(lab.folder),
            now=NOON + timedelta(hours=number),
        )
        run = RunFolder.create("1", base=session.runs, scenario="small", period=1)
        writer = LogWriter(run.log_path, header=LogHeader(run="r"), clock_now=lambda: 0.0)
        form = QuestionnaireAnswered(
            questionnaire="ios",
            participant=session.head.participant,
            answers={"closeness": 5},
            duration_s=12.5,
        )
        for at_s, message in ((1.0, SessionMark(label="problem")), (2.5, form)):
            writer.write(Envelope(message, f"w-1-{at_s}", at_s, "world.x", "world"), at_s)
        writer.close()
        folder.end(session, fate, None, NOON + timedelta(hours=number))  # type: ignore[arg-type]
    told = lab.sera("study", "export", "small", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["simulated"], found["rows"]) == (False, {"wide": 1, "long": 2})
    assert any("--all" in note for note in found["notes"])
    (row,) = wide(folder.path / "export")
    assert (row["id"], row["measure.Marks"], row["ios.closeness"]) == ("p01", "1", "5")
    assert (row["duration"], row["duration.form.ios"]) == ("2.5", "12.5")
    assert [path.suffix for path in (folder.path / "export" / "elan").glob("*.eaf")] == [".eaf"]
    assert "this shows the conditions" in told.stderr
    assert look_at(folder, plan, reveal=False).revealed
    out = lab.folder / "elsewhere"
    told = lab.sera("study", "export", "small", "--all", "--out", out)
    assert told.returncode == 0, told.stderr
    assert [row["fate"] for row in wide(out)] == ["completed", "aborted"]


def test_a_study_without_data_and_a_wrong_place_get_a_sentence(lab: Any) -> None:
    told = lab.sera("study", "export", "small")
    assert told.returncode != 0
    assert "has no session yet" in told.stderr
    assert "Traceback" not in told.stderr
    simulated_in(lab)
    told = lab.sera("study", "export", "small", "--simulated", "latst")
    assert told.returncode != 0
    assert "did you mean 'latest'?" in told.stderr
    file = lab.write("a_file", "x")
    told = lab.sera("study", "export", "small", "--simulated", "latest", "--out", file)
    assert told.returncode != 0
    assert "is a file" in told.stderr
