"""What the lint of dialogue sheets finds, with place and fix, and what it leaves alone."""

from __future__ import annotations

import pytest

from sera.behaviour.dialogue import Script, lint_dialogue
from sera.behaviour.findings import Finding
from sera.behaviour.library import DialogueRow, Origin
from sera.behaviour.markup import MarkupSyntax, TagDelimiters, Vocabulary


def found(
    *rows: tuple[str, ...], vocabulary: Vocabulary | None = None, sign: str = "/"
) -> list[Finding]:
    """Findings of rows of Current State, Next State, When, Utterance en, Utterance pt."""
    script = Script(
        DialogueRow(
            current_state=row[0],
            next_state=row[1],
            when=row[2],
            texts={tag: text for tag, text in zip(("en", "pt"), row[3:], strict=False) if text},
            origin=Origin("play.xlsx", "Dialogue", number, {"when": "WHEN", "text:en": "Text en"}),
        )
        for number, row in enumerate(rows, start=2)
    )
    return lint_dialogue(script, vocabulary, MarkupSyntax(delimiters=TagDelimiters(sign, sign)))


def codes(*rows: tuple[str, ...]) -> list[tuple[str, int | None, str]]:
    return [(each.code, each.row, each.severity.value) for each in found(*rows)]


def test_a_sound_dialogue_has_no_findings() -> None:
    assert (
        codes(
            ("Start", "Talk", "PersonDetected", "Hello /name/."),
            ("Start", "Talk", "PersonDetected", "Welcome."),
            ("Talk", "Talk", "SpeechHeard text contains yes", "Good."),
            ("Talk", "Talk", "otherwise", "Pardon?"),
            ("Talk", "end", "after 9 s"),
            ("*", "END", "PersonLost", "Bye."),
        )
        == []
    )


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [("A", "Tlak", "key k"), ("Talk", "end", "key k"), ("A", "talk", "key t")],
            [("dead-end", 2, "error")],
        ),
        ([("A", "", "key k")], [("no-next-state", 2, "warning")]),
        (
            [("A", "end", "key k"), ("B", "end", "key k"), ("B", "B", "key j")],
            [("unreachable-state", 3, "warning")],
        ),
        ([("A", "B", ""), ("B", "A", "")], [("endless-loop", 2, "error")]),
        ([("A", "A", "")], [("endless-loop", 2, "error")]),
        (
            [("A", "B", ""), ("B", "A", ""), ("B", "end", "")],
            [("endless-loop", 2, "warning"), ("chance", 4, "warning")],
        ),
        ([("A", "end", ""), ("A", "end", "key k")], [("never-waits", 3, "error")]),
        (
            [("A", "end", "SpeechHeard"), ("A", "A", "SpeechHeard text contains yes")],
            [("never-true", 3, "error")],
        ),
        (
            [("A", "end", "SpeechHeard text = a or PersonLost"), ("A", "A", "PersonLost")],
            [("never-true", 3, "error")],
        ),
        ([("A", "end", "key k"), ("A", "A", "key k")], [("chance", 3, "warning")]),
        ([("A", "A", "otherwise"), ("A", "end", "after 5 s")], [("otherwise-alone", 2, "error")]),
        (
            [("A", "end", "PersonDetcted")],
            [("unknown-message", 2, "error"), ("dead-end", 2, "error")],
        ),
        ([("A", "end", "key k"), ("*", "end", "")], [("any-state-at-once", 3, "error")]),
        (
            [("A", "end", "key k", "Bye", "Adeus"), ("A", "end", "key k", "Bye bye")],
            [("missing-language", 3, "warning")],
        ),
        ([("A", "end", "key k", "<GAZZE(x)> Bye")], [("unknown-verb", 2, "error")]),
        ([("A", "end", "PersonLost", "Bye /nme/")], [("unknown-tag", 2, "error")]),
    ],
)
def test_each_mistake_is_found_once_with_its_row(
    rows: list[tuple[str, ...]], expected: list[tuple[str, int, str]]
) -> None:
    assert codes(*rows) == expected


def test_a_broken_when_does_not_make_what_comes_after_it_unreachable() -> None:
    rows = (("A", "B", "PersonDetcted"), ("A", "A", "key k"), ("B", "end", "key k"))
    assert [code for code, _, _ in codes(*rows)] == ["unknown-message"]


def test_findings_name_sheet_column_text_and_nearest_name() -> None:
    (finding,) = found(("A", "end", "key j"), ("A", "Talc", "key k"), ("Talk", "A", "key k"))[:1]
    assert str(finding) == (
        "Dialogue!row 3, Next State: error: no row leads on from 'Talc', so the dialogue ends "
        "there; did you mean Talk? `Talc` (write Talk)"
    )
    (other,) = found(
        ("A", "end", "key k", "<GAZE(boad)>"), vocabulary=Vocabulary(targets=["board"])
    )
    assert (other.column, other.text) == ("Text en", "boad")
    (third,) = found(("A", "A", "key k"), ("A", "end", "SpeechHeard txt = 1"))
    assert (third.column, third.start, third.text) == ("WHEN", 12, "txt")


def test_tags_of_an_activity_and_another_sign_are_known() -> None:
    rows = [("A", "end", "ActivityEvent event = won", "|data.points| points, |event|!")]
    assert found(*rows, sign="|") == []


def test_names_of_states_are_compared_without_case_and_blanks() -> None:
    assert codes(("Start", "the  DESK", "key k"), ("The desk", "End", "key k")) == []


def test_an_empty_script_has_no_start_and_no_findings() -> None:
    assert found() == []
    assert Script([]).start == ""
