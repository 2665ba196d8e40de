"""Pepper's greetings in virtual time: what is shown, in which order, and what the body does."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.emotion import PAD
from sera.emotion.published import CORNERS, EMOTIONS
from sera.kinematics.rotations import rotate
from sera.messages import (
    AnimationFinished,
    AnimationOutcome,
    EmergencyRelease,
    EmergencyStop,
    EngineState,
    JointFrame,
    ModuleFault,
    PlayAnimation,
    RunOutcome,
    SetEmotion,
    find_message_type,
)
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.clock import run as run_with_clock
from sera.runtime.module import ModuleContext

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scenarios" / "pepper_emotions"
DECISION = load_class_from_file(FOLDER / "decision.py")
_package = DECISION.__module__.rpartition(".")[0]
greetings = sys.modules[f"{_package}.greetings"]
BODY = load_body(ROOT / "robots" / "pepper")
WAVE_S = (1.2, 6.2)
"""When the hand waves, from the beginning of the animation; anchors of greeting_wave.toml."""
_shows: dict[str, Any] = {}


@pytest.fixture
def show(performance: Callable[..., Any]) -> Any:
    """The whole demonstration, at the rate of the real robot."""
    if "it" not in _shows:
        _shows["it"] = performance(
            "pepper_emotions",
            condition="simulated",
            settings={"engine": {"rate_hz": 50.0, "send_hz": 50.0}},
        )
    return _shows["it"]


# -- what is shown ----------------------------------------------------------------------------


def test_the_greetings_come_in_order_and_the_run_ends_by_itself(show):
    assert show.summary.outcome == RunOutcome.COMPLETED
    assert show.summary.reason == "all greetings were shown"
    assert show.of(ModuleFault) == []
    shown = [one.shown for one in show.of(find_message_type("GreetingBegan"))]
    assert shown == [None, *CORNERS, *EMOTIONS]
    assert [one.outcome for one in show.of(AnimationFinished)] == [AnimationOutcome.COMPLETED] * 13


def test_each_greeting_feels_first_then_waves_then_feels_nothing(show):
    orders = [
        one.message for one in show.seen if isinstance(one.message, SetEmotion | PlayAnimation)
    ]
    began = show.of(find_message_type("GreetingBegan"))
    for greeting, (feel, wave, rest) in zip(
        began, zip(*[iter(orders)] * 3, strict=True), strict=True
    ):
        assert feel.pad == greeting.pad
        assert wave.animation == "greeting_wave"
        assert rest.name == "neutral"
    corners = [(one.pad.pleasure, one.pad.arousal, one.pad.dominance) for one in began[1:9]]
    assert corners == [PAD.corner(corner).values for corner in CORNERS]


def test_it_looks_at_a_person_three_metres_away(show):
    first = [one.message.joints_rad for one in frames(show) if one.time < 2.0][-1]
    head = BODY.tree.pose(pose(first), "head")
    there = np.array([0.0, 1.2, 3.0]) - head.position_m
    assert abs(first["HeadYaw"]) < 0.02
    assert -first["HeadPitch"] == pytest.approx(np.arctan2(there[1], there[2]), abs=0.02)


# -- what the body does -----------------------------------------------------------------------


def frames(show: Any) -> list[Any]:
    return [one for one in show.seen if isinstance(one.message, JointFrame)]


def pose(joints: dict[str, float]) -> Any:
    return np.array([joints[name] for name in BODY.tree.joint_names])


def waves(show: Any) -> dict[str, Any]:
    """By greeting, the poses while the hand waves."""
    began = show.of(find_message_type("GreetingBegan"))
    all_frames = frames(show)
    found = {}
    for greeting, play in zip(began, show.envelopes(PlayAnimation), strict=True):
        after = [one for one in all_frames if one.time > play.time]
        first, last = (round(50 * at_s) for at_s in WAVE_S)
        inside = [pose(one.message.joints_rad) for one in after[first:last]]
        found[greeting.shown or greeting.block] = np.array(inside)
    return found


def test_the_hand_waves_on_the_same_path_whatever_is_felt(show):
    paths = {
        name: np.array([BODY.tree.pose(one, "right_hand").position_m for one in poses])
        for name, poses in waves(show).items()
    }
    neutral = paths["neutral"]
    width_m = float(np.linalg.norm(np.ptp(neutral, axis=0)))
    assert width_m > 0.12
    for name, path in paths.items():
        away_m = float(np.linalg.norm(path - neutral, axis=1).max())
        assert away_m < 0.05 * width_m, name


def test_the_hand_swings_four_times_in_five_seconds(show):
    hand = [BODY.tree.pose(one, "right_hand").position_m[2] for one in waves(show)["neutral"]]
    middle = np.array(hand) - np.mean(hand)
    crossings = int(np.sum(np.diff(np.sign(middle)) != 0))
    assert crossings in (7, 8, 9)


def test_greetings_differ_in_activity_jerkiness_and_gaze(show):
    arm = [BODY.tree.joint_names.index(name) for name in BODY.tree.joint_names if name[0] == "L"]
    seen = {}
    for name, poses in waves(show).items():
        speeds = np.diff(poses[:, arm], axis=0) * 50.0
        jerks = np.diff(speeds, n=2, axis=0) * 2500.0
        seen[name] = (
            float(np.mean(np.sum(speeds**2, axis=1)) / 2.0),
            float(np.sqrt(np.mean(np.sum(jerks**2, axis=1)))),
            float(np.mean([aversion_deg(one) for one in poses])),
        )
    assert seen["neutral"][0] < 1e-6
    for pleasure, arousal, dominance in CORNERS:
        assert seen[f"{pleasure}H{dominance}"][0] > 10 * seen[f"{pleasure}L{dominance}"][0]
        assert seen[f"L{arousal}{dominance}"][1] > 5 * seen[f"H{arousal}{dominance}"][1]
        assert seen[f"{pleasure}{arousal}L"][2] > seen[f"{pleasure}{arousal}H"][2] + 20.0


def aversion_deg(angles: Any) -> float:
    """Between where the face points and where the person's eyes are."""
    head = BODY.tree.pose(angles, "head")
    there = np.array([0.0, 1.2, 3.0]) - head.position_m
    face = rotate(head.orientation_wxyz, (0.0, 0.0, 1.0))
    return float(np.degrees(np.arccos(np.clip(face @ there / np.linalg.norm(there), -1, 1))))


def test_the_same_seed_writes_the_same_log(performance, tmp_path):
    logs = [tmp_path / f"{number}.jsonl" for number in range(2)]
    for log in logs:
        performance(
            "pepper_emotions", seed=3, condition="session+simulated", duration_s=40.0, log=log
        )
    first, second = (log.read_bytes() for log in logs)
    assert len(first) > 100_000
    assert first == second


# -- which greetings --------------------------------------------------------------------------


def test_a_session_has_a_neutral_one_two_to_practise_eight_corners_and_two_emotions():
    shown = greetings.session(random.Random(5), PAD.named)
    assert [one.block for one in shown] == (
        ["neutral"] + ["practice"] * 2 + ["corner"] * 8 + ["emotion"] * 2
    )
    assert sorted(one.shown for one in shown[3:11]) == sorted(CORNERS)
    assert len({one.shown for one in shown[11:]} & set(EMOTIONS)) == 2
    assert all(one.shown is None for one in shown[:3])
    assert [one.step for one in shown[2:5]] == [
        "show_practice_2", "show_corner_1", "show_corner_2",
    ]  # fmt: skip


def test_orders_and_emotions_differ_between_participants():
    sessions = [greetings.session(random.Random(seed), PAD.named) for seed in range(200)]
    orders = {tuple(one.shown for one in session[3:11]) for session in sessions}
    assert len(orders) > 190
    firsts = [session[3].shown for session in sessions]
    assert all(10 < firsts.count(corner) < 45 for corner in CORNERS)
    named = [one.shown for session in sessions for one in session[11:]]
    assert all(75 < named.count(emotion) < 125 for emotion in EMOTIONS)
    assert greetings.session(random.Random(7), PAD.named) == sessions[7]


def test_a_wizards_greeting_is_found_by_name_or_answered_with_the_nearest():
    assert greetings.greeting_by_name("lhl", PAD.named).pad == PAD.corner("LHL")
    assert greetings.greeting_by_name("fear", PAD.named).pad == PAD.named("fear")
    assert greetings.greeting_by_name("neutral", PAD.named).pad == PAD.neutral()
    with pytest.raises(LookupError, match="did you mean 'happiness'"):
        greetings.greeting_by_name("hapiness", PAD.named)


# -- the decision alone -----------------------------------------------------------------------


class Stage:
    """The decision with a hand that waves for two seconds, and nobody else."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.heard: list[Any] = []

    def play(self, script: Callable[[Stage], Any]) -> list[Any]:
        run_with_clock(self._play(script), clock="virtual")
        return self.heard

    async def _play(self, script: Callable[[Stage], Any]) -> None:
        self.clock, broker = Clock.for_running_loop(), MemoryBroker()

        def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=self.clock.now, will=will, hears_everyone=hears_everyone
            )

        self.bus = join(Identity("play", "pepper", "engine"))
        await self.bus.connect()
        await self.bus.subscribe(None, self.heard.append, everyone=True)
        context = ModuleContext(clock=self.clock, folder=FOLDER, seed=1)
        identity = Identity("play", "pepper", "decision")
        host = ModuleHost(DECISION, identity, context, join, settings=self.settings)
        task = asyncio.create_task(host.run())
        await host.started.wait()
        self.bus.publish(EngineState(program="test"))
        hand = asyncio.create_task(self._wave())
        await script(self)
        hand.cancel()
        host.stop()
        await task

    async def _wave(self) -> None:
        done = 0
        while True:
            orders = [one for one in self.heard if isinstance(one.message, PlayAnimation)]
            for order in orders[done:]:
                done += 1
                await self.clock.sleep(2.0)
                name = order.message.animation
                self.bus.publish(AnimationFinished(animation=name, action=order.id, duration_s=2.0))
            await self.clock.sleep(0.05)

    def shown(self) -> list[str | None]:
        kind = find_message_type("GreetingBegan")
        return [one.message.shown for one in self.heard if isinstance(one.message, kind)]


def test_a_wizard_asks_for_greetings_one_by_one():
    wanted = find_message_type("ShowGreeting")

    async def script(stage: Stage) -> None:
        await stage.clock.sleep(1.0)
        for name in ("LHL", "sadness", "hapiness"):
            stage.bus.publish(wanted(greeting=name))
        await stage.clock.sleep(20.0)

    stage = Stage(sequence="on_request")
    stage.play(script)
    assert stage.shown() == ["LHL", "sadness"]
    (fault,) = [one.message for one in stage.heard if isinstance(one.message, ModuleFault)]
    assert "there is no greeting 'hapiness'; did you mean 'happiness'?" in fault.summary


def test_a_stop_cuts_a_greeting_off_and_the_release_shows_it_again():
    async def script(stage: Stage) -> None:
        while stage.shown() != [None, "LLL"]:
            await stage.clock.sleep(0.1)
        await stage.clock.sleep(2.5)
        stage.bus.publish(EmergencyStop())
        await stage.clock.sleep(30.0)
        assert stage.shown() == [None, "LLL"]
        stage.bus.publish(EmergencyRelease())
        await stage.clock.sleep(12.0)

    stage = Stage(answer_s=3.0)
    stage.play(script)
    assert stage.shown()[:4] == [None, "LLL", "LLL", "LLH"]
