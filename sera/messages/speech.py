"""The robot's own voice: orders to speak, and word by word what is being heard.

A *speech* is one order to the voice, known by the id of its Speak. Times inside a speech count
from its first sound.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from sera.messages._base import Action, Channel, Event
from sera.messages._parts import Fraction, Name, Part, Seconds


class SpeechRest(Part):
    """Silence before a word."""

    offset: int = Field(ge=0)
    """Where the word begins in the text, in characters from 0."""
    duration_s: Seconds
    """How long."""


class Speak(Action):
    """Say this text, with no gestures; a line with markup is a PerformUtterance."""

    valid_for_s = 2.0
    channel = Channel.SPEECH

    text: Name
    """What to say, tags already filled in. The robot's own words, so not marked personal: names
    that are marked elsewhere are replaced in the recording."""
    voice: Name | None = None
    """Voice to use; None: the character's own."""
    language: Name | None = None
    """Language tag such as `en` or `pt-PT`; None: the voice's own."""
    volume: Fraction | None = None
    """From silent to as loud as the voice can; None: as the voice is set."""
    rate: float = Field(default=1.0, ge=0.25, le=4)
    """Speed, 1 is the voice's own."""
    pitch: float = Field(default=1.0, ge=0.5, le=2)
    """Pitch, 1 is the voice's own."""
    wait_s: Seconds = 0.0
    """How long the finished sound waits before it is heard, so that a gesture gets ready;
    SpeechPrepared tells when that begins."""
    rests: list[SpeechRest] = Field(default_factory=list)
    """Silence within the text, such as before a sentence whose gesture needs it."""


class StopSpeaking(Action):
    """Be silent."""

    valid_for_s = 2.0
    channel = Channel.SPEECH

    speech: Name | None = None
    """Id of the Speak to stop; None: whatever is being said or waits."""
    politely: bool = False
    """True: end at the next word; False: be silent at once."""


class SetVoiceGain(Action):
    """Speak louder or quieter than usual from the next text on."""

    valid_for_s = 5.0
    channel = Channel.SPEECH

    gain_db: float = Field(ge=-40, le=12)
    """Decibels on the voice's usual loudness; 0 is as usual. Never louder than undistorted."""
    reason: str | None = None
    """Why, such as `people speak quietly`."""


class MouthPoint(Part):
    """How far the mouth is open at a moment of a speech."""

    time_s: Seconds
    """From the first sound of the speech."""
    opening: Fraction
    """From closed to wide open."""


class WordTime(Part):
    """When a word of a speech will be heard."""

    offset: int = Field(ge=0)
    """Where it begins in the text, in characters from 0."""
    start_s: Seconds
    """From the first sound of the speech."""


class SpeechPrepared(Event):
    """The sound of a speech is made and begins soon; gestures are timed by its words."""

    speech: Name
    """Id of its Speak."""
    starts_in_s: Seconds
    """How long until its first sound."""
    duration_s: Seconds
    """From the first sound to the last."""
    words: list[WordTime] = Field(default_factory=list)
    """When each word comes, as far as the voice knows or estimates."""


class SpeechStarted(Event):
    """The first sound of a speech was heard."""

    speech: Name
    """Id of its Speak."""
    text: str
    """What is being said."""
    voice: Name | None = None
    """Voice that says it."""
    expected_duration_s: Seconds | None = None
    """How long it will take, where the voice knows."""
    mouth: list[MouthPoint] = Field(default_factory=list)
    """How the mouth moves, joined by straight lines; empty where the voice does not know."""


class SpeechWord(Event):
    """The voice has reached this word."""

    speech: Name
    """Id of its Speak."""
    index: int = Field(ge=0)
    """Counts the words of the speech from 0."""
    text: str
    """The word."""
    start_s: Seconds
    """When it begins, from the first sound of the speech."""
    offset: int | None = Field(default=None, ge=0)
    """Where it begins in the text, in characters from 0."""
    estimated: bool = False
    """True where the voice gives no word times and this one is computed."""


class SpeechOutcome(StrEnum):
    """How a speech ended."""

    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"


class SpeechFinished(Event):
    """The voice is silent again."""

    speech: Name
    """Id of its Speak."""
    outcome: SpeechOutcome = SpeechOutcome.COMPLETED
    """How it ended."""
    duration_s: Seconds
    """From the first sound to the last."""
    words: int = Field(default=0, ge=0)
    """How many words were heard."""
    drift_s: float | None = None
    """Measured minus expected duration: how far estimated word times were off at the end."""
    problem: str | None = None
    """One plain sentence where it failed or was not heard as it should be."""
