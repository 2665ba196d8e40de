"""What can be chosen, and how it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

ONCE_A_SESSION = "session"
ONCE_FOR_EVER = "ever"


class Choosable(Protocol):
    """What the choice needs to know of a line; a library's line has more."""

    @property
    def id(self) -> str:
        """Unique within everything the character may say."""

    @property
    def category(self) -> tuple[str, ...]:
        """The way to it, such as ("greeting", "morning"); empty: in no category."""

    @property
    def repetitions(self) -> str:
        """How often one participant may hear it: `any`, `session` (once) or `ever` (once)."""

    @property
    def weight(self) -> float:
        """How often it comes compared with its neighbours: 1 is usual, 0 only by id."""

    @property
    def metadata(self) -> Mapping[str, str]:
        """Extra columns by heading."""


@lru_cache(256)
def category_path(*parts: str | None) -> tuple[str, ...]:
    """The path that `greeting:morning`, or `greeting` and `morning`, mean; `-` means none."""
    pieces = (piece.strip() for part in parts if part for piece in part.split(":"))
    return tuple(piece for piece in pieces if piece and piece != "-")


@lru_cache(4096)  # thousands of lines share a few categories, and are compared for each choice
def folded(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words as they are compared: writers mix cases and leave blanks."""
    return tuple(word.strip().casefold() for word in words)


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants said: one line by id, or one of a category.

    Without id and category any line will do that fits the metadata.
    """

    id: str | None = None
    category: str | None = None
    subcategory: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> tuple[str, ...]:
        """Category and subcategory as one path."""
        return category_path(self.category, self.subcategory)

    def in_category(self, line: Choosable) -> bool:
        """Whether the line stands in the category, or below it."""
        wanted = folded(self.path)
        return folded(line.category)[: len(wanted)] == wanted

    def fits_metadata(self, line: Choosable) -> bool:
        """Whether every column that was named has the wanted value."""
        if not self.metadata:
            return True
        has = {_fold(key): _fold(value) for key, value in line.metadata.items()}
        return all(has.get(_fold(key)) == _fold(value) for key, value in self.metadata.items())

    def __str__(self) -> str:
        if self.id is not None:
            return f"line '{self.id}'"
        where = f"category '{':'.join(self.path)}'" if self.path else "the whole library"
        columns = " and ".join(f"{key} = '{value}'" for key, value in self.metadata.items())
        return f"{where} with {columns}" if columns else where


def _fold(text: str) -> str:
    return str(text).strip().casefold()
