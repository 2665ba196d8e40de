"""`sera study fate`, `status`, `analyse` and `erase` on sessions that go on or are damaged."""

from __future__ import annotations

import json

from sera.study.sessions import locked
from tests.cli.small_study import Lab


def test_nothing_is_said_of_a_session_that_goes_on(lab: Lab) -> None:
    session = lab.begin()
    with locked(session.lock_path):
        told = lab.study("fate", "small", "p01", "excluded", "--reason", "asleep")
    assert told.returncode == 2
    assert f"session {session.session} goes on in process" in told.stderr
    assert lab.folder.find("p01").is_open


def test_completed_is_said_again_only_where_it_was_lost(lab: Lab) -> None:
    session = lab.begin()
    refused = lab.study("fate", "small", "p01", "completed", "--reason", "it was")
    assert refused.returncode == 2
    assert "is under way: completed is said by `sera study run` alone" in refused.stderr
    lab.end(session, "completed")
    (session.folder / "fate.json").write_bytes(b"")
    told = json.loads(lab.study("status", "small", "--json").stdout)
    assert told["counts"] == {"study": {"not_known": 1}}
    assert "fate.json is damaged" in told["problems"][0]
    analysed = lab.study("analyse", "small")
    assert "fate.json is damaged" in " ".join((analysed.stdout + analysed.stderr).split())
    again = lab.study("fate", "small", "p01", "completed", "--reason", "it was")
    assert again.returncode == 0, again.stderr
    assert lab.folder.find("p01").fate == "completed"


def test_analyses_say_that_a_log_is_missing(lab: Lab) -> None:
    session = lab.begin()
    lab.end(session, "completed")
    told = json.loads(lab.study("analyse", "small", "--json").stdout)
    assert any("has no log: measures are left empty" in note for note in told["notes"])
    written = lab.study("export", "small", "--no-sav")
    assert written.returncode == 0, written.stderr
    assert "has no log: measures are left empty" in " ".join(written.stderr.split())


def test_a_participant_with_a_damaged_head_is_erased(lab: Lab) -> None:
    session = lab.begin()
    (session.folder / "session.json").write_bytes(b"")
    told = lab.study("erase", "small", "p01", "--yes")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("erased: 1 session, ")
    assert not session.folder.exists()
