"""The page server: the web application on a port, inside the event loop of its module.

Threading
    uvicorn runs as a task of the running loop and installs no signal handlers: Ctrl-C belongs to
    whoever runs the scenario.

Safety
    Loopback unless told otherwise; on any other address every role needs its token. `stop` ends
    within a second whatever the pages do.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlencode

import uvicorn
from starlette.routing import BaseRoute

from sera.web._admission import Tokens
from sera.web._app import MEDIA_PAGE, list_pages, make_app
from sera.web._certificate import Certificate
from sera.web._frames import FRAME_LIMIT_BYTES
from sera.web._gateway import Gateway
from sera.web._guard import Guard, is_loopback, is_wildcard
from sera.web._roles import PageRole

PING_EVERY_S = 5.0
PING_TIMEOUT_S = 5.0
CONNECTIONS = 256
_STOP_S = 0.4


class PageServerError(RuntimeError):
    """The page server cannot start; the message says why and what to do."""


class PagePortInUse(PageServerError):
    """Another program has the port."""


class PageServer:
    """Serves the pages of one gateway."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        pages_folder: Path | None = None,
        media_folder: Path | None = None,
        further_pages: Iterable[str] = (),
        further_routes: Sequence[BaseRoute] = (),
        allowed_origins: Iterable[str] = (),
        names: Iterable[str] = (),
        certificate: Certificate | None = None,
    ) -> None:
        """Prepare a server that does not listen yet.

        Args:
            gateway: the engine; the server gives it its tokens.
            host: address to listen on.
            port: port to listen on; 0: a free one.
            token: secret from which the tokens of all roles are made; on loopback None means
                that none are needed, elsewhere that a secret is made up.
            pages_folder: the scenario's pages.
            media_folder: the scenario's pictures, films and sounds.
            further_pages: addresses of SERA's own pages that this scenario has a use for.
            further_routes: what else is served, such as the operator's console.
            allowed_origins: other sites whose pages may connect.
            names: further names under which this machine is known.
            certificate: serves over TLS with it; None: without TLS.
        """
        self.gateway = gateway
        self.host = host
        self.port = port
        self._tokens = None if token is None else Tokens(token)
        self._pages_folder = pages_folder if pages_folder and pages_folder.is_dir() else None
        self._media_folder = media_folder if media_folder and media_folder.is_dir() else None
        self._further_pages = tuple(further_pages)
        self._further_routes = tuple(further_routes)
        own_name = socket.gethostname()
        own_names = [own_name, f"{own_name}.local"] if is_wildcard(host) else []
        self._guard = Guard(host, allowed_origins=allowed_origins, names=[*own_names, *names])
        self._certificate = certificate
        self._server: _QuietServer | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def pages(self) -> list[str]:
        """Addresses of the scenario's pages on this server."""
        media = [] if self._media_folder is None else [MEDIA_PAGE]
        return [*list_pages(self._pages_folder), *media, *self._further_pages]

    def url_for(self, role: PageRole, path: str = "/") -> str:
        """The address of a page for a role, with the role's token where one is needed."""
        host = reachable_host(self.host)
        address = f"{self._scheme}://{host}:{self.port}{path}"
        if self.gateway.tokens is None:
            return address
        query = urlencode({"token": self.gateway.tokens.for_role(role)})
        return f"{address}{'&' if '?' in path else '?'}{query}"

    @property
    def _scheme(self) -> str:
        return "http" if self._certificate is None else "https"

    async def start(self) -> None:
        """Listen and serve; returns when pages can connect.

        Raises:
            PageServerError: with what to do.
        """
        listener = _listen(self.host, self.port)
        address = listener.getsockname()
        self.port = address[1]
        if self._tokens is None and not is_loopback(address[0]):
            self._tokens = Tokens()
        self.gateway.tokens = self._tokens
        app = make_app(
            self.gateway,
            self._guard,
            pages_folder=self._pages_folder,
            abort=self._abort,
            media_folder=self._media_folder,
            further_routes=self._further_routes,
        )
        self._server = _QuietServer(
            uvicorn.Config(
                app,
                http="h11",
                lifespan="off",
                ws_max_size=FRAME_LIMIT_BYTES,
                ws_ping_interval=PING_EVERY_S,
                ws_ping_timeout=PING_TIMEOUT_S,
                # A small compressed frame could unfold to a very large one.
                ws_per_message_deflate=False,
                # Below warnings uvicorn logs addresses, and tokens stand in addresses.
                log_config=None,
                log_level="warning",
                access_log=False,
                # Nobody may tell us another client address than the true one.
                proxy_headers=False,
                server_header=False,
                limit_concurrency=CONNECTIONS,
                timeout_graceful_shutdown=1,
                ssl_certfile=None if self._certificate is None else self._certificate.certificate,
                ssl_keyfile=None if self._certificate is None else self._certificate.key,
            )
        )
        self._task = asyncio.get_running_loop().create_task(
            self._server.serve(sockets=[listener]), name="page server"
        )
        while not self._server.started and not self._task.done():
            await asyncio.sleep(0.005)
        if self._task.done():
            await self._task

    async def wait(self) -> None:
        """Wait until the server ends: after `stop`, or because it failed."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Send all pages away and close the port."""
        if self._server is None or self._task is None:
            return
        await self.gateway.close()
        self._server.should_exit = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                await asyncio.shield(self._task)
        if not self._task.done():  # somebody holds a connection open
            self._server.force_exit = True
            for connection in list(self._server.server_state.connections):
                _abort_transport(connection)
        await asyncio.wait([self._task])

    def _abort(self, client: object) -> None:
        """End the connection of a client without waiting for its side."""
        if self._server is None or client is None:
            return
        for connection in list(self._server.server_state.connections):
            if getattr(connection, "client", None) == client:
                _abort_transport(connection)


def _abort_transport(connection: object) -> None:
    # uvicorn offers no way to end a connection whose other side does not read.
    transport = getattr(connection, "transport", None)
    if transport is not None:
        transport.abort()


class _QuietServer(uvicorn.Server):
    """uvicorn without its signal handlers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise PageServerError(
            f"the gateway's host {host!r} is no address of this machine ({error}): use 127.0.0.1 "
            "for this machine alone or 0.0.0.0 for every network"
        ) from None
    try:
        return socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        if port:
            raise PagePortInUse(
                f"the gateway cannot listen on {host}:{port} ({error.strerror}): end the program "
                "that has the port, choose another one, or 0 for any that is free"
            ) from None
        raise PageServerError(f"the gateway cannot listen on {host}: {error.strerror}") from None


def reachable_host(host: str) -> str:
    """What to write into an address: for `every interface`, this machine's address."""
    if is_wildcard(host):
        host = _own_address()
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host


def _own_address() -> str:
    """This machine's address on the way out; asking for it sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # reserved for documentation: nobody is there
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
