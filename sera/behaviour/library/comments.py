"""Writes findings into a copy of a workbook, as comments on the cells that they are about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.cell import MergedCell
from openpyxl.comments import Comment
from openpyxl.styles import PatternFill
from openpyxl.utils.exceptions import IllegalCharacterError
from openpyxl.worksheet.worksheet import Worksheet

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._headings import layout_of
from sera.behaviour.library._open import open_sheets
from sera.behaviour.library._sheet import Sheet, Unreadable
from sera.behaviour.library.read import DEFAULT_LIMITS
from sera.runtime.located import FileProblem

_AUTHOR = "SERA"
_COLOURS = {Severity.ERROR: "FFF4B6B6", Severity.WARNING: "FFFFE9A8"}
_FORBIDDEN_IN_TITLE = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))


def write_comments(path: Path, findings: Iterable[Finding], out: Path) -> int:
    """Copy a library to `out` (.xlsx) with a comment and a colour on every cell that has findings.

    A finding about a whole sheet or file goes to its first cell. Findings that name another file,
    as in a composite library, are left out.

    Returns:
        How many cells have a comment.

    Raises:
        FileProblem: the file cannot be read, or `out` cannot be written.
    """
    if out.exists() and path.exists() and out.samefile(path):
        raise FileProblem(out, "the copy would replace the file itself", fix="choose another name")
    try:
        sheets, _ = open_sheets(path, DEFAULT_LIMITS)
        workbook = _workbook(path, sheets)
    except Unreadable as problem:
        raise FileProblem(path, problem.finding.message, fix=problem.finding.fix) from None
    by_cell: dict[tuple[int, int, int], list[Finding]] = {}
    for finding in findings:
        place = _place(finding, path.name, sheets)
        if place is not None:
            by_cell.setdefault(place, []).append(finding)
    worksheets = {sheet.title: sheet for sheet in workbook.worksheets}
    for (index, row, column), found in by_cell.items():
        by_name = worksheets.get(sheets[index].name)
        _comment(by_name or workbook.worksheets[index], row, column, found)
    try:
        workbook.save(out)
    except OSError as error:
        message = f"the copy cannot be written: {error.strerror or error}"
        raise FileProblem(out, message, fix="close it where it is open") from None
    return len(by_cell)


def _workbook(path: Path, sheets: list[Sheet]) -> Workbook:
    """The workbook itself where it is one, else a new one with the cells of the file."""
    with path.open("rb") as stream:
        is_zip = stream.read(2) == b"PK"
    if is_zip and path.suffix.lower() != ".ods":
        try:
            return load_workbook(path, rich_text=True)
        except Exception:  # openpyxl is stricter than our reader: then the cells alone are copied
            return _rebuilt(sheets)
    return _rebuilt(sheets)


def _rebuilt(sheets: list[Sheet]) -> Workbook:
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for sheet in sheets:
        title = sheet.name.translate(_FORBIDDEN_IN_TITLE)[:31] or "Sheet"
        worksheet = workbook.create_sheet(title)
        for row, cells in sheet.rows.items():
            for column, text in cells.items():
                cell = worksheet.cell(row, column + 1)
                try:
                    cell.value = text
                except IllegalCharacterError:
                    cell.value = "".join(c for c in text if c.isprintable() or c == "\n")
                cell.data_type = "s"  # a text that begins with = is no formula
    return workbook


def _place(finding: Finding, file: str, sheets: list[Sheet]) -> tuple[int, int, int] | None:
    """Sheet, row and column (from 1) of the cell that a finding is about."""
    named = finding.sheet.removeprefix(f"{file}: ")
    index = next((i for i, sheet in enumerate(sheets) if sheet.name == named), None)
    if index is None:
        return (0, 1, 1) if named in {"", file} and sheets else None
    if finding.row is None:
        return index, 1, 1
    layout = layout_of(sheets[index])
    column = layout.column_index(finding.column) if layout is not None else None
    return index, finding.row, (column or 0) + 1


def _comment(worksheet: Worksheet, row: int, column: int, findings: list[Finding]) -> None:
    cell = worksheet.cell(row, column)
    if isinstance(cell, MergedCell):
        for merged in worksheet.merged_cells.ranges:
            if cell.coordinate in merged:
                cell = worksheet.cell(merged.min_row, merged.min_col)
    if isinstance(cell, MergedCell):
        return
    texts = [_sentence(finding) for finding in findings]
    if cell.comment is not None and cell.comment.text:
        texts.insert(0, cell.comment.text)
    comment = Comment("\n".join(texts), _AUTHOR)
    comment.width, comment.height = 360, 60 + 50 * len(texts)
    cell.comment = comment
    worst = min(findings, key=lambda finding: finding.severity is not Severity.ERROR).severity
    cell.fill = PatternFill("solid", fgColor=_COLOURS[worst])


def _sentence(finding: Finding) -> str:
    shown = f" `{finding.text}`" if finding.text else ""
    fix = f"\n→ {finding.fix}" if finding.fix else ""
    return f"{finding.severity.value}: {finding.message}{shown}{fix}"
