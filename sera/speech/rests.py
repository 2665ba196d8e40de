"""Silence within a speech, before single words: the sound waits for a gesture, whoever speaks.

The silence is put into what a voice has made, so that recordings, services and espeak-ng rest
alike; a text told in parts would find no recording and lose its melody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from sera.speech.speech import Phoneme, Sentence, Speech, Word

Timed = TypeVar("Timed", Word, Sentence, Phoneme)


def with_rests(speech: Speech, rests: Mapping[int, float]) -> Speech:
    """The speech with silence before words.

    Args:
        speech: what a voice has made.
        rests: seconds by where the word begins in the text; other places are passed over.
    """
    pairs = pairwise(speech.words)
    cuts = [
        (0.5 * (before.end_s + word.start_s), rests[word.offset])
        for before, word in pairs
        if rests.get(word.offset, 0.0) > 0.0
    ]
    if not cuts:
        return speech

    def later(time_s: float) -> float:
        return time_s + sum(rest_s for cut_s, rest_s in cuts if time_s > cut_s)

    def move(each: Timed) -> Timed:
        return replace(each, start_s=later(each.start_s), end_s=later(each.end_s))

    return replace(
        speech,
        duration_s=speech.duration_s + sum(rest_s for _, rest_s in cuts),
        pcm=_with_silence(speech, cuts),
        words=tuple(map(move, speech.words)),
        sentences=tuple(map(move, speech.sentences)),
        phonemes=tuple(map(move, speech.phonemes)),
    )


def _with_silence(speech: Speech, cuts: list[tuple[float, float]]) -> bytes:
    parts, begin = [], 0
    for cut_s, rest_s in cuts if speech.audible else ():
        end = 2 * round(cut_s * speech.rate_hz)
        parts += [speech.pcm[begin:end], bytes(2 * round(rest_s * speech.rate_hz))]
        begin = end
    return b"".join([*parts, speech.pcm[begin:]])
