"""Findings: each with its code, place and fix, and one does not hide the next."""

from __future__ import annotations

import pytest

from sera.behaviour.findings import Severity, has_errors
from sera.behaviour.markup import MarkupSyntax, TagDelimiters, Vocabulary, lint_text, parse

KNOWN = Vocabulary(
    targets=("board", "clicks", "topLeft"),
    animations=("wonder", "nodLeft"),
    faces=("joy", "anger"),
    sounds=("bell",),
    actions=("move",),
    tags=("player", "score"),
)


def codes(text: str) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.start) for finding in lint_text(text, KNOWN)]


@pytest.mark.parametrize(
    ("text", "code", "start", "nearest"),
    [
        ("hi <GAZZE(board)>", "unknown-verb", 3, "GAZE"),
        ("hi <GAZEANDPOIN(board)>", "unknown-verb", 3, "POINT"),
        ("hi <GAZE(bord)>", "unknown-target", 9, "board"),
        ("hi <ANIMATE(nodleftt)>", "unknown-animation", 12, "nodLeft"),
        ("hi <FACESHIFT(jou)>", "unknown-face", 14, "joy"),
        ("hi <SOUND(bel)>", "unknown-sound", 10, "bell"),
        ("hi <GAME(mov, 3)>", "unknown-action", 9, "move"),
        ("hi /playr/", "unknown-tag", 3, "player"),
        ("hi \\paus=300\\", "unknown-control", 3, "pau"),
        ("hi <GLANCE(board, secnds=2)>", "unknown-parameter", 17, "seconds"),
    ],
)
def test_an_unknown_name_is_found_with_its_place_and_the_nearest_one(text, code, start, nearest):
    (finding,) = lint_text(text, KNOWN, sheet="Utterances", row=7, column="TEXT")
    assert (finding.code, finding.start) == (code, start)
    assert f"did you mean {nearest}?" in finding.message
    assert finding.fix
    assert (finding.sheet, finding.row, finding.column) == ("Utterances", 7, "TEXT")
    assert finding.severity is Severity.ERROR
    assert text[start:].startswith(finding.text) or finding.text in text


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        ("<HEADNOD(two)>", "bad-count", 9),
        ("<HEADNOD(0)>", "bad-count", 9),
        ("<HEADNOD(21)>", "bad-count", 9),
        ("<HEADNOD(1.5)>", "bad-count", 9),
        ("<EYEBLINK(-1)>", "bad-count", 10),
        ("<GLANCE(board, soon)>", "bad-number", 14),
        ("\\pau=soon\\", "bad-control", 0),
        ("\\pau=99999\\", "bad-control", 0),
        ("\\rspd=24\\", "bad-control", 0),
        ("\\pau=300 hello", "bad-control", 0),
        ("\\pau\\ hello", "bad-control", 0),
        ("<GAZE>", "missing-parameter", 0),
        ("<GAZE( )>", "missing-parameter", 0),
        ("<GAZE(board, 3)>", "too-many-parameters", 12),
        ("<HEADNOD(2, n=3)>", "repeated-parameter", 11),
        ("<HEADNODANDGAZE(board)>", "cannot-join", 0),
        ("<GAZEANDGAZE(board)>", "joined-twice", 0),
        ("<GAZE(board) hello", "unbalanced-bracket", 0),
        ("<GAZE(board> hello", "unbalanced-bracket", 0),
        ("<GAZE(board hello", "unbalanced-bracket", 0),
        ("hi <GAZE", "unbalanced-bracket", 3),
        ("3 < 4", "unbalanced-bracket", 2),
        ("GAZE(board)> hi", "unbalanced-bracket", 11),
        ("<GAZE board>", "bad-instruction", 0),
        ("</b>", "bad-instruction", 0),
        ('<break time="1s"/>', "bad-instruction", 0),
        ("<>", "bad-instruction", 0),
        ("<GAZE(<POINT(board)>)> hi", "nested-instruction", 0),
        ("<GAME(move, (1))>", "nested-bracket", 12),
        ("<GAME(move, \\pau=3\\)>", "nested-control", 12),
        ("C:\\dir", "stray-backslash", 2),
        ("the/score/board", "tag-beside-word", 3),
    ],
)
def test_a_fault_of_form_is_found_once_with_its_place_and_fix(text, code, start):
    (finding,) = lint_text(text, KNOWN)
    assert (finding.code, finding.start) == (code, start)
    assert finding.fix


@pytest.mark.parametrize(
    "text",
    [
        "<GAZE(Board)> Hello /PLAYER/, <face(JOY)> and/or <GAZEANDPOINT(topleft)>",
        "<GAZE(/player/)> <ANIMATE(/score/)>",
        "",
        "Just text (with brackets), 50 % = half.",
    ],
)
def test_a_good_line_has_no_findings_and_names_are_known_in_any_case(text):
    assert lint_text(text, KNOWN) == []


def test_one_error_does_not_hide_the_next():
    text = (
        "<GAZ(board)> <GAZE(bord)> <HEADNOD(x)> 3 < 4 <FACE(jou) and /plaier/ <GAZE(<SOUND(bel)>)>"
    )
    assert [code for code, _ in codes(text)] == [
        "unknown-verb",
        "unknown-target",
        "bad-count",
        "unbalanced-bracket",
        "unbalanced-bracket",
        "unknown-face",
        "unknown-tag",
        "nested-instruction",
        "unknown-sound",
    ]


def test_every_verb_of_a_line_is_checked_also_when_it_stands_alone():
    assert codes("<DANS(board)>") == [("unknown-verb", 0)]
    assert codes("<DANS(board)> and <DANS(board)>") == [("unknown-verb", 0), ("unknown-verb", 18)]


def test_joined_verbs_with_an_unknown_target_give_one_finding():
    assert codes("<GAZEANDPOINTANDHIGHLIGHT(bord)>") == [("unknown-target", 26)]


def test_what_is_not_known_is_not_checked():
    assert lint_text("<GAZE(x)> <ANIMATE(y)> <FACE(z)> <SOUND(s)> /t/", Vocabulary()) == []


def test_an_unknown_name_without_a_near_one_lists_what_there_is():
    (finding,) = lint_text("<SOUND(zzz)>", KNOWN)
    assert finding.fix == "use one of bell"
    (finding,) = lint_text("<SOUND(zzz)>", Vocabulary(sounds=()))
    assert "add the sound" in finding.fix


def test_a_warning_is_no_error():
    assert not has_errors(lint_text("C:\\dir the/score/board <GAZEANDGAZE(board)>", KNOWN))


def test_tags_of_other_delimiters_are_checked_with_their_own_signs():
    bars = MarkupSyntax(delimiters=TagDelimiters("|", "|"))
    (finding,) = lint_text("/playr/ |playr|", KNOWN, bars)
    assert (finding.code, finding.start, finding.text) == ("unknown-tag", 8, "|playr|")


def test_faulty_brackets_are_not_read_out_aloud():
    assert parse("<GAZE(board) hello").text == "hello"
    assert parse("<GAZE(board> hello").text == "hello"
    assert parse("<GAZE(board hello").text == "hello"
    assert parse("<GAZE(<POINT(board)>)> hello").text == "hello"
    assert parse("\\pau=300 hello").text == "hello"
    assert [str(step) for step in parse("<GAZE(board hello").steps] == ["GAZE(board)"]
