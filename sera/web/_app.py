"""The web application: the index page, `sera.js`, the scenario's pages, and the WebSocket."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from sera.web._admission import PageRequest
from sera.web._gateway import Gateway
from sera.web._guard import Guard, security_headers
from sera.web._typedefs import SERA_JS, STATIC_FOLDER

_PAGES_LISTED = 200
MEDIA_PAGE = "/static/media.html"
"""Shows what PlayMedia asks for; offered where the scenario has media."""
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
_FILMS = (".mp4", ".m4v", ".webm", ".ogv", ".mov")
_SOUNDS = (".wav", ".mp3", ".ogg", ".oga", ".m4a", ".flac")
_MEDIA_KINDS = frozenset((*_PICTURES, *_FILMS, *_SOUNDS))

Abort = Callable[[object], None]
"""Ends the connection of a client (address and port) at once."""


def make_app(
    gateway: Gateway,
    guard: Guard,
    *,
    pages_folder: Path | None,
    abort: Abort,
    media_folder: Path | None = None,
    further_routes: Sequence[BaseRoute] = (),
) -> ASGIApp:
    """Put the application together.

    Args:
        gateway: serves the pages' WebSockets.
        guard: decides which requests are answered.
        pages_folder: the scenario's pages, served under `/pages/`; None: there are none.
        abort: ends a connection whose page takes nothing any more.
        media_folder: the scenario's pictures, films and sounds, served under `/media/`.
        further_routes: what else is served, such as the operator's console.
    """
    # Some systems' registry calls scripts text/plain, which browsers then refuse to run.
    mimetypes.add_type("text/javascript", ".js")
    mimetypes.add_type("text/javascript", ".mjs")

    async def index(_request: Request) -> Response:
        return FileResponse(STATIC_FOLDER / "index.html")

    async def icon(_request: Request) -> Response:
        return FileResponse(STATIC_FOLDER / "icon.svg")

    async def script(_request: Request) -> Response:
        return FileResponse(SERA_JS)

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        known = {key: websocket.query_params.get(key) for key in PageRequest.__slots__}
        await gateway.serve(SocketLink(websocket, abort), PageRequest(**known))

    routes: list[BaseRoute] = [
        Route("/", index),
        Route("/sera.js", script),
        Route("/favicon.ico", icon),  # browsers ask for it on every page that names none
        WebSocketRoute("/ws", socket),
        Mount("/static", Files(directory=STATIC_FOLDER)),
    ]
    if pages_folder is not None:
        routes.append(Mount("/pages", Files(directory=pages_folder, html=True)))
    if media_folder is not None:
        routes.append(Mount("/media", _MediaFiles(directory=media_folder)))
    routes.extend(further_routes)
    return _Guarded(_Ticketed(Starlette(routes=routes), gateway), guard)


def list_pages(folder: Path | None) -> list[str]:
    """The addresses of a folder's pages: its HTML files, and folders with an index.html."""
    if folder is None or not folder.is_dir():
        return []
    found = [path.name for path in folder.glob("*.html") if path.name != "404.html"]
    found += [f"{path.parent.name}/" for path in folder.glob("*/index.html")]
    return [f"/pages/{name}" for name in sorted(found) if not name.startswith(".")][:_PAGES_LISTED]


class Files(StaticFiles):
    """Files of a folder, without its hidden ones (`.git`, `.env`)."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if any(part.startswith(".") and part != "." for part in PurePath(path).parts):
            return "", None
        return super().lookup_path(path)


class _MediaFiles(Files):
    """Pictures, films and sounds, and nothing else that may lie beside them."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if PurePath(path).suffix.lower() not in _MEDIA_KINDS:
            return "", None
        return super().lookup_path(path)


class SocketLink:
    """A page's WebSocket, as the engine sees it."""

    def __init__(self, websocket: WebSocket, abort: Abort) -> None:
        self.close_code: int | None = None
        self._websocket = websocket
        self._abort = abort

    async def receive(self) -> str | bytes | None:
        received = await self._websocket.receive()
        if received["type"] == "websocket.disconnect":
            self.close_code = received.get("code")
            return None
        text: str | None = received.get("text")
        content: bytes = received.get("bytes") or b""
        return text if text is not None else content

    async def send(self, text: str) -> None:
        await self._websocket.send_text(text)

    async def close(self, code: int, reason: str) -> None:
        await self._websocket.close(code, reason)

    def abort(self) -> None:
        self._abort(self._websocket.scope.get("client"))


class _Ticketed:
    """Where tokens are needed, gives files only to browsers that came with one.

    The token stands in the address of the page alone; for the page's scripts and pictures the
    browser gets a ticket, a cookie that opens files and nothing else.
    """

    def __init__(self, app: ASGIApp, gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tokens = self._gateway.tokens
        if tokens is None or scope["type"] != "http":  # the WebSocket asks for its own token
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        name = f"sera_files_{request.url.port or 80}"
        token, ticket = request.query_params.get("token"), request.cookies.get(name)
        if not tokens.opens_files(token, ticket):
            answer = PlainTextResponse(
                "this page needs its token: open the address that the run printed\n",
                status_code=401,
            )
            await answer(scope, receive, send)
            return

        async def send_with_ticket(message: Message) -> None:
            if message["type"] == "http.response.start" and ticket is None:
                secure = "; Secure" if scope["scheme"] == "https" else ""
                cookie = f"{name}={tokens.for_files()}; Path=/; HttpOnly; SameSite=Strict{secure}"
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self._app(scope, receive, send_with_ticket)


class _Guarded:
    """Turns away what the guard refuses and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        is_websocket = scope["type"] == "websocket"
        problem = self._guard.problem(headers, websocket=is_websocket)
        if problem is not None:
            answer = PlainTextResponse(f"{problem}\n", status_code=403)
            if is_websocket:
                await WebSocket(scope, receive, send).send_denial_response(answer)
            else:
                await answer(scope, receive, send)
            return
        shown = security_headers(headers["host"].lower())

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(shown)
            await send(message)

        await self._app(scope, receive, send_with_headers)
