"""Makes sheets as the programs of this world write them, by code, so that nothing is hidden."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pytest

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"

HEADINGS = ("ID", "CATEGORY", "TEXT", "QUESTION", "REPETITIONS")


@pytest.fixture
def workbook(tmp_path: Path) -> Callable[..., Path]:
    """A workbook by openpyxl: sheets by name, each a list of rows."""

    def write(name: str = "lines.xlsx", **sheets: Sequence[Sequence[object]]) -> Path:
        book = openpyxl.Workbook()
        book.remove(book.worksheets[0])
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(list(row))
        path = tmp_path / name
        book.save(path)
        return path

    return write


@pytest.fixture
def raw_xlsx(tmp_path: Path) -> Callable[..., Path]:
    """An .xlsx zip made by hand from the XML inside `<worksheet>`, for other programs' ways."""

    def write(
        sheet: str,
        *,
        strings: str = "",
        styles: str = "",
        target: str = "worksheets/sheet1.xml",
        state: str = "",
        extra: dict[str, bytes] | None = None,
        name: str = "lines.xlsx",
    ) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr(
                "_rels/.rels",
                f'<Relationships xmlns="{PACKAGE}"><Relationship Id="rId1" '
                f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            )
            package.writestr(
                "xl/workbook.xml",
                f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="Utterances" '
                f'sheetId="1" {state} r:id="rId3"/></sheets></workbook>',
            )
            package.writestr(
                "xl/_rels/workbook.xml.rels",
                f'<Relationships xmlns="{PACKAGE}"><Relationship Id="rId3" '
                f'Type="{OFFICE}/worksheet" Target="{target}"/></Relationships>',
            )
            package.writestr(
                "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>'
            )
            if strings:
                package.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{strings}</sst>')
            if styles:
                package.writestr(
                    "xl/styles.xml", f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'
                )
            for part, content in (extra or {}).items():
                package.writestr(part, content)
        return path

    return write


@pytest.fixture
def raw_ods(tmp_path: Path) -> Callable[..., Path]:
    """An .ods zip made by hand from the rows of its table."""

    def write(rows: str, *, manifest: str = "", name: str = "lines.ods") -> Path:
        names = {
            "office": "office",
            "table": "table",
            "text": "text",
            "draw": "drawing",
        }
        spaces = " ".join(
            f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
            for short, long in names.items()
        )
        spaces += (
            ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
        )
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
            package.writestr(
                "content.xml",
                f"<office:document-content {spaces}><office:body><office:spreadsheet>"
                f'<table:table table:name="Utterances">{rows}</table:table>'
                "</office:spreadsheet></office:body></office:document-content>",
            )
            if manifest:
                package.writestr("META-INF/manifest.xml", manifest)
        return path

    return write
