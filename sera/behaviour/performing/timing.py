"""When the words of a line will be heard, and when its steps must be ordered to meet them.

Design overview: a gesture begins long before it says something: the hand has to rise, the gaze to
travel. `Reach` says how long a step takes until then; `Course` keeps account of when each word
will come: as the voice has told, for what it has not made yet as estimated. A step is due that
much before its word. Where too little is said before a word, the sound waits or rests for it
(`Course.plan`); in the middle of a clause so little that it is not heard as stumbling.

Units and frames: seconds of the caller's clock; times within a segment count from its first sound.
Threading: none.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sera.behaviour.performing.performable import StepAt
from sera.behaviour.performing.segments import Script, Segment
from sera.speech.estimate import natural_times

LONGEST_WAIT_S = 0.8
"""How long words wait for a gesture, and no longer."""
SHORT_WAIT_S = 0.1
"""The same before a line that begins with words."""
WITHIN_CLAUSE_S = 0.15
"""The longest rest where nothing ends."""
_CLAUSE_ENDS = ".!?,;:…–—-)\"'”»。！？、，؟،"  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Reach:
    """How long a step takes from its order until it says what it is to say."""

    usual_s: float
    ahead_s: float = 0.0
    """How long before the beginning of its word that should come."""
    least_s: float | None = None
    """How long it takes at best, with its word rather than before; None: no less than usual."""
    free_in_s: float = 0.0
    """How soon it can begin: what the body does now may have to be seen first."""
    is_look: bool = False
    """Looks keep their order, however long each takes."""

    @property
    def lead_s(self) -> float:
        """How long before the beginning of its word it is ordered."""
        return self.usual_s + self.ahead_s

    @property
    def least_lead_s(self) -> float:
        """The same where there is little time."""
        return self.lead_s if self.least_s is None else self.least_s


ReachOf = Callable[[StepAt], Reach | None]
"""None: a step that says at once what it says."""


@dataclass(frozen=True, slots=True)
class WordTimes:
    """When the words of a segment come, from its first sound."""

    offsets: tuple[int, ...]
    """Where each begins in the text, in characters from 0."""
    starts_s: tuple[float, ...]
    duration_s: float

    def at_s(self, offset: int) -> float:
        """When the text is reached there."""
        index = bisect_right(self.offsets, offset) - 1
        return self.starts_s[index] if index >= 0 else 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a segment is silent for the sake of its steps."""

    wait_s: float = 0.0
    """Before its first sound."""
    rests: tuple[tuple[int, float], ...] = ()
    """Places in its text, and for how long."""


class Course:
    """When each word of a line will be heard, as far as that can be said."""

    def __init__(self, script: Script) -> None:
        self._segments = script.segments
        self._times = [_estimated(segment) for segment in script.segments]
        self._starts_s: dict[int, float] = {}

    def starts(self, number: int, at_s: float, times: WordTimes | None = None) -> None:
        """A segment is first heard then; `times` where its voice has told them."""
        self._starts_s[number] = at_s
        if times is not None:
            self._times[number] = times

    def heard(self, number: int, word: int, now_s: float) -> None:
        """A word of the line is heard now: the others of its segment move with it."""
        self._starts_s[number] = now_s - self._within_s(number, word)

    def onset_s(self, word: int) -> float:
        """When a word of the line will be heard; infinite where nobody can say, or it is none."""
        start_s = math.inf
        for number, segment in enumerate(self._segments):
            expected_s = start_s + segment.pause_before_s
            start_s = self._starts_s.get(number, expected_s)
            if word < segment.end_word:
                return start_s + self._within_s(number, word)
            start_s += self._times[number].duration_s
        return math.inf

    def plan(self, number: int, steps: Iterable[tuple[int, float, float]], *, now_s: float) -> Plan:
        """Where a segment that may begin now has to be silent.

        Args:
            number: of the segment.
            steps: word, and when it may come at the earliest, usually and at best, for each step
                that needs time.
            now_s: the time.
        """
        segment = self._segments[number]
        wait_s, rests = 0.0, []
        for word, earliest_s, at_best_s in sorted(steps):
            if not segment.first_word <= word < segment.end_word:
                continue
            local = word - segment.first_word
            lacks_s = earliest_s - now_s - wait_s - self._within_s(number, word)
            if lacks_s <= 0.0:
                continue
            if local == 0:
                may_wait = number == 0 or segment.pause_before_s > 0.0
                wait_s = min(wait_s + lacks_s, LONGEST_WAIT_S) if may_wait else wait_s
                continue
            if number == 0 and wait_s < SHORT_WAIT_S:
                short_s = min(lacks_s, SHORT_WAIT_S - wait_s)
                wait_s, lacks_s = wait_s + short_s, lacks_s - short_s
            offset = _letter(segment, local)
            rest_s = min(lacks_s, LONGEST_WAIT_S)
            if segment.text[:offset].rstrip()[-1:] not in _CLAUSE_ENDS:
                rest_s = min(lacks_s - (earliest_s - at_best_s), WITHIN_CLAUSE_S)
            if rest_s > 0.0:
                rests.append((offset, rest_s))
                self._rest(number, offset, rest_s)
        return Plan(wait_s, tuple(rests))

    def _rest(self, number: int, offset: int, rest_s: float) -> None:
        """Reckon with a rest until the voice tells its times."""
        times = self._times[number]
        starts_s = (
            start_s + (rest_s if place >= offset else 0.0)
            for place, start_s in zip(times.offsets, times.starts_s, strict=True)
        )
        self._times[number] = WordTimes(times.offsets, tuple(starts_s), times.duration_s + rest_s)

    def _within_s(self, number: int, word: int) -> float:
        segment = self._segments[number]
        local = max(0, min(word - segment.first_word, len(segment.word_starts) - 1))
        return self._times[number].at_s(_letter(segment, local))


def _letter(segment: Segment, local: int) -> int:
    """Where the sound of a word begins: voices do not count quotation marks before it."""
    text, start = segment.text, segment.word_starts[local]
    return next((n for n in range(start, len(text)) if text[n].isalnum()), start)


def _estimated(segment: Segment) -> WordTimes:
    """About when the words come; the voice tells it before the first of them is heard."""
    text, starts = segment.text, segment.word_starts
    so_far = [natural_times(text[:end]) for end in (*starts[1:], len(text))]
    starts_s = (words[-1][0] / segment.rate if words else 0.0 for words, _ in so_far)
    return WordTimes(starts, tuple(starts_s), so_far[-1][1] / segment.rate)
