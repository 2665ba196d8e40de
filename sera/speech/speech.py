"""What a voice makes of a text: sound, and the times of its words, sentences and phonemes.

Times count in seconds from the first sample; offsets count characters of the text that was
asked for, never of what a pronunciation list made of it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One word, where it stands in the text and when it is heard."""

    text: str
    """Without the punctuation around it."""
    offset: int
    end_offset: int
    start_s: float
    end_s: float
    estimated: bool = False
    """True where the engine gave no time for this word and it was computed."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, where it stands in the text and when it is heard."""

    offset: int
    end_offset: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Phoneme:
    """One sound of speech in the International Phonetic Alphabet; empty for a pause."""

    ipa: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Speech:
    """A spoken line: one channel of 16-bit little-endian samples, and its times."""

    text: str
    rate_hz: int
    duration_s: float
    pcm: bytes = b""
    """Empty where the voice makes no sound and only keeps time."""
    words: tuple[Word, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    phonemes: tuple[Phoneme, ...] = ()
    """Empty where the engine does not tell them."""
    voice: str = ""
    language: str = ""
    problem: str = ""
    """Why it is not said by the voice that was asked first; empty where it is."""

    @property
    def estimated(self) -> bool:
        """True where at least one word's time is computed."""
        return any(word.estimated for word in self.words)

    @property
    def audible(self) -> bool:
        """False where there is nothing to play, only time to keep."""
        return bool(self.pcm)
