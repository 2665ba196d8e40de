"""The words of a text: where they stand, and what may be handed to an engine."""

# Signs of other scripts are meant where they look like Latin ones.
# ruff: noqa: RUF001
from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Scripts without spaces: each sign of Han and Kana counts as a word of its own.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_RUN = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_CORE = re.compile(r"[^\W_].*[^\W_]|[^\W_]", re.DOTALL)
_SENTENCE = re.compile(
    r"[^.!?…。！？\n]*(?:[.!?…。！？]+(?=\S)(?!['\")\]»”’])[^.!?…。！？\n]*)*"
    r"(?:[.!?…。！？]+['\")\]»”’]*|\n|\Z)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its run of characters between spaces, and its core without punctuation."""

    text: str
    """The core."""
    offset: int
    end_offset: int
    run_start: int
    run_end: int


def words_of(text: str) -> list[Token]:
    """The words of `text`; runs of punctuation alone are none."""
    tokens = []
    for run in _RUN.finditer(text):
        core = _CORE.search(run[0])
        if core is not None:
            start, end = run.start() + core.start(), run.start() + core.end()
            # Marks that belong to the last letter (accents, vowel signs) stay with it.
            while end < run.end() and unicodedata.category(text[end]).startswith("M"):
                end += 1
            tokens.append(Token(text[start:end], start, end, run.start(), run.end()))
    return tokens


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Start and end of every sentence that holds a word."""
    spans = []
    for match in _SENTENCE.finditer(text):
        stripped = match[0].strip()
        if _CORE.search(stripped):
            start = match.start() + match[0].index(stripped)
            spans.append((start, start + len(stripped)))
    return spans


def speakable(text: str) -> str:
    """`text` with what breaks engines replaced by spaces, every character keeping its place.

    Control characters (NUL ends a text in C, escape starts a command in some engines), halves
    of surrogate pairs (not writable as UTF-8) and doubled brackets (phonemes to espeak-ng).
    """
    kept = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cs") and c != "\n" else c for c in text
    )
    return kept.replace("[[", "  ").replace("]]", "  ")


def _breaks_engines(sign: str) -> bool:
    return sign != "\n" and unicodedata.category(sign) in ("Cc", "Cs")
