"""The rules: seven words, one after the other, each for so many seconds or until it is guessed.

Pure: whoever owns it says what time it is. What happened comes back as the Events that everybody
hears.

Units and frames: seconds of the run's clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from sera.messages import Event

from .messages import GuessRated, Rating, RoundBegan, RoundEnded
from .words import Word

Outcome = Literal["correct", "time_up", "skipped", "stopped"]


class Phase(StrEnum):
    """Where the game is."""

    WAITING = "waiting"
    GUESSING = "guessing"
    BETWEEN = "between"
    FINISHED = "finished"


@dataclass(slots=True)
class Round:
    """One word."""

    number: int
    word: Word
    began_s: float
    ratings: list[Rating] = field(default_factory=list)


class Pantomime:
    """One game.

    Args:
        words: in the order of the rounds.
        time_limit_s: how long a round lasts.
        pause_s: between two rounds, for the robot's nod.
    """

    def __init__(self, words: Sequence[Word], *, time_limit_s: float, pause_s: float) -> None:
        if not words:
            raise ValueError("a game needs at least one word")
        self.words = tuple(words)
        self.time_limit_s = time_limit_s
        self.pause_s = pause_s
        self.phase = Phase.WAITING
        self.round: Round | None = None
        self.outcomes: list[Outcome] = []
        self._since_s = 0.0

    @property
    def rounds(self) -> int:
        """How many."""
        return len(self.words)

    def left_s(self, now_s: float) -> float:
        """How much of the round's time is left; 0 where none is under way."""
        if self.phase is not Phase.GUESSING or self.round is None:
            return 0.0
        return max(0.0, self.time_limit_s - (now_s - self.round.began_s))

    def begin(self, now_s: float) -> list[Event]:
        """Start, unless it has started."""
        return self._next(now_s) if self.phase is Phase.WAITING else []

    def rate(self, rating: Rating, now_s: float, word: str | None = None) -> list[Event]:
        """Somebody rated a guess; nothing where no round is under way."""
        current = self.round
        if self.phase is not Phase.GUESSING or current is None:
            return []
        if self.left_s(now_s) <= 0.0:  # the clock was a moment late
            return self.tick(now_s)
        current.ratings.append(rating)
        rated = GuessRated(
            round=current.number,
            number=len(current.ratings),
            rating=rating,
            at_s=round(now_s - current.began_s, 3),
            word=word,
        )
        if rating is Rating.CORRECT:
            return [rated, *self._end("correct", now_s)]
        return [rated]

    def next(self, now_s: float) -> list[Event]:
        """An operator goes on: the round that is under way is skipped."""
        if self.phase is Phase.GUESSING:
            return self._end("skipped", now_s)
        return self._next(now_s) if self.phase is Phase.BETWEEN else []

    def stop(self, now_s: float) -> list[Event]:
        """An operator ends the game."""
        ended = self._end("stopped", now_s) if self.phase is Phase.GUESSING else []
        self.phase = Phase.FINISHED
        return ended

    def tick(self, now_s: float) -> list[Event]:
        """What happens because time has passed."""
        if self.phase is Phase.GUESSING and self.left_s(now_s) <= 0.0:
            return self._end("time_up", now_s)
        if self.phase is Phase.BETWEEN and now_s - self._since_s >= self.pause_s:
            return self._next(now_s)
        return []

    def _next(self, now_s: float) -> list[Event]:
        number = 1 if self.round is None else self.round.number + 1
        if number > self.rounds:
            self.phase = Phase.FINISHED
            return []
        self.phase = Phase.GUESSING
        word = self.words[number - 1]
        self.round = Round(number, word, now_s)
        began = RoundBegan(
            round=number,
            of=self.rounds,
            word=word.name,
            animation=word.animation,
            time_limit_s=self.time_limit_s,
        )
        return [began]

    def _end(self, outcome: Outcome, now_s: float) -> list[Event]:
        current = self.round
        if current is None:
            return []
        self.phase, self._since_s = Phase.BETWEEN, now_s
        self.outcomes.append(outcome)
        counts = Counter(current.ratings)
        lasted_s = now_s - current.began_s
        if outcome == "time_up":
            lasted_s = min(lasted_s, self.time_limit_s)  # the clock ticks a moment late
        ended = RoundEnded(
            round=current.number,
            word=current.word.name,
            outcome=outcome,
            duration_s=round(lasted_s, 3),
            guesses=len(current.ratings),
            hot=counts[Rating.HOT],
            warm=counts[Rating.WARM],
            cold=counts[Rating.COLD],
            correct=counts[Rating.CORRECT],
            one_shot=current.ratings == [Rating.CORRECT],
            gave_up=not current.ratings and outcome == "time_up",
        )
        return [ended]
