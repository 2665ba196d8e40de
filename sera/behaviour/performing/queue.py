"""Lines that wait for their turn: by priority, then by age; bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sera.behaviour.performing.events import Perform


@dataclass(frozen=True, slots=True)
class Waiting:
    """A line and until when it is worth saying."""

    perform: Perform
    since_s: float
    until_s: float

    @property
    def rank(self) -> tuple[bool, int]:
        """Higher goes first: a reply to an answer before everything, then by priority."""
        return self.perform.is_backchannel, self.perform.priority


class LineQueue:
    """Lines in the order of their arrival.

    Args:
        limit: how many may wait.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: list[Waiting] = []

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self._lines)

    def __contains__(self, utterance: str) -> bool:
        return any(waiting.perform.utterance == utterance for waiting in self._lines)

    @property
    def head(self) -> Waiting | None:
        """Whose turn is next: the oldest of the highest rank."""
        # max takes the first of equals, which is the oldest.
        return max(self._lines, key=lambda waiting: waiting.rank, default=None)

    @property
    def next_deadline_s(self) -> float | None:
        """When the first of them is no longer worth saying."""
        return min((waiting.until_s for waiting in self._lines), default=None)

    def add(self, waiting: Waiting) -> Waiting | None:
        """Let a line wait; returns the one that has to go for it: the oldest of lowest rank."""
        self._lines.append(waiting)
        if len(self._lines) <= self._limit:
            return None
        dropped = min(self._lines, key=lambda each: each.rank)
        self._lines.remove(dropped)
        return dropped

    def remove(self, waiting: Waiting) -> None:
        """The line's turn has come, or it is not wanted any more."""
        self._lines.remove(waiting)

    def discard(self, perform: Perform) -> None:
        """The order does not stand any more, if it waits at all."""
        self._lines = [waiting for waiting in self._lines if waiting.perform is not perform]

    def expired(self, now_s: float) -> list[Waiting]:
        """Take out the lines that have waited too long."""
        late = [waiting for waiting in self._lines if waiting.until_s <= now_s]
        self._lines = [waiting for waiting in self._lines if waiting.until_s > now_s]
        return late

    def clear(self) -> list[Waiting]:
        """Take out all lines."""
        lines, self._lines = self._lines, []
        return lines
