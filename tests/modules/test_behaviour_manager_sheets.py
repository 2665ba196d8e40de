"""The behaviour manager's sheets: saved files are read again, but not in the middle of a study."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sera.behaviour.markup import DEFAULT_SYNTAX, Abilities
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace

GOOD = "ID;CATEGORY;TEXT\na;say;Before.\n"
BETTER = "ID;CATEGORY;TEXT\na;say;After.\nb;say;More.\n"


@pytest.fixture
def sheets(tmp_path: Path) -> tuple[Any, Path]:
    load_packaged_class(Workspace.discover(Path(__file__).parents[2]), "behaviour_manager")
    package = next(name for name in sys.modules if name.endswith("behaviour_manager._sheets"))
    file = tmp_path / "lines.csv"
    file.write_text(GOOD, encoding="utf-8")
    made = sys.modules[package].Sheets([file], DEFAULT_SYNTAX, Abilities(animations=["nod"]))
    return made, file


def test_a_save_counts_when_the_file_has_settled(sheets):
    made, file = sheets
    assert made.read().loaded.lines == 1
    file.write_text(BETTER, encoding="utf-8")
    assert made.look(10.0, hold=False) is None
    assert made.look(10.2, hold=False) is None
    read = made.look(10.5, hold=False)
    assert (read.loaded.lines, read.loaded.replaced, read.problem) == (2, True, None)
    assert [line.text_in() for line in made.library.lines] == ["After.", "More."]
    assert made.look(20.0, hold=False) is None


def test_in_a_study_a_save_waits_for_the_next_session(sheets):
    made, file = sheets
    made.read()
    file.write_text(BETTER, encoding="utf-8")
    for second in range(1, 100):
        assert made.look(float(second), hold=True) is None
    assert [line.text_in() for line in made.library.lines] == ["Before."]
    assert made.look(100.0, hold=False).loaded.lines == 2


def test_a_broken_save_keeps_the_lines_and_says_what_is_wrong(sheets):
    made, file = sheets
    made.read()
    file.write_bytes(b"PK\x03\x04 cut")
    made.look(1.0, hold=False)
    read = made.look(2.0, hold=False)
    assert not read.loaded.replaced
    assert read.loaded.errors == 1
    assert "the lines before it go on" in read.problem
    assert [line.text_in() for line in made.library.lines] == ["Before."]


def test_findings_are_told_errors_first_and_no_more_than_fifty(sheets):
    made, file = sheets
    rows = "".join(f"x{number};say;<ANIMATE(nood)> Why?\n" for number in range(60))
    file.write_text(GOOD + rows, encoding="utf-8")
    loaded = made.read().loaded
    assert loaded.errors == 60
    assert loaded.warnings >= 60
    assert len(loaded.findings) == 50
    assert {each.severity for each in loaded.findings} == {"error"}
    assert loaded.findings[0].place == "lines, row 3, TEXT"
    assert "nod" in loaded.findings[0].message + loaded.findings[0].fix
