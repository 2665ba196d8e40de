"""What the tests of scenarios' pages share: a game and its page server on one bus, without a run.

Pages must ask nobody but their own server, and nothing may go wrong in the browser: both are
checked after each test.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sera.bus import Bus, Identity, MemoryBroker, MemoryBus
from sera.messages import WORLD, Envelope
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.workspace import Workspace
from tests.browser import new_context
from tests.helpers import PATIENCE_S, each_once, until

ROOT = Path(__file__).parents[2]


@dataclass
class Room:
    """A game, its pages, and a robot on the same bus."""

    robot: Bus
    browser: Any
    origin: str = ""
    game: Any = None
    heard: list[Envelope] = field(default_factory=list)
    contexts: list[Any] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def of(self, name: str) -> list[Any]:
        return [one.message for one in each_once(self.heard) if one.type == name]

    async def open(self, name: str, width: int, height: int) -> Any:
        size = {"width": width, "height": height}
        self.contexts.append(await new_context(self.browser, viewport=size))
        page = await self.contexts[-1].new_page()
        page.on("request", lambda one: self.hosts.add(urlsplit(one.url).hostname or ""))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "console",
            lambda one: self.problems.append(one.text) if one.type in ("error", "warning") else 0,
        )
        await page.goto(f"{self.origin}/pages/{name}")
        return page


@contextlib.asynccontextmanager
async def _play(
    browser: Any,
    scenario: str,
    robot: str,
    answer: Callable[[Room, Envelope], None],
    **settings: Any,
) -> AsyncIterator[Room]:
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    clock, broker, run = Clock(), MemoryBroker(), f"{scenario}-1"
    folder = ROOT / "scenarios" / scenario

    def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone)

    room = Room(join(Identity(run, robot, "mind")), browser)

    def hear(envelope: Envelope) -> None:
        room.heard.append(envelope)
        answer(room, envelope)

    await room.robot.connect()
    await room.robot.subscribe(None, hear, everyone=True)
    context = ModuleContext(clock=clock, folder=folder, seed=3)
    classes = {
        "gateway": (workspace.load_module_class("gateway"), {}),
        "game": (load_class_from_file(folder / "game.py"), settings),
    }
    hosts = {
        name: ModuleHost(kind, Identity(run, WORLD, name), context, join, settings=chosen)
        for name, (kind, chosen) in classes.items()
    }
    tasks = [asyncio.create_task(host.run()) for host in hosts.values()]
    gateway, room.game = hosts["gateway"].module, hosts["game"].module
    await until(lambda: gateway.server is not None, "the gateway's start")
    room.origin = f"http://127.0.0.1:{gateway.server.port}"
    yield room
    for opened in room.contexts:
        await opened.close()
    for host in hosts.values():
        host.stop()
    await asyncio.wait(tasks, timeout=PATIENCE_S)
    await room.robot.close()
    assert room.hosts <= {"127.0.0.1"}
    assert room.problems == []


@pytest.fixture
def play(chromium: Any) -> Callable[..., Any]:
    """Opens a room for a scenario, a robot, and a function that is told of all that is said."""
    return lambda *about, **settings: _play(chromium, *about, **settings)
