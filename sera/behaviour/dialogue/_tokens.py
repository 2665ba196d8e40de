"""Cuts the text of a When cell into words, signs and quoted texts, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_SIGN = re.compile(r"==|!=|<>|<=|>=|=<|=>|[=<>\u2260\u2264\u2265,]")
_WORD = re.compile(r"[^\s=<>!\u2260\u2264\u2265,]+|!")


class TokenKind(Enum):
    """What a token is."""

    WORD = auto()
    SIGN = auto()
    QUOTED = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of the cell."""

    kind: TokenKind
    text: str
    """As written; without its quotes where it is quoted."""
    start: int
    """Where it begins in the cell, in characters from 0."""
    end: int
    """The first character behind it."""
    closed: bool = True
    """False where a quote was opened and never closed."""

    @property
    def word(self) -> str:
        """In lower case where it is a word, else empty: what keywords are compared with."""
        return self.text.casefold() if self.kind is TokenKind.WORD else ""


def tokens_of(text: str) -> list[Token]:
    """All tokens, in order."""
    found: list[Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        token = _quoted(text, place) or _sign(text, place) or _word(text, place)
        found.append(token)
        place = token.end
    return found


def _quoted(text: str, start: int) -> Token | None:
    closing = _QUOTES.get(text[start])
    if closing is None:
        return None
    end = text.find(closing, start + 1)
    if end < 0:
        return Token(TokenKind.QUOTED, text[start + 1 :], start, len(text), closed=False)
    return Token(TokenKind.QUOTED, text[start + 1 : end], start, end + 1)


def _sign(text: str, start: int) -> Token | None:
    match = _SIGN.match(text, start)
    return None if match is None else Token(TokenKind.SIGN, match[0], start, match.end())


def _word(text: str, start: int) -> Token:
    match = _WORD.match(text, start)
    end = start + 1 if match is None else match.end()
    return Token(TokenKind.WORD, text[start:end], start, end)
