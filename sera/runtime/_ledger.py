"""The receiver's half of delivery end to end: each Action once, in the order it was given.

A source numbers its Actions, so one high-water mark a source finds repeats. An Action that names
an earlier one we have not seen (`Envelope.after`) is held until its sender has repeated that one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from sera.bus import Counters
from sera.messages import Envelope, MessageId
from sera.runtime._outbox import ANYBODY_ELSE

HELD_LIMIT = 1024


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
    waiting: dict[int, None] = field(default_factory=dict)
    held: dict[int, Envelope] = field(default_factory=dict)


class Ledger:
    """What one module has been asked to do, by source."""

    def __init__(self, own_source: str, counters: Counters) -> None:
        self._own_source = own_source
        self._counters = counters
        self._senders: dict[str, _Sender] = {}

    def offer(self, envelope: Envelope) -> tuple[Verdict, list[Envelope]]:
        """Judge an Action that arrived; returns the Actions that can be queued now, in order."""
        source, boot, sequence = MessageId.parse(envelope.id)
        sender = self._senders.get(source)
        if sender is None or boot > sender.boot:
            sender = self._senders[source] = _Sender(boot)
        if boot < sender.boot:
            return Verdict.STALE, []
        if sequence <= sender.high_water:
            self._counters.duplicates += 1
            if sequence in sender.waiting:
                return Verdict.REPEAT_OF_WAITING, []
            return Verdict.REPEAT_OF_BEGUN, []
        if self._required(envelope) > sender.high_water:
            self._hold(sender, sequence, envelope)
            return Verdict.HELD, []
        sender.held.pop(sequence, None)
        self._accept(sender, sequence)
        return Verdict.ACCEPTED, [envelope, *self._released(sender)]

    def _hold(self, sender: _Sender, sequence: int, envelope: Envelope) -> None:
        if len(sender.held) < HELD_LIMIT:
            self._counters.held += sequence not in sender.held
            sender.held[sequence] = envelope

    def _released(self, sender: _Sender) -> list[Envelope]:
        """What was held and need not be any longer."""
        ready = []
        for later in sorted(sender.held):
            candidate = sender.held[later]
            if later <= sender.high_water:
                del sender.held[later]
            elif self._required(candidate) <= sender.high_water:
                del sender.held[later]
                self._accept(sender, later)
                ready.append(candidate)
            else:
                break
        return ready

    def begun(self, envelope: Envelope) -> None:
        """The Action is being handled, or was refused as too old: from now on it is done."""
        source, boot, sequence = MessageId.parse(envelope.id)
        sender = self._senders.get(source)
        if sender is not None and sender.boot == boot:
            sender.waiting.pop(sequence, None)

    def sender_lost(self, source: str) -> list[Envelope]:
        """The sender will not repeat what is missing; returns what was held in vain."""
        sender = self._senders.get(source)
        if sender is None:
            return []
        held = [sender.held[sequence] for sequence in sorted(sender.held)]
        sender.held.clear()
        return held

    def _accept(self, sender: _Sender, sequence: int) -> None:
        sender.high_water = sequence
        sender.waiting[sequence] = None

    def _required(self, envelope: Envelope) -> int:
        after = envelope.after
        if after is None:
            return 0
        return after.get(self._own_source, after.get(ANYBODY_ELSE, 0))
