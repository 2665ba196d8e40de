"""Records of a study: who is in which condition, how the session goes, and what people answered.

Study records are Actions although they order nothing: an Action is the kind that is delivered end
to end, and a session whose records got lost is worthless. They are worth recording for ever
(`valid_for_s = None`), belong to the world because they concern the session and not one
character, and have no channel because no dial may hold them back.

A `participant` is a pseudonym that the study gave out; the key to it is kept elsewhere.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from sera.messages._base import Action, State, personal
from sera.messages._parts import Name, Part, PositiveSeconds, Seconds


class ConditionAssigned(Action):
    """This session runs under this condition, drawn when the session starts."""

    valid_for_s = None
    belongs_to_world = True

    session: Name
    """Id of the session."""
    participant: Name
    """Pseudonym of the participant or group."""
    condition: Name
    """Name of the condition in the study file."""
    factors: dict[Name, str] = Field(default_factory=dict)
    """Level of each factor."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """What the condition sets, such as a gaze policy, by name."""
    method: str | None = None
    """How it was drawn: `random`, `blocked`, `latin_square`, `by_hand`."""


class PhaseStatus(StrEnum):
    """What happens to a phase."""

    STARTED = "started"
    FINISHED = "finished"
    PAUSED = "paused"
    RESUMED = "resumed"
    REPEATED = "repeated"
    SKIPPED = "skipped"
    ABORTED = "aborted"


class SessionPhase(Action):
    """A phase of the session begins, ends, or is skipped, paused, repeated or aborted."""

    valid_for_s = None
    belongs_to_world = True

    session: Name
    """Id of the session."""
    phase: Name
    """Name of the phase in the study file."""
    status: PhaseStatus
    """What happens to it."""
    step: Name | None = None
    """Step within the phase; None: the phase as a whole."""
    participant: Name | None = None
    """Pseudonym of the participant or group."""
    planned_s: PositiveSeconds | None = None
    """How long it is planned to take."""
    by: Name | None = None
    """Operator or module that moved on, by role and not by name."""


class GuideSession(Action):
    """The operator goes on with the session; whoever keeps the plan says what follows from it.

    Unlike the records it grows old: a step that was asked for long ago would come unexpectedly.
    """

    valid_for_s = 5.0
    belongs_to_world = True

    do: Literal["begin", "next", "skip", "repeat", "extra", "pause", "resume", "abort"]
    """`begin` a session, go to the `next` step, `skip` the present one, `repeat` it, do an `extra`
    one that is not its turn, `pause`, `resume`, `abort` the session."""
    step: Name | None = None
    """Which step, where `extra` names one; the phase under way, where `skip`, `repeat` or `abort`
    mean all of it; else None."""
    participant: Name | None = None
    """Pseudonym, where a session begins; None: the next free one."""
    language: Name | None = None
    """Language of the forms, where a session begins."""
    reason: str | None = personal("text", default=None)
    """Why, in the operator's words."""
    by: Name | None = None
    """Operator, by desk and not by name."""


class PreflightCheck(Part):
    """One thing that has to be in order before a session, and what was found."""

    check: Name
    """What was looked at: `robot`, `face`, `microphone`, `voice`, `screen`, `tablet`, `disk`,
    `clock`, `stop`."""
    colour: Literal["green", "amber", "red", "grey"]
    """In order, worth a look, not in order, nothing to check."""
    sentence: str
    """What was found."""
    advice: str | None = None
    """What to do about it."""


class PreflightReport(State):
    """What the checks before the session under way have found."""

    belongs_to_world = True

    checks: list[PreflightCheck]
    """All checks, in their order."""
    overridden: bool = False
    """Whether the session was begun although a check was red."""


class StepOfPlan(Part):
    """A step of the session and what became of it."""

    phase: Name
    """Phase that it belongs to."""
    step: Name
    """Name of the step."""
    title: str
    """What the operator reads."""
    status: Literal["to_come", "under_way", "done", "skipped", "aborted"] = "to_come"
    """What became of it."""
    planned_s: PositiveSeconds | None = None
    """How long it is planned to take; late beyond that."""
    form: Name | None = None
    """Questionnaire that the participant fills in during it."""
    took_s: Seconds | None = None
    """How long it took."""


class SessionState(State):
    """Where the session stands; the condition is not said here."""

    belongs_to_world = True

    study: str
    """Title of the study."""
    session: Name | None = None
    """Id of the session; None where none is under way."""
    participant: Name | None = None
    """Pseudonym of the participant or group."""
    session_kind: Literal["simulated", "rehearsal", "pilot", "study"] | None = None
    """What sort of session; None where an operator began it by hand."""
    language: Name | None = None
    """Language tag of its forms, which an activity may follow; None where none is under way."""
    steps: list[StepOfPlan] = Field(default_factory=list)
    """All steps in order."""
    step_began_s: Seconds | None = None
    """When the step under way began, on the clock of the run."""
    session_began_s: Seconds | None = None
    """When the session began, on the clock of the run."""
    paused: bool = False
    """Whether the session stands still."""
    deviations: int = Field(default=0, ge=0)
    """How many steps were skipped, late, extra or repeated."""
    sessions_done: int = Field(default=0, ge=0)
    """How many sessions of this study are complete."""
    sessions_planned: int | None = Field(default=None, ge=1)
    """How many are planned."""
    revealed: dict[Name, str] = Field(default_factory=dict)
    """What the study file lets operators know, such as `condition`."""


class FormOffered(State):
    """Which form the participant's tablet shows now."""

    belongs_to_world = True

    questionnaire: Name | None = None
    """Name of the questionnaire; None: none, the tablet asks to wait."""
    participant: Name | None = None
    """Pseudonym of the participant."""
    session: Name | None = None
    """Id of the session."""
    language: Name | None = None
    """Language tag of the wording."""


class SessionMark(Action):
    """A mark on the time line: something to find again later."""

    valid_for_s = None
    belongs_to_world = True

    label: Name
    """What kind of mark, such as `wizard_error`, `note`, `deviation`."""
    session: Name | None = None
    """Id of the session; None where none is under way."""
    note: str | None = personal("text", default=None)
    """Free words of whoever made it."""
    about: str | None = None
    """Id of the message that the mark is about."""
    by: Name | None = None
    """Operator or module that made it, by role and not by name."""


class QuestionnaireAnswered(Action):
    """A participant has filled in a form."""

    valid_for_s = None
    belongs_to_world = True

    questionnaire: Name
    """Name of the questionnaire."""
    participant: Name
    """Pseudonym of the participant."""
    session: Name | None = None
    """Id of the session."""
    answers: dict[Name, bool | int | float | str | None]
    """Answer by item for closed items: a number on a scale, or the key of a choice; None where it
    was left out. Anything a person types goes into `free_answers`."""
    free_answers: dict[Name, str] = personal("text", default_factory=dict)
    """Answer by item for what a person types."""
    language: Name | None = None
    """Language tag of the wording that was shown."""
    item_order: list[Name] = Field(default_factory=list)
    """Items in the order in which they were shown."""
    duration_s: Seconds | None = None
    """From opening the form to sending it."""
