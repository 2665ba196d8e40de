"""The room for operators: which live pictures and sounds there are, and the way to each of them.

Design overview
    `GET /console/api/room` lists the feeds of the run. The WebSocket `/console/room/<feed>` first
    says what comes as a text frame, then sends binary ones: the moment of capture on the run's
    clock (float64, little endian) and the JPEG or the samples. `ping <n>` is answered by
    `pong <n> <now_s>`. A page that says `seen` for each frame gets no more than a few ahead, so
    that on a slow way frames drop out and do not queue up.

Units and frames
    Seconds on the run's clock.

Threading
    The gateway's event loop; three tasks for each viewer.

Safety
    The server decides: wizard and observer alone are let in, and in restricted perception a wizard
    gets nothing but the robots' own voices, whatever the page asks for. That is looked at again
    every second while something is sent. Nothing is kept.
"""

from __future__ import annotations

import asyncio
import re
import struct
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering, visitor_of
from sera.feeds import Feed, FeedEnded, FeedReader, list_feeds

MOST_VIEWERS = 8
RESTRICTED = (
    "in restricted perception a wizard sees what the robot perceives: no picture and no sound"
)
REFUSED, UNKNOWN, ENDED, FULL, FLOOD = 4403, 4404, 4410, 4503, 4429
_CHECK_EVERY_S = 1.0
_MOST_TEXTS_A_SECOND = 300
_PING = re.compile(r"ping [0-9]{1,12}")
_AHEAD = {"picture": 3, "sound": 25, "voice": 25}
"""Frames that may be on their way to a page that confirms them."""
_KEPT = {"picture": 1, "sound": 16, "voice": 25}
"""Frames that wait for a slow page; older ones are left out."""


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/room` and the WebSockets of the feeds."""
    viewers: Counter[str] = Counter()

    @answering(console)
    async def room(_request: Request, visitor: Visitor) -> Response:
        feeds = await asyncio.to_thread(list_feeds, console.run)
        shown = [_shown(feed) for feed in feeds if may_have(visitor, feed.id)]
        return JSONResponse({"feeds": shown, "why": RESTRICTED if visitor.restricted else None})

    async def live(websocket: WebSocket) -> None:
        await websocket.accept()  # a browser learns the reason only from a connection that was
        name = str(websocket.path_params["feed"])
        try:
            _check(console, websocket, name)
            feeds = await asyncio.to_thread(list_feeds, console.run)
        except Denied as denial:
            await _goodbye(websocket, REFUSED, str(denial))
            return
        feed = next((one for one in feeds if one.id == name), None)
        if feed is None:
            await _goodbye(websocket, UNKNOWN, "its module does not run now")
        elif viewers[name] >= MOST_VIEWERS:
            await _goodbye(websocket, FULL, f"{MOST_VIEWERS} pages have {feed.name} already")
        else:
            viewers[name] += 1
            # What an operator decides is recorded together with what the room showed.
            operator = websocket.query_params.get("operator", "")
            looked_away = console.gateway.operators.look(operator, feed.id)
            try:
                await _serve(console, websocket, feed)
            finally:
                looked_away()
                viewers[name] -= 1

    return [Route("/console/api/room", room), WebSocketRoute("/console/room/{feed}", live)]


def may_have(visitor: Visitor, feed_id: str) -> bool:
    """Whether a visitor may have that: in restricted perception only a robot's own voice."""
    return not visitor.restricted or feed_id.startswith("voice.")


def _shown(feed: Feed) -> dict[str, Any]:
    return {
        "id": feed.id,
        "kind": feed.kind,
        "name": feed.name,
        "source": feed.source,
        "character": feed.character,
    }


def _check(console: Console, websocket: WebSocket, feed_id: str) -> None:
    if not may_have(visitor_of(console, websocket), feed_id):
        raise Denied(403, RESTRICTED)


async def _serve(console: Console, websocket: WebSocket, feed: Feed) -> None:
    reader = FeedReader(feed)
    try:
        await reader.open()
    except FeedEnded as end:
        await _goodbye(websocket, ENDED, str(end))
        return
    viewer = _Viewer(websocket, reader, console.now)
    tasks = [
        asyncio.create_task(work, name=f"{feed.id} to a page")
        for work in (
            viewer.take(lambda: _check(console, websocket, feed.id)),
            viewer.send(),
            viewer.listen(),
        )
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    except FeedEnded as end:
        await _goodbye(websocket, ENDED, str(end))
    except Denied as denial:
        code = FLOOD if denial.status == 429 else REFUSED
        await _goodbye(websocket, code, str(denial))
    except (WebSocketDisconnect, RuntimeError, OSError):
        pass  # the page has gone
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await reader.close()


async def _goodbye(websocket: WebSocket, code: int, why: str) -> None:
    reason = why.encode()[:120].decode(errors="ignore")  # a frame has room for no more
    try:
        await websocket.close(code, reason)
    except (WebSocketDisconnect, RuntimeError, OSError):
        return  # the page has gone before us


class _Viewer:
    """One page that looks or listens."""

    def __init__(self, websocket: WebSocket, reader: FeedReader, now: Callable[[], float]) -> None:
        self._websocket = websocket
        self._reader = reader
        self._now = now
        self._waiting: deque[tuple[dict[str, Any], float, bytes]] = deque(
            maxlen=_KEPT[reader.feed.kind]
        )
        self._changed = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._confirms = False
        self._ahead = 0

    async def take(self, check: Callable[[], None]) -> None:
        """Take what comes from the module; raises when it ends or is no longer allowed."""
        coming = asyncio.ensure_future(self._reader.next())
        try:
            while True:
                await asyncio.wait({coming}, timeout=_CHECK_EVERY_S)
                check()
                if not coming.done():
                    continue
                came = coming.result()
                coming = asyncio.ensure_future(self._reader.next())
                if isinstance(came, tuple):
                    self._waiting.append((self._reader.greeting, *came))
                    self._changed.set()
        finally:
            coming.cancel()

    async def send(self) -> None:
        """Send it on, as fast as the page takes it."""
        told = self._reader.greeting
        await self._tell(told)
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._waiting and self._may_go_on():
                greeting, time_s, payload = self._waiting.popleft()
                if greeting is not told:
                    told = greeting
                    await self._tell(told)
                self._ahead += 1
                async with self._one_at_a_time:
                    await self._websocket.send_bytes(struct.pack("<d", time_s) + payload)

    async def listen(self) -> None:
        """Answer the page; returns when it has gone."""
        texts, since_s = 0, self._now()
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = str(received.get("text") or "")
            if self._now() - since_s > 1.0:
                texts, since_s = 0, self._now()
            texts += 1
            if texts > _MOST_TEXTS_A_SECOND:
                raise Denied(429, "the page says too much")
            if text == "seen":
                self._confirms, self._ahead = True, max(0, self._ahead - 1)
                self._changed.set()
            elif _PING.fullmatch(text):
                async with self._one_at_a_time:
                    await self._websocket.send_text(f"pong {text[5:]} {self._now():.6f}")

    async def _tell(self, greeting: dict[str, Any]) -> None:
        shown = {**greeting, **_shown(self._reader.feed)}
        async with self._one_at_a_time:
            await self._websocket.send_json(shown)

    def _may_go_on(self) -> bool:
        return not self._confirms or self._ahead < _AHEAD[self._reader.feed.kind]


__all__ = ["MOST_VIEWERS", "RESTRICTED", "may_have", "routes"]
