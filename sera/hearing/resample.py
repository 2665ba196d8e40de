"""Any rate becomes 16 kHz, block by block, without aliases.

Design overview: one windowed-sinc low-pass filter in polyphase form; what a block ends with is kept
for the next, so that pieces of any length give the same samples as the whole would.
Units: samples a second; the filter's delay is known and taken off times by the caller.
Threading: one caller at a time.
"""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt
from scipy import signal

from sera.hearing.voice_model import RATE_HZ

_HALF = 16
"""Zero crossings of the filter to each side: 60 dB of the aliases are taken away."""


class Resampler:
    """One stream of any number of channels.

    Args:
        from_hz: rate of what comes in.
        to_hz: rate of what goes out.
    """

    def __init__(self, from_hz: int, to_hz: int = RATE_HZ) -> None:
        common = gcd(from_hz, to_hz)
        self._up, self._down = to_hz // common, from_hz // common
        self._is_same = self._up == self._down
        widest = max(self._up, self._down)
        length = 2 * _HALF * widest + 1
        taps = signal.firwin(length, 0.92 / widest, window=("kaiser", 7.0)) * self._up
        self._width = -(-length // self._up)
        padded = np.zeros(self._width * self._up)
        padded[:length] = taps
        # Row p holds the taps that meet real samples at output phase p, oldest sample first.
        self._phases = padded.reshape(self._width, self._up).T[:, ::-1].copy()
        self.delay_s = 0.0 if self._is_same else (length - 1) / 2 / (self._up * from_hz)
        self.forget()

    def forget(self) -> None:
        """Begin a new stream."""
        self._kept: npt.NDArray[np.float64] | None = None
        self._first = 0
        self._next_out = 0

    def feed(self, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """What can be told by now of the stream at the new rate, one column a channel."""
        if self._is_same:
            return samples.astype(np.float64)
        if self._kept is None:
            self._kept = np.zeros((self._width - 1, samples.shape[1]))
            self._first = -(self._width - 1)
        kept = np.concatenate([self._kept, samples])
        available = self._first + len(kept)
        last_out = -(-available * self._up // self._down)
        numbers = np.arange(self._next_out, max(self._next_out, last_out)) * self._down
        newest = numbers // self._up
        rows = (newest - self._first)[:, None] + np.arange(1 - self._width, 1)[None, :]
        out = np.einsum("nk,nkc->nc", self._phases[numbers % self._up], kept[rows])
        self._next_out = max(self._next_out, last_out)
        oldest = self._next_out * self._down // self._up - self._width + 1
        drop = max(0, min(len(kept), oldest - self._first))
        self._kept, self._first = kept[drop:], self._first + drop
        return np.asarray(out)


__all__ = ["Resampler"]
