"""The floor: which people are speaking, and since when nobody is."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(slots=True)
class _Turn:
    until_s: float
    is_guess: bool
    """Known only from a recogniser's guesses, which stop without saying so."""


class Floor:
    """Keeps account of people who speak; `None` is somebody unknown.

    Args:
        longest_turn_s: speech that lasts longer is taken for a fault.
        guess_holds_s: how long a recogniser's guess counts as speech.
        pause_s: how long nobody must speak for the floor to be free.
    """

    def __init__(self, longest_turn_s: float, guess_holds_s: float, pause_s: float) -> None:
        self._longest_turn_s = longest_turn_s
        self._guess_holds_s = guess_holds_s
        self._pause_s = pause_s
        self._turns: dict[str | None, _Turn] = {}
        self._free_from_s = -math.inf

    @property
    def speakers(self) -> tuple[str | None, ...]:
        """Who speaks, in the order in which they began."""
        return tuple(self._turns)

    def is_free(self, now_s: float) -> bool:
        """Whether nobody speaks and the pause after speech is over."""
        return not self._turns and now_s >= self._free_from_s

    def begin(self, person: str | None, now_s: float) -> None:
        """Somebody speaks."""
        self._turns[person] = _Turn(now_s + self._longest_turn_s, is_guess=False)

    def end(self, person: str | None, now_s: float) -> None:
        """Somebody ceased to speak; who they are may have become known or lost meanwhile."""
        if person in self._turns:
            del self._turns[person]
        elif person is None:
            self._turns.clear()
        elif None in self._turns:
            del self._turns[None]
        else:
            return
        self._falls_silent(now_s)

    def guess(self, person: str | None, now_s: float) -> None:
        """A recogniser hears somebody who is not done yet."""
        turn = self._turns.get(person)
        if turn is None or turn.is_guess:
            self._turns[person] = _Turn(now_s + self._guess_holds_s, is_guess=True)

    def understood(self, person: str | None, now_s: float) -> None:
        """A recogniser is done with somebody; a microphone knows better whether they are."""
        turn = self._turns.get(person)
        if turn is not None and turn.is_guess:
            del self._turns[person]
            self._falls_silent(now_s)

    def expire(self, now_s: float) -> bool:
        """Drop turns that have lasted too long; says whether there were any."""
        late = [person for person, turn in self._turns.items() if turn.until_s <= now_s]
        for person in late:
            del self._turns[person]
        if late:
            self._falls_silent(now_s)
        return bool(late)

    def next_deadline_s(self, now_s: float) -> float | None:
        """When the floor may become free by itself."""
        if self._turns:
            return min(turn.until_s for turn in self._turns.values())
        return self._free_from_s if self._free_from_s > now_s else None

    def _falls_silent(self, now_s: float) -> None:
        self._free_from_s = now_s + self._pause_s
