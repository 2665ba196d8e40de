"""Reads .xlsx as Excel, LibreOffice and Google Sheets write it. Formulas are never computed: the
value that the program stored beside them counts.
"""

from __future__ import annotations

import re
from contextlib import suppress

from sera.behaviour.library._package import Package, local_name
from sera.behaviour.library._sheet import (
    Flaw,
    Limits,
    Sheet,
    SheetTooLarge,
    column_number,
    number_text,
    too_many_columns,
    too_many_rows,
    unreadable,
)
from sera.behaviour.library._xlsx_dates import DateStyles, date_styles

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})\Z")


def read_xlsx(package: Package) -> list[Sheet]:
    """All worksheets.

    Raises:
        Unreadable: the file as a whole cannot be read.
    """
    places, epoch_1904 = _worksheets(package)
    strings = _SharedStrings().read(package)
    dates = date_styles(package, epoch_1904=epoch_1904)
    sheets = []
    for name, part, hidden in places:
        sheet = Sheet(name, hidden=hidden)
        reader = _SheetReader(sheet, strings, dates, package.limits)
        with suppress(SheetTooLarge):
            package.parse(part, reader.start, reader.end, reader.text)
        sheets.append(sheet)
    return sheets


def _worksheets(package: Package) -> tuple[list[tuple[str, str, bool]], bool]:
    """Name, part and whether it is hidden of each worksheet; whether days count from 1904."""
    workbook = "xl/workbook.xml"
    for kind, target in _relations(package, "").values():
        if kind == "officeDocument":
            workbook = target
    relations = _relations(package, workbook)
    places = []
    epoch_1904 = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal epoch_1904
        element = local_name(name)
        if element == "workbookPr":
            epoch_1904 = attributes.get("date1904") in {"1", "true"}
        elif element == "sheet":
            # `id` stands under a prefix that each program chooses for itself.
            key = next((v for k, v in attributes.items() if k.endswith(":id")), "")
            kind, part = relations.get(key, ("", ""))
            if kind == "worksheet":
                hidden = attributes.get("state", "visible") != "visible"
                places.append((attributes.get("name", ""), part, hidden))

    package.parse(workbook, start)
    if not places:
        raise unreadable(
            "no-sheet", "the workbook has no worksheet", "save it again as .xlsx with a worksheet"
        )
    return places, epoch_1904


def _relations(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to: kind and full part name by relation id."""
    folder, _, file = part.rpartition("/")
    found: dict[str, tuple[str, str]] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if local_name(name) == "Relationship":
            kind = attributes.get("Type", "").rpartition("/")[2]
            target = attributes.get("Target", "").replace("\\", "/")
            whole = target[1:] if target.startswith("/") else f"{folder}/{target}".lstrip("/")
            found[attributes.get("Id", "")] = kind, whole

    path = f"{folder}/_rels/{file}.rels".lstrip("/")
    if path in package.names:
        package.parse(path, start)
    return found


class _SharedStrings:
    """The table of texts: runs of rich text are joined, readings above characters left out."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._parts: list[str] = []
        self._in_text = False
        self._in_reading = False

    def read(self, package: Package) -> list[str]:
        part = next(
            (name for name in package.names if name.lower() == "xl/sharedstrings.xml"), None
        )
        if part is not None:
            package.parse(part, self._start, self._end, self._text)
        return self._texts

    def _start(self, name: str, _: dict[str, str]) -> None:
        element = local_name(name)
        if element == "rPh":
            self._in_reading = True
        elif element == "t":
            self._in_text = not self._in_reading

    def _end(self, name: str) -> None:
        element = local_name(name)
        if element == "si":
            self._texts.append(_unescaped("".join(self._parts)))
            self._parts.clear()
        elif element == "rPh":
            self._in_reading = False
        elif element == "t":
            self._in_text = False

    def _text(self, text: str) -> None:
        if self._in_text:
            self._parts.append(text)


class _SheetReader:
    """Handlers for one worksheet; cells and rows that do not say where they stand are counted."""

    def __init__(self, sheet: Sheet, strings: list[str], dates: DateStyles, limits: Limits) -> None:
        self._sheet = sheet
        self._strings = strings
        self._dates = dates
        self._limits = limits
        self._row = 0
        self._column = -1
        self._kind = "n"
        self._style = "0"
        self._value: list[str] = []
        self._formula: list[str] | None = None
        self._into: list[str] | None = None
        self._in_reading = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = local_name(name) if ":" in name else name
        if element == "c":
            reference = _REFERENCE.match(attributes.get("r", ""))
            self._column = column_number(reference[1]) if reference else self._column + 1
            self._kind = attributes.get("t", "n")
            self._style = attributes.get("s", "0")
            self._value = []
            self._formula = None
        elif element == "v" or (element == "t" and not self._in_reading):
            self._into = self._value
        elif element == "f":
            self._formula = self._into = []
        elif element == "row":
            written = attributes.get("r", "")
            self._row = int(written) if written.isdecimal() else self._row + 1
            self._column = -1
            if attributes.get("hidden") in {"1", "true"}:
                self._sheet.hidden_rows.add(self._row)
        elif element == "rPh":
            self._in_reading = True
        elif element == "col" and attributes.get("hidden") in {"1", "true"}:
            self._hide_columns(attributes)
        elif element == "mergeCell":
            self._merge(attributes.get("ref", ""))

    def end(self, name: str) -> None:
        element = local_name(name) if ":" in name else name
        if element in {"v", "t", "f"}:
            self._into = None
        elif element == "c":
            if self._value or self._formula is not None:
                self._keep()
        elif element == "rPh":
            self._in_reading = False

    def text(self, text: str) -> None:
        if self._into is not None:
            self._into.append(text)

    def _keep(self) -> None:
        written = "".join(self._value)
        place = self._row, self._column
        if written and self._kind == "e":
            self._sheet.flaws.append(Flaw("error-value", *place, written))
        elif not written and self._formula is not None and self._kind != "str":
            formula = "=" + "".join(self._formula)
            self._sheet.flaws.append(Flaw("formula-without-value", *place, formula))
        text = self._read(written)
        if not text.strip():
            return
        if self._row > self._limits.rows:
            self._sheet.refused = too_many_rows(self._sheet.name, self._row, self._limits)
            raise SheetTooLarge
        if self._column >= self._limits.columns:
            self._sheet.refused = too_many_columns(
                self._sheet.name, self._column, self._row, self._limits
            )
            raise SheetTooLarge
        self._sheet.rows.setdefault(self._row, {})[self._column] = text

    def _read(self, written: str) -> str:
        if self._kind == "s":
            index = int(written) if written.strip().isdecimal() else -1
            return self._strings[index] if 0 <= index < len(self._strings) else ""
        if self._kind in {"inlineStr", "str"}:
            return _unescaped(written)
        if self._kind == "b":
            return "TRUE" if written.strip() in {"1", "true"} else "FALSE"
        if self._kind == "e":
            return ""
        if self._kind == "n":
            return self._dates.text(self._style, written) or number_text(written)
        return written

    def _hide_columns(self, attributes: dict[str, str]) -> None:
        first, last = attributes.get("min", ""), attributes.get("max", "")
        if first.isdecimal() and last.isdecimal():
            columns = range(int(first) - 1, min(int(last), self._limits.columns))
            self._sheet.hidden_columns.update(columns)

    def _merge(self, written: str) -> None:
        corners = [_REFERENCE.match(corner) for corner in written.split(":")]
        if len(corners) != 2 or corners[0] is None or corners[1] is None:
            return
        column, first, last = column_number(corners[0][1]), int(corners[0][2]), int(corners[1][2])
        if first < last:
            self._sheet.merged_down.append((column, first, min(last, self._limits.rows)))


def _unescaped(text: str) -> str:
    """Line ends and control characters, which Excel writes as `_x000D_`."""
    if "_x" in text:
        text = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return text.replace("\r\n", "\n").replace("\r", "\n")
