"""Where sound comes from: blocks of samples with their times, behind one interface.

Design overview: a source is opened, read block by block and closed; it raises a `SoundProblem`
with a plain sentence where it cannot, and may be opened again at any time. `sound_source` makes
one from what a scenario file says. Files and devices live in files of their own.
Units and frames: samples are 32 bit floats from -1 to 1, one column a channel; `time_s` is when
the first sample of a block was captured, in seconds of the run's clock.
Threading: the event loop's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BLOCK_S = 0.032
"""How long a block is by default: what the voice activity model works on."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A piece of sound from all channels of a source."""

    samples: npt.NDArray[np.float32]
    """(n, channels), from -1 to 1."""
    time_s: float
    """When its first sample was captured."""
    rate_hz: int

    @property
    def channels(self) -> int:
        return int(self.samples.shape[1])

    @property
    def duration_s(self) -> float:
        return float(self.samples.shape[0]) / self.rate_hz

    @property
    def end_s(self) -> float:
        """When its last sample was captured."""
        return self.time_s + self.duration_s


class SoundProblem(RuntimeError):
    """Sound cannot be had; the message is one sentence: what, and what to do."""


class SoundMissing(SoundProblem):
    """There is no such device or file, or what would read it is not installed."""


class SoundLost(SoundProblem):
    """The sound was there and is gone."""


class SoundClock(Protocol):
    """Time for sources; the `Clock` of a module is one."""

    def now(self) -> float:
        """The time now, in seconds."""

    async def sleep_until(self, when_s: float) -> None:
        """Return at that time."""


class SoundSource(Protocol):
    """A file, a microphone, an array."""

    async def open(self) -> None:
        """Make ready, or begin again.

        Raises:
            SoundProblem: it cannot be opened now; try again later.
        """

    async def read(self) -> Block | None:
        """The next block; None where the sound is over.

        Raises:
            SoundLost: no sound comes any more; close and open again.
        """

    def close(self) -> None:
        """Let go of it; does no harm where it is not open."""

    def describe(self) -> str:
        """What it is, for people: `microphone 'USB Audio'`, `file room.wav`."""


def sound_source(
    where: str | int | None,
    clock: SoundClock,
    *,
    folder: Path | None = None,
    channels: int | None = None,
    rate_hz: int | None = None,
    repeat: bool = False,
    block_s: float = BLOCK_S,
) -> SoundSource:
    """The source that a setting names.

    Args:
        where: a WAV file (its name ends in `.wav`), the number of a device, part of the name of
            one, or None for the system's microphone.
        clock: the run's.
        folder: where files are looked up.
        channels: how many channels of a device; None: two where it has them.
        rate_hz: of a device; None: its own.
        repeat: whether a file begins again at its end.
        block_s: how long a block is.
    """
    if isinstance(where, str) and where.lower().endswith((".wav", ".wave")):
        from sera.hearing.wav_source import WavSource

        path = (folder or Path()) / Path(where).expanduser()
        return WavSource(path, clock, repeat=repeat, block_s=block_s)
    from sera.hearing.device_source import DeviceSource

    if isinstance(where, str) and where.strip().isdigit():
        where = int(where)
    return DeviceSource(where, clock, channels=channels, rate_hz=rate_hz, block_s=block_s)


__all__ = [
    "BLOCK_S",
    "Block",
    "SoundClock",
    "SoundLost",
    "SoundMissing",
    "SoundProblem",
    "SoundSource",
    "sound_source",
]
