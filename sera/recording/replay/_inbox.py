"""An inbox that hands its messages over in the order in which the module handled them before.

What arrives too early waits for what came before it in the recording, but not for ever: a message
that a changed module does not say would hold up everything. A message that the recording does not
know comes in the order of its arrival. A value of a stream that the module was too slow for then
is left out now.

Threading: the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sera.bus import Counters
from sera.messages import Envelope
from sera.runtime._inbox import Inbox

LONGEST_WAY_S = 0.5
"""What is earlier than that is not early but otherwise."""


class OrderedInbox(Inbox):
    """What a module has still to handle, in the order of the recording."""

    def __init__(
        self,
        counters: Counters,
        order: list[str],
        *,
        recorded_id: Callable[[str], str | None],
        patience_s: float,
        known_until_s: float,
        early_s: Callable[[str], float] = lambda _: 0.0,
    ) -> None:
        """Make an empty inbox.

        Args:
            counters: where left-out values are counted.
            order: recorded ids in the order of handling.
            recorded_id: which recorded message an id stands for; None: none.
            patience_s: how long to wait for what ought to come first.
            known_until_s: until when the order is complete, on the clock of the run.
            early_s: by how much a recorded message is before its time now; in a recording of real
                time it was under way for a moment, which it is again.
        """
        super().__init__(counters)
        self._place = {one: place for place, one in enumerate(order)}
        self._order = order
        self._recorded_id = recorded_id
        self._patience_s = patience_s
        self._known_until_s = known_until_s
        self._early_s = early_s
        self._next = 0
        self._here: dict[int, Envelope] = {}
        self._others: list[Envelope] = []
        self._arrived: asyncio.Event = asyncio.Event()
        self.out_of_order = 0
        """How often something that ought to have come first did not come."""

    def __len__(self) -> int:
        return len(self._here) + len(self._others)

    def put(self, envelope: Envelope) -> None:
        recorded = self._recorded_id(envelope.id)
        early_s = 0.0 if recorded is None else self._early_s(recorded)
        if 0.0 < early_s <= LONGEST_WAY_S:
            asyncio.get_running_loop().call_later(early_s, self._admit, envelope, recorded)
        else:
            self._admit(envelope, recorded)

    def _admit(self, envelope: Envelope, recorded: str | None) -> None:
        place = None if recorded is None else self._place.get(recorded)
        if place is not None and place >= self._next and place not in self._here:
            self._here[place] = envelope
        elif place is None and recorded == envelope.id and self._was_left_out(envelope):
            self._counters.dropped += 1
            return
        else:
            self._others.append(envelope)
        self._arrived.set()

    async def get(self) -> Envelope:
        while True:
            self._arrived.clear()
            envelope = self._here.pop(self._next, None)
            if envelope is not None:
                self._next += 1
                return envelope
            if self._others:
                return self._others.pop(0)
            if not self._here:
                await self._arrived.wait()
            elif not await self._comes_in_time():
                self.out_of_order += 1
                self._next = min(self._here)

    def _was_left_out(self, envelope: Envelope) -> bool:
        """Whether the module never got to a value of a stream, although it went on after it."""
        return envelope.message.stream and envelope.time < self._known_until_s

    async def _comes_in_time(self) -> bool:
        """Whether the next of the order arrives before patience ends."""
        try:
            async with asyncio.timeout(self._patience_s):
                while self._next not in self._here and not self._others:
                    self._arrived.clear()
                    await self._arrived.wait()
        except TimeoutError:
            return self._next in self._here
        return True
