"""Actions that pages perform, until a page has confirmed them.

Design overview
    The bus delivers an Action to the gateway end to end; these orders carry it the last step. A
    WebSocket does not tell whether a tablet that lost its wireless network got a frame, so the
    page confirms each Action by id. An Action that no page has confirmed is offered to every
    fitting page that connects while it is worth doing; afterwards it is reported as expired.
    One confirmation suffices: where several pages show the same activity, each of those that
    are connected is sent the Action, but only the first to confirm is waited for.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    Bounded. An expired Action is never sent to a page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from sera.messages import Action, Envelope, ExpiryReason
from sera.web._page import Page

LIMIT = 256

Expired = Callable[[Envelope, ExpiryReason], None]


@dataclass(slots=True)
class _Order:
    envelope: Envelope
    expires_at_s: float | None
    timer: asyncio.TimerHandle | None = None
    offered: bool = False


class Orders:
    """The Actions that wait for a page's confirmation, oldest first."""

    def __init__(self, *, now: Callable[[], float], expired: Expired, limit: int = LIMIT) -> None:
        self._now = now
        self._expired = expired
        self._limit = limit
        self._orders: dict[str, _Order] = {}

    def __len__(self) -> int:
        return len(self._orders)

    def add(self, envelope: Envelope, pages: list[Page]) -> None:
        """Take in an Action and offer it to the pages that perform it."""
        message = envelope.message
        assert isinstance(message, Action)
        if envelope.id in self._orders:
            return
        if len(self._orders) >= self._limit:
            self._give_up(next(iter(self._orders)), ExpiryReason.OUTBOX_FULL)
        order = _Order(envelope, None)
        self._orders[envelope.id] = order
        if message.valid_for_s is not None:
            order.expires_at_s = envelope.time + message.valid_for_s
            wait_s = max(0.0, order.expires_at_s - self._now())
            order.timer = asyncio.get_running_loop().call_later(
                wait_s, self._give_up, envelope.id, None
            )
        for page in pages:
            self._offer(order, page)

    def offer_all(self, page: Page) -> None:
        """A page has come, or wants more types: offer it whatever nobody has confirmed."""
        for order in list(self._orders.values()):
            self._offer(order, page)

    def confirm(self, message_id: str, page: Page) -> bool:
        """Whether a page confirmed an Action that it was offered; it is done then."""
        order = self._orders.get(message_id)
        if order is None or not page.performs(order.envelope):
            return False
        self._forget(message_id)
        return True

    def close(self) -> None:
        """The pages are gone: report whatever none of them has confirmed."""
        for message_id in list(self._orders):
            self._give_up(message_id, None)

    def _offer(self, order: _Order, page: Page) -> None:
        late = order.expires_at_s is not None and self._now() > order.expires_at_s
        if not late and page.performs(order.envelope):
            order.offered = True
            page.offer(order.envelope, expires_at_s=order.expires_at_s)

    def _give_up(self, message_id: str, reason: ExpiryReason | None) -> None:
        order = self._forget(message_id)
        if reason is None:
            reason = ExpiryReason.NO_ANSWER if order.offered else ExpiryReason.NO_RECEIVER
        self._expired(order.envelope, reason)

    def _forget(self, message_id: str) -> _Order:
        order = self._orders.pop(message_id)
        if order.timer is not None:
            order.timer.cancel()
        return order
