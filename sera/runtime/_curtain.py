"""Nobody acts before everybody who shares the process is ready.

A module may take seconds to start (an engine loads its kernels, a camera warms up). What others do
in the meantime would be lost on it, the more so where time runs faster. So `run` begins when
every module of the process has started or has failed to; handlers are served from the beginning.

Threading: the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable


class Curtain:
    """Goes up when all of these have started."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._waited_for = set(sources)
        self._up = asyncio.Event()
        if not self._waited_for:
            self._up.set()

    def ready(self, source: str) -> None:
        """A module has started, or will not; a second life changes nothing."""
        self._waited_for.discard(source)
        if not self._waited_for:
            self._up.set()

    async def up(self) -> None:
        """Wait until it is up."""
        await self._up.wait()
