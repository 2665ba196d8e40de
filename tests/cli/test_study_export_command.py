"""`sera study export` as people call it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from sera.messages import Envelope, QuestionnaireAnswered, SessionMark
from sera.recording import LogHeader, LogWriter, RunFolder
from sera.study.sessions import look_at
from tests.cli.small_study import Lab


def wide(folder: Path) -> list[dict[str, str]]:
    with (folder / "wide.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_simulated_study_is_exported_and_says_so(lab: Lab) -> None:
    folder = lab.simulated(4)
    told = lab.study("export", "small", "--simulated", "latest", "--bom")
    assert told.returncode == 0, told.stderr
    assert "SIMULATED" in told.stderr
    names = [Path(line).name for line in told.stdout.splitlines()]
    assert names == ["wide.sav", "wide.csv", "long.csv", "codebook.csv", "codebook.md"]
    rows = wide(folder / "export")
    assert [row["simulated"] for row in rows] == ["true"] * 4
    assert [row["scale.IOS"] for row in rows] == ["1.0", "2.0", "3.0", "4.0"]
    assert (folder / "export" / "wide.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_sessions_are_exported_with_logs_and_tiers(lab: Lab) -> None:
    for number, fate in enumerate(("completed", "aborted")):
        session = lab.begin(number)
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
        lab.end(session, fate)
    told = lab.study("export", "small", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["simulated"], found["rows"]) == (False, {"wide": 1, "long": 2})
    assert any("--all" in note for note in found["notes"])
    (row,) = wide(lab.folder.path / "export")
    assert (row["id"], row["measure.Marks"], row["ios.closeness"]) == ("p01", "1", "5")
    assert (row["duration"], row["duration.form.ios"]) == ("2.5", "12.5")
    assert [path.suffix for path in (lab.folder.path / "export" / "elan").glob("*.eaf")] == [".eaf"]
    assert "this shows the conditions" in told.stderr
    assert look_at(lab.folder, lab.plan, reveal=False).revealed
    out = lab.place.folder / "elsewhere"
    told = lab.study("export", "small", "--all", "--out", out)
    assert told.returncode == 0, told.stderr
    assert [row["fate"] for row in wide(out)] == ["completed", "aborted"]


def test_a_study_without_data_and_a_wrong_place_get_a_sentence(lab: Lab) -> None:
    told = lab.study("export", "small")
    assert told.returncode != 0
    assert "has no session yet" in told.stderr
    assert "Traceback" not in told.stderr
    lab.simulated(4)
    told = lab.study("export", "small", "--simulated", "latst")
    assert told.returncode != 0
    assert "did you mean 'latest'?" in told.stderr
    file = lab.place.write("a_file", "x")
    told = lab.study("export", "small", "--simulated", "latest", "--out", file)
    assert told.returncode != 0
    assert "is a file" in told.stderr
