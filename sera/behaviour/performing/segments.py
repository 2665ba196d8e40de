"""A line cut where the voice rests or changes its speed: each segment is one order to the voice.

Every voice can say a text at one speed; few know marks for pauses. So a pause is silence between
two orders, and word numbers of an order are turned into those of the line here.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

from sera.behaviour.performing.performable import Performable

_SLOWEST, _FASTEST = 0.25, 4.0
_LONGEST_PAUSE_S = 60.0
_CHARACTERS_PER_WORD = 6.0


@dataclass(frozen=True, slots=True)
class Segment:
    """Part of a line that is said in one go."""

    text: str
    first_word: int
    """Number of its first word in the line."""
    word_starts: tuple[int, ...]
    """Where each word begins in `text`, in characters from 0."""
    rate: float = 1.0
    pause_before_s: float = 0.0

    @property
    def end_word(self) -> int:
        """Number of the first word after it."""
        return self.first_word + len(self.word_starts)

    def word_reached(self, index: int, offset: int | None) -> int:
        """The word of the line that the voice means.

        The offset is trusted more than the count: voices split words in their own ways.
        """
        if offset is not None and offset >= 0:
            local = bisect.bisect_right(self.word_starts, offset) - 1
        else:
            local = index
        return self.first_word + max(0, min(local, len(self.word_starts) - 1))

    def estimated_s(self, words_per_s: float, from_word: int = 0) -> float:
        """About how long it takes to say, or the part of it from a word of the line on."""
        local = max(0, min(from_word - self.first_word, len(self.word_starts) - 1))
        characters = len(self.text) - self.word_starts[local]
        # Scripts without blanks have few words, but long ones.
        words = max(len(self.word_starts) - local, characters / _CHARACTERS_PER_WORD)
        return words / (words_per_s * self.rate)


@dataclass(frozen=True, slots=True)
class Script:
    """A line as it is given to the voice."""

    segments: tuple[Segment, ...]
    words: int
    pause_after_s: float
    """Silence after the last word; all silence of a line without words."""


def cut(line: Performable) -> Script:
    """Cut a line into segments; numbers that no voice can obey are brought into range."""
    places = [word.start for word in line.words]
    count = len(places)
    pauses: dict[int, float] = {}
    for pause in line.pauses:
        word = max(0, min(pause.word, count))
        pauses[word] = pauses.get(word, 0.0) + _within(pause.duration_s, 0.0, _LONGEST_PAUSE_S, 0.0)
    rates = {max(0, rate.word): _within(rate.rate, _SLOWEST, _FASTEST, 1.0) for rate in line.rates}
    if not count:
        return Script((), 0, sum(pauses.values()))
    # What stands before the first word, such as a dash, is given to the voice with it.
    places[0] = 0
    firsts, speeds = [0], [rates.get(0, 1.0)]
    for word in range(1, count):
        speed = rates.get(word, speeds[-1])
        if pauses.get(word) or speed != speeds[-1]:
            firsts.append(word)
            speeds.append(speed)
    segments = []
    for first, end, rate in zip(firsts, [*firsts[1:], count], speeds, strict=True):
        origin = places[first]
        stop = places[end] if end < count else len(line.text)
        segments.append(
            Segment(
                text=line.text[origin:stop].rstrip(),
                first_word=first,
                word_starts=tuple(place - origin for place in places[first:end]),
                rate=rate,
                pause_before_s=pauses.get(first, 0.0),
            )
        )
    return Script(tuple(segments), count, pauses.get(count, 0.0))


def _within(value: float, low: float, high: float, otherwise: float) -> float:
    return max(low, min(value, high)) if math.isfinite(value) else otherwise
