"""What was recorded and cannot be read is not known, which is not the same as nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Clicked, SessionMark, SessionPhase
from sera.recording import RunFolder
from sera.study.export import ExportWish, export, recorded_sessions
from sera.study.form_wish import forms_of_plan
from sera.study.sessions import KeptSession, locked, note_runs_without_log, why_excluded

NOTHING = {"Clicks": None, "Marks": None, "Own": None}


def log_of(session: KeptSession, number: int = 1) -> Path:
    return session.runs / str(number) / "log.jsonl"


def without_run_json(session: KeptSession) -> None:
    (session.runs / "1" / "run.json").write_bytes(b"")


def with_a_period_in_words(session: KeptSession) -> None:
    path = session.runs / "1" / "run.json"
    path.write_text(path.read_text().replace('"period": 1', '"period": "one"'))


def without_its_log(session: KeptSession) -> None:
    log_of(session).unlink()


def with_an_empty_log(session: KeptSession) -> None:
    log_of(session).write_bytes(b"")


def without_any_run(session: KeptSession) -> None:
    without_its_log(session)
    (session.runs / "1" / "run.json").unlink()
    (session.runs / "1" / "participants").rmdir()
    (session.runs / "1").rmdir()


def test_a_whole_log_is_measured_without_a_word(lab: Any) -> None:
    lab.completed()
    (row,) = lab.rows()
    assert row.measures == {"Clicks": 1, "Marks": 2, "Own": 1}
    assert row.problems == ()
    assert lab.status().problems == ()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (without_run_json, "run.json is missing or damaged: measures are left empty"),
        (with_a_period_in_words, "run.json is missing or damaged: measures are left empty"),
        (without_its_log, "log.jsonl is missing: measures are left empty"),
        (without_any_run, "has no log: measures are left empty"),
    ],
)
def test_measures_of_a_lost_recording_are_empty_and_said(
    lab: Any, damage: Callable[[KeptSession], None], sentence: str
) -> None:
    damage(lab.completed())
    (row,) = lab.rows()
    assert row.measures == NOTHING
    assert any(sentence in problem for problem in row.problems)
    (told,) = lab.status().problems
    assert sentence.split(":", maxsplit=1)[0] in told


def test_an_empty_log_measures_nothing(lab: Any) -> None:
    with_an_empty_log(lab.completed())
    (row,) = lab.rows()
    assert row.measures == NOTHING
    assert any("log.jsonl is empty" in problem for problem in row.problems)


def damaged(line: bytes) -> bytes:
    return line[: len(line) // 2].replace(b'"', b"?") + b"\n"


@pytest.mark.parametrize(
    "spoil", [damaged, lambda line: line[:-20] + b"}\n", lambda _: b""], ids=["all", "end", "gone"]
)
def test_a_damaged_line_empties_what_is_taken_from_its_type_and_nothing_else(
    lab: Any, spoil: Callable[[bytes], bytes]
) -> None:
    log = log_of(lab.completed())
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(spoil(x) if b'"type":"Clicked"' in x else x for x in lines))
    (row,) = lab.rows()
    assert row.measures == {"Clicks": None, "Marks": 2, "Own": None}
    told = [problem for problem in row.problems if "measure 'Clicks': it is left empty" in problem]
    assert len(told) == 1
    assert str(log) in told[0]


def test_a_lost_form_is_said(lab: Any) -> None:
    log = log_of(lab.completed())
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(x for x in lines if b'"type":"QuestionnaireAnswered"' not in x))
    (row,) = lab.rows()
    assert row.measures == {"Clicks": 1, "Marks": 2, "Own": 1}
    assert any(problem.startswith("answers are missing or not") for problem in row.problems)


def test_where_a_log_has_no_end_any_damaged_line_may_have_been_of_any_type(
    lab: Any, record_run: Callable[..., Path]
) -> None:
    session = lab.begin()
    log = record_run(session, 1, 1, [Clicked(element="key")] * 2, ends=False)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], b"?\n", *lines[1:]]))
    (row,) = lab.rows()
    assert row.measures == NOTHING
    assert any("line 2 cannot be read" in problem for problem in row.problems)


def test_what_a_crash_has_cut_off_never_counted(lab: Any, record_run: Callable[..., Path]) -> None:
    session = lab.begin()
    killed = record_run(session, 1, 1, [Clicked(element="key")] * 2, ends=False)
    killed.write_bytes(killed.read_bytes() + b'{"received":3.0,"topic":"x","ty')
    record_run(session, 2, 1, [SessionMark(label="resumed")])
    lab.end(session)
    (row,) = lab.rows()
    assert row.measures == {"Clicks": 2, "Marks": 1, "Own": 2}
    assert row.problems == ()


def test_a_log_that_breaks_off_before_the_end_of_its_session_measures_nothing(
    lab: Any, record_run: Callable[..., Path]
) -> None:
    session = lab.begin()
    record_run(session, 1, 1, [Clicked(element="key")], ends=False)
    lab.end(session)
    (row,) = lab.rows()
    assert row.measures == NOTHING
    assert "breaks off before the end of the session" in row.problems[0]


def test_a_run_that_was_killed_after_its_last_phase_is_whole(
    lab: Any, record_run: Callable[..., Path]
) -> None:
    session = lab.begin()
    over = SessionPhase(session=session.session, phase="all", status="finished", participant="p01")
    record_run(session, 1, 1, [Clicked(element="key"), over], ends=False)
    lab.end(session)
    (row,) = lab.rows()
    assert row.measures == {"Clicks": 1, "Marks": 0, "Own": 1}


def test_of_several_conditions_only_those_are_empty_that_the_run_may_have_been_of(
    within_lab: Any,
) -> None:
    session = within_lab.completed()
    (session.runs / "2" / "run.json").write_bytes(b"{}")
    first, second = within_lab.rows()
    assert first.measures["Clicks"] is None, "run 2 may have gone on with it"
    assert second.measures == NOTHING
    (session.runs / "1" / "log.jsonl").unlink()
    (session.runs / "2").rename(session.runs / "x")
    assert [row.measures for row in within_lab.rows()] == [NOTHING, NOTHING]


def test_a_condition_of_a_completed_session_without_any_run_is_a_row_with_a_sentence(
    within_lab: Any, record_run: Callable[..., Path]
) -> None:
    session = within_lab.begin()
    record_run(session, 1, 1, [Clicked(element="key")])
    assert len(within_lab.rows()) == 1, "it never came to the second condition"
    within_lab.end(session)
    first, second = within_lab.rows()
    assert (first.measures["Clicks"], second.measures) == (1, NOTHING)
    assert "has no log of condition 2" in within_lab.status().problems[0]


def test_a_run_folder_that_is_gone_is_said(lab: Any, record_run: Callable[..., Path]) -> None:
    session = lab.begin()
    record_run(session, 2, 1, [Clicked(element="key")])
    lab.end(session)
    (row,) = lab.rows()
    assert "1 is missing, although there were runs after it" in row.problems[0]


def test_a_run_that_died_before_it_had_a_log_has_lost_nothing(
    lab: Any, record_run: Callable[..., Path]
) -> None:
    session = lab.begin()
    RunFolder.create("1", base=session.runs, scenario="small", period=1)
    with locked(session.lock_path):
        assert lab.status().problems == (), "its log may be about to begin"
    note_runs_without_log(session.runs, "2026-03-01")
    note_runs_without_log(session.runs, "2026-03-02")
    record_run(session, 2, 1, [Clicked(element="key")])
    lab.end(session)
    (row,) = lab.rows()
    assert row.measures == {"Clicks": 1, "Marks": 0, "Own": 1}
    assert "1 had no log when the session went on after it" in row.problems[0]
    log_of(session, 2).unlink()
    assert lab.rows()[0].measures == NOTHING


def test_exports_say_what_is_empty_and_why(lab: Any, tmp_path: Path) -> None:
    without_its_log(lab.completed())
    written = export(
        lab.plan,
        lab.rows(),
        forms_of_plan(lab.plan, lab.scenario),
        recorded_sessions(lab.folder.sessions()),
        tmp_path / "export",
        wish=ExportWish(sav=False),
        now=datetime(2026, 3, 1, tzinfo=UTC),
    )
    assert any("log.jsonl is missing: measures are left empty" in one for one in written.notes)


def test_nobody_is_excluded_for_answers_that_cannot_be_read(lab: Any) -> None:
    toml = lab.scenario / "study.toml"
    rule = '[[design.exclusions]]\nname = "r"\nreason = "left out"\nunanswered_above = 0.5\n'
    toml.write_text(toml.read_text().replace("[[measures]]", f"{rule}[[measures]]", 1))
    lab.form.write_text(lab.form.read_text().replace("points = 7", "points = 7\nrequired = true"))
    session = lab.completed([])
    assert why_excluded(lab.plan, session, lab.scenario) == "left out"
    without_its_log(session)
    assert why_excluded(lab.plan, session, lab.scenario) is None
