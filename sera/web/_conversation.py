"""The course of one page's connection: reading and writing side by side, then the goodbye."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sera.web._page import Farewell, Page
from sera.web._ports import Link

_CLOSE_REASON_BYTES = 120
"""A close frame holds no more."""

Take = Callable[[Page, str | bytes], Awaitable[None]]


async def converse(page: Page, link: Link, take: Take, *, goodbye_s: float) -> None:
    """Serve a page until it goes or is sent away.

    Args:
        page: the page.
        link: the connection to it.
        take: handles a frame that it sent; must not raise.
        goodbye_s: how long the page has to take its last frames.
    """
    loop = asyncio.get_running_loop()
    reader = loop.create_task(_read(page, link, take), name=f"{page} reader")
    writer = loop.create_task(_write(page, link), name=f"{page} writer")
    try:
        ends: list[asyncio.Future[Any]] = [reader, writer, page.gone]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        farewell = page.farewell
        page.gone.cancel()  # from now on nothing is queued for it
        reader.cancel()
        writer.cancel()
        await asyncio.gather(reader, writer, return_exceptions=True)
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


async def _write(page: Page, link: Link) -> None:
    while True:
        await link.send(await page.outgoing.get())


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
