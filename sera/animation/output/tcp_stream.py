"""Frames as lines of JSON over TCP, for bodies on a screen or behind another program.

Design overview: the bridge is a server. Every client that connects gets the whole pose at once and
then a line for every frame: `{"time_s": 1.25, "sequence": 62, "channels": {"Body.pan": 0.1}}`, in
UTF-8, ended by a newline; while the body is stopped, lines also carry `"stopped": "why"`. A client
may measure its body and say so, `{"measured": {"Body.pan": 0.09}}`; without that, readings repeat
the last frame. Each client has a short queue of its own: a slow one loses its oldest lines and
holds up nobody. What cannot be understood is counted and ignored.

Units and frames: the channels' own units; seconds as the frames carry them.
Threading: one event loop, a task for each direction of a client.
Safety: listens on the loopback address unless told otherwise, because a stream has no password.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import Iterable
from typing import Any

from sera.animation.channels import ChannelSpec
from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    Clock,
    OutputFrame,
    StopMeans,
)

_LONGEST_LINE = 65_536
_LARGEST_BUFFER = 16_384


class _Client:
    """One listener with its queue."""

    def __init__(self, writer: asyncio.StreamWriter, queued: int) -> None:
        self.writer = writer
        self.lines: deque[bytes] = deque(maxlen=queued)
        self.dropped = 0
        self._filled = asyncio.Event()
        # A small buffer below, so that old lines wait where they can be dropped.
        writer.transport.set_write_buffer_limits(high=_LARGEST_BUFFER)

    def offer(self, line: bytes) -> None:
        if len(self.lines) == self.lines.maxlen:
            self.dropped += 1
        self.lines.append(line)
        self._filled.set()

    def sending_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report it as forgotten
        self.writer.close()

    async def send_all(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self.lines:
                self.writer.write(self.lines.popleft())
                await self.writer.drain()


class TcpStreamBridge(Bridge):
    """A server that streams frames.

    Args:
        specs: the body's own channels.
        clock: seconds.
        host: address to listen on.
        port: 0 takes a free one; `address` says which.
        queued: lines that wait for a slow client at most.
        body_expected: True where a client is the body: until one has measured itself the bridge is
            lost, and clients are sent nothing but frames.
    """

    def __init__(
        self,
        specs: Iterable[ChannelSpec],
        clock: Clock,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        queued: int = 8,
        body_expected: bool = False,
    ) -> None:
        self._pose = {spec.name: spec.neutral for spec in specs}
        self._measured: dict[str, float] = {}
        self._clock = clock
        self._host = host
        self._port = port
        self._queued = queued
        self._body_expected = body_expected
        self._server: asyncio.Server | None = None
        self._clients: dict[_Client, asyncio.Task[None]] = {}
        self._last = OutputFrame(values={})
        self._still: str | None = None
        self.ignored_lines = 0
        """Lines of clients that could not be understood."""

    @property
    def address(self) -> tuple[str, int]:
        """Where clients connect; the port is known once the bridge is connected."""
        return self._host, self._port

    @property
    def client_count(self) -> int:
        return len(self._clients)

    @property
    def dropped_lines(self) -> int:
        """Lines that clients of the moment were too slow for."""
        return sum(client.dropped for client in self._clients)

    def describe(self) -> BridgeDescription:
        return BridgeDescription(
            kind="tcp",
            where=f"{self._host}:{self._port or 'a free port'}",
            channels=tuple(self._pose),
            measures=self._body_expected,
        )

    async def connect(self) -> None:
        if self._server is None:
            try:
                self._server = await asyncio.start_server(
                    self._serve, self._host, self._port, limit=_LONGEST_LINE
                )
            except OSError as error:
                raise BridgeLost(
                    f"{self._host}:{self._port} cannot be listened on: {error.strerror or error}"
                ) from None
            self._port = self._server.sockets[0].getsockname()[1]
        self._require_body()

    async def animate(self, frame: OutputFrame) -> None:
        self._require_body()
        if self._still is not None:
            return
        for name, value in frame.values.items():
            if name in self._pose and math.isfinite(value):
                self._pose[name] = value
        self._last = frame
        self._broadcast()

    async def heartbeat(self) -> BodyReading:
        self._require_body()
        return BodyReading(time_s=self._clock(), joints=self._pose | self._measured)

    async def stop(self, reason: str, means: StopMeans = StopMeans.HOLD) -> None:
        del means  # what has no motors cannot go limp
        self._require_body()
        self._still = reason
        self._broadcast()

    async def release(self) -> None:
        self._require_body()
        self._still = None
        # Frames may be partial: what they leave out stays where the body is now.
        self._pose |= self._measured

    async def rest(self) -> None:
        self._require_body()
        self._still = "resting"
        self._broadcast()

    async def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        tasks = list(self._clients.values())
        for client, task in list(self._clients.items()):
            task.cancel()
            client.writer.close()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _require_body(self) -> None:
        if self._server is None:
            raise BridgeLost("the stream's server is not open")
        if self._body_expected and not self._measured:
            raise BridgeLost(
                f"no body has connected to {self._host}:{self._port} and measured itself"
            )

    def _broadcast(self) -> None:
        line = self._line()
        for client in self._clients:
            client.offer(line)

    def _line(self) -> bytes:
        fields: dict[str, Any] = {
            "time_s": self._last.time_s,
            "sequence": self._last.sequence,
            "channels": self._pose,
        }
        if self._still is not None:
            fields["stopped"] = self._still
        return json.dumps(fields).encode() + b"\n"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = _Client(writer, self._queued)
        task = asyncio.ensure_future(client.send_all())
        self._clients[client] = task
        if not self._body_expected:  # a body starts where it is, a picture with the pose
            client.offer(self._line())
        # A write that fails means that the client is gone: closing ends the reading below, too.
        task.add_done_callback(client.sending_ended)
        try:
            while line := await self._next_line(reader):
                self._hear(line)
        except OSError:
            pass  # the client is gone, which is its right
        finally:
            task.cancel()
            del self._clients[client]
            if not self._clients:
                self._measured.clear()  # nobody measures any more
            writer.close()

    async def _next_line(self, reader: asyncio.StreamReader) -> bytes:
        """The next line, or as much as there is of one without an end; empty when all is over."""
        try:
            return await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return error.partial
        except asyncio.LimitOverrunError as error:
            return await reader.readexactly(max(error.consumed, 1))

    def _hear(self, line: bytes) -> None:
        try:
            measured = json.loads(line)["measured"]
            values = {
                name: float(value)
                for name, value in measured.items()
                if name in self._pose and not isinstance(value, bool | str)
            }
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            self.ignored_lines += 1
            return
        if not values or not all(map(math.isfinite, values.values())):
            self.ignored_lines += 1
            return
        self._measured.update(values)
