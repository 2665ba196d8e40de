"""What a page has still to be sent: bounded, so that a slow page slows nobody else.

Streams give way: the oldest values of a stream are dropped and counted when a page is too slow
for it. Everything else is kept up to a limit; a page that falls behind further cannot be helped
and is disconnected by the owner of this queue.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

StreamKey = tuple[str, str]
"""Message type and source."""


@dataclass(slots=True, eq=False)
class _Slot:
    text: str | None
    stream: StreamKey | None
    expires_at_s: float | None


class Outgoing:
    """An ordered queue of frames for one page."""

    def __init__(
        self,
        *,
        now: Callable[[], float],
        on_drop: Callable[[], None],
        limit: int = 1000,
        limit_characters: int = 8 * 1024 * 1024,
        stream_limit: int = 32,
    ) -> None:
        """Make an empty queue.

        Args:
            now: the clock, seconds.
            on_drop: told of every value of a stream that gave way.
            limit: how many frames that belong to no stream may wait.
            limit_characters: how much text may wait in all.
            stream_limit: how many values of one stream may wait.
        """
        self._on_drop = on_drop
        self._now = now
        self._limit = limit
        self._limit_characters = limit_characters
        self._stream_limit = stream_limit
        self._slots: deque[_Slot] = deque()
        self._streams: dict[StreamKey, deque[_Slot]] = {}
        self._kept = 0
        self._characters = 0
        self._waiter: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return self._kept + sum(len(queue) for queue in self._streams.values())

    def put(
        self, text: str, *, stream: StreamKey | None = None, expires_at_s: float | None = None
    ) -> bool:
        """Queue a frame; False where the page has fallen too far behind to be sent it.

        Args:
            text: the frame.
            stream: the stream that it is the newest value of; None: it may not be dropped.
            expires_at_s: when it is no longer worth sending.
        """
        slot = _Slot(text, stream, expires_at_s)
        self._slots.append(slot)
        self._characters += len(text)
        if stream is None:
            self._kept += 1
        else:
            queue = self._streams.setdefault(stream, deque())
            queue.append(slot)
            if len(queue) > self._stream_limit:
                self._drop(queue)
        while self._characters > self._limit_characters and self._streams:
            self._drop(max(self._streams.values(), key=len))
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        return self._kept <= self._limit and self._characters <= self._limit_characters

    async def get(self) -> str:
        """The oldest frame that is still worth sending; waits for one."""
        while True:
            while self._slots:
                slot = self._slots.popleft()
                if slot.text is None:
                    continue
                self._taken(slot)
                if slot.expires_at_s is None or self._now() <= slot.expires_at_s:
                    return slot.text
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter

    def _taken(self, slot: _Slot) -> None:
        assert slot.text is not None
        self._characters -= len(slot.text)
        if slot.stream is None:
            self._kept -= 1
            return
        queue = self._streams[slot.stream]
        queue.popleft()
        if not queue:
            del self._streams[slot.stream]

    def _drop(self, queue: deque[_Slot]) -> None:
        slot = queue[0]
        self._taken(slot)
        slot.text = None
        self._on_drop()
        # What was dropped stays in line as an empty slot; a stalled page must not pile them up.
        if len(self._slots) > 2 * (len(self) + self._stream_limit):
            self._slots = deque(slot for slot in self._slots if slot.text is not None)
