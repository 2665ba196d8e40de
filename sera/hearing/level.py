"""How loud a sound is, and whether a microphone is muted or clipped.

Units: decibels relative to full scale; seconds of sound.
Threading: one caller at a time.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sera.hearing.source import Block

QUIETEST_DBFS, LOUDEST_DBFS = -120.0, 12.0
MUTED_AFTER_S = 1.0
"""So long without any change of the samples, and a microphone counts as muted."""
CLIPPED_AT = 0.9995
CLIPPED_SHARE = 0.003
"""This share of samples at full scale, and it counts as clipped."""
CLIPPED_FOR_S = 2.0
"""Over how long the share is taken, and how long it must be gone."""


def power_dbfs(power: float) -> float:
    """A mean of squares as decibels, within what messages allow."""
    return max(QUIETEST_DBFS, min(LOUDEST_DBFS, 10 * math.log10(power + 1e-12)))


def loudness_dbfs(samples: npt.NDArray[np.floating]) -> list[float]:
    """Loudness of each channel of (n, channels) samples."""
    powers = (samples.astype(np.float64) ** 2).mean(axis=0)
    return [power_dbfs(float(power)) for power in powers]


class MuteWatch:
    """Notices microphones that are switched off or too loud.

    A muted microphone gives the same number again and again; a real one never does.
    """

    def __init__(self) -> None:
        self._still_s: list[float] = []
        self._clipped: list[float] = []
        self._clean_s: list[float] = []

    def feed(self, block: Block) -> str | None:
        """One sentence where something is wrong at the end of this block; None: all is well."""
        if len(self._still_s) != block.channels:
            self._still_s = [0.0] * block.channels
            self._clipped = [0.0] * block.channels
            self._clean_s = [0.0] * block.channels
        follow = min(1.0, block.duration_s / CLIPPED_FOR_S)
        for channel in range(block.channels):
            samples = block.samples[:, channel]
            is_still = float(np.ptp(samples)) < 1e-7
            self._still_s[channel] = self._still_s[channel] + block.duration_s if is_still else 0.0
            share = float((np.abs(samples) >= CLIPPED_AT).mean())
            self._clipped[channel] += follow * (share - self._clipped[channel])
            is_clean = share <= CLIPPED_SHARE
            self._clean_s[channel] = self._clean_s[channel] + block.duration_s if is_clean else 0.0
            if self._clean_s[channel] >= CLIPPED_FOR_S:
                self._clipped[channel] = 0.0
        return self._sentence()

    @property
    def muted(self) -> list[int]:
        """The channels that are muted."""
        return [index for index, time_s in enumerate(self._still_s) if time_s >= MUTED_AFTER_S]

    @property
    def clipped(self) -> list[int]:
        """The channels that are clipped."""
        return [index for index, share in enumerate(self._clipped) if share > CLIPPED_SHARE]

    def _sentence(self) -> str | None:
        whole = len(self._still_s)
        if muted := self.muted:
            return f"{_which(muted, whole)} muted: switch it on, or raise its level in the mixer"
        if clipped := self.clipped:
            return (
                f"{_which(clipped, whole)} clipped: lower the level in the mixer, "
                "or go further away from it"
            )
        return None


def _which(channels: list[int], whole: int) -> str:
    if len(channels) == whole:
        return "the microphone is"
    numbers = " and ".join(str(channel + 1) for channel in channels)
    return f"channel {numbers} of {whole} is"


__all__ = ["MuteWatch", "loudness_dbfs", "power_dbfs"]
