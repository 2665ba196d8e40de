"""The voice obeys an emergency stop by itself, at whatever moment it comes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sera.bus import MemoryBus
from sera.messages import (
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    Speak,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
)
from tests.modules.booth import Booth
from tests.modules.booth import play as in_booth

FRAME_S = 0.02
WORD_S = 0.35  # about what a word of four letters takes


def play(scene: Any) -> list[Envelope]:
    async def ordered(booth: Booth) -> list[Envelope]:
        await scene(booth.someone)
        return booth.heard

    return in_booth(ordered, clock="virtual")


def of(heard: list[Envelope], kind: type) -> list[Envelope]:
    return [envelope for envelope in heard if isinstance(envelope.message, kind)]


@pytest.mark.parametrize("moment_s", [0.001, 0.5 * WORD_S, WORD_S, 2 * WORD_S, 2.3 * WORD_S])
def test_no_word_begins_after_a_stop_and_the_speech_ends_as_stopped_within_a_frame(moment_s):
    async def scene(someone: MemoryBus) -> None:
        someone.publish(Speak(text="four four four four four four"))
        await asyncio.sleep(moment_s)
        someone.publish(EmergencyStop())
        await asyncio.sleep(3.0)

    heard = play(scene)
    (stop,) = of(heard, EmergencyStop)
    (end,) = of(heard, SpeechFinished)
    assert end.message.outcome == "stopped"
    assert end.time - stop.time < FRAME_S
    later = [word for word in of(heard, SpeechWord) if word.time > stop.time]
    assert later == []
    assert end.message.words == len(of(heard, SpeechWord))


def test_what_waits_and_what_comes_later_is_refused_until_the_release():
    async def scene(someone: MemoryBus) -> None:
        for text in ("one two three four", "it waits", "it waits as well"):
            someone.publish(Speak(text=text))
        await asyncio.sleep(0.3)
        someone.publish(EmergencyStop())
        await asyncio.sleep(0.1)
        someone.publish(Speak(text="not now"))
        await asyncio.sleep(1.0)
        someone.publish(EmergencyRelease())
        await asyncio.sleep(0.1)
        someone.publish(Speak(text="again"))
        await asyncio.sleep(2.0)

    heard = play(scene)
    assert [str(end.message.outcome) for end in of(heard, SpeechFinished)] == [
        *["stopped"] * 4,
        "completed",
    ]
    assert [start.message.text for start in of(heard, SpeechStarted)] == [
        *("one two three four", "again")
    ]


def test_speak_and_stop_in_one_moment_say_nothing_at_all():
    async def scene(someone: MemoryBus) -> None:
        someone.publish(Speak(text="hello"))
        someone.publish(EmergencyStop())
        await asyncio.sleep(1.0)

    heard = play(scene)
    assert of(heard, SpeechWord) == []
    assert [str(end.message.outcome) for end in of(heard, SpeechFinished)] == ["stopped"]
