"""Modules offer what they see, hear and say; nothing of it reaches a disk, or virtual time."""

from __future__ import annotations

import ast
import asyncio
import wave
from contextlib import asynccontextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

import sera.feeds
from sera.feeds import FeedReader, feeds_folder, list_feeds
from sera.messages import Speak, StopSpeaking
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from tests.helpers import until

ROOT = Path(__file__).parents[2]
SCENE = """
[scenario]
title = "Watched"
[modules.eyes]
module = "face_tracker"
source = "room.avi"
repeat = true
[modules.cards]
module = "marker_tracker"
source = "room.avi"
repeat = true
[modules.ears]
module = "sound_detector"
source = "room.wav"
model = "energy"
repeat = true
"""
SPEAKING = """
[scenario]
title = "Speaking"
[characters.ada]
robot = "adelino"
[characters.ada.modules.speaker]
voice = "espeak"
"""


@pytest.fixture
def room(tmp_path):
    """A scenario with a camera and a microphone that are files."""
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "scenario.toml").write_text(SCENE)
    writer = cv2.VideoWriter(
        str(folder / "room.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30, (1280, 720)
    )
    for number in range(30):
        picture = np.full((720, 1280, 3), 90, np.uint8)
        cv2.circle(picture, (100 + 30 * number, 360), 80, (20, 200, 240), -1)
        writer.write(picture)
    writer.release()
    tone = np.sin(2 * np.pi * 440 * np.arange(32_000) / 16_000) * 12_000
    with wave.open(str(folder / "room.wav"), "wb") as file:
        file.setparams((2, 2, 16_000, 0, "NONE", ""))
        file.writeframes(np.stack([tone, 0 * tone], axis=1).astype("<i2").tobytes())
    return folder


async def started(folder, *, log=None, said=None, broker=None):
    workspace = Workspace.discover(ROOT)
    loaded = load_scenario(folder, workspace)
    workspace.activate()
    run = Run(loaded, workspace, RunOptions(record=log is not None, log=log, broker=broker))
    if said is not None:
        run.observe(said.append)
    task = asyncio.create_task(run.execute())
    ready = asyncio.create_task(run.ready.wait())
    await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        await task
    return run, task


@asynccontextmanager
async def playing(folder, **more):
    """A run that is over when the block is, whatever happens in it."""
    run, task = await started(folder, **more)
    try:
        yield run
    finally:
        run.stop("the play is over")
        await asyncio.wait([task])
    await task


async def frames_of(feed, count):
    async with FeedReader(feed) as reader:
        came = []
        while len(came) < count:
            frame = await reader.next()
            if isinstance(frame, tuple):
                came.append(frame)
        return came, reader.greeting


async def test_the_room_is_seen_and_heard_and_never_stored(room, tmp_path, shared_brokers):
    kept = tmp_path / "runs" / "one"
    kept.mkdir(parents=True)
    async with playing(room, log=kept / "log.jsonl", broker=shared_brokers("amqtt")) as run:
        name, began_s = run.run_id, run.clock.now() - 1
        await until(lambda: len(list(feeds_folder(name).glob("*.json"))) == 3)
        # Two trackers, but one camera.
        picture, sound = sorted(list_feeds(name), key=lambda feed: feed.kind)
        assert (picture.name, sound.name) == ("video room.avi", "file room.wav")
        (pictures, _), (blocks, greeting) = await asyncio.gather(
            frames_of(picture, 20), frames_of(sound, 30)
        )
        seen_s = run.clock.now()

    times = np.array([time_s for time_s, _ in pictures])
    assert 1 / np.diff(times).mean() < 16
    assert np.all(np.diff(times) > 0)
    assert began_s < times[0] < times[-1] < seen_s, "they have the time at which they were taken"
    decoded = cv2.imdecode(np.frombuffer(pictures[5][1], np.uint8), cv2.IMREAD_COLOR)
    assert decoded.shape == (360, 640, 3)

    assert greeting["rate_hz"] == 16_000
    heard = np.frombuffer(b"".join(payload for _, payload in blocks), "<i2")
    spectrum = np.abs(np.fft.rfft(heard))
    assert np.argmax(spectrum) * 16_000 / len(heard) == pytest.approx(440, abs=3)
    assert np.abs(heard).max() == pytest.approx(6000, rel=0.05)  # both channels in one
    # A reader whom a busy machine held up has missed whole blocks.
    steps = np.diff([time_s for time_s, _ in blocks]) / 0.032
    assert steps == pytest.approx(np.maximum(1, np.round(steps)), abs=0.03)

    assert not feeds_folder(name).exists()
    written = [path for path in [*kept.rglob("*"), *room.rglob("*")] if path.is_file()]
    assert kept / "log.jsonl" in written
    for path in written:
        if path.name not in ("room.avi", "room.wav"):
            content = path.read_bytes()
            assert b"\xff\xd8\xff" not in content, path
            assert b"RIFF" not in content, path


@pytest.mark.needs_program("espeak-ng")
async def test_the_voice_is_sent_while_it_is_spoken_and_cut_with_it(tmp_path, shared_brokers):
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "scenario.toml").write_text(SPEAKING)
    said, came = [], []
    async with playing(folder, said=said, broker=shared_brokers("amqtt")) as run:
        (feed,) = await until(lambda: list_feeds(run.run_id))
        assert (feed.kind, feed.character) == ("voice", "ada")
        listening = asyncio.create_task(listen(feed, run, came))
        await asyncio.sleep(0.1)
        assert came == []  # nothing is sent while nothing is said
        bus = run._supervisor.bus
        bus.publish(Speak(text="Good morning to all of you."), character="ada")
        await until(lambda: finished(said))
        heard_s = sum(len(payload) / 2 / rate_hz for _, _, payload, rate_hz in came)
        assert 0.8 < heard_s < finished(said)[0].duration_s + 0.15
        (ended_s,) = [one.time for one in said if one.type == "SpeechFinished"]
        assert came[0][0] < ended_s, "it is not sent at the end"
        assert all(time_s < arrived_s + 0.1 for arrived_s, time_s, *_ in came)
        samples = np.frombuffer(b"".join(payload for _, _, payload, _ in came), "<i2")
        assert np.abs(samples).max() > 1000

        bus.publish(Speak(text="One two three four five six seven eight."), character="ada")
        before = len(came)
        await until(lambda: len(came) > before + 10)
        bus.publish(StopSpeaking(), character="ada")
        await until(lambda: len(finished(said)) == 2)
        at_the_cut = len(came)
        await asyncio.sleep(0.15)
        assert len(came) <= at_the_cut + 5
        listening.cancel()
    assert not feeds_folder(run.run_id).exists()


async def listen(feed, run, came):
    async with FeedReader(feed) as reader:
        while True:
            frame = await reader.next()
            if isinstance(frame, tuple):
                came.append((run.clock.now(), *frame, reader.greeting["rate_hz"]))


def finished(said):
    return [one.message for one in said if one.type == "SpeechFinished"]


def test_nothing_is_offered_in_virtual_time(room, own_live_runs):
    async def main():
        run, task = await started(room)
        await asyncio.sleep(1.0)
        offered = list(own_live_runs.glob("*.feeds"))
        run.stop("over")
        await task
        return offered

    assert run_with_clock(main(), clock="virtual") == []


def test_only_the_announcement_knows_how_to_write_a_file():
    package = Path(sera.feeds.__file__).parent
    writing = {
        "open",
        "write_bytes",
        "write_text",
        "fdopen",
        "imwrite",
        "tofile",
        "NamedTemporaryFile",
    }
    for path in [*package.glob("*.py"), package.parent / "console" / "room.py"]:
        called = {
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
        }
        found = called & writing
        if path.name in ("reader.py", "room.py"):
            found -= {"open"}  # a connection
        assert not found or path.name == "announcement.py", (path.name, found)
