from __future__ import annotations

from sera.behaviour.findings import Severity
from sera.behaviour.library import compose, read_libraries, read_library

HEAD = ("ID", "CATEGORY", "TEXT")


def test_files_of_two_languages_make_one_library(workbook):
    english = workbook("lines.en.xlsx", Utterances=[HEAD, ("a", "x", "Hello"), ("b", "x", "Bye")])
    portuguese = workbook("lines.pt.xlsx", Utterances=[HEAD, ("b", "X", "Adeus"), ("a", "", "Olá")])
    reading = read_libraries([english, portuguese])
    assert reading.findings == ()
    assert reading.usable
    library = reading.library
    assert (library.name, library.languages) == ("lines", ("en", "pt"))
    assert [(line.id, dict(line.texts)) for line in library.lines] == [
        ("a", {"en": "Hello", "pt": "Olá"}),
        ("b", {"en": "Bye", "pt": "Adeus"}),
    ]


def test_parts_follow_each_other_and_keep_their_origin(workbook):
    one = workbook("one.xlsx", Utterances=[HEAD, ("a", "x", "1")])
    two = workbook("two.xlsx", Utterances=[HEAD, ("b", "x", "2")])
    library = read_libraries([one, two], name="both").library
    assert library.name == "both"
    assert [line.origin.file for line in library.lines] == ["one.xlsx", "two.xlsx"]
    assert len(library.in_category("x")) == 2


def test_an_id_of_two_files_counts_once_and_is_found_with_its_file(workbook):
    one = workbook("one.xlsx", Utterances=[HEAD, ("a", "x", "1"), ("s", "x", "same")])
    two = workbook("two.xlsx", Utterances=[HEAD, ("a", "x", "2"), ("s", "x", "same")])
    reading = read_libraries([one, two])
    assert [line.text_in() for line in reading.library.lines] == ["1", "same"]
    assert [(f.code, f.severity, f.sheet, f.row) for f in reading.findings] == [
        ("duplicate-id", Severity.ERROR, "two.xlsx: Utterances", 2),
        ("duplicate-id", Severity.WARNING, "two.xlsx: Utterances", 3),
    ]


def test_a_category_that_differs_between_languages_is_found(workbook):
    english = workbook("lines.en.xlsx", Utterances=[HEAD, ("a", "x", "Hello")])
    portuguese = workbook("lines.pt.xlsx", Utterances=[HEAD, ("a", "y", "Olá")])
    (finding,) = read_libraries([english, portuguese]).findings
    assert finding.code == "category-differs"
    assert finding.severity is Severity.WARNING


def test_ids_given_twice_in_one_file_stay_for_the_lint(workbook):
    one = read_library(workbook(Utterances=[HEAD, ("a", "x", "1"), ("a", "x", "2")]))
    reading = compose([one])
    assert len(reading.library) == 2
    assert reading.findings == ()


def test_one_file_that_cannot_be_read_makes_the_whole_unusable(workbook, tmp_path):
    good = workbook("one.xlsx", Utterances=[HEAD, ("a", "x", "1")])
    reading = read_libraries([good, tmp_path / "gone.xlsx"])
    assert not reading.usable
    assert [(f.code, f.sheet) for f in reading.findings] == [("no-file", "gone.xlsx")]
