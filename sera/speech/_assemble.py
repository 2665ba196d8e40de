"""From what an engine tells to a `Speech`: a time for every word of the text that was asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sera.speech._tokens import Token, sentences_of
from sera.speech.estimate import fill_times
from sera.speech.pronunciation import Respelled
from sera.speech.speech import Phoneme, Sentence, Speech, Word


@dataclass(frozen=True, slots=True)
class Mark:
    """An engine's word: where it stands in the text that the engine was given, and when."""

    offset: int
    start_s: float
    end_s: float | None = None


@dataclass(frozen=True, slots=True)
class Rendering:
    """What an engine made of a request."""

    pcm: bytes
    rate_hz: int
    duration_s: float
    marks: tuple[Mark, ...] = ()
    phonemes: tuple[Phoneme, ...] = ()
    sound_s: tuple[float, float] | None = None
    """When the sound begins and ends, for words that have no mark; None: the whole."""


def assemble(
    text: str,
    safe: str,
    tokens: Sequence[Token],
    spoken: Respelled,
    rendering: Rendering,
    *,
    voice: str,
    language: str,
) -> Speech:
    """The speech, with offsets into `text`."""
    known = _marks_by_token(tokens, spoken, rendering)
    times = fill_times(
        safe,
        tokens,
        [mark.start_s if mark else None for mark in known],
        language=language,
        sound_s=rendering.sound_s or (0.0, rendering.duration_s),
    )
    pauses_s = [phoneme.start_s for phoneme in rendering.phonemes if not phoneme.ipa]
    words = []
    for index, (token, mark, (start_s, end_s)) in enumerate(zip(tokens, known, times, strict=True)):
        next_s = times[index + 1][0] if index + 1 < len(tokens) else rendering.duration_s
        if mark is not None and mark.end_s is not None:
            end_s = mark.end_s  # noqa: PLW2901
        elif rendering.phonemes:
            pause = bisect_right(pauses_s, start_s)
            end_s = pauses_s[pause] if pause < len(pauses_s) else next_s  # noqa: PLW2901
        end = max(start_s, min(end_s, next_s))
        words.append(
            Word(
                text[token.offset : token.end_offset],
                token.offset,
                token.end_offset,
                start_s,
                end,
                estimated=mark is None,
            )
        )
    return Speech(
        text=text,
        rate_hz=rendering.rate_hz,
        duration_s=rendering.duration_s,
        pcm=rendering.pcm,
        words=tuple(words),
        sentences=_sentences(safe, words),
        phonemes=rendering.phonemes,
        voice=voice,
        language=language,
    )


def _marks_by_token(
    tokens: Sequence[Token], spoken: Respelled, rendering: Rendering
) -> list[Mark | None]:
    """The first mark of every word; marks that go back in time or leave the sound are dropped.

    A mark on punctuation belongs to the word after it (espeak-ng gives the word after a dash the
    place of the dash).
    """
    found: list[Mark | None] = [None] * len(tokens)
    starts = [token.run_start for token in tokens]
    on_punctuation: list[tuple[int, Mark]] = []
    for mark in rendering.marks:
        offset = spoken.original_offset(mark.offset)
        index = bisect_right(starts, offset) - 1
        if index >= 0 and offset < tokens[index].run_end:
            first = found[index]
            if first is None:
                found[index] = mark
            elif first.end_s is not None and mark.end_s is not None:
                found[index] = Mark(first.offset, first.start_s, max(first.end_s, mark.end_s))
        elif index + 1 < len(tokens):
            on_punctuation.append((index + 1, mark))
    for index, mark in on_punctuation:
        if found[index] is None:
            found[index] = mark
    return _in_order(found, rendering.duration_s)


def _in_order(marks: list[Mark | None], duration_s: float) -> list[Mark | None]:
    kept: list[Mark | None] = []
    latest_s = 0.0
    for mark in marks:
        fits = mark is not None and latest_s <= mark.start_s <= duration_s
        kept.append(mark if fits else None)
        if mark is not None and fits:
            latest_s = mark.start_s
    return kept


def _sentences(text: str, words: Sequence[Word]) -> tuple[Sentence, ...]:
    sentences = []
    for start, end in sentences_of(text):
        inside = [word for word in words if start <= word.offset < end]
        if inside:
            sentences.append(Sentence(start, end, inside[0].start_s, inside[-1].end_s))
    return tuple(sentences)
