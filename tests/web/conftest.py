"""What the tests of the web gateway share: links without sockets, and gateways that run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sera.bus import Bus, Identity, MemoryBroker, MemoryBus, Subscription
from sera.messages import WORLD, Envelope, ExpiryReason, Message
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock
from sera.runtime.module import Module, ModuleContext
from sera.runtime.workspace import Workspace
from sera.web import Gateway, Limits, PageRequest, PageServer
from tests.browser import on_one_loop
from tests.helpers import PATIENCE_S, each_once, until

RUN = "hello-1"
ABOUT_OPERATORS = ("OperatorsPresent", "OperatorDecided")
"""What the gateway says by itself, kept apart from what pages say."""


class MemoryLink:
    """A page's connection without a socket: the test is the page."""

    def __init__(self) -> None:
        self.close_code: int | None = None
        self.closed: tuple[int, str] | None = None
        self.aborted = False
        self.breaks = False
        self.frames: list[dict[str, Any]] = []
        self.takes = asyncio.Event()
        self.takes.set()
        self._from_page: asyncio.Queue[str | bytes | None] = asyncio.Queue()

    # -- the engine's side --------------------------------------------------------------

    async def receive(self) -> str | bytes | None:
        return await self._from_page.get()

    async def send(self, text: str) -> None:
        await self.takes.wait()
        if self.breaks:
            raise ConnectionError
        self.frames.append(json.loads(text))

    async def close(self, code: int, reason: str) -> None:
        await self.takes.wait()
        self.closed = (code, reason)

    def abort(self) -> None:
        self.aborted = True

    # -- the page's side ----------------------------------------------------------------

    def say(self, content: Any) -> None:
        self._from_page.put_nowait(content if isinstance(content, bytes) else json.dumps(content))

    def say_raw(self, text: str) -> None:
        self._from_page.put_nowait(text)

    def leave(self, code: int = 1001) -> None:
        self.close_code = code
        self._from_page.put_nowait(None)

    def all(self, name: str) -> list[Any]:
        return [one[name] for one in self.frames if name in one]

    async def next(self, name: str, count: int = 1) -> Any:
        """Wait for the frame of that name, or for its count-th, and return its body."""
        return (await until(lambda: len(self.all(name)) >= count and self.all(name), name))[
            count - 1
        ]


@dataclass
class EngineStage:
    """A gateway engine on an in-memory bus, and somebody else on the same bus."""

    gateway: Gateway
    broker: MemoryBroker
    bus: Bus
    other: Bus
    clock: Callable[[], float]
    reports: list[str] = field(default_factory=list)
    expired: list[tuple[Envelope, ExpiryReason]] = field(default_factory=list)
    heard: list[Envelope] = field(default_factory=list)
    operators: list[Envelope] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def page(self, role: str, **query: str | None) -> MemoryLink:
        """Connect a page and wait for the server's first word."""
        link = MemoryLink()
        request = PageRequest(role=role, **query)
        self.tasks.append(asyncio.create_task(self.gateway.serve(link, request)))
        await until(lambda: link.frames, "a first frame")
        return link

    async def listening(self, role: str, *types: str, **query: str | None) -> MemoryLink:
        link = await self.page(role, **query)
        link.say({"subscribe": {"types": list(types)}})
        await link.next("subscribed")
        return link


MakeStage = Callable[..., Any]


@on_one_loop
async def make_stage() -> AsyncIterator[MakeStage]:
    stages: list[EngineStage] = []

    async def make(*, limits: Limits | None = None, **options: Any) -> EngineStage:
        now = asyncio.get_running_loop().time
        broker = MemoryBroker()
        bus = MemoryBus(Identity(RUN, WORLD, "gateway"), broker, now=now)
        other = MemoryBus(Identity(RUN, "ada", "mind"), broker, now=now)
        await bus.connect()
        await other.connect()

        async def publish(message: Message, *, character: str, time_s: float) -> str:
            return bus.publish(message, character=character, time_s=time_s).id

        async def subscribe(types: Any, deliver: Any, *, characters: Any) -> Subscription:
            return await bus.subscribe(
                types, deliver, characters=characters, everyone=characters is None
            )

        options.setdefault("publish", publish)
        options.setdefault("characters", lambda: ["ada", "bob"])
        reports: list[str] = []
        expired: list[tuple[Envelope, ExpiryReason]] = []
        gateway = Gateway(
            subscribe=subscribe,
            now=now,
            run=RUN,
            report=reports.append,
            expired=lambda envelope, reason: expired.append((envelope, reason)),
            limits=limits,
            **options,
        )
        stage = EngineStage(gateway, broker, bus, other, now, reports, expired)

        def remember(envelope: Envelope) -> None:
            about = stage.operators if envelope.type in ABOUT_OPERATORS else stage.heard
            about.append(envelope)

        await other.subscribe(None, remember, everyone=True)
        await gateway.open()
        stages.append(stage)
        return stage

    yield make
    for stage in stages:
        async with asyncio.timeout(PATIENCE_S):
            await stage.gateway.close()
        await asyncio.gather(*stage.tasks)


@on_one_loop
async def stage(make_stage: MakeStage) -> EngineStage:
    made: EngineStage = await make_stage()
    return made


@dataclass
class RunningGateway:
    """The gateway module at work on a port, and somebody else on the same bus."""

    host: ModuleHost
    task: asyncio.Task[None]
    other: Bus
    heard: list[Envelope]

    @property
    def server(self) -> PageServer:
        server: PageServer = self.host.module.server  # type: ignore[attr-defined]
        return server

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def socket_url(self, **query: str) -> str:
        asked = "&".join(f"{key}={value}" for key, value in query.items())
        return f"ws://127.0.0.1:{self.server.port}/ws?{asked}"

    def said(self, type_name: str) -> list[Envelope]:
        return each_once(one for one in self.heard if one.type == type_name)


MakeRunning = Callable[..., Any]


@pytest.fixture(scope="session")
def gateway_class() -> type[Module]:
    workspace = Workspace.discover(Path(__file__))
    workspace.activate()
    return workspace.load_module_class("gateway")


@on_one_loop
async def make_running(gateway_class: type[Module]) -> AsyncIterator[MakeRunning]:
    made: list[RunningGateway] = []

    async def make(
        folder: Path | None = None,
        boot: int = 0,
        make_bus: Callable[..., Bus] | None = None,
        **settings: Any,
    ) -> RunningGateway:
        clock = Clock()
        broker = MemoryBroker()
        join = make_bus or (lambda identity, **options: MemoryBus(identity, broker, **options))
        host = ModuleHost(
            gateway_class,
            Identity(RUN, WORLD, "gateway", boot),
            ModuleContext(clock=clock, folder=folder),
            lambda identity, will, hears_everyone: join(
                identity, now=clock.now, will=will, hears_everyone=hears_everyone
            ),
            settings=settings,
        )
        other = join(Identity(RUN, "ada", "mind"), now=clock.now)
        await other.connect()
        heard: list[Envelope] = []
        await other.subscribe(None, heard.append, everyone=True)
        running = RunningGateway(host, asyncio.create_task(host.run()), other, heard)
        made.append(running)
        await until(
            lambda: (
                running.task.done()
                or any(getattr(one.message, "status", None) == "present" for one in heard)
            ),
            "the gateway's start",
        )
        if running.task.done():
            await running.task
        return running

    yield make
    for running in made:
        running.host.stop()
        await asyncio.wait([running.task], timeout=PATIENCE_S)
        await running.other.close()


@on_one_loop
async def running(make_running: MakeRunning) -> RunningGateway:
    made: RunningGateway = await make_running()
    return made
