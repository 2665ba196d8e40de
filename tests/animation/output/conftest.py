"""A clock that is moved by hand, and a board that is played on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import tty
from pathlib import Path

import pytest

from sera.animation.channels import ChannelSpec, Kind, Unit
from sera.animation.output import (
    ADELINO,
    BoardLayout,
    BoardState,
    FrameDecoder,
    FrameKind,
    SerialFrame,
    encode,
    pack_positions,
    unpack_positions,
)

QUARTER_TURN_RAD = 1.5707963267948966


class HandClock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def advance(self, duration_s: float) -> None:
        self.now_s += duration_s


class PlayedBoard:
    """An Arduino with servos that jump to where they are sent, behind a device file.

    It can lose or spoil what it sends, and be unplugged and plugged in again.
    """

    def __init__(self, device: Path, layout: BoardLayout) -> None:
        self.device = device
        self.layout = layout
        self.positions = [servo.to_servo(0.0) for servo in layout.servos]
        self.lights = [0] * len(layout.lights)
        self.state = BoardState.FOLLOWS
        self.heard: list[FrameKind] = []
        self.lose_answers = 0
        self.noise_before_answers = b""
        self.mute = False
        self.decoder = FrameDecoder()
        self._master: int | None = None
        self._slave: int | None = None

    def plug_in(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.device.unlink(missing_ok=True)
        self.device.symlink_to(os.ttyname(self._slave))
        self.decoder = FrameDecoder()
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    def unplug(self) -> None:
        if self._master is None or self._slave is None:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = None
        self.device.unlink(missing_ok=True)
        # Power is gone with the cable: the board starts up again, its servos stay where they are.
        self.state = BoardState.FOLLOWS

    def send(self, data: bytes) -> None:
        assert self._master is not None
        os.write(self._master, data)

    def _readable(self) -> None:
        assert self._master is not None
        for frame in self.decoder.feed(os.read(self._master, 4096)):
            self.heard.append(frame.kind)
            self._obey(frame)

    def _obey(self, frame: SerialFrame) -> None:
        if frame.kind is FrameKind.MOVE and self.state is BoardState.FOLLOWS:
            bytes_of_servos = 2 * len(self.positions)
            self.positions = list(unpack_positions(frame.payload[:bytes_of_servos]))
            self.lights = list(frame.payload[bytes_of_servos:])
        elif frame.kind is FrameKind.STOP:
            self.state = BoardState.LIMP if frame.payload == b"\x01" else BoardState.HOLDS
        elif frame.kind is FrameKind.RELEASE:
            self.state = BoardState.FOLLOWS
        elif frame.kind is FrameKind.REST:
            self.state = BoardState.RESTS
        self._answer(frame)

    def _answer(self, frame: SerialFrame) -> None:
        if self.mute:
            return
        if self.lose_answers:
            self.lose_answers -= 1
            return
        state = bytes((self.state,))
        answer = SerialFrame(FrameKind.ACKNOWLEDGE, frame.sequence, state)
        if frame.kind is FrameKind.MEASURE:
            payload = state + pack_positions(self.positions)
            answer = SerialFrame(FrameKind.MEASURED, frame.sequence, payload)
        elif frame.kind is FrameKind.HELLO:
            counts = bytes((1, len(self.layout.servos), len(self.layout.lights)))
            answer = SerialFrame(FrameKind.WELCOME, frame.sequence, counts)
        self.send(self.noise_before_answers + encode(answer))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def specs() -> tuple[ChannelSpec, ...]:
    """Two joints and a light."""
    limits = {"max_velocity": 2.0, "max_acceleration": 20.0}
    return (
        ChannelSpec(name="Body.pan", lower=-1.0, upper=1.0, **limits),
        ChannelSpec(name="Body.tilt", lower=-0.5, upper=0.8, neutral=0.1, **limits),
        ChannelSpec(name="Body.light", kind=Kind.DISPLAY, unit=Unit.PERCENT, lower=0.0, upper=1.0),
    )


@pytest.fixture
def adelino_specs() -> tuple[ChannelSpec, ...]:
    joints = [
        ChannelSpec(
            name=servo.channel,
            lower=-QUARTER_TURN_RAD,
            upper=QUARTER_TURN_RAD,
            max_velocity=QUARTER_TURN_RAD,
        )
        for servo in ADELINO.servos
    ]
    lights = [
        ChannelSpec(name=name, kind=Kind.DISPLAY, unit=Unit.PERCENT, lower=0.0, upper=1.0)
        for name in ADELINO.lights
    ]
    return (*joints, *lights)


@pytest.fixture
async def board(tmp_path: Path):
    played = PlayedBoard(tmp_path / "ttyACM0", ADELINO)
    played.plug_in()
    yield played
    played.unplug()
