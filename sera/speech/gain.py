"""Louder or quieter than usual, and never so loud that the sound is cut at its peaks."""

from __future__ import annotations

import math
from dataclasses import replace

from sera.speech.speech import Speech
from sera.speech.wav import louder

FULL_SCALE = 32767


def peak(pcm: bytes) -> int:
    """The greatest amplitude among 16-bit samples."""
    import numpy as np

    samples = np.frombuffer(pcm, dtype="<i2").astype(np.int32)
    return int(np.abs(samples).max()) if len(samples) else 0


def undistorted_factor(pcm: bytes, gain_db: float) -> float:
    """The factor for a gain, as far as the loudest sample leaves room for it."""
    factor = math.pow(10.0, gain_db / 20.0)
    highest = peak(pcm)
    # What was recorded at full scale cannot become louder, but it need not become quieter.
    return min(factor, max(1.0, FULL_SCALE / highest)) if highest else 1.0


def with_gain(speech: Speech, gain_db: float) -> Speech:
    """The speech so many decibels louder; as it is where nothing sounds or nothing changes."""
    if gain_db == 0.0 or not speech.audible:
        return speech
    factor = undistorted_factor(speech.pcm, gain_db)
    return speech if factor == 1.0 else replace(speech, pcm=louder(speech.pcm, factor))
