"""Files as LibreOffice, Google Sheets, Excel's text exports and old converters write them."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.library import Limits, read_library
from sera.behaviour.library._sheet import column_letters, column_number, number_text
from sera.behaviour.library.line import category_of


def inline(reference: str, text: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'


HEAD = f'<row r="1">{inline("A1", "TEXT")}{inline("B1", "CATEGORY")}{inline("C1", "SINCE")}</row>'


def test_inline_strings_as_some_exports_write_them(raw_xlsx):
    row = f'<row r="2">{inline("A2", "Olá &amp; bom dia")}{inline("B2", "a")}</row>'
    (line,) = read_library(raw_xlsx(f"<sheetData>{HEAD}{row}</sheetData>")).library.lines
    assert line.text_in() == "Olá & bom dia"


def test_shared_strings_with_runs_readings_and_escapes(raw_xlsx):
    strings = (
        "<si><t>TEXT</t></si><si><t>CATEGORY</t></si>"
        '<si><r><t>I </t></r><r><rPr><b/></rPr><t xml:space="preserve">am </t></r>'
        "<rPh><t>reading</t></rPh><r><t>here_x000D_\nnow</t></r></si>"
    )
    sheet = (
        '<sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
        '<row><c t="s"><v>2</v></c><c t="str"><f>"a"</f><v>a</v></c></row></sheetData>'
    )
    (line,) = read_library(raw_xlsx(sheet, strings=strings)).library.lines
    assert line.text_in() == "I am here\nnow"
    assert line.category == ("a",)
    assert line.origin.row == 2


def test_prefixed_elements_and_absolute_part_names(raw_xlsx):
    sheet = "<sheetData>" + HEAD + f'<row r="5">{inline("A5", "Hm")}</row></sheetData>'
    for name in ("sheetData", "row", "c", "is", "t"):
        sheet = sheet.replace(f"<{name}", f"<x:{name}").replace(f"</{name}>", f"</x:{name}>")
    space = 'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = sheet.replace("<x:sheetData", f"<x:sheetData {space}", 1)
    path = raw_xlsx(sheet, target="/xl/worksheets/sheet1.xml")
    (line,) = read_library(path).library.lines
    assert (line.text_in(), line.origin.row) == ("Hm", 5)


def test_dates_are_written_in_iso_form(raw_xlsx):
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts>'
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>'
    )
    rows = "".join(
        f'<row r="{row}">{inline(f"A{row}", "Hm")}'
        f'<c r="C{row}" s="{style}"><v>{value}</v></c></row>'
        for row, style, value in [
            (2, 0, "45000"),
            (3, 1, "45000"),
            (4, 2, "45000.5"),
            (5, 1, "0.25"),
        ]
    )
    lines = read_library(
        raw_xlsx(f"<sheetData>{HEAD}{rows}</sheetData>", styles=styles)
    ).library.lines
    assert [line.metadata["SINCE"] for line in lines] == [
        "45000",
        "2023-03-15",
        "2023-03-15T12:00:00",
        "06:00:00",
    ]


def test_a_cached_value_counts_and_an_error_is_found(raw_xlsx):
    row = (
        '<row r="2"><c r="A2" t="str"><f>CONCAT(1)</f><v>cached</v></c></row>'
        '<row r="3"><c r="A3" t="e"><f>X1</f><v>#REF!</v></c><c r="B3" t="str"><f>""</f><v></v></c>'
        f"{inline('C3', 'x')}</row>"
    )
    reading = read_library(raw_xlsx(f"<sheetData>{HEAD}{row}</sheetData>"))
    assert reading.library.lines[0].text_in() == "cached"
    assert [(f.code, f.row, f.column, f.text) for f in reading.findings] == [
        ("error-value", 3, "TEXT", "#REF!")
    ]


def test_styled_empty_cells_at_the_end_of_the_world_do_no_harm(raw_xlsx):
    far = '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    row = f'<row r="2">{inline("A2", "Hm")}</row>'
    reading = read_library(raw_xlsx(f"<sheetData>{HEAD}{row}{far}</sheetData>"))
    assert reading.usable
    assert len(reading.library) == 1


def test_a_hidden_sheet_is_read_only_where_there_is_no_other(raw_xlsx, workbook):
    row = f'<row r="2">{inline("A2", "Hm")}</row>'
    alone = raw_xlsx(f"<sheetData>{HEAD}{row}</sheetData>", state='state="hidden"')
    assert len(read_library(alone).library) == 1
    path = workbook(Draft=[("TEXT", "ID"), ("old", 1)], Lines=[("TEXT", "CATEGORY"), ("new", "a")])
    book = openpyxl.load_workbook(path)
    book["Draft"].sheet_state = "hidden"
    book.save(path)
    reading = read_library(path)
    assert [line.text_in() for line in reading.library.lines] == ["new"]
    assert [(f.code, f.sheet) for f in reading.findings] == [("sheet-ignored", "Draft")]


def test_a_column_of_subcategories_lengthens_the_path(workbook):
    head = ("Texto", "Categoria", "Sub-categoria")
    path = workbook(Utterances=[head, ("1", "a", "b:c"), ("2", "a", "-")])
    lines = read_library(path).library.lines
    assert [line.category_path for line in lines] == ["a:b:c", "a"]


@pytest.mark.parametrize(
    ("reference", "row", "said"),
    [("A1048576", 1048576, "row 1048576"), ("XFD2", 2, "cell XFD2")],
)
def test_a_cell_far_outside_refuses_the_sheet_and_names_it(raw_xlsx, reference, row, said):
    far = f'<row r="{row}">{inline(reference, "stray")}</row>'
    reading = read_library(raw_xlsx(f"<sheetData>{HEAD}{far}</sheetData>"))
    assert not reading.usable
    assert reading.findings[0].code == "sheet-too-large"
    assert said in reading.findings[0].message


def cell(text: str, attributes: str = "") -> str:
    return (
        f'<table:table-cell office:value-type="string" {attributes}><text:p>{text}</text:p>'
        "</table:table-cell>"
    )


ODS_HEAD = (
    f"<table:table-row>{cell('ID')}{cell('TEXT')}{cell('CATEGORY')}{cell('QUESTION')}"
    '<table:table-cell table:number-columns-repeated="16380"/></table:table-row>'
)


def test_ods_with_repeats_spans_comments_and_types(raw_ods):
    rows = (
        f'{ODS_HEAD}<table:table-row table:number-rows-repeated="3"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row>'
        '<table:table-row><table:table-cell office:value-type="float" office:value="7">'
        "<office:annotation><text:p>a comment</text:p></office:annotation><text:p>7,00</text:p>"
        '</table:table-cell><table:table-cell office:value-type="string"><text:p>two<text:s '
        'text:c="2"/><text:span>lines</text:span></text:p><text:p>of it</text:p></table:table-cell>'
        + cell("a", 'table:number-rows-spanned="2"')
        + '<table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>VRAI'
        "</text:p></table:table-cell></table:table-row>"
        f'<table:table-row table:visibility="filter"><table:table-cell/>{cell("next")}'
        "<table:covered-table-cell/></table:table-row>"
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row>'
    )
    reading = read_library(raw_ods(rows))
    first, second = reading.library.lines
    assert (first.id, first.text_in(), first.question) == ("7", "two  lines\nof it", True)
    assert first.origin.row == 5
    assert (second.text_in(), second.category) == ("next", ("a",))
    assert [finding.code for finding in reading.findings] == ["hidden-rows"]


def test_ods_formulas_need_a_stored_value(raw_ods):
    row = (
        f'<table:table-row>{cell("x")}<table:table-cell table:formula="of:=A1"/>{cell("a")}'
        '<table:table-cell office:value-type="string" calcext:value-type="error"><text:p>#REF!'
        "</text:p></table:table-cell></table:table-row>"
    )
    reading = read_library(raw_ods(ODS_HEAD + row))
    assert [(f.code, f.column, f.text) for f in reading.findings] == [
        ("formula-without-value", "TEXT", "=A1"),
        ("error-value", "QUESTION", "#REF!"),
    ]


def test_an_ods_that_repeats_a_text_a_million_times_is_refused_without_unfolding_it(raw_ods):
    bomb = cell("bomb", 'table:number-columns-repeated="16384"')
    row = f'<table:table-row table:number-rows-repeated="1048576">{bomb}</table:table-row>'
    reading = read_library(raw_ods(ODS_HEAD + row))
    assert not reading.usable
    assert "sheet-too-large" in [finding.code for finding in reading.findings]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_csv_in_every_usual_separator_and_encoding(tmp_path: Path, separator, encoding):
    rows = [
        ["ID", "TEXT", "CATEGORY"],
        ["1", '"Olá; bom dia, ""João"""', "a:b"],
        [],
        ["2", "x", "a"],
    ]
    text = "\r\n".join(separator.join(row) for row in rows)
    if separator == "\t":
        text = text.replace("; ", "\t ")
    path = tmp_path / "lines.csv"
    path.write_bytes(text.encode(encoding))
    reading = read_library(path)
    lines = reading.library.lines
    shown = "Olá\t bom" if separator == "\t" else "Olá; bom"
    assert lines[0].text_in() == f'{shown} dia, "João"'
    assert (lines[1].id, lines[1].origin.row) == ("2", 4)
    expected = ["not-utf-8"] if encoding == "cp1252" else []
    assert [finding.code for finding in reading.findings] == expected


def test_csv_with_the_hint_of_excel(tmp_path: Path):
    path = tmp_path / "lines.csv"
    path.write_text("sep=|\nTEXT|CATEGORY\na, b; c|x\n", encoding="utf-8")
    (line,) = read_library(path).library.lines
    assert (line.text_in(), line.origin.row) == ("a, b; c", 3)


def test_csv_stops_at_the_limits(tmp_path: Path):
    path = tmp_path / "lines.csv"
    path.write_text("TEXT,CATEGORY\n" + "x,a\n" * 20, encoding="utf-8")
    reading = read_library(path, limits=Limits(rows=10))
    assert not reading.usable
    assert reading.findings[0].code == "sheet-too-large"


def test_a_csv_cell_that_never_ends_is_found_with_its_row(tmp_path: Path):
    path = tmp_path / "lines.csv"
    path.write_text("TEXT,CATEGORY\nfine,a\n" + '"' + "x" * 200_000, encoding="utf-8")
    reading = read_library(path)
    assert [(f.code, f.row) for f in reading.findings] == [("csv-quotes", 3)]
    assert len(reading.library) == 1


@given(st.integers(min_value=0, max_value=16383))
def test_column_letters_and_numbers_are_inverse(column):
    assert column_number(column_letters(column)) == column


@given(st.integers(min_value=-(10**14), max_value=10**14))
def test_whole_numbers_lose_their_point(number):
    assert number_text(f"{number}.0") == str(number)


@given(st.lists(st.text(alphabet="abc é", min_size=1).filter(str.strip)))
def test_a_category_path_is_what_stands_between_the_colons(parts):
    assert category_of(" : ".join(parts)) == tuple(part.strip() for part in parts)
