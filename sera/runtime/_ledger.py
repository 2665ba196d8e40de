"""The receiver's half of delivery end to end: each Action once, in the order it was given.

A source numbers its Actions, so one high-water mark a source finds repeats. An Action that names
an earlier one we have not seen (`Envelope.after`) is held until its sender has repeated that one.
An urgent Action overtakes the others, and one without `after` went past its sender's outbox (a
page's, say) and is never repeated: neither moves the mark, and their numbers are kept one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from sera.bus import Counters
from sera.messages import Action, Envelope, MessageId
from sera.runtime._outbox import ALREADY_DONE, ANYBODY_ELSE

HELD_LIMIT = 1024
APART_LIMIT = 1024


class Verdict(Enum):
    """What became of an Action that arrived."""

    ACCEPTED = auto()
    REPEAT_OF_WAITING = auto()
    """Known, and still waiting to be handled: its receipt will come."""
    REPEAT_OF_BEGUN = auto()
    """Known and begun: the sender did not get the receipt."""
    HELD = auto()
    STALE = auto()
    """From an earlier life of its sender."""


@dataclass(slots=True)
class _Sender:
    boot: int
    high_water: int = 0
    apart: dict[int, None] = field(default_factory=dict)
    """The latest of those that do not move the mark."""
    waiting: dict[int, None] = field(default_factory=dict)
    held: dict[int, Envelope] = field(default_factory=dict)


class Ledger:
    """What one module has been asked to do, by source."""

    def __init__(
        self, own_source: str, counters: Counters, *, give_up: Callable[[Envelope], None]
    ) -> None:
        """Make an empty ledger.

        Args:
            own_source: who keeps it.
            counters: where repeats and held Actions are counted.
            give_up: told of every Action that was held in vain.
        """
        self._own_source = own_source
        self._counters = counters
        self._give_up = give_up
        self._senders: dict[str, _Sender] = {}

    def offer(self, envelope: Envelope) -> tuple[Verdict, list[Envelope]]:
        """Judge an Action that arrived; returns the Actions that can be queued now, in order."""
        source, boot, sequence = MessageId.parse(envelope.id)
        sender = self._senders.get(source)
        if sender is None or boot > sender.boot:
            sender = self._new_life(source, boot)
        if boot < sender.boot:
            return Verdict.STALE, []
        message = envelope.message
        stands_apart = envelope.after is None or (isinstance(message, Action) and message.urgent)
        required = self._required(envelope)
        known = sequence in sender.apart if stands_apart else sequence <= sender.high_water
        if known or required == ALREADY_DONE:
            self._counters.duplicates += 1
            if sequence in sender.waiting:
                return Verdict.REPEAT_OF_WAITING, []
            return Verdict.REPEAT_OF_BEGUN, []
        if stands_apart:
            self._set_apart(sender, sequence)
            return Verdict.ACCEPTED, [envelope]
        if required > sender.high_water:
            self._hold(sender, sequence, envelope)
            return Verdict.HELD, []
        sender.held.pop(sequence, None)
        self._accept(sender, sequence)
        return Verdict.ACCEPTED, [envelope, *self._released(sender)]

    def begun(self, envelope: Envelope) -> None:
        """The Action is being handled, or was refused as too old: from now on it is done."""
        source, boot, sequence = MessageId.parse(envelope.id)
        sender = self._senders.get(source)
        if sender is not None and sender.boot == boot:
            sender.waiting.pop(sequence, None)

    def sender_present(self, source: str, boot: int) -> None:
        """The sender lives this life: what an earlier one did not repeat will not come."""
        sender = self._senders.get(source)
        if sender is not None and sender.boot != boot:
            self._new_life(source, boot)

    def sender_gone(self, source: str) -> None:
        """The sender will not repeat what is missing."""
        sender = self._senders.get(source)
        if sender is not None:
            for sequence in sorted(sender.held):
                self._give_up(sender.held.pop(sequence))

    def _new_life(self, source: str, boot: int) -> _Sender:
        self.sender_gone(source)
        sender = self._senders[source] = _Sender(boot)
        return sender

    def _set_apart(self, sender: _Sender, sequence: int) -> None:
        if len(sender.apart) >= APART_LIMIT:
            del sender.apart[next(iter(sender.apart))]
        sender.apart[sequence] = None
        sender.waiting[sequence] = None

    def _hold(self, sender: _Sender, sequence: int, envelope: Envelope) -> None:
        if len(sender.held) < HELD_LIMIT or sequence in sender.held:
            self._counters.held += sequence not in sender.held
            sender.held[sequence] = envelope

    def _released(self, sender: _Sender) -> list[Envelope]:
        """What was held and need not be any longer."""
        ready = []
        for later in sorted(sender.held):
            candidate = sender.held[later]
            if later <= sender.high_water:  # the sender went on without it
                self._give_up(sender.held.pop(later))
            elif self._required(candidate) <= sender.high_water:
                del sender.held[later]
                self._accept(sender, later)
                ready.append(candidate)
            else:
                break
        return ready

    def _accept(self, sender: _Sender, sequence: int) -> None:
        sender.high_water = sequence
        sender.waiting[sequence] = None

    def _required(self, envelope: Envelope) -> int:
        after = envelope.after or {}
        return after.get(self._own_source, after.get(ANYBODY_ELSE, 0))
