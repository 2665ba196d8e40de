"""Makes one library of several files: parts of a scenario, or the same lines in other languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._sheet import Limits
from sera.behaviour.library.library import Library
from sera.behaviour.library.line import UNMARKED, Line
from sera.behaviour.library.read import DEFAULT_LIMITS, LibraryReading, read_library


def read_libraries(
    paths: Sequence[Path], *, name: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> LibraryReading:
    """Read several files as one library; findings name the file where there is more than one."""
    if len(paths) == 1:
        return read_library(paths[0], name=name, limits=limits)
    readings = []
    for path in paths:
        reading = read_library(path, limits=limits)
        findings = tuple(_with_file(finding, path.name) for finding in reading.findings)
        readings.append(replace(reading, findings=findings))
    return compose(readings, name=name)


def compose(readings: Iterable[LibraryReading], *, name: str | None = None) -> LibraryReading:
    """One library of several.

    A line with the same given id and other languages adds its texts to the first one, so that
    `lines.en.xlsx` and `lines.pt.xlsx` make one library in two languages. A line that stands in
    two files otherwise counts once, the first one, and is reported.
    """
    readings = list(readings)
    findings = [finding for reading in readings for finding in reading.findings]
    lines: list[Line] = []
    for reading in readings:
        # Ids given twice within one file are the lint's to report.
        place = {line.id: index for index, line in reversed(list(enumerate(lines)))}
        for line in reading.library.lines:
            index = place.get(line.id)
            if index is None:
                lines.append(line)
                continue
            merged, finding = _merged(lines[index], line)
            lines[index] = merged
            if finding is not None:
                findings.append(finding)
    dialogue = [row for reading in readings for row in reading.library.dialogue]
    names = dict.fromkeys(reading.library.name for reading in readings)
    usable = bool(readings) and all(reading.usable for reading in readings)
    library = Library(name or "+".join(names), lines, dialogue)
    return LibraryReading(library, tuple(findings), usable=usable)


def _merged(first: Line, second: Line) -> tuple[Line, Finding | None]:
    shared = first.texts.keys() & second.texts.keys()
    if shared or UNMARKED in {*first.texts, *second.texts}:
        same = all(first.texts[tag] == second.texts.get(tag) for tag in shared)
        finding = _at(
            second,
            "duplicate-id",
            f"the line '{second.id}' stands in {first.origin} already, and that one counts",
            "delete one of them" if same else "give one of them another id",
        )
        return first, replace(finding, severity=Severity.WARNING) if same else finding
    texts = MappingProxyType({**first.texts, **second.texts})
    metadata = MappingProxyType({**second.metadata, **first.metadata})
    merged = replace(first, texts=texts, metadata=metadata)
    if second.category and not (
        second.is_in(first.category) and len(second.category) == len(first.category)
    ):
        finding = _at(
            second,
            "category-differs",
            f"the category is '{second.category_path}' here and '{first.category_path}' in "
            f"{first.origin}, which counts",
            "write the same category in both files",
        )
        return merged, replace(finding, severity=Severity.WARNING, column="CATEGORY")
    return merged, None


def _at(line: Line, code: str, message: str, fix: str) -> Finding:
    origin = line.origin
    finding = Finding(
        code=code,
        message=message,
        fix=fix,
        sheet=origin.sheet,
        row=origin.row,
        column=origin.heading("id"),
        text=line.id,
    )
    return _with_file(finding, origin.file)


def _with_file(finding: Finding, file: str) -> Finding:
    """The finding with the file before its sheet, since sheets of two files are often namesakes."""
    if not file or finding.sheet.startswith(file):
        return finding
    return replace(finding, sheet=f"{file}: {finding.sheet}" if finding.sheet else file)
