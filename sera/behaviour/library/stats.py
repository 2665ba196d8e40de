"""A library in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from sera.behaviour.library._spoken import spoken
from sera.behaviour.library.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStats:
    """How much there is to say, and of what kind."""

    lines: int
    dialogue_rows: int
    questions: int
    non_verbal: int
    """Lines with actions but without a word."""
    made_ids: int
    """Lines whose id was made from their text."""
    categories: dict[str, int]
    """Lines by category path, largest first."""
    repetitions: dict[str, int]
    """Lines by repetition rule."""
    lines_by_language: dict[str, int]
    words_by_language: dict[str, int]
    metadata: dict[str, int]
    """Lines that have something in an extra column, by heading."""

    def as_dict(self) -> dict[str, Any]:
        """The parts by name, for `--json`."""
        return asdict(self)


def stats(library: Library) -> LibraryStats:
    """Count everything."""
    shown = {path.casefold(): path for path in library.categories}
    categories = Counter(
        shown[line.category_path.casefold()] for line in library.lines if line.category
    )
    by_language: Counter[str] = Counter()
    words: Counter[str] = Counter()
    non_verbal = 0
    for line in library.lines:
        counts = {tag: len(spoken(text).split()) for tag, text in line.texts.items()}
        by_language.update(counts.keys())
        words.update(counts)
        non_verbal += bool(counts) and not any(counts.values())
    return LibraryStats(
        lines=len(library.lines),
        dialogue_rows=len(library.dialogue),
        questions=sum(line.question for line in library.lines),
        non_verbal=non_verbal,
        made_ids=sum(not line.id_is_given for line in library.lines),
        categories=dict(categories.most_common()),
        repetitions=dict(Counter(line.repetitions.value for line in library.lines)),
        lines_by_language=dict(by_language),
        words_by_language=dict(words),
        metadata=dict(Counter(name for line in library.lines for name in line.metadata)),
    )
