"""A workbook as the page shows it: its sheets, the lines by row, and the findings by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library import (
    DialogueRow,
    Library,
    LibraryReading,
    Limits,
    Line,
    lint_library,
    read_library,
    split_language,
    stats,
)
from sera.behaviour.library._headings import Layout, layout_of
from sera.behaviour.library._open import open_sheets
from sera.behaviour.library._sheet import Sheet, Unreadable
from sera.behaviour.markup import MarkupSyntax, ParsedLine, lint_text, parse
from sera.behaviour.markup.tokens import Instruction, Literal, SpeechControl, TagUse, tag_uses
from sera.console.workbooks._work import UPLOAD_BYTES

if TYPE_CHECKING:
    from sera.cli._wording import Wording

UPLOAD_LIMITS = Limits(file_bytes=UPLOAD_BYTES, unpacked_bytes=48_000_000, rows=20_000, columns=100)
"""What a page may hand in; the library of a study is far below it."""
_PIECES = {Instruction: "do", SpeechControl: "control", TagUse: "tag"}


@dataclass(frozen=True, slots=True)
class Called:
    """What people are told in place of where the file lies, as the sheet of a text file, too."""

    path: Path
    label: str

    def shown(self, text: str) -> str:
        """A text with the author's name of the file."""
        return text.replace(self.path.name, self.label).replace(self.path.stem, self.stem)

    @property
    def stem(self) -> str:
        return PurePath(self.label).stem


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was read and checked."""

    reading: LibraryReading
    findings: list[Finding]
    """With the sheets as the file calls them."""
    syntax: MarkupSyntax
    sheets: list[Sheet]
    called: Called


def check(path: Path, label: str, wording: Wording) -> Checked:
    """Read a file and find what is wrong in it.

    Args:
        path: where it lies.
        label: what its author calls it; findings say this, not the path.
        wording: what its lines may say.
    """
    stem, language = split_language(Path(label))
    reading = read_library(path, name=stem, language=language, limits=UPLOAD_LIMITS)
    library = reading.library
    found = list(reading.findings)
    lines = Library(library.name, library.lines)
    found += lint_library(lines, lambda text: lint_text(text, wording.vocabulary, wording.syntax))
    if library.dialogue:
        from sera.behaviour.dialogue import Script, lint_dialogue

        found += lint_dialogue(Script(library.dialogue), wording.vocabulary, wording.syntax)
    try:
        sheets, _ = open_sheets(path, UPLOAD_LIMITS)
    except Unreadable:
        sheets = []  # the reading says so already
    called = Called(path, label)
    findings = [
        replace(one, message=called.shown(one.message), fix=called.shown(one.fix)) for one in found
    ]
    return Checked(reading, findings, wording.syntax, sheets, called)


def document(checked: Checked) -> dict[str, Any]:
    """Everything that the page shows, as JSON."""
    library, findings, called = checked.reading.library, checked.findings, checked.called
    by_row: dict[tuple[str, int], list[Finding]] = {}
    problems = []
    parts: dict[str, dict[int, Line | DialogueRow]] = {}
    every: list[Line | DialogueRow] = [*library.lines, *library.dialogue]
    for part in every:
        if part.origin.row is not None:
            parts.setdefault(part.origin.sheet, {})[part.origin.row] = part
    for finding in findings:
        if finding.row is None or finding.row not in parts.get(finding.sheet, {}):
            problems.append(finding.as_dict() | {"sheet": called.shown(finding.sheet)})
        else:
            by_row.setdefault((finding.sheet, finding.row), []).append(finding)
    shown = [
        {"title": called.shown(sheet.name)}
        | _sheet(sheet, layout, parts[sheet.name], by_row, checked.syntax)
        for sheet in checked.sheets
        if sheet.name in parts and (layout := layout_of(sheet)) is not None
    ]
    severities = Counter(finding.severity for finding in findings)
    counts = stats(library).as_dict() | {
        "findings": len(findings),
        "errors": severities[Severity.ERROR],
        "warnings": severities[Severity.WARNING],
        "codes": dict(Counter(finding.code for finding in findings)),
    }
    return {
        "name": called.label,
        "readable": checked.reading.usable,
        "languages": list(library.languages),
        "sheets": shown,
        "counts": counts,
        "problems": problems,
    }


def _sheet(
    sheet: Sheet,
    layout: Layout,
    parts: Mapping[int, Line | DialogueRow],
    findings: Mapping[tuple[str, int], list[Finding]],
    syntax: MarkupSyntax,
) -> dict[str, Any]:
    sheet.fill_merged()
    header = sheet.rows[layout.row]
    columns = sorted(header)
    return {
        "kind": "dialogue" if layout.is_dialogue else "lines",
        "columns": [" ".join(header[column].split()) for column in columns],
        "meanings": {heading: meaning for meaning, heading in layout.headings.items()},
        "rows": [
            {
                "row": number,
                "cells": [sheet.rows.get(number, {}).get(column, "") for column in columns],
                **_row(part, syntax),
                "findings": [_found(one) for one in findings.get((sheet.name, number), [])],
            }
            for number, part in parts.items()
        ],
    }


def _row(part: Line | DialogueRow, syntax: MarkupSyntax) -> dict[str, Any]:
    texts = [_text(tag, text, syntax) for tag, text in part.texts.items()]
    first: dict[str, Any] = texts[0] if texts else {"text": "", "shown": "", "tags": []}
    said: dict[str, Any] = {
        "text": first["text"],
        "shown": first["shown"],
        "tags": first["tags"],
        "texts": texts,
        "metadata": dict(part.metadata),
    }
    if isinstance(part, Line):
        return said | {
            "id": part.id,
            "id_is_given": part.id_is_given,
            "category": part.category_path,
            "question": part.question,
            "repetitions": part.repetitions.value,
        }
    states = f"{part.current_state} → {part.next_state}" if part.next_state else part.current_state
    extra = {"When": part.when, "Meaning": part.meaning, "Style": part.style}
    said["metadata"] = {name: value for name, value in extra.items() if value} | said["metadata"]
    return said | {"id": "", "id_is_given": False, "category": states, "question": False}


def _text(language: str, text: str, syntax: MarkupSyntax) -> dict[str, Any]:
    line = parse(text, syntax)
    said = {token.name for token in line.tokens if isinstance(token, TagUse)}
    return {
        "language": language,
        "text": text,
        "shown": line.text,
        "tags": list(line.tags),
        # Tags that only steer gaze and gestures name no person whom anybody hears.
        "unsaid_tags": [use.name for use in tag_uses(line.tokens) if use.name not in said],
        "pieces": _pieces(text, line),
    }


def _pieces(text: str, line: ParsedLine) -> list[tuple[str, str]]:
    """The cell in parts that are said, filled in or done; empty where all of it is said."""
    if all(isinstance(token, Literal) and token.is_raw for token in line.tokens):
        return []
    pieces = [
        (_PIECES.get(type(token), "say"), text[token.start : token.end]) for token in line.tokens
    ]
    return pieces if "".join(piece for _, piece in pieces) == text else []


def _found(finding: Finding) -> dict[str, Any]:
    names = ("column", "code", "message", "fix", "text", "start")
    return {name: getattr(finding, name) for name in names} | {"severity": finding.severity.value}
