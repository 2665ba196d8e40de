"""What can be performed: words, and steps that belong to places among the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# A lone dash is said with the word before it and is not counted.
_WORD = re.compile(r"\S*[^\W_]\S*")


class WordAt(Protocol):
    """One word of the text."""

    @property
    def start(self) -> int:
        """Where it begins in the text, in characters from 0."""


class StepAt(Protocol):
    """Something to do when the voice reaches a word: a gaze, a gesture, a sound."""

    @property
    def word(self) -> int:
        """The word before which it stands, from 0; the number of words: after the last one."""


class PauseAt(Protocol):
    """Silence before a word."""

    @property
    def word(self) -> int:
        """The word before which it stands, from 0; the number of words: after the last one."""

    @property
    def duration_s(self) -> float:
        """How long."""


class RateAt(Protocol):
    """A change of speed that holds from a word on."""

    @property
    def word(self) -> int:
        """The first word it holds for, from 0."""

    @property
    def rate(self) -> float:
        """Speed, 1 is the voice's own."""


class Performable(Protocol):
    """A line ready to be performed: tags filled in, markup taken out of the text."""

    @property
    def text(self) -> str:
        """What is said."""

    @property
    def words(self) -> Sequence[WordAt]:
        """The words of the text; none for a line of actions alone."""

    @property
    def steps(self) -> Sequence[StepAt]:
        """What is done, in the order written."""

    @property
    def pauses(self) -> Sequence[PauseAt]:
        """Where the voice rests."""

    @property
    def rates(self) -> Sequence[RateAt]:
        """Where the voice changes its speed."""


@dataclass(frozen=True, slots=True)
class PlainWord:
    """A word by its place."""

    start: int


@dataclass(frozen=True, slots=True)
class PlainStep:
    """A step by its name."""

    name: str
    word: int = 0


@dataclass(frozen=True, slots=True)
class PlainPause:
    """Silence before a word."""

    word: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class PlainRate:
    """A speed from a word on."""

    word: int
    rate: float


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A line made by hand rather than parsed from a sheet."""

    text: str = ""
    steps: tuple[StepAt, ...] = ()
    pauses: tuple[PauseAt, ...] = ()
    rates: tuple[RateAt, ...] = ()

    @property
    def words(self) -> tuple[PlainWord, ...]:
        return tuple(PlainWord(match.start()) for match in _WORD.finditer(self.text))
