"""The bytes' way to a board: a serial port, through pyserial or through a plain device file.

Design overview: `Transport` is all the Arduino bridge needs. `PyserialTransport` works wherever
pyserial does; a thread of its own waits for bytes, because Windows cannot do so in an event loop.
`DeviceTransport` opens a terminal device directly and needs no library: for Linux and macOS, for
boards that ignore the baud rate (USB), and for the pseudo-terminals of tests.

Units and frames: bytes.
Threading: methods are called in the event loop; threads stay inside.
Safety: writing never waits for longer than `_WRITE_TIMEOUT_S`; a device that is gone raises
`BridgeLost` from both directions.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from sera.animation.output.bridge import BridgeLost, BridgeUnavailable

_WRITE_TIMEOUT_S = 0.1
_READ_TIMEOUT_S = 0.1
_BLOCK = 4096


class Transport(Protocol):
    """A way for bytes that can break and be opened again."""

    @property
    def where(self) -> str:
        """The device, for people."""
        ...

    async def open(self) -> None:
        """Open the device; one that is open is closed first."""
        ...

    async def write(self, data: bytes) -> None:
        """Send bytes, in the order of the calls."""
        ...

    async def read(self) -> bytes:
        """At least one byte, as soon as there is one."""
        ...

    async def close(self) -> None:
        """Close the device; reading ends with `BridgeLost`. May be called twice."""
        ...


class _Arrivals:
    """Bytes from the device until somebody reads them, and how it ended."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ended: str | None = None
        self._changed = asyncio.Event()

    def put(self, data: bytes) -> None:
        self._bytes += data
        self._changed.set()

    def end(self, sentence: str) -> None:
        self._ended = self._ended or sentence
        self._changed.set()

    async def take(self) -> bytes:
        while not self._bytes:
            if self._ended is not None:
                raise BridgeLost(self._ended)
            self._changed.clear()
            await self._changed.wait()
        data = bytes(self._bytes)
        self._bytes.clear()
        return data


class DeviceTransport:
    """A terminal device opened by its path, without any library."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._fd: int | None = None
        self._arrivals = _Arrivals()

    @property
    def where(self) -> str:
        return self._path

    async def open(self) -> None:
        await self.close()
        try:
            import termios
            import tty
        except ImportError:
            raise BridgeUnavailable(
                "this system has no terminal devices; use pyserial: pip install 'sera-hri[serial]'"
            ) from None
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as error:
            raise BridgeLost(_cannot_open(self._path, error)) from None
        try:
            tty.setraw(fd)
        except (OSError, termios.error) as error:
            os.close(fd)
            raise BridgeLost(f"{self._path} is no terminal device: {error}") from None
        self._fd = fd
        self._arrivals = _Arrivals()
        asyncio.get_running_loop().add_reader(fd, self._readable, fd, self._arrivals)

    async def write(self, data: bytes) -> None:
        if self._fd is None:
            raise BridgeLost(f"{self._path} is not open")
        try:
            sent = os.write(self._fd, data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise BridgeLost(f"{self._path} is gone: {error.strerror}") from None
        if sent < len(data):
            # Half a frame spoils the next one at worst; waiting would spoil the timing of all.
            raise BridgeLost(f"{self._path} takes no more bytes")

    async def read(self) -> bytes:
        return await self._arrivals.take()

    async def close(self) -> None:
        self._arrivals.end(f"{self._path} is closed")
        fd, self._fd = self._fd, None
        if fd is not None:
            asyncio.get_running_loop().remove_reader(fd)
            os.close(fd)

    def _readable(self, fd: int, arrivals: _Arrivals) -> None:
        try:
            data = os.read(fd, _BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            arrivals.put(data)
        else:
            # Without this the loop would spin: a dead device is always readable.
            asyncio.get_running_loop().remove_reader(fd)
            arrivals.end(f"{self._path} was unplugged")


class PyserialTransport:
    """A serial port through pyserial, which is imported when the port is opened."""

    def __init__(self, port: str, *, baud: int = 115_200) -> None:
        self._port = port
        self._baud = baud
        self._serial: Any = None
        self._writer: ThreadPoolExecutor | None = None
        self._reader: threading.Thread | None = None
        self._arrivals = _Arrivals()

    @property
    def where(self) -> str:
        return self._port

    async def open(self) -> None:
        await self.close()
        try:
            library = importlib.import_module("serial")
        except ImportError:
            raise BridgeUnavailable(
                "robots on a serial port need pyserial: pip install 'sera-hri[serial]'"
            ) from None
        loop = asyncio.get_running_loop()
        try:
            self._serial = await asyncio.to_thread(
                library.Serial,
                self._port,
                self._baud,
                timeout=_READ_TIMEOUT_S,
                write_timeout=_WRITE_TIMEOUT_S,
            )
        except (OSError, ValueError) as error:
            raise BridgeLost(_cannot_open(self._port, error)) from None
        self._arrivals = _Arrivals()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="serial-write")
        self._reader = threading.Thread(
            target=self._read_on,
            args=(self._serial, loop, self._arrivals),
            name="serial-read",
            daemon=True,
        )
        self._reader.start()

    async def write(self, data: bytes) -> None:
        if self._serial is None or self._writer is None:
            raise BridgeLost(f"{self._port} is not open")
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._writer, self._serial.write, data)
        except (OSError, RuntimeError, TypeError) as error:
            # pyserial raises TypeError where the port was closed under it.
            raise BridgeLost(f"{self._port} is gone: {error}") from None

    async def read(self) -> bytes:
        return await self._arrivals.take()

    async def close(self) -> None:
        self._arrivals.end(f"{self._port} is closed")
        port, self._serial = self._serial, None
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        if reader is not None:
            # Closing under a waiting read is undefined in pyserial: the thread ends first.
            await asyncio.to_thread(reader.join)
        if writer is not None:
            await asyncio.to_thread(writer.shutdown)
        if port is not None:
            await asyncio.to_thread(port.close)

    def _read_on(self, port: Any, loop: asyncio.AbstractEventLoop, arrivals: _Arrivals) -> None:
        """Run in the reading thread until the port is closed or gone."""
        while self._serial is port:
            try:
                data = port.read(max(1, port.in_waiting))
            except (OSError, TypeError) as error:
                self._tell(loop, arrivals.end, f"{self._port} was unplugged: {error}")
                return
            if data:
                self._tell(loop, arrivals.put, data)

    @staticmethod
    def _tell(loop: asyncio.AbstractEventLoop, what: Any, argument: object) -> None:
        # The loop may have ended before the port was closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(what, argument)


def _cannot_open(device: str, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    if isinstance(error, PermissionError) or getattr(error, "errno", None) == 13:
        return f"{device} may not be opened: {reason} (add your user to the group 'dialout')"
    return f"{device} cannot be opened: {reason} (is the robot plugged in?)"
