"""Sound from a microphone or an array, through sounddevice (PortAudio).

Design overview: PortAudio calls back with each block; it goes through a bounded queue, from which
the oldest is dropped where nobody reads. A device that falls silent for a second counts as lost;
opening again asks PortAudio for its devices anew, so that one that was plugged in is found.
Units and frames: seconds of the injected clock; times of capture are those of the sound card,
smoothed, because a callback's own time jitters.
Threading: PortAudio calls back on a thread of its own; it reads the clock and touches the loop's
`call_soon_threadsafe`, nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections import deque
from typing import Any

import numpy as np

from sera.hearing.source import BLOCK_S, Block, SoundClock, SoundLost, SoundMissing

SILENT_FOR_S = 1.0
"""A device that gives no block for this long is lost."""
KEPT_BLOCKS = 64
JUMP_S = 0.1
"""Times of capture that are further off than this are a gap, not jitter."""
FOLLOW = 0.05
"""How fast the smoothed times follow the measured ones."""
_OPEN: set[int] = set()
"""Streams of this process: PortAudio cannot list its devices anew while there are any."""


class DeviceSource:
    """A microphone.

    Args:
        device: number, part of the name, or None for the system's.
        clock: the run's.
        channels: how many; None: two where the device has them.
        rate_hz: None: the device's own.
        block_s: how long a block is.
        sounddevice: the module; None: imported.
    """

    def __init__(
        self,
        device: str | int | None,
        clock: SoundClock,
        *,
        channels: int | None = None,
        rate_hz: int | None = None,
        block_s: float = BLOCK_S,
        sounddevice: Any = None,
    ) -> None:
        self.device = device
        self.dropped = 0
        self._clock = clock
        self._wanted_channels = channels
        self._wanted_rate_hz = rate_hz
        self._block_s = block_s
        self._sounddevice = sounddevice
        self._stream: Any = None
        self._name = ""
        self._waiting: deque[Block] = deque(maxlen=KEPT_BLOCKS)
        self._arrived = asyncio.Event()
        self._over = False
        self._opened_before = False

    async def open(self) -> None:
        self.close()
        if getattr(self._clock, "kind", "real") != "real":
            raise SoundMissing("a microphone needs real time: give a WAV file instead")
        library = self._library()
        info = self._found(library)
        most = int(info["max_input_channels"])
        channels = min(2, most) if self._wanted_channels is None else self._wanted_channels
        name = str(info["name"])
        if channels > most:
            raise SoundMissing(
                f"microphone '{name}' has {most} channels and the settings ask for {channels}: "
                "set channels to what it has"
            )
        rate_hz = self._wanted_rate_hz or int(info["default_samplerate"])
        self._name, self._over = name, False
        self._waiting.clear()
        self._arrived = asyncio.Event()
        try:
            self._stream = self._started(library, info, channels, rate_hz)
        except Exception as error:
            raise SoundMissing(f"microphone '{name}' cannot be opened: {error}") from None
        self._opened_before = True

    def _library(self) -> Any:
        if self._sounddevice is None:
            try:
                self._sounddevice = importlib.import_module("sounddevice")
            except (ImportError, OSError) as error:
                raise SoundMissing(
                    "sounddevice is not installed, so no microphone can be used: "
                    f"pip install 'sera-hri[hearing]' ({error})"
                ) from None
        return self._sounddevice

    def _found(self, library: Any) -> dict[str, Any]:
        """What PortAudio says of the device, asked anew where it is not there."""
        for again in (False, True):
            if again or self._opened_before:
                _look_again(library)
            with contextlib.suppress(Exception):
                return dict(library.query_devices(self.device, "input"))
        wanted = "no microphone" if self.device is None else f"no microphone '{self.device}'"
        there = ", ".join(f"'{name}'" for name in _names(library))
        raise SoundMissing(
            f"there is {wanted}; " + (f"there is {there}" if there else "plug it in")
        )

    def _started(self, library: Any, info: dict[str, Any], channels: int, rate_hz: int) -> Any:
        loop = asyncio.get_running_loop()
        times = _CaptureTimes(rate_hz)

        def take(data: Any, _frames: int, timing: Any, _status: Any) -> None:
            now_s = self._clock.now()
            samples = np.array(data, dtype=np.float32, copy=True).reshape(-1, channels)
            age_s = float(timing.currentTime) - float(timing.inputBufferAdcTime)
            if not 0.0 < age_s < 5.0:  # some drivers give no times
                age_s = len(samples) / rate_hz
            block = Block(samples, times.smoothed(now_s - age_s, len(samples)), rate_hz)
            with contextlib.suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(self._put, block)

        def over() -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._end)

        stream = library.InputStream(
            samplerate=rate_hz,
            blocksize=max(1, round(self._block_s * rate_hz)),
            device=info.get("index", self.device),
            channels=channels,
            dtype="float32",
            latency="low",
            callback=take,
            finished_callback=over,
        )
        stream.start()
        _OPEN.add(id(stream))
        return stream

    def _put(self, block: Block) -> None:
        if len(self._waiting) == KEPT_BLOCKS:
            self.dropped += 1
        self._waiting.append(block)
        self._arrived.set()

    def _end(self) -> None:
        self._over = True
        self._arrived.set()

    async def read(self) -> Block | None:
        if self._stream is None:
            raise SoundLost(f"{self.describe()} is not open")
        while not self._waiting:
            self._arrived.clear()
            if self._over:
                raise SoundLost(f"{self.describe()} is gone: plug it in again")
            try:
                await asyncio.wait_for(self._arrived.wait(), SILENT_FOR_S)
            except TimeoutError:
                raise SoundLost(
                    f"{self.describe()} has given no sound for {SILENT_FOR_S:g} s: plug it in again"
                ) from None
        return self._waiting.popleft()

    def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            _OPEN.discard(id(stream))
            # A device that was unplugged refuses everything, closing too.
            with contextlib.suppress(Exception):
                stream.abort()
            with contextlib.suppress(Exception):
                stream.close()

    def describe(self) -> str:
        name = self._name or self.device
        return "the system's microphone" if name is None else f"microphone '{name}'"


class _CaptureTimes:
    """Times of blocks that follow each other without a gap, freed of jitter."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._next_s: float | None = None

    def smoothed(self, measured_s: float, count: int) -> float:
        expected_s = self._next_s
        if expected_s is None or abs(measured_s - expected_s) > JUMP_S:
            time_s = measured_s
        else:
            time_s = expected_s + FOLLOW * (measured_s - expected_s)
        self._next_s = time_s + count / self._rate_hz
        return time_s


def _look_again(library: Any) -> None:
    """Let PortAudio list its devices anew, unless something of this process sounds."""
    from sera.speech.sound_card import sounding

    if sounding() or _OPEN:
        return
    with contextlib.suppress(Exception):
        library._terminate()
        library._initialize()


def _names(library: Any) -> list[str]:
    with contextlib.suppress(Exception):
        return [str(one["name"]) for one in library.query_devices() if one["max_input_channels"]]
    return []


__all__ = ["DeviceSource"]
