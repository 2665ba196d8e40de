"""The text for the voice, its words, and at which word everything else stands.

A word is what stands between blanks and holds a letter or a digit; a lone dash or a French
question mark is said with the word before it and is not counted. An instruction inside a word,
as in `Hello<GAZE(board)>, you`, counts for the next one, since this one is under way; one between
two letters parts them, because the author forgot the blank.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from sera.behaviour.markup.tokens import Literal, TagUse, Token

_CHUNK = re.compile(r"\S+")
_SOUND = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the text for the voice."""

    index: int
    """Counts from 0."""
    text: str
    """With its punctuation."""
    start: int
    """Where it begins in the text for the voice."""
    end: int
    """The first character after it there."""
    source_start: int
    """Where it begins in the cell."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is said."""

    text: str
    """Words with single blanks."""
    words: tuple[Word, ...]
    word_of_token: tuple[int, ...]
    """For each token that is not said, before which word it stands; the number of words for
    those behind the last."""


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a plain text, as this package counts them."""
    return spoken([Literal(text, 0, len(text))]).words


def spoken(tokens: Iterable[Token]) -> Spoken:
    """The text for the voice."""
    said: list[Literal | TagUse] = []
    starts: list[int] = []  # of each of them in the raw text
    raw, marks, parted = "", [], False
    for token in tokens:
        if not isinstance(token, Literal | TagUse):
            marks.append(len(raw))
            parted = bool(raw) and raw[-1].isalnum()
            continue
        text = token.text if isinstance(token, Literal) else token.name
        if not text:
            continue
        if parted and text[0].isalnum():
            raw += " "
        parted = False
        said.append(token)
        starts.append(len(raw))
        raw += text
    words: list[Word] = []
    sounds_at: list[int] = []  # where each word is under way, in the raw text
    chunks: list[str] = []
    place = 0
    for chunk in _CHUNK.finditer(raw):
        sound = _SOUND.search(chunk[0])
        if sound is not None:
            source = _source(said, starts, chunk.start())
            end = place + len(chunk[0])
            words.append(Word(len(words), chunk[0], place, end, source))
            sounds_at.append(chunk.start() + sound.start())
        chunks.append(chunk[0])
        place += len(chunk[0]) + 1
    at = tuple(bisect_left(sounds_at, mark) for mark in marks)
    return Spoken(" ".join(chunks), tuple(words), at)


def _source(said: list[Literal | TagUse], starts: list[int], place: int) -> int:
    """Where a character of the raw text stands in the cell."""
    number = bisect_right(starts, place) - 1
    token = said[number]
    linear = isinstance(token, Literal) and token.is_raw
    return token.start + (place - starts[number] if linear else 0)
