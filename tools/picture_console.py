"""Pictures of every page of the console for docs/console: light and dark, desktop and tablet.

`python tools/picture_console.py [FOLDER]` runs the scenario `tutor` with its console, gives a few
orders as a Wizard would, and photographs the pages in Chromium.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sera.runtime.live_runs import list_live_runs, pages_of

ROOT = Path(__file__).parents[1]
SCREEN = {"desktop": {"width": 1440, "height": 900}, "tablet": {"width": 820, "height": 1180}}
PAGES = ("operate", "watch", "lines", "bus", "study", "review")
BROWSER = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--mute-audio", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
]


async def main(folder: Path) -> None:
    """Take all pictures."""
    from playwright.async_api import async_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as runs, running(runs) as url:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=program, args=BROWSER)
            for size, viewport in SCREEN.items():
                for theme in ("light", "dark"):
                    context = await browser.new_context(
                        viewport=viewport, color_scheme=theme, has_touch=size == "tablet"
                    )
                    tab = await context.new_page()
                    for page in PAGES:
                        await tab.goto(f"{url}#/{page}")
                        await tab.wait_for_selector(f"html[data-page={page}]")
                        await prepared(tab, page)
                        suffix = "" if size == "desktop" else "_tablet"
                        await keep(tab, folder / f"{page}_{theme}{suffix}.png")
                    await context.close()
            await form_on_a_tablet(browser, url, folder)
            await browser.close()


async def prepared(tab: Any, page: str) -> None:
    """Do what makes the page show what it is for."""
    await asyncio.sleep(2.5)
    if page == "operate":
        await tab.keyboard.press("ArrowDown")
        for text in ("We have a new tower.", "Look at the map.", "Well done, both of you."):
            await tab.evaluate("t => seraDesk.order('PerformUtterance', { text: t })", text)
        await asyncio.sleep(1.5)
    elif page == "watch":
        await tab.evaluate("seraDesk.order('PlayAnimation', { animation: 'nod' })")
        await asyncio.sleep(2.0)
    elif page == "lines":
        with contextlib.suppress(Exception):
            await tab.get_by_role("button", name="tutor.xlsx").first.click(timeout=2000)
        await asyncio.sleep(3.5)
    elif page == "study":
        if not await tab.locator("#session .chip").count():
            await tab.evaluate("seraDesk.order('GuideSession', { do: 'begin' })")
            for _ in range(2):
                await asyncio.sleep(0.5)
                await tab.evaluate("seraDesk.order('GuideSession', { do: 'next' })")
        await asyncio.sleep(1.5)
    elif page == "review":
        with contextlib.suppress(Exception):
            await tab.locator("#page a[href*=run], #page li button").first.click(timeout=2000)
        await tab.get_by_role("button", name="Play").wait_for()
        await asyncio.sleep(4.0)


async def form_on_a_tablet(browser: Any, url: str, folder: Path) -> None:
    """The form that the session offers, as a participant sees it."""
    for theme in ("light", "dark"):
        context = await browser.new_context(
            viewport=SCREEN["tablet"], color_scheme=theme, has_touch=True
        )
        tab = await context.new_page()
        await tab.goto(url.replace("/console/", "/console/tablet.html"))
        await tab.get_by_role("button", name="Begin").click()
        await asyncio.sleep(1.0)
        await keep(tab, folder / f"form_{theme}_tablet.png")
        await context.close()


async def keep(tab: Any, path: Path) -> None:
    """Write a picture in few colours: a page has few, and the repository stays small."""
    from PIL import Image

    picture = Image.open(io.BytesIO(await tab.screenshot())).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


@contextlib.contextmanager
def running(runs: str) -> Any:
    """The scenario with its console; gives the address."""
    command = [sys.executable, "-m", "sera", "run", "tutor", "--console", "--no-browser"]
    process = subprocess.Popen(
        [*command, "--no-story", "--plain"],
        env={**os.environ, "SERA_RUNS": runs},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield _address(process.pid)
    finally:
        process.terminate()
        process.wait(15)


def _address(pid: int) -> str:
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        for run in list_live_runs():
            if run.pid == pid and (url := pages_of(run.run)):
                return url
        time.sleep(0.1)
    raise TimeoutError("the run did not serve its console within a minute")


if __name__ == "__main__":
    chosen = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "console"
    chosen.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(chosen))
