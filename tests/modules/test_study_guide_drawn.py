"""The module `study_guide` with a session that was drawn for it: it begins and ends the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    ConditionAssigned,
    ModuleFault,
    PreflightReport,
    SessionMark,
    SessionPhase,
    SessionState,
)
from sera.runtime.workspace import Workspace
from sera.study import Journal, Press, load_plan

ROOT = Path(__file__).parents[2]
PLAY = """
[scenario]
title = "Play"
duration_s = 60
[modules.study]
module = "study_guide"
folder = "{folder}"
[modules.study.drawn]
session = "p01_20260101T000000"
participant = "p01"
kind = "study"
condition = "warm"
factors = {{ heat = "high" }}
method = "blocked"
folder = "{folder}/sessions/p01"
done_before = 3
planned = 57
{more}
[modules.actor]
module = "./actor.py"
"""
STUDY = """
[study]
title = "A study"
[[phases]]
name = "begin"
conditions = "first"
[[phases.steps]]
name = "agree"
title = "Agree"
form = "consent"
goes_on = true
[[phases]]
name = "all"
[[phases.steps]]
name = "play"
title = "Play"
"""
RED = """
override = "it is known"
[[modules.study.drawn.preflight]]
check = "disk"
colour = "red"
sentence = "Only 1 GB are free."
"""
ANSWER = """
await self.clock.sleep(0.5)
await self.publish(QuestionnaireAnswered(
    questionnaire="consent", participant="p01", session="p01_20260101T000000",
    answers={"recording": %s}))
await self.clock.sleep(0.5)
"""
NEXT = """
await self.clock.sleep(0.5)
await self.publish(GuideSession(do="next"))
await self.clock.sleep(5)
"""


def of(said: list[Any], kind: type[Any]) -> list[Any]:
    return [one.message for one in said if isinstance(one.message, kind)]


def play(folder: Path, more: str = "") -> str:
    (folder / "sessions/p01").mkdir(parents=True, exist_ok=True)
    return PLAY.format(folder=folder.as_posix(), more=more)


def test_a_drawn_session_begins_by_itself_and_the_run_ends_with_it(
    acted: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "studies"
    said = acted(play(folder, RED), ANSWER % "True" + NEXT, {"study.toml": STUDY})
    (assigned,) = of(said, ConditionAssigned)
    assert (assigned.condition, assigned.factors) == ("warm", {"heat": "high"})
    assert assigned.method == "blocked"
    (report,) = of(said, PreflightReport)
    assert (report.overridden, report.checks[0].check) == (True, "disk")
    (mark,) = of(said, SessionMark)
    assert mark.label == "deviation"
    assert "it is known" in mark.note
    steps = [(one.step, str(one.status)) for one in of(said, SessionPhase) if one.step]
    assert steps == [
        ("agree", "started"),
        ("agree", "finished"),
        ("play", "started"),
        ("play", "finished"),
    ]
    states = of(said, SessionState)
    assert {state.session_kind for state in states} == {"study"}
    assert states[-1].sessions_done == 3
    assert states[-1].sessions_planned == 57
    assert "warm" not in "".join(state.model_dump_json() for state in states)
    assert said[-1].time < 5
    consent = json.loads((folder / "sessions/p01/consent.json").read_bytes())
    assert consent["recording_allowed"] is True
    assert not (folder / "sessions/p01/reserve").exists()


def an_earlier_run(folder: Path, *presses: Press) -> Journal:
    """What a run that was killed has left behind."""
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    plan = load_plan(folder / "study.toml")
    journal = Journal(folder)
    file = journal.begin(plan, "p01", None, 0.0, session="p01_20260101T000000")
    for press in presses:
        journal.add(file, press)
        journal.tell(file)
    assert file.path is not None
    with file.path.open("a") as cut_off:
        cut_off.write('{"press": {"do": "ne')
    return journal


def test_a_drawn_session_goes_on_in_the_next_run_where_it_stopped(
    acted: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "studies"
    an_earlier_run(folder, Press("begin", 0.0), Press("answered", 0.1, questionnaire="consent"))
    said = acted(play(folder), NEXT, {"study.toml": STUDY.replace("play", "changed")})
    steps = [(one.step, str(one.status)) for one in of(said, SessionPhase) if one.step]
    assert steps == [("play", "finished")]
    assert [mark.label for mark in of(said, SessionMark)] == ["resumed"]
    assert len(of(said, ConditionAssigned)) == 1


def test_a_session_that_is_over_ends_the_run_at_once(acted: Any, tmp_path: Path) -> None:
    folder = tmp_path / "studies"
    journal = an_earlier_run(folder, Press("begin", 0.0), Press("abort", 1.0))
    journal.end(journal.sessions[0], "aborted")
    said = acted(play(folder), NEXT, {"study.toml": STUDY})
    assert of(said, SessionPhase) == []
    assert said[-1].time < 3


def test_a_session_that_died_while_it_began_begins(acted: Any, tmp_path: Path) -> None:
    folder = tmp_path / "studies"
    an_earlier_run(folder)
    said = acted(play(folder), ANSWER % "True" + NEXT, {"study.toml": STUDY})
    started = [one.step for one in of(said, SessionPhase) if one.status == "started"]
    assert [step for step in started if step] == ["agree", "play"]
    assert Journal(folder).sessions[0].outcome == "completed"


def test_the_second_condition_leaves_out_what_belongs_to_the_first(
    acted: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "studies"
    more = "period = 2\nperiods = 2\n"
    said = acted(play(folder, more), NEXT, {"study.toml": STUDY})
    assert {one.step for one in of(said, SessionPhase) if one.step} == {"play"}
    (journal,) = folder.glob("*.jsonl")
    assert journal.name == "p01_20260101T000000_c2.jsonl"


def test_an_activity_that_is_over_does_not_end_the_session(acted: Any, tmp_path: Path) -> None:
    # Only `sera study run` holds a run; here the actor may end it, and the session stays open.
    folder = tmp_path / "studies"
    acted(play(folder), 'await self.end_run("over")', {"study.toml": STUDY})
    (journal,) = folder.glob("*.jsonl")
    assert '"ends"' not in journal.read_text(encoding="utf-8")


def test_a_disk_that_fills_up_pauses_the_session_and_is_told_at_once(
    acted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace.discover(ROOT).load_module_class("study_guide")
    monkeypatch.setattr("modules.study_guide._drawn.LITTLE_SPACE_BYTES", 1 << 62)
    folder = tmp_path / "studies"
    said = acted(play(folder), "await self.clock.sleep(5)", {"study.toml": STUDY})
    (fault,) = of(said, ModuleFault)
    assert "the disk is full: the session is paused" in fault.summary
    assert of(said, SessionState)[-1].paused
    assert not (folder / "sessions/p01/reserve").exists()
