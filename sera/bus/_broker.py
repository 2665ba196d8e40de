"""The embedded broker: an MQTT broker that needs no set-up.

Design overview
    A child process (mosquitto where it is installed, else amqtt) on a free port. A supervising
    task waits for the child's end; when it was not asked for, the child is started again on the
    *same* port: the first time at once, then with growing pauses, and not without limit. Ready
    means that the broker has accepted an MQTT client, not merely that a process exists.
    The files that the child reads (settings, passwords) exist only while it starts, so nothing
    is left behind whichever way the run ends.

Threading
    One event loop. The child dies with the thread that runs it (Linux) or with the process.

Safety
    Loopback only unless a host is given; elsewhere anonymous clients are refused, and user name
    and password are made up where none are given.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

from sera._broker_process.passwords import password_line
from sera.bus._broker_child import BrokerChild, BrokerKind, choose_kind, has_amqtt
from sera.bus._broker_errors import BrokerStartFailed, EmbeddedBrokerError, PortInUse
from sera.bus._broker_ports import Endpoint, answers, free_port, needs_credentials, require_free

READY_TIMEOUT_S = 10.0
PROBE_PAUSE_S = 0.01
PROBE_TIMEOUT_S = 0.5
PORT_ATTEMPTS = 5
RESTART_PAUSES_S = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)
RESTART_WINDOW_S = 60.0

_log = logging.getLogger("sera.broker")


@dataclass(frozen=True, slots=True)
class BrokerRestarted:
    """The broker died and is back."""

    reason: str
    restarts: int
    attempts: int
    down_s: float


@dataclass(frozen=True, slots=True)
class BrokerFailed:
    """The broker died and could not be brought back."""

    reason: str
    restarts: int


_Report = TypeVar("_Report", BrokerRestarted, BrokerFailed)


class EmbeddedBroker:
    """A broker of one's own, from `start` to `stop`; also `async with EmbeddedBroker() as broker`.

    `on_restart` and `on_failure` are called in the event loop and must not block.
    """

    def __init__(
        self,
        *,
        prefer: Literal["auto", "mosquitto", "amqtt"] = "auto",
        host: str = "127.0.0.1",
        port: int | None = None,
        username: str | None = None,
        password: str | None = None,
        folder: Path | None = None,
        max_restarts: int = 20,
        on_restart: Callable[[BrokerRestarted], None] | None = None,
        on_failure: Callable[[BrokerFailed], None] | None = None,
    ) -> None:
        if username is None and password is not None:
            raise ValueError("a broker password without a user name: give both or none")
        if port is not None and not 1 <= port <= 65535:
            raise ValueError(f"broker port {port}: choose one from 1 to 65535, or none")
        if username is None and needs_credentials(host):
            username = "sera"
        if username is not None:
            password = secrets.token_urlsafe(16) if password is None else password
            password_line(username, password)  # raises now, with a clear sentence, not at start
        self._prefer = prefer
        self._wanted_port = port
        self._endpoint = Endpoint(host, port or 0, username, password)
        self._folder = folder
        self._max_restarts = max_restarts
        self._on_restart = on_restart
        self._on_failure = on_failure
        self._kind: BrokerKind | None = None
        self._child: BrokerChild | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self.restarts = 0
        """How often the broker had to be started again."""
        self.failure: str | None = None
        """Why the broker was given up; None as long as it is not."""

    @property
    def url(self) -> str:
        """The address for clients on this machine, without user name and password."""
        return self._endpoint.url

    @property
    def host(self) -> str:
        """The address that the broker listens on."""
        return self._endpoint.host

    @property
    def port(self) -> int:
        """The port; 0 before `start` where none was asked for."""
        return self._endpoint.port

    @property
    def username(self) -> str | None:
        return self._endpoint.username

    @property
    def password(self) -> str | None:
        return self._endpoint.password

    @property
    def kind(self) -> BrokerKind:
        """Which broker serves; known after `start`."""
        if self._kind is None:
            raise RuntimeError("the embedded broker has not been started yet")
        return self._kind

    @property
    def pid(self) -> int:
        """The process id of the broker that runs now (a restart changes it)."""
        if self._child is None:
            raise RuntimeError("the embedded broker is not running")
        return self._child.pid

    async def start(self) -> None:
        """Start the broker and return when it accepts clients.

        Raises:
            PortInUse: the port that was asked for belongs to somebody else.
            BrokerMissing: nothing is installed that could serve.
            BrokerStartFailed: the child ended or stayed silent, with its own words.
        """
        if self._child is not None:
            raise RuntimeError("the embedded broker runs already")
        self.failure = None
        self._kind = choose_kind(self._prefer)
        try:
            await self._start_on_a_port()
        except BrokerStartFailed as error:
            if self._prefer != "auto" or self._kind != "mosquitto" or not has_amqtt():
                raise
            _log.warning(f"{error}; amqtt takes its place")
            self._kind = "amqtt"
            await self._start_on_a_port()
        self._supervisor = asyncio.create_task(self._supervise(), name="broker supervisor")

    async def stop(self) -> None:
        """End the broker and its supervision; harmless when it does not run."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.gather(self._supervisor, return_exceptions=True)
            self._supervisor = None
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    async def _start_on_a_port(self) -> None:
        if self._wanted_port is not None:
            await self._launch()
            return
        for attempt in range(1, PORT_ATTEMPTS + 1):
            self._endpoint = replace(self._endpoint, port=free_port(self._endpoint.host))
            try:
                await self._launch()
            except PortInUse:
                # Somebody was quicker between our choice and the child's start.
                if attempt == PORT_ATTEMPTS:
                    raise
            else:
                return

    async def _launch(self) -> None:
        """Start one child and wait until it answers; leave none behind when it does not."""
        assert self._kind is not None
        require_free(self._endpoint.host, self._endpoint.port)
        with tempfile.TemporaryDirectory(prefix="sera-broker-", dir=self._folder) as folder:
            child = BrokerChild(self._kind, self._endpoint, Path(folder))
            try:
                await child.launch()
                await self._until_ready(child)
            except BaseException:
                await child.stop()
                raise
        self._child = child

    async def _until_ready(self, child: BrokerChild) -> None:
        # The wall clock, also in a run whose event loop keeps scaled time.
        deadline_s = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < deadline_s:
            if child.has_ended:
                how = await child.wait()
                if any("address already in use" in line.lower() for line in child.log):
                    raise PortInUse(self._endpoint.port, None)
                raise BrokerStartFailed(child.kind, how, child.log)
            code = await answers(self._endpoint, timeout_s=PROBE_TIMEOUT_S)
            if code == 0 and not child.has_ended:
                return
            if code:
                raise BrokerStartFailed(child.kind, f"it refused us with code {code}", child.log)
            await asyncio.sleep(PROBE_PAUSE_S)
        why = f"it did not answer within {READY_TIMEOUT_S:g} s"
        raise BrokerStartFailed(child.kind, why, child.log)

    async def _supervise(self) -> None:
        ends_s: deque[float] = deque()
        while self._child is not None:
            reason = await self._child.wait()
            died_s = time.monotonic()
            await self._child.stop()
            attempts = 0
            while True:
                attempts += 1
                now_s = time.monotonic()
                while ends_s and now_s - ends_s[0] > RESTART_WINDOW_S:
                    ends_s.popleft()
                ends_s.append(now_s)
                if len(ends_s) > self._max_restarts:
                    self._give_up(reason)
                    return
                await asyncio.sleep(RESTART_PAUSES_S[min(len(ends_s), len(RESTART_PAUSES_S)) - 1])
                try:
                    await self._launch()
                except (EmbeddedBrokerError, OSError) as error:
                    reason = str(error)
                else:
                    break
            self.restarts += 1
            down_s = time.monotonic() - died_s
            _log.warning(f"the broker died ({reason}) and is back after {down_s:.2f} s")
            report = BrokerRestarted(reason, self.restarts, attempts, down_s)
            _tell(self._on_restart, report)

    def _give_up(self, reason: str) -> None:
        self.failure = (
            f"the broker ended more than {self._max_restarts} times within "
            f"{RESTART_WINDOW_S:g} s and is given up; the last time: {reason}"
        )
        _log.error(self.failure)
        _tell(self._on_failure, BrokerFailed(self.failure, self.restarts))


def _tell(callback: Callable[[_Report], None] | None, report: _Report) -> None:
    if callback is None:
        return
    try:
        callback(report)
    except Exception:
        _log.exception("whoever wanted to hear of the broker failed at hearing it")
