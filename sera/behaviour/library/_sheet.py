"""A sheet as text cells, whatever the file was, and the limits within which one is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from sera.behaviour.findings import Finding


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read at most; a library of a study is far below it, a mistaken file far above."""

    file_bytes: int = 50_000_000
    unpacked_bytes: int = 64_000_000
    """Of all parts that are read, so that a zip bomb is refused by its own table of contents."""
    rows: int = 50_000
    columns: int = 200


_MERGES = 5000
_MERGED_ROWS = 1000
"""More are not followed, so that a hostile file cannot keep the reader busy."""

FlawKind = Literal["formula-without-value", "error-value"]


@dataclass(frozen=True, slots=True)
class Flaw:
    """A cell that holds nothing that can be read."""

    kind: FlawKind
    row: int
    column: int
    text: str


@dataclass(slots=True)
class Sheet:
    """Cells by row (from 1) and column (from 0); empty cells and empty rows are left out."""

    name: str
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    flaws: list[Flaw] = field(default_factory=list)
    hidden: bool = False
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merged_down: list[tuple[int, int, int]] = field(default_factory=list)
    """Cells merged over several rows: column, first row, last row."""
    refused: Finding | None = None
    """Why the sheet was not read to its end."""

    def fill_merged(self) -> None:
        """Give every row of a merged cell its text: one category beside five lines is meant so."""
        for column, first, last in self.merged_down[:_MERGES]:
            text = self.rows.get(first, {}).get(column)
            if text is None:
                continue
            for row in range(first + 1, min(last, first + _MERGED_ROWS) + 1):
                if row in self.rows:
                    self.rows[row].setdefault(column, text)


class Unreadable(Exception):
    """A file that gives no sheet at all, with the finding that says so."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(str(finding))


class SheetTooLarge(Exception):
    """Raised inside a reader to stop at a limit."""


def unreadable(code: str, message: str, fix: str) -> Unreadable:
    """The exception with its finding."""
    return Unreadable(Finding(code=code, message=message, fix=fix))


def too_large(sheet: str, message: str) -> Finding:
    """A sheet beyond the limits."""
    return Finding(
        code="sheet-too-large",
        message=message,
        fix="delete what does not belong to the library, or split it into several files",
        sheet=sheet,
    )


def too_many_rows(sheet: str, row: int, limits: Limits) -> Finding:
    """A cell beyond the last row that is read."""
    return too_large(
        sheet, f"something stands in row {row}, and at most {limits.rows} rows are read"
    )


def too_many_columns(sheet: str, column: int, row: int, limits: Limits) -> Finding:
    """A cell beyond the last column that is read."""
    return too_large(
        sheet,
        f"something stands in cell {column_letters(column)}{row}, "
        f"and at most {limits.columns} columns are read",
    )


def number_text(written: str) -> str:
    """A number as a person sees it: 1.0 is 1, and 0.30000000000000004 is 0.3."""
    try:
        number = float(written)
    except ValueError:
        return written
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.15g}"


def column_letters(column: int) -> str:
    """0 → A, 26 → AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


@lru_cache(maxsize=1024)
def column_number(letters: str) -> int:
    """A → 0, AA → 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
