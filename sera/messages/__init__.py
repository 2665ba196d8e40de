"""The vocabulary of SERA: typed, frozen messages in families.

Four kinds decide how a message travels (Perception, Action, Event, State); each family is one
file. `sera messages` lists them all, `docs/messages.md` shows them with their fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sera.messages._base import (
    PROTOCOL_VERSION,
    Action,
    Channel,
    Event,
    Kind,
    Message,
    Perception,
    PersonalKind,
    State,
    UnknownMessageType,
    find_message_type,
    message_types,
    personal,
    personal_fields,
)
from sera.messages._envelope import (
    WORLD,
    Envelope,
    MessageId,
    check_name,
)
from sera.messages._parts import (
    Direction,
    Orientation,
    Part,
    Position,
    ScreenPoint,
)
from sera.messages.activity import (
    ActivityCommand,
    ActivityEvent,
    Highlight,
    MediaFinished,
    PlayMedia,
    StopMedia,
)
from sera.messages.behaviour import (
    CancelReason,
    CancelUtterance,
    GazeAt,
    Glance,
    LineChoice,
    PerformUtterance,
    PointAt,
    QuestionAnswered,
    QuestionAsked,
    SetGazePolicy,
    Substitution,
    TargetRemoved,
    TargetUpdated,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)
from sera.messages.decision import (
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.messages.motion import (
    AnimationFinished,
    AnimationOutcome,
    BodyHealth,
    BodyState,
    EmergencyRelease,
    EmergencyStop,
    Gaze,
    JointFrame,
    Pad,
    PlayAnimation,
    SetEmotion,
    SetLayer,
    SetPosture,
    StopAnimation,
)
from sera.messages.perception import (
    Clicked,
    HeadDirection,
    HeardWord,
    MarkerLost,
    MarkerMoved,
    MarkerSeen,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Side,
    SoundLevel,
    SpeechActivity,
    SpeechHeard,
)
from sera.messages.speech import (
    Speak,
    SpeechFinished,
    SpeechOutcome,
    SpeechStarted,
    SpeechWord,
    StopSpeaking,
)
from sera.messages.study import (
    ConditionAssigned,
    PhaseStatus,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
)
from sera.messages.system import (
    ActionExpired,
    ClockOffset,
    ClockProbe,
    ClockReply,
    ExpiryReason,
    ModuleCounters,
    ModuleFault,
    ModulePresence,
    PresenceStatus,
    Receipt,
    RunEnding,
    RunOutcome,
    Severity,
)

if TYPE_CHECKING:
    from sera.messages._asyncapi import asyncapi
    from sera.messages._describe import describe_messages
    from sera.messages._jsdoc import jsdoc_typedefs
    from sera.messages._page import write_schema_files
    from sera.messages._schema import json_schema

__all__ = [
    "PROTOCOL_VERSION",
    "WORLD",
    "Action",
    "ActionExpired",
    "ActivityCommand",
    "ActivityEvent",
    "AnimationFinished",
    "AnimationOutcome",
    "Autonomy",
    "AutonomyChanged",
    "AutonomyMode",
    "BodyHealth",
    "BodyState",
    "CancelReason",
    "CancelUtterance",
    "Channel",
    "Clicked",
    "ClockOffset",
    "ClockProbe",
    "ClockReply",
    "ConditionAssigned",
    "Direction",
    "EmergencyRelease",
    "EmergencyStop",
    "Envelope",
    "Event",
    "ExpiryReason",
    "Gaze",
    "GazeAt",
    "Glance",
    "HeadDirection",
    "HeardWord",
    "Highlight",
    "JointFrame",
    "Kind",
    "LineChoice",
    "MarkerLost",
    "MarkerMoved",
    "MarkerSeen",
    "MediaFinished",
    "Message",
    "MessageId",
    "ModuleCounters",
    "ModuleFault",
    "ModulePresence",
    "Orientation",
    "Pad",
    "Part",
    "Perception",
    "PerformUtterance",
    "PersonDetected",
    "PersonLost",
    "PersonMoved",
    "PersonalKind",
    "PhaseStatus",
    "PlayAnimation",
    "PlayMedia",
    "PointAt",
    "Position",
    "PresenceStatus",
    "QuestionAnswered",
    "QuestionAsked",
    "QuestionnaireAnswered",
    "Receipt",
    "RunEnding",
    "RunOutcome",
    "ScreenPoint",
    "SessionMark",
    "SessionPhase",
    "SetEmotion",
    "SetGazePolicy",
    "SetLayer",
    "SetPosture",
    "Severity",
    "Side",
    "SoundLevel",
    "Speak",
    "SpeechActivity",
    "SpeechFinished",
    "SpeechHeard",
    "SpeechOutcome",
    "SpeechStarted",
    "SpeechWord",
    "State",
    "StopAnimation",
    "StopMedia",
    "StopSpeaking",
    "Substitution",
    "Suggestion",
    "SuggestionOutcome",
    "SuggestionResolved",
    "TargetRemoved",
    "TargetUpdated",
    "UnknownMessageType",
    "UtteranceCancelled",
    "UtteranceFinished",
    "UtteranceStarted",
    "asyncapi",
    "check_name",
    "describe_messages",
    "find_message_type",
    "jsdoc_typedefs",
    "json_schema",
    "message_types",
    "personal",
    "personal_fields",
    "write_schema_files",
]

_LAZY = {
    "asyncapi": "sera.messages._asyncapi",
    "describe_messages": "sera.messages._describe",
    "jsdoc_typedefs": "sera.messages._jsdoc",
    "json_schema": "sera.messages._schema",
    "write_schema_files": "sera.messages._page",
}


def __getattr__(name: str) -> Any:
    """Import what writes schemas and pages only when asked for: no module needs it to run."""
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
