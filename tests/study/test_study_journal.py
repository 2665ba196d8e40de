"""What is kept of sessions: nothing that was acknowledged is lost, nothing is written over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sera.study import (
    Guide,
    Journal,
    Phase,
    PlannedStep,
    Press,
    SessionFile,
    StudyFacts,
    StudyPlan,
    WrongParticipant,
    guide_again,
)
from sera.study.journal import UnknownPlan, digest_of_pseudonym

STEPS = [PlannedStep(name="one", title="One"), PlannedStep(name="two", title="Two")]
PLAN = StudyPlan(study=StudyFacts(title="Play"), phases=[Phase(name="all", steps=STEPS)])


def session(journal: Journal, participant: str | None = None, *presses: Any) -> SessionFile:
    file = journal.begin(PLAN, journal.participant(participant), None, 100.0)
    guide = Guide(PLAN, session=file.session, participant=file.participant)
    for do in ("begin", *presses):
        press = Press(do, 100.0 + len(file.presses), reason="because of a name")
        guide.take(press)
        journal.add(file, press)
        journal.tell(file)
    if guide.outcome:
        journal.end(file, guide.outcome)
    return file


def test_progress_and_pseudonyms_survive(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "kept")
    session(journal, None, "next", "next")
    session(journal, None, "abort")
    again = Journal(tmp_path / "kept")
    assert again.done == 1
    assert again.under_way() is None
    assert again.participant(None) == "p03"
    assert again.participant("p02") == "p02", "an aborted session may be done again"
    with pytest.raises(WrongParticipant, match="has had a session already"):
        again.participant("P01")


@pytest.mark.parametrize("name", ["Anna", "p 7", "../p7", "", "p" * 30 + "1"])
def test_what_is_no_pseudonym_is_refused(name: str) -> None:
    with pytest.raises(WrongParticipant, match="is no pseudonym"):
        Journal(None).participant(name)


def test_a_session_goes_on_where_its_file_ends_even_if_it_was_cut(tmp_path: Path) -> None:
    file = session(Journal(tmp_path), None, "next")
    assert file.path is not None
    assert "because of a name" not in file.path.read_text(encoding="utf-8")
    with file.path.open("a", encoding="utf-8") as cut:
        cut.write('{"press": {"do": "nex')
    found = Journal(tmp_path).under_way()
    assert found is not None
    guide, untold = guide_again(found)
    assert guide.step == "two"
    assert untold == []


def test_records_that_were_not_published_are_told_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    file = session(journal)
    journal.add(file, Press("skip", 105.0))
    found = Journal(tmp_path).under_way()
    assert found is not None
    guide, untold = guide_again(found)
    assert guide.deviations == 1
    assert [str(getattr(one, "status", "mark")) for one in untold] == ["mark", "skipped", "started"]


def test_a_line_after_a_cut_one_still_counts(tmp_path: Path) -> None:
    file = session(Journal(tmp_path))
    assert file.path is not None
    with file.path.open("a", encoding="utf-8") as cut:
        cut.write('{"press": {"do": "nex')
    journal = Journal(tmp_path)
    found = journal.under_way()
    assert found is not None
    journal.add(found, Press("next", 110.0))
    again = Journal(tmp_path).under_way()
    assert again is not None
    assert [press.do for press in again.presses] == ["begin", "next"]


def test_two_sessions_in_one_second_have_two_files_and_strange_files_are_left_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.jsonl").write_text("my notes\n", encoding="utf-8")
    journal = Journal(tmp_path)
    assert "notes.jsonl" in journal.unreadable[0]
    session(journal, "p1", "abort")
    session(journal, "p1", "abort")
    assert len(list(tmp_path.glob("p1_*.jsonl"))) == 2
    assert (tmp_path / "notes.jsonl").read_text(encoding="utf-8") == "my notes\n"


@pytest.mark.parametrize("left", ["", '{"begins": {"sess', "\n\n"])
def test_a_file_in_which_nothing_is_complete_is_begun_again(tmp_path: Path, left: str) -> None:
    path = tmp_path / "p01_20260101T000000.jsonl"
    path.write_text(left, encoding="utf-8")
    journal = Journal(tmp_path)
    assert len(journal.unreadable) == 1
    begun = journal.begin(PLAN, "p01", None, 100.0, session=path.stem)
    journal.add(begun, Press("begin", 100.0))
    again = Journal(tmp_path)
    assert again.unreadable == []
    found = again.find(path.stem)
    assert found is not None
    assert [press.do for press in found.presses] == ["begin"]


def test_a_file_that_holds_a_press_is_never_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "p01_20260101T000000.jsonl"
    path.write_text('{"begins": {"sess\n{"press": {"do": "begin", "at_s": 1.0}}\n')
    with pytest.raises(FileExistsError):
        Journal(tmp_path).begin(PLAN, "p01", None, 100.0, session=path.stem)


def test_a_plan_that_is_not_known_today_is_said_with_its_file(tmp_path: Path) -> None:
    file = session(Journal(tmp_path))
    file.plan["colour"] = "red"
    with pytest.raises(UnknownPlan, match=f"the plan in {file.path} cannot be read .colour: extra"):
        guide_again(file)


def test_the_pseudonym_of_somebody_who_was_erased_is_not_given_again(tmp_path: Path) -> None:
    line = {"erased": True, "pseudonym_used": digest_of_pseudonym("p01")}
    (tmp_path / "assignment.jsonl").write_text(json.dumps(line) + "\n")
    assert Journal(tmp_path).participant(None) == "p02"
    with pytest.raises(WrongParticipant, match="has had a session already"):
        Journal(tmp_path).participant("P01")
