"""Whose voice a worn microphone hears: its wearer's, or one from another microphone.

Design overview: voices are sparse, so that at each frequency one of two people who speak at once
is louder. A channel holds its wearer's voice where much of its power lies at frequencies at which
no other channel is about as loud or louder; a voice from another microphone is weaker at all of
them. What is near the noise says nothing.
Units: squares of samples at 16 kHz, frames of 512.
Threading: one caller at a time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sera.hearing.voice_model import FRAME, RATE_HZ

OWN_SHARE = 0.3
"""The wearer speaks where more than this share of the power is the channel's own."""
ABOVE_NOISE = 6.0
"""And the own power is so many times the noise."""
_MIX = 0.5
"""How much of the last frame counts beside the new one."""
_RISE = 1.012
"""How fast the noise is believed to rise, a frame: about 1.6 dB a second."""


class Wearers:
    """Tells which channels hold the voice of whoever wears them.

    Args:
        channels: how many there are.
        margin_db: how much louder a channel must be to own a frequency.
    """

    def __init__(self, channels: int, margin_db: float = 3.0) -> None:
        self._margin = 10 ** (margin_db / 10)
        frequencies = np.fft.rfftfreq(FRAME, 1 / RATE_HZ)
        self._band = (frequencies >= 120) & (frequencies <= 7000)
        self._window = np.hanning(FRAME)[:, None]
        self._powers = np.zeros((int(self._band.sum()), channels))
        self._noise: npt.NDArray[np.float64] | None = None

    def feed(self, frame: npt.NDArray[np.float64]) -> tuple[bool, ...]:
        """By channel: whether the wearer's voice may be in the next frame, (512, channels)."""
        spectrum = np.fft.rfft(frame * self._window, axis=0)[self._band]
        powers = np.abs(spectrum) ** 2
        self._powers = _MIX * self._powers + (1 - _MIX) * powers
        noise = powers if self._noise is None else self._noise * _RISE
        self._noise = np.minimum(noise, self._powers + 1e-12)
        voice = np.maximum(0.0, self._powers - ABOVE_NOISE * self._noise)
        verdicts = []
        for channel in range(frame.shape[1]):
            others = np.delete(self._powers, channel, axis=1).max(axis=1)
            own = voice[:, channel][self._powers[:, channel] > self._margin * others].sum()
            share = own / (voice[:, channel].sum() + 1e-12)
            verdicts.append(bool(share > OWN_SHARE and own > self._noise[:, channel].sum()))
        return tuple(verdicts)


__all__ = ["Wearers"]
