"""What the performer wants done or told; each is one message on the bus."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sera.behaviour.performing.performable import StepAt
from sera.messages.behaviour import CancelReason


@dataclass(frozen=True, slots=True)
class Started:
    """A line has begun (UtteranceStarted)."""

    utterance: str


@dataclass(frozen=True, slots=True)
class Speak:
    """The voice shall say this now (Speak)."""

    utterance: str
    segment: int
    text: str
    rate: float = 1.0
    wait_s: float = 0.0
    """How long the finished sound waits for a gesture."""
    rests: tuple[tuple[int, float], ...] = ()
    """Silence within the text for gestures: before which place, and for how long."""


@dataclass(frozen=True, slots=True)
class StopSpeaking:
    """The voice shall be silent (StopSpeaking)."""

    utterance: str
    segment: int
    politely: bool


@dataclass(frozen=True, slots=True)
class Fire:
    """A step shall be done now (GazeAt, PlayAnimation …)."""

    utterance: str
    index: int
    """Its place among the line's steps as written, from 0."""
    step: StepAt
    stroke_in_s: float | None = None
    """When it shall say what it says, from now on; None: whenever it does."""


@dataclass(frozen=True, slots=True)
class Adjust:
    """The word of a step that is under way comes at another time than was expected."""

    utterance: str
    index: int
    step: StepAt
    stroke_in_s: float


@dataclass(frozen=True, slots=True)
class CallOff:
    """A step was ordered ahead of a word that will not be said."""

    utterance: str
    index: int
    step: StepAt


@dataclass(frozen=True, slots=True)
class Finished:
    """A line was said to its end (UtteranceFinished)."""

    utterance: str
    duration_s: float


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A line that had begun was not said to its end (UtteranceCancelled)."""

    utterance: str
    reason: CancelReason
    detail: str
    words_said: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A line never began (UtteranceCancelled); its choice may be given back."""

    utterance: str
    reason: CancelReason
    detail: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question has ended and is waited on (QuestionAsked)."""

    utterance: str
    waits_s: float


@dataclass(frozen=True, slots=True)
class Answered:
    """The wait for an answer is over (QuestionAnswered)."""

    utterance: str
    answered: bool
    person: str | None
    text: str | None
    waited_s: float


@dataclass(frozen=True, slots=True)
class Backchannel:
    """One line of this category is wanted at once.

    To be answered with Perform(is_backchannel=True) or NoBackchannel; what waits is held meanwhile.
    """

    utterance: str
    """The question that was answered."""
    category: str


class ConflictRule(StrEnum):
    """What settled a conflict."""

    PRIORITY = "priority"
    NEWEST = "newest"
    UNDER_WAY = "under_way"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two modules gave the same order; one of them stands, the other is refused."""

    same_order: str
    kept: str
    kept_source: str
    dropped: str
    dropped_source: str
    rule: ConflictRule


Order = (
    Started
    | Speak
    | StopSpeaking
    | Fire
    | Adjust
    | CallOff
    | Finished
    | Cancelled
    | Refused
    | Asked
    | Answered
    | Backchannel
    | Conflict
)
