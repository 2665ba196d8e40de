"""Sound: 16-bit samples of one channel in a WAV file that keeps to the run's clock.

Design overview
    Samples are laid end to end. A microphone's own clock drifts and blocks get lost, so the time of
    each block is compared with where it would come to lie: a hole is filled with silence at once; a
    drift that lasts is mended by a little silence, or by leaving a little out. Each is noted. The
    header is brought up to date with every flush, so that a file whose process was killed opens.

Units and frames
    Seconds on the run's clock.

Threading
    Calls block for as long as the disk does.
"""

from __future__ import annotations

import statistics
import struct
from collections import deque
from pathlib import Path
from typing import BinaryIO

HOLE_S = 0.15
"""A block that comes so much later than expected follows lost ones."""
DRIFT_S = 0.015
"""How far sound may lie beside its time before it is mended."""
BLOCKS_WATCHED = 25
LARGEST_BYTES = 2_000_000_000
LONGEST_HOLE_S = 3600.0
_HEAD_BYTES = 44


class WaveSound:
    """A sound that grows.

    Args:
        path: a new file.
        rate_hz: samples a second.
        started_s: time of the first sample.

    Raises:
        FileExistsError: there is such a file.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, rate_hz: int, started_s: float) -> None:
        self.path = path
        self.rate_hz = rate_hz
        self.started_s = started_s
        self.samples = 0
        self.filled = 0
        """Samples of silence in place of what did not come."""
        self.left_out = 0
        """Samples that did not fit because the microphone's clock is fast."""
        self._beside_s: deque[float] = deque(maxlen=BLOCKS_WATCHED)
        self._file: BinaryIO = path.open("xb")
        self._file.write(_head(rate_hz, 0))
        self._file.flush()

    @property
    def end_s(self) -> float:
        """When the next sample is due."""
        return self.started_s + self.samples / self.rate_hz

    @property
    def is_full(self) -> bool:
        """Whether the file is as large as it may be."""
        return self.samples * 2 > LARGEST_BYTES

    def add(self, pcm: bytes, time_s: float) -> int:
        """Write a block; returns the sample at which it begins.

        Raises:
            OSError: it cannot be written.
        """
        beside_s = time_s - self.end_s
        if beside_s > HOLE_S:
            self._fill(round(min(beside_s, LONGEST_HOLE_S) * self.rate_hz))
            self._beside_s.clear()
        else:
            self._beside_s.append(beside_s)
            pcm = self._mended(pcm)
        at = self.samples
        whole = pcm[: len(pcm) // 2 * 2]
        self._file.write(whole)
        self.samples += len(whole) // 2
        return at

    def _mended(self, pcm: bytes) -> bytes:
        if len(self._beside_s) < BLOCKS_WATCHED:
            return pcm
        usual_s = statistics.median(self._beside_s)
        if abs(usual_s) < DRIFT_S:
            return pcm
        self._beside_s.clear()
        count = round(abs(usual_s) * self.rate_hz)
        if usual_s > 0:
            self._fill(count)
            return pcm
        count = min(count, len(pcm) // 2)
        self.left_out += count
        return pcm[2 * count :]

    def _fill(self, count: int) -> None:
        left = count
        while left > 0:
            piece = min(left, self.rate_hz)
            self._file.write(bytes(2 * piece))
            left -= piece
        self.samples += count
        self.filled += count

    def flush(self) -> None:
        """Bring the header up to date and hand all to the operating system; raises OSError."""
        self._file.flush()
        self._file.seek(0)
        self._file.write(_head(self.rate_hz, self.samples))
        self._file.flush()
        self._file.seek(0, 2)

    def close(self) -> None:
        """End the sound; raises OSError."""
        if self._file.closed:
            return
        try:
            self.flush()
        finally:
            self._file.close()


def _head(rate_hz: int, samples: int) -> bytes:
    size = 2 * samples
    return (
        b"RIFF"
        + struct.pack("<I", _HEAD_BYTES - 8 + size)
        + b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, rate_hz, 2 * rate_hz, 2, 16)
        + b"data"
        + struct.pack("<I", size)
    )
