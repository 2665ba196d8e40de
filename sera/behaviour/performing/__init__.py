"""The performance of lines: queue, floor, questions, steps at words.

`Performer` is a pure state machine; `events` go in, `orders` come out.
"""

from __future__ import annotations

from sera.behaviour.performing.events import (
    Arrange,
    Cancel,
    Event,
    NoBackchannel,
    Perform,
    PersonHeard,
    PersonSpeaking,
    StepDone,
    Stop,
    VoiceFinished,
    VoicePrepared,
    VoiceStarted,
    VoiceWord,
)
from sera.behaviour.performing.floor import Floor
from sera.behaviour.performing.orders import (
    Adjust,
    Answered,
    Asked,
    Backchannel,
    CallOff,
    Cancelled,
    Conflict,
    ConflictRule,
    Finished,
    Fire,
    Order,
    Refused,
    Speak,
    Started,
    StopSpeaking,
)
from sera.behaviour.performing.performable import (
    PauseAt,
    Performable,
    PlainLine,
    PlainPause,
    PlainRate,
    PlainStep,
    PlainWord,
    RateAt,
    StepAt,
    WordAt,
)
from sera.behaviour.performing.performer import Performer, State
from sera.behaviour.performing.segments import Script, Segment, cut
from sera.behaviour.performing.settings import PerformerSettings
from sera.behaviour.performing.timing import Reach, WordTimes

__all__ = [
    "Adjust",
    "Answered",
    "Arrange",
    "Asked",
    "Backchannel",
    "CallOff",
    "Cancel",
    "Cancelled",
    "Conflict",
    "ConflictRule",
    "Event",
    "Finished",
    "Fire",
    "Floor",
    "NoBackchannel",
    "Order",
    "PauseAt",
    "Perform",
    "Performable",
    "Performer",
    "PerformerSettings",
    "PersonHeard",
    "PersonSpeaking",
    "PlainLine",
    "PlainPause",
    "PlainRate",
    "PlainStep",
    "PlainWord",
    "RateAt",
    "Reach",
    "Refused",
    "Script",
    "Segment",
    "Speak",
    "Started",
    "State",
    "StepAt",
    "StepDone",
    "Stop",
    "StopSpeaking",
    "VoiceFinished",
    "VoicePrepared",
    "VoiceStarted",
    "VoiceWord",
    "WordAt",
    "WordTimes",
    "cut",
]
