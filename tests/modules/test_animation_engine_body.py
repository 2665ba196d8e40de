"""The engine and its body, in virtual time: any pose, stops, a steady rate."""

from __future__ import annotations

import asyncio
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Aiming
from sera.messages import (
    AnimationFinished,
    BodyHealth,
    BodyState,
    Direction,
    EmergencyRelease,
    EmergencyStop,
    EngineState,
    Gaze,
    JointFrame,
    ModuleFault,
    PlayAnimation,
    SetLayer,
)
from sera.runtime.clock import run as run_with_clock

ROBOTS = Path(__file__).parents[2] / "robots"
FRAME_S = 0.02
STILL = SetLayer(layer="life", active=False)
ALIVE = (ROBOTS / "shared" / "program.toml").read_text(encoding="utf-8")


def write(folder: Path, text: str) -> Path:
    (folder / "program.toml").write_text(text, encoding="utf-8")
    return folder


# -- a body in any pose ---------------------------------------------------------------------


@pytest.mark.parametrize("robot", ["adelino", "nao"])
def test_motion_begins_where_the_body_is_and_keeps_its_limits(
    play: Any, keeps_its_limits: Any, robot: str
):
    body = load_body(ROBOTS / robot)
    source = random.Random(3)
    for _ in range(4):
        pose = {n: source.uniform(body.own[n].lower, body.own[n].upper) for n in body.joints}

        async def scene(stage: Any, pose: dict[str, float] = pose) -> None:
            stage.feel(pose)
            await asyncio.sleep(0.1)
            await stage.do(PlayAnimation(animation="celebrate"))
            await stage.do(Gaze(direction=Direction(horizontal_deg=-50.0)), 3.0)

        stage = play(scene, robot=robot, wait_for_body_s=1.0)
        keeps_its_limits(body, stage.of(JointFrame), pose)


def test_a_pose_from_long_ago_is_not_taken_for_where_the_body_is(make_stage: Any):
    async def scene(stage: Any) -> None:
        stage.feel({"base": 1.0})  # kept by the broker, as State is
        await asyncio.sleep(3.0)
        await stage.begin("engine")
        await asyncio.sleep(0.15)
        stage.notes["none yet"] = len(stage.of(JointFrame))
        stage.feel({"base": 0.3})
        await asyncio.sleep(0.1)

    async def main() -> Any:
        stage = make_stage(wait_for_body_s=1.0)
        await stage.director.connect()
        await stage._witness.connect()
        await stage._witness.subscribe(None, stage.heard.append)
        await scene(stage)
        await stage.close()
        return stage

    stage = run_with_clock(main(), clock="virtual")
    assert stage.notes["none yet"] == 0
    assert stage.path("base")[0] == pytest.approx(0.3, abs=0.01)


def test_a_body_that_comes_later_is_met_where_it_is(play: Any, keeps_its_limits: Any):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(1.0)
        stage.notes["at"] = stage.clock.now()
        stage.feel({"base": -1.2, "head_twist": 0.4})
        await asyncio.sleep(1.0)

    stage = play(scene)
    after = stage.of(JointFrame, stage.notes["at"] + 1e-6)
    start = {"base": -1.2, "head_twist": 0.4}
    keeps_its_limits(load_body(ROBOTS / "adelino"), after, start)


def test_a_second_life_goes_on_without_a_jump(play: Any, keeps_its_limits: Any):
    async def scene(stage: Any) -> None:
        await stage.do(Gaze(direction=Direction(horizontal_deg=60.0)), 1.0)
        await stage.end("engine")
        await asyncio.sleep(1.0)
        stage.notes["pose"] = stage.of(BodyState)[-1].joints_rad
        stage.notes["at"] = stage.clock.now()
        await stage.begin("engine")
        await asyncio.sleep(2.0)

    stage = play(scene, with_body=True, wait_for_body_s=1.0)
    pose = stage.notes["pose"]
    assert abs(pose["base"]) > math.radians(5.0), "it was on its way"
    keeps_its_limits(load_body(ROBOTS / "adelino"), stage.of(JointFrame, stage.notes["at"]), pose)
    assert str(stage.of(BodyState)[-1].health) == "ok"


# -- a body that is stopped -----------------------------------------------------------------


def test_while_the_body_is_stopped_no_frame_is_made_and_then_motion_goes_on_where_it_is(
    play: Any, keeps_its_limits: Any
):
    async def scene(stage: Any) -> None:
        stage.notes["id"] = await stage.do(PlayAnimation(animation="celebrate", repeats=None), 0.6)
        stage.notes["stop"] = stage.clock.now()
        await stage.do(EmergencyStop(reason="too near"), 1.0)
        stage.notes["refused"] = await stage.do(PlayAnimation(animation="nod"), 0.5)
        stage.module("bridge").guard.bridge.push({"Body.base": -0.8})  # somebody turns it by hand
        await asyncio.sleep(0.5)
        stage.notes["pose"] = stage.of(BodyState)[-1].joints_rad
        stage.notes["release"] = stage.clock.now()
        await stage.do(EmergencyRelease(), 3.0)

    stage = play(scene, with_body=True)
    stop_s, release_s = stage.notes["stop"], stage.notes["release"]
    assert stage.of(JointFrame, stop_s + FRAME_S, release_s) == []
    first, second = stage.envelopes(AnimationFinished)
    assert (first.message.action, str(first.message.outcome)) == (stage.notes["id"], "interrupted")
    assert first.time - stop_s <= FRAME_S, "it is told at once"
    assert (second.message.action, str(second.message.outcome)) == (
        stage.notes["refused"],
        "failed",
    )
    (fault,) = [f for f in stage.of(ModuleFault) if f.module == "ada.engine"]
    assert fault.about == stage.notes["refused"]
    assert "stopped" in fault.summary
    assert stage.notes["pose"]["base"] == pytest.approx(-0.8, abs=0.01)
    frames = stage.of(JointFrame, release_s)
    keeps_its_limits(load_body(ROBOTS / "adelino"), frames, stage.notes["pose"])
    assert len(frames) > 140
    assert stage.state.playing == []


@pytest.mark.parametrize("health", [BodyHealth.STOPPED, BodyHealth.RESTING, BodyHealth.UNREACHABLE])
def test_a_body_that_cannot_move_gets_no_frames_until_it_can(play: Any, health: BodyHealth):
    async def scene(stage: Any) -> None:
        stage.feel({"base": 0.5})
        await stage.do(PlayAnimation(animation="nod"), 0.5)
        stage.director.publish(BodyState(health=health, problem="something"))
        await asyncio.sleep(0.1)
        stage.notes["from"] = stage.clock.now()
        await asyncio.sleep(1.0)
        stage.notes["to"] = stage.clock.now()
        stage.feel({"base": -0.5}, BodyHealth.WARNING)
        await asyncio.sleep(0.5)

    stage = play(scene)
    assert stage.of(JointFrame, stage.notes["from"], stage.notes["to"]) == []
    assert stage.path("base", stage.notes["to"])[0] == pytest.approx(-0.5, abs=0.01)
    (end,) = stage.of(AnimationFinished)
    assert str(end.outcome) == "interrupted"


def test_a_body_that_waits_for_its_first_frame_is_well(make_stage: Any):
    async def main() -> Any:
        stage = make_stage(with_body=True)
        await stage.director.connect()
        await stage._witness.connect()
        await stage._witness.subscribe(None, stage.heard.append)
        await stage.begin("bridge")
        await asyncio.sleep(12.0)
        await stage.begin("engine")
        await asyncio.sleep(1.0)
        await stage.close()
        return stage

    stage = run_with_clock(main(), clock="virtual")
    early = {str(state.health) for state in stage.of(BodyState, before_s=9.9)}
    late = stage.of(BodyState, 10.1, 12.0)
    assert early == {"ok"}, "an engine takes a while to load"
    assert {(str(s.health), s.problem) for s in late} == {("warning", "no frame has come yet")}
    assert str(stage.of(BodyState)[-1].health) == "ok"


# -- a steady rate --------------------------------------------------------------------------


def test_fifty_frames_a_second_without_drift_for_two_minutes(play: Any):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(120.0)

    stage = play(scene)
    times = np.array([e.time for e in stage.envelopes(JointFrame)])
    assert len(times) in {6_000, 6_001}
    assert np.abs(times - times[0] - FRAME_S * np.arange(len(times))).max() < 1e-6
    assert [f.frame for f in stage.of(JointFrame)] == list(range(1, len(times) + 1))
    assert stage.state.counts["late"] == 0
    assert stage.state.rate_hz == pytest.approx(50.0)


SLEEPY = """
import asyncio
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
        if self.frames % 50 == 0:  # time that passes in the middle of a frame
            asyncio.get_running_loop()._now_s += 0.065
"""


def test_overruns_are_counted_and_missed_moments_skipped(play: Any, tmp_path: Path):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(4.5)

    (tmp_path / "controllers").mkdir()
    (tmp_path / "controllers" / "sleepy.py").write_text(SLEEPY, encoding="utf-8")
    layer = '\n[[layers]]\nname = "sleep"\n[[layers.controllers]]\ntype = "Sleepy"\n'
    stage = play(scene, folder=write(tmp_path, ALIVE + layer))
    slept = stage.state.counts["frames"] // 50
    assert slept >= 3
    assert stage.state.counts["late"] == 3 * slept
    slowest_ms = {round(state.slowest_frame_ms) for state in stage.of(EngineState)}
    assert slowest_ms == {0, 65}
    times = np.array([e.time for e in stage.envelopes(JointFrame)])
    late_s = (times - times[0] + 1e-6) % FRAME_S
    on_the_grid = np.flatnonzero(late_s < 2e-6)
    assert len(times) - len(on_the_grid) == slept, "only what was made while time passed"
    assert [f.frame for f in stage.of(JointFrame)] == list(range(1, len(times) + 1))


def test_the_second_stage_may_run_in_every_other_frame_only(
    play: Any, keeps_its_limits: Any, tmp_path: Path
):
    async def scene(stage: Any) -> None:
        await stage.do(STILL)
        await stage.do(Gaze(direction=Direction(horizontal_deg=-35.0, vertical_deg=10.0)), 3.0)

    program = ALIVE + '\n[[second_stage]]\ntype = "erik"\nevery = 2\n'
    stage = play(scene, folder=write(tmp_path, program))
    body = load_body(ROBOTS / "adelino")
    looks = np.degrees(Aiming(body, body.chains[0]).looks_at(stage.of(JointFrame)[-1].joints_rad))
    assert looks == pytest.approx([-35.0, 10.0], abs=1.0)
    assert len(stage.of(JointFrame)) == pytest.approx(150, abs=1)
    keeps_its_limits(body, stage.of(JointFrame), dict.fromkeys(body.joints, 0.0))


def test_two_runs_say_exactly_the_same(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(Gaze(direction=Direction(horizontal_deg=30.0)), 1.0)
        await stage.do(PlayAnimation(animation="nod"), 2.0)

    def said() -> list[tuple[float, str, str]]:
        return [(e.time, e.id, e.message.model_dump_json()) for e in play(scene).heard]

    assert said() == said()
