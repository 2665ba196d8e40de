"""Speech sway and mouth: the body moves with the words that the voice says.

Design overview: word timings come from the voice. The mouth opens once for each syllable, whose
number is estimated from the word's length, and is closed at each word's ends. The body leans to
one side, more for stressed words, and shifts to the other with a stressed word or after a while,
through a critically damped spring: slow ends, and no further than asked for. When speech ends or
is broken off both go back to rest.
Units and frames: sway in radians to either side, mouth from 0 (closed) to 1; seconds since
`begin`.
Threading: one owner.
Safety: |sway| never exceeds `sway_rad` and the mouth stays from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sera.animation.signals._checks import check, within
from sera.animation.signals.spring import Spring, SpringSettings

_LEAST_LEAN = 0.35
"""Share of the sway for a word without any stress."""
_LEAST_OPENING = 0.55
_INNER_OPENING = 0.35
_SHIFTING_STRESS = 0.7
_LEAST_SIDE_S = 0.3
_LONGEST_SIDE_S = 1.0
_UNSEEN = 1e-9
"""A sway or an opening below this is none."""
_CLOSING_S = 0.05
"""How fast a mouth closes that was open when speech broke off."""


@dataclass(frozen=True, slots=True)
class Word:
    """When a word is said, in seconds since the utterance began."""

    start_s: float
    end_s: float
    stress: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSwaySettings:
    """How much the body takes part."""

    sway_rad: float = 0.06
    mouth_opening: float = 1.0
    syllable_s: float = 0.18
    sway_frequency_hz: float = 0.9
    """How fast the body follows; higher is more agitated."""

    def __post_init__(self) -> None:
        check("sway_rad", self.sway_rad, 0.0, math.pi / 2.0)
        check("mouth_opening", self.mouth_opening, 0.0, 1.0)
        check("syllable_s", self.syllable_s, 0.05, 1.0)
        check("sway_frequency_hz", self.sway_frequency_hz, 0.05, 10.0)


class SpeechSway:
    """Sway and mouth opening while words are said."""

    __slots__ = ("_index", "_leftover", "_mouth", "_side", "_side_s", "_spring", "_time_s",
                 "_words", "settings")  # fmt: skip

    def __init__(self, settings: SpeechSwaySettings) -> None:
        self.settings = settings
        self._spring = Spring(
            SpringSettings(frequency_hz=settings.sway_frequency_hz, damping_ratio=1.0)
        )
        self.reset()

    def reset(self) -> None:
        self._words: tuple[Word, ...] = ()
        self._spring.reset()
        self._index = 0
        self._time_s = 0.0
        self._side = 1.0
        self._side_s = 0.0
        self._mouth = self._leftover = 0.0

    def begin(self, words: Sequence[Word], at_s: float = 0.0) -> None:
        """Say these words from now on, `at_s` into the utterance; earlier words are forgotten."""
        check("at_s", at_s, 0.0, 36000.0)
        _check_words(words)
        self._words = tuple(words)
        self._index = 0
        self._time_s = at_s
        self._leftover = self._mouth

    def say(self, length_s: float, stress: float = 0.5) -> None:
        """A word begins now, as the voice comes to it; it may be cut short by the next one."""
        self.begin([Word(0.0, length_s, stress)])
        self._choose_side()

    def stop(self) -> None:
        """Speech broke off: the mouth closes and the body goes back."""
        self._words = ()
        self._index = 0
        self._leftover = self._mouth

    @property
    def speaking(self) -> bool:
        return self._index < len(self._words)

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves, and the next word may lean to either side."""
        is_still = self._spring.value == 0.0 == self._spring.velocity
        is_closed = self._leftover == 0.0 == self._mouth
        return is_still and is_closed and not self.speaking and self._side_s >= _LONGEST_SIDE_S

    def step(self, dt_s: float) -> tuple[float, float]:
        """Sway and mouth opening `dt_s` later."""
        self._time_s += dt_s
        self._side_s += dt_s
        words = self._words
        while self._index < len(words) and self._time_s >= words[self._index].end_s:
            self._index += 1
            self._choose_side()
        lean = opening = 0.0
        if self._index < len(words):
            word = words[self._index]
            if self._index > 0 or self._time_s >= word.start_s:
                # Between two words the body is on its way to the next one already.
                lean = _LEAST_LEAN + (1.0 - _LEAST_LEAN) * word.stress
            if self._time_s > word.start_s:
                opening = self._opening(word)
        sway = self._spring.step(dt_s, self._side * lean * self.settings.sway_rad)
        self._leftover *= math.exp(-dt_s / _CLOSING_S)
        if not self.speaking:
            sway = self._settled(sway)
        self._mouth = within(max(opening, self._leftover), 0.0, 1.0)
        return sway, self._mouth

    def _settled(self, sway: float) -> float:
        """What nobody sees any more is over: an exponential alone would never end."""
        if self._leftover < _UNSEEN:
            self._leftover = 0.0
        if abs(sway) < _UNSEEN and abs(self._spring.velocity) < _UNSEEN:
            self._spring.reset()
            return 0.0
        return sway

    def _choose_side(self) -> None:
        """Shift the weight for a stressed word, and when it has rested on one side for long."""
        if self._index >= len(self._words):
            return
        is_stressed = self._words[self._index].stress >= _SHIFTING_STRESS
        if self._side_s >= (_LEAST_SIDE_S if is_stressed else _LONGEST_SIDE_S):
            self._side = -self._side
            self._side_s = 0.0

    def _opening(self, word: Word) -> float:
        length_s = word.end_s - word.start_s
        syllables = max(1, round(length_s / self.settings.syllable_s))
        place = syllables * (self._time_s - word.start_s) / length_s
        wave = math.sin(math.pi * place) ** 2
        if 0.5 < place < syllables - 0.5:
            # Within a word the mouth does not close between syllables.
            wave = _INNER_OPENING + (1.0 - _INNER_OPENING) * wave
        height = _LEAST_OPENING + (1.0 - _LEAST_OPENING) * word.stress
        return self.settings.mouth_opening * height * wave


def _check_words(words: Sequence[Word]) -> None:
    before_s = 0.0
    for number, word in enumerate(words, start=1):
        check(f"start_s of word {number}", word.start_s, 0.0, 36000.0)
        check(f"end_s of word {number}", word.end_s, 0.0, 36000.0)
        check(f"stress of word {number}", word.stress, 0.0, 1.0)
        if word.end_s <= word.start_s:
            raise ValueError(
                f"Word {number} ends at {word.end_s:g} s, not after its start at "
                f"{word.start_s:g} s; give it a length."
            )
        if word.start_s < before_s - 1e-6:
            raise ValueError(
                f"Word {number} starts at {word.start_s:g} s, before the one before it ends at "
                f"{before_s:g} s; sort the words and let them not overlap."
            )
        before_s = word.end_s
