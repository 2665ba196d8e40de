"""What happens while one line is performed, told as it happens."""

from __future__ import annotations

from sera.cli._text import clean, note
from sera.messages import (
    Action,
    Envelope,
    Gaze,
    Message,
    ModuleFault,
    PerformUtterance,
    Point,
    Speak,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopSpeaking,
    UtteranceCancelled,
    UtteranceFinished,
    UtteranceStarted,
)

_NOT_TOLD = (PerformUtterance, Speak, StopSpeaking)
_BY_HAND = {
    "Gaze": "looks at",
    "Highlight": "highlights",
    "PlayAnimation": "plays",
    "PlayMedia": "plays",
    "Point": "points at",
    "SetFace": "shows",
}


class Told:
    """Prints one line's performance, and remembers how it ended."""

    def __init__(self) -> None:
        self.problem: str | None = "the line did not end"
        """Why it was not performed to its end; None where it was."""
        self.parts_s: list[float] = []
        """When each audible part began, from the first sound on."""
        self._began_s = 0.0
        self._first_sound_s: float | None = None
        self._utterance: str | None = None
        self._word = ""

    def hear(self, envelope: Envelope) -> None:
        """Tell a message of the run, where it belongs to the line."""
        message = envelope.message
        if isinstance(message, ModuleFault):
            note(clean(message.summary))
        elif isinstance(message, UtteranceStarted):
            self._begin(envelope, message)
        elif isinstance(message, UtteranceFinished):
            self._finish(message)
        elif isinstance(message, UtteranceCancelled):
            why = message.detail or message.reason.value.replace("_", " ")
            self.problem = f"the line was not performed: {why}"
        elif isinstance(message, SpeechStarted):
            if self._first_sound_s is None:
                self._first_sound_s = envelope.time
                print(f"voice: {message.voice or 'unknown'}")
            self.parts_s.append(envelope.time - self._first_sound_s)
        elif isinstance(message, SpeechWord):
            self._word = message.text
            about = "  (time estimated)" if message.estimated else ""
            self._print(envelope.time, f"{message.text}{about}")
        elif isinstance(message, SpeechFinished) and message.problem:
            note(clean(message.problem))
        elif isinstance(message, Action) and not isinstance(message, _NOT_TOLD):
            self._act(envelope, message)

    def _begin(self, envelope: Envelope, message: UtteranceStarted) -> None:
        self._began_s, self._utterance = envelope.time, message.utterance
        which = "" if message.line is None else f" line '{message.line}'"
        category = f" ({message.category})" if message.category else ""
        print(clean(f"{envelope.character} performs{which}{category}: {message.text}"))

    def _act(self, envelope: Envelope, message: Message) -> None:
        if self._utterance is None or envelope.source.endswith(".director"):
            return
        own = envelope.cause == self._utterance
        if not own and not isinstance(message, Gaze):
            return
        where = f"at “{self._word}”" if self._word else "before the first word"
        by = where if own else "by itself"
        self._print(envelope.time, f"        {_description(message)}, {by}")

    def _finish(self, message: UtteranceFinished) -> None:
        self.problem = None
        for one in message.substitutions:
            done = f"{one.done} instead" if one.done else "nothing instead"
            why = f": {one.why}" if one.why else ""
            print(clean(f"{one.wanted} was not performed as written, {done}{why}"))
        print(f"over after {message.duration_s:.2f} s")

    def _print(self, time_s: float, sentence: str) -> None:
        print(clean(f"{max(0.0, time_s - self._began_s):7.2f} s  {sentence}"))


def _description(message: Message) -> str:
    """What the robot does, in few words."""
    name = type(message).__name__
    fields = message.model_dump(mode="json", exclude_defaults=True)
    if isinstance(message, Gaze | Point):
        angles = message.direction
        across, up = round(angles.horizontal_deg) + 0, round(angles.vertical_deg) + 0
        place = f"{across}°, {up}°"
        return f"{_BY_HAND[name]} {message.target or 'a direction'} ({place})"
    shown = ", ".join(
        str(value) if index == 0 else f"{key} {value}"
        for index, (key, value) in enumerate(fields.items())
    )
    return f"{_BY_HAND.get(name, name)} {shown}".rstrip()
