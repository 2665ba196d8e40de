"""What a module has still to handle, in order of arrival.

Streams give way: when a module is too slow for a stream, the oldest values of that stream are
dropped and counted. Actions are never dropped here, because their senders wait for a receipt.
"""

from __future__ import annotations

import asyncio
from collections import deque

from sera.bus import Counters
from sera.messages import Envelope, Kind

STREAM_LIMIT = 32
EVENT_LIMIT = 10_000


class _Slot:
    """A place in the inbox; empty where a newer value of the same stream has taken its turn."""

    __slots__ = ("envelope", "limited")

    def __init__(self, envelope: Envelope, limited: deque[_Slot] | None) -> None:
        self.envelope: Envelope | None = envelope
        self.limited = limited
        """All places of the same stream, or of all Events; None: Actions have no limit."""


class Inbox:
    """An ordered queue with a limit for each stream and one for all Events together."""

    def __init__(
        self,
        counters: Counters,
        *,
        stream_limit: int = STREAM_LIMIT,
        event_limit: int = EVENT_LIMIT,
    ) -> None:
        self._counters = counters
        self._stream_limit = stream_limit
        self._event_limit = event_limit
        self._slots: deque[_Slot] = deque()
        self._limited: dict[tuple[str, str], deque[_Slot]] = {}
        self._empty = 0
        self._waiter: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        return len(self._slots) - self._empty

    def put(self, envelope: Envelope) -> None:
        key = self._key(envelope)
        queue = None if key is None else self._limited.get(key)
        if queue is None and key is not None:
            queue = self._limited[key] = deque()
        slot = _Slot(envelope, queue)
        self._slots.append(slot)
        if queue is not None and key is not None:
            queue.append(slot)
            if len(queue) > (self._stream_limit if key[0] else self._event_limit):
                queue.popleft().envelope = None
                self._empty += 1
                if key[0]:
                    self._counters.dropped += 1
                else:
                    self._counters.lost += 1
                self._close_ranks()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> Envelope:
        """The oldest that was not dropped; waits for one."""
        while True:
            while self._slots:
                slot = self._slots.popleft()
                if slot.envelope is None:
                    self._empty -= 1
                else:
                    if slot.limited is not None:
                        slot.limited.popleft()
                    return slot.envelope
            if self._loop is None:  # asked for once: that takes a call of the system
                self._loop = asyncio.get_running_loop()
            self._waiter = self._loop.create_future()
            await self._waiter

    def _close_ranks(self) -> None:
        """Empty slots must not pile up while a handler is stuck for hours."""
        if self._empty > self._stream_limit and self._empty * 2 > len(self._slots):
            self._slots = deque(slot for slot in self._slots if slot.envelope is not None)
            self._empty = 0

    @staticmethod
    def _key(envelope: Envelope) -> tuple[str, str] | None:
        message = envelope.message
        if message.stream:
            return (envelope.type, envelope.source)
        return None if message.kind is Kind.ACTION else ("", "")
