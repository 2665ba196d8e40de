"""What the behaviour manager is asked to do, and what became of it: gaze, lines, questions.

A *target* is anything that can be looked or pointed at, by name: a person's id, a built-in one
(`clicks`, `random`, `elsewhere`, `topLeft` …), one of the scenario file, or one that
TargetUpdated made. An *utterance* is one order to say something, known by the id of its
PerformUtterance; a *line* is an entry of an utterance library.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from sera.messages._base import Action, Channel, Event, State, personal
from sera.messages._parts import (
    Direction,
    Name,
    Part,
    Position,
    PositiveSeconds,
    ScreenPoint,
    Seconds,
    require_exactly_one,
)


class GazeAt(Action):
    """Look at a target, and keep looking at it until the next GazeAt."""

    valid_for_s = 1.0
    channel = Channel.GAZE

    target: Name
    """Whom or what to look at."""


class Glance(Action):
    """Look at a target for a moment, then back to where the gaze was."""

    valid_for_s = 1.0
    channel = Channel.GAZE

    target: Name
    """Whom or what to look at."""
    duration_s: PositiveSeconds | None = None
    """How long to look; None: as the gaze policy has it."""


class PointAt(Action):
    """Point at a target; a body without arms points with its gaze and says so in the result."""

    valid_for_s = 2.0
    channel = Channel.GESTURE

    target: Name
    """Whom or what to point at."""
    hand: Literal["left", "right"] | None = None
    """Which hand; None: the one on the side of the target."""
    duration_s: PositiveSeconds | None = None
    """How long to hold the gesture; None: as the animation has it."""


class SetGazePolicy(Action):
    """Change how the gaze behaves by itself; stays in force until the next one."""

    valid_for_s = 10.0
    channel = Channel.GAZE

    policy: Name
    """Name of the policy, such as `random`, `mutual`, `mutual_and_joint`, `speaker`."""
    options: dict[Name, float] = Field(default_factory=dict)
    """Weights and intervals that replace those of the policy, by name."""


class TargetUpdated(Event):
    """A target exists and is here. Takes one of position, direction, point and alias_of."""

    target: Name
    """Name of the target; a new name makes a new target."""
    position: Position | None = None
    """A place in the scenario's space."""
    direction: Direction | None = None
    """Angles as the character sees them."""
    point: ScreenPoint | None = None
    """A place on a screen."""
    alias_of: Name | None = None
    """Another target, which this one follows and whose behaviours it inherits."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        require_exactly_one(self, "position", "direction", "point", "alias_of")
        return self


class TargetRemoved(Event):
    """A target is gone; a gaze that was on it goes elsewhere."""

    target: Name
    """Name of the target."""


class PerformUtterance(Action):
    """Say a line with its gaze and gestures. Takes one of line, category and text."""

    valid_for_s = 2.0
    channel = Channel.SPEECH

    line: Name | None = None
    """Id of one line of the library."""
    category: Name | None = None
    """Category from which a line is chosen."""
    subcategory: Name | None = None
    """Narrows the category."""
    text: Name | None = None
    """Anything at all, with markup. The robot's own words, so not marked personal: names that
    are marked elsewhere are replaced in the recording."""
    tags: dict[Name, str] = personal("name", default_factory=dict)
    """What replaces the tags in the line, by tag; names of people go here, not into `text`."""
    words: dict[Name, str] = Field(default_factory=dict)
    """The same for what names nobody, such as places, numbers and ids of trackers: it stays in
    the recording as it is."""
    metadata: dict[Name, str] = Field(default_factory=dict)
    """Extra columns of the library and the value each must have."""
    library: Name | None = None
    """Library to choose from; None: the character's own."""
    language: Name | None = None
    """Language tag such as `en` or `pt-PT`; None: the character's own."""
    priority: int = Field(default=0, ge=-100, le=100)
    """Higher goes first; higher than the line under way breaks it off."""

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        require_exactly_one(self, "line", "category", "text")
        if self.subcategory is not None and self.category is None:
            raise ValueError("PerformUtterance takes a subcategory only together with a category")
        return self


class CancelUtterance(Action):
    """Drop an utterance, whether it waits or is being said."""

    valid_for_s = 5.0
    channel = Channel.SPEECH

    utterance: Name | None = None
    """Id of its PerformUtterance; None: the one being said and all that wait."""
    politely: bool = True
    """True: end at the next word; False: be silent at once."""


class ArrangeUtterance(Action):
    """Change when a waiting utterance has its turn."""

    valid_for_s = 5.0
    channel = Channel.SPEECH

    utterance: Name
    """Id of its PerformUtterance."""
    how: Literal["first", "earlier", "later", "hold", "release"]
    """`first`, `earlier` and `later` move it among those that wait; `hold` keeps it from being
    said, and from growing too old, until `release`."""


class LineChoice(Part):
    """Why this line was chosen."""

    library: Name
    """Library it comes from."""
    place: str | None = None
    """Sheet and row in the library's file."""
    candidates: int = Field(ge=1)
    """How many lines could have been chosen."""
    excluded: int = Field(default=0, ge=0)
    """How many lines of the category their repetition rule ruled out."""
    rule: str | None = None
    """How it was chosen among them, such as `id`, `shuffle_bag`, `weights`."""
    bag_left: int | None = Field(default=None, ge=0)
    """How many lines are left in the bag before any is said again; None: it came from no bag."""
    refilled: bool = False
    """True where the bag was empty and all lines went back into it first."""


class Substitution(Part):
    """Something the body could not do, and what was done in its place."""

    wanted: Name
    """Instruction in the line, as written."""
    done: str | None = None
    """Instruction that was performed; None where there was no fallback."""
    why: str | None = None
    """One sentence, such as `the body has no arms`."""


class UtteranceStarted(Event):
    """An utterance has begun: its first word or first action."""

    utterance: Name
    """Id of its PerformUtterance."""
    line: Name | None = None
    """Id of the line; None for free text."""
    category: Name | None = None
    """Category of the line."""
    text: str = ""
    """What will be said, without markup and with the tags filled in."""
    question: bool = False
    """Whether the line asks something, so that the character will wait for an answer."""
    choice: LineChoice | None = None
    """Why this line was chosen."""


class UtteranceFinished(Event):
    """An utterance was said to its end and its actions are done."""

    utterance: Name
    """Id of its PerformUtterance."""
    line: Name | None = None
    """Id of the line; None for free text."""
    duration_s: Seconds
    """From its start to its end."""
    substitutions: list[Substitution] = Field(default_factory=list)
    """What the body could not do as written."""


class CancelReason(StrEnum):
    """Why an utterance was not said to its end."""

    CANCELLED = "cancelled"
    PRE_EMPTED = "pre_empted"
    SUPERSEDED = "superseded"
    TIMED_OUT = "timed_out"
    QUEUE_FULL = "queue_full"
    NO_LINE = "no_line"
    STOPPED = "stopped"
    FAILED = "failed"


class UtteranceCancelled(Event):
    """An utterance was not said, or not to its end."""

    utterance: Name
    """Id of its PerformUtterance."""
    reason: CancelReason
    """Why."""
    line: Name | None = None
    """Id of the line; None for free text or where none was chosen."""
    detail: str | None = None
    """One sentence, such as which rule left no line to choose."""
    words_said: int = Field(default=0, ge=0)
    """How many words were heard before it broke off."""


class OrderConflict(Event):
    """Two modules gave the same order at the same time; one of them stands.

    The rule: the higher priority stands, of equal ones the newest; what has begun goes on.
    """

    order: Name
    """What both ordered, such as `category:greeting` or `gaze`."""
    kept: Name
    """Id of the Action that stands."""
    kept_source: Name
    """Module that gave it."""
    dropped: Name
    """Id of the Action that is dropped."""
    dropped_source: Name
    """Module that gave it."""
    rule: Literal["priority", "newest", "under_way"]
    """What settled it."""


class LibraryFinding(Part):
    """Something that is wrong in a sheet, and how to mend it."""

    place: str
    """File, sheet, row and column."""
    severity: Literal["error", "warning"]
    """An error keeps a line from being said as meant."""
    code: Name
    """Kind of finding, such as `unknown-verb`."""
    message: str
    """What is wrong, in one sentence."""
    fix: str = ""
    """How to mend it."""


class LibraryLoaded(Event):
    """The character's utterance library was read, at the start or because it was saved."""

    library: Name
    """Its name."""
    files: list[str] = Field(default_factory=list)
    """Names of the files, without their folders."""
    lines: int = Field(ge=0)
    """How many lines count from now on."""
    replaced: bool = True
    """False where the files cannot be used, so that what was read before goes on."""
    errors: int = Field(default=0, ge=0)
    """How many findings are errors."""
    warnings: int = Field(default=0, ge=0)
    """How many findings are warnings."""
    findings: list[LibraryFinding] = Field(default_factory=list, max_length=50)
    """The first of them, errors before warnings."""


class DialogueMoved(Event):
    """A dialogue sheet went from one state to the next."""

    previous: Name | None = None
    """State it was in; None at the start."""
    state: Name
    """State it is in now."""
    meaning: str | None = None
    """Meaning of the row that led there, as the sheet has it."""
    style: str | None = None
    """Style of that row."""
    because: str | None = None
    """What happened, as the sheet's When says it."""
    place: str | None = None
    """File, sheet and row."""


class QuestionAsked(Event):
    """A line that is a question has ended; the character keeps silent and waits."""

    utterance: Name
    """Id of its PerformUtterance."""
    line: Name | None = None
    """Id of the line."""
    person: Name | None = None
    """Who was asked; None: anybody."""
    waits_s: Seconds
    """How long the character waits; longer while somebody is still answering."""


class QuestionAnswered(Event):
    """The wait for an answer is over."""

    question: Name
    """Id of the QuestionAsked."""
    answered: bool
    """False where nobody answered in time."""
    person: Name | None = None
    """Who answered, as the id of a tracker; None where that is unknown."""
    text: str | None = personal("text", default=None)
    """What was understood of the answer."""
    waited_s: Seconds
    """From the question to the end of the answer, or to giving up."""


class WaitingLine(Part):
    """A line that waits for its turn."""

    utterance: Name
    """Id of its PerformUtterance."""
    source: Name
    """Module that ordered it."""
    priority: int = 0
    """Higher goes first."""
    text: str = ""
    """What will be said, without markup and with the tags filled in."""
    line: Name | None = None
    """Id of the line; None for free text."""
    category: Name | None = None
    """Category of the line."""
    held: bool = False
    """Whether somebody holds it back."""


class BehaviourState(State):
    """What the character does by its behaviour manager, what waits, and whose orders count."""

    doing: Literal[
        "stand_by", "performing", "question_waiting", "non_verbal_waiting", "cancelled"
    ] = "stand_by"
    """What it does with lines."""
    utterance: Name | None = None
    """Id of the PerformUtterance under way."""
    waiting: list[WaitingLine] = Field(default_factory=list)
    """Lines that wait, the next one first."""
    gaze_target: Name | None = None
    """Whom or what it looks at."""
    gaze_reason: str | None = None
    """Why."""
    gaze_policy: Name | None = None
    """How the gaze behaves by itself."""
    owners: dict[Channel, Name] = Field(default_factory=dict)
    """Module whose order counts on a channel now; a channel that is missing is free."""
