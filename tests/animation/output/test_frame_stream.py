"""Frames over TCP."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from sera.animation.output import BridgeLost, OutputFrame, TcpStreamBridge
from tests.helpers import PATIENCE_S, until


@pytest.fixture
async def bridge(specs, clock):
    result = TcpStreamBridge(specs, clock)
    await result.connect()
    yield result
    await result.close()


async def _client(bridge):
    before = bridge.client_count
    reader, writer = await asyncio.open_connection(*bridge.address)
    await until(lambda: bridge.client_count > before)
    return reader, writer


async def _line(reader):
    async with asyncio.timeout(PATIENCE_S):
        return json.loads(await reader.readline())


async def test_it_listens_on_the_loopback_address_and_can_be_described_before(specs, clock):
    bridge = TcpStreamBridge(specs, clock)
    assert bridge.describe().where == "127.0.0.1:a free port"
    with pytest.raises(BridgeLost):
        await bridge.heartbeat()


async def test_every_client_gets_the_pose_at_once_and_then_every_frame(bridge):
    await bridge.animate(OutputFrame(values={"Body.pan": 0.5}, time_s=1.0, sequence=1))
    clients = [await _client(bridge) for _ in range(3)]
    await bridge.animate(OutputFrame(values={"Body.tilt": 0.2}, time_s=1.02, sequence=2))
    for reader, _writer in clients:
        first, second = await _line(reader), await _line(reader)
        assert first["channels"] == {"Body.pan": 0.5, "Body.tilt": 0.1, "Body.light": 0.0}
        assert second == {
            "time_s": 1.02,
            "sequence": 2,
            "channels": {"Body.pan": 0.5, "Body.tilt": 0.2, "Body.light": 0.0},
        }
    for _reader, writer in clients:
        writer.close()


async def test_a_slow_client_loses_its_oldest_lines_and_holds_up_nobody(bridge):
    lazy = socket.socket()
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    lazy.setblocking(False)
    await asyncio.get_running_loop().sock_connect(lazy, bridge.address)
    reader, writer = await _client(bridge)
    seen = 0
    for sequence in range(1, 40_001):
        await bridge.animate(OutputFrame(values={"Body.pan": 0.5}, sequence=sequence))
        if sequence % 4 == 0:
            await asyncio.sleep(0)
        if sequence % 1000 == 0:
            while seen != sequence:
                seen = (await _line(reader))["sequence"]
            if bridge.dropped_lines:
                break
    assert bridge.dropped_lines > 0
    lazy.close()
    writer.close()


async def test_bad_input_of_a_client_is_ignored_and_counted(bridge):
    reader, writer = await _client(bridge)
    await _line(reader)
    bad = [b"hello", b"[1]", b"\xff\xfe", b'{"measured": 3}', b'{"measured": {"Body.pan": NaN}}']
    bad += [b'{"measured": {"Body.pan": "x"}}', b"[" * 50_000, b'{"measured": {"Body.pan": null}}']
    writer.write(b"\n".join(bad) + b"\n" + b"x" * 200_000 + b"\n")
    writer.write(b'{"measured": {"Body.pan": 0.25, "Body.nose": 1}}\n')
    await writer.drain()

    async def is_measured() -> bool:
        return (await bridge.heartbeat()).joints["Body.pan"] == 0.25

    await until(is_measured)
    assert bridge.ignored_lines >= len(bad) + 1
    await bridge.animate(OutputFrame(values={}, sequence=9))
    assert (await _line(reader))["sequence"] == 9
    writer.close()


async def test_without_measuring_clients_readings_repeat_the_last_frame(bridge):
    await bridge.animate(OutputFrame(values={"Body.pan": -0.5, "Body.nose": 3.0}))
    joints = (await bridge.heartbeat()).joints
    assert joints == {"Body.pan": -0.5, "Body.tilt": 0.1, "Body.light": 0.0}


async def test_a_stop_is_told_to_clients_and_frames_end_until_release(bridge):
    reader, writer = await _client(bridge)
    await _line(reader)
    await bridge.stop("operator")
    assert (await _line(reader))["stopped"] == "operator"
    await bridge.animate(OutputFrame(values={"Body.pan": 1.0}))
    await bridge.release()
    await bridge.animate(OutputFrame(values={"Body.pan": 0.1}))
    line = await _line(reader)
    assert "stopped" not in line
    assert line["channels"]["Body.pan"] == 0.1
    writer.close()


async def test_where_a_client_is_the_body_the_bridge_is_lost_without_one(specs, clock):
    bridge = TcpStreamBridge(specs, clock, body_expected=True)
    with pytest.raises(BridgeLost, match="no body has connected"):
        await bridge.connect()
    reader, writer = await _client(bridge)
    with pytest.raises(BridgeLost, match="measured itself"):
        await bridge.connect()
    writer.write(b'{"measured": {"Body.pan": 0.7, "Body.tilt": -0.2}}\n')
    await until(lambda: bridge._measured)
    await bridge.connect()
    await bridge.release()
    await bridge.animate(OutputFrame(values={"Body.pan": 0.72}))
    # The very first line is a frame, and what it was not told stays where the body was.
    line = await _line(reader)
    assert line["channels"] == {"Body.pan": 0.72, "Body.tilt": -0.2, "Body.light": 0.0}
    writer.close()
    await until(lambda: not bridge.client_count)
    with pytest.raises(BridgeLost):
        await bridge.animate(OutputFrame(values={}))
    await bridge.close()


async def test_a_port_that_is_taken_is_named(bridge, specs, clock):
    other = TcpStreamBridge(specs, clock, port=bridge.address[1])
    with pytest.raises(BridgeLost, match="cannot be listened on"):
        await other.connect()
