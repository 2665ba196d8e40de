"""Word times of a recording whose text is known, found by forced alignment with pocketsphinx.

pocketsphinx brings an American English model; words that its dictionary does not have are left
out and estimated between their neighbours. It is optional: where it is missing every word's time
is estimated.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import lru_cache
from typing import Any

from sera.speech._tokens import words_of
from sera.speech._word_times import TimedWord
from sera.speech.wav import Sound

_RATE_HZ = 16_000
_FRAMES_PER_S = 100


def can_align(language: str) -> bool:
    """True where pocketsphinx is installed and knows the language."""
    english = language.lower().split("-")[0] == "en"
    return english and importlib.util.find_spec("pocketsphinx") is not None


def align(text: str, sound: Sound) -> list[TimedWord]:
    """The times of the words of `text` in `sound`; empty where they do not fit each other.

    Takes about a third of the recording's length.
    """
    decoder = _decoder()
    known = [
        word
        for token in words_of(text)
        if decoder.lookup_word(word := token.text.lower().replace("’", "'"))  # noqa: RUF001
    ]
    if not known or not sound.pcm:
        return []
    try:
        decoder.set_align_text(" ".join(known))
        decoder.start_utt()
        decoder.process_raw(_at_16_khz(sound), full_utt=True)
        decoder.end_utt()
        segments = list(decoder.seg() or [])
    except RuntimeError:
        # What is said is not the text: there is no path through the model. The decoder is in
        # the middle of it, so that the next one is a new one.
        _decoder.cache_clear()
        return []
    return [
        TimedWord(
            segment.word.split("(")[0],
            segment.start_frame / _FRAMES_PER_S,
            (segment.end_frame + 1) / _FRAMES_PER_S,
        )
        for segment in segments
        if not segment.word.startswith(("<", "[", "("))
    ]


@lru_cache(maxsize=1)
def _decoder() -> Any:
    # It has no types.
    pocketsphinx: Any = importlib.import_module("pocketsphinx")
    return pocketsphinx.Decoder(lm=None, samprate=float(_RATE_HZ), loglevel="FATAL")


def _at_16_khz(sound: Sound) -> bytes:
    if sound.rate_hz == _RATE_HZ:
        return sound.pcm
    import math

    import numpy as np
    from scipy.signal import resample_poly

    divisor = math.gcd(_RATE_HZ, sound.rate_hz)
    samples = np.frombuffer(sound.pcm, dtype="<i2").astype(np.float64)
    changed = resample_poly(samples, _RATE_HZ // divisor, sound.rate_hz // divisor)
    return bytes(np.clip(np.rint(changed), -32768, 32767).astype("<i2").tobytes())
