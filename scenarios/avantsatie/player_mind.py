"""How a simulated player thinks: which key next, and what was learnt from the last one.

Design overview
    For each note there is a belief over the keys. It begins with what music suggests (the next
    note is near the last one, for those who feel that) and loses every key that was tried, as far
    as the person remembers. A posture seen after a guess is evidence for having moved towards the
    note or away from it, as far as the person has learnt to read postures; keys on that side gain.
    When the screen shows a note as found, the person knows which of the guesses before went towards
    it, and what the robot looked like then: that is how meaning is learnt. Nothing says beforehand
    that a posture means anything, or which means what.

Units and frames
    Keys are counted from the player's left; seconds; features as in PostureReader.

Threading
    None of its own; the random source is the person's.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sera.study.participants import MeaningLearner, Person

FloatArray = NDArray[np.float64]
BORED_AFTER = 12.0
"""Guesses without any answer of the robot after which hardly anybody looks any more."""
RUSHED = 0.45
"""How much of the time for looking and thinking is left to somebody who has given up on hints."""
SHARPNESS = 1.6
"""How much the likelier key is preferred."""


@dataclass(slots=True)
class _Guess:
    came_from: int
    key: int
    seen: FloatArray | None = None


@dataclass(slots=True)
class PlayerMind:
    """What goes on in one player."""

    person: Person
    keys: int
    learner: MeaningLearner
    chance: random.Random
    stands_on: int = 0
    last_note: int | None = None
    moves_seen: float = 0.5
    """How often the robot moved in answer to a guess lately, 0-1."""
    played_s: float = 0.0
    belief: FloatArray = field(init=False)
    _guesses: list[_Guess] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.new_note()

    # -- what it wants ----------------------------------------------------------------------

    def new_note(self) -> None:
        """Another note is looked for."""
        self._guesses = []
        keys = np.arange(self.keys)
        self.belief = np.ones(self.keys)
        if self.last_note is not None:
            near = np.exp(-np.abs(keys - self.last_note) / 2.5)
            self.belief += 3.0 * self.person.musicality * near / near.max()
        self.belief /= self.belief.sum()

    def next_key(self) -> int:
        """The key that is tried next."""
        effort = np.exp(-self.person.laziness * np.abs(np.arange(self.keys) - self.stands_on))
        wish = self.belief**SHARPNESS * effort
        return self._drawn(wish)

    def _drawn(self, weights: FloatArray) -> int:
        total = float(weights.sum())
        if not total > 0.0:
            return self.chance.randrange(self.keys)
        left = self.chance.random() * total
        for key, weight in enumerate(weights.tolist()):
            left -= weight
            if left <= 0.0:
                return key
        return self.keys - 1

    # -- what it attends to -----------------------------------------------------------------

    @property
    def interest(self) -> float:
        """How much the robot's answers are still worth looking at, 0-1."""
        tired = math.exp(-self.person.fatigue_per_s * self.played_s)
        return tired * min(1.0, self.moves_seen + self.learner.trust)

    def looks(self) -> bool:
        """Whether the robot is looked at after this guess."""
        return self.chance.random() < self.person.attention * (0.25 + 0.75 * self.interest)

    def patience_s(self) -> float:
        """How long a robot that does not move is watched."""
        return self.person.patience_s * (RUSHED + (1.0 - RUSHED) * self.interest)

    def thinking_s(self) -> float:
        """How long it takes to make sense of what was seen and to choose."""
        return self.person.thinking_s * (0.15 + self.learner.trust)

    # -- what it learns ---------------------------------------------------------------------

    def guessed(self, key: int) -> None:
        """A key was stepped on."""
        self._guesses.append(_Guess(self.stands_on, key))
        self.stands_on = key

    def saw(self, seen: FloatArray | None, moved: bool) -> None:
        """The robot after the last guess; None: nobody looked."""
        if seen is None:
            return
        self._guesses[-1].seen = seen
        self.moves_seen += (float(moved) - self.moves_seen) / BORED_AFTER * 2

    def was_wrong(self) -> None:
        """The note is still looked for."""
        guess = self._guesses[-1]
        if self.chance.random() < self.person.memory:
            self.belief[guess.key] = 0.0
        if guess.seen is not None:
            nats = self.learner.evidence(guess.seen) * self.learner.trust * self.person.cleverness
            keys = np.arange(self.keys)
            nearer = np.abs(keys - guess.key) < np.abs(keys - guess.came_from)
            self.belief *= np.where(nearer, math.exp(nats / 2), math.exp(-nats / 2))
        total = self.belief.sum()
        if total > 0.0:
            self.belief /= total
        else:  # everything was tried, so that something was not remembered rightly
            self.belief = np.full(self.keys, 1.0 / self.keys)

    def was_right(self, note: int) -> None:
        """The screen says which note it was: now it is clear which guesses went towards it."""
        for guess in self._guesses:
            if guess.key == note:
                break  # whatever was stepped on afterwards was no guess any more
            if guess.seen is not None:
                nearer = abs(guess.key - note) < abs(guess.came_from - note)
                self.learner.learn(guess.seen, nearer)
        self.last_note = note
