"""Sinks that are heard: through sounddevice (PortAudio), or through a program such as aplay.

Threading: PortAudio calls back on a thread of its own; it touches the bytes it was given and the
loop's `call_soon_threadsafe`, nothing else.
Safety: a cut aborts the stream or kills the program, which drops what was buffered.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sera.speech.sink import FileSink, KeepingSink, PlayClock, SilentSink, Sink, SinkError
from sera.speech.speech import Speech

PROGRAMS = {
    "pw-play": ("pw-play", "--raw", "--format=s16", "--channels=1", "--rate={rate_hz}", "-"),
    "paplay": (
        "paplay",
        "--raw",
        "--format=s16le",
        "--channels=1",
        "--rate={rate_hz}",
        "--latency-msec=50",
    ),
    "aplay": ("aplay", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", "{rate_hz}", "-"),
}
"""Programs that play raw samples from standard input."""
_SOUNDING: set[int] = set()
"""Streams of PortAudio that play now in this process."""


def sounding() -> bool:
    """Whether PortAudio plays something for this process, so that it must not be started anew."""
    return bool(_SOUNDING)


class ProgramSink(Sink):
    """A program that plays what comes on its standard input and ends with it."""

    def __init__(self, command: Sequence[str], *, latency_s: float = 0.03) -> None:
        self.name = command[0]
        self.latency_s = latency_s
        self._command = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._feed: asyncio.Task[None] | None = None

    async def begin(self, speech: Speech) -> None:
        await self.cut()
        command = [part.replace("{rate_hz}", str(speech.rate_hz)) for part in self._command]
        try:
            process = self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            raise SinkError(f"{self.name} cannot be started: {error}") from None
        self._feed = asyncio.create_task(_feed(process, speech.pcm), name=f"sound to {self.name}")

    async def finished(self) -> None:
        process = self._process
        if process is None:
            return
        code = await process.wait()
        if code != 0 and process is self._process:
            raise SinkError(f"{self.name} ended with code {code}; is there a sound card?")

    async def cut(self) -> None:
        process, self._process = self._process, None
        if self._feed is not None:
            self._feed.cancel()
            self._feed = None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class SoundDeviceSink(Sink):
    """The sound card through sounddevice.

    Args:
        sounddevice: the module; None: imported.
        device: name or number of the output, None: the system's.

    Raises:
        SinkError: sounddevice or PortAudio is missing, or there is no output.
    """

    name = "sounddevice"

    def __init__(self, sounddevice: Any = None, device: str | int | None = None) -> None:
        try:
            self._sounddevice = sounddevice or importlib.import_module("sounddevice")
            self._sounddevice.check_output_settings(device=device, channels=1, dtype="int16")
        except Exception as error:
            raise SinkError(f"there is no sound card for sounddevice: {error}") from None
        self._device = device
        self._stream: Any = None
        self._done: asyncio.Event | None = None

    async def begin(self, speech: Speech) -> None:
        await self.cut()
        loop, done = asyncio.get_running_loop(), asyncio.Event()
        pcm = memoryview(speech.pcm)
        at = 0
        stop = self._sounddevice.CallbackStop

        def fill(target: Any, _frames: int, _time: Any, _status: Any) -> None:
            nonlocal at
            piece = pcm[at : at + len(target)]
            at += len(piece)
            target[: len(piece)] = piece
            if len(piece) < len(target):
                target[len(piece) :] = bytes(len(target) - len(piece))
                raise stop

        def over() -> None:
            with contextlib.suppress(RuntimeError):  # the loop may be closed by then
                loop.call_soon_threadsafe(done.set)

        try:
            self._stream = self._sounddevice.RawOutputStream(
                samplerate=speech.rate_hz,
                channels=1,
                dtype="int16",
                device=self._device,
                latency="low",
                callback=fill,
                finished_callback=over,
            )
            self._stream.start()
            _SOUNDING.add(id(self._stream))
        except Exception as error:
            raise SinkError(f"the sound card refused: {error}") from None
        self.latency_s = float(self._stream.latency)
        self._done = done

    async def finished(self) -> None:
        if self._done is not None:
            await self._done.wait()
            self._close()

    async def cut(self) -> None:
        if self._stream is not None:
            self._stream.abort()
            self._close()

    def _close(self) -> None:
        stream, self._stream, self._done = self._stream, None, None
        if stream is not None:
            _SOUNDING.discard(id(stream))
            stream.close()


def best_sink(
    folder: Path | None = None, clock: PlayClock | None = None, *, keep: bool = False
) -> Sink:
    """The sound card where there is one, else files in `folder`, else nothing but time.

    Args:
        folder: for files.
        clock: None: the event loop's time.
        keep: whether files are written beside the sound card, too.
    """
    heard = _audible_sink()
    if heard is None:
        return FileSink(folder, clock) if folder is not None else SilentSink(clock)
    return KeepingSink(heard, folder, clock) if keep and folder is not None else heard


def has_sound_card() -> bool:
    """Whether something would be heard."""
    return _audible_sink() is not None


def _audible_sink() -> Sink | None:
    with contextlib.suppress(SinkError):
        return SoundDeviceSink()
    for program, command in PROGRAMS.items():
        if shutil.which(program) and _has_output(program):
            return ProgramSink(command)
    return None


def _has_output(program: str) -> bool:
    if program == "aplay":
        cards = Path("/proc/asound/cards")
        return cards.is_file() and "no soundcards" not in cards.read_text()
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent"))
    if program == "pw-play":
        return (runtime / "pipewire-0").exists()
    return "PULSE_SERVER" in os.environ or (runtime / "pulse" / "native").exists()


async def _feed(process: asyncio.subprocess.Process, pcm: bytes) -> None:
    assert process.stdin is not None
    # A program that ends early breaks the pipe; its exit code tells.
    with contextlib.suppress(ConnectionError):
        process.stdin.write(pcm)
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()
