"""What the performer is told: orders of others, reports of the voice, people who speak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sera.behaviour.performing.performable import Performable
from sera.behaviour.performing.timing import WordTimes
from sera.messages.speech import SpeechOutcome


@dataclass(frozen=True, slots=True)
class Perform:
    """Perform a line when its turn comes (PerformUtterance, its line already chosen)."""

    utterance: str
    """Id of the order; unique. A repeat of one that waits or is performed is dropped."""
    line: Performable
    priority: int = 0
    source: str = ""
    """Module that gave the order."""
    same_order: str = ""
    """What was ordered, such as `category:greeting`: two modules that give the same order while
    it waits are in conflict. Empty: never in conflict."""
    worth_s: float | None = None
    """How long it may wait for its turn; None: as the settings have it."""
    is_question: bool = False
    """Whether an answer is waited for."""
    backchannel_category: str | None = None
    """Of which one line follows the answer; None: as the settings have it."""
    is_backchannel: bool = False
    """Whether it is the reply to an answer, which goes before everything that waits."""
    lasts_s: tuple[float | None, ...] = ()
    """How long each of the line's steps takes; None: it reports its end (StepDone); those that
    are not told are done at once. Counts for a line without words."""
    waits: bool = True
    """Whether words may wait for a gesture."""


@dataclass(frozen=True, slots=True)
class NoBackchannel:
    """There is no line of the category that a Backchannel order asked for."""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Drop a line (CancelUtterance)."""

    utterance: str | None = None
    """None: the one being performed and all that wait."""
    politely: bool = True


@dataclass(frozen=True, slots=True)
class Arrange:
    """Change when a line that waits has its turn (ArrangeUtterance)."""

    utterance: str
    how: Literal["first", "earlier", "later", "hold", "release"]


@dataclass(frozen=True, slots=True)
class Stop:
    """Everything ends now: an emergency, or the end of the run."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class VoicePrepared:
    """The sound of a segment is made (SpeechPrepared)."""

    utterance: str
    segment: int
    starts_in_s: float
    times: WordTimes


@dataclass(frozen=True, slots=True)
class VoiceStarted:
    """The first sound of a segment (SpeechStarted)."""

    utterance: str
    segment: int = 0
    expected_duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class VoiceWord:
    """The voice has reached a word, measured or estimated (SpeechWord)."""

    utterance: str
    segment: int = 0
    index: int = 0
    """Counts the words of the segment from 0."""
    offset: int | None = None
    """Where it begins in the segment's text."""


@dataclass(frozen=True, slots=True)
class VoiceFinished:
    """The voice is silent again (SpeechFinished)."""

    utterance: str
    segment: int = 0
    outcome: SpeechOutcome = SpeechOutcome.COMPLETED


@dataclass(frozen=True, slots=True)
class StepDone:
    """A step that reports its end has ended."""

    utterance: str
    index: int
    """Its place among the line's steps as written, from 0."""


@dataclass(frozen=True, slots=True)
class PersonSpeaking:
    """Somebody began or ceased to speak (SpeechActivity)."""

    speaking: bool
    person: str | None = None


@dataclass(frozen=True, slots=True)
class PersonHeard:
    """What somebody said, or a first guess of it (SpeechHeard)."""

    text: str
    person: str | None = None
    final: bool = True


Event = (
    Perform
    | NoBackchannel
    | Cancel
    | Arrange
    | Stop
    | VoicePrepared
    | VoiceStarted
    | VoiceWord
    | VoiceFinished
    | StepDone
    | PersonSpeaking
    | PersonHeard
)
