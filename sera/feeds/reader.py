"""Reads a live picture or sound that a module on this machine offers.

Threading: one event loop.
Safety: frames are bounded in size; nothing is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
from types import TracebackType
from typing import Any, Self

from sera.feeds._wire import LARGEST_FRAME_BYTES, FeedBroken, read_frame, read_greeting
from sera.feeds.announcement import Feed
from sera.feeds.server import HOST

_OPEN_S = 3.0
_RECEIVE_BUFFER_BYTES = 131_072


class FeedEnded(ConnectionError):
    """No more comes: the module has ended, or does not let us in."""


class FeedReader:
    """A connection to one feed: `async with FeedReader(feed) as reader: await reader.next()`."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.greeting: dict[str, Any] = {}
        """What comes: kind, name, rate_hz."""
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> None:
        """Connect.

        Raises:
            FeedEnded: it is not there any more.
        """
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER_BYTES)
        try:
            async with asyncio.timeout(_OPEN_S):
                loop = asyncio.get_running_loop()
                await loop.sock_connect(connection, (HOST, self.feed.port))
                self._reader, self._writer = await asyncio.open_connection(
                    sock=connection, limit=LARGEST_FRAME_BYTES // 64
                )
                self._writer.write(f"{self.feed.token}\n".encode())
                await self._writer.drain()
                time_s, payload = await read_frame(self._reader)
            if not math.isnan(time_s):
                raise FeedBroken("a feed must begin with its greeting")
            self.greeting = read_greeting(payload)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            connection.close()
            await self.close()
            raise FeedEnded(f"{self.feed.name} does not answer") from error

    async def next(self) -> tuple[float, bytes] | dict[str, Any]:
        """The next frame, or a greeting where what comes has changed.

        Raises:
            FeedEnded: there are no more.
        """
        assert self._reader is not None
        try:
            time_s, payload = await read_frame(self._reader)
            if math.isnan(time_s):
                self.greeting = read_greeting(payload)
                return self.greeting
        except (OSError, asyncio.IncompleteReadError) as error:
            raise FeedEnded(f"{self.feed.name} has ended") from error
        return time_s, payload

    async def close(self) -> None:
        """Let go of it."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            with contextlib.suppress(Exception):
                await asyncio.wait_for(writer.wait_closed(), 0.2)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        await self.close()


__all__ = ["FeedEnded", "FeedReader"]
