"""The page of the game on the table, in a real browser: touches reach the game, and it answers."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sera.bus import Bus, Identity, MemoryBroker, MemoryBus
from sera.messages import WORLD, ActivityEvent, Clicked, Envelope, Highlight
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.workspace import Workspace

playwright = pytest.importorskip(
    "playwright.async_api", reason="the Python package playwright is not installed"
)
pytestmark = pytest.mark.needs_program("chromium")

ROOT = Path(__file__).parents[2]
TUTOR = ROOT / "scenarios" / "tutor"
NAMES = ("chromium", "chromium-browser", "google-chrome")
RUN = "tutor-1"


async def until(condition: Callable[[], Any]) -> Any:
    async with asyncio.timeout(8):
        while not (value := condition()):
            await asyncio.sleep(0.02)
    return value


async def holds(page: Any, expression: str) -> None:
    """Playwright's own waiting evaluates strings inside the page, which its policy forbids."""
    async with asyncio.timeout(8):
        while not await page.evaluate(expression):
            await asyncio.sleep(0.02)


@dataclass
class Table:
    """A game and its page server on one bus, and a robot that may give orders."""

    robot: Bus
    origin: str = ""
    game: Any = None
    heard: list[Envelope] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def events(self) -> list[str]:
        return [one.message.event for one in self.heard if isinstance(one.message, ActivityEvent)]

    def clicks(self) -> list[Clicked]:
        return [one.message for one in self.heard if isinstance(one.message, Clicked)]


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    clock, broker = Clock(), MemoryBroker()

    def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone)

    stage = Table(join(Identity(RUN, "nao", "mind")))
    await stage.robot.connect()
    await stage.robot.subscribe(None, stage.heard.append, everyone=True)
    context = ModuleContext(clock=clock, folder=TUTOR, seed=3)
    classes = {
        "gateway": workspace.load_module_class("gateway"),
        "game": load_class_from_file(TUTOR / "game.py"),
    }
    hosts = {
        name: ModuleHost(kind, Identity(RUN, WORLD, name), context, join, settings={})
        for name, kind in classes.items()
    }
    tasks = [asyncio.create_task(host.run()) for host in hosts.values()]
    await until(lambda: "game_ready" in stage.events())
    stage.game = hosts["game"].module
    stage.origin = f"http://127.0.0.1:{hosts['gateway'].module.server.port}"
    yield stage
    for host in hosts.values():
        host.stop()
    await asyncio.wait(tasks, timeout=3)
    await stage.robot.close()


@pytest.fixture
async def page(table: Table) -> AsyncIterator[Any]:
    program = next(path for name in NAMES if (path := shutil.which(name)))
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program, args=arguments)
        shown = await browser.new_page(viewport={"width": 960, "height": 600})
        shown.on("request", lambda one: table.hosts.add(urlsplit(one.url).hostname or ""))
        shown.on("pageerror", lambda error: table.problems.append(str(error)))
        shown.on(
            "console",
            lambda one: table.problems.append(one.text) if one.type in ("error", "warning") else 0,
        )
        await shown.goto(f"{table.origin}/pages/town.html")
        await holds(shown, "document.querySelectorAll('.place').length === 12")
        yield shown
        await browser.close()


async def test_a_game_is_begun_played_and_lit_by_touching(table, page):
    assert await page.inner_text("#title") == "The dark town"
    await page.click("#begin")
    await holds(page, "document.getElementById('stage').dataset.phase === 'playing'")
    assert await page.inner_text("#player") == "Blue"
    clue = table.game._game.round
    start = f"document.querySelector('[data-place={clue.start}]').classList"
    assert await page.evaluate(f"{start}.contains('start')")
    wrong = next(name for name in table.game._town.places if name not in (clue.start, clue.answer))
    await page.click(f"[data-place={wrong}]")
    await holds(page, f"document.querySelector('[data-place={wrong}].wrong') !== null")
    assert await page.inner_text("#message") == "Not here."
    await page.click(f"[data-place={clue.answer}]")
    await holds(page, f"document.querySelector('[data-place={clue.answer}].lit') !== null")
    assert await page.inner_text("#message") == "Light!"
    assert await page.evaluate("document.querySelectorAll('.lamp.on').length") == 1
    assert table.events()[-3:] == ["place_wrong", "place_right", "round_over"]
    assert table.hosts == {"127.0.0.1"}
    assert table.problems == []


async def test_a_touch_reports_its_pixel_on_the_table_whatever_the_window(table, page):
    await page.click("[data-place=church]", position={"x": 60, "y": 40})
    (touch,) = await until(table.clicks)
    centre = table.game._town.point("church")
    assert touch.element == "church"
    assert touch.point.screen == "table"
    # The window shows 1920 pixels of the table on 960: one of its pixels is two of the table's.
    left, top, border = centre.x_px - 118, centre.y_px - 118, 5
    assert touch.point.x_px == pytest.approx(left + 2 * (border + 60), abs=3)
    assert touch.point.y_px == pytest.approx(top + 2 * (border + 40), abs=3)
    assert table.game._town.place_at(touch.point) == "church"


async def test_what_the_robot_highlights_shines_and_ceases_to(table, page):
    table.robot.publish(Highlight(element="mill", duration_s=0.4), character="nao")
    await holds(page, "document.querySelector('[data-place=mill].highlighted') !== null")
    await holds(page, "document.querySelector('[data-place=mill].highlighted') === null")
    assert "highlighted" in table.events()


async def test_a_page_that_comes_late_shows_the_game_as_it_is(table, page):
    await page.click("#begin")
    await holds(page, "document.getElementById('stage').dataset.phase === 'playing'")
    await page.reload()
    await holds(page, "document.getElementById('stage').dataset.phase === 'playing'")
    assert await page.inner_text("#player") == "Blue"
    assert await page.evaluate("document.getElementById('begin').hidden")
