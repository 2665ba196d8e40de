"""What the bus is told before a speech and when it begins: its words, the movement of the mouth."""

from __future__ import annotations

from sera.messages import MouthPoint, SpeechPrepared, SpeechStarted, WordTime
from sera.speech import Speech, mouth_curve, thinned_mouth


def started(speech: str, text: str, spoken: Speech) -> SpeechStarted:
    """That the first sound is heard.

    Args:
        speech: id of its Speak.
        text: what was asked for.
        spoken: what the voice made of it.
    """
    mouth = thinned_mouth(mouth_curve(spoken))
    return SpeechStarted(
        speech=speech,
        text=text,
        voice=spoken.voice or None,
        expected_duration_s=spoken.duration_s,
        mouth=[
            MouthPoint(time_s=round(time_s, 4), opening=round(min(1.0, max(0.0, opening)), 3))
            for time_s, opening in mouth.points
        ],
    )


def prepared(speech: str, spoken: Speech, starts_in_s: float) -> SpeechPrepared:
    """That the sound is made, and when its words will be heard."""
    return SpeechPrepared(
        speech=speech,
        starts_in_s=starts_in_s,
        duration_s=spoken.duration_s,
        words=[
            WordTime(offset=word.offset, start_s=round(max(0.0, word.start_s), 4))
            for word in spoken.words
        ],
    )
