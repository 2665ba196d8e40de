"""What a run watches of itself: that its event loop goes on, and that there is a broker.

Who is handled right now is remembered, so that a held-up loop can be blamed on somebody.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from sera.bus import Bus

BRIEFLY_S = 0.5
"""A broker of our own that was started again is back by then, and told by whoever did that."""
HELD_S = 0.5
_CHECK_EVERY_S = 0.1

_latest: tuple[str, str] | None = None


def entered(source: str, handler: str) -> None:
    """Remember that this handler is the last that was entered."""
    global _latest  # noqa: PLW0603  # one event loop a process, one last handler
    _latest = (source, handler)


async def watch_loop(report: Callable[[str], None]) -> None:
    """Report when the event loop was held: every module of the process stood still meanwhile."""
    while True:
        before_s = time.perf_counter()
        await asyncio.sleep(_CHECK_EVERY_S)
        held_s = time.perf_counter() - before_s - _CHECK_EVERY_S
        if held_s > HELD_S:
            last = "no handler" if _latest is None else f"{_latest[0]} ({_latest[1]})"
            report(
                f"the event loop stood still for {held_s:.1f} s, last entered: {last}; "
                "put work that blocks into `await self.blocking(…)` or give the module "
                '`process = "own"`'
            )


async def watch_broker(
    bus: Bus, lost: Callable[[str], None], back: Callable[[float], None]
) -> None:
    """Say within a second that there is no broker any more, and why; and when it is back."""
    gone, here = asyncio.Event(), asyncio.Event()
    bus.on_disconnected.append(gone.set)
    bus.on_connected.append(here.set)
    while True:
        await gone.wait()
        since_s = time.monotonic()
        gone.clear()
        await asyncio.sleep(BRIEFLY_S)
        told = ""
        while not bus.connected:
            if bus.trouble != told:
                told = bus.trouble
                lost(told)
            here.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(here.wait(), BRIEFLY_S)
        if told:
            back(time.monotonic() - since_s)
