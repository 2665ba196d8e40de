"""What is recorded of a run's live pictures and sounds, device by device."""

from __future__ import annotations

import asyncio
import wave
from pathlib import Path

import cv2
import numpy as np
import pytest

from sera.feeds import FeedServer
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace
from sera.study.data import Kind
from sera.study.media import MediaRecording, MediaWanted, media_settings, read_sidecars
from sera.study.media import recording as recording_module
from sera.study.media import tapes as tapes_module
from sera.study.media.session import MODULE
from sera.study.plan import StudyPlan
from tests.helpers import until

ROOT = Path(__file__).parents[2]
EYES = MediaWanted("picture", "eyes", frozenset({"world.eyes"}))
EARS = MediaWanted("sound", "ears", frozenset({"world.ears"}))
PICTURE = bytes(cv2.imencode(".jpg", np.full((48, 64, 3), 90, np.uint8))[1].tobytes())


@pytest.fixture(autouse=True)
def own_live_runs(tmp_path, monkeypatch):
    folder = tmp_path / "live"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setattr(recording_module, "LOOK_EVERY_S", 0.02)


async def offered(kind, source, **more):
    server = FeedServer(kind, source, "play", source, **more)
    await server.start()
    return server


async def send_pictures(recording, server, start_s, count):
    """One after the other: a reader that is slow leaves pictures out."""
    await until(lambda: server.read)
    for number in range(count):
        time_s = start_s + number / 10
        server.send(PICTURE, time_s)
        await until(lambda time_s=time_s: [t._last_s for t in recording.tapes] == [time_s])


async def test_a_camera_that_comes_back_goes_on_in_the_same_film(tmp_path):
    recording = MediaRecording("play", [EYES], tmp_path / "media", session="p01")
    recording.begin("yes")
    server = await offered("picture", "world.eyes")
    await send_pictures(recording, server, 100.0, 5)
    await server.stop()
    server = await offered("picture", "world.eyes")
    await send_pictures(recording, server, 103.0, 5)
    await recording.end("over")
    await server.stop()
    (told,) = read_sidecars(tmp_path / "media")
    assert (told.frames, told.holes, told.started_s) == (10, 1, 100.0)
    assert told.longest_hole_s == pytest.approx(2.6)


async def test_nothing_is_written_before_the_beginning_and_after_the_end(tmp_path):
    recording = MediaRecording("play", [EYES], tmp_path / "media")
    server = await offered("picture", "world.eyes")
    await asyncio.sleep(0.1)
    assert not server.read
    recording.begin("yes")
    recording.begin("yes")  # twice is once
    await send_pictures(recording, server, 5.0, 3)
    await recording.end("withdrawn")
    await until(lambda: not server.read)
    server.send(PICTURE, 9.0)
    recording.begin("yes, again")
    await send_pictures(recording, server, 20.0, 3)
    await recording.end("over")
    await server.stop()
    told = read_sidecars(tmp_path / "media")
    assert [(one.started_s, one.frames, one.ended) for one in told] == [
        (5.0, 3, "withdrawn"),
        (20.0, 3, "over"),
    ]
    assert len(list((tmp_path / "media").glob("*.mkv"))) == 2


async def test_of_two_trackers_on_one_camera_the_wanted_one_is_recorded(tmp_path):
    other = await offered("picture", "world.markers", device=0)
    server = await offered("picture", "world.eyes", device=0)
    recording = MediaRecording("play", [EYES], tmp_path)
    recording.begin("yes")
    await send_pictures(recording, server, 1.0, 2)
    assert not other.read
    await recording.end("over")
    await server.stop()
    await other.stop()
    assert [one.source for one in read_sidecars(tmp_path)] == ["world.eyes"]


async def test_a_device_that_is_not_there_is_told_once_with_what_is(tmp_path, monkeypatch):
    monkeypatch.setattr(recording_module, "MISSING_AFTER_S", 0.1)
    told = []
    other = await offered("sound", "world.mic")
    recording = MediaRecording("play", [EARS], tmp_path / "media", tell=told.append)
    recording.begin("yes")
    await until(lambda: told)
    await asyncio.sleep(0.1)  # some more looks
    await recording.end("over")
    await other.stop()
    (sentence,) = told
    assert "'ears' offers no sound" in sentence
    assert "world.mic" in sentence
    assert not (tmp_path / "media").exists()


async def test_a_full_disk_ends_the_recording_and_not_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tapes_module, "free_bytes", lambda _: 10)
    told = []
    server = await offered("sound", "world.ears", rate_hz=16_000)
    recording = MediaRecording("play", [EARS], tmp_path, tell=told.append)
    recording.begin("yes")
    await until(lambda: server.read)
    server.send(bytes(640), 1.0)
    await until(lambda: told)
    assert "the disk is almost full" in told[0]
    await recording.end("over")
    await server.stop()
    assert [one.ended for one in read_sidecars(tmp_path)] == ["the disk was full"]
    with wave.open(str(next(tmp_path.glob("*.wav"))), "rb") as file:
        assert file.getnframes() == 320


@pytest.mark.parametrize(("kind", "consent"), [("study", "asked"), ("rehearsal", "rehearsal")])
def test_a_session_tells_the_module_what_to_record(tmp_path, kind: Kind, consent: str):
    step = {"name": "b", "title": "b"}
    facts = {"study": {"title": "x"}, "phases": [{"name": "a", "steps": [step]}]}
    assert media_settings(StudyPlan.model_validate(facts), "p01", tmp_path, kind) is None
    plan = StudyPlan.model_validate({**facts, "media": {"cameras": ["face_tracker"]}})
    told = media_settings(plan, "p01", tmp_path, kind)
    assert told is not None
    assert (told["consent"], told["folder"]) == (consent, str(tmp_path / "media"))
    module = load_packaged_class(Workspace.discover(ROOT), MODULE)
    assert module.Settings.model_validate(told).cameras == ["face_tracker"]
