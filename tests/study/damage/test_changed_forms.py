"""Answers mean what they meant when they were given, whatever becomes of the form."""

from __future__ import annotations

import json
from typing import Any

from sera.messages import QuestionnaireAnswered
from sera.study.form_wish import forms_of_plan
from sera.study.scoring import scales_of, score
from sera.study.sessions import why_excluded


def kindness(lab: Any) -> list[float | None]:
    (scale,) = scales_of(forms_of_plan(lab.plan, lab.scenario))
    return [score(scale, row.answers) for row in lab.rows()]


def change(lab: Any, old: str, new: str) -> None:
    lab.form.write_text(lab.form.read_text().replace(old, new))


def test_answers_to_other_points_are_no_answers_to_those_of_today(lab: Any) -> None:
    session = lab.completed()
    assert kindness(lab) == [6.0]
    change(lab, "points = 7", "points = 5")
    assert kindness(lab) == [None]
    (row,) = lab.rows()
    assert row.answers["kind"] == {"kind": None, "rude": None}
    (told,) = [problem for problem in row.problems if "was changed after session" in problem]
    assert session.session in told
    assert "kind, rude took other answers then, which count as missing" in told
    change(lab, "points = 5", "points = 7")
    assert kindness(lab) == [6.0]


def test_sessions_before_and_after_a_change_are_told_apart(lab: Any) -> None:
    lab.completed()
    change(lab, "points = 7", "points = 5")
    five = QuestionnaireAnswered(
        questionnaire="kind", participant="p02", answers={"kind": 5, "rude": 1}
    )
    lab.completed([five])
    assert kindness(lab) == [None, 5.0]
    assert [bool(row.problems) for row in lab.rows()] == [True, False]


def test_points_that_the_study_file_changes_count_like_those_of_the_form(lab: Any) -> None:
    lab.completed()
    toml = lab.scenario / "study.toml"
    wish = '[[forms]]\nname = "kind"\npoints = 9\n'
    toml.write_text(toml.read_text().replace("[[phases]]", f"{wish}[[phases]]", 1))
    assert kindness(lab) == [None]


def test_other_words_change_nothing_and_are_not_said(lab: Any) -> None:
    lab.completed()
    change(lab, "It was kind.", "It was friendly.")
    assert kindness(lab) == [6.0]
    assert lab.rows()[0].problems == ()


def test_a_scale_that_was_mended_scores_what_was_answered_and_is_said(lab: Any) -> None:
    session = lab.completed()
    change(lab, "reversed = true", "reversed = false")
    assert kindness(lab) == [4.0]
    (told,) = lab.rows()[0].problems
    assert told == (
        f"the form 'kind' was changed after session {session.session} (items rude): its answers "
        "are scored with the form of today"
    )


def test_a_frozen_form_that_cannot_be_read_is_said(lab: Any) -> None:
    session = lab.completed()
    frozen = session.folder / "inputs" / "scenarios" / "small" / "questionnaires" / "kind.toml"
    frozen.chmod(0o644)
    frozen.write_text("[")
    change(lab, "points = 7", "points = 9")
    told = " ".join(lab.rows()[0].problems)
    assert "cannot be read beside it" in told


def test_an_answer_beyond_the_ends_of_its_item_counts_as_missing_with_a_sentence(lab: Any) -> None:
    strange = QuestionnaireAnswered(
        questionnaire="kind", participant="p01", answers={"kind": 60, "rude": 2}
    )
    session = lab.completed([strange])
    (row,) = lab.rows()
    assert row.answers["kind"] == {"kind": None, "rude": 2}
    assert "has 60 for 'kind', which goes from 1 to 7: it counts as missing" in row.problems[0]
    assert why_excluded(lab.plan, session, lab.scenario) is None


def test_a_session_without_known_inputs_still_has_no_answer_beyond_the_ends(lab: Any) -> None:
    session = lab.completed()
    told = json.loads((session.folder / "inputs.json").read_bytes())
    assert "scenarios/small/questionnaires/kind.toml" in told["files"]
    (session.folder / "inputs.json").unlink()
    change(lab, "points = 7", "points = 5")
    assert lab.rows()[0].answers["kind"]["kind"] is None
