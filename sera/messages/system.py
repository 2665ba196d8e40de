"""The system about itself: who is present, what went wrong, what was delivered, whose clock."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sera.messages._base import Event, State
from sera.messages._parts import Name, Seconds


class PresenceStatus(StrEnum):
    """Where a module is in its life."""

    STARTING = "starting"
    PRESENT = "present"
    STOPPED = "stopped"
    LOST = "lost"


class Severity(StrEnum):
    """How bad a fault is: a warning lets the work go on, an error lost something."""

    WARNING = "warning"
    ERROR = "error"


class RunOutcome(StrEnum):
    """Why a run ends."""

    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"


class ModulePresence(State):
    """A module is there, or not; `lost` is its last will, which the broker publishes."""

    status: PresenceStatus
    """Where the module is in its life."""
    boot: int = Field(ge=0)
    """Counts the starts of this module; part of its message ids."""
    handles: list[Name] = Field(default_factory=list)
    """Names of the message types it handles: senders wait for its receipts of these Actions."""
    hears_all: bool = False
    """True where it hears every message of every character (recorder, monitor)."""
    role: Name = "module"
    """What it is to the run: `module`, `decision`, `recorder`, `console`, `gateway` …"""
    problem: str | None = None
    """One plain sentence about what keeps it from working (no camera, muted microphone)."""
    version: str | None = None
    """Version of the software it runs."""
    host: str | None = None
    """Machine it runs on; left out in virtual time, so that logs are identical."""
    process_id: int | None = Field(default=None, ge=0)
    """Process it runs in; left out in virtual time, so that logs are identical."""


class ModuleFault(Event):
    """Something went wrong; the module goes on with the next message."""

    module: Name
    """Source at fault, `<character>.<module>`."""
    severity: Severity = Severity.ERROR
    """How bad it is."""
    summary: Name
    """One sentence: what, where, and what to do."""
    detail: str | None = None
    """Traceback or further lines, without the values of personal fields."""
    about: str | None = None
    """Id of the message that was being handled."""
    sender: str | None = None
    """Source of the message that was being handled."""


class ModuleCounters(State):
    """What a module and its connection have counted since they started."""

    counts: dict[Name, Annotated[int, Field(ge=0)]]
    """Count by name, such as `sent`, `received`, `dropped`, `expired`."""


class ExpiryReason(StrEnum):
    """Why an Action was not performed."""

    TOO_OLD = "too_old"
    NO_ANSWER = "no_answer"
    NO_RECEIVER = "no_receiver"
    OUTBOX_FULL = "outbox_full"


class ActionExpired(Event):
    """An Action was not performed in time, and never will be."""

    action: Name
    """Id of the Action."""
    action_type: Name
    """Message type of the Action."""
    sender: Name
    """Source that gave the order."""
    receiver: str | None = None
    """Source that did not perform it; None where nobody received it."""
    reason: ExpiryReason
    """Why it was not performed."""
    age_s: Seconds
    """How old the order was when it was given up."""


class SensorStatus(StrEnum):
    """How a sensor is."""

    STARTING = "starting"
    OK = "ok"
    DEGRADED = "degraded"
    LOST = "lost"
    MISSING = "missing"


class SensorState(State):
    """How a camera, a microphone or another sense is; it comes back by itself."""

    sense: Literal["camera", "microphone", "markers", "speech", "other"]
    """What sort of sensor."""
    status: SensorStatus
    """How it is."""
    problem: str | None = None
    """One plain sentence where it is not ok: what, and what to do."""
    device: str | None = None
    """Which device, file or address."""
    rate_hz: float = Field(default=0.0, ge=0)
    """How many pictures or blocks of sound a second are worked on."""
    delay_s: float | None = Field(default=None, ge=0)
    """From the moment of a picture or a sound to its message, in the middle."""
    counts: dict[Name, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """What was counted, such as frames, dropped ones, faces."""


class Receipt(Event):
    """The sender of this message has received these Actions and will handle each of them once."""

    ids: list[Name] = Field(min_length=1)
    """Ids of the Actions, in the order of their arrival."""


class Handled(Event):
    """What a module has handled, in the order in which it began with each; a replay follows it."""

    first: int = Field(default=0, ge=0)
    """How many it had handled before these, so that a gap is noticed."""
    lives: list[Name]
    """The beginnings of the messages' ids, `source-boot`, each once."""
    order: list[Annotated[int, Field(ge=0)]]
    """Two numbers a message: which of `lives`, counted from 0, and the sequence of its id."""

    @property
    def ids(self) -> list[str]:
        """The ids of the messages in their order; those that name no life are passed over."""
        pairs = zip(self.order[::2], self.order[1::2], strict=False)
        lives = self.lives
        return [f"{lives[life]}-{number}" for life, number in pairs if life < len(lives)]


class ClockProbe(Event):
    """Asks the recorder for its time; the envelope's `time` says when the question left."""

    sequence: int = Field(default=0, ge=0)
    """Counts the questions of this module."""


class ClockReply(Event):
    """The recorder's answer to a ClockProbe, which is its cause."""

    probe: Name
    """Id of the ClockProbe."""
    received_at_s: Seconds
    """When the question arrived, on the recorder's clock."""
    sent_at_s: Seconds
    """When this answer left, on the recorder's clock."""


class ClockOffset(State):
    """How far the clock of this module's machine is from the recorder's."""

    offset_s: float
    """Recorder's time minus own time: add it to own times to compare them."""
    round_trip_s: Seconds
    """Way there and back of the best probe; half of it bounds the error of the offset."""
    probes: int = Field(default=1, ge=1)
    """Number of answered probes the offset is taken from."""


class RunEnding(Event):
    """The run is about to end: modules finish, then retained State is cleared."""

    belongs_to_world = True

    outcome: RunOutcome = RunOutcome.COMPLETED
    """Why it ends."""
    reason: str | None = None
    """One sentence for the summary."""
    by: str | None = None
    """Source that asked for the end."""
