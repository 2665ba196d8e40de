from __future__ import annotations

from sera.behaviour.findings import Finding, Severity, has_errors
from sera.behaviour.library import Library, Line, lint_library, read_library, stats

HEAD = ("ID", "Category", "TEXT", "Question")


def found(workbook, *rows, head=HEAD):
    reading = read_library(workbook(Utterances=[head, *rows]))
    assert reading.findings == ()
    return [(f.code, f.row, f.column, f.severity.value) for f in lint_library(reading.library)]


def test_a_sound_library_has_no_findings(workbook):
    rows = [
        ("a", "x", "Hm", ""),
        ("b", "x", "<HEADNOD(2)>", ""),
        ("", "x", "Really? <GAZE(a)>", "x"),
    ]
    assert found(workbook, *rows) == []


def test_a_duplicate_id_names_the_first_place(workbook):
    rows = [("a", "x", "1", ""), ("a", "x", "2", "")]
    reading = read_library(workbook(Utterances=[HEAD, *rows]))
    (finding,) = lint_library(reading.library)
    assert (finding.code, finding.row, finding.text) == ("duplicate-id", 3, "a")
    assert "lines.xlsx, Utterances, row 2" in finding.message
    assert reading.library.by_id["a"].text_in() == "1"


def test_a_line_needs_words_or_actions(workbook):
    assert found(workbook, ("a", "x", "", "")) == [("empty-text", 2, "TEXT", "error")]


def test_a_line_without_category_needs_an_id(workbook):
    rows = [("a", "-", "1", ""), ("", "", "2", "")]
    assert found(workbook, *rows) == [
        ("empty-category", 2, "Category", "warning"),
        ("empty-category", 3, "Category", "error"),
    ]


def test_questions_and_question_marks_belong_together(workbook):
    rows = [
        ("a", "x", "Hm.", "yes"),
        ("b", "x", "Really? <GAZE(a)>", ""),
        ("c", "x", "<NOD>", "yes"),
    ]
    assert found(workbook, *rows) == [
        ("question-without-mark", 2, "TEXT", "warning"),
        ("question-not-marked", 3, "Question", "warning"),
    ]


def test_the_same_text_twice_in_a_category_is_doubtful(workbook):
    rows = [("a", "x", "Hm", ""), ("b", "X", "Hm", ""), ("c", "y", "Hm", "")]
    assert found(workbook, *rows) == [("duplicate-text", 3, "TEXT", "warning")]


def test_a_missing_translation_is_doubtful(workbook):
    head = ("ID", "CATEGORY", "TEXT en", "Text (pt)")
    rows = [("a", "x", "Hello", "Olá"), ("b", "x", "Bye", "")]
    assert found(workbook, *rows, head=head) == [("missing-language", 3, "Text (pt)", "warning")]


def test_what_the_check_of_texts_finds_gets_its_place(workbook):
    def check(text: str) -> list[Finding]:
        if "<" not in text:
            return []
        return [Finding(code="unknown-verb", message="m", text="<X>", start=text.index("<"))]

    head = ("ID", "CATEGORY", "TEXT en", "TEXT pt")
    path = workbook(
        Utterances=[head, ("a", "x", "Hi", "Olá <X>")],
        Dialogue=[("Current State", "Next State", "Utterance"), ("s", "t", "<X>")],
    )
    first, second = lint_library(read_library(path).library, check)
    assert (first.sheet, first.row, first.column) == ("Utterances", 2, "TEXT pt")
    assert first.start == 4
    assert (second.sheet, second.row, second.column) == ("Dialogue", 2, "Utterance")
    assert has_errors([first])


def test_a_library_made_by_hand_is_checked_too():
    lines = [Line(id="a", texts={"": "Hm"}), Line(id="a", texts={})]
    findings = lint_library(Library("hand", lines))
    assert [f.code for f in findings] == [
        "empty-category",
        "duplicate-id",
        "empty-text",
        "empty-category",
    ]
    assert findings[0].severity is Severity.WARNING
    assert findings[0].column == "CATEGORY"


def test_statistics_count_everything(workbook):
    head = ("ID", "CATEGORY", "TEXT en", "TEXT pt", "QUESTION", "REPETITIONS", "MOOD")
    path = workbook(
        Utterances=[
            head,
            ("a", "X:y", "<GAZE(a)> Hello \\pau=3\\ you there", "Olá", "", "session", "glad"),
            ("", "x:Y", "Really?", "", "yes", "", ""),
            ("c", "z", "<HEADNOD(2)>", "", "", "", ""),
        ]
    )
    counted = stats(read_library(path).library)
    assert (counted.lines, counted.questions, counted.non_verbal, counted.made_ids) == (3, 1, 1, 1)
    assert counted.categories == {"X:y": 2, "z": 1}
    assert counted.lines_by_language == {"en": 3, "pt": 1}
    assert counted.words_by_language == {"en": 4, "pt": 1}
    assert counted.repetitions == {"session": 1, "any": 2}
    assert counted.metadata == {"MOOD": 1}
    assert counted.as_dict()["dialogue_rows"] == 0
