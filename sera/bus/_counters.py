"""Counters of one module's traffic: what came, what went, and what did not arrive."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """All are totals since the module started; none is ever reset."""

    published: int = 0
    received: int = 0
    handled: int = 0
    faults: int = 0
    malformed: int = 0
    """Payloads that were no message."""
    dropped: int = 0
    """Stream values that gave way to newer ones, here or while disconnected."""
    lost: int = 0
    """Events that did not fit into the backlog of a long disconnection."""
    duplicates: int = 0
    held: int = 0
    """Actions that arrived before an earlier one and had to wait for it."""
    resent: int = 0
    expired: int = 0
    receipts: int = 0
    withheld: int = 0
    """Actions that the autonomy dial did not let pass."""
    suggested: int = 0
    connections: int = 0

    def as_dict(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__slots__}
