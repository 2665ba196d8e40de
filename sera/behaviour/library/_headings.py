"""Finds the heading row of a sheet and says what each column means."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.library._sheet import Sheet
from sera.behaviour.library._words import MEANINGS, key, text_language
from sera.behaviour.library.line import UNMARKED
from sera.runtime.located import nearest_name

_ROWS_TO_SEARCH = 30
"""Titles, logos and instructions may stand above the headings, but not for ever."""

_LINE_COLUMNS = ("category", "question", "repetitions", "id", "weight", "wait")


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column holds what."""

    row: int
    """The row of the headings."""
    columns: dict[str, int] = field(default_factory=dict)
    """Columns with a meaning, without the texts."""
    texts: dict[str, int] = field(default_factory=dict)
    """Columns of text by language."""
    extras: dict[str, int] = field(default_factory=dict)
    """All other columns by heading."""
    headings: dict[str, str] = field(default_factory=dict)
    """The heading as written, by meaning; texts as `text:<language>`."""
    repeated: list[tuple[str, str]] = field(default_factory=list)
    """Headings that stand there a second time, with the first one that means the same."""

    @property
    def is_dialogue(self) -> bool:
        return "current_state" in self.columns and "next_state" in self.columns

    @property
    def merit(self) -> int:
        """How many columns are recognised."""
        return len(self.columns) + len(self.texts)

    def column_index(self, heading: str) -> int | None:
        """The column under a heading as written, None where there is none."""
        if heading in self.extras:
            return self.extras[heading]
        places = {f"text:{tag}": column for tag, column in self.texts.items()} | self.columns
        written = (meaning for meaning, shown in self.headings.items() if shown == heading)
        return next((places[meaning] for meaning in written), None)


def layout_of(sheet: Sheet) -> Layout | None:
    """The layout by the row that reads most like headings; None where the sheet holds no lines."""
    best: Layout | None = None
    for row in islice(sorted(sheet.rows), _ROWS_TO_SEARCH):
        layout = _layout(row, sheet.rows[row])
        if _counts(layout, sheet.rows[row]) and (best is None or layout.merit > best.merit):
            best = layout
    return best


def heading_findings(sheet: Sheet, layout: Layout) -> list[Finding]:
    """What is doubtful about the headings."""
    findings = [
        Finding(
            code="repeated-column",
            message=f"the column '{second}' means the same as '{first}' and is not read",
            fix="rename or delete one of them; a language is written as `TEXT pt`",
            severity=Severity.WARNING,
            sheet=sheet.name,
            row=layout.row,
            column=second,
        )
        for second, first in layout.repeated
    ]
    if layout.is_dialogue:
        return findings
    missing = [name for name in _LINE_COLUMNS if name not in layout.columns]
    for heading in layout.extras:
        near = nearest_name(heading, missing)
        if near is not None and abs(len(near) - len(heading)) < 4:
            findings.append(
                Finding(
                    code="unknown-column",
                    message=f"'{heading}' is an extra column; did you mean '{near.upper()}'?",
                    fix=f"write {near.upper()} if that is meant",
                    severity=Severity.WARNING,
                    sheet=sheet.name,
                    row=layout.row,
                    column=heading,
                )
            )
    if "category" in missing:
        findings.append(
            Finding(
                code="no-category-column",
                message="there is no column CATEGORY, so lines can be called by their id alone",
                fix="add a column CATEGORY",
                severity=Severity.WARNING,
                sheet=sheet.name,
                row=layout.row,
            )
        )
    return findings


def _layout(row: int, cells: dict[int, str]) -> Layout:
    layout = Layout(row)
    for column in sorted(cells):
        heading = " ".join(cells[column].split())
        meaning = MEANINGS.get(key(heading))
        language = UNMARKED if meaning == "text" else text_language(heading)
        if meaning is not None and meaning != "text":
            _place(layout, meaning, column, heading)
        elif language is not None:
            _place(layout, f"text:{language}", column, heading)
        elif heading not in layout.extras:
            layout.extras[heading] = column
    return layout


def _place(layout: Layout, meaning: str, column: int, heading: str) -> None:
    if meaning in layout.headings:
        layout.repeated.append((heading, layout.headings[meaning]))
        return
    layout.headings[meaning] = heading
    kind, is_text, language = meaning.partition(":")
    if is_text:
        layout.texts[language] = column
    else:
        layout.columns[kind] = column


def _counts(layout: Layout, cells: dict[int, str]) -> bool:
    """Whether the row is a heading row: texts beside something else, or the one word `TEXT`."""
    if layout.is_dialogue:
        return True
    if not layout.texts:
        return False
    known_lines = [name for name in layout.columns if name in {*_LINE_COLUMNS, "subcategory"}]
    return bool(known_lines) or len(layout.texts) > 1 or len(cells) == 1
