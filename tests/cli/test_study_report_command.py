"""`sera study analyse` and `sera study report` as people call them."""

from __future__ import annotations

import json
from pathlib import Path

from pypdf import PdfReader

from sera.study.sessions import look_at
from tests.cli.small_study import Lab


def test_a_simulated_study_becomes_tables_and_a_report(lab: Lab) -> None:
    folder = lab.simulated(24)
    told = lab.study("analyse", "small", "--simulated", "latest")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("!!!")
    assert "SIMULATED DATA" in told.stdout
    assert "Lively robots get more marks.  supported" in told.stdout
    assert "Seed of the simulation  7" in told.stdout
    written = lab.study("report", "small", "--simulated", "latest")
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


def test_without_sessions_the_newest_simulation_is_taken_and_said_so(lab: Lab) -> None:
    lab.simulated(24)
    told = lab.study("analyse", "small", "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["simulated"] is True
    assert "the simulated study 'latest' is taken instead" in told.stderr


def test_results_are_found_by_their_folder(lab: Lab) -> None:
    folder = lab.simulated(24)
    for wanted in (folder, folder.parent.parent):
        told = lab.study("analyse", wanted, "--json")
        assert told.returncode == 0, told.stderr
        assert json.loads(told.stdout)["participants"] == 24


def test_sessions_of_people_are_analysed_and_that_conditions_were_seen_is_kept(lab: Lab) -> None:
    for number, fate in enumerate(("completed", "aborted", "completed")):
        lab.end(lab.begin(number), fate, "because")
    told = lab.study("analyse", "small", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["simulated"], found["participants"]) == (False, 2)
    assert {"kind": "study", "fate": "aborted", "sessions": 1} in found["flow"]
    assert "this shows the conditions" in told.stderr
    assert look_at(lab.folder, lab.plan, reveal=False).revealed


def test_what_cannot_be_analysed_is_said_in_a_sentence(lab: Lab) -> None:
    for arguments, sentence in (
        (("small",), "has no session yet: `sera study run small` makes one"),
        (("small", "--simulated", "x"), "`sera study simulate small` makes one"),
        (("smal",), "small"),
    ):
        told = lab.study("analyse", *arguments)
        assert told.returncode == 2, (arguments, told.stderr)
        assert sentence in told.stderr
        assert "Traceback" not in told.stderr
    folder = lab.simulated(24)
    told = lab.study("analyse", "small", "--simulated", "latst")
    assert "did you mean 'latest'?" in told.stderr
    lab.place.write("taken", "a file")
    told = lab.study("report", "small", "--out", "taken")
    assert told.returncode == 2
    assert "is a file" in told.stderr
    rows = (folder / "rows.jsonl").read_text(encoding="utf-8")
    (folder / "rows.jsonl").write_text(rows.replace('"kind": "simulated"', '"kind": "study"', 1))
    told = lab.study("analyse", "small", "--simulated", "latest")
    assert told.returncode == 2
    assert "rows.jsonl:1: the row is not marked as simulated" in told.stderr
    (folder / "rows.jsonl").write_text("{broken\n")
    told = lab.study("analyse", folder)
    assert told.returncode == 2
    assert "rows.jsonl:1" in told.stderr
