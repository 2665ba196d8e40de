from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from sera.behaviour.library import lint_library, read_library, write_template

VERBS = ["GAZE", "GLANCE", "POINT", "WAVE", "ANIMATE", "HEADNOD"]


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "new.xlsx"
    write_template(
        path,
        verbs=VERBS,
        targets=["person1", "clicks"],
        animations=["bow"],
        categories=["Farewell", "tutorial:start"],
        languages=["en", "pt"],
    )
    return path


def test_the_six_examples_are_read_back_without_a_finding(template: Path):
    reading = read_library(template)
    assert reading.findings == ()
    assert lint_library(reading.library) == []
    assert len(reading.library) == 6
    assert reading.library.languages == ("en", "pt")
    hello = reading.library.by_id["hello-1"]
    assert hello.text_in("pt") == "<GAZE(person1)> Olá! Que bom ter-te aqui."
    assert "<ANIMATE(bow)>" in (reading.library.by_id["hello-2"].text_in("en") or "")


def test_the_lists_offer_what_the_scenario_has(template: Path):
    book = openpyxl.load_workbook(template)
    sheet = book["Utterances"]
    lists = {
        str(v.sqref): (v.formula1, v.showErrorMessage)
        for v in sheet.data_validations.dataValidation
    }
    assert lists == {
        "B2:B1000": ("Lists!$A$2:$A$7", False),
        "E2:E1000": ('"yes,no"', True),
        "F2:F1000": ('"any,session,ever"', True),
    }
    columns = {
        column[0].value: [c.value for c in column[1:] if c.value]
        for column in book["Lists"].columns
    }
    assert columns["Categories"][:3] == ["Farewell", "tutorial:start", "greeting:first"]
    assert "farewell" not in columns["Categories"]
    assert columns["Verbs"] == VERBS
    assert columns["Targets and animations"] == ["person1", "clicks", "bow"]
    actions = {str(v.sqref): v.formula1 for v in book["Actions"].data_validations.dataValidation}
    assert actions == {"A2:A11": "Lists!$B$2:$B$7", "B2:B11": "Lists!$E$2:$E$4"}


def test_headings_stay_in_sight_and_explain_themselves(template: Path):
    sheet = openpyxl.load_workbook(template)["Utterances"]
    assert sheet.freeze_panes == "C2"
    assert all(cell.comment is not None and len(cell.comment.text) > 20 for cell in sheet[1])
    assert sheet.column_dimensions["C"].width > 40
    help_sheet = openpyxl.load_workbook(template)["Help"]
    words = " ".join(str(cell.value or "") for row in help_sheet.rows for cell in row)
    for heading in ("ID", "CATEGORY", "TEXT", "QUESTION", "REPETITIONS"):
        assert heading in words


def test_a_scenario_without_anything_gives_plain_examples(tmp_path: Path):
    path = tmp_path / "plain.xlsx"
    write_template(path)
    library = read_library(path).library
    assert library.lines[0].text_in() == "Hello! I am glad that you are here."
    assert lint_library(library) == []


def test_names_that_look_like_formulas_stay_names(tmp_path: Path):
    path = tmp_path / "odd.xlsx"
    write_template(path, categories=["=1+1", "bell\x07"])
    sheet = openpyxl.load_workbook(path)["Lists"]
    assert (sheet["A2"].value, sheet["A2"].data_type, sheet["A3"].value) == ("=1+1", "s", "bell")


def test_reading_a_library_does_not_load_openpyxl():
    code = "import sys, sera.behaviour.library; print('openpyxl' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
