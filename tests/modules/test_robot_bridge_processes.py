"""The body stays safe while real processes around it are killed, over real brokers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sera.bus import BrokerAddress, EmbeddedBroker, Identity, MqttBus
from sera.messages import BodyState, EmergencyRelease, EmergencyStop, Envelope, JointFrame
from sera.runtime import Clock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")

ROOT = Path(__file__).parents[2]
FRAME_S = 0.02
BUSY_S = 0.3
"""What a machine full of other tests may add."""
FASTEST_RAD_S = math.radians(90.0)

PLAYER = """
import asyncio, math, sys
from pathlib import Path
from sera import Module
from sera.bus import BrokerAddress, Identity, MqttBus
from sera.messages import JointFrame
from sera.runtime import Clock, ModuleContext, Role
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.clock import run
from sera.runtime.robot import load_robot
from sera.runtime.workspace import Workspace

root, name, host, port, boot = Path(sys.argv[1]), *sys.argv[2:4], *map(int, sys.argv[4:6])

class Engine(Module):
    role = Role.REALISATION
    async def run(self):
        start_s, frame = self.clock.now(), 0
        while True:
            frame += 1
            swing = 1.2 * math.sin(self.clock.now())
            await self.publish(JointFrame(joints_rad={"base": swing}, frame=frame))
            await self.clock.sleep_until(start_s + frame * 0.02)

class Decider(Module):
    async def run(self):
        await asyncio.sleep(1000)

async def main():
    clock = Clock.for_running_loop()
    kinds = {"engine": Engine, "decider": Decider}
    kind = kinds.get(name) or load_packaged_class(Workspace.discover(root), "robot_bridge")
    address = BrokerAddress(host, port)
    host_ = ModuleHost(
        kind,
        Identity("safety", "ada", name, boot),
        ModuleContext(clock=clock, robot=load_robot(root / "robots" / "adelino")),
        lambda identity, will, everyone: MqttBus(
            identity, address, now=clock.now, will=will, hears_everyone=everyone
        ),
        settings={"heartbeat_hz": 50.0} if name == "bridge" else None,
    )
    await host_.run()

run(main())
"""


class Lab:
    """Processes on one broker, each of which can be killed, and an operator who sees the body."""

    def __init__(self, folder: Path, broker: EmbeddedBroker) -> None:
        self._script = folder / "player.py"
        self._script.write_text(PLAYER, encoding="utf-8")
        self._folder = folder
        self._address = BrokerAddress(broker.host, broker.port)
        clock = Clock.for_running_loop()
        identity = Identity("safety", "ada", "operator", 1)
        self.operator = MqttBus(identity, self._address, now=clock.now)
        self.states: list[tuple[float, BodyState]] = []
        self.last_frame_s = 0.0
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._boot = 0

    async def open(self) -> None:
        await self.operator.connect()
        await self.operator.subscribe([BodyState, JointFrame], self._hear)

    def _hear(self, envelope: Envelope) -> None:
        if isinstance(envelope.message, BodyState):
            self.states.append((envelope.time, envelope.message))
        else:
            self.last_frame_s = envelope.time

    async def begin(self, *names: str) -> None:
        for name in names:
            self._boot += 1
            self._processes[name] = await asyncio.create_subprocess_exec(
                *(sys.executable, str(self._script), str(ROOT), name),
                *(self._address.host, str(self._address.port), str(self._boot)),
                env={**os.environ, "XDG_RUNTIME_DIR": str(self._folder)},
            )

    async def kill(self, *names: str) -> float:
        for name in names:
            os.kill(self._processes[name].pid, signal.SIGKILL)
        killed_s = time.time()
        for name in names:
            await self._processes.pop(name).wait()
        return killed_s

    async def close(self) -> None:
        await self.kill(*self._processes)
        await self.operator.close()

    async def until(self, health: str, after_s: float = 0.0) -> tuple[float, BodyState]:
        """The first state of that health after a moment."""
        found: list[tuple[float, BodyState]] = []

        def seen() -> bool:
            found[:] = [
                (time_s, state)
                for time_s, state in self.states
                if time_s >= after_s and str(state.health) == health
            ]
            return bool(found)

        await until(seen, 10.0)
        return found[0]

    async def until_moving(self) -> None:
        """Wait until frames of the engine reach the body."""
        await until(
            lambda: bool(self.states) and self.states[-1][1].counts.get("frames", 0) > 5, 10.0
        )

    def angles(self, after_s: float, before_s: float = math.inf) -> list[float]:
        return [
            state.joints_rad["base"]
            for time_s, state in self.states
            if after_s <= time_s < before_s and state.joints_rad
        ]


async def until(condition: Callable[[], bool], timeout_s: float) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        await asyncio.sleep(0.002)


@contextlib.asynccontextmanager
async def laboratory(folder: Path, kind: Any) -> AsyncIterator[Lab]:
    async with EmbeddedBroker(prefer=kind) as broker:
        lab = Lab(folder, broker)
        await lab.open()
        try:
            yield lab
        finally:
            await lab.close()


async def test_a_killed_engine_leads_to_the_safe_state_in_half_a_second_and_a_frame(
    broker_kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, broker_kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        await asyncio.sleep(0.3)
        killed_s = await lab.kill("engine")
        safe_s, safe = await lab.until("warning", killed_s)
        assert safe.problem == "no frame for 0.5 s"
        assert 0.45 < safe_s - lab.last_frame_s < 0.5 + 2 * FRAME_S + BUSY_S
        await asyncio.sleep(0.5)
        still = lab.angles(safe_s + 0.2)
        assert len(still) > 5
        assert max(still) - min(still) < 1e-6, "it holds"
        await lab.begin("engine")
        await lab.until("ok", safe_s)


async def test_a_stop_is_obeyed_within_a_frame_with_engine_and_decision_killed(
    broker_kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, broker_kind) as lab:
        await lab.begin("bridge", "engine", "decider")
        await lab.until_moving()
        await asyncio.sleep(0.3)
        killed_s = await lab.kill("engine", "decider")
        stop = lab.operator.publish(EmergencyStop(by="operator"))
        stopped_s, stopped = await lab.until("stopped", killed_s)
        # Told by the bridge's own beats, one a frame: another process may hold up this one.
        went_on = [time_s for time_s, _ in lab.states if stop.time + 0.01 < time_s < stopped_s]
        assert len(went_on) <= 1
        assert stopped.problem == "emergency stop by operator"
        waits_s = [stopped_s - stop.time]
        for _ in range(4):
            lab.operator.publish(EmergencyRelease())
            await lab.until("warning", lab.states[-1][0])  # released, and nobody sends frames
            stop = lab.operator.publish(EmergencyStop())
            waits_s.append((await lab.until("stopped", stop.time))[0] - stop.time)
        # The fastest of a few: a busy machine may hold up any one of them.
        assert min(waits_s) < FRAME_S


async def test_a_moving_body_stands_although_frames_go_on_and_only_a_release_ends_it(
    broker_kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, broker_kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        await asyncio.sleep(0.5)
        before = lab.angles(0.0)
        assert max(before) - min(before) > 0.01, "it moves"
        stop = lab.operator.publish(EmergencyStop(reason="somebody is too near"))
        stopped_s, _ = await lab.until("stopped", stop.time)
        await asyncio.sleep(1.0)
        held = lab.angles(stopped_s + 0.2)
        assert len(held) > 20
        assert max(held) - min(held) < 1e-6
        lab.operator.publish(EmergencyRelease())
        back_s, _ = await lab.until("ok", lab.states[-1][0])
        await asyncio.sleep(0.5)
        moving = lab.angles(back_s)
        assert max(moving) - min(moving) > 0.01
        assert abs(moving[0] - held[-1]) < 0.1, "from where it stood"


async def test_a_bridge_that_is_killed_while_stopped_comes_back_stopped_and_without_a_jump(
    broker_kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, broker_kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        await asyncio.sleep(0.7)
        stop = lab.operator.publish(EmergencyStop(reason="a test"))
        stopped_s, _ = await lab.until("stopped", stop.time)
        await asyncio.sleep(0.4)
        (stood,) = {round(angle, 6) for angle in lab.angles(stopped_s + 0.2)}
        killed_s = await lab.kill("bridge")
        await lab.begin("bridge")
        again_s, again = await lab.until("stopped", killed_s)
        assert again.problem == "emergency stop: a test"
        await asyncio.sleep(0.3)
        assert {str(state.health) for time_s, state in lab.states if time_s > again_s} == {
            "stopped"
        }
        assert lab.angles(again_s)[-1] == pytest.approx(stood, abs=1e-4)
        lab.operator.publish(EmergencyRelease())
        back_s, _ = await lab.until("ok", again_s)
        await asyncio.sleep(0.3)
        path = [stood, *lab.angles(back_s)]
        steps = [abs(b - a) for a, b in itertools.pairwise(path)]
        assert len(steps) > 5
        assert max(steps) < FASTEST_RAD_S * (FRAME_S + BUSY_S)


async def test_a_bridge_that_is_killed_in_motion_goes_on_without_a_jump(
    broker_kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, broker_kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        await asyncio.sleep(0.7)
        killed_s = await lab.kill("bridge")
        stood = lab.angles(0.0, killed_s)[-1]
        await lab.begin("bridge")
        back_s, _ = await lab.until("ok", killed_s)
        await until(lambda: len(lab.angles(back_s)) > 20, 5.0)
        path = lab.angles(back_s)
        assert path[0] == pytest.approx(stood, abs=FASTEST_RAD_S * (2 * FRAME_S + BUSY_S))
        steps = [abs(b - a) for a, b in itertools.pairwise(path)]
        assert max(steps) < FASTEST_RAD_S * (FRAME_S + BUSY_S)


async def test_a_killed_broker_leads_to_the_safe_state_and_its_return_ends_it(
    broker_kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sera.animation.output import GuardState
    from sera.runtime import ModuleContext
    from sera.runtime._host import ModuleHost
    from sera.runtime._loading import load_packaged_class
    from sera.runtime.robot import load_robot
    from sera.runtime.workspace import Workspace

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    broker = EmbeddedBroker(prefer=broker_kind, max_restarts=0)
    await broker.start()
    port = broker.port
    lab = Lab(tmp_path, broker)
    await lab.open()
    clock = Clock.for_running_loop()
    host = ModuleHost(
        load_packaged_class(Workspace.discover(ROOT), "robot_bridge"),
        Identity("safety", "ada", "bridge", 1),
        ModuleContext(clock=clock, robot=load_robot(ROOT / "robots" / "adelino")),
        lambda identity, will, everyone: MqttBus(
            *(identity, BrokerAddress(broker.host, port)),
            now=clock.now,
            will=will,
            hears_everyone=everyone,
        ),
    )
    await host.open()
    living = asyncio.create_task(host.live())
    module: Any = host.module
    try:
        await lab.begin("engine")
        await lab.until_moving()
        os.kill(broker.pid, signal.SIGKILL)
        killed_s = time.monotonic()
        await until(lambda: module.guard.state is GuardState.SAFE, 3.0)
        assert time.monotonic() - killed_s < 0.5 + 2 * FRAME_S + BUSY_S
        await broker.stop()
        async with EmbeddedBroker(prefer=broker_kind, port=port):
            await until(lambda: module.guard.state is GuardState.FOLLOWING, 10.0)
            await lab.close()
            host.stop()
            await living
    finally:
        living.cancel()
        await lab.close()
        await broker.stop()
