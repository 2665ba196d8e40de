"""What a bridge writes down for its next life, in case this one is killed.

Threading: notes are taken in the event loop and written in a thread, because a busy disk must not
hold up a stop. What comes while one is being written is written next; what is overtaken, never.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sera.animation.output import LastLife


class Notes:
    """The notes of one bridge.

    Args:
        file: where they stand; None: nowhere.
        blocking: runs a function that waits for the disk.
        fault: told once where writing fails.
    """

    def __init__(
        self,
        file: Path | None,
        blocking: Callable[..., Awaitable[Any]],
        fault: Callable[..., None],
    ) -> None:
        self.life = LastLife() if file is None else LastLife.recall(file)
        """The newest, written or not; at the beginning that of the former life."""
        self._file = file
        self._blocking = blocking
        self._fault = fault
        self._written = self.life
        self._taken = asyncio.Event()
        self._has_failed = False

    def take(self, life: LastLife) -> None:
        """Note something; `write_on` writes it soon."""
        self.life = life
        self._taken.set()

    async def write_on(self) -> None:
        """Write whenever there is something new, for ever."""
        while True:
            await self._taken.wait()
            self._taken.clear()
            await self.write()

    async def write(self) -> None:
        """Write the newest note, if it is not written yet."""
        if self._file is None or self.life == self._written:
            return
        self._written = self.life
        try:
            await self._blocking(self._written.remember, self._file)
        except OSError as error:
            if not self._has_failed:
                self._has_failed = True
                self._fault(f"a stop would not outlive this process: {error}", warning=True)
