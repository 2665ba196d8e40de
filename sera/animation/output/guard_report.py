"""What a guard says about its body, and how long it waits before it tries a lost one again.

Threading: immutable values and pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sera.runtime.located import nearest_name

_BACK_OFF_S = (0.1, 0.3, 1.0, 3.0, 5.0)


class GuardState(StrEnum):
    """What a guarded body is doing."""

    CLOSED = "closed"
    FOLLOWING = "following"
    SAFE = "safe"
    """Frames have stopped coming; the next one is followed again."""
    RESTING = "resting"
    STOPPED = "stopped"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class GuardReport:
    """Something that people should know of."""

    state: GuardState
    sentence: str
    time_s: float
    changed: bool
    """True where the state has changed; False for a problem within it."""


def back_off_s(attempts: int) -> float:
    """The wait after that many attempts in vain; the last one repeats."""
    return _BACK_OFF_S[min(attempts, len(_BACK_OFF_S) - 1)]


def bad_value_sentence(name: str, known: Iterable[str]) -> str:
    """What is wrong with a value that a guard has left out."""
    if name in known:
        return f"the value for '{name}' is not a finite number; the channel holds"
    near = nearest_name(name, known)
    hint = f"; did you mean '{near}'?" if near else ""
    return f"the body has no channel '{name}'{hint}"
