"""The story of a run: one plain sentence for each thing that people would want to be told.

`tell` is pure: an envelope in, a sentence or nothing out. Streams, receipts and other technical
messages make no sentence. A laboratory's own messages are told in a general form, or in their own
words where their class has a `__str__`; where these are empty it is nothing to tell.
`Storyteller` adds the little memory that a good story needs: who came back, what is a repeat, and
that a line and the voice that says it are one thing.
"""

from __future__ import annotations

import re
from typing import Any

from sera.cli._tales import TALES
from sera.cli._text import clean
from sera.messages import (
    WORLD,
    ActionExpired,
    EmergencyStop,
    Envelope,
    Kind,
    Message,
    MessageId,
    ModuleFault,
    ModulePresence,
    PresenceStatus,
    RunEnding,
    RunOutcome,
    Severity,
    SpeechStarted,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)


def tell(envelope: Envelope) -> str | None:
    """What happened, in one sentence; None where it is nothing to tell people."""
    message = envelope.message
    if message.stream:
        return None
    if isinstance(message, ModulePresence):
        return f"{envelope.source} is lost" if message.status is PresenceStatus.LOST else None
    for kind in type(message).__mro__:
        tale = TALES.get(kind)
        if tale is not None:
            sentence = tale(message, envelope.character)
            return None if sentence is None else clean(sentence)
    if message.family != "own":
        return None
    own_words = _tell_own(message, envelope.character)
    return clean(own_words) if own_words else None


def style_of(envelope: Envelope) -> str:
    """How a terminal shows the sentence: trouble in red and yellow, orders from outside in cyan."""
    message = envelope.message
    if isinstance(message, ModuleFault):
        return "yellow" if message.severity is Severity.WARNING else "red"
    if isinstance(message, EmergencyStop):
        return "bold red"
    if isinstance(message, RunEnding):
        return "red" if message.outcome is RunOutcome.FAILED else "bold"
    if isinstance(message, ActionExpired):
        return "yellow"
    if isinstance(message, ModulePresence):
        return "red" if message.status is PresenceStatus.LOST else "green"
    return ""


class Storyteller:
    """Tells a run as it happens."""

    def __init__(self) -> None:
        self._lost: set[str] = set()
        self._high_water: dict[str, tuple[int, int]] = {}
        self._states: dict[tuple[str, str], str | None] = {}
        self._lines: dict[str, str] = {}

    def hear(self, envelope: Envelope) -> str | None:
        """The sentence for a message, where it is one that has not been told already."""
        message = envelope.message
        if isinstance(message, ModulePresence):
            return self._presence(envelope, message)
        if message.kind is Kind.ACTION and self._is_repeat(envelope):
            return None
        if isinstance(message, UtteranceStarted):
            self._lines[envelope.character] = message.text
        elif isinstance(message, UtteranceFinished | UtteranceCancelled):
            self._lines.pop(envelope.character, None)
        elif isinstance(message, SpeechStarted) and message.text in self._lines.get(
            envelope.character, ""
        ):
            return None  # the voice of a line that has been told
        sentence = tell(envelope)
        if message.kind is Kind.STATE:
            # A State is published again and again; only a change is news.
            topic = (envelope.source, envelope.type)
            if self._states.get(topic) == sentence:
                return None
            self._states[topic] = sentence
        return sentence

    def _presence(self, envelope: Envelope, presence: ModulePresence) -> str | None:
        if presence.status is PresenceStatus.LOST:
            if envelope.source in self._lost:
                return None
            self._lost.add(envelope.source)
            return tell(envelope)
        if presence.status is PresenceStatus.PRESENT and envelope.source in self._lost:
            self._lost.discard(envelope.source)
            return f"{envelope.source} is back"
        return None

    def _is_repeat(self, envelope: Envelope) -> bool:
        """Whether an Action was sent again: its sender waits for a receipt."""
        source, boot, sequence = MessageId.parse(envelope.id)
        known = self._high_water.get(source, (0, 0))
        if (boot, sequence) <= known:
            return True
        self._high_water[source] = (boot, sequence)
        return False


def _tell_own(message: Message, character: str) -> str:
    who = "" if character == WORLD else f"{character}: "
    if type(message).__str__ is not Message.__str__:
        own_words = str(message)
        return f"{who}{own_words}" if own_words else ""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", type(message).__name__).lower()
    fields = message.model_dump(mode="json", exclude_none=True)
    subject = fields.pop("person", None)
    rest = ", ".join(f"{key} {_short(value)}" for key, value in fields.items())
    told = f"{subject}: {words}" if subject else f"{who}{words}"
    return f"{told} ({rest})" if rest else told


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
