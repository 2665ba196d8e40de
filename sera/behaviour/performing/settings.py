"""Figures of the performer, all in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformerSettings:
    """How long the performer waits for what, and how polite it is."""

    politeness: bool = True
    """Whether lines wait while somebody speaks."""
    urgent_from_priority: int = 90
    """Lines of this priority and above do not wait for people to finish."""
    pre_empts_politely: bool = True
    """Whether a line that is pre-empted ends at the next word rather than at once."""

    question_window_s: float = 7.0
    """How long an answer is waited for; longer while somebody is answering."""
    words_of_answer_s: float = 0.5
    """How long after an answer its words are waited for, where there is a recogniser."""
    backchannel_category: str | None = "backchannel"
    """Of which one line follows an answer; None: nothing does."""
    backchannel_grace_s: float = 0.1
    """How long what waits is held for the backchannel line to be chosen."""
    backchannel_worth_s: float = 2.0
    """How long a backchannel line may wait before it would come too late."""

    pause_after_speech_s: float = 0.0
    """How long a person must have been silent for the floor to be free."""
    longest_turn_s: float = 30.0
    """When speech that never ended is taken for a fault of the microphone."""
    guess_holds_s: float = 1.5
    """How long a recogniser's first guess counts as speech without another one."""

    queue_limit: int = 16
    """How many lines may wait."""
    longest_wait_s: float = 30.0
    """When a line that waits is no longer worth saying."""

    words_per_s: float = 2.5
    """A voice's usual pace, for time-outs only."""
    slowness: float = 2.0
    """How many times as long as expected a segment may take."""
    patience_s: float = 5.0
    """What is added to that, for a voice that has to load or to call a service."""
    longest_action_s: float = 20.0
    """How long a step may take to report its end."""
    polite_grace_s: float = 1.5
    """How long the next word may take to come when a line is broken off politely."""
    stop_grace_s: float = 0.5
    """How long the voice may take to report silence after that."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name.endswith("_s") and not (math.isfinite(value) and value >= 0):
                message = f"{each.name} must be a time of 0 s or more, not {value!r}"
                raise ValueError(message)
        for name in ("words_per_s", "slowness"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than 0, not {getattr(self, name)!r}")
        if self.queue_limit < 1:
            raise ValueError(f"queue_limit must be 1 or more, not {self.queue_limit!r}")
