"""Reads .csv and .tsv as spreadsheet programs export them: any usual separator and encoding."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import islice

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._headings import layout_of
from sera.behaviour.library._sheet import (
    Limits,
    Sheet,
    too_many_columns,
    too_many_rows,
    unreadable,
)

_SEPARATORS = ",;\t|"
_ROWS_TO_JUDGE = 40


def read_csv(content: bytes, name: str, limits: Limits) -> tuple[Sheet, list[Finding]]:
    """The file as one sheet.

    Raises:
        Unreadable: it is not text.
    """
    text, findings = _decoded(content)
    first, _, rest = text.partition("\n")
    skipped = 0
    if first.strip().lower().startswith("sep=") and len(first.strip()) == 5:
        # Excel's own hint, which is not a row of the sheet.
        separator, text, skipped = first.strip()[4], rest, 1
    else:
        separator = _separator(text)
    sheet = Sheet(name)
    try:
        for number, cells in _rows(text, separator):
            row = number + skipped
            if row > limits.rows:
                sheet.refused = too_many_rows(name, row, limits)
                break
            if max(cells) >= limits.columns:
                sheet.refused = too_many_columns(name, max(cells), row, limits)
                break
            sheet.rows[row] = cells
    except csv.Error as error:
        last = max(sheet.rows, default=0) + 1
        message = f"from row {last} on the file cannot be read: {error}"
        fix = "a quotation mark that opens there is not closed; write it twice to have it spoken"
        findings.append(Finding(code="csv-quotes", message=message, fix=fix, sheet=name, row=last))
    return sheet, findings


def _decoded(content: bytes) -> tuple[str, list[Finding]]:
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return content.decode("utf-16", errors="replace"), []
    if b"\0" in content[:4096]:
        raise unreadable(
            "not-a-sheet", "this is not a sheet but some binary file", "save it as .xlsx or .csv"
        )
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        finding = Finding(
            code="not-utf-8",
            message="the file is not UTF-8 and was read as Windows text (cp1252)",
            fix="look at the accents; save it as `CSV UTF-8`, or as .xlsx",
            severity=Severity.WARNING,
        )
        return content.decode("cp1252", errors="replace"), [finding]


def _separator(text: str) -> str:
    """The one with which most columns are recognised; else the one that makes most cells."""

    def merit(separator: str) -> tuple[int, int]:
        sheet = Sheet("")
        try:
            sheet.rows.update(islice(_rows(text, separator), _ROWS_TO_JUDGE))
        except csv.Error:
            return -1, 0
        layout = layout_of(sheet)
        cells = sum(len(row) for row in sheet.rows.values())
        return layout.merit if layout is not None else 0, cells

    return max(_SEPARATORS, key=merit)


def _rows(text: str, separator: str) -> Iterator[tuple[int, dict[int, str]]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    for number, row in enumerate(reader, start=1):
        cells = {column: cell for column, cell in enumerate(row) if cell.strip()}
        if cells:
            yield number, cells
