"""The board of a run: who is there, what flows, what went wrong. Pure bookkeeping for views.

`Board.see` takes every envelope of the run; the live table and the summary read from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from sera.messages import (
    ActionExpired,
    Envelope,
    Kind,
    MessageId,
    ModuleCounters,
    ModuleFault,
    ModulePresence,
    PresenceStatus,
    Receipt,
    Severity,
)

RATE_WINDOW_S = 2.0
FAULTS_KEPT = 200


@dataclass(slots=True)
class ModuleLine:
    """One module, as the live table shows it."""

    source: str
    status: str = "unknown"
    role: str = ""
    messages: int = 0
    faults: int = 0
    restarts: int = 0
    boot: int | None = None
    counts: dict[str, int] = field(default_factory=dict)
    recent: deque[float] = field(default_factory=deque)

    def rate_hz(self, now_s: float) -> float:
        """Messages a second over the last two seconds."""
        while self.recent and self.recent[0] < now_s - RATE_WINDOW_S:
            self.recent.popleft()
        return len(self.recent) / RATE_WINDOW_S


class Board:
    """What is known of a run at this moment."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.modules: dict[str, ModuleLine] = {}
        self.by_type: dict[str, int] = {}
        self.faults: list[ModuleFault] = []
        self._latest_action: dict[str, tuple[int, int]] = {}
        self.fault_count = 0
        self.expired = 0
        self.broker_restarts = 0

    @property
    def total(self) -> int:
        return sum(self.by_type.values())

    @property
    def errors(self) -> list[ModuleFault]:
        return [fault for fault in self.faults if fault.severity is Severity.ERROR]

    def line(self, source: str) -> ModuleLine:
        found = self.modules.get(source)
        if found is None:
            found = self.modules[source] = ModuleLine(source)
        return found

    def see(self, envelope: Envelope) -> None:
        """Take note of a message."""
        message = envelope.message
        if message.kind is Kind.ACTION and self._is_repeat(envelope.id):
            return
        name = type(message).__name__
        self.by_type[name] = self.by_type.get(name, 0) + 1
        line = self.line(envelope.source)
        if message.stream:
            self._note_message(line)
            return
        if isinstance(message, ModulePresence):
            self._note_presence(line, message)
            return
        if isinstance(message, ModuleCounters):
            line.counts = message.counts
            return
        if isinstance(message, Receipt):
            return
        self._note_message(line)
        if isinstance(message, ModuleFault):
            self.note_fault(message)
        elif isinstance(message, ActionExpired):
            self.expired += 1

    def _note_message(self, line: ModuleLine) -> None:
        line.messages += 1
        now_s = self._now()
        line.recent.append(now_s)
        line.rate_hz(now_s)  # lets go of what is older than its window

    def _note_presence(self, line: ModuleLine, presence: ModulePresence) -> None:
        is_farewell = presence.status in (PresenceStatus.LOST, PresenceStatus.STOPPED)
        if is_farewell and line.boot not in (None, presence.boot):
            return  # of an earlier life: a broker may notice an end late
        if line.boot is not None and presence.boot != line.boot:
            line.restarts += 1
        line.boot = presence.boot
        line.status = str(presence.status)
        line.role = presence.role

    def _is_repeat(self, identity: str) -> bool:
        """Whether its sender had to send this Action again."""
        source, boot, sequence = MessageId.parse(identity)
        if (boot, sequence) <= self._latest_action.get(source, (-1, -1)):
            return True
        self._latest_action[source] = (boot, sequence)
        return False

    def note_fault(self, fault: ModuleFault) -> None:
        self.fault_count += 1
        self.line(fault.module).faults += 1
        if len(self.faults) < FAULTS_KEPT:
            self.faults.append(fault)
