"""Where the logs of runs are, and how they are found again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sera.messages import Envelope, SpeechHeard
from sera.recording import (
    LogHeader,
    LogWriter,
    RunFolder,
    UnknownRun,
    find_log,
    list_runs,
    participants_folder,
    runs_folder,
)

MORNING = datetime(2024, 5, 1, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def base(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "kept"


def test_a_run_has_a_folder_with_its_description_its_log_and_its_originals(base):
    folder = RunFolder.create(
        "hello-1",
        scenario="hello",
        seed=7,
        condition="mutual",
        clock="virtual",
        versions={"sera": "0.1"},
        started=MORNING,
        note="pilot",
    )
    assert folder.path == base / "hello-1"
    assert json.loads((folder.path / "run.json").read_text(encoding="utf-8")) == {
        "run": "hello-1",
        "scenario": "hello",
        "seed": 7,
        "condition": "mutual",
        "clock": "virtual",
        "started": "2024-05-01T09:00:00Z",
        "versions": {"sera": "0.1"},
        "note": "pilot",
    }
    writer = LogWriter(folder.log_path, header=LogHeader(run="hello-1"), clock_now=lambda: 0.0)
    writer.write(Envelope(SpeechHeard(text="words"), "a.b-1-1", 0.0, "a.b", "a"), 0.0)
    writer.close()
    assert sorted(path.name for path in folder.path.iterdir()) == [
        "log.jsonl",
        "participants",
        "run.json",
    ]
    assert "words" in (folder.participants_path / "unassigned.jsonl").read_text(encoding="utf-8")


def test_originals_lie_beside_a_log_on_its_own_under_its_name(tmp_path):
    assert participants_folder(tmp_path / "a.jsonl") == tmp_path / "a.jsonl.participants"
    assert participants_folder(tmp_path / "log.jsonl") == tmp_path / "log.jsonl.participants"
    assert participants_folder(tmp_path / "a.jsonl.gz") == tmp_path / "a.jsonl.participants"
    (tmp_path / "run.json").touch()
    assert participants_folder(tmp_path / "log.jsonl") == tmp_path / "participants"
    assert participants_folder(tmp_path / "log.jsonl.gz") == tmp_path / "participants"


def test_runs_are_listed_newest_first_and_the_last_one_is_found(base):
    for index, name in enumerate(("b", "c", "a")):
        RunFolder.create(name, started=MORNING + timedelta(hours=index))
    (base / "no_run").mkdir()
    assert [run.run_id for run in list_runs()] == ["a", "c", "b"]
    assert find_log() == base / "a" / "log.jsonl"
    assert find_log("b") == base / "b" / "log.jsonl"
    assert find_log(base / "c") == base / "c" / "log.jsonl"
    (base / "b" / "log.jsonl.gz").touch()
    assert find_log("b") == base / "b" / "log.jsonl.gz"


def test_a_file_is_found_by_its_path(tmp_path):
    (tmp_path / "some.jsonl").touch()
    assert find_log("some.jsonl") == Path("some.jsonl")


def test_a_run_that_does_not_exist_gets_the_nearest_names(base):
    with pytest.raises(UnknownRun, match=r"there are no runs in .*kept; `sera run NAME` makes one"):
        find_log()
    RunFolder.create("hello-1", started=MORNING)
    with pytest.raises(UnknownRun, match=r"no log or run 'helo-1' in .*; nearest: hello-1"):
        find_log("helo-1")


def test_a_run_with_a_damaged_description_is_still_listed(base):
    RunFolder.create("old", started=MORNING)
    broken = RunFolder.create("broken")
    (broken.path / "run.json").write_text("{")
    assert broken.info() is None
    assert [run.run_id for run in list_runs()] == ["broken", "old"]


@pytest.mark.parametrize("run_id", ["", "../x", "a/b", ".hidden", "last", "a b"])
def test_an_id_that_cannot_be_a_folder_is_refused(base, run_id):
    with pytest.raises(ValueError, match="use letters, digits"):
        RunFolder.create(run_id)


def test_no_run_takes_the_folder_of_another():
    RunFolder.create("twice")
    with pytest.raises(FileExistsError, match=r"there is a run twice in .* already"):
        RunFolder.create("twice")


def test_without_the_variable_runs_lie_in_the_current_folder(monkeypatch):
    monkeypatch.delenv("SERA_RUNS")
    assert runs_folder() == Path("runs")
