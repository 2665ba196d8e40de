"""The order in which a module has handled its messages, told now and then, so that a replay can
follow it.

The log keeps the order in which the recorder heard everybody; over a wire that need not be the
order in which a module got to its work. Noting an id costs as much as adding to a list; the list
is told as one compact `Handled` a second, so that a killed process owes the log a second at most.

Threading: the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sera.messages import Handled
from sera.runtime.module import Role

TOLD_EVERY_S = 1.0
VIRTUAL_TOLD_EVERY_S = 60.0  # there, the order of the log is that of handling
MOST_AT_ONCE = 5_000
NOT_TOLD = frozenset({Role.RECORDER, Role.SUPERVISOR, Role.GATEWAY})
"""Nobody plays these again from a recording."""


class HandlingOrder:
    """Collects the ids of handled messages and tells them in their order."""

    def __init__(self, tell: Callable[[Handled], object], every_s: float) -> None:
        self._tell = tell
        self._every_s = every_s
        self._ids: list[str] = []
        self._told = 0
        self._timer: asyncio.TimerHandle | None = None

    def note(self, message_id: str) -> None:
        """A message is being handled now."""
        ids = self._ids
        ids.append(message_id)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._every_s, self.tell)
        elif len(ids) >= MOST_AT_ONCE:
            self.tell()

    def tell(self) -> None:
        """Tell what has not been told yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._ids:
            ids, self._ids = self._ids, []
            first, self._told = self._told, self._told + len(ids)
            self._tell(handled_in_short(ids, first))


def handled_in_short(ids: list[str], first: int) -> Handled:
    """The ids of messages in short: each life of a source is written once."""
    lives: dict[str, int] = {}
    order: list[int] = []
    for one in ids:
        life, _, number = one.rpartition("-")
        order.append(lives.setdefault(life, len(lives)))
        order.append(int(number))
    return Handled(first=first, lives=list(lives), order=order)
