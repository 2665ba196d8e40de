"""Where sound goes: files, programs, and a sound card that is played by a fake."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace

import pytest

from sera.messages.speech import SpeechOutcome
from sera.runtime.clock import run
from sera.speech import (
    FileSink,
    Player,
    ProgramSink,
    SilentSink,
    SinkError,
    SoundDeviceSink,
    Speech,
    Word,
    best_sink,
    read_wav,
    sound_card,
)
from tests.helpers import until

PCM = bytes(range(256)) * 125  # 2 s at 8 kHz
SPEECH = Speech(
    "one two", 8000, 2.0, PCM, words=(Word("one", 0, 3, 0.0, 0.9), Word("two", 4, 7, 1.0, 1.9))
)
SLOW = Speech(
    "one two", 100, 160.0, PCM, words=(Word("one", 0, 3, 0.0, 72.0), Word("two", 4, 7, 80.0, 152.0))
)
"""The same for so long that no machine is too slow to stop it, or to be too fast."""

# Takes samples at the speed at which they would be heard, and notes how many it took.
PLAYS_AT_REAL_SPEED = """
import os, sys, time
rate_hz, note, speed = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
began, taken = time.monotonic(), 0
while piece := os.read(0, 160):
    taken += len(piece)
    wait = taken / 2 / rate_hz / speed - (time.monotonic() - began)
    if wait > 0: time.sleep(wait)
    open(note, "w").write(str(taken))
"""


def real_speed(note, speed=1.0) -> ProgramSink:
    command = (sys.executable, "-c", PLAYS_AT_REAL_SPEED, "{rate_hz}", str(note), str(speed))
    return ProgramSink(command, latency_s=0.0)


def test_a_file_holds_what_was_heard(tmp_path):
    async def scene():
        sink = FileSink(tmp_path / "heard")
        player = Player(sink)
        assert (await player.play(SPEECH)).drift_s == pytest.approx(0.0)
        asyncio.get_running_loop().call_later(0.5, player.stop)
        assert (await player.play(SPEECH)).outcome is SpeechOutcome.STOPPED
        return sink.written

    whole, cut = run(scene(), clock="virtual")
    assert (whole.name, cut.name) == ("0001.wav", "0002.wav")
    assert read_wav(whole.read_bytes()).pcm == PCM
    assert read_wav(cut.read_bytes()).pcm == PCM[:8000]


def test_files_of_an_earlier_run_are_kept(tmp_path):
    (tmp_path / "0001.wav").write_bytes(b"older")
    run(Player(FileSink(tmp_path)).play(SPEECH), clock="virtual")
    assert (tmp_path / "0001.wav").read_bytes() == b"older"
    assert read_wav((tmp_path / "0002.wav").read_bytes()).pcm == PCM


def test_a_folder_that_cannot_be_written_fails_with_its_name(tmp_path):
    (tmp_path / "file").write_text("no folder")
    played = run(Player(FileSink(tmp_path / "file")).play(SPEECH), clock="virtual")
    assert played.outcome is SpeechOutcome.FAILED
    assert "cannot be written" in played.problem


async def test_a_program_gets_every_sample_and_the_player_waits_for_its_end(tmp_path):
    note = tmp_path / "note"
    played = await Player(real_speed(note, speed=2000.0)).play(SLOW)
    assert played.outcome is SpeechOutcome.COMPLETED
    assert int(note.read_text()) == len(PCM)
    assert played.words == 2
    assert played.drift_s < -1.0, "too fast is seen"


async def test_a_program_is_silent_after_a_stop(tmp_path):
    note = tmp_path / "note"
    sink = real_speed(note)
    player = Player(sink)
    playing = asyncio.create_task(player.play(SLOW))
    await until(note.exists)
    process = sink._process
    player.stop()
    played = await playing
    assert process.returncode is not None, "the program is gone, and with it its sound"
    assert played.outcome is SpeechOutcome.STOPPED
    assert int(note.read_text() or 0) < len(PCM)


async def test_a_program_that_fails_or_is_missing_fails_with_its_name():
    fails = ProgramSink((sys.executable, "-c", "raise SystemExit(3)"))
    played = await Player(fails).play(SPEECH)
    assert played.outcome is SpeechOutcome.FAILED
    assert "ended with code 3; is there a sound card?" in played.problem
    played = await Player(ProgramSink(("no-such-player",))).play(SPEECH)
    assert played.outcome is SpeechOutcome.FAILED
    assert "no-such-player cannot be started" in played.problem


class FakeStream:
    """A PortAudio stream whose blocks the test asks for."""

    latency = 0.0

    def __init__(self, **options) -> None:
        self.options = options
        self.heard = bytearray()
        self.aborted = self.closed = False

    def start(self) -> None:
        pass

    def block(self, frames: int = 256) -> bool:
        target = bytearray(2 * frames)
        over = False
        try:
            self.options["callback"](target, frames, None, None)
        except StopIteration:
            over = True
            self.options["finished_callback"]()
        self.heard += target
        return not over

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True


def fake_sounddevice(streams: list[FakeStream]) -> SimpleNamespace:
    def stream(**options):
        streams.append(FakeStream(**options))
        return streams[-1]

    return SimpleNamespace(
        check_output_settings=lambda **_: None, RawOutputStream=stream, CallbackStop=StopIteration
    )


async def test_a_sound_card_gets_every_sample_and_says_when_it_is_done():
    streams: list[FakeStream] = []
    sink = SoundDeviceSink(fake_sounddevice(streams))
    await sink.begin(SPEECH)
    ending = asyncio.create_task(sink.finished())
    while streams[0].block():
        assert not ending.done()
    await ending
    assert bytes(streams[0].heard[: len(PCM)]) == PCM
    assert not any(streams[0].heard[len(PCM) :])
    assert streams[0].options["samplerate"] == 8000
    assert streams[0].closed
    assert not streams[0].aborted


async def test_a_stop_aborts_the_stream_at_once():
    streams: list[FakeStream] = []
    player = Player(SoundDeviceSink(fake_sounddevice(streams)))
    playing = asyncio.create_task(player.play(SPEECH))
    await until(lambda: streams)
    player.stop()
    assert (await playing).outcome is SpeechOutcome.STOPPED
    assert streams[0].aborted
    assert streams[0].closed


def test_without_a_sound_card_files_are_written_else_time_is_kept(tmp_path, monkeypatch):
    def no_card(*_args, **_options):
        raise SinkError("none")

    monkeypatch.setattr(sound_card, "SoundDeviceSink", no_card)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(best_sink(tmp_path), FileSink)
    assert isinstance(best_sink(), SilentSink)


def test_a_program_is_used_where_it_is_installed_and_has_an_output(tmp_path, monkeypatch):
    def no_card(*_args, **_options):
        raise SinkError("none")

    monkeypatch.setattr(sound_card, "SoundDeviceSink", no_card)
    program = tmp_path / "paplay"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PULSE_SERVER", "somewhere")
    assert best_sink(tmp_path).name == "paplay"
    monkeypatch.delenv("PULSE_SERVER")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert best_sink(tmp_path).name == "file"


def test_a_computer_without_sound_is_told_so():
    def none(**_options):
        raise ValueError("no output device")

    with pytest.raises(SinkError, match=r"no sound card.*no output device"):
        SoundDeviceSink(SimpleNamespace(check_output_settings=none))
