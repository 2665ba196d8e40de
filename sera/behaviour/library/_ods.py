"""Reads .ods as LibreOffice and Google Sheets write it. Repeated cells are unfolded only where
something stands in them; formulas are never computed.
"""

from __future__ import annotations

from sera.behaviour.library._package import Package, protected
from sera.behaviour.library._sheet import (
    Flaw,
    FlawKind,
    Limits,
    Sheet,
    number_text,
    too_many_columns,
    too_many_rows,
)

_CELLS = {"table:table-cell", "table:covered-table-cell"}
_IGNORED = {"office:annotation", "draw:frame", "text:ruby-text"}
"""What stands inside a cell without being its text: comments, pictures, readings."""
_SPACES = {"text:tab": "\t", "text:line-break": "\n"}


def read_ods(package: Package) -> list[Sheet]:
    """All worksheets.

    Raises:
        Unreadable: the file as a whole cannot be read.
    """
    encrypted = False

    def manifest(name: str, _: dict[str, str]) -> None:
        nonlocal encrypted
        encrypted = encrypted or name.endswith("encryption-data")

    if "META-INF/manifest.xml" in package.names:
        package.parse("META-INF/manifest.xml", manifest)
    if encrypted:
        raise protected()
    reader = _ContentReader(package.limits)
    package.parse("content.xml", reader.start, reader.end, reader.text)
    return reader.sheets


class _ContentReader:
    def __init__(self, limits: Limits) -> None:
        self.sheets: list[Sheet] = []
        self._limits = limits
        self._depth = 0  # of tables: a table inside a cell is no sheet
        self._row = 0
        self._row_repeats = 1
        self._hidden = False
        self._column = 0
        self._cells: dict[int, str] = {}
        self._flaws: list[tuple[FlawKind, int, str]] = []
        self._cell: dict[str, str] | None = None
        self._paragraphs: list[str] = []
        self._parts: list[str] | None = None
        self._ignored = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in _IGNORED:
            self._ignored += 1
        elif name == "table:table":
            self._depth += 1
            if self._depth == 1:
                self.sheets.append(Sheet(attributes.get("table:name", "")))
                self._row = 0
        elif self._depth != 1 or self._ignored:
            return
        elif name == "table:table-row":
            self._start_row(attributes)
        elif name in _CELLS:
            self._cell = attributes
            self._paragraphs = []
        elif name == "text:p" and self._cell is not None:
            self._parts = []
        elif self._parts is not None:
            if name == "text:s":
                self._parts.append(" " * min(_count(attributes, "text:c"), 1000))
            self._parts.append(_SPACES.get(name, ""))

    def end(self, name: str) -> None:
        if name in _IGNORED:
            self._ignored -= 1
        elif name == "table:table":
            self._depth -= 1
        elif self._depth != 1 or self._ignored:
            return
        elif name == "text:p" and self._parts is not None:
            self._paragraphs.append("".join(self._parts))
            self._parts = None
        elif name in _CELLS and self._cell is not None:
            self._end_cell(self._cell, covered=name == "table:covered-table-cell")
            self._cell = None
        elif name == "table:table-row":
            self._end_row()

    def text(self, text: str) -> None:
        if self._parts is not None and not self._ignored:
            self._parts.append(text)

    def _start_row(self, attributes: dict[str, str]) -> None:
        self._row += 1
        self._row_repeats = _count(attributes, "table:number-rows-repeated")
        self._hidden = attributes.get("table:visibility", "visible") != "visible"
        self._column = 0
        self._cells = {}
        self._flaws = []

    def _end_cell(self, cell: dict[str, str], *, covered: bool) -> None:
        repeats = _count(cell, "table:number-columns-repeated")
        shown = "\n".join(self._paragraphs)
        is_error = cell.get("calcext:value-type") == "error"
        text = "" if covered or is_error else _cell_text(cell, shown)
        if is_error:
            self._flaws.append(("error-value", self._column, shown))
        elif cell.get("table:formula") and "office:value-type" not in cell and not shown:
            formula = cell["table:formula"].removeprefix("of:")
            self._flaws.append(("formula-without-value", self._column, formula))
        spanned = _count(cell, "table:number-rows-spanned")
        if spanned > 1:
            last = min(self._row + spanned - 1, self._limits.rows)
            self.sheets[-1].merged_down.append((self._column, self._row, last))
        if text.strip():
            # One cell beyond the limit is enough for the finding; a million are not unfolded.
            for column in range(
                self._column, self._column + min(repeats, self._limits.columns + 1)
            ):
                self._cells[column] = text
        self._column += repeats

    def _end_row(self) -> None:
        sheet, limits = self.sheets[-1], self._limits
        if self._cells and sheet.refused is None:
            last_row, last_column = self._row + self._row_repeats - 1, max(self._cells)
            if last_row > limits.rows:
                sheet.refused = too_many_rows(sheet.name, last_row, limits)
            elif last_column >= limits.columns:
                sheet.refused = too_many_columns(sheet.name, last_column, self._row, limits)
            else:
                for row in range(self._row, last_row + 1):
                    sheet.rows[row] = dict(self._cells)
                    if self._hidden:
                        sheet.hidden_rows.add(row)
        for kind, column, text in self._flaws:
            sheet.flaws.append(Flaw(kind, self._row, column, text))
        self._row += self._row_repeats - 1


def _cell_text(cell: dict[str, str], shown: str) -> str:
    kind = cell.get("office:value-type", "")
    if kind == "boolean":
        return cell.get("office:boolean-value", "").upper()
    if kind in {"float", "percentage", "currency"}:
        return number_text(cell.get("office:value", shown))
    if kind == "date":
        return cell.get("office:date-value", shown)
    return shown or cell.get("office:string-value", "")


def _count(attributes: dict[str, str], name: str) -> int:
    written = attributes.get(name, "1")
    return max(1, int(written)) if written.isdecimal() and len(written) < 10 else 1
