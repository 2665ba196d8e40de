"""Every recording has a name: runs, sessions of studies, simulated participants."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sera.cli import app
from sera.messages import Envelope, SpeechHeard
from sera.recording import (
    LogHeader,
    LogWriter,
    RunFolder,
    UnknownRun,
    find_log,
    find_recording,
    list_recordings,
    list_runs,
)

MORNING = datetime(2024, 5, 1, 9, tzinfo=UTC)
SECRET = "secret_condition"
SESSION = "p07_20240501T101500"


@pytest.fixture(autouse=True)
def base(tmp_path, monkeypatch) -> Path:
    """A run, two runs of a session, and a simulated participant."""
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "kept"
    write(RunFolder.create("hello-1", scenario="hello", started=MORNING, base=kept).log_path)
    for number in (1, 2):
        folder = RunFolder.create(
            str(number),
            scenario="game",
            condition=SECRET,
            seed=5,
            started=MORNING + timedelta(hours=number),
            base=kept / "studies" / "game" / "sessions" / SESSION / "runs",
            session=SESSION,
            kind="pilot",
        )
        write(folder.log_path)
    logs = kept / "studies" / "game" / "simulated" / "latest" / "logs"
    logs.mkdir(parents=True)
    write(logs / "s01_1.jsonl")
    return kept


def write(log: Path) -> None:
    writer = LogWriter(log, header=LogHeader(run="r"), clock_now=lambda: 0.0)
    writer.write(Envelope(SpeechHeard(text="words"), "a.b-1-1", 0.0, "a.b", "a"), 0.0)
    writer.close()


def test_all_of_them_are_listed_newest_first_and_found_again_by_their_names(base):
    kept = list_recordings()
    assert [one.name for one in kept] == [
        "game:simulated:latest:s01_1",
        f"game:{SESSION}:2",
        f"game:{SESSION}:1",
        "hello-1",
    ]
    for one in kept:
        assert find_recording(one.name) == one
        assert find_log(one.name) == one.log_path
        assert one.log_path.is_file()
        assert one.lies_within(base)
    assert [run.run_id for run in list_runs()] == ["hello-1"]


def test_a_session_tells_study_participant_and_kind():
    simulated, second, _, plain = list_recordings()
    assert str(second.in_study) == "participant p07 of game, pilot"
    assert second.run_id == f"{SESSION}_2"
    assert str(simulated.in_study) == "participant s01 of game, simulated"
    assert simulated.scenario == second.scenario == "game"
    assert plain.in_study is None


def test_the_last_run_may_be_a_session_but_never_a_simulated_participant():
    assert find_log().parent.name == "2"


def test_a_session_whose_description_is_damaged_is_still_listed(base):
    run = base / "studies" / "game" / "sessions" / SESSION / "runs" / "2"
    (run / "run.json").write_text("{", encoding="utf-8")
    one = find_recording(f"game:{SESSION}:2")
    assert one is not None
    assert (one.info, str(one.in_study)) == (None, "participant p07 of game")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "last",
        "../kept/hello-1",
        "hello-1/../hello-1",
        "studies",
        "game",
        "game:",
        f"game:{SESSION}",
        f"game:{SESSION}:..",
        f"game:{SESSION}:../runs/1",
        f"game:../sessions/{SESSION}:1",
        f"../studies/game:{SESSION}:1",
        f"..:{SESSION}:1",
        f"game:{SESSION}:1\n",
        f"game:{SESSION}:1:1",
        "game:simulated:latest:../logs/s01_1",
        "game:simulated:..:s01_1",
        "game:simulated:latest:s01",
        "a" * 5000,
        f"game:{'a' * 5000}:1",
    ],
)
def test_a_name_that_is_none_finds_nothing(name):
    assert find_recording(name) is None


def test_a_link_that_leads_elsewhere_does_not_lie_within(base, tmp_path):
    outside = RunFolder.create("secret-1", base=tmp_path / "outside")
    write(outside.log_path)
    (base / "link-1").symlink_to(outside.path)
    one = find_recording("link-1")
    assert one is not None
    assert not one.lies_within(base)


def test_an_unknown_name_is_answered_with_the_nearest_session():
    with pytest.raises(UnknownRun, match=f"nearest: game:{SESSION}:1"):
        find_log(f"game:{SESSION}:11")


def test_the_command_line_lists_and_shows_sessions_without_their_condition():
    listed = CliRunner().invoke(app, ["log", "list", "--json"])
    rows = json.loads(listed.stdout)
    assert [(row["run"], row["participant"], row["kind"]) for row in rows][1:] == [
        (f"game:{SESSION}:2", "p07", "pilot"),
        (f"game:{SESSION}:1", "p07", "pilot"),
        ("hello-1", None, None),
    ]
    table = CliRunner().invoke(app, ["log", "list"], env={"COLUMNS": "80"}).stdout
    assert f"game:{SESSION}:2" in table
    assert "p07, pilot" in table
    assert SECRET not in listed.stdout + table
    shown = CliRunner().invoke(app, ["log", "show", f"game:{SESSION}:1"])
    assert "SpeechHeard" in shown.stdout
