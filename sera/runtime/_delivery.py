"""Delivery end to end for one module: its outbox, its ledger, and the receipts between them.

Design overview
    Sending: `order` puts an Action into the outbox, which is told of receipts, of everybody's
    presence, of reconnects and of the time; `answered` waits for a receipt. Receiving: `hear` gives
    what may be queued, in order; `begin` answers its sender, and refuses what is too old; where the
    answer means that something is kept, `answer` gives it later.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    What expires is reported as ActionExpired, by whoever decided it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from sera.bus import Bus
from sera.messages import (
    Action,
    ActionExpired,
    Envelope,
    ExpiryReason,
    ModulePresence,
    PresenceStatus,
    Receipt,
)
from sera.runtime._directory import Directory
from sera.runtime._ledger import Ledger, Verdict
from sera.runtime._outbox import PATIENCE_S, RESEND_AFTER_S, Outbox, OutboxFull

ROOM_TIMEOUT_S = 5.0
DRAIN_S = 0.4
LOADING_S = 5.0
"""What came longer before a module had started was meant for another moment."""
SHORTEST_TICK_S = 0.05
OFFLINE_TICK_S = 0.2


class _Awaited(NamedTuple):
    """An Action whose receipt somebody waits for."""

    sources: frozenset[str]
    """Any of these will do."""
    came: asyncio.Event


class Delivery:
    """Brings the Actions of one module to others, and theirs to it."""

    def __init__(self, bus: Bus, *, now: Callable[[], float]) -> None:
        self._bus = bus
        self._now = now
        self._source = bus.identity.source
        self.directory = Directory()
        self.outbox = Outbox(
            self.directory,
            now=now,
            send=bus.send,
            connected=lambda: bus.connected,
            expire=self.expired,
            counters=bus.counters,
        )
        self._ledger = Ledger(
            self._source,
            bus.counters,
            give_up=lambda held: self.expired(held, ExpiryReason.NO_ANSWER, self._source),
        )
        self._receipts: dict[str, list[str]] = {}
        self._unanswered: set[str] = set()
        """Begun, and to be answered when it is done."""
        self._awaited: dict[str, _Awaited] = {}
        self._room = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._returns: dict[str, asyncio.TimerHandle] = {}
        self._opened_s = self._started_s = 0.0

    async def open(self) -> None:
        """Follow presence and receipts; the bus is connected already."""
        self._opened_s = self._now()
        self._bus.on_connected.append(self.outbox.reconnected)
        await self._bus.subscribe([ModulePresence], self._hear_presence, everyone=True)
        await self._bus.subscribe([Receipt], self._hear_receipt)

    def has_started(self) -> None:
        """The module takes orders from now on."""
        self._started_s = self._now()

    async def close(self) -> None:
        """Wait a moment for answers, then report what was never answered."""
        deadline_s = self._now() + DRAIN_S
        while len(self.outbox) and self._bus.connected and self._now() < deadline_s:
            await asyncio.sleep(0.01)
        self.outbox.abandon()
        for timer in (self._timer, *self._returns.values()):
            if timer is not None:
                timer.cancel()

    # -- sending ----------------------------------------------------------------------------

    async def wait_for_room(self, action: Action) -> None:
        """Wait until the outbox takes one more.

        Raises:
            OutboxFull: it did not for five seconds.
        """
        if action.urgent or self.outbox.has_room():
            return
        try:
            async with asyncio.timeout(ROOM_TIMEOUT_S):
                while not self.outbox.has_room():
                    self._room.clear()
                    await self._room.wait()
        except TimeoutError:
            raise OutboxFull(
                f"{len(self.outbox)} Actions wait for receipts; {type(action).__name__} was not "
                "sent: is a module that handles them missing or stuck?"
            ) from None

    def order(self, envelope: Envelope) -> None:
        """Send an Action and see to its delivery.

        Raises:
            OutboxFull, PayloadTooLarge: nothing was sent.
        """
        self.outbox.add(envelope)
        self._tick_within(RESEND_AFTER_S[0])

    def expired(self, envelope: Envelope, reason: ExpiryReason, receiver: str | None) -> None:
        """Report that an Action will not be performed."""
        self._bus.counters.expired += 1
        self._bus.publish(
            ActionExpired(
                action=envelope.id,
                action_type=envelope.type,
                sender=envelope.source,
                receiver=receiver,
                reason=reason,
                age_s=max(0.0, self._now() - envelope.time),
            ),
            character=envelope.character,
            cause=envelope.id,
        )

    async def answered(self, action: str, role: str) -> None:
        """Wait until one of that role has answered an Action that was just ordered.

        Whoever of them is lost may come back, is then sent it again, and is waited for. Returns at
        once where nobody of the run has that role.
        """
        sources = frozenset(
            source
            for source, presence in self.directory.all().items()
            if presence.role == role and presence.status is not PresenceStatus.STOPPED
        )
        if not sources:
            return
        awaited = self._awaited[action] = _Awaited(sources, asyncio.Event())
        try:
            await awaited.came.wait()
        finally:
            del self._awaited[action]

    def _tick_within(self, wait_s: float) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + wait_s:
                return
            self._timer.cancel()
        self._timer = loop.call_later(wait_s, self._tick)

    def _tick(self) -> None:
        self._timer = None
        wait_s: float | None = OFFLINE_TICK_S if len(self.outbox) else None
        if self._bus.connected:
            due_s = self.outbox.tick()
            wait_s = None if due_s is None else max(SHORTEST_TICK_S, due_s - self._now())
        self._room.set()
        if wait_s is not None:
            self._tick_within(wait_s)

    def _hear_receipt(self, envelope: Envelope) -> None:
        receipt = envelope.message
        assert isinstance(receipt, Receipt)
        self.outbox.receipt(envelope.source, receipt.ids)
        for action in receipt.ids if self._awaited else ():
            awaited = self._awaited.get(action)
            if awaited is not None and envelope.source in awaited.sources:
                awaited.came.set()
        self._room.set()

    # -- receiving --------------------------------------------------------------------------

    def hear(self, envelope: Envelope) -> list[Envelope]:
        """Take an Action that arrived; returns those that may be handled now, in order."""
        verdict, ready = self._ledger.offer(envelope)
        if verdict is Verdict.REPEAT_OF_BEGUN and envelope.id not in self._unanswered:
            self._answer(envelope)
        return ready

    def begin(self, envelope: Envelope, *, answer: bool = True) -> bool:
        """Answer the sender; False where the Action is too old to be performed.

        Args:
            envelope: the Action.
            answer: False: `answer` will be called when it is done.
        """
        action = envelope.message
        assert isinstance(action, Action)
        self._ledger.begun(envelope)
        age_s = self._now() - self._counts_from_s(envelope)
        too_old = action.valid_for_s is not None and age_s > action.valid_for_s
        if answer or too_old:
            self._answer(envelope)
        else:
            self._unanswered.add(envelope.id)
        if too_old:
            self.expired(envelope, ExpiryReason.TOO_OLD, self._source)
        return not too_old

    def _counts_from_s(self, envelope: Envelope) -> float:
        """When an Action begins to age: what came while the module was loading, when it had."""
        came_s, started_s = envelope.time, self._started_s
        was_loading = self._opened_s <= came_s < started_s <= came_s + LOADING_S
        return started_s if was_loading else came_s

    def answer(self, envelope: Envelope) -> None:
        """Answer an Action that was begun without an answer."""
        self._unanswered.discard(envelope.id)
        self._answer(envelope)

    def _answer(self, envelope: Envelope) -> None:
        """Send receipts of one turn of the loop together, under the sender's name."""
        if not self._receipts:
            asyncio.get_running_loop().call_soon(self._send_receipts)
        character = envelope.source.partition(".")[0]
        self._receipts.setdefault(character, []).append(envelope.id)
        self._bus.counters.receipts += 1

    def _send_receipts(self) -> None:
        receipts, self._receipts = self._receipts, {}
        for character, ids in receipts.items():
            self._bus.publish(Receipt(ids=ids), character=character)

    # -- presence ---------------------------------------------------------------------------

    def _hear_presence(self, envelope: Envelope) -> None:
        if not self.directory.update(envelope):
            return
        source, presence = envelope.source, envelope.message
        assert isinstance(presence, ModulePresence)
        self.outbox.presence_changed(source)
        if len(self.outbox):
            self._tick_within(RESEND_AFTER_S[0])
        awaited = self._returns.pop(source, None)
        if awaited is not None:
            awaited.cancel()
        if self.directory.is_there(source):
            self._ledger.sender_present(source, presence.boot)
        elif self.directory.is_lost(source):
            # It may only have lost its connection, and will then repeat what is missing.
            self._returns[source] = asyncio.get_running_loop().call_later(
                PATIENCE_S, self._ledger.sender_gone, source
            )
        else:
            self._ledger.sender_gone(source)
