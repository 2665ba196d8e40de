"""An animation engine on an in-memory bus in virtual time, for tests: director, body, witness."""

from __future__ import annotations

import asyncio
import json
import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import Body
from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    BodyHealth,
    BodyState,
    EngineState,
    Envelope,
    JointFrame,
    Message,
    SetLayer,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.robot import load_robot
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
ROBOTS = ROOT / "robots"
FRAME_S = 0.02
HAIR = 1e-7
"""What sums of floats may add to a limit."""
STILL = SetLayer(layer="life", active=False)


def module_class(name: str) -> Any:
    return load_packaged_class(Workspace.discover(ROOT), name)


class Stage:
    """An engine, a simulated body where it is wanted, a director, and all that was said."""

    def __init__(
        self,
        robot: str | Path = "adelino",
        *,
        folder: Path | None = None,
        body: dict[str, Any] | None = None,
        with_body: bool = False,
        **settings: Any,
    ) -> None:
        self.robot = ROBOTS / robot if isinstance(robot, str) else robot
        self.clock = Clock.for_running_loop()
        self.broker = MemoryBroker()
        self.heard: list[Envelope] = []
        self.director = self._bus(Identity("play", "ada", "director"))
        self._witness = self._bus(Identity("play", "world", "witness"))
        self._context = ModuleContext(
            clock=self.clock, robot=load_robot(self.robot), folder=folder, seed=7
        )
        self._settings = {"wait_for_body_s": 0.0, **settings}
        self._tasks: dict[str, tuple[ModuleHost, asyncio.Task[None]]] = {}
        self._lives = 0
        self._wanted = ["bridge"] if body is not None or with_body else []
        self._body_settings = body or {}
        self.notes: dict[str, Any] = {}

    def _bus(self, identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(
            identity, self.broker, now=self.clock.now, will=will, hears_everyone=hears_everyone
        )

    async def open(self) -> None:
        await self.director.connect()
        await self._witness.connect()
        await self._witness.subscribe(None, self.heard.append)
        for name in [*self._wanted, "engine"]:
            await self.begin(name)

    async def begin(self, name: str) -> None:
        self._lives += 1
        kind, settings = {
            "bridge": ("robot_bridge", {"heartbeat_hz": 50.0, **self._body_settings}),
            "engine": ("animation_engine", self._settings),
        }[name]
        host = ModuleHost(
            module_class(kind),
            Identity("play", "ada", name, self._lives),
            self._context,
            self._bus,
            settings=settings,
        )
        await host.open()
        task = asyncio.create_task(host.live())
        self._tasks[name] = (host, task)
        started = asyncio.ensure_future(host.started.wait())
        await asyncio.wait([task, started], return_when=asyncio.FIRST_COMPLETED)
        started.cancel()
        if task.done():
            task.result()

    async def end(self, name: str) -> None:
        host, task = self._tasks.pop(name)
        host.stop()
        await task

    async def close(self) -> None:
        for name in list(self._tasks):
            await self.end(name)

    def module(self, name: str) -> Any:
        return self._tasks[name][0].module

    def say(self, message: Message) -> str:
        return self.director.publish(message).id

    async def do(self, message: Message, for_s: float = 0.0) -> str:
        """Give an order and let time pass."""
        said = self.say(message)
        await asyncio.sleep(for_s)
        return said

    def feel(self, joints: dict[str, float], health: BodyHealth = BodyHealth.OK) -> None:
        """Be the body, and say where it is."""
        self.director.publish(BodyState(health=health, joints_rad=joints))

    def of(self, kind: type[Any], after_s: float = -1.0, before_s: float = math.inf) -> list[Any]:
        return [e.message for e in self.envelopes(kind, after_s, before_s)]

    def envelopes(
        self, kind: type[Any], after_s: float = -1.0, before_s: float = math.inf
    ) -> list[Envelope]:
        return [
            e for e in self.heard if isinstance(e.message, kind) and after_s <= e.time < before_s
        ]

    def path(self, joint: str, after_s: float = -1.0, before_s: float = math.inf) -> list[float]:
        return [frame.joints_rad[joint] for frame in self.of(JointFrame, after_s, before_s)]

    @property
    def state(self) -> EngineState:
        return self.of(EngineState)[-1]


def _play(scene: Any, **settings: Any) -> Stage:
    async def main() -> Stage:
        stage = Stage(**settings)
        await stage.open()
        await scene(stage)
        await stage.close()
        return stage

    return run_with_clock(main(), clock="virtual")


def _keeps_its_limits(body: Body, frames: list[JointFrame], start: dict[str, float]) -> None:
    """Velocity and acceleration of every joint, from a body at rest in `start` on."""
    assert len(frames) > 3
    for name, first in start.items():
        spec = body.own[name]
        path = np.array([first, first, *(frame.joints_rad[name] for frame in frames)])
        velocity = np.diff(path) / FRAME_S
        assert np.abs(velocity).max() <= spec.max_velocity + HAIR / FRAME_S, name
        acceleration = np.abs(np.diff(velocity)).max() / FRAME_S
        assert acceleration <= spec.max_acceleration + HAIR / FRAME_S**2, name


@pytest.fixture
def play() -> Callable[..., Stage]:
    """Plays a scene with an engine; returns the stage with all that was said."""
    return _play


@pytest.fixture
def make_stage() -> type[Stage]:
    """For plays that open it by themselves, inside of virtual time."""
    return Stage


@pytest.fixture
def keeps_its_limits() -> Callable[[Body, list[JointFrame], dict[str, float]], None]:
    return _keeps_its_limits


ACTOR = """
from sera import Module
from sera.messages import *
from sera.messages import Position
from sera.runtime import Role

class Actor(Module):
    role = Role.WIZARD
    async def run(self):
{body}
        await self.end_run("done")
"""


HEARS = """\
from tests.helpers import until
heard = []
await self.bus.subscribe(None, lambda envelope: heard.append(envelope.message))
def of(kind):
    return [message for message in heard if isinstance(message, kind)]
async def first(kind, fits=lambda message: True):
    return (await until(lambda: [each for each in of(kind) if fits(each)], kind.__name__))[0]
"""


def set_stage(folder: Path, scenario: str, body: str, files: dict[str, str] | None = None) -> Path:
    """A scenario in a workspace of its own, with an actor who does what `body` says."""
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(scenario, encoding="utf-8")
    shifted = textwrap.indent(textwrap.dedent(body), " " * 8)
    (place / "actor.py").write_text(ACTOR.format(body=shifted), encoding="utf-8")
    for name, text in (files or {}).items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def acted(tmp_path: Path) -> Callable[..., list[Envelope]]:
    """Run a scenario with an actor in virtual time; what was said on the bus comes back."""

    def run(scenario: str, body: str, files: dict[str, str] | None = None) -> list[Envelope]:
        set_stage(tmp_path, scenario, body, files)
        workspace = Workspace.discover(tmp_path)
        workspace.activate()
        seen: list[Envelope] = []

        async def main() -> None:
            loaded = load_scenario("play", workspace)
            started = Run(loaded, workspace, RunOptions(record=False))
            started.observe(seen.append)
            await started.execute()

        run_with_clock(main(), clock="virtual")
        return seen

    return run


@pytest.fixture
def acted_for_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[dict[str, Any]]]:
    """The same in real time; the records of its log come back.

    The actor waits for what happens: `heard` has all messages, `until` waits for a condition.
    """
    live = tmp_path / "live"
    live.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(live))
    monkeypatch.setenv("SERA_RUNS", str(tmp_path / "runs"))

    def run(scenario: str, body: str, files: dict[str, str] | None = None) -> list[dict[str, Any]]:
        place = set_stage(tmp_path, scenario, HEARS + textwrap.dedent(body), files)
        workspace = Workspace.discover(tmp_path)
        workspace.activate()
        log = tmp_path / "log.jsonl"

        async def main() -> None:
            await Run(load_scenario(place, workspace), workspace, RunOptions(log=log)).execute()

        run_with_clock(main(), clock="real")
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    return run
