"""Reads a library from a sheet that a person wrote: never an exception, always findings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._headings import Layout, heading_findings, layout_of
from sera.behaviour.library._open import open_sheets
from sera.behaviour.library._rows import RowReader
from sera.behaviour.library._sheet import Limits, Sheet, Unreadable, column_letters
from sera.behaviour.library._words import key, language_of
from sera.behaviour.library.library import Library
from sera.behaviour.library.line import DialogueRow, Line

DEFAULT_LIMITS = Limits()
_PREFERRED = frozenset({"utterances", "utterance"})


@dataclass(frozen=True, slots=True)
class LibraryReading:
    """What a file gave."""

    library: Library
    findings: tuple[Finding, ...] = ()
    usable: bool = True
    """False where the file could not be read or holds nothing to say: keep what you had."""


def read_library(
    path: Path,
    *,
    name: str | None = None,
    language: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> LibraryReading:
    """Read .xlsx, .ods or .csv.

    Args:
        path: the file.
        name: of the library; None: that of the file, without language and ending.
        language: of a text column that names none; None: as in the file's name (`lines.pt.xlsx`).
        limits: what is read at most.
    """
    stem, named_language = split_language(path)
    name = name or stem
    spoken = (language if language is not None else named_language).lower().replace("_", "-")
    try:
        sheets, findings = open_sheets(path, limits)
    except Unreadable as problem:
        return LibraryReading(
            Library(name), (replace(problem.finding, sheet=path.name),), usable=False
        )
    findings = [
        finding if finding.sheet else replace(finding, sheet=path.name) for finding in findings
    ]
    chosen, found = _choose(sheets)
    findings += found
    lines: list[Line] = []
    dialogue: list[DialogueRow] = []
    made_ids: dict[str, int] = {}
    for sheet, layout in chosen:
        sheet.fill_merged()
        reader = RowReader(path.name, sheet, layout, language=spoken, made_ids=made_ids)
        if layout.is_dialogue:
            dialogue += reader.dialogue()
        else:
            lines += reader.lines()
        findings += heading_findings(sheet, layout) + _flaws(sheet, layout) + reader.findings
        findings += _hidden(sheet)
    refused = any(sheet.refused is not None for sheet, _ in chosen)
    if chosen and not lines and not dialogue:
        findings.append(
            Finding(
                code="no-lines",
                message="there are headings but no line below them",
                fix="write a line, and save the file",
                sheet=chosen[0][0].name,
            )
        )
    usable = bool(lines or dialogue) and not refused
    return LibraryReading(Library(name, lines, dialogue), tuple(findings), usable=usable)


def split_language(path: Path) -> tuple[str, str]:
    """The name of a file without ending and language, and the language: lines.pt.xlsx."""
    stem, dot, last = path.stem.rpartition(".")
    language = language_of(last) if dot and stem else None
    return (stem, language) if language is not None else (path.stem, "")


def _choose(sheets: list[Sheet]) -> tuple[list[tuple[Sheet, Layout]], list[Finding]]:
    """The sheets to read: all dialogue sheets, and *Utterances*, else all that have the columns."""
    findings: list[Finding] = []
    with_layout = [(sheet, layout) for sheet in sheets if (layout := layout_of(sheet)) is not None]
    shown = [pair for pair in with_layout if not pair[0].hidden] or with_layout
    findings += [
        _ignored(sheet, "the sheet is hidden and is not read", "show it, or delete it")
        for sheet, _ in with_layout
        if not any(sheet is other for other, _ in shown)
    ]
    preferred = [
        sheet for sheet, layout in shown if key(sheet.name) in _PREFERRED and not layout.is_dialogue
    ]
    chosen = []
    for sheet, layout in shown:
        if preferred and sheet is not preferred[0] and not layout.is_dialogue:
            message = f"the sheet has lines too, but only '{preferred[0].name}' is read"
            fix = f"move its rows there, or rename '{preferred[0].name}' to have all sheets read"
            findings.append(_ignored(sheet, message, fix))
        else:
            chosen.append((sheet, layout))
    for sheet in sheets:
        if sheet.refused is not None:
            matters = not chosen or any(sheet is other for other, _ in chosen)
            severity = Severity.ERROR if matters else Severity.WARNING
            findings.append(replace(sheet.refused, severity=severity))
    if not chosen:
        names = ", ".join(f"'{sheet.name}'" for sheet in sheets[:5])
        findings.append(
            Finding(
                code="no-columns",
                message=f"no sheet ({names}) has a row with the headings TEXT and CATEGORY",
                fix="write the headings above the lines, or begin with `sera utterances new`",
                sheet=sheets[0].name if sheets else "",
            )
        )
    return chosen, findings


def _ignored(sheet: Sheet, message: str, fix: str) -> Finding:
    return Finding(
        code="sheet-ignored",
        message=message,
        fix=fix,
        severity=Severity.WARNING,
        sheet=sheet.name,
    )


def _hidden(sheet: Sheet) -> list[Finding]:
    """Rows that a filter hides are lines nevertheless; the author should know."""
    rows = sum(row in sheet.rows for row in sheet.hidden_rows)
    if not rows:
        return []
    return [
        Finding(
            code="hidden-rows",
            message=f"{rows} hidden row{'' if rows == 1 else 's'} of the sheet are read as well",
            fix="delete what should not be said; take the filter off to see it",
            severity=Severity.WARNING,
            sheet=sheet.name,
        )
    ]


def _flaws(sheet: Sheet, layout: Layout) -> list[Finding]:
    header = sheet.rows[layout.row]
    sentences = {
        "formula-without-value": (
            "the formula has no stored value, and formulas are never computed here",
            "open and save the file in a spreadsheet program, or write the text itself",
        ),
        "error-value": ("the cell shows an error", "write the text itself"),
    }
    return [
        Finding(
            code=flaw.kind,
            message=sentences[flaw.kind][0],
            fix=sentences[flaw.kind][1],
            sheet=sheet.name,
            row=flaw.row,
            column=" ".join(header.get(flaw.column, column_letters(flaw.column)).split()),
            text=flaw.text,
        )
        for flaw in sheet.flaws
        if flaw.row > layout.row
    ]
