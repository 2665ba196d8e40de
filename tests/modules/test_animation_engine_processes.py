"""The animation engine in real time and in processes of its own, over a real broker.

The machine may be busy with other tests: what is asked of time here is asked of the grid of frames
and of what the engine itself counts, not of single frames.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.bus import BrokerAddress, EmbeddedBroker, Identity, MqttBus
from sera.messages import (
    AnimationFinished,
    BodyState,
    Direction,
    EngineState,
    Envelope,
    Gaze,
    JointFrame,
    Message,
    ModuleFault,
    ModulePresence,
    PlayAnimation,
    SetLayer,
    SetPosture,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.robot import load_robot
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
ALIVE = (ROOT / "robots" / "shared" / "program.toml").read_text(encoding="utf-8")
FRAME_S = 0.02
FASTEST_RAD_S = math.radians(90.0)
TAKEN_OVER_S = 1.5
BUSY_S = 2.0
"""What a machine full of other tests may add."""


class Show:
    """An engine in real time on a real broker, a director, and all that was said."""

    def __init__(self, folder: Path, broker: EmbeddedBroker, **settings: Any) -> None:
        self.clock = Clock.for_running_loop()
        self._address = BrokerAddress(broker.host, broker.port)
        self.heard: list[Envelope] = []
        self.director = self._bus(Identity("show", "ada", "director", 1))
        self.host = ModuleHost(
            load_packaged_class(Workspace.discover(ROOT), "animation_engine"),
            Identity("show", "ada", "engine", 1),
            ModuleContext(
                clock=self.clock, robot=load_robot(ROOT / "robots" / "adelino"), folder=folder
            ),
            self._bus,
            settings={"wait_for_body_s": 0.0, **settings},
        )

    def _bus(self, identity: Identity, will: Any = None, hears_everyone: Any = None) -> MqttBus:
        return MqttBus(
            identity, self._address, now=self.clock.now, will=will, hears_everyone=hears_everyone
        )

    async def open(self) -> None:
        await self.director.connect()
        await self.director.subscribe(None, self.heard.append)
        await self.host.open()
        self.task = asyncio.create_task(self.host.live())
        await self.host.started.wait()
        await until(lambda: len(self.of(JointFrame)) > 5, 10.0)

    async def close(self) -> None:
        self.host.stop()
        await self.task
        await self.director.close()

    def of(self, kind: type[Any]) -> list[Any]:
        return [e.message for e in self.heard if isinstance(e.message, kind)]

    def frames(self, after_s: float = 0.0) -> list[Envelope]:
        return [e for e in self.heard if e.type == "JointFrame" and e.time >= after_s]

    async def state(self, fits: Callable[[EngineState], bool]) -> EngineState:
        """The first new state that fits."""
        begun = len(self.heard)
        found: list[EngineState] = []

        def seen() -> bool:
            found[:] = [
                e.message
                for e in self.heard[begun:]
                if isinstance(e.message, EngineState) and fits(e.message)
            ]
            return bool(found)

        # It is told once a second.
        await until(seen, TAKEN_OVER_S + 1.0 + BUSY_S)
        return found[0]

    def did_not_jump(self, after_s: float) -> None:
        frames = self.frames(after_s)
        for joint in frames[0].message.joints_rad:
            path = np.array([e.message.joints_rad[joint] for e in frames])
            numbers = np.array([e.message.frame for e in frames])
            steps = np.abs(np.diff(path)) / np.maximum(1, np.diff(numbers))
            assert steps.max() <= FASTEST_RAD_S * FRAME_S + 1e-6, joint


async def until(condition: Callable[[], bool], timeout_s: float) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        await asyncio.sleep(0.005)


@contextlib.asynccontextmanager
async def show(folder: Path, **settings: Any) -> AsyncIterator[Show]:
    async with EmbeddedBroker() as broker:
        running = Show(folder, broker, **settings)
        await running.open()
        try:
            yield running
        finally:
            await running.close()


async def test_frames_come_every_twenty_milliseconds_and_do_not_drift(tmp_path: Path) -> None:
    async with show(tmp_path) as running:
        await asyncio.sleep(5.0)
        times = np.array([e.time for e in running.frames()])
        moments = np.round((times - times[0]) / FRAME_S)
        assert moments[-1] > 240
        assert (times[-1] - times[0]) / moments[-1] == pytest.approx(FRAME_S, abs=0.0002)
        slope_s, _ = np.polyfit(moments, times - times[0], 1)
        assert slope_s == pytest.approx(FRAME_S, abs=0.00005), "no drift against the grid"
        late = running.of(EngineState)[-1].counts["late"]
        assert len(times) >= moments[-1] + 1 - late - 2, "what is not there was told to be late"


SLEEPY = """
import time
from sera.animation.engine import Controller

class Sleepy(Controller):
    frames = 0
    @classmethod
    def make(cls, parameters, making):
        return cls()
    def bind(self, row):
        pass
    def step(self, dt_s):
        self.frames += 1
        if self.frames % 50 == 0:
            time.sleep(0.06)
"""


async def test_overruns_are_counted_and_missed_moments_skipped(tmp_path: Path) -> None:
    (tmp_path / "controllers").mkdir()
    (tmp_path / "controllers" / "sleepy.py").write_text(SLEEPY, encoding="utf-8")
    layer = '\n[[layers]]\nname = "sleep"\n[[layers.controllers]]\ntype = "Sleepy"\n'
    (tmp_path / "program.toml").write_text(ALIVE + layer, encoding="utf-8")
    async with show(tmp_path) as running:
        await asyncio.sleep(4.5)
        state = running.of(EngineState)[-1]
        slept = state.counts["frames"] // 50
        assert slept >= 2
        assert state.counts["late"] >= 3 * slept
        assert max(s.slowest_frame_ms for s in running.of(EngineState)) >= 60.0
        times = np.array([e.time for e in running.frames()])
        slope_s, _ = np.polyfit(np.round((times - times[0]) / FRAME_S), times - times[0], 1)
        assert slope_s == pytest.approx(FRAME_S, abs=0.0001), "the grid is kept"


async def test_an_edited_program_is_taken_over_in_motion_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.toml"
    program.write_text(ALIVE, encoding="utf-8")
    async with show(tmp_path) as running:
        running.director.publish(SetPosture(posture="hot"))
        running.director.publish(Gaze(direction=Direction(horizontal_deg=30.0)))
        running.director.publish(SetLayer(layer="drift", active=False))
        running.director.publish(PlayAnimation(animation="nod", repeats=None))
        await asyncio.sleep(1.0)
        edited_s = running.clock.now()
        edited = ALIVE.replace('title = "Alive"', 'title = "Edited"')
        program.write_text(edited + "\n[output]\nrate_hz = 25\n", encoding="utf-8")

        def slower() -> bool:
            recent = [e.time for e in running.frames(edited_s)][-4:]
            return len(recent) == 4 and recent[-1] - recent[0] > 0.09

        await until(slower, TAKEN_OVER_S + BUSY_S)
        state = await running.state(lambda s: s.program == "Edited")
        assert (state.posture, state.playing) == ("hot", ["nod"])
        assert state.layers["drift"] == 0.0
        assert state.problem is None
        running.did_not_jump(edited_s - 0.5)
        assert -running.frames()[-1].message.joints_rad["base"] > math.radians(10), "it still looks"
        assert running.of(AnimationFinished) == []
        assert running.of(ModuleFault) == []


CYCLE = """
[[signals]]
name = "one"
type = "Expression"
text = "two + 1"
[[signals]]
name = "two"
type = "Expression"
text = "one + 1"
"""
MISMATCH = """
[[signals]]
name = "word"
type = "Message"
message = "SpeechWord"
field = "text"
[[layers]]
name = "odd"
[[layers.controllers]]
type = "Breathing"
arousal = { from = "word" }
"""
UNKNOWN = '\n[[layers]]\nname = "odd"\nonly = ["Torso.Leen"]\n'


async def test_a_broken_edit_changes_nothing_and_is_explained_until_it_is_mended(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.toml"
    program.write_text(ALIVE, encoding="utf-8")
    broken = {
        "not TOML": (ALIVE + "\n[[layers]\n", "program.toml:", ""),
        "a circle": (ALIVE + CYCLE, "program.toml:", "one → two → one"),
        "another type": (ALIVE + MISMATCH, "program.toml:", "arousal"),
        "no channel": (ALIVE + UNKNOWN, "program.toml:", "Torso.Lean"),
    }
    async with show(tmp_path) as running:
        for what, (text, place, words) in broken.items():
            before = len(running.of(ModuleFault))
            program.write_text(text, encoding="utf-8")
            state = await running.state(lambda s: s.problem is not None)
            assert place in state.problem, what
            assert words in state.problem, what
            (fault,) = running.of(ModuleFault)[before:]
            assert (fault.summary, str(fault.severity)) == (state.problem[:600], "warning")
            assert state.program == "Alive"
            program.write_text(ALIVE, encoding="utf-8")
            await running.state(lambda s: s.problem is None)
        begun = len(running.of(JointFrame))
        (tmp_path / "controllers").mkdir()
        (tmp_path / "controllers" / "bad.py").write_text("\n1 / 0\n", encoding="utf-8")
        state = await running.state(lambda s: s.problem is not None)
        assert "bad.py:2" in state.problem
        assert len(running.of(JointFrame)) > begun
        (tmp_path / "controllers" / "bad.py").unlink()
        await running.state(lambda s: s.problem is None)
        running.did_not_jump(0.0)


async def test_a_new_posture_can_be_taken_as_soon_as_its_file_is_written(tmp_path: Path) -> None:
    async with show(tmp_path) as running:
        (tmp_path / "postures").mkdir()
        file = tmp_path / "postures" / "odd.toml"
        file.write_text('[postures.odd.values]\n"Torso.Lean" = "far"\n', encoding="utf-8")
        state = await running.state(lambda s: s.problem is not None)
        assert "odd.toml:2" in state.problem
        file.write_text('[postures.odd.values]\n"Torso.Lean" = 12\n', encoding="utf-8")
        await running.state(lambda s: s.problem is None)
        running.director.publish(SetPosture(posture="odd"))
        await running.state(lambda s: s.posture == "odd")
        assert len(running.of(ModuleFault)) == 1


OWN_MODULE = """
from sera import Module
from sera.messages import Perception
from sera.runtime import Role

class Noise(Perception):
    level: float

class Ear(Module):
    role = Role.PERCEPTION

    async def run(self):
        while True:
            await self.publish(Noise(level=20.0))
            await self.clock.sleep(0.1)
"""
OWN_PROGRAM = """
[[layers]]
name = "only"
mode = "override"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Body.base"
value = { message = "Noise", field = "level" }
"""
OWN_SCENARIO = """
[scenario]
title = "Play"
duration_s = 60
[characters.ada]
robot = "adelino"
[characters.ada.modules.ear]
[characters.ada.modules.engine]
module = "animation_engine"
process = "own"
[characters.ada.modules.body]
module = "robot_bridge"
heartbeat_hz = 50
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX matter")
async def test_an_engine_of_its_own_process_knows_a_laboratorys_messages_and_outlives_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for path, text in {
        "modules/ear/__init__.py": OWN_MODULE,
        "scenarios/play/program.toml": OWN_PROGRAM,
        "scenarios/play/scenario.toml": OWN_SCENARIO,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    workspace = Workspace.discover(tmp_path)
    workspace.activate()
    seen: list[Envelope] = []
    run = Run(load_scenario("play", workspace), workspace, RunOptions(record=False))
    run.observe(seen.append)
    task = asyncio.create_task(run.execute())

    def of(kind: type[Message], after_s: float = 0.0) -> list[Any]:
        return [e.message for e in seen if isinstance(e.message, kind) and e.time >= after_s]

    def turned(after_s: float = 0.0) -> bool:
        frames = of(JointFrame, after_s)
        return bool(frames) and frames[-1].joints_rad["base"] == pytest.approx(math.radians(20.0))

    try:
        await until(turned, 30.0)
        await asyncio.sleep(0.3)
        pid = next(
            e.message.process_id
            for e in reversed(seen)
            if e.source == "ada.engine" and isinstance(e.message, ModulePresence)
        )
        assert pid is not None
        assert pid != os.getpid()
        os.kill(pid, signal.SIGKILL)
        killed_s = time.time()
        await until(lambda: turned(killed_s + 0.2), 30.0)
        second = of(JointFrame, killed_s + 0.2)
        assert second[0].frame < 20, "a new life"
        assert second[0].joints_rad["base"] == pytest.approx(math.radians(20.0), abs=0.01)
        # Before the first noise of its new life it wants the base in the middle: on its way.
        path = np.array([frame.joints_rad["base"] for frame in second])
        numbers = np.array([frame.frame for frame in second])
        steps = np.abs(np.diff(path)) / np.diff(numbers)
        assert steps.max() <= FASTEST_RAD_S * FRAME_S + 1e-6, "no jump"
        healths = {str(s.health) for s in of(BodyState, 0.0)}
        assert healths <= {"ok", "warning"}
    finally:
        run.stop("enough")
        summary = await task
    assert summary.restarts == {"ada.engine": 1}
    first = next(s for s in of(BodyState) if str(s.health) == "warning")
    assert first.problem == "no frame for 0.5 s", "only after the kill, not at the start"
