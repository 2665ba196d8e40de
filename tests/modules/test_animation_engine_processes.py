"""The animation engine in real time and in processes of its own, over a real broker.

The machine may be busy with other tests: nothing is asked of time here. That frames lie on a grid
is shown in virtual time (`test_animation_engine_body`).
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
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

from sera.animation.animator import Animator
from sera.animation.stage_set import StageSet
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
from tests.helpers import until

ROOT = Path(__file__).parents[2]
ALIVE = (ROOT / "robots" / "shared" / "program.toml").read_text(encoding="utf-8")
FRAME_S = 0.02
FASTEST_RAD_S = math.radians(90.0)


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to wait for a look at files, or for what the engine tells once a second."""
    engine = sys.modules[
        load_packaged_class(Workspace.discover(ROOT), "animation_engine").__module__
    ]
    monkeypatch.setattr(engine, "LOOK_AT_FILES_EVERY_S", 0.02)
    monkeypatch.setattr(engine, "STATE_EVERY_S", 0.04)


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
        await until(lambda: len(self.of(JointFrame)) > 5)

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

        def seen() -> list[EngineState]:
            said = [e.message for e in self.heard[begun:]]
            return [each for each in said if isinstance(each, EngineState) and fits(each)]

        return (await until(seen, "such a state"))[0]

    def did_not_jump(self, after_s: float) -> None:
        frames = self.frames(after_s)
        for joint in frames[0].message.joints_rad:
            path = np.array([e.message.joints_rad[joint] for e in frames])
            numbers = np.array([e.message.frame for e in frames])
            steps = np.abs(np.diff(path)) / np.maximum(1, np.diff(numbers))
            assert steps.max() <= FASTEST_RAD_S * FRAME_S + 1e-6, joint


@contextlib.asynccontextmanager
async def show(folder: Path, **settings: Any) -> AsyncIterator[Show]:
    async with EmbeddedBroker() as broker:
        running = Show(folder, broker, **settings)
        await running.open()
        try:
            yield running
        finally:
            await running.close()


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

        def looks() -> bool:
            base_rad = running.frames()[-1].message.joints_rad["base"]
            return bool(-base_rad > math.radians(10))

        await until(looks, "a look")
        edited_s = running.clock.now()
        edited = ALIVE.replace('title = "Alive"', 'title = "Edited"')
        program.write_text(edited + "\n[output]\nrate_hz = 25\n", encoding="utf-8")

        def slower() -> bool:
            recent = [e.message.frame for e in running.frames(edited_s)][-4:]
            return len(recent) == 4 and set(np.diff(recent)) == {2}

        await until(slower, "every other frame")
        state = await running.state(lambda s: s.program == "Edited")
        assert (state.posture, state.playing) == ("hot", ["nod"])
        assert state.layers["drift"] == 0.0
        assert state.problem is None
        running.did_not_jump(0.0)
        assert looks(), "still"
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
            await until(lambda: running.of(ModuleFault)[before:], "the fault")  # noqa: B023
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


def test_a_file_that_came_while_the_others_were_read_and_went_again_leaves_no_problem(
    tmp_path: Path,
) -> None:
    module = load_packaged_class(Workspace.discover(ROOT), "animation_engine").__module__
    kept = importlib.import_module(f"{module}._files")
    (tmp_path / "program.toml").write_text(ALIVE, encoding="utf-8")
    bad = tmp_path / "controllers" / "bad.py"
    bad.parent.mkdir()

    class Stage(StageSet):
        """Somebody saves a file in the very moment in which the program is read."""

        def program(self, repertoire: Any = None) -> Any:
            if comes:
                bad.write_text(comes.pop(), encoding="utf-8")
            return super().program(repertoire)

    comes: list[str] = []
    stage = Stage.find(ROOT / "robots" / "adelino", (ROOT,), scenario=tmp_path)
    files = kept.ProgramFiles(stage, Workspace.discover(ROOT), None)
    animator = Animator(files.program())
    comes.append("1 / 0")
    (tmp_path / "program.toml").write_text(ALIVE + "# edited", encoding="utf-8")
    assert files.changed(animator) is None, "it may still be written"
    assert files.problem is None
    assert files.changed(animator) is None
    assert "bad.py:1" in files.problem
    bad.unlink()
    made = files.changed(animator)
    assert made is not None, files.problem
    assert files.take_over(made, animator)
    assert files.problem is None


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

    def follows() -> bool:
        measured = of(BodyState)[-1:]
        return bool(measured) and measured[0].joints_rad.get("base") == pytest.approx(
            math.radians(20.0), abs=1e-3
        )

    try:
        await until(turned, "a turn")
        await until(follows, "the body's turn")
        pid = next(
            e.message.process_id
            for e in reversed(seen)
            if e.source == "ada.engine" and isinstance(e.message, ModulePresence)
        )
        assert pid is not None
        assert pid != os.getpid()
        os.kill(pid, signal.SIGKILL)
        killed_s = time.time()
        await until(lambda: turned(killed_s + 0.2), "a new life")
        await until(lambda: len(of(JointFrame, killed_s + 0.2)) > 5, "its way")
        second = of(JointFrame, killed_s + 0.2)
        assert second[0].frame < 20, "a new life"
        assert second[0].joints_rad["base"] == pytest.approx(math.radians(20.0), abs=0.01)
        # Before the first noise of its new life it wants the base in the middle: on its way.
        path = np.array([frame.joints_rad["base"] for frame in second])
        numbers = np.array([frame.frame for frame in second])
        steps = np.abs(np.diff(path)) / np.diff(numbers)
        assert steps.max() <= FASTEST_RAD_S * FRAME_S + 1e-6, "no jump"
        assert {str(s.health) for s in of(BodyState)} <= {"ok", "warning"}
        warned = [s.problem for s in of(BodyState, killed_s) if str(s.health) == "warning"]
        assert set(warned) == {"no frame for 0.5 s"}
    finally:
        run.stop("enough")
        summary = await task
    assert summary.restarts == {"ada.engine": 1}
