"""Turns the rows below the headings into lines or dialogue rows."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sera.behaviour.findings import Finding
from sera.behaviour.library._headings import Layout
from sera.behaviour.library._sheet import Sheet
from sera.behaviour.library._words import key, repetitions_of, truth_of
from sera.behaviour.library.line import (
    UNMARKED,
    DialogueRow,
    Line,
    Origin,
    Repetitions,
    category_of,
)
from sera.runtime.located import nearest_name


class RowReader:
    """Reads one sheet; what is wrong in it gathers in `findings`.

    Args:
        file: name of the file.
        sheet: the cells.
        layout: what the columns mean.
        language: of the plain text column.
        made_ids: how often each made id was given in this library so far.
    """

    def __init__(
        self,
        file: str,
        sheet: Sheet,
        layout: Layout,
        *,
        language: str,
        made_ids: dict[str, int],
    ) -> None:
        self.findings: list[Finding] = []
        self._sheet = sheet
        self._layout = layout
        self._made_ids = made_ids
        self._file = file
        self._texts = dict(layout.texts)
        headings = dict(layout.headings)
        if UNMARKED in self._texts and language and language not in self._texts:
            # Keeps the order of the columns, since the first text stands for the line's id.
            self._texts = {tag or language: column for tag, column in self._texts.items()}
            headings[f"text:{language}"] = headings[f"text:{UNMARKED}"]
        self._headings: Mapping[str, str] = MappingProxyType(headings)

    def lines(self) -> Iterator[Line]:
        """The lines in the order of the sheet."""
        for number, cells in self._rows():
            line = self._line(number, cells)
            if line is not None:
                yield line

    def dialogue(self) -> Iterator[DialogueRow]:
        """The rows of a dialogue sheet in its order."""
        for number, cells in self._rows():
            origin = self._origin(number)
            current = self._cell(cells, "current_state")
            if not current:
                self._complain(
                    number,
                    "current_state",
                    code="empty-state",
                    message="the row does not say in which state it applies",
                    fix="fill in the state",
                )
                continue
            yield DialogueRow(
                current_state=current,
                next_state=self._cell(cells, "next_state"),
                meaning=self._cell(cells, "meaning"),
                style=self._cell(cells, "style"),
                when=self._cell(cells, "when"),
                texts=self._row_texts(cells),
                metadata=self._metadata(cells, also=("category", "question", "repetitions", "id")),
                origin=origin,
            )

    def _rows(self) -> Iterator[tuple[int, dict[int, str]]]:
        rows = self._sheet.rows
        header = {
            column: cell.strip().casefold() for column, cell in rows[self._layout.row].items()
        }
        for number in sorted(rows):
            cells = rows[number]
            # A heading merged over two rows, or repeated further down, is no line.
            if number > self._layout.row and any(
                cell.strip().casefold() != header.get(column) for column, cell in cells.items()
            ):
                yield number, cells

    def _line(self, number: int, cells: dict[int, str]) -> Line | None:
        texts = self._row_texts(cells)
        category = category_of(self._cell(cells, "category"))
        category += category_of(self._cell(cells, "subcategory"))
        written_id = self._cell(cells, "id")
        metadata = self._metadata(cells)
        if not texts and not category and not written_id and not metadata:
            # Ready-made check boxes and drop-down lists below the last line.
            return None
        question = self._question(number, self._cell(cells, "question"))
        first_text = next(iter(texts.values()), "")
        return Line(
            id=written_id or self._made_id(category, first_text),
            texts=texts,
            category=category,
            question=question,
            repetitions=self._repetitions(number, self._cell(cells, "repetitions")),
            weight=self._weight(number, self._cell(cells, "weight")),
            waits=truth_of(self._cell(cells, "wait") or "yes") is not False,
            metadata=metadata,
            origin=self._origin(number),
            id_is_given=bool(written_id),
        )

    def _cell(self, cells: dict[int, str], meaning: str) -> str:
        column = self._layout.columns.get(meaning)
        return cells.get(column, "").strip() if column is not None else ""

    def _row_texts(self, cells: dict[int, str]) -> Mapping[str, str]:
        found = {tag: cells.get(column, "").strip() for tag, column in self._texts.items()}
        return MappingProxyType({tag: text for tag, text in found.items() if text})

    def _metadata(self, cells: dict[int, str], also: tuple[str, ...] = ()) -> Mapping[str, str]:
        columns = self._layout.extras
        if also:
            known = self._layout.columns
            columns = columns | {self._headings[n]: known[n] for n in also if n in known}
        found = {heading: cells.get(column, "").strip() for heading, column in columns.items()}
        return MappingProxyType({heading: text for heading, text in found.items() if text})

    def _origin(self, number: int) -> Origin:
        return Origin(self._file, self._sheet.name, number, self._headings)

    def _made_id(self, category: tuple[str, ...], text: str) -> str:
        """The same for the same words, so that lines inserted above change nothing."""
        made = made_id(category, text)
        count = self._made_ids[made] = self._made_ids.get(made, 0) + 1
        return made if count == 1 else f"{made}-{count}"

    def _question(self, number: int, written: str) -> bool:
        truth = truth_of(written)
        if truth is None:
            self._complain(
                number,
                "question",
                written,
                code="unknown-truth",
                message="QUESTION takes yes or no; this is read as no",
                fix="write yes or no, TRUE or FALSE, or x",
            )
        return bool(truth)

    def _repetitions(self, number: int, written: str) -> Repetitions:
        rule = repetitions_of(written)
        if rule is not None:
            return rule
        near = nearest_name(written, [*Repetitions, "once in a session", "once and for ever"])
        guess = f"; did you mean '{near}'?" if near else ""
        self._complain(
            number,
            "repetitions",
            written,
            code="unknown-repetition",
            message=f"there is no such repetition rule{guess}",
            fix="write any, session or ever",
        )
        return Repetitions.ANY

    def _weight(self, number: int, written: str) -> float:
        if not written:
            return 1.0
        try:
            weight = float(written.replace(",", "."))
        except ValueError:
            weight = -1.0
        if 0.0 <= weight < float("inf"):
            return weight
        self._complain(
            number,
            "weight",
            written,
            code="bad-weight",
            message="a weight is a number from 0 up; this is read as 1",
            fix="write 1, or 2 for twice as often",
        )
        return 1.0

    def _complain(
        self, row: int, meaning: str, text: str = "", *, code: str, message: str, fix: str
    ) -> None:
        finding = Finding(
            code=code,
            message=message,
            fix=fix,
            sheet=self._sheet.name,
            row=row,
            column=self._headings.get(meaning, meaning.upper()),
            text=text,
        )
        self.findings.append(finding)


def made_id(category: tuple[str, ...], text: str) -> str:
    """An id from category and text, blind to case of the category and to spaces."""
    path = ":".join(category).casefold()
    words = " ".join(unicodedata.normalize("NFC", text).split())
    digest = hashlib.blake2b(f"{path}\n{words}".encode(), digest_size=4).hexdigest()
    return f"{key(category[-1])[:20] or 'line' if category else 'line'}-{digest}"
