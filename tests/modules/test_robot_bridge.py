"""The bridge on the bus, in virtual time: frames in, a safe body and its state out."""

from __future__ import annotations

import asyncio
import itertools
import math
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    BodyState,
    EmergencyRelease,
    EmergencyStop,
    Envelope,
    JointFrame,
    ModuleFault,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.clock import run as run_with_clock
from sera.runtime.robot import load_robot
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
FRAME_S = 0.02
FASTEST_RAD_S = math.radians(90.0)


def bridge_class() -> Any:
    return load_packaged_class(Workspace.discover(ROOT), "robot_bridge")


class Stage:
    """One bridge on an in-memory bus, an engine that sends frames, and all that was said."""

    def __init__(
        self,
        robot: Path = ROOT / "robots" / "adelino",
        own: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.clock = Clock.for_running_loop()
        self.broker = MemoryBroker()
        self.heard: list[Envelope] = []
        self.engine = self._bus(Identity("play", "ada", "engine"))
        self._witness = self._bus(Identity("play", "world", "witness"))
        self.host = ModuleHost(
            bridge_class(),
            Identity("play", "ada", "bridge"),
            ModuleContext(clock=self.clock, robot=load_robot(robot)),
            self._bus,
            settings={**settings, "robot": own or {}},
        )
        self.frames = 0

    def _bus(self, identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(
            identity, self.broker, now=self.clock.now, will=will, hears_everyone=hears_everyone
        )

    @property
    def body(self) -> Any:
        """The simulated body itself, to be unplugged or heated."""
        module: Any = self.host.module
        return module.guard.bridge

    async def open(self) -> None:
        await self.engine.connect()
        await self._witness.connect()
        await self._witness.subscribe(None, self.heard.append)
        await self.host.open()
        self.task = asyncio.create_task(self.host.live())
        await self.host.started.wait()
        await asyncio.sleep(0.01)

    async def close(self) -> None:
        self.host.stop()
        await self.task

    async def animate(self, duration_s: float, **joints: float) -> None:
        """Send the same wish at 50 Hz."""
        for _ in range(round(duration_s / FRAME_S)):
            self.frames += 1
            self.engine.publish(JointFrame(joints_rad=joints, frame=self.frames))
            await asyncio.sleep(FRAME_S)

    def states(self, after_s: float = -1.0) -> list[tuple[float, BodyState]]:
        return [
            (envelope.time, envelope.message)
            for envelope in self.heard
            if isinstance(envelope.message, BodyState) and envelope.time >= after_s
        ]

    @property
    def last(self) -> BodyState:
        return self.states()[-1][1]

    def faults(self) -> list[ModuleFault]:
        return [e.message for e in self.heard if isinstance(e.message, ModuleFault)]


def play(scene: Any, **settings: Any) -> Stage:
    async def main() -> Stage:
        stage = Stage(**settings)
        await stage.open()
        await scene(stage)
        await stage.close()
        return stage

    return run_with_clock(main(), clock="virtual")


def test_the_body_follows_frames_within_its_velocity_and_reports_five_times_a_second():
    async def scene(stage: Stage) -> None:
        await stage.animate(3.0, base=1.0, head_bend=-0.5)

    stage = play(scene)
    assert stage.last.joints_rad["base"] == pytest.approx(1.0, abs=1e-6)
    assert stage.last.joints_rad["head_bend"] == pytest.approx(-0.5, abs=1e-6)
    assert set(stage.last.joints_rad) == {
        *("base", "lower_bend", "upper_bend", "head_bend", "head_twist")
    }
    assert (str(stage.last.health), stage.last.problem) == ("ok", None)
    assert stage.last.counts["frames"] >= 145
    times = [time_s for time_s, _ in stage.states()]
    assert len(times) == pytest.approx(3.0 * 5, abs=3)
    for (t0, a), (t1, b) in itertools.pairwise(stage.states()):
        moved = abs(b.joints_rad.get("base", 0.0) - a.joints_rad.get("base", 0.0))
        assert moved <= FASTEST_RAD_S * (t1 - t0) + 1e-9
    assert stage.faults() == []


def test_two_runs_say_exactly_the_same():
    async def scene(stage: Stage) -> None:
        await stage.animate(1.0, base=0.7, lower_bend=-2.0)
        await asyncio.sleep(1.0)
        await stage.animate(0.5, base=-0.7)

    def said() -> list[tuple[float, str]]:
        return [(t, state.model_dump_json()) for t, state in play(scene).states()]

    assert said() == said()


def test_lights_are_channels_and_a_joint_may_be_called_so_too():
    async def scene(stage: Stage) -> None:
        frame = JointFrame(channels={"left_eye": 0.75, "base": 0.1}, frame=1)
        for _ in range(20):
            stage.engine.publish(frame)
            await asyncio.sleep(FRAME_S)
        stage.light = (await stage.body.heartbeat()).joints["Body.left_eye"]

    stage = play(scene)
    assert stage.light == 0.75
    assert stage.last.joints_rad["base"] == pytest.approx(0.1, abs=1e-3)


def test_unknown_names_are_reported_once_to_the_sender_and_nothing_else_is_lost():
    async def scene(stage: Stage) -> None:
        await stage.animate(1.0, base=0.4, hed_bend=0.3)

    stage = play(scene)
    (fault,) = stage.faults()
    assert fault.summary == (
        "the body of 'adelino' has no joint or channel 'hed_bend'; did you mean 'head_bend'?"
    )
    assert fault.sender == "ada.engine"
    assert fault.about is not None
    assert stage.last.joints_rad["base"] == pytest.approx(0.4, abs=1e-3)
    assert stage.last.counts["unknown"] >= 45


def test_an_emergency_stop_holds_within_one_frame_and_only_a_release_ends_it():
    async def scene(stage: Stage) -> None:
        await stage.animate(0.3, base=1.2)
        stage.stopped_s = stage.clock.now()
        stage.engine.publish(EmergencyStop(by="operator", reason="somebody is too near"))
        await stage.animate(2.0, base=1.2)
        stage.held = stage.states(stage.stopped_s + 0.25)
        stage.released_s = stage.clock.now()
        stage.engine.publish(EmergencyRelease())
        await stage.animate(2.0, base=1.2)

    stage = play(scene)
    told_s, first = stage.states(stage.stopped_s)[0]
    assert told_s - stage.stopped_s < FRAME_S, "it is said at once"
    assert str(first.health) == "stopped"
    assert first.problem == "emergency stop by operator: somebody is too near"
    angles = {state.joints_rad["base"] for _, state in stage.held}
    assert len(stage.held) >= 8
    assert len(angles) == 1, "nothing moves"
    assert 0.1 < angles.pop() < 0.3 * FASTEST_RAD_S + FASTEST_RAD_S * FRAME_S
    back_s, back = next(
        (time_s, state)
        for time_s, state in stage.states(stage.released_s)
        if str(state.health) != "stopped"
    )
    assert back_s - stage.released_s < FRAME_S
    assert str(back.health) == "ok"
    assert stage.last.joints_rad["base"] == pytest.approx(1.2, abs=1e-4)


def test_the_state_after_a_stop_names_the_stop_as_its_cause():
    async def scene(stage: Stage) -> None:
        stage.order = stage.engine.publish(EmergencyStop())
        await asyncio.sleep(0.01)

    stage = play(scene)
    told = next(
        e
        for e in stage.heard
        if isinstance(e.message, BodyState)
        and e.message.problem
        and "emergency" in e.message.problem
    )
    assert told.cause == stage.order.id


def test_half_a_second_without_a_frame_is_the_safe_state_and_the_next_frame_ends_it():
    async def scene(stage: Stage) -> None:
        await stage.animate(0.4, base=1.0)
        stage.silent_s = stage.clock.now() - FRAME_S
        await asyncio.sleep(1.5)
        stage.again_s = stage.clock.now()
        await stage.animate(1.5, base=1.0)

    stage = play(scene)
    told_s, told = next(
        (time_s, state)
        for time_s, state in stage.states(stage.silent_s + 0.1)
        if str(state.health) == "warning"
    )
    assert 0.5 <= told_s - stage.silent_s <= 0.5 + 1.5 * FRAME_S
    assert told.problem == "no frame for 0.5 s"
    still = {
        state.joints_rad["base"]
        for time_s, state in stage.states(told_s + 0.3)
        if time_s < stage.again_s
    }
    assert len(still) == 1
    back_s = next(
        time_s for time_s, state in stage.states(stage.again_s) if str(state.health) == "ok"
    )
    assert back_s - stage.again_s < FRAME_S
    assert stage.last.joints_rad["base"] == pytest.approx(1.0, abs=1e-4)


def test_a_lost_body_is_told_at_once_and_goes_on_from_where_it_is_found():
    async def scene(stage: Stage) -> None:
        await stage.animate(0.5, base=0.5)
        stage.body.unplug()
        stage.lost_s = stage.clock.now()
        await stage.animate(0.4, base=0.5)
        stage.body.push({"Body.base": -1.0})  # somebody turns it by hand
        stage.body.plug_in()
        stage.back_s = stage.clock.now()
        await stage.animate(4.0, base=0.5)

    stage = play(scene, heartbeat_hz=50.0)
    lost_s, lost = next(
        (t, s) for t, s in stage.states(stage.lost_s) if str(s.health) == "unreachable"
    )
    assert lost_s - stage.lost_s <= FRAME_S
    assert "unreachable" in lost.problem
    assert lost.joints_rad == {}
    assert any("unreachable" in fault.summary for fault in stage.faults())
    back = [(t, s) for t, s in stage.states(stage.back_s) if str(s.health) == "ok"]
    assert back[0][0] - stage.back_s <= 1.0 + FRAME_S
    measured = [(t, s.joints_rad["base"]) for t, s in back if s.joints_rad]
    assert measured[0][1] == pytest.approx(-1.0, abs=2 * FASTEST_RAD_S * FRAME_S)
    for (t0, a), (t1, b) in itertools.pairwise(measured):
        assert abs(b - a) <= FASTEST_RAD_S * (t1 - t0 + FRAME_S) + 1e-9
    assert measured[-1][1] == pytest.approx(0.5, abs=1e-4)
    assert stage.last.counts["reconnects"] == 1


def test_a_body_that_heats_up_warns_then_calms_down_then_rests():
    async def scene(stage: Stage) -> None:
        stage.body.push({"Body.base": 0.0})
        wish = 1.5
        for _ in range(120):
            await stage.animate(1.0, base=wish, lower_bend=wish)
            wish = -wish
            if str(stage.last.health) == "resting":
                break

    stage = play(scene, simulated_heat_rise_c=200.0, simulated_heat_time_s=40.0)
    states = stage.states()
    temperatures = [state.temperature_c["base"] for _, state in states if state.temperature_c]
    assert temperatures[0] == pytest.approx(25.0, abs=0.5)
    words = [word for word, _ in itertools.groupby(str(state.health) for _, state in states)]
    assert words[-2:] == ["warning", "resting"]
    assert "temperature of Body." in stage.last.problem
    sentences = [fault.summary.rpartition("(")[2] for fault in stage.faults()]
    assert sentences == ["warn)", "calm)", "rest)"]
    usual, calm = (_usual_speed(states, *band) for band in ((25.0, 64.0), (71.5, 74.5)))
    assert calm <= 0.4 * FASTEST_RAD_S * 1.02 < usual, "calm is slower"


def _usual_speed(states: list[tuple[float, BodyState]], low_c: float, high_c: float) -> float:
    speeds = [
        abs(b.joints_rad["base"] - a.joints_rad["base"]) / (t1 - t0)
        for (t0, a), (t1, b) in itertools.pairwise(states)
        if a.joints_rad and b.joints_rad and t1 - t0 > 0.1
        if low_c < max(a.temperature_c.values()) < high_c
    ]
    assert len(speeds) > 3
    return statistics.median(speeds)


def test_the_body_file_decides_when_the_battery_sends_the_body_to_rest():
    async def scene(stage: Stage) -> None:
        await stage.animate(0.4, base=0.2)
        stage.body.pretend(battery=0.07)
        await stage.animate(4.0, base=0.2)

    stage = play(scene)
    assert str(stage.last.health) == "resting"
    assert stage.last.problem == "the battery is at 7% charged"
    assert stage.last.battery == pytest.approx(0.07)
    assert set(stage.last.stiffness.values()) == {0.0}, "it has let go"
    assert stage.last.joints_rad["base"] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"output": "serial"}, "needs a device"),
        ({"output": "csv"}, "needs a path"),
        ({"output": "radio"}, "serial"),
        ({"frame_timeout_s": 0.0}, "greater than 0"),
        ({"heartbeat": 3}, "Extra inputs"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], sentence: str):
    with pytest.raises(ValidationError, match=sentence):
        bridge_class().Settings(**settings)


@pytest.mark.parametrize("output", ["tcp", "serial"])
def test_virtual_time_has_no_devices_and_says_so(output: str):
    async def scene(_stage: Stage) -> None:
        raise AssertionError("it must not start")

    async def main() -> None:
        stage = Stage(output=output, device="/dev/ttyACM0")
        await stage.host.open()
        with pytest.raises(RuntimeError, match="virtual time has no devices"):
            await stage.host.live()

    run_with_clock(main(), clock="virtual")


def test_frames_can_go_to_a_file(tmp_path: Path):
    async def scene(stage: Stage) -> None:
        await stage.animate(0.2, base=0.01)

    play(scene, output="csv", path=tmp_path / "frames.csv")
    rows = (tmp_path / "frames.csv").read_text().splitlines()
    assert rows[0].startswith("time_s,sequence,Body.base")
    assert len(rows) > 8


FAULTY_BRIDGE = """
from sera.animation.output import SimulatedBridge

class Moody(SimulatedBridge):
    async def animate(self, frame):
        if 1.0 < self._clock() < 1.1:
            raise ZeroDivisionError("a mistake in a driver")
        await super().animate(frame)

def make_bridge(body, settings, clock):
    return Moody(body.own.values(), clock, start={"Body.base": settings["start_rad"]})
"""


def test_a_mistake_in_a_robots_own_bridge_costs_a_moment_and_not_the_module(tmp_path: Path):
    async def scene(stage: Stage) -> None:
        await stage.animate(3.0, base=0.5)

    robot = tmp_path / "moody"
    shutil.copytree(ROOT / "robots" / "adelino", robot)
    (robot / "bridge.py").write_text(FAULTY_BRIDGE, encoding="utf-8")
    stage = play(scene, robot=robot, output="robot", own={"start_rad": 0.25})
    healths = [str(state.health) for _, state in stage.states()]
    assert "unreachable" in healths
    assert healths[-1] == "ok"
    assert stage.last.joints_rad["base"] == pytest.approx(0.5, abs=1e-6)
    (fault, *_) = stage.faults()
    assert "failed in animate: ZeroDivisionError: a mistake in a driver" in fault.summary
    first = next(state for _, state in stage.states() if state.joints_rad)
    assert first.joints_rad["base"] == pytest.approx(0.25, abs=0.05), "it begins where it is"


def test_a_robot_without_a_bridge_of_its_own_is_told_so_at_the_start(tmp_path: Path):
    robot = tmp_path / "bare"
    shutil.copytree(ROOT / "robots" / "adelino", robot)
    (robot / "bridge.py").unlink(missing_ok=True)

    async def main() -> None:
        stage = Stage(robot, output="robot")
        await stage.host.open()
        with pytest.raises(RuntimeError, match="'bare' has no bridge of its own"):
            await stage.host.live()

    run_with_clock(main(), clock="virtual")


def test_a_simulated_body_needs_neither_numpy_nor_numba():
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}];"
        "import test_robot_bridge as t\n"
        "async def scene(stage): await stage.animate(0.3, base=0.1)\n"
        "t.play(scene)\n"
        "print([name for name in ('numpy', 'numba', 'scipy', 'serial') if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert answer.stdout.strip() == "[]", answer.stderr


def test_a_body_that_stands_still_is_looked_at_once_a_frame_and_told_of_five_times_a_second():
    async def scene(stage: Stage) -> None:
        await stage.animate(2.0, base=0.5)
        await asyncio.sleep(1.0)
        loop: Any = asyncio.get_running_loop()
        timers, told = loop._timer_count, len(stage.heard)
        await asyncio.sleep(60.0)
        stage.timers, stage.told = loop._timer_count - timers, len(stage.heard) - told

    stage = play(scene)
    assert stage.told == pytest.approx(60 * 5, abs=5)
    assert stage.timers < 1.2 * 60 / FRAME_S
