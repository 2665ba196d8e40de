"""A line of an utterance library, a row of a dialogue sheet, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

UNMARKED = ""
"""The language of a text whose sheet does not say which it is; it serves every language."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Repetitions(StrEnum):
    """How often a line may be said."""

    ANY = "any"
    SESSION = "session"
    """Once in a session."""
    EVER = "ever"
    """Once and for ever, for each participant."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a line stands, for findings and for the provenance of a choice."""

    file: str = ""
    """Name of the file, without its folder."""
    sheet: str = ""
    row: int | None = None
    """As the spreadsheet counts, from 1."""
    headings: Mapping[str, str] = field(default_factory=lambda: _NOTHING, compare=False)
    """The heading of each column as written, by its meaning: `id`, `category`, `text:en` …"""

    def heading(self, meaning: str) -> str:
        """The heading as the author wrote it, or as the template has it."""
        return self.headings.get(meaning, meaning.partition(":")[0].upper())

    def __str__(self) -> str:
        row = "" if self.row is None else f"row {self.row}"
        return ", ".join(part for part in (self.file, self.sheet, row) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: what can be said, when, and how often."""

    id: str
    texts: Mapping[str, str] = field(hash=False)
    """The text with its markup, by language tag in lower case; `UNMARKED` where none is given."""
    category: tuple[str, ...] = ()
    """The path from category to the innermost subcategory, as written."""
    question: bool = False
    repetitions: Repetitions = Repetitions.ANY
    weight: float = 1.0
    """How likely it is beside the others of its category; nought: only by its id."""
    waits: bool = True
    """Whether its words may wait for a gesture."""
    metadata: Mapping[str, str] = field(default_factory=lambda: _NOTHING, hash=False)
    """Cells of the other columns that are not empty, by heading."""
    origin: Origin = Origin()
    id_is_given: bool = True
    """False where the id was made from text and category."""

    @property
    def category_path(self) -> str:
        """`category:subcategory:…` as written."""
        return ":".join(self.category)

    def is_in(self, category: tuple[str, ...]) -> bool:
        """Whether the line belongs to that category or to one below it, in any case."""
        own = self.category[: len(category)]
        return tuple(map(str.casefold, own)) == tuple(map(str.casefold, category))

    def text_in(self, language: str | None = None) -> str | None:
        """The text in a language, None where there is none; without a language the first text."""
        return text_in(self.texts, language)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueRow:
    """One row of a dialogue sheet: from a state to the next, and what is said on the way."""

    current_state: str
    next_state: str = ""
    meaning: str = ""
    style: str = ""
    when: str = ""
    """What must happen for the row to apply, as written; empty: nothing."""
    texts: Mapping[str, str] = field(default_factory=lambda: _NOTHING, hash=False)
    metadata: Mapping[str, str] = field(default_factory=lambda: _NOTHING, hash=False)
    origin: Origin = Origin()

    def text_in(self, language: str | None = None) -> str | None:
        """The text in a language, None where there is none; without a language the first text."""
        return text_in(self.texts, language)


def text_in(texts: Mapping[str, str], language: str | None) -> str | None:
    """The text for a language: the very one, else one of the same root, else the unmarked one."""
    if language is None:
        return next((text for text in texts.values() if text), None)
    wanted = language.lower().replace("_", "-")
    if texts.get(wanted):
        return texts[wanted]
    root = wanted.partition("-")[0]
    for tag, text in texts.items():
        if text and tag and tag.partition("-")[0] == root:
            return text
    return texts.get(UNMARKED) or None


def category_of(written: str) -> tuple[str, ...]:
    """The path that a cell names: `Greeting : hello` → (Greeting, hello); `-` stands for none."""
    parts = (part.strip() for part in written.split(":"))
    return tuple(part for part in parts if part.strip("-\u2013\u2014"))
