"""What a module has still to handle, in order of arrival.

Streams give way: when a module is too slow for a stream, the oldest values of that stream are
dropped and counted. Actions are never dropped here, because their senders wait for a receipt.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from sera.bus import Counters
from sera.messages import Envelope, Kind

STREAM_LIMIT = 32
EVENT_LIMIT = 10_000


@dataclass(slots=True, eq=False)
class _Slot:
    envelope: Envelope | None


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

    def __len__(self) -> int:
        return len(self._slots) - self._empty

    def put(self, envelope: Envelope) -> None:
        slot = _Slot(envelope)
        self._slots.append(slot)
        key = self._key(envelope)
        if key is not None:
            queue = self._limited.setdefault(key, deque())
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
                envelope = self._slots.popleft().envelope
                if envelope is None:
                    self._empty -= 1
                else:
                    key = self._key(envelope)
                    if key is not None:
                        self._limited[key].popleft()
                    return envelope
            self._waiter = asyncio.get_running_loop().create_future()
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
