from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library import lint_library, read_library, write_comments
from sera.runtime.located import FileProblem

ROWS = [("Id", "Category", "My notes", "Text (en)"), ("a", "x", "n", "Hm"), ("a", "x", "n", "")]


def test_findings_stand_on_their_cells_in_a_copy(workbook, tmp_path: Path):
    path = workbook(Utterances=ROWS, Other=[("keep", "me")])
    before = path.read_bytes()
    findings = lint_library(read_library(path).library)
    out = tmp_path / "out.xlsx"
    assert write_comments(path, findings, out) == 2
    assert path.read_bytes() == before
    book = openpyxl.load_workbook(out)
    sheet = book["Utterances"]
    assert "duplicate" not in sheet["A3"].comment.text
    assert sheet["A3"].comment.text.startswith("error: the id 'a' stands in")
    assert "neither words nor actions" in sheet["D3"].comment.text
    assert sheet["A3"].fill.fgColor.rgb == "FFF4B6B6"
    assert sheet["A2"].comment is None
    assert book["Other"]["B1"].value == "me"
    assert len(read_library(out).library) == 2


def test_several_findings_of_one_cell_share_a_comment_with_what_stood_there(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Utterances"
    sheet.append(["TEXT", "CATEGORY"])
    sheet.append(["Hm", "a"])
    sheet["A2"].comment = openpyxl.comments.Comment("my own note", "me")
    path = tmp_path / "in.xlsx"
    book.save(path)
    place = {"sheet": "Utterances", "row": 2, "column": "TEXT"}
    findings = [
        Finding(code="a", message="one", severity=Severity.WARNING, **place),
        Finding(code="b", message="two", fix="do it", text="Hm", **place),
        Finding(code="c", message="whole sheet", sheet="Utterances"),
        Finding(code="d", message="whole file", sheet="in.xlsx"),
        Finding(code="e", message="another file", sheet="other.xlsx: Utterances", row=2),
    ]
    out = tmp_path / "out.xlsx"
    assert write_comments(path, findings, out) == 2
    sheet = openpyxl.load_workbook(out)["Utterances"]
    text = sheet["A2"].comment.text
    assert text == "my own note\nwarning: one\nerror: two `Hm`\n→ do it"
    assert sheet["A1"].comment.text == "error: whole sheet\nerror: whole file"


def test_a_csv_becomes_a_workbook_with_comments(tmp_path: Path):
    path = tmp_path / "lines.csv"
    path.write_text("TEXT;CATEGORY\n=1+1;\n", encoding="utf-8")
    out = tmp_path / "out.xlsx"
    assert write_comments(path, lint_library(read_library(path).library), out) == 1
    sheet = openpyxl.load_workbook(out)["lines"]
    assert (sheet["A2"].value, sheet["A2"].data_type) == ("=1+1", "s")
    assert "category" in sheet["B2"].comment.text


def test_a_finding_inside_a_merged_cell_goes_to_its_corner(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in [("CATEGORY", "TEXT"), ("a", "1"), (None, "2")]:
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    path, out = tmp_path / "in.xlsx", tmp_path / "out.xlsx"
    book.save(path)
    finding = Finding(code="a", message="here", sheet="Sheet", row=3, column="CATEGORY")
    assert write_comments(path, [finding], out) == 1
    assert openpyxl.load_workbook(out)["Sheet"]["A2"].comment.text == "error: here"


def test_the_file_itself_is_never_replaced(workbook):
    path = workbook(Utterances=ROWS)
    with pytest.raises(FileProblem, match="would replace the file itself"):
        write_comments(path, [], path)


def test_what_cannot_be_read_or_written_says_so(workbook, tmp_path: Path):
    with pytest.raises(FileProblem, match="there is no such file"):
        write_comments(tmp_path / "none.xlsx", [], tmp_path / "out.xlsx")
    with pytest.raises(FileProblem, match="cannot be written"):
        write_comments(workbook(Utterances=ROWS), [], tmp_path / "no" / "out.xlsx")
