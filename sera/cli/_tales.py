"""How each message of the vocabulary is told, in one sentence; what is missing is not told.

A tale takes the message and the character under whose name it travels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sera.messages import (
    WORLD,
    ActionExpired,
    ActivityCommand,
    ActivityEvent,
    AnimationFinished,
    AnimationOutcome,
    AutonomyChanged,
    BodyHealth,
    BodyState,
    CancelUtterance,
    Clicked,
    ConditionAssigned,
    DialogueMoved,
    EmergencyRelease,
    EmergencyStop,
    EngagementChanged,
    ExpiryReason,
    GazeAt,
    Glance,
    Highlight,
    KeyPressed,
    LibraryLoaded,
    MarkerLost,
    MarkerSeen,
    MediaFinished,
    Message,
    ModuleFault,
    OrderConflict,
    PersonDetected,
    PersonLost,
    PlayAnimation,
    PlayMedia,
    PointAt,
    QuestionAnswered,
    QuestionAsked,
    QuestionnaireAnswered,
    RunEnding,
    RunOutcome,
    SensorState,
    SensorStatus,
    SessionMark,
    SessionPhase,
    SetEmotion,
    SetFace,
    SetGazePolicy,
    SetPosture,
    Severity,
    SpeechFinished,
    SpeechHeard,
    SpeechOutcome,
    SpeechStarted,
    StopSpeaking,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
    UtteranceCancelled,
    UtteranceStarted,
)

TALES: dict[type[Message], Callable[[Any, str], str | None]] = {}

WHY_EXPIRED = {
    ExpiryReason.TOO_OLD: "it came too late",
    ExpiryReason.NO_ANSWER: "no answer came",
    ExpiryReason.NO_RECEIVER: "no module takes it",
    ExpiryReason.OUTBOX_FULL: "too many orders were waiting",
}
_HOW_IT_ENDS = {
    RunOutcome.COMPLETED: "ends",
    RunOutcome.STOPPED: "is stopped",
    RunOutcome.FAILED: "fails",
}

_TELLS_PAGES = ("show", "sound")
"""How an activity keeps its pages up to date, after everything that happens in it."""
_FIGURES_TOLD = 4


def _tells(kind: type[Message]) -> Callable[[Callable[[Any, str], str | None]], Any]:
    def note(tale: Callable[[Any, str], str | None]) -> Callable[[Any, str], str | None]:
        TALES[kind] = tale
        return tale

    return note


def _and(text: str | None, before: str = ": ") -> str:
    return f"{before}{text}" if text else ""


def _name(character: str) -> str:
    return "the run" if character == WORLD else character


# -- people ---------------------------------------------------------------------------------


@_tells(PersonDetected)
def _arrives(message: PersonDetected, _who: str) -> str:
    called = f" ({message.name})" if message.name else ""
    return f"{message.person}{called} arrives"


@_tells(SpeechHeard)
def _heard(message: SpeechHeard, _who: str) -> str | None:
    return f"{message.person or 'somebody'} says: “{message.text}”" if message.final else None


@_tells(Clicked)
def _clicked(message: Clicked, _who: str) -> str:
    what = message.element
    if what is None and message.point is not None:
        what = f"{message.point.screen} at {message.point.x_px:g}, {message.point.y_px:g}"
    return f"{message.person or 'somebody'} touches {what}"


TALES[EngagementChanged] = lambda message, _who: f"{message.person} is {message.level}"


@_tells(SensorState)
def _sensor(message: SensorState, _who: str) -> str | None:
    if message.status is SensorStatus.OK:
        return None
    return f"{message.device or message.sense} is {message.status}{_and(message.problem)}"


TALES[KeyPressed] = lambda message, _who: f"somebody presses {message.key}"
TALES[PersonLost] = lambda message, _who: f"{message.person} leaves"
TALES[MarkerSeen] = lambda message, _who: f"marker {message.marker} comes into view"
TALES[MarkerLost] = lambda message, _who: f"marker {message.marker} is gone"


# -- the character --------------------------------------------------------------------------


@_tells(SpeechFinished)
def _fell_silent(message: SpeechFinished, who: str) -> str | None:
    if message.outcome is SpeechOutcome.COMPLETED:
        return None
    how = "is stopped" if message.outcome is SpeechOutcome.STOPPED else "fails"
    return f"{who}'s voice {how} after {message.words} words"


@_tells(UtteranceCancelled)
def _not_said(message: UtteranceCancelled, who: str) -> str:
    return f"{who} does not say a line to its end: {message.detail or message.reason}"


@_tells(AnimationFinished)
def _not_played(message: AnimationFinished, who: str) -> str | None:
    if message.outcome is AnimationOutcome.COMPLETED:
        return None
    return f"{who}'s {message.animation} was {message.outcome}"


@_tells(SetEmotion)
def _feels(message: SetEmotion, who: str) -> str:
    if message.pad is None:
        return f"{who} shows {message.name}"
    pad = message.pad
    return (
        f"{who} shows pleasure {pad.pleasure:g}, arousal {pad.arousal:g}, "
        f"dominance {pad.dominance:g}"
    )


@_tells(LibraryLoaded)
def _read_lines(message: LibraryLoaded, who: str) -> str | None:
    if not message.replaced:
        return f"{who}'s saved sheet cannot be used; the lines before it go on"
    findings = message.errors + message.warnings
    return f"{who} knows {message.lines} lines" + (f" ({findings} findings)" if findings else "")


@_tells(OrderConflict)
def _settled(message: OrderConflict, who: str) -> str:
    return (
        f"{message.dropped_source} and {message.kept_source} both order {who} {message.order}: "
        f"{message.kept_source} stands ({message.rule})"
    )


@_tells(BodyState)
def _body(message: BodyState, who: str) -> str | None:
    if message.health is BodyHealth.OK and not message.problem:
        return None
    return f"{who}'s body is {message.health}{_and(message.problem)}"


@_tells(QuestionAnswered)
def _answered(message: QuestionAnswered, who: str) -> str:
    if not message.answered:
        return f"nobody answers {who} within {message.waited_s:.1f} s"
    said = f": “{message.text}”" if message.text else ""
    return f"{message.person or 'somebody'} answers {who}{said}"


@_tells(EmergencyStop)
def _stopped(message: EmergencyStop, who: str) -> str:
    by = f" by {message.by}" if message.by else ""
    return f"EMERGENCY STOP of {_name(who)}{by}{_and(message.reason)}"


@_tells(UtteranceStarted)
@_tells(SpeechStarted)
def _says(message: UtteranceStarted | SpeechStarted, who: str) -> str | None:
    return f"{who} says: “{message.text}”" if message.text else None


TALES[StopSpeaking] = lambda _message, who: f"{who} is told to be silent"
TALES[CancelUtterance] = lambda _message, who: f"{who} is told to drop its line"
# Orders: whether a look follows depends on whether anybody knows where the target is.
TALES[GazeAt] = lambda message, who: f"{who} is told to look at {message.target}"
TALES[Glance] = lambda message, who: f"{who} is told to glance at {message.target}"
TALES[PointAt] = lambda message, who: f"{who} is told to point at {message.target}"
TALES[SetGazePolicy] = lambda message, who: f"{who}'s gaze follows the policy {message.policy}"
TALES[PlayAnimation] = lambda message, who: f"{who} plays {message.animation}"
TALES[SetPosture] = lambda message, who: f"{who} takes the posture {message.posture}"
TALES[SetFace] = lambda message, who: f"{who} shows the face {message.face}"
TALES[DialogueMoved] = lambda message, who: f"{who}'s dialogue goes to {message.state}"
TALES[QuestionAsked] = lambda message, who: f"{who} waits for an answer ({message.waits_s:g} s)"
TALES[EmergencyRelease] = lambda _message, who: f"{_name(who)} is released and may move again"


# -- the activity, the operator, the study ---------------------------------------------------


@_tells(ActivityEvent)
def _activity(message: ActivityEvent, _who: str) -> str:
    event = message.event.replace("_", " ")
    figures = [
        f"{key.replace('_', ' ')} {value}"
        for key, value in message.data.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    told = f" ({', '.join(figures[:_FIGURES_TOLD])})" if figures else ""
    return f"{message.person or 'activity'}: {event}{told}"


@_tells(ActivityCommand)
def _ordered(message: ActivityCommand, who: str) -> str | None:
    if who == WORLD and message.command in _TELLS_PAGES:
        return None
    return f"{'the activity' if who == WORLD else who} orders {message.command}"


@_tells(MediaFinished)
def _not_shown(message: MediaFinished, _who: str) -> str | None:
    return f"{message.media} cannot be played: {message.problem}" if message.problem else None


@_tells(Highlight)
def _highlighted(message: Highlight, who: str) -> str:
    what = message.element
    if what is None and message.point is not None:
        what = f"the place {message.point.x_px:g}, {message.point.y_px:g}"
    return f"{who} highlights {what}"


@_tells(Suggestion)
def _suggested(message: Suggestion, who: str) -> str:
    fields = ", ".join(f"{key} {value}" for key, value in message.action.items() if value)
    return f"{who} would {message.action_type} ({fields}){_and(message.reason)}"


@_tells(SuggestionResolved)
def _resolved(message: SuggestionResolved, _who: str) -> str:
    if message.outcome is SuggestionOutcome.LAPSED:
        return "a suggestion has lapsed"
    by = f" by {message.by}" if message.by else ""
    return f"a suggestion was {message.outcome}{by}"


@_tells(SessionPhase)
def _phase(message: SessionPhase, _who: str) -> str:
    step = f", step {message.step}," if message.step else ""
    return f"phase {message.phase}{step} is {message.status}"


TALES[PlayMedia] = lambda message, who: f"{who} plays {message.media}"
TALES[AutonomyChanged] = lambda message, who: (
    f"{message.by} sets {who}'s {message.channel} to {message.mode}"
)
TALES[ConditionAssigned] = lambda message, _who: (
    f"{message.participant} is in condition {message.condition} (session {message.session})"
)
TALES[SessionMark] = lambda message, _who: f"mark: {message.label}{_and(message.note)}"
TALES[QuestionnaireAnswered] = lambda message, _who: (
    f"{message.participant} has filled in {message.questionnaire}"
)


# -- the system ------------------------------------------------------------------------------


@_tells(ModuleFault)
def _fault(message: ModuleFault, _who: str) -> str:
    what = "warning" if message.severity is Severity.WARNING else "fault"
    said = message.summary.removeprefix(f"{message.module}: ")
    return f"{what} in {message.module}: {said}"


@_tells(ActionExpired)
def _expired(message: ActionExpired, _who: str) -> str:
    why = WHY_EXPIRED[message.reason]
    to = f" to {message.receiver}" if message.receiver else ""
    return f"{message.action_type} of {message.sender}{to} was not performed: {why}"


@_tells(RunEnding)
def _ending(message: RunEnding, _who: str) -> str:
    return f"the run {_HOW_IT_ENDS[message.outcome]}{_and(message.reason)}"
