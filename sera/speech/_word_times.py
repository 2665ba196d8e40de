"""Word times that came from outside (a file, a program, a service), brought onto a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from sera.speech._assemble import Mark, Rendering
from sera.speech._tokens import words_of
from sera.speech.wav import Sound, sounding_s


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and its time, as somebody else tells it."""

    text: str
    start_s: float
    end_s: float | None = None


def parse_word_times(data: Any) -> list[TimedWord]:
    """Word times from JSON: a list, or an object with a list `words`, of word, start_s, end_s.

    Raises:
        ValueError: with a sentence on what is wrong and which word it is.
    """
    rows = data.get("words", []) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise ValueError("word times are a list of objects with word, start_s and end_s")  # noqa: TRY004
    words = []
    for number, row in enumerate(rows):
        try:
            text = row.get("word", row.get("text"))
            start_s = float(row["start_s"])
            end_s = None if row.get("end_s") in (None, "") else float(row["end_s"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(f"word {number} of the word times has no word and start_s") from None
        late = end_s is not None and not (math.isfinite(end_s) and end_s >= start_s)
        if not isinstance(text, str) or not math.isfinite(start_s) or start_s < 0 or late:
            raise ValueError(
                f"word {number} of the word times has no text, or ends before it begins"
            )
        words.append(TimedWord(text, start_s, end_s))
    return words


def marks_on(text: str, words: Sequence[TimedWord]) -> tuple[Mark, ...]:
    """The timed words at their places in `text`, matched by spelling and order."""
    tokens = words_of(text)
    ours = [token.text.casefold() for token in tokens]
    theirs = [_plain(word.text) for word in words]
    marks = []
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for kind, our_start, our_end, start, end in matcher.get_opcodes():
        # As many other words in the same place are the same words, written otherwise (25, x).
        if kind == "equal" or (kind == "replace" and our_end - our_start == end - start):
            for token, word in zip(tokens[our_start:our_end], words[start:end], strict=True):
                marks.append(Mark(token.offset, word.start_s, word.end_s))
    return tuple(marks)


def rendering_of(text: str, sound: Sound, words: Sequence[TimedWord]) -> Rendering:
    """What an engine outside made: its sound, and its word times where it told them."""
    return Rendering(
        pcm=sound.pcm,
        rate_hz=sound.rate_hz,
        duration_s=sound.duration_s,
        marks=marks_on(text, words),
        sound_s=sounding_s(sound),
    )


def _plain(word: str) -> str:
    tokens = words_of(word)
    return tokens[0].text.casefold() if tokens else word.casefold()
