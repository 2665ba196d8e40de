"""The sender's half of delivery end to end.

Design overview
    An Action stays here until every receiver that was present has begun it, or refused it as too
    old, and is sent again in order when somebody (re)appears or does not answer. Because a
    broker may lose any of them and a receiver may return later than we do, each Action that is
    sent while earlier ones are pending says which of these must come first (`Envelope.after`:
    by receiver; `*` for receivers that we do not know yet); see `Ledger` for the other half.

Units and frames
    Seconds on the clock of the run.

Threading
    Pure bookkeeping, called from the event loop; the owner calls `tick` at the time it returns.

Safety
    Bounded. An Action that finds no receiver before it expires is reported, never performed late.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sera.bus import Counters
from sera.messages import Action, Envelope, ExpiryReason, MessageId
from sera.runtime._directory import Directory

ANYBODY_ELSE = "*"
LIMIT = 512
RESEND_AFTER_S = (0.4, 0.8, 1.6, 2.0)
GIVE_UP_AFTER_EXPIRY_S = 30.0
SETTLE_S = 0.4


@dataclass(slots=True)
class _Pending:
    envelope: Envelope
    sequence: int
    expires_at_s: float | None
    awaiting: dict[str, None] = field(default_factory=dict)
    answered: bool = False
    settles_at_s: float = 0.0
    """Until then a receiver that we do not know yet may still make itself known."""
    attempts: int = 0
    resend_at_s: float = 0.0


class OutboxFull(RuntimeError):
    """More Actions are waiting for receipts than a module may have under way."""


class Outbox:
    """Actions of one module that are not yet known to have been begun."""

    def __init__(
        self,
        directory: Directory,
        *,
        now: Callable[[], float],
        send: Callable[[Envelope], None],
        expire: Callable[[Envelope, ExpiryReason, str | None], None],
        counters: Counters,
        limit: int = LIMIT,
    ) -> None:
        self._directory = directory
        self._now = now
        self._send = send
        self._expire = expire
        self._counters = counters
        self._pending: dict[int, _Pending] = {}
        self.limit = limit

    def __len__(self) -> int:
        return len(self._pending)

    @property
    def is_full(self) -> bool:
        return len(self._pending) >= self.limit

    def add(self, envelope: Envelope) -> None:
        """Send an Action and keep it until it is answered.

        Raises:
            OutboxFull: nothing was sent.
        """
        message = envelope.message
        assert isinstance(message, Action)
        if self.is_full:
            raise OutboxFull(
                f"{len(self._pending)} Actions wait for receipts; {envelope.type} was not sent: "
                "is a module that handles them missing or stuck?"
            )
        valid_for_s = message.valid_for_s
        pending = _Pending(
            envelope,
            MessageId.parse(envelope.id).sequence,
            None if valid_for_s is None else envelope.time + valid_for_s,
            dict.fromkeys(self._directory.receivers_of(envelope.type, envelope.character)),
        )
        if not pending.awaiting:
            pending.settles_at_s = self._now() + SETTLE_S
        after = self._before_the_next(pending.awaiting)
        self._pending[pending.sequence] = pending
        self._transmit_one(pending, after)

    def receipt(self, receiver: str, ids: list[str], own_source: str) -> None:
        """A receiver has begun or refused these Actions."""
        for text in ids:
            source, _, sequence = MessageId.parse(text)
            pending = self._pending.get(sequence) if source == own_source else None
            if pending is None:
                continue
            pending.answered = True
            pending.awaiting.pop(receiver, None)
            self._forget_if_done(pending)

    def presence_changed(self, receiver: str) -> None:
        """Somebody appeared, came back, or went: send again what it should have, in order."""
        there = self._directory.is_there(receiver)
        for pending in list(self._pending.values()):
            envelope = pending.envelope
            if not there:
                pending.awaiting.pop(receiver, None)
                self._forget_if_done(pending)
            elif receiver in self._directory.receivers_of(envelope.type, envelope.character):
                pending.awaiting[receiver] = None
        if there:
            self._transmit([p for p in self._pending.values() if receiver in p.awaiting])

    def reconnected(self) -> None:
        """The connection stands again: everything unanswered goes out before anything new."""
        self._transmit(list(self._pending.values()))

    def tick(self) -> float | None:
        """Send again what nobody answered, report what expired; returns when to call again."""
        now = self._now()
        for sequence, pending in list(self._pending.items()):
            if self._forget_if_done(pending):
                continue
            if pending.expires_at_s is None or now <= pending.expires_at_s:
                continue
            overdue = now > pending.expires_at_s + GIVE_UP_AFTER_EXPIRY_S
            # A receiver that has the Action decides, because it may have begun it in time.
            if pending.awaiting and not overdue:
                continue
            del self._pending[sequence]
            if pending.awaiting:
                for receiver in pending.awaiting:
                    self._expire(pending.envelope, ExpiryReason.NO_ANSWER, receiver)
            elif not pending.answered:
                self._expire(pending.envelope, ExpiryReason.NO_RECEIVER, None)
        due = [p for p in self._pending.values() if p.awaiting and p.resend_at_s <= now]
        if due:
            first = due[0].sequence
            self._transmit([p for p in self._pending.values() if p.sequence >= first])
        return self._next_time()

    def abandon(self) -> list[Envelope]:
        """Forget everything, at the end of the module; returns what was never answered."""
        left = [pending.envelope for pending in self._pending.values()]
        self._pending.clear()
        return left

    def _forget_if_done(self, pending: _Pending) -> bool:
        done = pending.answered and not pending.awaiting and self._now() >= pending.settles_at_s
        if done:
            del self._pending[pending.sequence]
        return done

    def _next_time(self) -> float | None:
        times = [
            pending.resend_at_s
            if pending.awaiting
            else (pending.settles_at_s if pending.answered else pending.expires_at_s)
            for pending in self._pending.values()
        ]
        return min((time for time in times if time is not None), default=None)

    def _before_the_next(self, receivers: dict[str, None]) -> dict[str, int] | None:
        """Which pending Actions must come before one that is added now."""
        if not self._pending:
            return None
        after = dict.fromkeys(receivers, 0)
        missing = len(receivers)
        for earlier in reversed(self._pending.values()):
            if not missing:
                break
            for name in earlier.awaiting:
                if after.get(name) == 0:
                    after[name] = earlier.sequence
                    missing -= 1
        after[ANYBODY_ELSE] = next(reversed(self._pending))
        return after

    def _transmit(self, chosen: list[_Pending]) -> None:
        """Send in order, each with the pending Actions that must come before it."""
        if not chosen:
            return
        wanted = {pending.sequence for pending in chosen}
        last_for: dict[str, int] = {}
        last = 0
        for pending in list(self._pending.values()):
            if pending.sequence in wanted:
                after = None
                if last:
                    after = {name: last_for.get(name, 0) for name in pending.awaiting}
                    after[ANYBODY_ELSE] = last
                self._transmit_one(pending, after)
            last = pending.sequence
            last_for.update(dict.fromkeys(pending.awaiting, last))

    def _transmit_one(self, pending: _Pending, after: dict[str, int] | None) -> None:
        if pending.attempts:
            self._counters.resent += 1
        wait_s = RESEND_AFTER_S[min(pending.attempts, len(RESEND_AFTER_S) - 1)]
        pending.attempts += 1
        pending.resend_at_s = self._now() + wait_s
        self._send(pending.envelope._replace(after=after))
