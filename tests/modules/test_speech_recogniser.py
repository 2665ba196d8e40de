"""The speech recogniser on the bus: a voice answers the robot, and the dialogue goes on."""

from __future__ import annotations

import subprocess
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.messages import (
    DialogueMoved,
    Envelope,
    ModuleFault,
    SensorState,
    SensorStatus,
    SpeechHeard,
)

flite = pytest.mark.needs_program("flite")
SCENARIO = """
[scenario]
title = "Play"
seed = 3
duration_s = {lasts_s}
[characters.ada]
robot = "nao"
[characters.ada.modules.dialogue]
sheet = "play.csv"
language = "en"
at_end = "stay"
[characters.ada.modules.actor]
module = "./actor.py:Actor"
[characters.ada.modules.speech_recogniser]
source = "{source}"
sheet = "play.csv"
{settings}
"""
SHEET = """Current State,Next State,When,Style,Utterance en
Start,Asked,PersonDetected,,
Asked,Playing,SpeechHeard text contains yes,,
Asked,Refused,SpeechHeard text contains no,,
Playing,Story,SpeechHeard text contains story,,
Refused,end,SpeechHeard text contains sorry,,
Story,end,after 60 s,,
"""
MEET = "await self.publish(PersonDetected(person='visitor'))\nawait self.clock.sleep({lasts_s})"


def voices(file: Path, *said: tuple[float, str], lasts_s: float) -> Path:
    """A sound file in which flite says texts at times, in a quiet room."""
    sound = np.random.default_rng(1).normal(0.0, 12.0, int(lasts_s * 16_000))
    for at_s, text in said:
        made = file.with_suffix(".one.wav")
        subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(made)], check=True)
        with wave.open(str(made)) as one:
            assert one.getframerate() == 16_000
            samples = np.frombuffer(one.readframes(one.getnframes()), "<i2")
        start = int(at_s * 16_000)
        sound[start : start + len(samples)] += samples
    with wave.open(str(file), "wb") as out:
        out.setparams((1, 2, 16_000, 0, "NONE", ""))
        out.writeframes(np.clip(sound, -32768, 32767).astype("<i2").tobytes())
    return file


def scenario(source: object, lasts_s: float, settings: str = "") -> str:
    return SCENARIO.format(source=source, lasts_s=lasts_s + 5, settings=settings)


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [each.message for each in seen if isinstance(each.message, kind)]


@flite
def test_a_voice_leads_the_dialogue_from_state_to_state(
    acted: Callable[..., list[Envelope]], tmp_path: Path
) -> None:
    file = voices(
        tmp_path / "answers.wav",
        (1.0, "the weather is nice today"),
        (4.0, "oh yes I do"),
        (7.0, "please tell me a story"),
        lasts_s=10.0,
    )
    seen = acted(scenario(file, 10.0), MEET.format(lasts_s=11), {"play.csv": SHEET})
    assert [moved.state for moved in of(seen, DialogueMoved)] == [
        "Start",
        "Asked",
        "Playing",
        "Story",
    ]
    final = [each for each in seen if isinstance(each.message, SpeechHeard) and each.message.final]
    assert [each.message.text for each in final] == ["yes", "story"]
    assert [3.0 < final[0].time < 4.5, 6.0 < final[1].time < 7.5] == [True, True]  # of the capture
    (word,) = final[0].message.words
    assert 4.0 < final[0].time + word.start_s < 5.0
    assert final[0].message.confidence > 0.5
    guesses = [each for each in of(seen, SpeechHeard) if not each.final]
    assert "yes" in [guess.text for guess in guesses]
    assert of(seen, SensorState)[-1].status is SensorStatus.OK


@flite
def test_what_a_character_says_is_never_recognised_and_who_spoke_is_known(
    acted: Callable[..., list[Envelope]], tmp_path: Path
) -> None:
    file = voices(tmp_path / "answers.wav", (1.0, "yes"), (4.0, "no thank you"), lasts_s=7.0)
    body = """
    await self.publish(PersonDetected(person="visitor"))
    await self.clock.sleep(0.9)
    await self.publish(SpeechStarted(speech="s", text="yes", expected_duration_s=1.5))
    await self.clock.sleep(1.5)
    await self.publish(SpeechFinished(speech="s", outcome="completed", duration_s=1.5))
    await self.clock.sleep(1.9)
    await self.publish(SpeechActivity(speaking=True, person="visitor"))
    await self.clock.sleep(1.2)
    await self.publish(SpeechActivity(speaking=False, person="visitor"))
    await self.clock.sleep(2.5)
    """
    seen = acted(scenario(file, 7.0), body, {"play.csv": SHEET})
    final = [heard for heard in of(seen, SpeechHeard) if heard.final]
    assert [(heard.text, heard.person) for heard in final] == [("no", "visitor")]
    assert of(seen, DialogueMoved)[-1].state == "Refused"


def test_a_sheet_that_is_missing_is_told_and_the_open_vocabulary_serves(
    acted: Callable[..., list[Envelope]], tmp_path: Path
) -> None:
    file = voices(tmp_path / "room.wav", lasts_s=2.0)
    play = scenario(file, 2.0).replace('sheet = "play.csv"\n\n', 'sheet = "plya.csv"\n')
    assert "plya" in play
    seen = acted(play, MEET.format(lasts_s=3), {"play.csv": SHEET})
    faults = [fault.summary for fault in of(seen, ModuleFault)]
    assert any("plya.csv" in fault and "no such file" in fault for fault in faults)
    assert of(seen, SensorState)[-1].status is SensorStatus.OK


def test_another_language_is_told_in_a_sentence_and_the_module_lives(
    acted: Callable[..., list[Envelope]], tmp_path: Path
) -> None:
    file = voices(tmp_path / "room.wav", lasts_s=3.0)
    seen = acted(
        scenario(file, 3.0, 'language = "pt"'), MEET.format(lasts_s=4), {"play.csv": SHEET}
    )
    last = of(seen, SensorState)[-1]
    assert last.status is SensorStatus.DEGRADED
    assert "English only, not for 'pt'" in last.problem


def test_a_source_that_is_missing_is_told_and_found_when_it_comes(
    acted: Callable[..., list[Envelope]], tmp_path: Path
) -> None:
    file = voices(tmp_path / "room.wav", lasts_s=3.0)
    late = tmp_path / "late.wav"
    body = f"""
    await self.clock.sleep(2.5)
    import shutil
    shutil.copy({str(file)!r}, {str(late)!r})
    await self.clock.sleep(4)
    """
    states = of(acted(scenario(late, 6.0), body, {"play.csv": SHEET}), SensorState)
    assert [state.status for state in states] == ["starting", "missing", "ok"]
    assert "there is no sound file" in states[1].problem


@flite
def test_in_real_time_a_child_process_recognises(
    acted_for_real: Callable[..., list[dict[str, Any]]], tmp_path: Path
) -> None:
    # Again and again: a child may load its model for longer than an answer takes.
    file = voices(tmp_path / "answers.wav", (0.5, "oh yes I do"), lasts_s=2.5)
    body = "await self.publish(PersonDetected(person='visitor'))\n"
    body += "await first(DialogueMoved, lambda moved: moved.state == 'Playing')"
    log = acted_for_real(scenario(file, 600.0, "repeat = true"), body, {"play.csv": SHEET})
    moved = [each["data"]["state"] for each in log if each.get("type") == "DialogueMoved"]
    assert moved == ["Start", "Asked", "Playing"]
    heard = [each for each in log if each.get("type") == "SpeechHeard"]
    assert heard[-1]["data"]["text"] != "yes"  # personal: the log has a pseudonym
