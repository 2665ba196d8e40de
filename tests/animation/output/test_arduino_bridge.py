"""The Arduino bridge against a board played on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import importlib
import math
import time

import pytest

from sera.animation.output import (
    ADELINO,
    KEEPON,
    ArduinoBridge,
    BoardState,
    BridgeLost,
    BridgeUnavailable,
    DeviceTransport,
    FrameKind,
    GuardedBridge,
    GuardState,
    OutputFrame,
    PyserialTransport,
    StopMeans,
)
from tests.helpers import PATIENCE_S, until

_POSE = {"Body.base": math.radians(30.0), "Body.head_bend": math.radians(-45.0)}


@pytest.fixture(params=["device", "pyserial"])
async def bridge(request, board, clock):
    kinds = {"device": DeviceTransport, "pyserial": PyserialTransport}
    transport = kinds[request.param](str(board.device))
    # A busy machine is no lost answer.
    patience = {"reply_timeout_s": 1.0, "hello_timeout_s": PATIENCE_S}
    result = ArduinoBridge(ADELINO, transport, clock, **patience)
    yield result
    await result.close()


async def test_a_frame_moves_servos_and_lights(bridge, board):
    await bridge.connect()
    await bridge.animate(OutputFrame(values={**_POSE, "Body.left_eye": 0.5}))
    await until(lambda: FrameKind.MOVE in board.heard)
    assert board.positions == [120.0, 90.0, 90.0, 45.0, 90.0]
    assert board.lights == [128, 0]


async def test_the_heartbeat_measures_every_joint(bridge, board):
    board.positions = [0.0, 45.0, 90.0, 135.0, 180.0]
    await bridge.connect()
    reading = await bridge.heartbeat()
    degrees = [math.degrees(reading.joints[servo.channel]) for servo in ADELINO.servos]
    assert degrees == pytest.approx([-90.0, -45.0, 0.0, 45.0, 90.0])
    assert set(reading.stiffness.values()) == {1.0}


async def test_what_a_frame_leaves_out_stays_where_the_body_was_found(bridge, board):
    board.positions = [10.0, 20.0, 30.0, 40.0, 50.0]
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.base": 0.0, "Body.upper_bend": math.nan}))
    await until(lambda: FrameKind.MOVE in board.heard)
    assert board.positions == [90.0, 20.0, 30.0, 40.0, 50.0]


async def test_stop_is_acknowledged_and_frames_are_ignored_until_release(bridge, board):
    await bridge.connect()
    await bridge.stop("test", StopMeans.COMPLIANT)
    assert board.state is BoardState.LIMP
    assert set((await bridge.heartbeat()).stiffness.values()) == {0.0}
    await bridge.animate(OutputFrame(values=_POSE))
    await bridge.heartbeat()
    assert board.positions == [90.0] * 5
    await bridge.release()
    await bridge.rest()
    assert board.state is BoardState.RESTS


async def test_lost_answers_are_asked_for_again(bridge, board):
    await bridge.connect()
    board.lose_answers, bridge._reply_timeout_s = 2, 0.3
    stopping = asyncio.ensure_future(bridge.stop("test"))
    await until(lambda: not board.lose_answers)
    bridge._reply_timeout_s = PATIENCE_S  # the third answer may come late
    await stopping
    assert board.heard.count(FrameKind.STOP) == 3


@pytest.mark.parametrize(
    "noise", [b"\x00\xff\x13", b"\xa5\x78\x01", b"\xa5\xa5\xa5", b"\xa5\x02\x81"]
)
async def test_garbage_between_answers_does_no_harm(bridge, board, noise):
    await bridge.connect()
    board.noise_before_answers = noise
    for _ in range(5):
        assert (await bridge.heartbeat()).joints["Body.base"] == 0.0
    assert bridge.decoder.skipped_bytes >= len(noise)


async def test_a_board_that_answers_no_longer_counts_as_lost(bridge, board):
    await bridge.connect()
    board.mute = True
    for _ in range(25):
        await bridge.animate(OutputFrame(values=_POSE))
    with pytest.raises(BridgeLost, match="answers no longer"):
        await bridge.animate(OutputFrame(values=_POSE))


async def test_a_release_that_waits_for_its_answer_is_not_repeated_after_a_stop(bridge, board):
    await bridge.connect()
    board.lose_answers = 1
    release = asyncio.ensure_future(bridge.release())
    await until(lambda: FrameKind.RELEASE in board.heard)
    await bridge.stop("operator", StopMeans.COMPLIANT)
    await release
    assert board.state is BoardState.LIMP
    assert board.heard.count(FrameKind.RELEASE) == 1


async def test_a_board_that_follows_no_longer_by_itself_counts_as_restarted(bridge, board):
    await bridge.connect()
    await bridge.release()
    await bridge.animate(OutputFrame(values=_POSE))
    board.state = BoardState.LIMP
    await bridge.animate(OutputFrame(values=_POSE))
    await until(lambda: bridge._lost is not None)
    with pytest.raises(BridgeLost, match="has restarted"):
        await bridge.animate(OutputFrame(values=_POSE))
    await bridge.connect()
    await bridge.release()
    assert set((await bridge.heartbeat()).stiffness.values()) == {1.0}


async def test_an_unplugged_board_is_lost_and_a_replugged_one_is_found(bridge, board):
    await bridge.connect()
    board.unplug()
    with pytest.raises(BridgeLost):
        await bridge.heartbeat()
    with pytest.raises(BridgeLost, match="plugged in"):
        await bridge.connect()
    board.plug_in()
    await bridge.connect()
    assert (await bridge.heartbeat()).joints["Body.base"] == 0.0


async def test_a_stop_reaches_the_board_and_it_holds(bridge, board, adelino_specs):
    guard = GuardedBridge(bridge, adelino_specs, time.monotonic)
    await guard.connect()
    for _ in range(5):
        await guard.animate(OutputFrame(values=_POSE))
        await asyncio.sleep(0.02)
    for _ in range(2):
        await guard.release()
        await guard.stop("operator")
        assert board.state is BoardState.HOLDS
    held = list(board.positions)
    for _ in range(5):
        await guard.animate(OutputFrame(values=_POSE))
        await asyncio.sleep(0.02)
    assert board.positions == held
    await guard.close()


async def test_the_guard_reconnects_a_replugged_board_and_stops_it_if_it_was_stopped(
    bridge, board, adelino_specs, clock
):
    guard = GuardedBridge(bridge, adelino_specs, clock)
    await guard.connect()
    board.unplug()
    with pytest.raises(BridgeLost):
        await guard.heartbeat()
    assert guard.state is GuardState.UNREACHABLE
    await guard.stop("operator")
    board.plug_in()
    clock.advance(0.2)
    await guard.tick()
    assert board.state is BoardState.HOLDS
    await guard.close()


async def test_the_board_of_another_robot_is_refused(board, clock):
    bridge = ArduinoBridge(KEEPON, DeviceTransport(board.device), clock)
    with pytest.raises(BridgeLost, match="is it another robot"):
        await bridge.connect()


async def test_without_pyserial_the_message_says_how_to_get_it(monkeypatch, board):
    real = importlib.import_module

    def missing(name, package=None):
        if name == "serial":
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(BridgeUnavailable, match=r"pip install 'sera-hri\[serial\]'"):
        await PyserialTransport(str(board.device)).open()


async def test_it_can_be_described_without_board_and_library(clock):
    bridge = ArduinoBridge(KEEPON, PyserialTransport("COM3"), clock)
    assert bridge.describe().where == "COM3"
    assert bridge.describe().channels == ("Body.pan", "Body.roll", "Body.tilt", "Body.bop")


async def test_a_file_that_is_no_terminal_is_refused(tmp_path):
    path = tmp_path / "ttyACM9"
    path.touch()
    with pytest.raises(BridgeLost, match="no terminal device"):
        await DeviceTransport(path).open()
