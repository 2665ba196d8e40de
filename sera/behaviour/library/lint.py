"""Finds what is wrong in a library that was read: ids, empty cells, questions, languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._spoken import spoken
from sera.behaviour.library.library import Library
from sera.behaviour.library.line import UNMARKED, DialogueRow, Line

TextCheck = Callable[[str], list[Finding]]
"""Finds what is wrong in one text with its markup; the findings need not know their place."""

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")


def lint_library(library: Library, check_text: TextCheck | None = None) -> list[Finding]:
    """Everything that is wrong or doubtful, in the order of the sheet.

    What reading itself found (unknown repetition rules, formulas without a value …) stands in
    `LibraryReading.findings` and is not repeated here.
    """
    findings: list[Finding] = []
    first_with: dict[str, Line] = {}
    first_text: dict[tuple[str, str, str], Line] = {}
    for line in library.lines:
        findings += _id_findings(line, first_with.setdefault(line.id, line))
        findings += _cell_findings(line)
        findings += _language_findings(line, library.languages)
        findings += _repeated_text(line, first_text)
        findings += _text_findings(line, check_text)
    for row in library.dialogue:
        findings += _text_findings(row, check_text)
    return findings


def _id_findings(line: Line, first: Line) -> list[Finding]:
    if first is line:
        return []
    message = f"the id '{line.id}' stands in {first.origin} already"
    fix = "give each line an id of its own; an empty cell gets one by itself"
    return [_at(line, "id", "duplicate-id", message, fix, text=line.id)]


def _cell_findings(line: Line) -> list[Finding]:
    findings = []
    if not line.texts:
        message = "the line has neither words nor actions"
        fix = "write what is said, or an action such as <HEADNOD(2)>, or delete the row"
        findings.append(_at(line, _text_meaning(line), "empty-text", message, fix))
    if not line.category:
        fix = "fill in the category"
        if line.id_is_given:
            message = "the line has no category and can be called by its id alone"
        else:
            message = "the line has neither category nor id, so nothing can call it"
            fix = "fill in the category, or an id"
        severity = Severity.WARNING if line.id_is_given else Severity.ERROR
        finding = _at(line, "category", "empty-category", message, fix, severity=severity)
        findings.append(finding)
    return findings


def _language_findings(line: Line, languages: tuple[str, ...]) -> list[Finding]:
    if not line.texts or UNMARKED in line.texts:
        return []
    return [
        _at(
            line,
            f"text:{language}",
            "missing-language",
            f"the line has no text in '{language}'",
            "translate it, or it is never chosen in that language",
            severity=Severity.WARNING,
        )
        for language in languages
        if line.text_in(language) is None
    ]


def _repeated_text(line: Line, first: dict[tuple[str, str, str], Line]) -> list[Finding]:
    for language, text in line.texts.items():
        earlier = first.setdefault((line.category_path.casefold(), language, text), line)
        if earlier is not line:
            message = f"the same text stands in {earlier.origin} already, in the same category"
            fix = "delete one of them; a line that should come more often takes a WEIGHT"
            severity = Severity.WARNING
            place = f"text:{language}"
            return [_at(line, place, "duplicate-text", message, fix, severity=severity)]
    return []


def _text_findings(part: Line | DialogueRow, check_text: TextCheck | None) -> list[Finding]:
    findings = []
    for language, text in part.texts.items():
        meaning = f"text:{language}"
        if isinstance(part, Line):
            findings += _question_findings(part, meaning, spoken(text))
        if check_text is not None:
            place = part.origin
            findings += [
                replace(found, sheet=place.sheet, row=place.row, column=place.heading(meaning))
                for found in check_text(text)
            ]
    return findings


def _question_findings(line: Line, meaning: str, words: str) -> list[Finding]:
    warning = Severity.WARNING
    if line.question and words and not any(mark in words for mark in _QUESTION_MARKS):
        message = "the line is marked as a question but has no question mark"
        fix = "write the question mark, so that the voice rises, or take the mark out of QUESTION"
        return [_at(line, meaning, "question-without-mark", message, fix, severity=warning)]
    if not line.question and words.endswith(_QUESTION_MARKS):
        message = "the line ends with a question mark but is not marked as a question"
        fix = "write yes under QUESTION if the robot should wait for an answer"
        return [_at(line, "question", "question-not-marked", message, fix, severity=warning)]
    return []


def _text_meaning(line: Line) -> str:
    found = (name for name in line.origin.headings if name.startswith("text:"))
    return next(found, "text")


def _at(
    line: Line,
    meaning: str,
    code: str,
    message: str,
    fix: str,
    *,
    text: str = "",
    severity: Severity = Severity.ERROR,
) -> Finding:
    return Finding(
        code=code,
        message=message,
        fix=fix,
        severity=severity,
        sheet=line.origin.sheet,
        row=line.origin.row,
        column=line.origin.heading(meaning),
        text=text,
    )
