"""What was answered in a session, how much is missing, and which sessions do not count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope, QuestionnaireAnswered
from sera.recording import LogHeader, LogWriter, Record
from sera.study.design_tables import Design
from sera.study.measures import SessionLog, answers_of, exclude, unanswered_share
from sera.study.questionnaire import Questionnaire

FORM = Questionnaire.model_validate(
    {
        "questionnaire": {"title": {"en": "F"}, "source": "SERA", "licence": "MIT"},
        "languages": {"en": {"ours": "wording"}},
        "items": [
            {"id": "rate", "kind": "scale", "text": {"en": "Rate"}, "required": True},
            {"id": "age", "kind": "number", "text": {"en": "Age"}, "required": True},
            {"id": "extra", "kind": "number", "text": {"en": "More"}},
            {"id": "words", "kind": "text", "text": {"en": "Say"}, "required": True},
            {
                "id": "which",
                "kind": "multiple",
                "text": {"en": "Which"},
                "required": True,
                "choices": [{"key": "a", "text": {"en": "A"}}, {"key": "b", "text": {"en": "B"}}],
            },
        ],
    }
)
WHOLE = {"rate": 5, "age": 0, "which.a": False, "which.b": True}


def sent(
    time_s: float, answers: dict[str, Any], typed: dict[str, str] | None = None, **more: Any
) -> Envelope:
    told = {"questionnaire": "f", "participant": "p1", "answers": answers, **more}
    message = QuestionnaireAnswered(free_answers=typed or {}, **told)
    return Envelope(message, f"w-1-{time_s}", time_s, "world.forms", "world")


def test_answers_are_by_form_and_item_and_free_ones_apart() -> None:
    log = SessionLog.from_memory(
        [sent(1, WHOLE, {"words": "fine"}, language="en"), sent(2, {"x": 1}, questionnaire="g")]
    )
    answers = answers_of(log, {"f": FORM})
    assert answers.given == {"f": WHOLE, "g": {"x": 1}}
    assert answers.free == {"f": {"words": "fine"}, "g": {}}
    assert answers.forms["f"].language == "en"
    assert (answers.problems, answers.earlier) == ([], [])


def test_the_last_complete_form_counts_and_the_others_are_kept_and_said() -> None:
    typed = {"words": "fine"}
    log = SessionLog.from_memory(
        [
            sent(1, WHOLE, typed),
            sent(2, {**WHOLE, "rate": 3}, typed),
            sent(3, {**WHOLE, "rate": None}, typed),
        ],
        name="session 7",
    )
    answers = answers_of(log, {"f": FORM})
    assert answers.given["f"]["rate"] == 3
    assert [one.time_s for one in answers.earlier] == [1, 3]
    assert answers.problems == [
        "the form 'f' came back 3 times; the last complete one, at 2.0 s, counts, in session 7"
    ]
    assert answers_of(log).given["f"]["rate"] == 3  # without the form as well


def test_a_form_that_is_not_whole_counts_where_there_is_no_other_and_is_said() -> None:
    log = SessionLog.from_memory([sent(1, {"rate": 2}), sent(2, {"rate": 1})], name="log")
    answers = answers_of(log, {"f": FORM})
    assert answers.given["f"] == {"rate": 1}
    assert "lacks 3 required answers (age, words, which), in log" in answers.problems[1]


def test_only_forms_of_the_session_count_and_garbled_ones_are_said() -> None:
    garbled = Record(
        3.0, "t", "QuestionnaireAnswered", "i", 3.0, "s", "world", None, {"answers": 3}
    )
    mine, other = sent(1, {"x": 1}, session="s1"), sent(2, {"x": 2}, session="s2")
    answers = answers_of(SessionLog.from_memory([mine, other, garbled]), session="s1")
    assert answers.given == {"f": {"x": 1}}
    assert answers.problems == ["a filled form at 3.0 s cannot be read, in memory"]


def test_what_was_typed_is_a_pseudonym_until_it_is_restored(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    writer = LogWriter(path, header=LogHeader(run="r"), clock_now=lambda: 2.0)
    writer.write(sent(1.0, WHOLE, {"words": "secret words"}), 1.0)
    writer.close()
    hidden = answers_of(SessionLog.from_file(path))
    assert "secret" not in hidden.free["f"]["words"]
    assert hidden.given["f"] == WHOLE
    restored = answers_of(SessionLog.from_file(path, restore=True))
    assert restored.free["f"]["words"] == "secret words"


@pytest.mark.parametrize(
    ("given", "typed", "share"),
    [
        (WHOLE, {"words": "fine"}, 0.0),
        (WHOLE, {"words": "  "}, 0.25),
        ({"rate": 1}, {}, 0.75),
        ({"which.a": False, "which.b": False}, {}, 1.0),
        ({"age": 0}, {}, 0.75),
    ],
)
def test_the_share_of_required_answers_that_are_missing(
    given: dict[str, Any], typed: dict[str, str], share: float
) -> None:
    assert unanswered_share({"f": FORM}, {"f": given}, {"f": typed}) == share


def test_a_form_that_never_came_back_is_wholly_unanswered() -> None:
    assert unanswered_share({"f": FORM}, {}) == 1.0
    assert unanswered_share({}, {}) is None


def rules(*told: dict[str, Any]) -> Design:
    named = [{"name": f"r{n}", "reason": f"reason {n}", **one} for n, one in enumerate(told)]
    return Design.model_validate({"conditions": [{"name": "c"}], "exclusions": named})


@pytest.mark.parametrize(
    ("rule", "value", "share", "excluded"),
    [
        ({"measure": "m", "above": 10}, 11, None, True),
        ({"measure": "m", "above": 10}, 10, None, False),
        ({"measure": "m", "below": 10}, 9.5, None, True),
        ({"measure": "m", "below": 10}, 10, None, False),
        ({"measure": "m", "below": 10}, None, None, False),
        ({"measure": "m", "missing": True}, None, None, True),
        ({"measure": "m", "missing": True}, 0, None, False),
        ({"unanswered_above": 0.2}, 5, 0.21, True),
        ({"unanswered_above": 0.2}, 5, 0.2, False),
        ({"unanswered_above": 0.2}, 5, None, False),
        ({}, 5, 1.0, False),
    ],
)
def test_rules_exclude_by_measures_and_answers(
    rule: dict[str, Any], value: float | None, share: float | None, excluded: bool
) -> None:
    reason = exclude(rules(rule), {"m": value}, share)
    assert reason == ("reason 0" if excluded else None)


def test_the_first_rule_that_excludes_gives_the_reason() -> None:
    design = rules({}, {"measure": "m", "above": 1}, {"measure": "m", "above": 0})
    assert exclude(design, {"m": 2}) == "reason 1"
    assert exclude(design, {"m": 1}) == "reason 2"
    assert exclude(None, {"m": 2}) is None
