"""Where sound goes: the interface, and the sinks that need no sound card.

Design overview: a sink begins a speech, says when its last sound was made, and can be cut.
Units: seconds of the clock it was given.
Threading: one event loop; one speech at a time.
Safety: `cut` is silent when it returns, and does no harm where nothing sounds.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Protocol

from sera.speech.speech import Speech
from sera.speech.wav import Sound, write_wav


class SinkError(RuntimeError):
    """Sound could not be played; the message says where and why."""


class PlayClock(Protocol):
    """Time for players and sinks."""

    def now_s(self) -> float:
        """The time now."""

    async def sleep_until_s(self, time_s: float) -> None:
        """Return at that time, at once where it has passed."""


class LoopClock:
    """The running event loop's time: real, scaled or virtual."""

    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep_until_s(self, time_s: float) -> None:
        await asyncio.sleep(max(0.0, time_s - self.now_s()))


class Sink(ABC):
    """Where sound goes."""

    name: str
    latency_s: float = 0.0
    """From `begin` returning to the first sound."""

    @abstractmethod
    async def begin(self, speech: Speech) -> None:
        """Start to sound; returns at once."""

    @abstractmethod
    async def finished(self) -> None:
        """Returns after the last sound.

        Raises:
            SinkError: the sound broke off.
        """

    @abstractmethod
    async def cut(self) -> None:
        """Be silent now."""


class SilentSink(Sink):
    """Makes no sound and takes as long as the sound would."""

    name = "silent"

    def __init__(self, clock: PlayClock | None = None) -> None:
        self._clock = clock or LoopClock()
        self._until_s = 0.0

    async def begin(self, speech: Speech) -> None:
        self._until_s = self._clock.now_s() + speech.duration_s

    async def finished(self) -> None:
        await self._clock.sleep_until_s(self._until_s)

    async def cut(self) -> None:
        self._until_s = self._clock.now_s()


class FileSink(Sink):
    """Writes what would be heard into WAV files, 0001.wav and on, and takes as long as it would.

    A line that is cut is written up to the cut.
    """

    name = "file"

    def __init__(self, folder: Path, clock: PlayClock | None = None) -> None:
        self.folder = folder
        self.written: list[Path] = []
        self._clock = clock or LoopClock()
        self._speech: Speech | None = None
        self._began_s = 0.0
        self._number = 0

    async def begin(self, speech: Speech) -> None:
        self._speech, self._began_s = speech, self._clock.now_s()

    async def finished(self) -> None:
        if self._speech is not None:
            await self._clock.sleep_until_s(self._began_s + self._speech.duration_s)
            self._write(None)

    async def cut(self) -> None:
        if self._speech is not None:
            self._write(self._clock.now_s() - self._began_s)

    def _write(self, heard_s: float | None) -> None:
        speech, self._speech = self._speech, None
        if speech is None:
            return
        pcm = speech.pcm if heard_s is None else speech.pcm[: 2 * int(heard_s * speech.rate_hz)]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._number += 1
            while (path := self.folder / f"{self._number:04}.wav").exists():
                self._number += 1
            path.write_bytes(write_wav(Sound(pcm, speech.rate_hz)))
        except OSError as error:
            raise SinkError(f"the sound cannot be written into {self.folder}: {error}") from None
        self.written.append(path)


class KeepingSink(Sink):
    """Another sink, and what it plays is written into WAV files as well."""

    def __init__(self, sink: Sink, folder: Path, clock: PlayClock | None = None) -> None:
        self.name = sink.name
        self.latency_s = sink.latency_s
        self.files = FileSink(folder, clock)
        self._sink = sink

    async def begin(self, speech: Speech) -> None:
        await self._sink.begin(speech)
        await self.files.begin(speech)

    async def finished(self) -> None:
        await self._sink.finished()
        await self.files.finished()

    async def cut(self) -> None:
        try:
            await self._sink.cut()
        finally:
            await self.files.cut()
