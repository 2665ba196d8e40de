"""Sound from a WAV file, at the pace at which it was recorded.

Design overview: the file is mapped, not read, where its format allows that; each block is handed
out when the clock reaches its end, as a microphone would. In virtual time that costs no waiting.
Units: seconds of the injected clock.
Threading: the event loop's thread; a file is opened in it, which takes milliseconds.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import wavfile

from sera.hearing.source import BLOCK_S, Block, SoundClock, SoundMissing

LOWEST_HZ, HIGHEST_HZ = 4000, 192_000


class WavSource:
    """A WAV file of whole numbers (8 to 32 bits) or floats, with any number of channels.

    Args:
        path: the file.
        clock: gives the pace.
        repeat: whether it begins again at its end.
        block_s: how long a block is.
    """

    def __init__(
        self, path: Path, clock: SoundClock, *, repeat: bool = False, block_s: float = BLOCK_S
    ) -> None:
        self.path = path
        self._clock = clock
        self._repeat = repeat
        self._block_s = block_s
        self._samples: npt.NDArray[Any] | None = None
        self._rate_hz = 0
        self._began_s = 0.0
        self._at = 0

    async def open(self) -> None:
        self._rate_hz, self._samples = _mapped(self.path)
        self._began_s, self._at = self._clock.now(), 0

    async def read(self) -> Block | None:
        if self._samples is None:
            return None
        whole = self._samples
        if self._at >= len(whole):
            if not self._repeat:
                return None
            self._began_s += len(whole) / self._rate_hz
            self._at = 0
        count = max(1, round(self._block_s * self._rate_hz))
        piece = as_floats(whole[self._at : self._at + count])
        block = Block(piece, self._began_s + self._at / self._rate_hz, self._rate_hz)
        self._at += len(piece)
        await self._clock.sleep_until(block.end_s)
        return block

    def close(self) -> None:
        self._samples = None

    def describe(self) -> str:
        return f"file {self.path.name}"


def as_floats(samples: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Samples of any WAV format as floats from -1 to 1, one column a channel."""
    if samples.ndim == 1:
        samples = samples[:, None]
    if samples.dtype == np.uint8:
        return ((samples.astype(np.float32) - 128.0) / 128.0).astype(np.float32)
    if np.issubdtype(samples.dtype, np.integer):
        full_scale = float(-int(np.iinfo(samples.dtype).min))
        return (samples / full_scale).astype(np.float32)
    # Floats may hold anything; a NaN would stay in every filter for ever.
    return np.clip(np.nan_to_num(samples.astype(np.float32)), -1.0, 1.0)


def _mapped(path: Path) -> tuple[int, npt.NDArray[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # chunks that scipy does not know, or a file cut short
        try:
            try:
                rate_hz, samples = wavfile.read(path, mmap=True)
            except ValueError:  # 24 bits cannot be mapped
                rate_hz, samples = wavfile.read(path)
        except FileNotFoundError:
            raise SoundMissing(f"there is no sound file {path}: check the name") from None
        except OSError as error:
            raise SoundMissing(f"{path} cannot be read: {error.strerror or error}") from None
        except Exception as error:
            raise SoundMissing(f"{path} is no WAV file that can be read: {error}") from None
    if not LOWEST_HZ <= rate_hz <= HIGHEST_HZ:
        raise SoundMissing(
            f"{path} has {rate_hz} samples a second; {LOWEST_HZ} to {HIGHEST_HZ} can be used"
        )
    if samples.size == 0:
        raise SoundMissing(f"{path} holds no sound")
    return int(rate_hz), samples


__all__ = ["WavSource", "as_floats"]
