"""Whether a log still holds everything that was written into it.

The last line of a log says how many messages of each type were written. Where that differs from
what can be read, nothing that is counted of those types is right. A log that a crash has cut has no
such line: then every damaged line counts, except for the one at the cut, which never counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


class Wholeness:
    """Takes note of every line of a log, and says which types of messages lack something."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines = 0
        self._seen: Counter[str] = Counter()
        """Messages since the last header: a recorder that was started again counts anew."""
        self._written: Mapping[str, Any] | None = None
        self._damaged: list[tuple[int, str | None]] = []
        """Damaged lines since the last header, with their types as far as these can be told."""
        self._lost = 0
        """Lines since the last header that a full disk cost."""
        self._lacking: dict[str | None, str] = {}
        """Why something lacks, by type; None: of any type."""

    @property
    def has_end(self) -> bool:
        """Whether the last line of an orderly end is there."""
        return self._written is not None

    def message(self, type_name: str) -> None:
        self._lines += 1
        self._seen[type_name] += 1

    def damaged(self, number: int, type_name: str | None) -> None:
        self._lines += 1
        self._damaged.append((number, type_name))

    def lost(self, count: int) -> None:
        self._lost += count

    def header(self, number: int) -> None:
        self._close_part(cut_at=number - 1)
        self._lines += 1

    def over(self, last_line: int, end: Mapping[str, Any] | None) -> None:
        """All lines were looked at.

        Args:
            last_line: its number.
            end: the last line of an orderly end.
        """
        counts = (end or {}).get("counts")
        if isinstance(counts, dict) and all(isinstance(one, int) for one in counts.values()):
            self._written = counts
            for type_name in sorted(counts.keys() | self._seen.keys()):
                written, read = counts.get(type_name, 0), self._seen[type_name]
                if written != read and not type_name.startswith("("):
                    self._lacking[type_name] = (
                        f"{written} of '{type_name}' were written, but {read} can be read, "
                        f"in {self._name}"
                    )
            return
        self._close_part(cut_at=last_line)
        if not self._lines:
            self._lacking[None] = f"{self._name} is empty"

    def lacks(self, type_name: str) -> str | None:
        """Why not all messages of a type can be read; None where they can."""
        return self._lacking.get(type_name) or self._lacking.get(None)

    def lacks_anything(self) -> str | None:
        """Why not all messages can be read; None where they can."""
        return next(iter(self._lacking.values()), None)

    def note_unreadable(self, type_name: str, count: int) -> None:
        """Lines that looked like messages of a type turned out to be none."""
        self._lacking.setdefault(
            type_name, f"{count} of '{type_name}' cannot be read, in {self._name}"
        )

    def _close_part(self, *, cut_at: int) -> None:
        """Judge the lines before a header, or before an end that is missing."""
        for number, type_name in self._damaged:
            if number != cut_at:
                self._lacking.setdefault(
                    type_name, f"line {number} cannot be read, in {self._name}"
                )
        if self._lost:
            self._lacking.setdefault(None, f"a full disk cost {self._lost} lines, in {self._name}")
        self._damaged, self._lost = [], 0
        self._seen.clear()
