"""Findings: what is wrong, or doubtful, in what an author wrote, with its place and the fix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How bad it is: with an error a line cannot be performed as written."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong in a sheet."""

    code: str
    """Short and stable, such as `unknown-verb`."""
    message: str
    """One sentence without a full stop: what is wrong, with the nearest valid name."""
    fix: str = ""
    """What to do about it."""
    severity: Severity = Severity.ERROR
    sheet: str = ""
    row: int | None = None
    """As the spreadsheet counts, from 1; None where the whole sheet is meant."""
    column: str = ""
    """The heading of the column."""
    text: str = ""
    """The part of the cell that is meant."""
    start: int | None = None
    """Where that part begins in the cell, in characters from 0."""

    def __str__(self) -> str:
        place = self.sheet
        if self.row is not None:
            place += f"{'!' if place else ''}row {self.row}"
        if self.column:
            place += f", {self.column}"
        shown = f" `{self.text}`" if self.text else ""
        fix = f" ({self.fix})" if self.fix else ""
        return f"{place}: {self.severity.value}: {self.message}{shown}{fix}"

    def as_dict(self) -> dict[str, Any]:
        """The parts by name, for `--json`."""
        return {**asdict(self), "severity": self.severity.value}


def has_errors(findings: Iterable[Finding]) -> bool:
    """Whether one of them keeps a line from being performed."""
    return any(finding.severity is Severity.ERROR for finding in findings)
