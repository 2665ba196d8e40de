"""One Chromium for all tests of a session; each test opens contexts of its own in it.

What Playwright makes belongs to one event loop, so tests of pages, and what they use, share the
session's. `holds(page, …)` waits for what is true in a page, `watch_for(page, …)` for what is there
for a moment, `no_barrier(page)` asks axe-core, and `picture(page, …)` keeps what people may want to
look at.
"""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import websockets

from tests.helpers import PATIENCE_S, until

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
    "--autoplay-policy=no-user-gesture-required",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
IS_STILL = """document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity)"""
ROOMS = ("console", "pages", "web")

on_one_loop = functools.partial(pytest_asyncio.fixture, loop_scope="session")
"""A fixture for tests of pages."""


connect = functools.partial(websockets.connect, open_timeout=PATIENCE_S, ping_interval=None)
"""A socket for programs that are no page."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name in ROOMS and item.get_closest_marker("asyncio"):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@on_one_loop(scope="session")
async def chromium() -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    from tests.conftest import find_program

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=find_program("chromium"), args=ARGUMENTS, timeout=PATIENCE_S * 1000
        )
        yield browser
        await browser.close()


async def new_context(browser: Any, **options: Any) -> Any:
    """A context that waits as long as a slow machine needs."""
    context = await browser.new_context(**options)
    context.set_default_timeout(PATIENCE_S * 1000)
    return context


async def holds(page: Any, expression: str) -> None:
    """Playwright's own waiting evaluates strings inside the page, which its policy forbids."""
    await until(lambda: page.evaluate(expression), expression)


async def watch_for(page: Any, selector: str) -> Callable[[], Any]:
    """Look out for what may be there for a moment only; returns what waits until it was there."""
    await page.evaluate(
        """(selector) => {
          window.wasThere = false;
          const look = () => { wasThere ||= Boolean(document.querySelector(selector)); };
          new MutationObserver(look).observe(document.documentElement,
            { subtree: true, childList: true, attributes: true });
          look();
        }""",
        selector,
    )
    return lambda: until(lambda: page.evaluate("wasThere"), selector)


@pytest.fixture
def picture() -> Callable[..., Any]:
    """For people who want to look at it: SERA_PICTURES names a folder."""

    async def keep(page: Any, name: str) -> None:
        if folder := os.environ.get("SERA_PICTURES"):
            await page.screenshot(path=Path(folder) / name)

    return keep


@pytest.fixture
def no_barrier() -> Callable[..., Any]:
    """Asserts that axe-core finds nothing wrong on a page, or in the parts of it that are named."""
    from axe_playwright_python.async_playwright import Axe

    async def check(page: Any, *parts: str, about: str = "") -> None:
        await until(lambda: page.evaluate(IS_STILL), "the end of all transitions")
        context = {"include": [[part] for part in parts]} if parts else None
        found = await Axe().run(page, context=context)
        told = [
            f"{one['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
            for one in found.response["violations"]
            for node in one["nodes"]
        ]
        assert told == [], f"{about or page.url}\n" + "\n".join(told)

    return check
