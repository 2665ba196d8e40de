"""The course of one page's connection: reading and writing side by side, then the goodbye."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sera.web._frames import AnswerSheet, Send
from sera.web._page import Farewell, Page
from sera.web._ports import Link

_CLOSE_REASON_BYTES = 120
"""A close frame holds no more."""

Take = Callable[[Page, str | bytes], Awaitable[None]]
Speak = Callable[[Page, Send | AnswerSheet], Awaitable[None]]


async def converse(page: Page, link: Link, take: Take, speak: Speak, *, goodbye_s: float) -> None:
    """Serve a page until it goes or is sent away.

    What the page sent before it went is still published; its reader does not wait while a
    message is being published, so that an emergency stop can overtake.

    Args:
        page: the page.
        link: the connection to it.
        take: handles a frame that it sent; must not raise.
        speak: publishes a message that `take` put into the page's queue; must not raise.
        goodbye_s: how long the page has to take its last frames.
    """
    loop = asyncio.get_running_loop()
    reader = loop.create_task(_read(page, link, take), name=f"{page} reader")
    speaker = loop.create_task(_speak(page, speak), name=f"{page} speaker")
    writer = loop.create_task(_write(page, link), name=f"{page} writer")
    try:
        ends: list[asyncio.Future[Any]] = [reader, page.gone]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        farewell = page.farewell
        page.gone.cancel()  # from now on nothing is queued for it
        for task in (reader, speaker, writer):
            task.cancel()
        await asyncio.gather(reader, speaker, writer, return_exceptions=True)
    if farewell is None:
        return
    if farewell.abrupt or not await _say_goodbye(page, link, farewell, goodbye_s):
        link.abort()


async def turn_away(link: Link, code: int, text: str, why: str, goodbye_s: float) -> None:
    """Tell somebody who is not let in why, and close."""
    try:
        async with asyncio.timeout(goodbye_s):
            await link.send(text)
            await link.close(code, shortened(why))
    except Exception:
        link.abort()


async def _read(page: Page, link: Link, take: Take) -> None:
    while (raw := await link.receive()) is not None:
        await take(page, raw)
        await asyncio.sleep(0)  # a page that sends without pause leaves the others their turn
    await page.spoken.join()


async def _speak(page: Page, speak: Speak) -> None:
    while True:
        send = await page.spoken.get()
        await speak(page, send)
        page.spoken.task_done()


async def _write(page: Page, link: Link) -> None:
    while True:
        try:
            await link.send(await page.outgoing.get())
        except Exception:  # the page is gone: its reader ends when it has read what is left
            return


async def _say_goodbye(page: Page, link: Link, farewell: Farewell, goodbye_s: float) -> bool:
    try:
        async with asyncio.timeout(goodbye_s):
            while len(page.outgoing):
                await link.send(await page.outgoing.get())
            await link.close(farewell.code, shortened(farewell.why))
    except Exception:  # gone, or it takes nothing any more
        return False
    return True


def shortened(why: str) -> str:
    """A reason that fits into a close frame."""
    encoded = why.encode()
    if len(encoded) <= _CLOSE_REASON_BYTES:
        return why
    return encoded[: _CLOSE_REASON_BYTES - 3].decode(errors="ignore") + "…"
