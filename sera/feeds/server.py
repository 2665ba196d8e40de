"""Offers a live picture or sound to readers on this machine, outside the bus.

Design overview
    A `FeedServer` listens on a free port of this machine and announces itself by a file. `send`
    hands a frame to whoever reads. Readers that are too slow miss frames: of pictures the newest
    one waits, of sound half a second. Whoever makes the frames asks `wants` first, so that nothing
    is coded while nobody reads.

Units and frames
    Seconds on the run's clock, the moment of capture. Pictures are JPEG; sound is 16 bits little
    endian, one channel, at the rate that was said before.

Threading
    One event loop.

Safety
    Reachable from this machine alone and with a token that stands in a file of this user. Frames
    are not kept here; a client of this machine may, with consent (`media_recorder`).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from sera.feeds._wire import LONGEST_TOKEN_LINE, packed, packed_greeting
from sera.feeds.announcement import (
    Feed,
    FeedKind,
    announce_feed,
    device_digest,
    own_process,
    withdraw_feed,
)

HOST = "127.0.0.1"
MOST_READERS = 24
SOUND_KEPT_S = 0.5
_MOST_CONNECTIONS = 48
_ADMISSION_S = 5.0
_SEND_S = 5.0
_SEND_BUFFER_BYTES = 65_536
"""What the system may keep of a slow reader's frames: little, since they would be old."""


@dataclass(eq=False)
class _Reader:
    waiting: deque[tuple[float, bytes, dict[str, Any]]] = field(default_factory=deque)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


class FeedServer:
    """One picture or sound of one module.

    Args:
        kind: what it is.
        name: what people call it.
        run: id of the run.
        source: the module, as on the bus.
        character: whose it is.
        device: number, address or file of the device; two feeds of one device are offered once.
        rate_hz: samples a second, of sound.
        most_hz: how many pictures a second are wanted at most.
    """

    def __init__(
        self,
        kind: FeedKind,
        name: str,
        run: str,
        source: str,
        *,
        character: str = "world",
        device: str | int | None = None,
        rate_hz: int | None = None,
        most_hz: float = 15.0,
    ) -> None:
        self.kind, self.name, self.run, self.source = kind, name, run, source
        self.character = character
        self.missed = 0
        """Frames that readers were too slow for."""
        self._device = "" if device is None else device_digest(device)
        self._period_s = 1.0 / most_hz
        self._due_s = float("-inf")
        self._rate_hz = rate_hz
        self._greeting = self._made_greeting()
        self._token = secrets.token_urlsafe(24)
        self._server: asyncio.Server | None = None
        self._feed: Feed | None = None
        self._readers: list[_Reader] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def read(self) -> bool:
        """Whether somebody reads: making frames is worth the time."""
        return bool(self._readers)

    def wants(self, time_s: float) -> bool:
        """Whether a picture of this time is to be made; the limit of pictures a second counts."""
        if not self._readers:
            return False
        if abs(time_s - self._due_s) > 10 * self._period_s:
            return True  # the first, or the source's time jumped
        return time_s >= self._due_s - 0.2 * self._period_s

    async def start(self, *, now_s: float = 0.0) -> None:
        """Listen, and announce it.

        Raises:
            OSError: no port, or no folder that is safely this user's own.
        """
        server = await asyncio.start_server(self._visit, HOST, 0, limit=LONGEST_TOKEN_LINE)
        port = int(server.sockets[0].getsockname()[1])
        pid, started_s = own_process()
        feed = Feed(
            kind=self.kind,
            name=self.name,
            source=self.source,
            character=self.character,
            port=port,
            token=self._token,
            pid=pid,
            process_started_s=started_s,
            began_s=now_s,
            device=self._device,
        )
        try:
            announce_feed(self.run, feed)
        except OSError:
            server.close()
            raise
        self._server, self._feed = server, feed

    def send(self, payload: bytes, time_s: float, *, rate_hz: int | None = None) -> None:
        """Hand a frame to whoever reads; never waits.

        Args:
            payload: JPEG, or samples.
            time_s: when it was captured.
            rate_hz: samples a second, where it may have changed.
        """
        if rate_hz is not None and rate_hz != self._rate_hz:
            self._rate_hz = rate_hz
            self._greeting = self._made_greeting()
        in_step = abs(time_s - self._due_s) < self._period_s
        self._due_s = (self._due_s if in_step else time_s) + self._period_s
        for reader in self._readers:
            reader.waiting.append((time_s, payload, self._greeting))
            while self._is_too_much(reader.waiting):
                reader.waiting.popleft()
                self.missed += 1
            reader.arrived.set()

    async def stop(self) -> None:
        """Take it off the list and end all connections."""
        if self._feed is not None:
            withdraw_feed(self.run, self._feed)
            self._feed = None
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _made_greeting(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "rate_hz": self._rate_hz}

    def _is_too_much(self, waiting: deque[tuple[float, bytes, dict[str, Any]]]) -> bool:
        if self.kind == "picture":
            return len(waiting) > 1
        return sum(len(payload) for _, payload, _ in waiting) > self._most_sound_bytes()

    def _most_sound_bytes(self) -> int:
        return int(2 * SOUND_KEPT_S * (self._rate_hz or 48_000))

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if len(self._tasks) <= _MOST_CONNECTIONS and await self._admitted(reader):
                await self._serve(reader, writer)
        except (ConnectionError, TimeoutError, asyncio.CancelledError):
            pass  # whoever read has gone, or the module ends
        finally:
            self._tasks.discard(task)
            if task.cancelling() and writer.transport.get_write_buffer_size():
                writer.transport.abort()
            writer.close()
            with contextlib.suppress(Exception):
                await asyncio.wait_for(writer.wait_closed(), 0.2)

    async def _admitted(self, reader: asyncio.StreamReader) -> bool:
        try:
            async with asyncio.timeout(_ADMISSION_S):
                line = await reader.readuntil(b"\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return False
        return secrets.compare_digest(line.strip(), self._token.encode())

    async def _serve(self, incoming: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._readers) >= MOST_READERS:
            return
        connection: socket.socket = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        writer.transport.set_write_buffer_limits(high=0)
        reader = _Reader()
        told = self._greeting
        writer.write(packed_greeting(told))
        self._readers.append(reader)
        # A reader says nothing more: whatever comes, or the end, means that it goes.
        leaving = asyncio.ensure_future(incoming.read(1))
        leaving.add_done_callback(lambda _: reader.arrived.set())
        try:
            while True:
                await reader.arrived.wait()
                reader.arrived.clear()
                while reader.waiting and not leaving.done():
                    time_s, payload, greeting = reader.waiting.popleft()
                    if greeting is not told:
                        told = greeting
                        writer.write(packed_greeting(told))
                    writer.write(packed(time_s, payload))
                    async with asyncio.timeout(_SEND_S):
                        await writer.drain()
                if leaving.done():
                    return
        finally:
            self._readers.remove(reader)
            leaving.cancel()


__all__ = ["HOST", "FeedServer"]
