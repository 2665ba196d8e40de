"""Lines that wait for their turn, in an order that an operator may change; bounded.

A new line takes its place by priority, then by age: behind the last one that is as important. So a
line that somebody moved keeps its place against newcomers that are no more important than those
behind it, and a more important one still goes before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sera.behaviour.performing.events import Perform

Move = Literal["first", "earlier", "later"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A line and until when it is worth saying."""

    perform: Perform
    since_s: float
    until_s: float
    arrival: int = 0
    """Counts the lines that came."""
    left_s: float | None = None
    """What was left of its time when it was held back; None: nobody holds it."""
    put_off: bool = False
    """Whether it had begun, and somebody spoke before its first sound."""

    @property
    def rank(self) -> tuple[bool, int]:
        """Higher goes first: a reply to an answer before everything, then by priority."""
        return self.perform.is_backchannel, self.perform.priority

    @property
    def is_held(self) -> bool:
        """Whether somebody holds it back: it is not said and does not grow old."""
        return self.left_s is not None


class LineQueue:
    """Lines in the order of their turns.

    Args:
        limit: how many may wait.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: list[Waiting] = []
        self._arrivals = 0

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self._lines)

    def __contains__(self, utterance: str) -> bool:
        return any(waiting.perform.utterance == utterance for waiting in self._lines)

    @property
    def head(self) -> Waiting | None:
        """Whose turn is next: the first that nobody holds back."""
        return next((waiting for waiting in self._lines if not waiting.is_held), None)

    @property
    def next_deadline_s(self) -> float | None:
        """When the first of them is no longer worth saying."""
        return min((each.until_s for each in self._lines if not each.is_held), default=None)

    def add(self, waiting: Waiting) -> Waiting | None:
        """Let a line wait; returns the one that has to go for it: the oldest of lowest rank.

        Lines that somebody holds back are not given up for others.
        """
        self._arrivals += 1
        waiting = replace(waiting, arrival=self._arrivals)
        place = len(self._lines)
        while place > 0 and self._lines[place - 1].rank < waiting.rank:
            place -= 1
        self._lines.insert(place, waiting)
        if len(self._lines) <= self._limit:
            return None
        free = [each for each in self._lines if not each.is_held]
        dropped = min(free, key=lambda each: (each.rank, each.arrival))
        self._lines.remove(dropped)
        return dropped

    def move(self, utterance: str, how: Move) -> None:
        """Give a line another turn; nothing where it does not wait."""
        place = self._place_of(utterance)
        if place is None:
            return
        to = {"first": 0, "earlier": max(0, place - 1), "later": place + 1}[how]
        self._lines.insert(to, self._lines.pop(place))

    def hold(self, utterance: str, now_s: float) -> None:
        """Keep a line from being said and from growing old."""
        place = self._place_of(utterance)
        if place is not None and not self._lines[place].is_held:
            waiting = self._lines[place]
            self._lines[place] = replace(waiting, left_s=max(0.0, waiting.until_s - now_s))

    def release(self, utterance: str, now_s: float) -> None:
        """Let a line that was held back have its turn within the time that it had left."""
        place = self._place_of(utterance)
        if place is not None and (left_s := self._lines[place].left_s) is not None:
            self._lines[place] = replace(self._lines[place], until_s=now_s + left_s, left_s=None)

    def remove(self, waiting: Waiting) -> None:
        """The line's turn has come, or it is not wanted any more."""
        self._lines.remove(waiting)

    def discard(self, perform: Perform) -> None:
        """The order does not stand any more, if it waits at all."""
        self._lines = [waiting for waiting in self._lines if waiting.perform is not perform]

    def expired(self, now_s: float) -> list[Waiting]:
        """Take out the lines that have waited too long."""
        late = [each for each in self._lines if not each.is_held and each.until_s <= now_s]
        self._lines = [each for each in self._lines if each not in late]
        return late

    def clear(self) -> list[Waiting]:
        """Take out all lines."""
        lines, self._lines = self._lines, []
        return lines

    def _place_of(self, utterance: str) -> int | None:
        for place, waiting in enumerate(self._lines):
            if waiting.perform.utterance == utterance:
                return place
        return None
