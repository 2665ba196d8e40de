"""Every bridge passes the contract, and the contract catches bridges that do not."""

from __future__ import annotations

import asyncio
import contextlib
import json

from sera.animation.output import (
    ADELINO,
    ArduinoBridge,
    ContractSubject,
    CsvBridge,
    DeviceTransport,
    SimulatedBridge,
    TcpStreamBridge,
    run_contract,
)

_CLAUSES = [
    "limits",
    "rate",
    "start in any pose",
    "heartbeat",
    "silence",
    "stop",
    "rest",
    "unplug",
]


def _require_all(results, *, untried=()):
    assert [result.clause for result in results] == _CLAUSES
    assert [result for result in results if not result.passed] == []
    assert [result.clause for result in results if not result.tried] == list(untried)


def _simulated(specs, clock, make=SimulatedBridge):
    async def subject(pose):
        body = make(specs, clock, start=pose)

        async def pass_time(duration_s):
            clock.advance(duration_s)

        async def unplug():
            body.unplug()

        async def plug_in():
            body.plug_in()

        return ContractSubject(
            bridge=body,
            specs=specs,
            clock=clock,
            pass_time=pass_time,
            rest={"Body.pan": -0.5},
            unplug=unplug,
            plug_in=plug_in,
        )

    return subject


async def test_the_simulated_body_passes(specs, clock):
    _require_all(await run_contract(_simulated(specs, clock), specs))


async def test_the_played_board_passes(board, adelino_specs, clock):
    async def subject(pose):
        board.unplug()
        board.positions = [servo.to_servo(pose[servo.channel]) for servo in ADELINO.servos]
        board.plug_in()
        bridge = ArduinoBridge(ADELINO, DeviceTransport(board.device), clock)

        async def pass_time(duration_s):
            clock.advance(duration_s)
            # The clock runs faster than the pseudo-terminal: wait until the board has answered.
            while bridge._unanswered and not bridge._lost:
                await asyncio.sleep(0.0005)

        async def unplug():
            board.unplug()

        async def plug_in():
            board.plug_in()

        return ContractSubject(
            bridge=bridge,
            specs=adelino_specs,
            clock=clock,
            pass_time=pass_time,
            unplug=unplug,
            plug_in=plug_in,
        )

    _require_all(await run_contract(subject, adelino_specs))


class _BodyBehindTcp:
    """A program that takes frames over TCP and measures what it shows."""

    def __init__(self, pose):
        self.shown = dict(pose)
        self.task = None

    async def join(self, address, bridge):
        reader, writer = await asyncio.open_connection(*address)
        self.task = asyncio.ensure_future(self.live(reader, writer))
        while bridge._measured != self.shown:
            await asyncio.sleep(0.0005)

    async def live(self, reader, writer):
        with contextlib.suppress(OSError), contextlib.closing(writer):
            while True:
                writer.write(json.dumps({"measured": self.shown}).encode() + b"\n")
                line = await reader.readline()
                if not line:
                    return
                self.shown = json.loads(line)["channels"]

    async def leave(self, bridge):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        while bridge.client_count:
            await asyncio.sleep(0)


async def test_a_body_behind_tcp_passes(specs, clock):
    async def subject(pose):
        body = _BodyBehindTcp(pose)
        bridge = TcpStreamBridge(specs, clock, body_expected=True)
        with contextlib.suppress(OSError):
            await bridge.connect()
        await body.join(bridge.address, bridge)

        async def pass_time(duration_s):
            clock.advance(duration_s)
            # The clock runs faster than the network: wait until the body shows the last frame.
            while bridge._measured not in ({}, bridge._pose):
                await asyncio.sleep(0.0005)

        async def unplug():
            await body.leave(bridge)

        async def plug_in():
            await body.join(bridge.address, bridge)

        return ContractSubject(
            bridge=bridge,
            specs=specs,
            clock=clock,
            pass_time=pass_time,
            unplug=unplug,
            plug_in=plug_in,
        )

    _require_all(await run_contract(subject, specs))


async def test_the_csv_file_passes_with_what_can_be_tried_on_it(tmp_path, specs, clock):
    async def subject(pose):
        async def pass_time(duration_s):
            clock.advance(duration_s)

        return ContractSubject(
            bridge=CsvBridge(tmp_path / "frames.csv", specs, clock),
            specs=specs,
            clock=clock,
            pass_time=pass_time,
        )

    _require_all(await run_contract(subject, specs), untried=["unplug"])


async def test_a_body_that_does_not_stop_is_caught(specs, clock):
    class Runaway(SimulatedBridge):
        async def stop(self, reason, means=None):
            pass

    results = await run_contract(_simulated(specs, clock, Runaway), specs)
    assert {result.clause for result in results if not result.passed} >= {"stop"}


async def test_a_body_that_jumps_is_caught(specs, clock):
    class Jumping(SimulatedBridge):
        async def animate(self, frame):
            await super().animate(frame)
            if frame.values:
                self.push({"Body.pan": 1.0 if self._joints["Body.pan"].value < 0.5 else -1.0})

    results = await run_contract(_simulated(specs, clock, Jumping), specs)
    failed = {result.clause for result in results if not result.passed}
    assert failed >= {"limits", "start in any pose"}


async def test_a_body_that_measures_nothing_is_caught(specs, clock):
    class Numb(SimulatedBridge):
        async def heartbeat(self):
            reading = await super().heartbeat()
            return type(reading)(time_s=reading.time_s)

    results = await run_contract(_simulated(specs, clock, Numb), specs)
    failed = {result.clause: result.sentence for result in results if not result.passed}
    assert failed["heartbeat"] == "not measured: Body.pan, Body.tilt"


async def test_a_body_that_is_not_there_fails_every_clause_with_a_sentence(specs, clock):
    class Absent(SimulatedBridge):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.unplug()

    results = await run_contract(_simulated(specs, clock, Absent), specs)
    assert {result.sentence for result in results} == {"the body cannot be reached"}
