"""Where a voice comes from: the delay between two microphones becomes an angle.

Design overview: cross-spectra of the voiced frames are summed, whitened (GCC-PHAT) and searched
for the delay within what the distance of the microphones allows, to a part of a sample.
Units and frames: angles in radians in the frame of the pair, right positive, 0 straight ahead.
Two microphones cannot tell front from back: the front is assumed.
Threading: one caller at a time.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sera.hearing.voice_model import FRAME, RATE_HZ

SPEED_OF_SOUND_M_S = 343.0
_FINER = 16
_SIZE = 2 * FRAME
_FORGET = 0.93
"""What counts of a frame when the next comes: about half a second is averaged."""


class PairDirection:
    """The direction of a voice from a pair of microphones.

    Args:
        spacing_m: their distance; the left one is the first channel.
    """

    def __init__(self, spacing_m: float) -> None:
        if not spacing_m > 0:
            raise ValueError(f"the distance of two microphones is above 0 m, not {spacing_m}")
        self.spacing_m = spacing_m
        self._window = np.hanning(FRAME)
        frequencies = np.fft.rfftfreq(_SIZE, 1 / RATE_HZ)
        self._band = (frequencies >= 150) & (frequencies <= 7000)
        self.forget()

    def forget(self) -> None:
        """A new voice."""
        self._sum = np.zeros(_SIZE // 2 + 1, dtype=np.complex128)
        self._power = np.zeros(_SIZE // 2 + 1)
        self.frames = 0

    def feed(self, left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]) -> None:
        """Add a frame in which somebody speaks."""
        one = np.fft.rfft(left * self._window, _SIZE)
        other = np.fft.rfft(right * self._window, _SIZE)
        self._sum = _FORGET * self._sum + one * other.conj()
        self._power = _FORGET * self._power + np.abs(one) * np.abs(other)
        self.frames += 1

    def later_s(self) -> float | None:
        """How much later the left microphone hears the voice; None before anything was heard."""
        if self.frames == 0 or not self._power.any():
            return None
        loud = self._band & (self._power > 1e-3 * self._power.max())
        white = np.where(loud, self._sum / (np.abs(self._sum) + 1e-15), 0)
        # Frequencies at which both agree over time count more than those of the noise.
        white = white * np.where(loud, np.abs(self._sum) / (self._power + 1e-15), 0)
        correlation = np.fft.irfft(white, _SIZE * _FINER)
        most = self.spacing_m / SPEED_OF_SOUND_M_S * RATE_HZ * _FINER
        reach = math.ceil(most) + 1
        lags = np.arange(-reach, reach + 1)
        values = correlation[lags]
        best = int(values.argmax())
        lag = float(lags[best])
        if 0 < best < len(lags) - 1:
            before, here, after = values[best - 1 : best + 2]
            bend = before - 2 * here + after
            if bend < 0:
                lag += 0.5 * float((before - after) / bend)
        return max(-most, min(most, lag)) / (RATE_HZ * _FINER)

    def angle_rad(self) -> float | None:
        """The horizontal angle of the voice, from -90° to 90°; None before anything was heard."""
        later_s = self.later_s()
        if later_s is None:
            return None
        return math.asin(max(-1.0, min(1.0, later_s * SPEED_OF_SOUND_M_S / self.spacing_m)))


__all__ = ["SPEED_OF_SOUND_M_S", "PairDirection"]
