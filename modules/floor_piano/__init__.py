"""A floor piano, or any other MIDI keyboard: keys that are stepped on become KeyPressed.

Design overview
    Bytes come from a MIDI device of the system (`/dev/snd/midiC1D0`, or a pipe for tests) or,
    where mido and python-rtmidi are installed, from a port by name. A note that goes down is
    published as `KeyPressed` with the name of the key, such as `d4` (60 is c4); `transpose`
    brings an instrument of other octaves to the game's keys. A device that is not there, or is
    unplugged, is waited for.

Units and frames
    MIDI note numbers; semitones.

Threading
    The device is read in a thread; messages are published from the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field

from sera import Module
from sera.messages import KeyPressed
from sera.runtime import Role

from ._midi import NoteReader

NOTE_NAMES = ("c", "cs", "d", "ds", "e", "f", "fs", "g", "gs", "a", "as", "b")
TRY_AGAIN_S = 2.0
READ_BYTES = 256


def key_name(note: int) -> str:
    """The name of a MIDI note: `c4` for 60."""
    return f"{NOTE_NAMES[note % 12]}{note // 12 - 1}"


class FloorPiano(Module):
    """Reads a MIDI device."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Which device."""

        device: Path | None = None
        """A raw MIDI device or pipe, such as /dev/snd/midiC1D0."""
        port: str | None = None
        """Or a port of the system by the beginning of its name; needs mido and python-rtmidi."""
        transpose: int = Field(default=0, ge=-96, le=96)
        """Semitones added to every note."""
        least_velocity: int = Field(default=1, ge=1, le=127)
        """Softer notes do not count: mats sound when somebody walks past."""
        person: str | None = None
        """Who steps on it, as the id of a tracker."""

    async def start(self) -> None:
        self._notes: asyncio.Queue[int] = asyncio.Queue()
        self._stopping = threading.Event()
        self._is_there = False
        if (self.settings.device is None) == (self.settings.port is None):
            raise RuntimeError("name either device or port, as in device = '/dev/snd/midiC1D0'")
        if self.settings.port is not None and importlib.util.find_spec("mido") is None:
            raise RuntimeError("a port needs the package mido: pip install 'sera[midi]'")

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        reading = self._read_port if self.settings.device is None else self._read_device
        thread = threading.Thread(
            target=self._read, args=(loop, reading), daemon=True, name=self.source
        )
        thread.start()
        while True:
            note = await self._notes.get()
            person = self.settings.person
            await self.publish(KeyPressed(key=key_name(note), person=person))

    async def stop(self) -> None:
        self._stopping.set()

    # -- in the thread ----------------------------------------------------------------------

    def _read(
        self, loop: asyncio.AbstractEventLoop, reading: Callable[[asyncio.AbstractEventLoop], None]
    ) -> None:
        """Read until the run is over; what is not there is waited for, and told once."""
        told = False
        while not self._stopping.is_set():
            self._is_there = False
            try:
                reading(loop)
            except (ImportError, OSError) as error:
                if self._is_there or not told:  # one that is lost again is worth another word
                    told = True
                    what = self.settings.device or f"port '{self.settings.port}'"
                    why = getattr(error, "strerror", None) or error
                    self._call(loop, self._say_missing, f"{what}: {why}")
            self._stopping.wait(TRY_AGAIN_S)

    def _read_device(self, loop: asyncio.AbstractEventLoop) -> None:
        # Not blocking: a pipe without a writer would hold the thread for ever.
        descriptor = os.open(self.settings.device, os.O_RDONLY | os.O_NONBLOCK)
        self._is_there = True
        notes = NoteReader()
        try:
            while not self._stopping.is_set():
                try:
                    read = os.read(descriptor, READ_BYTES)
                except BlockingIOError:
                    read = b""
                for note, velocity in notes.feed(read):
                    self._heard(loop, note, velocity)
                if not read:
                    self._stopping.wait(0.005)
        finally:
            os.close(descriptor)

    def _read_port(self, loop: asyncio.AbstractEventLoop) -> None:
        import mido

        names = mido.get_input_names()
        name = next((name for name in names if name.startswith(self.settings.port)), None)
        if name is None:
            raise OSError(f"there is no such port (there: {', '.join(names) or 'none'})")
        with mido.open_input(name) as port:
            self._is_there = True
            while not self._stopping.is_set():
                for message in port.iter_pending():
                    if message.type == "note_on" and message.velocity > 0:
                        self._heard(loop, message.note, message.velocity)
                self._stopping.wait(0.005)

    def _heard(self, loop: asyncio.AbstractEventLoop, note: int, velocity: int) -> None:
        note += self.settings.transpose
        if velocity >= self.settings.least_velocity and 0 <= note <= 127:
            self._call(loop, self._notes.put_nowait, note)

    @staticmethod
    def _call(loop: asyncio.AbstractEventLoop, function: Any, *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the run is over
            loop.call_soon_threadsafe(function, *arguments)

    def _say_missing(self, why: str) -> None:
        self.fault(f"the piano is not heard: {why}; it is tried again", warning=True)
