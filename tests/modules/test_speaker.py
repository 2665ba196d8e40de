"""The voice on the bus: words as they are heard, silence when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sera.messages import EmergencyStop, Envelope, SpeechFinished, SpeechStarted, SpeechWord

SCENARIO = """
[scenario]
title = "Play"
duration_s = 30

[characters.ada.modules.speaker]
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
LONG = 'await self.publish(Speak(text="one two three four five six seven eight nine ten"))\n'


@pytest.fixture
def play(acted: Callable[..., list[Envelope]]) -> Callable[[str], list[Envelope]]:
    return lambda body: acted(SCENARIO, body)


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


def test_words_come_in_order_at_their_times_and_texts_wait_for_each_other(play):
    seen = play(
        'await self.publish(Speak(text="Good morning to you."))\n'
        'await self.publish(Speak(text="And to you."))\n'
        "await self.clock.sleep(6)\n"
    )
    told = [type(e.message).__name__ for e in seen if type(e.message).__name__.startswith("Speech")]
    begun = ["SpeechPrepared", "SpeechStarted"]
    first = [*begun, *["SpeechWord"] * 4, "SpeechFinished"]
    assert told == [*first, *begun, *["SpeechWord"] * 3, "SpeechFinished"]
    words = [e for e in seen if isinstance(e.message, SpeechWord)]
    assert [e.message.text for e in words] == ["Good", "morning", "to", "you", "And", "to", "you"]
    began_s = next(e.time for e in seen if isinstance(e.message, SpeechStarted))
    for each in words[:4]:
        assert each.time == pytest.approx(began_s + each.message.start_s, abs=0.01)
    assert [each.drift_s for each in of(seen, SpeechFinished)] == pytest.approx(
        [0.0, 0.0], abs=0.01
    )


def test_silence_comes_at_once_or_at_the_next_word(play):
    seen = play(
        LONG + "await self.clock.sleep(1)\n"
        "await self.publish(StopSpeaking())\n"
        "await self.clock.sleep(1)\n" + LONG + "await self.clock.sleep(1)\n"
        "await self.publish(StopSpeaking(politely=True))\n"
        "await self.clock.sleep(2)\n"
    )
    ends = of(seen, SpeechFinished)
    assert [str(end.outcome) for end in ends] == ["stopped", "stopped"]
    assert ends[0].duration_s == pytest.approx(1.0, abs=0.1)
    assert 1.0 <= ends[1].duration_s < 1.6
    assert all(1 <= end.words < 10 for end in ends)


def test_an_emergency_stop_silences_what_is_said_and_what_waits_until_it_is_released(play):
    seen = play(
        LONG + LONG + "await self.clock.sleep(0.5)\n"
        "await self.publish(EmergencyStop())\n"
        "await self.clock.sleep(0.5)\n"
        'await self.publish(Speak(text="not now"))\n'
        "await self.clock.sleep(0.5)\n"
        "await self.publish(EmergencyRelease())\n"
        'await self.publish(Speak(text="now"))\n'
        "await self.clock.sleep(2)\n"
    )
    outcomes = [str(end.outcome) for end in of(seen, SpeechFinished)]
    assert outcomes == ["stopped", "stopped", "stopped", "completed"]
    stopped_s = next(e.time for e in seen if isinstance(e.message, EmergencyStop))
    between = [e for e in seen if isinstance(e.message, SpeechWord) and e.time > stopped_s]
    assert [e.message.text for e in between] == ["now"]


def test_espeak_speaks_in_real_time_with_measured_words(acted_for_real):
    records = acted_for_real(
        SCENARIO.replace("= 30", "= 600"),
        'await self.publish(Speak(text="Hello, my name is Ada."))\nawait first(SpeechFinished)\n',
    )
    words = [each for each in records if each.get("type") == "SpeechWord"]
    assert [each["data"]["text"].strip(",.") for each in words] == [
        "Hello",
        "my",
        "name",
        "is",
        "Ada",
    ]
    assert not any(each["data"]["estimated"] for each in words)
    starts_s = [each["data"]["start_s"] for each in words]
    assert starts_s == sorted(starts_s)
    (began,) = [each for each in records if each.get("type") == "SpeechStarted"]
    assert all(began["time"] <= each["time"] for each in words)
    (end,) = [each for each in records if each.get("type") == "SpeechFinished"]
    assert end["data"]["outcome"] == "completed"
