"""Every voice on the bus: chosen in the scenario, and bounded when it fails."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from sera.messages import (
    BodyHealth,
    BodyState,
    EmergencyRelease,
    SetVoiceGain,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopSpeaking,
)
from sera.runtime.scenario import ScenarioError, load_scenario
from sera.runtime.workspace import Workspace
from sera.speech import Sound, write_wav
from sera.speech.gain import peak
from sera.speech.wav import read_wav
from tests.helpers import PATIENCE_S, until
from tests.modules.booth import Booth, play

WAV = write_wav(Sound(b"\x00\x20" * 1600, 16_000))


@pytest.mark.needs_program("espeak-ng")
def test_a_line_outlives_its_killed_espeak_and_so_does_the_next(tmp_path):
    async def scene(booth: Booth) -> None:
        espeak = booth.module._voice.voices[0]
        await booth.say("hi")
        first = espeak.process_id
        saying = asyncio.create_task(booth.say("one two"))
        await until(lambda: len(booth.of(SpeechStarted)) == 2)
        os.kill(first, signal.SIGKILL)
        during = await saying
        after = await booth.say("hi")
        assert [during.outcome, after.outcome] == ["completed", "completed"]
        assert (during.words, after.words) == (2, 1)
        assert espeak.process_id != first
        assert all(started.voice == "espeak" for started in booth.of(SpeechStarted))
        assert any("started again" in fault for fault in booth.faults)

    play(scene, tmp_path)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit('no model')", "ended with code 1: no model"),
        ("import time; time.sleep(60)", "took longer than 0.3 s"),
        ("print('no sound at all')", "not a WAV file"),
        ("pass", "nothing came"),
        (None, "cannot be started"),
    ],
)
def test_a_program_that_fails_is_replaced_by_silence(tmp_path, program, why):
    command = ["/no/such/program"] if program is None else [sys.executable, "-c", program]

    async def scene(booth: Booth) -> None:
        for _ in range(2):
            end = await booth.say("hi")
            assert end.outcome == "completed"
            assert end.words == 1
            assert why in (end.problem or "")
        assert len([fault for fault in booth.faults if why in fault]) == 1

    play(
        scene,
        tmp_path,
        voice="command",
        command=command,
        # Even to start a program takes longer where the machine is busy.
        command_timeout_s=0.3 if "longer" in why else PATIENCE_S,
        fallback="silent",
    )


def test_without_a_fallback_a_line_fails_with_a_sentence_and_the_next_is_tried(tmp_path):
    script = tmp_path / "once.py"
    script.write_text(
        "import pathlib, sys\n"
        f"mark = pathlib.Path({str(tmp_path / 'mark')!r})\n"
        "if not mark.exists():\n    mark.touch(); sys.exit('first time')\n"
        f"sys.stdout.buffer.write(pathlib.Path({str(tmp_path / 'a.bin')!r}).read_bytes())\n"
    )
    (tmp_path / "a.bin").write_bytes(WAV)

    async def scene(booth: Booth) -> None:
        first, second = await booth.say("hi"), await booth.say("hi")
        assert (first.outcome, first.words) == ("failed", 0)
        assert "first time" in (first.problem or "")
        assert (second.outcome, second.problem) == ("completed", None)
        assert second.duration_s > 0.05

    play(scene, tmp_path, voice="command", command=[sys.executable, str(script)], fallback="none")


class _Service(http.server.BaseHTTPRequestHandler):
    mood = "well"
    asked, release = threading.Event(), threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        mood = type(self).mood
        if mood == "hangs":
            type(self).asked.set()
            type(self).release.wait(PATIENCE_S)
            return
        status, kind, body = {
            "well": (200, "audio/wav", WAV),
            "garbage": (200, "audio/wav", b"\xff\x00garbage" * 50),
            "error": (500, "text/plain", b"no"),
            "page": (200, "text/html", b"<html>log in</html>"),
            "json": (200, "application/json", b'{"wav": 3}'),
        }[mood]
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[str]:
    _Service.mood = "well"
    _Service.asked.clear()
    _Service.release.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/say"
    _Service.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_whatever_a_service_answers_the_line_is_said_and_the_service_heard_again(service, tmp_path):
    async def scene(booth: Booth) -> None:
        moods = {
            "garbage": "not a WAV file",
            "error": "it answered 500",
            "page": "text/html",
            "json": "no 'wav'",
            "hangs": "no answer within 0.3 s",
        }
        voice = booth.module._voice.voices[0]
        for mood, why in moods.items():
            _Service.mood = mood
            voice._timeout_s = 0.3 if mood == "hangs" else PATIENCE_S
            end = await booth.say("hi")
            assert end.outcome == "completed", mood
            assert why in (end.problem or ""), mood
            _Service.mood, voice._timeout_s = "well", PATIENCE_S
            again = await booth.say("hi")
            assert (again.outcome, again.problem) == ("completed", None), mood
        voices = [started.voice for started in booth.of(SpeechStarted)]
        assert voices == ["silent", "http"] * 5

    play(scene, tmp_path, voice="http", url=service, fallback="silent")


def test_a_stop_does_not_wait_for_a_service_that_hangs(service, tmp_path):
    _Service.mood = "hangs"

    async def scene(booth: Booth) -> None:
        saying = asyncio.create_task(booth.say("hi"))
        await until(_Service.asked.is_set)
        booth.someone.publish(StopSpeaking())
        assert (await saying).outcome == "stopped"
        assert not _Service.release.is_set(), "it still hangs"
        _Service.release.set()
        _Service.mood = "well"
        assert (await booth.say("hi")).outcome == "completed"

    play(scene, tmp_path, voice="http", url=service, http_timeout_s=PATIENCE_S, fallback="silent")


def test_recordings_are_played_with_their_times_in_virtual_time_and_missing_ones_told_once(
    tmp_path,
):
    (tmp_path / "a.wav").write_bytes(WAV)
    words = [{"word": "good", "start_s": 0.02}, {"word": "day", "start_s": 0.06}]
    (tmp_path / "a.json").write_text(json.dumps({"text": "Good day", "words": words}))

    async def scene(booth: Booth) -> None:
        await booth.say("good day")
        for _ in range(3):
            assert "no recording of 'not that'" in ((await booth.say("not that")).problem or "")
        starts = [word.start_s for word in booth.of(SpeechWord)[:2]]
        assert starts == [0.02, 0.06]
        assert booth.of(SpeechFinished)[0].duration_s == pytest.approx(0.1)
        assert [started.voice for started in booth.of(SpeechStarted)[:2]] == ["recorded", "silent"]
        assert len([fault for fault in booth.faults if "not that" in fault]) == 1

    play(scene, tmp_path, clock="virtual", voice="recorded", recordings=".")


def test_gain_holds_from_the_next_text_on_and_never_distorts(tmp_path):
    (tmp_path / "a.wav").write_bytes(WAV)
    (tmp_path / "a.json").write_text(json.dumps({"text": "hi"}))

    async def scene(booth: Booth) -> None:
        for gain_db in (None, -20.0, 12.0, 0.0):
            if gain_db is not None:
                booth.someone.publish(SetVoiceGain(gain_db=gain_db))
            await booth.say("hi")

    play(scene, tmp_path, voice="recorded", recordings=".", sound_files="out", keep_sound=True)
    files = sorted((tmp_path / "out").glob("*.wav"))
    peaks = [peak(read_wav(file.read_bytes()).pcm) for file in files]
    assert peaks == [8192, 819, 32613, 8192]
    assert files[0].read_bytes() == files[3].read_bytes()


@pytest.mark.needs_program("espeak-ng")
def test_the_mouth_moves_with_the_words_and_the_line_wins_over_the_own_language(tmp_path):
    async def scene(booth: Booth) -> None:
        await booth.say("hi papa")
        await booth.say("eins", language="de")
        first = booth.of(SpeechStarted)[0]
        times = [point.time_s for point in first.mouth]
        assert times == sorted(times)
        assert times[0] == 0.0
        assert times[-1] == pytest.approx(first.expected_duration_s, abs=1e-3)
        openings = [point.opening for point in first.mouth]
        assert (openings[0], openings[-1]) == (0.0, 0.0)
        assert max(openings) > 0.5
        assert len(times) <= 40 * first.expected_duration_s + 3

    play(scene, tmp_path, language="en")


def test_a_speaker_that_comes_back_while_the_body_is_stopped_stays_silent(tmp_path):
    async def scene(booth: Booth) -> None:
        booth.someone.publish(BodyState(health=BodyHealth.STOPPED))
        assert (await booth.say("not now")).outcome == "stopped"
        booth.someone.publish(EmergencyRelease())
        assert (await booth.say("now")).outcome == "completed"
        # A heartbeat of before the release that comes late changes nothing.
        booth.someone.publish(BodyState(health=BodyHealth.STOPPED))
        assert (await booth.say("still")).outcome == "completed"

    play(scene, tmp_path, clock="virtual")


def test_the_scenario_is_refused_where_a_voice_lacks_what_it_needs(tmp_path):
    place = tmp_path / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(
        '[scenario]\ntitle = "Play"\n[characters.ada.modules.speaker]\nvoice = "http"\n'
    )
    with pytest.raises(ScenarioError) as caught:
        load_scenario(place, Workspace.discover(tmp_path))
    assert 'voice = "http" needs url, such as url = "http://localhost:5002/say"' in str(
        caught.value
    )
    assert "scenario.toml" in str(caught.value)


def test_the_language_is_the_characters_own(acted):
    scenario = """
[scenario]
title = "Play"
duration_s = 10
[characters.ada]
language = "pt"
[characters.ada.modules.speaker]
voice = "recorded"
recordings = "."
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
    seen = acted(
        scenario,
        'await self.publish(Speak(text="no"))\n'
        'await self.publish(Speak(text="no", language="en"))\n'
        "await self.clock.sleep(3)\n",
        {
            "a.json": json.dumps({"text": "no", "language": "pt"}),
            "a.wav": "",
        },
    )
    # The Portuguese recording is found (and is broken), the English one is missing.
    problems = [each.message.problem for each in seen if isinstance(each.message, SpeechFinished)]
    assert "cannot be used" in problems[0]
    assert "no recording of 'no' in 'en'" in problems[1]
