"""Something that is made from files and made again when they change.

Threading: files are looked at and read in a thread, one at a time; `get` is for the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from sera.behaviour.library import Fingerprint, fingerprint

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Keeps what was read until a file changes.

    Args:
        files: which files count now; called in a thread.
        read: makes the value, given the one before (None at first); called in a thread.
    """

    def __init__(
        self, files: Callable[[], Iterable[Path]], read: Callable[[Value | None], Value]
    ) -> None:
        self._files, self._read = files, read
        self._lock = asyncio.Lock()
        self._value: Value | None = None
        self._prints: dict[Path, Fingerprint | None] | None = None

    async def get(self) -> Value:
        """What the files say now."""
        async with self._lock:
            return await asyncio.to_thread(self._look)

    def _look(self) -> Value:
        prints = {file: fingerprint(file) for file in self._files()}
        if self._value is None or prints != self._prints:
            self._value = self._read(self._value)
            self._prints = prints
        return self._value
