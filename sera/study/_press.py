"""What moves a session on, and what is known of a step while it is on its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sera.study.plan import PlannedStep

Do = Literal[
    "begin", "next", "skip", "repeat", "extra", "pause", "resume", "abort", "answered", "look"
]
"""What an operator presses; `answered`: a form came back; `look`: has a step become late?"""
Outcome = Literal["completed", "aborted"]
Status = Literal["to_come", "under_way", "done", "skipped", "aborted"]


class NotNow(Exception):
    """What was pressed cannot be done now; the message says why."""


@dataclass(frozen=True, slots=True)
class Press:
    """Something that moves a session on."""

    do: Do
    at_s: float
    step: str | None = None
    """The step, where an extra one is named; the phase, where all of it is meant."""
    reason: str | None = None
    by: str | None = None
    questionnaire: str | None = None
    """Which form was answered."""


@dataclass(slots=True)
class Entry:
    """A line of the list of steps."""

    phase: str
    step: PlannedStep
    status: Status = "to_come"
    took_s: float | None = None


@dataclass(slots=True)
class Go:
    """A step under way."""

    entry: Entry
    counted_s: float = 0.0
    """Time in it up to `since_s`."""
    since_s: float | None = None
    """Since when its time runs; None: it stands still."""
    late: bool = False
    answered: bool = False

    def spent_s(self, now_s: float) -> float:
        return self.counted_s + (0.0 if self.since_s is None else now_s - self.since_s)

    def halt(self, now_s: float) -> None:
        self.counted_s, self.since_s = self.spent_s(now_s), None
