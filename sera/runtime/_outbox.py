"""The sender's half of delivery end to end.

Design overview
    An Action stays here until every receiver that was present has begun it, or refused it as too
    old, and is sent again in order when somebody (re)appears or does not answer. Because a
    broker may lose any of them and a receiver may return later than we do, each Action says which
    of the pending ones must come first (`Envelope.after`: by receiver; `*` for receivers that we
    do not know yet; ALREADY_DONE for those who need not do it again); see `Ledger` for the other
    half. A receiver that is lost is waited for, since it may come back with the Action begun or
    never heard (a stop must not pass by a body whose connection was cut for a second); one that
    said farewell is not.

Units and frames
    Seconds on the clock of the run.

Threading
    Pure bookkeeping, called from the event loop; the owner calls `tick` at the time it returns.

Safety
    Bounded. An Action that finds no receiver before it expires is reported, never performed late.
    Where it is full, what expired and reached nobody makes room for what is new; what a receiver
    may have begun is kept, because only that receiver can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sera.bus import Counters
from sera.messages import Action, Envelope, ExpiryReason, MessageId
from sera.runtime._directory import Directory

ANYBODY_ELSE = "*"
ALREADY_DONE = -1
LIMIT = 512
RESEND_AFTER_S = (0.4, 0.8, 1.6, 2.0)
PATIENCE_S = 30.0
"""How long after its expiry, or after a receiver was lost, an answer is still waited for."""
SETTLE_S = 0.4


@dataclass(slots=True)
class _Pending:
    envelope: Envelope
    sequence: int
    is_urgent: bool
    """Overtakes the others: it waits for none of them, and none of them for it."""
    expires_at_s: float | None
    awaiting: dict[str, None]
    """Who is present and has not answered."""
    lost: dict[str, float] = field(default_factory=dict)
    """Who vanished before answering, and until when we wait for a return."""
    answered: dict[str, None] = field(default_factory=dict)
    settles_at_s: float = 0.0
    """Until then a receiver that we do not know yet may still make itself known."""
    sent_to: dict[str, None] = field(default_factory=dict)
    """Who was present when it left: they may have begun it, even if they were lost since."""
    attempts: int = 0
    resend_at_s: float = 0.0

    def is_done(self, now_s: float) -> bool:
        waits = self.awaiting or self.lost or now_s < self.settles_at_s
        return bool(self.answered) and not waits

    def may_have_begun(self) -> bool:
        """Whether somebody who has not answered may be at it: only they can tell."""
        return any(name in self.sent_to for name in [*self.awaiting, *self.lost])

    def has_expired(self, now_s: float) -> bool:
        return self.expires_at_s is not None and now_s > self.expires_at_s


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
        connected: Callable[[], bool],
        expire: Callable[[Envelope, ExpiryReason, str | None], None],
        counters: Counters,
        limit: int = LIMIT,
    ) -> None:
        self._directory = directory
        self._now = now
        self._send = send
        self._connected = connected
        self._expire = expire
        self._counters = counters
        self._pending: dict[str, _Pending] = {}
        self._patience_ends_s: dict[str, float] = {}  # by receiver that is lost
        self.limit = limit

    def __len__(self) -> int:
        return len(self._pending)

    def has_room(self) -> bool:
        """Whether one more can be added; where it is full, what is surely in vain gives way."""
        if len(self._pending) >= self.limit:
            now = self._now()
            for pending in list(self._pending.values()):
                if pending.has_expired(now) and not pending.may_have_begun():
                    self._give_up(pending)
        return len(self._pending) < self.limit

    def add(self, envelope: Envelope) -> None:
        """Send an Action and keep it until it is answered.

        Raises:
            OutboxFull: nothing was sent.
            PayloadTooLarge: nothing was sent.
        """
        message = envelope.message
        assert isinstance(message, Action)
        if not message.urgent and not self.has_room():
            raise OutboxFull(
                f"{len(self._pending)} Actions wait for receipts; {envelope.type} was not sent: "
                "is a module that handles them missing or stuck?"
            )
        valid_for_s = message.valid_for_s
        pending = _Pending(
            envelope,
            MessageId.parse(envelope.id).sequence,
            message.urgent,
            None if valid_for_s is None else envelope.time + valid_for_s,
            dict.fromkeys(self._directory.receivers_of(envelope.type, envelope.character)),
            self._lost_receivers(envelope),
        )
        if not pending.awaiting:
            pending.settles_at_s = self._now() + SETTLE_S
        after = {} if message.urgent else self._before_the_next(pending.awaiting)
        self._transmit_one(pending, after)
        self._pending[envelope.id] = pending

    def receipt(self, receiver: str, ids: list[str]) -> None:
        """A receiver has begun or refused these Actions."""
        for identity in ids:
            pending = self._pending.get(identity)
            if pending is not None:
                pending.answered[receiver] = None
                pending.awaiting.pop(receiver, None)
                pending.lost.pop(receiver, None)
                self._forget_if_done(pending)

    def presence_changed(self, receiver: str) -> None:
        """Somebody appeared, came back, or went: send again what it should have, in order."""
        now = self._now()
        self._patience_ends_s.pop(receiver, None)
        if self._directory.is_there(receiver):
            for pending in self._pending.values():
                if self._should_have(pending, receiver, now):
                    pending.lost.pop(receiver, None)
                    pending.awaiting[receiver] = None
                    pending.attempts = 0
            self._transmit(p for p in self._pending.values() if receiver in p.awaiting)
            return
        lost = self._directory.is_lost(receiver)
        if lost:
            self._patience_ends_s[receiver] = now + PATIENCE_S
        for pending in list(self._pending.values()):
            if not lost:
                pending.lost.pop(receiver, None)
            elif receiver in pending.awaiting:
                pending.lost[receiver] = now + PATIENCE_S
            pending.awaiting.pop(receiver, None)
            self._forget_if_done(pending)

    def reconnected(self) -> None:
        """The connection stands again: everything unanswered goes out before anything new."""
        for pending in self._pending.values():
            pending.attempts = 0  # others may be back a moment later: do not let them wait long
        self._transmit(self._pending.values())

    def tick(self) -> float | None:
        """Send again what nobody answered, report what expired; returns when to call again."""
        now = self._now()
        for pending in list(self._pending.values()):
            self._lose_patience(pending, now)
            if self._forget_if_done(pending) or not pending.has_expired(now):
                continue
            assert pending.expires_at_s is not None
            # A receiver that has the Action decides, because it may have begun it in time.
            waits = pending.lost or (pending.awaiting and now <= pending.expires_at_s + PATIENCE_S)
            if not waits:
                self._give_up(pending)
        due = [p.sequence for p in self._pending.values() if p.awaiting and p.resend_at_s <= now]
        if due:
            self._transmit(p for p in self._pending.values() if p.sequence >= due[0])
        return min(
            (time for each in self._pending.values() if (time := _due(each)) is not None),
            default=None,
        )

    def abandon(self) -> None:
        """Give everything up, at the end of the module."""
        for pending in list(self._pending.values()):
            self._give_up(pending)

    def _should_have(self, pending: _Pending, receiver: str, now: float) -> bool:
        """Whether a receiver that appears must be sent this; what expired is not for newcomers."""
        envelope = pending.envelope
        return (
            receiver not in pending.answered
            and (receiver in pending.lost or not pending.has_expired(now))
            and receiver in self._directory.receivers_of(envelope.type, envelope.character)
        )

    def _lost_receivers(self, envelope: Envelope) -> dict[str, float]:
        """Who would receive it but for a lost connection, and until when to wait for each."""
        now = self._now()
        return {
            receiver: until_s
            for receiver, until_s in self._patience_ends_s.items()
            if now < until_s
            and self._directory.would_receive(receiver, envelope.type, envelope.character)
        }

    def _lose_patience(self, pending: _Pending, now: float) -> None:
        for receiver, until_s in list(pending.lost.items()):
            if now >= until_s:
                del pending.lost[receiver]
                if pending.answered or pending.has_expired(now):
                    pending.answered[receiver] = None  # reported here, so it is dealt with
                    self._expire(pending.envelope, ExpiryReason.NO_ANSWER, receiver)

    def _give_up(self, pending: _Pending) -> None:
        del self._pending[pending.envelope.id]
        for receiver in [*pending.awaiting, *pending.lost]:
            self._expire(pending.envelope, ExpiryReason.NO_ANSWER, receiver)
        if not (pending.awaiting or pending.lost or pending.answered):
            self._expire(pending.envelope, ExpiryReason.NO_RECEIVER, None)

    def _forget_if_done(self, pending: _Pending) -> bool:
        done = pending.is_done(self._now())
        if done:
            del self._pending[pending.envelope.id]
        return done

    def _before_the_next(self, receivers: dict[str, None]) -> dict[str, int]:
        """Which pending Actions must come before one that is added now."""
        after: dict[str, int] = {}
        for earlier in reversed(self._pending.values()):
            if earlier.is_urgent:
                continue
            after.setdefault(ANYBODY_ELSE, earlier.sequence)
            for name in earlier.awaiting:
                if name in receivers:
                    after.setdefault(name, earlier.sequence)
            if len(after) > len(receivers):
                return after
        return after and dict.fromkeys(receivers, 0) | after

    def _transmit(self, chosen: Iterable[_Pending]) -> None:
        """Send in order, each with the pending Actions that must come before it."""
        wanted = {pending.sequence for pending in chosen}
        last_for: dict[str, int] = {}
        last = 0
        for pending in list(self._pending.values()) if wanted else ():
            if pending.sequence in wanted:
                after = dict.fromkeys(pending.answered, ALREADY_DONE)
                if last and not pending.is_urgent:
                    after |= {name: last_for.get(name, 0) for name in pending.awaiting}
                    after[ANYBODY_ELSE] = last
                self._transmit_one(pending, after)
                self._counters.resent += 1
            if not pending.is_urgent:
                last = pending.sequence
                last_for.update(dict.fromkeys(pending.awaiting, last))

    def _transmit_one(self, pending: _Pending, after: dict[str, int]) -> None:
        self._send(pending.envelope._replace(after=after))
        if self._connected():
            pending.sent_to.update(pending.awaiting)
        wait_s = RESEND_AFTER_S[min(pending.attempts, len(RESEND_AFTER_S) - 1)]
        pending.attempts += 1
        pending.resend_at_s = self._now() + wait_s


def _due(pending: _Pending) -> float | None:
    """When something must be done about an Action."""
    times = list(pending.lost.values())
    if pending.awaiting:
        times.append(pending.resend_at_s)
    elif not pending.lost:
        end_s = pending.settles_at_s if pending.answered else pending.expires_at_s
        times += [] if end_s is None else [end_s]
    return min(times, default=None)
