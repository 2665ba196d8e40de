"""`sera study fate`, `status`, `analyse` and `erase` on sessions that go on or are damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sera.runtime.workspace import Workspace
from sera.study import load_plan
from sera.study.sessions import KeptSession, StudyFolder, Wish, locked

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
[[measures]]
name = "Marks"
how = "count"
message = "SessionMark"
"""
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Lab:
    """A workspace with one session of a study."""

    def __init__(self, place: Any) -> None:
        self.place = place
        place.write("scenarios/small/scenario.toml", SCENARIO)
        place.write("scenarios/small/study.toml", STUDY)
        scenario = place.folder / "scenarios" / "small" / "scenario.toml"
        self.folder = StudyFolder(Path(place.environment["SERA_RUNS"]) / "studies" / "small")
        self.session: KeptSession = self.folder.begin(
            load_plan(scenario.with_name("study.toml")),
            Wish(kind="study"),
            scenario_file=scenario,
            workspace=Workspace.discover(place.folder),
            now=NOW,
        )

    def study(self, command: str, *arguments: object) -> Any:
        return self.place.sera("study", command, "small", *arguments)


@pytest.fixture
def lab(place: Any) -> Lab:
    return Lab(place)


def test_nothing_is_said_of_a_session_that_goes_on(lab: Lab) -> None:
    with locked(lab.session.lock_path):
        told = lab.study("fate", "p01", "excluded", "--reason", "asleep")
    assert told.returncode == 2
    assert f"session {lab.session.session} goes on in process" in told.stderr
    assert lab.folder.find("p01").is_open


def test_completed_is_said_again_only_where_it_was_lost(lab: Lab) -> None:
    refused = lab.study("fate", "p01", "completed", "--reason", "it was")
    assert refused.returncode == 2
    assert "is under way: completed is said by `sera study run` alone" in refused.stderr
    lab.folder.end(lab.session, "completed", None, NOW)
    (lab.session.folder / "fate.json").write_bytes(b"")
    told = json.loads(lab.study("status", "--json").stdout)
    assert told["counts"] == {"study": {"not_known": 1}}
    assert "fate.json is damaged" in told["problems"][0]
    analysed = lab.study("analyse")
    assert "fate.json is damaged" in " ".join((analysed.stdout + analysed.stderr).split())
    again = lab.study("fate", "p01", "completed", "--reason", "it was")
    assert again.returncode == 0, again.stderr
    assert lab.folder.find("p01").fate == "completed"


def test_analyses_say_that_a_log_is_missing(lab: Lab) -> None:
    lab.folder.end(lab.session, "completed", None, NOW)
    told = json.loads(lab.study("analyse", "--json").stdout)
    assert any("has no log: measures are left empty" in note for note in told["notes"])
    written = lab.study("export", "--no-sav")
    assert written.returncode == 0, written.stderr
    assert "has no log: measures are left empty" in " ".join(written.stderr.split())


def test_a_participant_with_a_damaged_head_is_erased(lab: Lab) -> None:
    (lab.session.folder / "session.json").write_bytes(b"")
    told = lab.study("erase", "p01", "--yes")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("erased: 1 session, ")
    assert not lab.session.folder.exists()
