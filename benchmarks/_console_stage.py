"""A run with its console open in Chromium, and a listener on its bus with the same clock."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import psutil

from sera.bus import BrokerAddress, Identity, MqttBus
from sera.messages import Envelope
from sera.runtime.live_runs import LiveRun, list_live_runs, pages_of

BROWSER = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
    "--autoplay-policy=no-user-gesture-required",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
START_S = 60.0
_QUIETLY = ("--console", "--no-browser", "--plain", "--no-story")


class ConsoleStage:
    """`async with ConsoleStage("rehearsal") as stage`: the run, its bus and a browser."""

    def __init__(self, scenario: str = "rehearsal") -> None:
        self.scenario = scenario
        self.heard: list[tuple[float, Envelope]] = []
        """What came over the bus, with the wall clock's time of arrival."""

    async def __aenter__(self) -> Self:
        from playwright.async_api import async_playwright

        self._folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(  # noqa: ASYNC220  # nothing else runs yet
            [sys.executable, "-m", "sera", "run", self.scenario, *_QUIETLY],
            env={**os.environ, "SERA_RUNS": self._folder.name},
            stdout=subprocess.DEVNULL,
        )
        self.run = await self._found()
        self.url = str(await _soon(lambda: pages_of(self.run.run), "the console's address"))
        self.bus = MqttBus(
            Identity(self.run.run, "world", "bench"),
            BrokerAddress.parse(self.run.broker),
            now=time.time,
        )
        await self.bus.connect()
        await self.bus.subscribe(
            None, lambda envelope: self.heard.append((time.time(), envelope)), everyone=True
        )
        self._driver = await async_playwright().start()
        program = next(path for name in PROGRAMS if (path := shutil.which(name)))
        self.browser = await self._driver.chromium.launch(executable_path=program, args=BROWSER)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.browser.close()
        await self._driver.stop()
        await self.bus.close()
        self.process.terminate()
        await asyncio.to_thread(self.process.wait, 15)
        self._folder.cleanup()

    async def open(self, page: str, **context: Any) -> Any:
        """Open a page of the console in a tab of its own."""
        context.setdefault("viewport", {"width": 1440, "height": 900})
        tab = await (await self.browser.new_context(**context)).new_page()
        await tab.goto(f"{self.url}#/{page}")
        await tab.wait_for_selector(f"html[data-page={page}]")
        return tab

    async def heard_after(
        self, since_s: float, fits: Callable[[Envelope], bool], limit_s: float = 5.0
    ) -> float | None:
        """When the first fitting message came after a moment; None: none did in time."""
        deadline_s = time.time() + limit_s
        place = 0
        while time.time() < deadline_s:
            while place < len(self.heard):
                at_s, envelope = self.heard[place]
                place += 1
                if at_s >= since_s and fits(envelope):
                    return at_s
            await asyncio.sleep(0.001)
        return None

    def server_mb(self) -> float:
        """Memory of the process that serves the pages, without its children."""
        return psutil.Process(self.process.pid).memory_full_info().pss / 2**20

    async def _found(self) -> LiveRun:
        def mine() -> LiveRun | None:
            return next((run for run in list_live_runs() if run.pid == self.process.pid), None)

        return await _soon(mine, "the run")  # type: ignore[no-any-return]


async def clock_ahead_s(tab: Any) -> float:
    """Wall clock minus the page's `performance.now()`, from the quickest of several askings."""
    best = (float("inf"), 0.0)
    for _ in range(25):
        before_s = time.time()
        page_ms = await tab.evaluate("performance.now()")
        after_s = time.time()
        best = min(best, (after_s - before_s, (before_s + after_s) / 2 - page_ms / 1000))
    return best[1]


async def _soon(ask: Callable[[], Any], what: str) -> Any:
    deadline_s = time.monotonic() + START_S
    while time.monotonic() < deadline_s:
        if found := ask():
            return found
        await asyncio.sleep(0.05)
    raise TimeoutError(f"{what} did not come within {START_S:g} s")
