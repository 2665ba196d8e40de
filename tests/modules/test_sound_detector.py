"""The sound detector on the bus: people are heard, robots are not, troubles are sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.io import wavfile

from sera.evaluation.perception import sound
from sera.messages import (
    Envelope,
    SensorState,
    SoundLevel,
    SpeechActivity,
    SpeechFinished,
    SpeechStarted,
)

pytestmark = [pytest.mark.needs_program("flite"), pytest.mark.needs_program("espeak-ng")]

SCENARIO = """
[scenario]
title = "Play"
duration_s = 60

{tables}
[modules.ears]
module = "sound_detector"
source = "{source}"
{settings}
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
Play = Callable[..., list[Envelope]]


@pytest.fixture
def play(acted: Callable[..., list[Envelope]], tmp_path: Path) -> Play:
    """Let the detector hear samples in virtual time; what was said on the bus comes back."""

    def run(
        samples: Any,
        body: str = "",
        *,
        tables: str = "",
        settings: str = "",
        files: dict[str, str] | None = None,
    ) -> list[Envelope]:
        path = tmp_path / "room.wav"
        lasts_s = 1.0
        if samples is not None:
            whole = np.clip(samples, -1, 1)
            wavfile.write(path, sound.RATE_HZ, np.rint(whole * 32767).astype("int16"))
            lasts_s = len(samples) / sound.RATE_HZ + 0.5
        text = SCENARIO.format(tables=tables, source=path, settings=settings)
        return acted(text, f"{body}\nawait self.clock.sleep({lasts_s} - self.clock.now())", files)

    return run


def of(seen: list[Envelope], kind: type[Any]) -> list[Envelope]:
    return [one for one in seen if isinstance(one.message, kind)]


def spoke(seen: list[Envelope]) -> list[tuple[bool, str | None, str | None]]:
    return [(m.speaking, m.person, m.side) for m in (e.message for e in of(seen, SpeechActivity))]


def states(seen: list[Envelope]) -> list[tuple[str, str | None]]:
    return [(e.message.status.value, e.message.problem) for e in of(seen, SensorState)]


def test_somebody_who_speaks_is_heard_at_the_time_of_the_sound(play):
    line = sound.say("flite:slt", sound.SENTENCES[0], -20.0)
    scene = sound.placed(line, 1.0, 5.0) + sound.noise("pink", 5.0, -50.0, 1)
    seen = play(scene)
    begin, end = of(seen, SpeechActivity)
    assert (begin.message.speaking, end.message.speaking) == (True, False)
    assert begin.time == pytest.approx(1.0, abs=0.15)
    assert end.time == pytest.approx(1.0 + len(line) / sound.RATE_HZ, abs=0.25)
    assert begin.message.loudness_dbfs == pytest.approx(-20, abs=8)
    levels = of(seen, SoundLevel)
    assert 10 <= len(levels) / 5.0 <= 20
    assert max(e.message.voice for e in levels if e.time < 0.8) < 0.5
    quiet = [e.message.loudness_dbfs[0] for e in levels if e.time < 0.8]
    assert np.median(quiet) == pytest.approx(-50, abs=3)
    first, *_, last = states(seen)
    assert first == ("ok", None)
    assert last == ("lost", "file room.wav is over: set repeat = true to hear it again")


WORN = """
[people.blue]
seat = "west"
[people.orange]
position_m = [0.5, 0, 1]
[space.seats.west]
position_m = [-0.5, 1.2, 1]
[space.microphones.lapels]
worn_by = ["west", "orange"]
"""


def test_worn_microphones_tell_who_speaks(play):
    scene = sound.worn_pair(3, "right")
    seen = play(scene.samples, tables=WORN)
    assert {(person, side) for _, person, side in spoke(seen)} == {("orange", "right")}


def test_two_people_at_once_are_both_named_and_sides_can_be_swapped(play):
    scene = sound.worn_pair(0, "both")
    seen = play(scene.samples, tables=WORN, settings="swap_sides = true")
    began = {(person, side) for speaking, person, side in spoke(seen) if speaking}
    assert began == {("blue", "right"), ("orange", "left")}


def test_a_pair_at_a_known_distance_tells_the_direction_in_the_room(play):
    scene = sound.spaced_pair(1, 30.0, 0.2)
    table = "[space.microphones.table]\nyaw_deg = -20\nspacing_m = 0.2"
    seen = play(scene.samples, tables=table)
    begin = of(seen, SpeechActivity)[0].message
    assert begin.speaking
    assert begin.side is None
    # A yaw to the left is positive, an angle to the right is.
    assert begin.direction.horizontal_deg == pytest.approx(50.0, abs=4.0)
    assert begin.direction.vertical_deg == pytest.approx(0.0, abs=0.1)


SPEAKER = """
[characters.ada.modules.speaker]
voice = "recorded"
recordings = "{folder}"
"""
LINE = "I think the red card belongs to the second row. Could you show me the other one, please?"


def recorded(folder: Path) -> Any:
    """Record the robot's line; its samples come back."""
    line = sound.say("flite:rms", LINE, -20.0)
    folder.mkdir()
    path = folder / "line.wav"
    wavfile.write(path, sound.RATE_HZ, np.rint(np.clip(line, -1, 1) * 32767).astype("int16"))
    (folder / "line.txt").write_text(LINE, encoding="utf-8")
    return line


def echo_of(line: Any, at_s: float, duration_s: float) -> Any:
    heard = sound.delayed(sound.placed(line, at_s, duration_s), 0.2)
    heard = signal.fftconvolve(heard, sound.room(4))[: round(duration_s * sound.RATE_HZ)]
    return sound.at_level(heard, -20.0) + sound.noise("pink", duration_s, -55.0, 4)


SAY = f'await self.clock.sleep(0.5)\nawait self.publish(Speak(text="{LINE}"))'


@pytest.mark.parametrize("shares", [True, False])
def test_the_robot_does_not_hear_itself(play, tmp_path, shares):
    line = recorded(tmp_path / "voice")
    tables = SPEAKER.format(folder=tmp_path / "voice")
    tables += f"share_sound = {'true' if shares else 'false'}\n"
    seen = play(echo_of(line, 0.5, 8.0), SAY, tables=tables)
    assert of(seen, SpeechStarted)[0].message.voice == "recorded"
    assert spoke(seen) == []
    counts = of(seen, SensorState)[-1].message.counts
    assert (counts["own_lines"], counts["own_sounds"]) == (1, int(shares))


def test_the_same_sound_without_a_robot_is_somebody(play, tmp_path):
    line = recorded(tmp_path / "voice")
    assert (True, None, None) in spoke(play(echo_of(line, 0.5, 8.0)))


def test_another_robots_voice_is_nobodys_either(play, tmp_path):
    line = recorded(tmp_path / "voice")
    tables = SPEAKER.format(folder=tmp_path / "voice").replace("ada", "grace")
    tables += '[characters.grace.modules.asker]\nmodule = "./asker.py:Asker"\n'
    asker = (
        "from sera import Module\nfrom sera.messages import Speak\n"
        "class Asker(Module):\n    async def run(self):\n"
        f'        await self.clock.sleep(0.5)\n        await self.publish(Speak(text="{LINE}"))\n'
    )
    seen = play(echo_of(line, 0.5, 8.0), tables=tables, files={"asker.py": asker})
    assert of(seen, SpeechStarted)[0].character == "grace"
    assert spoke(seen) == []


def test_a_person_who_talks_over_the_robot_is_heard_within_300_ms(play, tmp_path):
    line = recorded(tmp_path / "voice")
    person = sound.placed(sound.say("flite:slt", sound.SENTENCES[4], -20.0), 3.0, 8.0)
    tables = SPEAKER.format(folder=tmp_path / "voice")
    seen = play(echo_of(line, 0.5, 8.0) + person, SAY, tables=tables)
    ended_s = of(seen, SpeechFinished)[0].time
    begin = next(e for e in of(seen, SpeechActivity) if e.message.speaking)
    assert 3.0 <= begin.time + 0.096 <= 3.3 < ended_s


LISTENER = """
from sera import Module, on
from sera.messages import SensorState, SoundLevel, Speak

class Listener(Module):
    said = False

    @on(SoundLevel)
    async def speak_once(self, _message):
        if not self.said:
            self.said = True
            await self.publish(Speak(text="Good morning."))

    @on(SensorState)
    async def leave(self, message):
        if message.counts["own_sounds"]:
            await self.end_run("its own sound was given to it")
"""


def test_a_detector_in_a_process_of_its_own_is_given_what_the_robot_says(acted_for_real, tmp_path):
    # A microphone that is muted now and then is told of again and again, with what was counted.
    hiss = sound.noise("pink", 2.0, -50.0, 1)
    hiss[sound.RATE_HZ // 2 :] = 0.0
    wavfile.write(tmp_path / "room.wav", sound.RATE_HZ, (hiss * 32767).astype("int16"))
    tables = "[characters.ada.modules.speaker]\n"
    tables += '[characters.ada.modules.listener]\nmodule = "./listener.py:Listener"\n'
    settings = 'process = "own"\nrepeat = true\n'
    text = SCENARIO.format(tables=tables, source=tmp_path / "room.wav", settings=settings)
    text = text.replace("= 60", "= 600")
    records = acted_for_real(text, "await self.clock.sleep(600)", {"listener.py": LISTENER})
    states = [one["data"] for one in records if one.get("type") == "SensorState"]
    assert states[0]["status"] == "ok"
    assert states[-1]["counts"]["own_sounds"] == 1
    assert states[-1]["delay_s"] >= 0
    assert [one for one in records if one.get("type") == "SoundLevel"]


MANAGER = """
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
"""


def test_own_speech_is_no_answer_and_does_not_hold_the_floor(play, tmp_path):
    line = recorded(tmp_path / "voice")
    rows = f'category,text\nask,"{LINE}"\nthen,Good.\n'
    body = (
        'await self.clock.sleep(0.5)\nawait self.publish(PerformUtterance(category="ask"))\n'
        'await self.publish(PerformUtterance(category="then"))'
    )
    tables = SPEAKER.format(folder=tmp_path / "voice") + MANAGER
    seen = play(echo_of(line, 0.5, 9.0), body, tables=tables, files={"lines.csv": rows})
    assert spoke(seen) == []
    _, second = of(seen, SpeechStarted)
    end = of(seen, SpeechFinished)[0]
    assert end.message.outcome.value == "completed"
    assert second.time - end.time < 1.0, "its own echo held the floor"


def test_a_missing_file_is_a_sentence_with_its_name(play):
    status, problem = states(play(None))[0]
    assert status == "missing"
    assert "there is no sound file" in problem
    assert "room.wav" in problem


def test_a_muted_microphone_is_a_sentence(play):
    seen = play(np.zeros(3 * sound.RATE_HZ))
    assert (
        "degraded",
        "the microphone is muted: switch it on, or raise its level in the mixer",
    ) in states(seen)
    assert spoke(seen) == []


def test_a_clipped_microphone_is_told_and_forgiven(play):
    loud = np.clip(4 * sound.noise("pink", 2.0, -6.0, 1), -1, 1)
    seen = play(np.concatenate([loud, sound.noise("pink", 12.0, -40.0, 1)]))
    found = [status for status, _ in states(seen)]
    assert "clipped: lower the level" in str(states(seen))
    assert found.index("degraded") < len(found) - 1 - found[::-1].index("ok")


def test_without_the_network_loudness_decides_and_the_state_says_so(play, monkeypatch):
    from sera.hearing import voice_model

    monkeypatch.setattr(voice_model, "_MODEL", "silero_vad/data/nothing.onnx")
    voice_model._session.cache_clear()
    line = sound.say("flite:slt", sound.SENTENCES[0], -20.0)
    try:
        seen = play(sound.placed(line, 1.0, 5.0) + sound.noise("white", 5.0, -50.0, 1))
    finally:
        voice_model._session.cache_clear()
    status, problem = states(seen)[0]
    assert status == "degraded"
    assert "by loudness alone: pip install" in problem
    assert spoke(seen)[0] == (True, None, None)
    assert spoke(seen)[-1][0] is False
