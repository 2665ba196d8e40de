"""A library: lines in the order of their sheet, found by id and by category."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from sera.behaviour.library.line import UNMARKED, DialogueRow, Line, category_of


class Library:
    """Everything a character can say.

    Args:
        name: how messages call it.
        lines: in the order of the sheet.
        dialogue: rows of dialogue sheets in the same file.
    """

    def __init__(
        self, name: str, lines: Iterable[Line] = (), dialogue: Iterable[DialogueRow] = ()
    ) -> None:
        self.name = name
        self.lines = tuple(lines)
        self.dialogue = tuple(dialogue)

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        return (
            f"Library({self.name!r}, {len(self.lines)} lines, {len(self.dialogue)} dialogue rows)"
        )

    @cached_property
    def by_id(self) -> dict[str, Line]:
        """The lines by id; the first one counts where an id was given twice."""
        found: dict[str, Line] = {}
        for line in self.lines:
            found.setdefault(line.id, line)
        return found

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that occur, in the order of the sheet; unmarked ones are left out."""
        found: dict[str, None] = {}
        texts_of_lines = [line.texts for line in self.lines]
        for texts in texts_of_lines + [row.texts for row in self.dialogue]:
            found.update((tag, None) for tag, text in texts.items() if tag != UNMARKED and text)
        return tuple(found)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Every category path that a line names, as first written."""
        found: dict[str, str] = {}
        for line in self.lines:
            if line.category:
                found.setdefault(line.category_path.casefold(), line.category_path)
        return tuple(found.values())

    def in_category(self, category: str, *subcategories: str) -> tuple[Line, ...]:
        """The lines of a category and of everything below it, in any case; none where unknown."""
        path = category_of(":".join((category, *subcategories)))
        return self._by_category.get(tuple(map(str.casefold, path)), ()) if path else ()

    @cached_property
    def _by_category(self) -> dict[tuple[str, ...], tuple[Line, ...]]:
        found: dict[tuple[str, ...], list[Line]] = {}
        for line in self.lines:
            path = tuple(map(str.casefold, line.category))
            for depth in range(1, len(path) + 1):
                found.setdefault(path[:depth], []).append(line)
        return {path: tuple(lines) for path, lines in found.items()}
