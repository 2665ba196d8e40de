"""What the tests of the console share: a run with a gateway, and pages of it in a real browser.

`make_stage(scenario, …)` runs a scenario in this process over a real broker; `stage.open("watch")`
opens a page of its console in Chromium. `share_stage` takes the same and gives the tests of a
module one run: for those that leave it as they found it. Pages must ask nobody but the run's own
server, and no error may reach the browser's console: both are checked after each test.
`quiet_room` and `watched_room` are scenarios that several tests run, and `cable` can be pulled out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import wave
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope, Message
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.module import Role
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from sera.web import PageRole
from tests.browser import new_context, on_one_loop
from tests.helpers import PATIENCE_S, each_once, until

DESKTOP = {"width": 1440, "height": 900}
TABLET = {"width": 820, "height": 1180}
QUIET_ROOM = """
[scenario]
title = "Quiet room"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
[characters.ada.modules.speaker]
voice = "silent"
"""
WATCHED_ROOM = """
[scenario]
title = "Watched room"
[modules.eyes]
module = "face_tracker"
source = "room.avi"
repeat = true
[modules.ears]
module = "sound_detector"
source = "room.wav"
model = "energy"
repeat = true
[characters.ada]
robot = "adelino"
[characters.ada.modules.speaker]
voice = "espeak"
"""


LOST = 4000
"""A code after which pages come back by themselves."""


class Cable:
    """Between a page and the server: can be pulled out, and can lose what the server says."""

    def __init__(self) -> None:
        self.is_out = False
        self.loses: str | None = None
        """Frames of this kind do not arrive at the page."""
        self.carried: list[dict[str, Any]] = []
        """What the server said."""
        self._sockets: list[Any] = []

    async def plug_into(self, page: Any) -> None:
        await page.route_web_socket("**/ws?**", self._carry)

    async def _carry(self, socket: Any) -> None:
        if self.is_out:
            await socket.close(code=LOST)
            return
        server = socket.connect_to_server()

        def forward(text: str) -> None:
            frame = json.loads(text)
            self.carried.append(frame)
            if self.loses not in frame:
                socket.send(text)

        server.on_message(forward)
        self._sockets.append(socket)

    async def pull(self) -> None:
        """The page loses the server, and none comes through; the server is told nothing."""
        self.is_out = True
        sockets, self._sockets = self._sockets, []
        for socket in sockets:
            await socket.close(code=LOST)


@pytest.fixture
def cable() -> Cable:
    return Cable()


@pytest.fixture
def quiet_room() -> str:
    """A scenario with one character that says lines and does nothing by itself."""
    return QUIET_ROOM


@dataclass
class Stage:
    """A run whose console is open."""

    run: Run
    task: asyncio.Task[Any]
    heard: list[Envelope]
    browser: Any
    contexts: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def gateway(self) -> Any:
        """The gateway module."""
        return next(module for module in self.run.modules if module.role is Role.GATEWAY)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.gateway.server.port}"

    def said(self, type_name: str) -> list[Envelope]:
        """All messages of a type since the test began, by whomever, in order."""
        return each_once(one for one in self.heard if one.type == type_name)

    def tell(self, message: Message, *, character: str = "world", cause: str | None = None) -> str:
        """Say something on the bus, as the supervisor."""
        supervisor = self.run._supervisor
        assert supervisor is not None
        return supervisor.bus.publish(message, character=character, cause=cause).id

    def asking(self, role: str = "wizard") -> Any:
        """A client for the console's own answers: `(await ask.get("facts")).json()`."""
        import httpx

        return httpx.AsyncClient(
            base_url=f"{self.origin}/console/api/", headers={"sera-role": role}, timeout=PATIENCE_S
        )

    async def tab(
        self,
        url: str,
        *,
        dark: bool = False,
        before: Callable[[Any], Any] | None = None,
        context: Any = None,
        **options: Any,
    ) -> Any:
        """Open any address in a tab that is watched; `before` may prepare it."""
        if context is None:
            context = await new_context(
                self.browser, color_scheme="dark" if dark else "light", **options
            )
            self.contexts.append(context)
        opened = await context.new_page()
        opened.on("request", lambda request: self.asked.append(request.url))
        opened.on("pageerror", lambda error: self.problems.append(str(error)))
        if before is not None:
            await before(opened)
        await opened.goto(url)
        return opened

    async def tablet(self, **options: Any) -> Any:
        """Open the participant's page, on a tablet."""
        url = self.gateway.server.url_for(PageRole.PARTICIPANT, "/console/tablet.html")
        return await self.tab(url, **{"viewport": TABLET, "has_touch": True} | options)

    async def open(
        self,
        page: str = "operate",
        *,
        tablet: bool = False,
        query: str = "",
        before: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> Any:
        """Open a page of the console and wait until it stands and knows who performs what."""
        options.setdefault("viewport", TABLET if tablet else DESKTOP)

        async def listen(opened: Any) -> None:
            opened.on(
                "console",
                lambda said: self.problems.append(said.text) if said.type == "error" else None,
            )
            if before is not None:
                await before(opened)

        url = f"{self.origin}/console/{query}#/{page}"
        opened = await self.tab(url, before=listen, **options)
        await opened.wait_for_selector(f"html[data-page={page}]")
        there = "(sources) => sources.every((one) => seraDesk.presence.has(one))"
        sources = [one.source for one in self.run.modules if one is not self.gateway]
        await until(lambda: opened.evaluate(there, sources), "word of all modules")
        return opened

    async def all_sent(self, page: Any) -> None:
        """Wait until what a wizard's page sent before would have come."""
        mark = await page.evaluate("seraDesk.sera.send('SessionMark', { label: 'so_far' })")
        await until(lambda: any(one.id == mark for one in self.said("SessionMark")), "the mark")

    async def leave(self) -> None:
        """Close what the test opened, and see what its pages did."""
        for context in self.contexts:
            await context.close()
        outside = [url for url in self.asked if not url.startswith((self.origin, "blob:", "data:"))]
        problems = list(self.problems)
        for kept in (self.contexts, self.asked, self.problems):
            kept.clear()
        assert outside == [], "a page asked somebody else"
        assert problems == [], "the browser complained"


@pytest.fixture
def own_live_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Feeds are announced in a folder of the test's own."""
    (tmp_path / "live").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "live"))


@pytest.fixture
def watched_room(tmp_path: Path, own_live_runs: None) -> dict[str, Any]:
    """For `make_stage(**watched_room)`: a second of a ball that rolls through it, and of a tone."""
    import cv2
    import numpy as np

    film, tone = tmp_path / "room.avi", tmp_path / "room.wav"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 20, (640, 360))
    for number in range(20):
        picture = np.full((360, 640, 3), 120, np.uint8)
        cv2.rectangle(picture, (0, 250), (640, 360), (90, 110, 130), -1)
        cv2.circle(picture, (30 + 30 * number, 220), 45, (40, 160, 240), -1)
        writer.write(picture)
    writer.release()
    samples = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000) * 9000
    with wave.open(str(tone), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    files = {"room.avi": film.read_bytes(), "room.wav": tone.read_bytes()}
    return {"scenario": WATCHED_ROOM, "files": files}


@contextlib.asynccontextmanager
async def stages_in(place: Path, browser: Any) -> AsyncIterator[Callable[..., Any]]:
    """Runs a scenario: the text of a `scenario.toml`, or the name of a built-in one."""
    made: list[Stage] = []

    async def make(
        scenario: str,
        *,
        files: dict[str, bytes | str] | None = None,
        record: bool = False,
        condition: str | None = None,
        gateway: dict[str, Any] | None = None,
    ) -> Stage:
        workspace = Workspace.discover(Path(__file__))
        if "\n" in scenario:
            folder = place / ("stage" if not made else f"stage_{len(made)}")
            folder.mkdir()
            (folder / "scenario.toml").write_text(scenario, encoding="utf-8")
            for name, content in (files or {}).items():
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode() if isinstance(content, str) else content)
            loaded = load_scenario(folder, workspace, condition)
        else:
            loaded = load_scenario(scenario, workspace, condition)
        workspace.activate()
        options = RunOptions(
            record=record,
            log=place / "log.jsonl" if record else None,
            extra_modules={"gateway": gateway or {}},
        )
        run = Run(loaded, workspace, options)
        heard: list[Envelope] = []
        run.observe(heard.append)
        task = asyncio.create_task(run.execute())
        ready = asyncio.create_task(run.ready.wait())
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            ready.cancel()
            await task
        stage = Stage(run, task, heard, browser)
        made.append(stage)
        await until(lambda: stage.gateway.server is not None, "the gateway's start")
        return stage

    yield make
    for stage in made:
        stage.run.stop("the test is over")
        await until(stage.task.done, "the end of the run")


@on_one_loop
async def make_stage(tmp_path: Path, chromium: Any) -> AsyncIterator[Callable[..., Any]]:
    """Makes a run of the test's own."""
    made: list[Stage] = []
    async with stages_in(tmp_path, chromium) as make:

        async def remember(scenario: str, **options: Any) -> Stage:
            made.append(await make(scenario, **options))
            return made[-1]

        yield remember
        for stage in made:
            await stage.leave()


@on_one_loop(scope="module")
async def _runs_of_module(
    tmp_path_factory: pytest.TempPathFactory, chromium: Any
) -> AsyncIterator[Callable[..., Any]]:
    place = tmp_path_factory.mktemp("shared")
    made: dict[str, Stage] = {}
    async with stages_in(place, chromium) as make:

        async def get(scenario: str, **options: Any) -> Stage:
            key = repr((scenario, options))
            if key not in made:
                made[key] = await make(scenario, **options)
            return made[key]

        yield get


@on_one_loop
async def share_stage(_runs_of_module: Callable[..., Any]) -> AsyncIterator[Callable[..., Any]]:
    """Gives the run of such a scenario that the module's tests have in common."""
    used: list[Stage] = []

    async def share(scenario: str, **options: Any) -> Stage:
        stage: Stage = await _runs_of_module(scenario, **options)
        stage.heard.clear()
        used.append(stage)
        return stage

    yield share
    for stage in used:
        await stage.leave()
        await until(lambda: not stage.gateway.engine.pages, "the leaving of all pages")  # noqa: B023


@pytest.fixture
def ask_console() -> Callable[..., Any]:
    """Makes an HTTP client for the console's own answers, without a run or a browser.

    `ask_console(scenario, folder=…)` → (client, hear): `hear(message, "ada")` is heard by it.
    """
    import types

    import httpx
    from starlette.applications import Starlette

    from sera.console import Console, console_routes

    def make(scenario: Any = None, *, role: str = "wizard", **known: Any) -> Any:
        ears: list[tuple[Any, Any]] = []

        async def hear(types_heard: Any, deliver: Any, *, characters: Any) -> Any:
            ears.append((types_heard, deliver))
            return object()

        async def tell(message: Message, *, character: str) -> str | None:
            say(message, character)
            return "told"

        def say(message: Message, character: str = "world") -> None:
            heard = types.SimpleNamespace(message=message, character=character)
            for wanted, deliver in ears:
                if wanted is None or isinstance(message, tuple(wanted)):
                    deliver(heard)

        if scenario is not None:
            known = {
                "folder": scenario.folder,
                "workspace": Workspace.discover(scenario.folder),
            } | known
        console = Console(
            gateway=types.SimpleNamespace(tokens=None),  # type: ignore[arg-type]
            now=lambda: 0.0,
            tell=tell,
            hear=hear,
            scenario=scenario,
            **known,
        )
        transport = httpx.ASGITransport(Starlette(routes=console_routes(console)))
        client = httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers={"sera-role": role}
        )
        return client, say

    return make
