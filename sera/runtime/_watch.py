"""Who is being handled right now: so that a held-up event loop can be blamed on somebody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

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
