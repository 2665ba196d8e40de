"""Takes a known sound out of what a microphone hears, although its way there is unknown.

Design overview: the last seconds of both sounds are kept. Their whitened correlation says how
late the sound arrives; a few times a second the room around that moment is fitted by least squares
(Levinson's recursion). A way is learnt from about half a second of sound, which adaptive gradient
filters do not reach with up to half a second of delay. Frames in which a person speaks
count little.
Units and frames: samples at 16 kHz in frames of 512; the sound must be given no later than it is
heard.
Threading: one caller at a time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import fft, linalg, signal

from sera.hearing.voice_model import FRAME, RATE_HZ

Samples = npt.NDArray[np.float64]

ROOM_S = 0.1
"""How much of the room after the direct sound is learnt."""
BEFORE_S = 0.006
HISTORY = 96
"""Frames that are kept, about three seconds."""
FIT_EVERY, REFIT_EVERY = 4, 10
"""Frames between two fits, while much is learnt and later."""
LEARNS_FOR_S = 2.0
PERSON_COUNTS = 0.2
_EMPHASIS = 0.9
"""High frequencies of voices are weak but tell times best."""
_RIDGE = 1e-3


class EchoCanceller:
    """Learns one way from a loudspeaker to one microphone.

    Args:
        longest_s: how much later than it was given the sound may be heard first.
    """

    def __init__(self, longest_s: float = 0.65) -> None:
        self._lags = round(longest_s * RATE_HZ)
        self._taps = round(ROOM_S * RATE_HZ)
        self._size = HISTORY * FRAME
        self._given = np.zeros(self._size)
        self._heard = np.zeros(self._size)
        self._counts = np.zeros(HISTORY)
        self._way = np.zeros(self._taps)
        self._since = 0
        self.delay = 0
        """How late the way begins, in samples."""
        self.gathered_s = 0.0
        """How much sound has been learnt from."""

    def feed(self, heard: Samples, given: Samples) -> tuple[Samples, Samples]:
        """The rest without the given sound, and what was taken out, of the next frame."""
        self._given = np.concatenate([self._given[FRAME:], given])
        self._heard = np.concatenate([self._heard[FRAME:], heard])
        echo = self._predicted()
        self._counts = np.concatenate([self._counts[1:], [1.0]])
        self._since += 1
        if given.any():
            self.gathered_s += FRAME / RATE_HZ
        every = FIT_EVERY if self.gathered_s < LEARNS_FOR_S else REFIT_EVERY
        if self._since >= every and self.gathered_s > 0.1:
            self._since = 0
            self._solve()
        return heard - echo, echo

    def play_down(self, frames: int) -> None:
        """The last frames held a person's voice, too: learn little from them.

        Not nothing: where the way has changed, everything looks like a person at first.
        """
        self._counts[-frames:] = PERSON_COUNTS

    @property
    def is_hasty(self) -> bool:
        """Whether so little sound has been heard that a new one may not be explained yet."""
        return self.gathered_s < LEARNS_FOR_S

    def rest_again(self, frames: int) -> float:
        """Mean power of what is left of the last frames by a fit that knows them."""
        if self._since > 1:
            self._since = 0
            self._solve()
        last, count = self._size - self.delay, frames * FRAME
        piece = self._given[last - count - self._taps + 1 : last]
        echo = signal.fftconvolve(piece, self._way, mode="valid")
        return float(((self._heard[-count:] - echo) ** 2).mean())

    def _predicted(self) -> Samples:
        last = self._size - self.delay
        piece = self._given[last - FRAME - self._taps + 1 : last]
        return np.asarray(signal.fftconvolve(piece, self._way, mode="valid"))

    def _solve(self) -> None:
        given = signal.lfilter([1.0, -_EMPHASIS], [1.0], self._given)
        heard = signal.lfilter([1.0, -_EMPHASIS], [1.0], self._heard)
        heard = heard * np.repeat(self._counts, FRAME)
        size = 2 * self._size
        spectrum = fft.rfft(given, size)
        cross = fft.rfft(heard, size) * spectrum.conj()
        own = np.abs(spectrum) ** 2
        if own.max() <= 1e-9:
            return
        sharp = np.abs(fft.irfft(cross / (own + 0.05 * own.mean())))[: self._lags]
        self.delay = max(0, int(sharp.argmax()) - round(BEFORE_S * RATE_HZ))
        # Only what has been heard by now tells how loud the given sound is.
        shifted = np.concatenate([np.zeros(self.delay), given[: self._size - self.delay]])
        shifted *= np.repeat(self._counts, FRAME)
        own_lags = fft.irfft(np.abs(fft.rfft(shifted, size)) ** 2)[: self._taps]
        wanted = fft.irfft(fft.rfft(heard, size) * fft.rfft(shifted, size).conj())
        own_lags[0] *= 1.0 + _RIDGE
        own_lags[0] += 1e-6
        self._way = np.asarray(
            linalg.solve_toeplitz(own_lags, wanted[: self._taps], check_finite=False)
        )


__all__ = ["EchoCanceller"]
