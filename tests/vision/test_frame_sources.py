"""Webcams, files and addresses: what they give, and what is said when they give nothing."""

from __future__ import annotations

import asyncio
import threading

import cv2
import numpy as np
import pytest

from sera.messages import SensorStatus
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_with_clock
from sera.vision._live_camera import LiveCamera
from sera.vision._one_hand import OneHand
from sera.vision.picture_watch import PictureWatch
from sera.vision.source import Frame, SourceProblem, as_bgr, choose_source
from sera.vision.steady import SteadySource
from tests.helpers import PATIENCE_S, until


def picture(level: int = 90, seed: int = 0) -> np.ndarray:
    dice = np.random.default_rng(seed)
    return np.clip(level + dice.normal(0, 20, (48, 64, 3)), 0, 255).astype(np.uint8)


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for number in range(10):
        writer.write(picture(seed=number))
    writer.release()
    return path


def in_virtual_time(play):
    async def main():
        return await play(Clock.for_running_loop())

    return run_with_clock(main(), clock="virtual")


def test_a_file_plays_at_its_own_times_and_ends(clip):
    async def play(clock):
        source = choose_source(str(clip), clock)
        await source.open()
        times, stamps = [], []
        while (frame := await source.read()) is not None:
            times.append(frame.time_s)
            stamps.append(clock.now())
            assert frame.picture.shape == (48, 64, 3)
        return times, stamps

    times, stamps = in_virtual_time(play)
    assert times == pytest.approx([number / 10 for number in range(10)])
    assert stamps == pytest.approx(times)


def test_a_slow_reader_gets_the_newest_picture_and_the_rest_is_counted(clip):
    async def play(clock):
        source = choose_source(str(clip), clock)
        await source.open()
        numbers = []
        while (frame := await source.read()) is not None:
            numbers.append(frame.number)
            await clock.sleep(0.25)
        return numbers, source.dropped

    numbers, dropped = in_virtual_time(play)
    assert numbers == [0, 2, 5, 7]
    assert dropped >= 4


def test_a_file_may_begin_again(clip):
    async def play(clock):
        source = choose_source(str(clip), clock, repeat=True)
        await source.open()
        return [(await source.read()).time_s for _ in range(25)]

    assert in_virtual_time(play) == pytest.approx([number / 10 for number in range(25)])


class SlowCapture:
    """One that takes its time to read, and must not be released meanwhile."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.reading = False
        self.released = 0
        self.torn_away = False

    def read(self) -> tuple[bool, str]:
        self.reading = True
        self.begun.set()
        assert self.may_end.wait(10)
        self.reading = False
        return True, "a picture"

    def release(self) -> None:
        self.torn_away |= self.reading
        self.released += 1


def test_a_file_is_let_go_by_whoever_reads_from_it_last():
    capture = SlowCapture()
    hand = OneHand(capture)
    pictures = []
    reader = threading.Thread(target=lambda: pictures.append(hand.read()))
    reader.start()
    assert capture.begun.wait(10)
    hand.release()  # waits for nobody
    assert capture.released == 0
    capture.may_end.set()
    reader.join(10)
    assert pictures == [(True, "a picture")]
    assert capture.released == 1
    assert not capture.torn_away
    assert hand.read() == (False, None)
    assert hand.read() == (False, None)
    assert not capture.reading


def test_a_file_that_nobody_reads_is_let_go_at_once():
    capture = SlowCapture()
    OneHand(capture).release()
    assert capture.released == 1


async def test_trackers_that_are_stopped_while_they_read_neither_hang_nor_crash(tmp_path):
    path = tmp_path / "large.avi"  # whose pictures are read by several threads of FFmpeg's
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, (1280, 720))
    dice = np.random.default_rng(0)
    for _ in range(12):
        writer.write(dice.integers(0, 255, (720, 1280, 3), dtype=np.uint8))
    writer.release()
    for number in range(15):
        source = choose_source(str(path), Clock.for_running_loop(), asyncio.to_thread)
        await source.open()
        watching = asyncio.create_task(_watch(source))
        await asyncio.sleep(0.02 + 0.003 * number)  # at any place of its reading
        watching.cancel()
        await asyncio.sleep(0)
        source.close()
        with pytest.raises(asyncio.CancelledError):
            await watching


async def _watch(source):
    while True:
        await source.read()


def test_a_file_beside_the_scenario_is_found(clip):
    async def play(clock):
        source = choose_source("clip.avi", clock, folder=clip.parent)
        await source.open()
        return source.describe()

    assert in_virtual_time(play) == "video clip.avi"


@pytest.mark.parametrize("content", [None, b"", b"no video at all", b"RIFF\x00\x00\x00\x00AVI "])
def test_what_is_no_video_is_said_and_tried_again(tmp_path, content):
    path = tmp_path / "broken.avi"
    if content is not None:
        path.write_bytes(content)

    async def play(clock):
        steady = SteadySource(choose_source(str(path), clock), clock)
        sights = steady.sights()
        first = await anext(sights)
        await sights.aclose()
        return first

    sight = in_virtual_time(play)
    assert sight.frame is None
    assert sight.status is SensorStatus.MISSING
    assert "broken.avi" in sight.problem


def test_a_file_that_appears_later_is_played_then(clip, tmp_path):
    late = tmp_path / "late.avi"

    async def play(clock):
        steady = SteadySource(choose_source(str(late), clock), clock)
        seen = []
        async for sight in steady.sights():
            seen.append(sight)
            if len(seen) == 3:
                late.write_bytes(clip.read_bytes())
            if steady.ended:
                break
        return seen

    seen = in_virtual_time(play)
    assert [s.status for s in seen[:3]] == [SensorStatus.MISSING] * 3
    assert sum(s.frame is not None for s in seen) == 10
    assert seen[-1].problem == "The video late.avi has ended."


def test_there_is_no_webcam_in_virtual_time():
    async def play(clock):
        await choose_source(0, clock, live_allowed=False).open()

    with pytest.raises(SourceProblem, match="virtual time"):
        in_virtual_time(play)


def test_a_password_in_an_address_is_never_shown():
    async def play(clock):
        return choose_source("rtsp://user:secret@camera.local/1", clock).describe()

    assert in_virtual_time(play) == "network camera rtsp://camera.local/1"


class FakeCapture:
    """A camera that can be unplugged."""

    def __init__(self, plug: threading.Event, pictures) -> None:
        self._plug, self._pictures = plug, pictures
        self._number = 0

    def isOpened(self) -> bool:  # noqa: N802
        return self._plug.is_set()

    def read(self):
        threading.Event().wait(0.002)
        if not self._plug.is_set():
            return False, None
        self._number += 1
        return True, self._pictures(self._number)

    def release(self) -> None:
        pass


async def test_a_camera_that_is_unplugged_and_plugged_in_again_comes_back_by_itself():
    plug = threading.Event()
    clock = Clock.for_running_loop()
    camera = LiveCamera(
        0, clock, open_capture=lambda _device: FakeCapture(plug, lambda n: picture(seed=n))
    )
    steady = SteadySource(camera, clock, retry_s=0.05)
    told = []
    async with asyncio.timeout(PATIENCE_S):
        async for sight in steady.sights():
            if not told or told[-1] != sight.status:
                told.append(sight.status)
                assert (sight.problem is None) == (sight.status is SensorStatus.OK)
            if told == [SensorStatus.MISSING] and sight.frame is None:
                plug.set()
            elif told == [SensorStatus.MISSING, SensorStatus.OK]:
                plug.clear()
            elif told[-1] is SensorStatus.LOST:
                plug.set()
            elif len(told) == 4:
                break
    assert told == [SensorStatus.MISSING, SensorStatus.OK, SensorStatus.LOST, SensorStatus.OK]
    assert steady.openings == 2


async def test_a_slow_reader_of_a_camera_sees_the_present():
    plug = threading.Event()
    plug.set()
    clock = Clock.for_running_loop()
    capture = FakeCapture(plug, lambda n: picture(seed=n % 5))
    camera = LiveCamera(0, clock, open_capture=lambda _device: capture)
    await camera.open()
    first = await camera.read()
    newest = await until(lambda: capture._number > first.number + 5 and capture._number)
    second = await camera.read()
    camera.close()
    # Pictures count from 0 and the capture from 1, which may still be making its last one.
    assert second.number >= newest - 2
    assert camera.dropped == second.number - 1


async def test_a_driver_that_hangs_or_raises_is_a_sentence():
    clock = Clock.for_running_loop()
    plug = threading.Event()
    plug.set()
    hanging = LiveCamera(
        0,
        clock,
        open_capture=lambda _device: FakeCapture(plug, lambda _n: threading.Event().wait(1.0)),
        read_timeout_s=0.1,
    )
    await hanging.open()
    with pytest.raises(SourceProblem, match=r"no picture for 0\.1 s"):
        await hanging.read()
    hanging.close()

    def broken(_device):
        raise RuntimeError("no such driver")

    with pytest.raises(SourceProblem, match="no such driver"):
        await LiveCamera(1, clock, open_capture=broken).open()


@pytest.mark.parametrize("shape", [(48, 64), (48, 64, 1), (48, 64, 2), (48, 64, 3), (48, 64, 4)])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_formats_of_cameras_become_colour_pictures(shape, kind):
    if len(shape) == 3 and shape[2] == 2 and kind is not np.uint8:
        shape = (48, 64)
    top = {np.uint8: 200, np.uint16: 50_000, np.float32: 0.8}[kind]
    given_picture = np.full(shape, top, kind)
    bgr = as_bgr(given_picture)
    assert bgr.shape == (48, 64, 3)
    assert bgr.dtype == np.uint8
    assert int(bgr.max()) >= 150


@pytest.mark.parametrize(
    "thing",
    [np.zeros((0, 10, 3), np.uint8), np.zeros((4, 4, 7), np.uint8), np.zeros(9), None, "text"],
)
def test_what_is_no_picture_is_a_sentence(thing):
    with pytest.raises(SourceProblem, match="format that is not understood"):
        as_bgr(thing)


def test_a_black_picture_is_said_after_half_a_second_and_forgotten_when_light_comes():
    watch = PictureWatch()
    black = [np.full((48, 64, 3), level % 3, np.uint8) for level in range(20)]
    said = [watch.judge(Frame(black[n], n / 10, n)) for n in range(10)]
    assert said[4] is None
    assert "black" in said[5]
    assert watch.judge(Frame(picture(), 1.0, 10)) is None


def test_a_dim_room_is_not_black():
    watch = PictureWatch()
    dim = [
        watch.judge(Frame((picture(seed=n) * 0.15).astype(np.uint8), n / 10, n)) for n in range(20)
    ]
    assert dim == [None] * 20


def test_a_picture_that_hangs_is_said_and_one_that_moves_again_is_well():
    watch = PictureWatch()
    same = picture()
    said = [watch.judge(Frame(same, n / 10, n)) for n in range(25)]
    assert said[19] is None
    assert "not changed for 2 s" in said[20]
    assert watch.judge(Frame(picture(seed=1), 2.6, 26)) is None
