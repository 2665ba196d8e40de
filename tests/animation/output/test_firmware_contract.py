"""The Arduino bridge against the compiled firmware instead of a board written in Python."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import math
import time
from pathlib import Path

import pytest

from sera.animation.body import load_body
from sera.animation.output import (
    ADELINO,
    KEEPON,
    LAYOUTS,
    ArduinoBridge,
    BridgeLost,
    ContractSubject,
    DeviceTransport,
    GuardedBridge,
    GuardState,
    OutputFrame,
    StopMeans,
    own_specs,
    run_contract,
)
from tests.helpers import PATIENCE_S, some_of, until

_spec = importlib.util.spec_from_file_location(
    "_firmware_host", Path(__file__).with_name("_firmware_host.py")
)
firmware_host = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(firmware_host)

_ROBOTS = firmware_host.SKETCH.parents[2]
_POSE = {"Body.base": math.radians(30.0), "Body.head_bend": math.radians(-45.0)}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return firmware_host.compiled_firmware(tmp_path_factory.getbasetemp() / "firmware")


@pytest.fixture
def board(programs, tmp_path):
    """Adelino's board on the world's clock."""
    played = firmware_host.FirmwareBoard(programs["adelino"], tmp_path, ADELINO, real=True)
    played.plug_in()
    yield played
    if played.is_plugged_in:
        assert played.pass_ms(0).faults == 0
    played.unplug()


class _LossyLine(DeviceTransport):
    """Loses the byte at a place of every so-many-th write, and can add noise before a write."""

    every = 0
    place = 0
    noise = b""
    writes = 0

    async def write(self, data):
        self.writes += 1
        if self.every and self.writes % self.every == 0:
            place = self.place % len(data)
            data = data[:place] + data[place + 1 :]
        noise, self.noise = self.noise, b""
        await super().write(noise + data)


@pytest.fixture
async def line(board):
    return _LossyLine(str(board.device))


@pytest.fixture
async def bridge(line):
    # A busy machine is no lost answer.
    patience = {"reply_timeout_s": 1.0, "hello_timeout_s": PATIENCE_S}
    result = ArduinoBridge(ADELINO, line, time.monotonic, **patience)
    yield result
    await result.close()


def _subject_on_firmware(board, specs, clock, fastest_us):
    """A subject whose clock and board go on together, by hand; notes how fast servos turn."""

    async def subject(pose):
        board.unplug()
        board.remember([servo.to_servo(pose[servo.channel]) for servo in board.layout.servos])
        board.plug_in()
        bridge = ArduinoBridge(board.layout, DeviceTransport(board.device), clock)

        async def pass_time(duration_s):
            clock.advance(duration_s)
            # The clock runs faster than the pseudo-terminal: wait until the board has answered.
            while bridge._unanswered and not bridge._lost:
                await asyncio.sleep(0.0005)
            if not board.is_plugged_in:
                return
            before = board.pass_ms(0)
            after = board.pass_ms(round(duration_s * 1000))
            assert after.faults == 0
            elapsed_ms = after.now_ms - before.now_ms
            turned = [abs(b - a) for a, b in zip(before.at_us, after.at_us, strict=True)]
            fastest_us[:] = map(max, fastest_us, [each / elapsed_ms for each in turned])

        async def unplug():
            board.unplug()

        async def plug_in():
            board.plug_in()

        return ContractSubject(
            bridge=bridge,
            specs=specs,
            clock=clock,
            pass_time=pass_time,
            unplug=unplug,
            plug_in=plug_in,
        )

    return subject


@pytest.mark.parametrize("robot", list(firmware_host.ROBOTS))
async def test_the_firmware_passes_the_contract_of_all_bridges(programs, robot, tmp_path, clock):
    layout = LAYOUTS[robot]
    board = firmware_host.FirmwareBoard(programs[robot], tmp_path, layout)
    specs = own_specs(load_body(_ROBOTS / robot))
    fastest_us = [0.0] * len(layout.servos)
    try:
        results = await run_contract(_subject_on_firmware(board, specs, clock, fastest_us), specs)
    finally:
        board.unplug()
    assert [result for result in results if not result.passed or not result.tried] == []
    assert len(results) == 8
    # The servos themselves, whatever the line said: none was ever faster than the board allows.
    us_per_unit = {180.0: 1856 / 180, 100.0: 10.0}
    speeds = {"adelino": [120.0] * 5, "keepon": [240.0, 240.0, 240.0, 800.0]}[robot]
    for servo, fastest, speed in zip(layout.servos, fastest_us, speeds, strict=True):
        allowed = us_per_unit[servo.upper] * speed / 1000
        assert 0.5 * allowed < fastest <= allowed + 0.1


async def test_a_frame_turns_the_servos_and_lights_the_eyes(bridge, board):
    await bridge.connect()
    await bridge.release()

    async def is_there() -> bool:
        await bridge.animate(OutputFrame(values={**_POSE, "Body.left_eye": 0.5}))
        reading = await bridge.heartbeat()
        return reading.joints["Body.head_bend"] == pytest.approx(_POSE["Body.head_bend"])

    await until(is_there, "the pose")
    reading = await bridge.heartbeat()
    assert reading.joints["Body.base"] == pytest.approx(_POSE["Body.base"])
    assert reading.joints["Body.head_bend"] == pytest.approx(_POSE["Body.head_bend"])
    facts = board.pass_ms(0)
    assert facts.at_us == [544 + 1856 * degrees // 180 for degrees in (120, 90, 90, 45, 90)]
    assert facts.brightness == [128, 0]


async def test_stop_goes_limp_and_release_wakes(bridge, board):
    await bridge.connect()
    await bridge.release()
    assert set((await bridge.heartbeat()).stiffness.values()) == {1.0}
    await bridge.stop("test", StopMeans.COMPLIANT)
    assert set((await bridge.heartbeat()).stiffness.values()) == {0.0}
    assert board.pass_ms(0).attached == [0] * 5
    await bridge.release()
    await bridge.heartbeat()
    assert board.pass_ms(0).attached == [1] * 5


async def test_a_stop_is_obeyed_and_the_pulses_stay(bridge, board, adelino_specs):
    guard = GuardedBridge(bridge, adelino_specs, time.monotonic)
    await guard.connect()
    for _ in range(2):
        await guard.release()
        for _ in range(3):
            await guard.animate(OutputFrame(values=_POSE))
            await asyncio.sleep(0.02)
        await guard.stop("operator")
        held = board.pass_ms(0).pulse_us
        await asyncio.sleep(0.05)
        assert board.pass_ms(0).pulse_us == held
    await guard.close()


@pytest.mark.parametrize("place", some_of(range(6), 2))
async def test_a_stop_whose_byte_is_lost_is_repeated_until_it_is_obeyed(bridge, line, board, place):
    await bridge.connect()
    await bridge.release()
    line.every, line.place = 2, place
    line.writes = 1  # the stop itself is hurt, its repetition is not
    await bridge.stop("test", StopMeans.COMPLIANT)
    assert line.writes == 3
    assert board.pass_ms(0).attached == [0] * 5


async def test_a_stop_behind_a_false_start_is_obeyed_at_once(bridge, line):
    await bridge.connect()
    await bridge.release()
    bridge._reply_timeout_s = PATIENCE_S
    line.noise = b"\xa5\x78\x01"
    line.writes = 0
    await bridge.stop("test")
    assert line.writes == 1


async def test_a_line_that_loses_every_third_frame_still_moves_the_body(bridge, line):
    await bridge.connect()
    await bridge.release()
    line.every = 3
    places = itertools.count()

    async def is_there() -> bool:
        line.every = 3
        for _ in range(3):
            line.place = next(places)
            await bridge.animate(OutputFrame(values=_POSE))
            await asyncio.sleep(0.02)
        line.every = 0
        reading = await bridge.heartbeat()
        return reading.joints["Body.base"] == pytest.approx(_POSE["Body.base"])

    await until(is_there, "the pose")


async def test_an_unplugged_board_is_lost_and_a_replugged_one_starts_limp(bridge, board):
    await bridge.connect()
    await bridge.release()
    board.unplug()
    with pytest.raises(BridgeLost):
        await bridge.heartbeat()
    with pytest.raises(BridgeLost, match="plugged in"):
        await bridge.connect()
    board.plug_in()
    await bridge.connect()
    assert set((await bridge.heartbeat()).stiffness.values()) == {0.0}


async def test_a_board_that_restarts_by_itself_is_noticed_and_led_from_where_it_is(
    bridge, board, adelino_specs
):
    guard = GuardedBridge(bridge, adelino_specs, time.monotonic)
    await guard.connect()
    await guard.animate(OutputFrame(values=_POSE))
    board.restart()
    states = set()

    async def is_back() -> bool:
        await guard.animate(OutputFrame(values=_POSE))
        await guard.tick()
        states.add(guard.state)
        return GuardState.UNREACHABLE in states and guard.state is GuardState.FOLLOWING

    await until(is_back, "the board's return")
    assert guard.counts.reconnects == 1
    assert board.pass_ms(0).attached == [1] * 5
    await guard.close()


async def test_a_restart_in_the_middle_of_a_motion_makes_no_servo_jump(bridge, board):
    await bridge.connect()
    await bridge.release()
    for _ in range(10):
        await bridge.animate(OutputFrame(values=_POSE))
        await asyncio.sleep(0.02)
    before = board.pass_ms(0).at_us
    assert before[0] > 1472 + 50
    board.restart()
    await bridge.connect()
    await bridge.release()
    await bridge.heartbeat()
    after = board.pass_ms(100)
    assert after.attached == [1] * 5
    # What was not written down yet: one twentieth of a second at the most.
    assert after.at_us == pytest.approx(before, abs=0.05 * 120 * 1856 / 180)


async def test_a_stop_survives_a_restart_of_the_board(bridge, board, adelino_specs):
    guard = GuardedBridge(bridge, adelino_specs, time.monotonic)
    await guard.connect()
    await guard.stop("operator")
    board.restart()
    for _ in range(10):
        await bridge.animate(OutputFrame(values=_POSE))
        await asyncio.sleep(0.01)
    facts = board.pass_ms(0)
    assert facts.attached == [0] * 5
    await guard.close()


async def test_the_board_of_another_robot_is_refused(board, clock):
    bridge = ArduinoBridge(KEEPON, DeviceTransport(board.device), clock)
    with pytest.raises(BridgeLost, match="is it another robot"):
        await bridge.connect()
