"""How much a page may ask of the gateway before it is refused or sent away."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The defaults are far above what a well-behaved page needs."""

    pages: int = 64
    """How many pages may be connected at once."""
    sends_per_s: float = 200.0
    """How many frames a page may send in the long run."""
    burst: int = 400
    """How many it may send at once."""
    offences: int = 20
    """How many of its frames may be refused within `offence_window_s`."""
    offence_window_s: float = 10.0
    fault_pause_s: float = 1.0
    """Shortest pause between two faults about pages; those between are counted."""
    outgoing: int = 1000
    """How many messages that belong to no stream may wait for a page."""
    outgoing_characters: int = 8 * 1024 * 1024
    stream: int = 32
    """How many values of a stream may wait for a page."""
    goodbye_s: float = 0.25
    """How long a page has to take its last frames."""


class Allowance:
    """A budget that fills up steadily: so many at once, so many in the long run."""

    def __init__(self, per_s: float, burst: int, now_s: float) -> None:
        self._per_s = per_s
        self._burst = float(burst)
        self._left = float(burst)
        self._as_of_s = now_s

    def take(self, now_s: float) -> bool:
        """Whether one more is allowed now."""
        gained = max(0.0, now_s - self._as_of_s) * self._per_s
        self._left = min(self._burst, self._left + gained)
        self._as_of_s = now_s
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
