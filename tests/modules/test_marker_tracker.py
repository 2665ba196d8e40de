"""The marker tracker on the bus: cards in a video become messages, targets and sensor states."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
import pytest

from sera.behaviour.space import Frame
from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.evaluation.perception.printed import Printed, PrintedScene, marker_on_paper
from sera.messages import (
    Envelope,
    Gaze,
    MarkerLost,
    MarkerMoved,
    MarkerSeen,
    ModuleFault,
    SensorState,
    SensorStatus,
    TargetUpdated,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.workspace import Workspace
from sera.vision.camera import CameraModel
from sera.vision.markers import MarkerId, pattern_of
from sera.vision.pose_from_marker import compose, inverse
from tests.helpers import until

ROOT = Path(__file__).parents[2]
FPS = 15
SIZE_M = 0.06
MODEL = CameraModel(480, 360, 60.0)
CAMERA = Frame.from_degrees((0.0, 1.2, 1.8), yaw_deg=180.0, pitch_deg=25.0)
SCENARIO = """
[scenario]
title = "Play"
duration_s = {duration_s}
[characters.ada.modules.actor]
module = "./actor.py:Actor"
[modules.marker_tracker]
source = "{video}"
size_m = 0.06
{settings}
[space.cameras.front]
position_m = [0.0, 1.2, 1.8]
yaw_deg = 180
pitch_deg = 25
fov_deg = 60
{camera}
[space.objects.card]
marker = "aruco_4x4:17"
[space.objects.{thing}]
marker = "{marker}"
"""
WAIT = "await self.clock.sleep({duration_s})\n"


def place(time_s: float) -> Frame:
    """The card: at rest, then carried to the robot's left, then at rest."""
    x_m = 0.2 * min(1.0, max(0.0, time_s - 1.0))
    return Frame.from_degrees((x_m, 0.8, 1.0), 0.0, -50.0)


def shown(time_s: float) -> bool:
    """It is hidden for two seconds near the end."""
    return not 3.0 <= time_s < 5.0


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("videos") / "card.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (480, 360))
    scene, random = PrintedScene(MODEL, rays=2), np.random.default_rng(8)
    printed, share = marker_on_paper(pattern_of(MarkerId("aruco_4x4", 17)))
    for number in range(6 * FPS):
        time_s = number / FPS
        thing = Printed(printed, SIZE_M * share, compose(inverse(CAMERA), place(time_s)))
        things = [thing] if shown(time_s) else []
        writer.write(scene.draw(things, blur_px=0.5, noise=2.5, random=random))
    writer.release()
    return path


@pytest.fixture
def play(acted: Callable[..., list[Envelope]], video: Path) -> Callable[..., list[Envelope]]:
    def run(duration_s: float = 6.5, **parts: str) -> list[Envelope]:
        filled = {
            "video": str(video), "settings": "", "camera": "", "thing": "cup",
            "marker": "aruco_4x4:18", "duration_s": duration_s, **parts,
        }  # fmt: skip
        return acted(SCENARIO.format(**filled), WAIT.format(duration_s=duration_s))

    return run


def of(seen: list[Envelope], kind: type[Any]) -> list[Any]:
    return [envelope.message for envelope in seen if isinstance(envelope.message, kind)]


def off_m(position: Any, frame: Frame) -> float:
    return math.dist((position.x_m, position.y_m, position.z_m), frame.position_m)


def test_a_card_in_a_video_is_seen_followed_lost_and_back_and_the_thing_goes_with_it(play):
    seen = play()
    arrivals, losses = of(seen, MarkerSeen), of(seen, MarkerLost)
    assert [m.marker for m in arrivals] == ["aruco_4x4:17"] * 2
    assert [m.marker for m in losses] == ["aruco_4x4:17"]
    assert off_m(arrivals[0].position, place(0)) < 0.01
    assert off_m(arrivals[1].position, place(9)) < 0.01
    lost = next(e for e in seen if isinstance(e.message, MarkerLost))
    assert lost.time == pytest.approx(3.0 + 1.0, abs=0.2)
    moves = [e for e in seen if isinstance(e.message, MarkerMoved)]
    assert len(moves) > 5
    start_s = min(e.time for e in seen if isinstance(e.message, MarkerSeen)) - 1 / FPS
    for envelope in moves:
        assert off_m(envelope.message.position, place(envelope.time - start_s)) < 0.02
    targets = of(seen, TargetUpdated)
    assert {target.target for target in targets} == {"card"}
    assert len(targets) == len(arrivals) + len(moves)
    assert off_m(targets[-1].position, place(9)) < 0.01


def test_times_of_messages_are_those_of_the_pictures(play):
    seen = play(duration_s=2)
    times_s = [e.time for e in seen if isinstance(e.message, MarkerSeen | MarkerMoved)]
    assert len(times_s) > 3
    frames = [(time_s - times_s[0]) * FPS for time_s in times_s]
    assert frames == pytest.approx([round(each) for each in frames], abs=1e-3)


def test_the_state_of_the_sensor_is_told_while_pictures_come_and_when_they_end(play):
    states = of(play(duration_s=8), SensorState)
    assert states[0].status is SensorStatus.OK
    assert (states[0].sense, states[0].device) == ("markers", "video card.avi")
    assert any(state.rate_hz == pytest.approx(FPS, rel=0.15) for state in states)
    assert states[-1].status is SensorStatus.LOST
    assert "has ended" in states[-1].problem
    assert states[-1].counts["frames"] == 6 * FPS
    assert states[-1].counts["markers"] == 2


def test_no_camera_and_no_file_are_a_sentence_and_never_the_end_of_the_module(play):
    seen = play(duration_s=3, video="nowhere.mp4")
    states = of(seen, SensorState)
    assert {state.status for state in states} == {SensorStatus.MISSING}
    assert "There is no video file" in states[0].problem
    assert of(seen, ModuleFault) == []


def test_targets_can_be_left_alone(play):
    seen = play(duration_s=2, settings="targets = false")
    assert of(seen, MarkerSeen)
    assert of(seen, TargetUpdated) == []


def test_a_calibration_that_is_missing_is_told_and_the_field_of_view_serves(play):
    seen = play(duration_s=2, camera='calibration = "camera.toml"')
    state = of(seen, SensorState)[-1]
    assert state.status is SensorStatus.DEGRADED
    assert "calibration is not used" in state.problem
    assert "no such file" in state.problem
    assert off_m(of(seen, MarkerSeen)[0].position, place(0)) < 0.01


def test_wrong_and_doubled_ids_of_things_are_told_and_the_others_work(play):
    seen = play(duration_s=2, marker="aruco_4x4:999")
    (fault,) = of(seen, ModuleFault)
    assert "[space.objects.cup]" in fault.summary
    assert "0 to 49" in fault.summary
    assert of(seen, TargetUpdated)


def test_two_things_cannot_have_one_marker(play):
    (fault,) = of(play(duration_s=1, marker="aruco_4x4:17"), ModuleFault)
    assert "of 'card': give it another" in fault.summary


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('families = ["aruco_4x"]', "did you mean 'aruco_4x4'"),
        ("families = []", "families"),
        ('sizes_m = { "card" = 0.1 }', "write its family and number"),
        ('sizes_m = { "aruco_4x4:1" = 100 }', "0.002 to 2 m"),
        ("patience_s = -1", "patience_s"),
        ("preview_prot = 0", "preview_port"),
    ],
)
def test_settings_with_a_mistake_are_refused_with_a_sentence(play, settings, told):
    with pytest.raises(Exception, match="problem") as caught:
        play(duration_s=1, settings=settings)
    assert told in str(caught.value)


class Lone:
    """The module alone in real time, on a bus in memory."""

    def __init__(self, **settings: Any) -> None:
        self.heard: list[Envelope] = []
        self._settings = settings

    async def __aenter__(self) -> Self:
        broker, clock = MemoryBroker(), Clock.for_running_loop()

        def bus(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        witness = bus(Identity("play", "world", "witness"))
        await witness.connect()
        await witness.subscribe(None, self.heard.append)
        kind = load_packaged_class(Workspace.discover(ROOT), "marker_tracker")
        self.host = ModuleHost(
            kind, Identity("play", "world", "markers", 1), ModuleContext(clock=clock), bus,
            settings=self._settings,
        )  # fmt: skip
        await self.host.open()
        self.task = asyncio.create_task(self.host.live())
        await self.host.started.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.host.stop()
        await self.task


async def test_the_preview_shows_the_card_on_this_machine_with_the_token(video):
    async with Lone(source=str(video), size_m=SIZE_M, preview_port=0, repeat=True) as lone:
        await until(lambda: of(lone.heard, MarkerSeen))
        preview = lone.host.module._preview
        reader, writer = await asyncio.open_connection("127.0.0.1", preview.port)
        request = f"GET /picture.jpg?token={preview.token} HTTP/1.1\r\nHost: localhost"
        writer.write(f"{request}:{preview.port}\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200")
    picture = cv2.imdecode(
        np.frombuffer(answer.partition(b"\r\n\r\n")[2], np.uint8), cv2.IMREAD_COLOR
    )
    assert picture.shape == (360, 480, 3)
    state = of(lone.heard, SensorState)[-1]
    assert "does not say where the camera is" in state.problem


async def test_a_camera_that_is_not_there_is_missing_and_asked_again():
    async with Lone(source=63) as lone:
        await until(lambda: of(lone.heard, SensorState))
        state = of(lone.heard, SensorState)[0]
    assert state.status is SensorStatus.MISSING
    assert "camera 63 cannot be opened" in state.problem
    assert not lone.task.cancelled()


async def test_without_opencv_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cv2", None)
    async with Lone(source=0) as lone:
        await until(lambda: of(lone.heard, SensorState))
        state = of(lone.heard, SensorState)[0]
    assert state.status is SensorStatus.MISSING
    assert "pip install 'sera-hri[vision]'" in state.problem


def test_the_robot_goes_on_looking_at_a_card_that_is_carried(acted, video):
    scenario = SCENARIO.format(
        video=video, settings="", camera="", thing="cup", marker="aruco_4x4:18", duration_s=4
    ).replace(
        "[modules.marker_tracker]",
        "[characters.ada.modules.behaviour_manager]\neye_m = [0, 1.2, 0]\n[modules.marker_tracker]",
    )
    seen = acted(
        scenario,
        """
        await self.clock.sleep(0.7)
        await self.publish(GazeAt(target="card"))
        await self.clock.sleep(2.5)
        """,
    )
    aims = [gaze.direction for gaze in of(seen, Gaze) if gaze.target == "card"]
    looks = [(aim.horizontal_deg, aim.vertical_deg) for aim in aims if aim is not None]
    down_deg = math.degrees(math.atan2(-0.4, 1.0))
    assert looks[0] == pytest.approx((0.0, down_deg), abs=1.5)
    left_deg = -math.degrees(math.atan2(0.2, 1.0))
    assert looks[-1] == pytest.approx((left_deg, down_deg), abs=1.5)
    assert len(looks) > 5
