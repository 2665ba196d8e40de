"""The body stays safe while real processes around it are killed, over real brokers.

How soon it does is shown in virtual time (`test_robot_bridge`): here any machine may be busy. All
brokers take part where one is killed, and one of them in each of the other tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sera.bus import BrokerAddress, EmbeddedBroker, Identity, MqttBus
from sera.messages import BodyState, EmergencyRelease, EmergencyStop, Envelope
from sera.runtime import Clock
from tests.helpers import some_of, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")

ROOT = Path(__file__).parents[2]
MANY = 20
"""Beats of the body after which it is taken to stand, or to move."""
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
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._boot = 0

    async def open(self) -> None:
        await self.operator.connect()
        await self.operator.subscribe([BodyState], self._hear)

    def _hear(self, envelope: Envelope) -> None:
        assert isinstance(envelope.message, BodyState)
        self.states.append((envelope.time, envelope.message))

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

        def seen() -> list[tuple[float, BodyState]]:
            return [
                (time_s, state)
                for time_s, state in self.states
                if time_s >= after_s and str(state.health) == health
            ]

        return (await until(seen, f"the health {health}"))[0]

    async def until_moving(self, after_s: float = 0.0) -> list[float]:
        """Wait until the body follows the engine; its angles since that moment."""

        def moves() -> bool:
            angles = self.angles(after_s)
            return len(angles) > MANY and max(angles) - min(angles) > 0.01

        await until(moves, "a motion")
        return self.angles(after_s)

    async def until_still(self, after_s: float) -> float:
        """Wait until the body stands, and look whether it goes on doing so; its angle."""

        def stands() -> list[float] | None:
            angles = self.angles(after_s)[-MANY:]
            return angles if len(angles) == MANY and len(set(angles)) == 1 else None

        (angle, *_) = await until(stands, "a stand")
        seen = len(self.states)
        await until(lambda: len(self.states) >= seen + MANY)
        assert {state.joints_rad["base"] for _, state in self.states[seen:]} == {angle}
        return angle

    def angles(self, after_s: float, before_s: float = math.inf) -> list[float]:
        return [angle for _, angle in self.path(after_s, before_s)]

    def path(self, after_s: float, before_s: float = math.inf) -> list[tuple[float, float]]:
        return [
            (time_s, state.joints_rad["base"])
            for time_s, state in self.states
            if after_s <= time_s < before_s and state.joints_rad
        ]

    def did_not_jump(self, after_s: float) -> None:
        """No two beats are further apart than the fastest joint comes.

        A beat is measured between the beat before and its own telling, however busy the machine.
        """
        path = self.path(after_s)
        assert len(path) > 5
        for (before_s, _), (_, start), (end_s, end) in zip(path, path[1:], path[2:], strict=False):
            assert abs(end - start) <= FASTEST_RAD_S * (end_s - before_s) + 1e-6


@contextlib.asynccontextmanager
async def laboratory(folder: Path, kind: Any) -> AsyncIterator[Lab]:
    async with EmbeddedBroker(prefer=kind) as broker:
        lab = Lab(folder, broker)
        await lab.open()
        try:
            yield lab
        finally:
            await lab.close()


def one_broker(seed: int) -> Any:
    """One of the kinds of brokers, all of them in `make test-full`."""
    kinds = [
        pytest.param("mosquitto", marks=pytest.mark.needs_program("mosquitto")),
        pytest.param("amqtt"),
    ]
    return pytest.mark.parametrize("kind", some_of(kinds, seed=seed))


@one_broker(1)
async def test_a_killed_engine_leads_to_the_safe_state_and_a_new_one_ends_it(
    kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        killed_s = await lab.kill("engine")
        safe_s, safe = await lab.until("warning", killed_s)
        assert safe.problem == "no frame for 0.5 s"
        await lab.until_still(safe_s)
        await lab.begin("engine")
        await lab.until("ok", safe_s)


@one_broker(2)
async def test_a_stop_is_obeyed_with_engine_and_decision_killed(kind: Any, tmp_path: Path) -> None:
    async with laboratory(tmp_path, kind) as lab:
        await lab.begin("bridge", "engine", "decider")
        await lab.until_moving()
        killed_s = await lab.kill("engine", "decider")
        lab.operator.publish(EmergencyStop(by="operator"))
        _, stopped = await lab.until("stopped", killed_s)
        assert stopped.problem == "emergency stop by operator"
        for _ in range(2):
            lab.operator.publish(EmergencyRelease())
            await lab.until("warning", lab.states[-1][0])  # released, and nobody sends frames
            stop = lab.operator.publish(EmergencyStop())
            await lab.until("stopped", stop.time)


@one_broker(3)
async def test_a_moving_body_stands_although_frames_go_on_and_only_a_release_ends_it(
    kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        stop = lab.operator.publish(EmergencyStop(reason="somebody is too near"))
        stopped_s, _ = await lab.until("stopped", stop.time)
        await lab.until_still(stopped_s)
        stood_s = lab.states[-1][0]
        lab.operator.publish(EmergencyRelease())
        await lab.until("ok", stood_s)
        await lab.until_moving(stood_s)
        lab.did_not_jump(stood_s)


@one_broker(4)
async def test_a_bridge_that_is_killed_while_stopped_comes_back_stopped_and_without_a_jump(
    kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        stop = lab.operator.publish(EmergencyStop(reason="a test"))
        stopped_s, _ = await lab.until("stopped", stop.time)
        stood = await lab.until_still(stopped_s)
        killed_s = await lab.kill("bridge")
        await lab.begin("bridge")
        again_s, again = await lab.until("stopped", killed_s)
        assert again.problem == "emergency stop: a test"
        assert await lab.until_still(again_s) == pytest.approx(stood, abs=1e-4)
        since = [state.health for time_s, state in lab.states if time_s > again_s]
        assert set(map(str, since)) == {"stopped"}
        stood_s = lab.states[-1][0]
        lab.operator.publish(EmergencyRelease())
        await lab.until("ok", stood_s)
        await lab.until_moving(stood_s)
        lab.did_not_jump(stood_s)


@one_broker(5)
async def test_a_bridge_that_is_killed_in_motion_goes_on_without_a_jump(
    kind: Any, tmp_path: Path
) -> None:
    async with laboratory(tmp_path, kind) as lab:
        await lab.begin("bridge", "engine")
        await lab.until_moving()
        killed_s = await lab.kill("bridge")
        await lab.begin("bridge")
        await lab.until("ok", killed_s)
        await lab.until_moving(killed_s)
        stood = lab.angles(0.0, killed_s)[-1]
        # Its first beat may be told when it has begun to follow.
        assert lab.angles(killed_s)[0] == pytest.approx(stood, abs=0.5)
        lab.did_not_jump(killed_s)


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
        await until(lambda: module.guard.state is GuardState.SAFE, "the safe state")
        await broker.stop()
        async with EmbeddedBroker(prefer=broker_kind, port=port):
            await until(lambda: module.guard.state is GuardState.FOLLOWING, "frames")
            await lab.close()
            host.stop()
            await living
    finally:
        living.cancel()
        await lab.close()
        await broker.stop()
