"""A page that shows what a camera sees: pictures go straight to the browser, never over the bus.

Design overview: a very small HTTP server inside the event loop of the module that has the pictures.
`/` is a page, `/stream` the pictures as multipart JPEG, `/picture.jpg` the newest one. Pictures are
coded only while somebody looks on, at most `most_hz` times a second; who reads slower than that
misses some.

Units and frames: pixels; seconds of the pictures' own times.
Threading: one event loop. `show` may be called as often as there are pictures.
Safety: listens on this machine alone and asks for a token, since faces are personal. Requests must
name this machine as host, so that no page of another site can reach it by a false name; there is
nothing to post, nothing is read from disk, and pictures are never kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HOST = "127.0.0.1"
MOST_WATCHERS = 8
_REQUEST_BYTES = 8192
_REQUEST_S = 5.0
_SEND_S = 5.0
_QUALITY = 80
_BOUNDARY = "sera-picture"
_POLICY = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>
body {{ margin: 0; background: #16181c; color: #e8e8e8; font: 15px/1.4 system-ui, sans-serif; }}
header {{ padding: .6rem 1rem; }}
img {{ display: block; max-width: 100%; max-height: calc(100vh - 3.5rem); margin: auto; }}
</style></head>
<body><header>{title}</header><img alt="what the camera sees" src="/stream?token={token}"></body>
</html>
"""


class PreviewError(RuntimeError):
    """The page cannot be served; the message says why and what to do."""


@dataclass(eq=False)
class _Watcher:
    newest: bytes | None = None
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


class PreviewServer:
    """Shows pictures on a page of this machine.

    Args:
        title: what stands above the picture.
        port: where to listen; 0: a free port.
        most_hz: how many pictures a second are shown.
        token: secret in the address; None: one is made up.
    """

    def __init__(
        self, title: str, *, port: int = 0, most_hz: float = 12.0, token: str | None = None
    ) -> None:
        self.title = title
        self.port = port
        self.token = token or secrets.token_urlsafe(12)
        self._least_s = 1.0 / most_hz
        self._server: asyncio.Server | None = None
        self._watchers: list[_Watcher] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._shown_s: float | None = None
        self._latest: NDArray[np.uint8] | None = None

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    @property
    def watched(self) -> bool:
        """Whether somebody looks on: drawing is worth the time."""
        return bool(self._watchers)

    def wants(self, time_s: float) -> bool:
        """Whether a picture of this time would be shown; draw on it only then."""
        too_soon = self._shown_s is not None and 0.0 <= time_s - self._shown_s < self._least_s
        return self.watched and not too_soon

    async def start(self) -> None:
        """Listen.

        Raises:
            PreviewError: the port is taken.
        """
        try:
            self._server = await asyncio.start_server(
                self._visit, HOST, self.port, limit=_REQUEST_BYTES
            )
        except OSError as error:
            raise PreviewError(
                f"the preview cannot listen on port {self.port}: {error.strerror or error}; choose "
                "another with preview_port, or 0 for a free one"
            ) from None
        self.port = self._server.sockets[0].getsockname()[1]

    def show(self, picture: NDArray[np.uint8], time_s: float) -> None:
        """Show a picture to whoever looks on; cheap where nobody does."""
        self._latest = picture
        if not self.wants(time_s):
            return
        self._shown_s = time_s
        coded = _coded(picture)
        for watcher in self._watchers:
            watcher.newest = coded
            watcher.arrived.set()

    async def stop(self) -> None:
        """End all connections."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # whoever looked on has gone, or the module ends
        except asyncio.LimitOverrunError:
            pass  # no browser asks at such length
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(Exception):
                await asyncio.wait_for(writer.wait_closed(), 0.2)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_REQUEST_S):
            head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        if len(words) != 3 or words[0] != "GET":
            await self._say(writer, "405 Method Not Allowed", "This page can only be looked at.")
            return
        names = [line[5:].strip() for line in lines[1:] if line.lower().startswith("host:")]
        own = {f"{name}:{self.port}" for name in (HOST, "localhost")}
        if len(names) != 1 or names[0].lower() not in own:
            await self._say(writer, "421 Misdirected Request", "This is another machine.")
            return
        try:
            target = urlsplit(words[1])
            tokens = parse_qs(target.query).get("token", [])
        except ValueError:
            await self._say(writer, "400 Bad Request", "This address cannot be read.")
            return
        given = tokens[0].encode() if len(tokens) == 1 else b""
        if not secrets.compare_digest(given, self.token.encode()):
            told = "The address lacks the token: open the one that the run's log shows."
            await self._say(writer, "403 Forbidden", told)
        elif target.path == "/":
            page = _PAGE.format(title=escape(self.title), token=escape(self.token, quote=True))
            await self._send(writer, "200 OK", "text/html; charset=utf-8", page.encode())
        elif target.path == "/picture.jpg" and self._latest is not None:
            await self._send(writer, "200 OK", "image/jpeg", _coded(self._latest))
        elif target.path == "/stream":
            await self._stream(writer)
        else:
            await self._say(writer, "404 Not Found", "There is no such page, or no picture yet.")

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        if len(self._watchers) >= MOST_WATCHERS:
            await self._say(writer, "503 Service Unavailable", "Too many look on already.")
            return
        kind = f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
        writer.write(_head("200 OK", kind, None))
        watcher = _Watcher()
        if self._latest is not None:
            watcher.newest = _coded(self._latest)
            watcher.arrived.set()
        self._watchers.append(watcher)
        try:
            while True:
                await watcher.arrived.wait()
                watcher.arrived.clear()
                assert watcher.newest is not None
                size = len(watcher.newest)
                writer.write(
                    f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\n"
                    f"Content-Length: {size}\r\n\r\n".encode()
                )
                writer.write(watcher.newest + b"\r\n")
                async with asyncio.timeout(_SEND_S):
                    await writer.drain()
        finally:
            self._watchers.remove(watcher)

    async def _say(self, writer: asyncio.StreamWriter, status: str, sentence: str) -> None:
        await self._send(writer, status, "text/plain; charset=utf-8", sentence.encode())

    async def _send(
        self, writer: asyncio.StreamWriter, status: str, kind: str, body: bytes
    ) -> None:
        writer.write(_head(status, kind, len(body)) + body)
        async with asyncio.timeout(_SEND_S):
            await writer.drain()


def _head(status: str, kind: str, length: int | None) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        "Cache-Control: no-store",
        "Connection: close",
        "X-Content-Type-Options: nosniff",
        "X-Frame-Options: DENY",
        "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin",
        f"Content-Security-Policy: {_POLICY}",
    ]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _coded(picture: NDArray[np.uint8]) -> bytes:
    import cv2

    _, coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(coded.tobytes())


__all__ = ["HOST", "PreviewError", "PreviewServer"]
