from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library import Limits, read_library

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
GOOD = [("TEXT", "CATEGORY"), ("Hm", "a")]


def only_finding(path: Path, **options) -> Finding:
    reading = read_library(path, **options)
    assert not reading.usable
    assert len(reading.library) == 0
    (finding,) = reading.findings
    assert finding.severity is Severity.ERROR
    assert finding.sheet == path.name
    assert finding.fix
    return finding


def test_a_missing_file_and_a_folder(tmp_path: Path):
    assert only_finding(tmp_path / "none.xlsx").code == "no-file"
    assert only_finding(tmp_path).code == "is-a-folder"


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("a.xlsx", b"", "file-empty", "empty"),
        ("a.xlsx", b"\x89PNG\r\n\x1a\n1234", "not-a-sheet", "picture"),
        ("a.xlsx", b"\xff\xd8\xff\xe0JFIF", "not-a-sheet", "picture"),
        ("a.csv", b"%PDF-1.7", "not-a-sheet", "PDF"),
        ("a.xlsx", b"<!DOCTYPE html><html>", "not-a-sheet", "web page"),
        ("a.xlsx", b"TEXT,CATEGORY\nHm,a\n", "not-a-sheet", "no workbook"),
        ("a.gsheet", b'{"url": "https://docs.example/"}', "not-a-sheet", "link"),
        ("a.csv", b"ab\0\1\2", "not-a-sheet", "binary"),
        ("a.xlsx", b"PK\3\4 and nothing more", "file-damaged", "cut off"),
        ("a.xls", OLE + "Workbook".encode("utf-16-le"), "not-a-sheet", "before 2007"),
        ("a.xls", OLE, "not-a-sheet", "before 2007"),
        ("a.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "password-protected", "password"),
        ("~$a.xlsx", b"somebody", "lock-file", "open file"),
        (".~lock.a.ods#", b"somebody", "lock-file", "open file"),
    ],
)
def test_what_is_no_sheet_says_what_it_is(tmp_path: Path, name, content, code, said):
    path = tmp_path / name
    path.write_bytes(content)
    finding = only_finding(path)
    assert finding.code == code
    assert said in finding.message


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("word/document.xml", "zip file without a workbook"),
        ("xl/workbook.bin", ".xlsb"),
    ],
)
def test_other_zip_files(tmp_path: Path, part, said):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr(part, "x")
    assert said in only_finding(path).message


def test_a_document_of_a_text_program(tmp_path: Path):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("_rels/.rels", "<x/>")
        package.writestr("word/document.xml", "<x/>")
    assert "document" in only_finding(path).message


def test_an_ods_behind_a_password(raw_ods):
    path = raw_ods("", manifest='<m:manifest xmlns:m="m"><m:encryption-data/></m:manifest>')
    assert only_finding(path).code == "password-protected"


def test_a_file_that_may_not_be_read(workbook, monkeypatch: pytest.MonkeyPatch):
    path = workbook(Utterances=GOOD)

    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert only_finding(path).code == "file-locked"


def test_a_file_beyond_the_limit_is_refused_by_its_size_alone(tmp_path: Path):
    path = tmp_path / "huge.xlsx"
    with path.open("wb") as stream:
        stream.truncate(200_000_000)
    finding = only_finding(path)
    assert finding.code == "file-too-large"
    assert "200 MB" in finding.message


def test_a_zip_bomb_is_refused_by_its_table_of_contents(raw_xlsx):
    path = raw_xlsx("<sheetData/>" + " " * 3_000_000)
    finding = only_finding(path, limits=Limits(unpacked_bytes=1_000_000))
    assert finding.code == "file-too-large"
    assert "3 MB" in finding.message


def test_a_document_type_is_refused(tmp_path: Path, raw_xlsx):
    path = raw_xlsx("<sheetData/>")
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
    with zipfile.ZipFile(path, "a") as package:
        package.writestr("xl/sharedStrings.xml", bomb)
    assert "document type" in only_finding(path).message


def test_broken_xml_is_found_with_its_part(raw_xlsx):
    finding = only_finding(raw_xlsx("<sheetData><row>"))
    assert finding.code == "file-damaged"
    assert "sheet1.xml" in finding.message


def test_a_missing_part_is_found(raw_xlsx):
    finding = only_finding(raw_xlsx("<sheetData/>", target="worksheets/sheet9.xml"))
    assert "sheet9.xml is missing" in finding.message


def test_macros_are_ignored_with_a_warning(raw_xlsx):
    sheet = (
        '<sheetData><row><c t="inlineStr"><is><t>TEXT</t></is></c></row>'
        '<row><c t="inlineStr"><is><t>Hm</t></is></c></row></sheetData>'
    )
    reading = read_library(raw_xlsx(sheet, extra={"xl/vbaProject.bin": b"x"}, name="a.xlsm"))
    assert reading.usable
    assert reading.findings[0].code == "macros-ignored"
    assert reading.findings[0].severity is Severity.WARNING


def test_a_workbook_without_the_headings_says_which_it_needs(workbook):
    reading = read_library(workbook(Sheet1=[("Hello", "there")], Sheet2=[]))
    (finding,) = reading.findings
    assert finding.code == "no-columns"
    assert "'Sheet1', 'Sheet2'" in finding.message
    assert not reading.usable


def test_headings_without_lines_are_not_usable(workbook):
    reading = read_library(workbook(Utterances=[("TEXT", "CATEGORY")]))
    assert [finding.code for finding in reading.findings] == ["no-lines"]
    assert not reading.usable


def test_a_data_dump_beside_the_lines_is_a_warning_only(workbook):
    dump = [[1] * 30 for _ in range(3)]
    reading = read_library(workbook(Utterances=GOOD, Dump=dump), limits=Limits(columns=20))
    assert reading.usable
    assert [(f.code, f.sheet, f.severity) for f in reading.findings] == [
        ("sheet-too-large", "Dump", Severity.WARNING)
    ]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None
)
@given(data=st.data())
def test_no_cut_or_flipped_byte_of_a_workbook_raises(workbook, tmp_path: Path, data):
    content = bytearray(workbook(Utterances=GOOD).read_bytes())
    share = st.floats(0.0, 1.0, exclude_max=True)
    for _ in range(data.draw(st.integers(0, 4))):
        content[int(data.draw(share) * len(content))] = data.draw(st.integers(0, 255))
    cut = int(data.draw(st.just(1.0) | share) * len(content))
    path = tmp_path / "broken.xlsx"
    path.write_bytes(content[:cut])
    reading = read_library(path)
    assert reading.usable or reading.findings


SHEET = (
    '<cols><col min="1" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="inlineStr">'
    '<is><t>TEXT</t></is></c><c r="B1" t="str"><v>WEIGHT</v></c></row><row r="2" hidden="1">'
    '<c r="A2" t="inlineStr"><is><t>Hm</t></is></c><c r="B2" s="1"><f>1</f><v>2</v></c></row>'
    '</sheetData><mergeCells><mergeCell ref="A2:A9"/></mergeCells>'
)
PIECES = ["", "0", "-1", "9" * 30, "²", "s", "b", "d", "e", "n", "<v>", "<row/>", "A0", ":", "nan"]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None
)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(SHEET)), st.integers(0, 3), st.sampled_from(PIECES)),
        min_size=1,
        max_size=5,
    )
)
def test_no_changed_worksheet_raises(raw_xlsx, changes):
    sheet = SHEET
    for place, dropped, piece in changes:
        sheet = sheet[:place] + piece + sheet[place + dropped :]
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    reading = read_library(raw_xlsx(sheet, styles=styles))
    assert reading.usable or reading.findings


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None
)
@given(content=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_no_bytes_at_all_raise_as_csv(tmp_path: Path, content):
    path = tmp_path / "any.csv"
    path.write_bytes(b"TEXT;CATEGORY\n" + content)
    reading = read_library(path)
    assert reading.usable or reading.findings
