from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from sera.behaviour.findings import Severity
from sera.behaviour.library import LibraryReading, Repetitions, read_library


def codes(reading: LibraryReading) -> list[str]:
    return [finding.code for finding in reading.findings]


def test_a_plain_sheet_gives_its_lines_in_order(workbook):
    path = workbook(
        Utterances=[
            ("TEXT", "CATEGORY", "QUESTION", "REPETITIONS", "ID"),
            ("Hello!", "Greeting:First", "", "any", "hello"),
            ("How are you?", "greeting", "yes", "once in a session", "how"),
            ("Goodbye.", "farewell", "no", "once and for ever", "bye"),
        ]
    )
    reading = read_library(path)
    assert reading.findings == ()
    assert reading.usable
    lines = reading.library.lines
    assert [line.id for line in lines] == ["hello", "how", "bye"]
    assert [line.question for line in lines] == [False, True, False]
    assert [line.repetitions for line in lines] == [
        Repetitions.ANY,
        Repetitions.SESSION,
        Repetitions.EVER,
    ]
    assert lines[0].category == ("Greeting", "First")
    assert lines[2].origin.row == 4
    assert str(lines[2].origin) == "lines.xlsx, Utterances, row 4"
    assert reading.library.in_category("GREETING") == lines[:2]
    assert reading.library.in_category("greeting", "first") == lines[:1]
    assert reading.library.in_category("nothing") == ()


def test_headings_may_stand_anywhere_in_any_case_below_a_merged_title(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Falas"
    sheet["B1"] = "Lines of the tutor, version 3"
    sheet.merge_cells("B1:F2")
    sheet["B4"], sheet["C4"], sheet["D4"] = "  repetições ", "Is_Question?", "Category"
    sheet["E4"], sheet["F4"] = "Mood", "texto"
    sheet["C7"], sheet["D7"], sheet["E7"], sheet["F7"] = "SIM", " a : b ", "glad", "  Olá, João! "
    path = tmp_path / "x.xlsx"
    book.save(path)
    (line,) = read_library(path).library.lines
    assert line.text_in() == "Olá, João!"
    assert line.category == ("a", "b")
    assert line.question
    assert dict(line.metadata) == {"Mood": "glad"}
    assert line.origin.row == 7


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *[(yes, True) for yes in (True, 1, "yes", "X", "sim", "Sí", "TRUE", "✓", "Verdadeiro")],
        *[(no, False) for no in (False, 0, "no", "", "-", "Não", "FALSE", None)],
    ],
)
def test_question_is_read_from_what_people_write(workbook, written, meant):
    path = workbook(Utterances=[("TEXT", "CATEGORY", "QUESTION"), ("Hm?", "a", written)])
    reading = read_library(path)
    assert reading.findings == ()
    assert reading.library.lines[0].question is meant


def test_what_is_neither_yes_nor_no_is_found_with_its_cell(workbook):
    path = workbook(Utterances=[("TEXT", "CATEGORY", "Question"), ("Hm?", "a", "perhaps")])
    (finding,) = read_library(path).findings
    assert (finding.code, finding.sheet, finding.row) == ("unknown-truth", "Utterances", 2)
    assert (finding.column, finding.text) == ("Question", "perhaps")


def test_an_unknown_repetition_rule_is_found_with_the_nearest_one(workbook):
    path = workbook(Utterances=[("TEXT", "CATEGORY", "REPETITIONS"), ("Hm", "a", "sesion s")])
    (finding,) = read_library(path).findings
    assert finding.code == "unknown-repetition"
    assert "did you mean 'session'?" in finding.message


@pytest.mark.parametrize(("written", "weight"), [(2, 2.0), ("0,5", 0.5), (0, 0.0), (None, 1.0)])
def test_weights_are_numbers_with_point_or_comma(workbook, written, weight):
    path = workbook(Utterances=[("TEXT", "CATEGORY", "WEIGHT"), ("Hm", "a", written)])
    assert read_library(path).library.lines[0].weight == weight


@pytest.mark.parametrize("written", ["much", -1, "nan", "inf"])
def test_a_weight_that_is_no_number_is_found_and_counts_as_one(workbook, written):
    path = workbook(Utterances=[("TEXT", "CATEGORY", "WEIGHT"), ("Hm", "a", written)])
    reading = read_library(path)
    assert codes(reading) == ["bad-weight"]
    assert reading.library.lines[0].weight == 1.0


def test_numbers_are_ids_without_a_point(workbook):
    path = workbook(Utterances=[("ID", "TEXT"), (1, "a"), (2.0, "b"), (2.5, "c"), ("007", "d")])
    assert list(read_library(path).library.by_id) == ["1", "2", "2.5", "007"]


def test_rich_text_is_joined_and_comments_do_not_matter(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["TEXT", "CATEGORY"])
    bold = TextBlock(InlineFont(b=True), "very")
    sheet.append([CellRichText("I am ", bold, " glad."), "a"])
    book.save(tmp_path / "rich.xlsx")
    assert read_library(tmp_path / "rich.xlsx").library.lines[0].text_in() == "I am very glad."


def test_ids_stay_when_lines_are_inserted_above(workbook):
    head, hello, bye = ("TEXT", "CATEGORY"), ("Hello", "a"), ("Bye", "b")
    before = read_library(workbook(Utterances=[head, hello, bye])).library
    after = read_library(workbook(Utterances=[head, ("New", "a"), bye, (), hello])).library
    assert {line.text_in(): line.id for line in before.lines}.items() <= {
        line.text_in(): line.id for line in after.lines
    }.items()
    assert not any(line.id_is_given for line in after.lines)


def test_a_made_id_ignores_spaces_and_translations_but_not_the_words(workbook):
    head = ("TEXT en", "TEXT pt", "CATEGORY")
    rows = [("Hello  you", "", "Greet"), ("Hello you ", "Olá", "greet"), ("Hello", "", "greet")]
    ids = [line.id for line in read_library(workbook(Utterances=[head, *rows])).library.lines]
    assert ids[1] == f"{ids[0]}-2"
    assert ids[2] != ids[0]
    assert all(made.startswith("greet-") for made in ids)


def test_languages_stand_in_columns_under_many_headings(workbook):
    head = ("Text", "TEXT pt", "Text (en-GB)", "texto_es", "Text (Deutsch)", "text old", "CATEGORY")
    path = workbook(Utterances=[head, ("0", "1", "2", "3", "4", "5", "a")])
    (line,) = read_library(path).library.lines
    assert dict(line.texts) == {"": "0", "pt": "1", "en-gb": "2", "es": "3", "de": "4"}
    assert dict(line.metadata) == {"text old": "5"}
    assert line.text_in("pt-PT") == "1"
    assert line.text_in("en") == "2"
    assert line.text_in("fr") == "0"


def test_the_language_of_a_file_is_in_its_name(workbook):
    path = workbook("lines.pt.xlsx", Utterances=[("TEXT", "CATEGORY"), ("Olá", "a")])
    library = read_library(path).library
    assert (library.name, library.languages) == ("lines", ("pt",))
    assert library.lines[0].text_in("en") is None
    assert read_library(path, language="").library.lines[0].text_in("en") == "Olá"


def test_only_utterances_is_read_where_there_is_such_a_sheet(workbook):
    head = ("TEXT", "CATEGORY")
    path = workbook(Old=[head, ("Old", "a")], utterances=[head, ("New", "a")], Notes=[("Hm", "x")])
    reading = read_library(path)
    assert [line.text_in() for line in reading.library.lines] == ["New"]
    assert [(f.code, f.sheet, f.severity) for f in reading.findings] == [
        ("sheet-ignored", "Old", Severity.WARNING)
    ]


def test_else_every_sheet_that_has_the_columns_is_read(workbook):
    head = ("TEXT", "CATEGORY")
    path = workbook(One=[head, ("1", "a")], Two=[("hello",)], Three=[head, ("3", "a")])
    reading = read_library(path)
    assert [line.text_in() for line in reading.library.lines] == ["1", "3"]
    assert reading.findings == ()


def test_rows_of_check_boxes_alone_and_repeated_headings_are_no_lines(workbook):
    head = ("TEXT", "CATEGORY", "QUESTION", "REPETITIONS")
    rows = [head, ("Hm", "a", False, "any"), head, *[("", None, False, "any")] * 3]
    reading = read_library(workbook(Utterances=rows))
    assert len(reading.library) == 1
    assert reading.findings == ()


def test_a_category_merged_over_rows_counts_for_all_of_them(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in [("CATEGORY", "TEXT"), ("a", "1"), (None, "2"), (None, "3"), ("b", "4")]:
        sheet.append(row)
    sheet.merge_cells("A2:A4")
    book.save(tmp_path / "merged.xlsx")
    lines = read_library(tmp_path / "merged.xlsx").library.lines
    assert [line.category_path for line in lines] == ["a", "a", "a", "b"]


def test_a_formula_without_a_stored_value_is_found_and_never_computed(workbook):
    path = workbook(Utterances=[("TEXT", "CATEGORY"), ('="Hel"&"lo"', "a")])
    reading = read_library(path)
    (finding,) = reading.findings
    assert (finding.code, finding.row, finding.column) == ("formula-without-value", 2, "TEXT")
    assert finding.text == '="Hel"&"lo"'
    assert reading.library.lines[0].texts == {}


def test_hidden_rows_are_read_and_said_so_and_hidden_columns_too(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in [("TEXT", "CATEGORY", "ID"), ("1", "a", "x"), ("2", "a", "y")]:
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    book.save(tmp_path / "hidden.xlsx")
    reading = read_library(tmp_path / "hidden.xlsx")
    assert list(reading.library.by_id) == ["x", "y"]
    assert codes(reading) == ["hidden-rows"]


def test_a_misspelt_heading_is_found_with_the_one_that_was_meant(workbook):
    reading = read_library(workbook(Utterances=[("TEXT", "CATEGROY", "ID"), ("Hm", "a", "x")]))
    assert codes(reading) == ["unknown-column", "no-category-column"]
    assert "did you mean 'CATEGORY'?" in reading.findings[0].message
    assert dict(reading.library.lines[0].metadata) == {"CATEGROY": "a"}


def test_two_columns_of_one_meaning_are_found_and_the_first_counts(workbook):
    reading = read_library(
        workbook(Utterances=[("TEXT", "Utterance", "CATEGORY"), ("1", "2", "a")])
    )
    assert codes(reading) == ["repeated-column"]
    assert reading.library.lines[0].text_in() == "1"


def test_the_dialogue_layout_gives_dialogue_rows(workbook):
    path = workbook(
        Dialogue=[
            ("Current State", "Next State", "Meaning", "Style", "Utterance", "When", "Who"),
            ("start", "ask", "greet", "warm", "Hello!", "PersonDetected", "all"),
            (None, "end", "", "", "lost", "", ""),
            ("ask", "end", "ask", "", "How are you?", "", ""),
        ]
    )
    reading = read_library(path)
    first, second = reading.library.dialogue
    assert (first.current_state, first.next_state, first.meaning) == ("start", "ask", "greet")
    assert (first.style, first.text_in(), first.when) == ("warm", "Hello!", "PersonDetected")
    assert dict(first.metadata) == {"Who": "all"}
    assert second.origin.row == 4
    assert [(f.code, f.row, f.column) for f in reading.findings] == [
        ("empty-state", 3, "Current State")
    ]
    assert reading.usable
    assert len(reading.library) == 0


def test_thousands_of_rows_are_read(workbook):
    rows = [
        (
            i,
            f"category{i % 20}:sub{i % 7}",
            f"<GAZE(person)> Line {i}, said aloud.",
            i % 2 == 0,
            "any",
        )
        for i in range(2000)
    ]
    path = workbook(Utterances=[("ID", "CATEGORY", "TEXT", "QUESTION", "REPETITIONS"), *rows])
    assert len(read_library(path).library) == 2000
