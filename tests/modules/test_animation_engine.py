"""The animation engine on the bus, in virtual time: orders in, frames out."""

from __future__ import annotations

import asyncio
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.engine import Aiming
from sera.messages import (
    AnimationFinished,
    BlendReport,
    BodyHealth,
    BodyState,
    Direction,
    Gaze,
    JointFrame,
    Message,
    ModuleFault,
    Pad,
    PlayAnimation,
    Point,
    SetEmotion,
    SetLayer,
    SetPosture,
    SpeechFinished,
    SpeechWord,
    StopAnimation,
    WatchBlend,
)
from sera.runtime.clock import run as run_with_clock

ROBOTS = Path(__file__).parents[2] / "robots"
FRAME_S = 0.02
STILL = SetLayer(layer="life", active=False)
ALIVE = (ROBOTS / "shared" / "program.toml").read_text(encoding="utf-8")


def write(folder: Path, text: str) -> Path:
    (folder / "program.toml").write_text(text, encoding="utf-8")
    return folder


# -- orders ---------------------------------------------------------------------------------


def test_a_gaze_order_turns_adelino_to_its_direction(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL)
        await stage.do(Gaze(direction=Direction(horizontal_deg=40.0, vertical_deg=15.0)), 3.0)

    stage = play(scene)
    body = load_body(ROBOTS / "adelino")
    looks = np.degrees(Aiming(body, body.chains[0]).looks_at(stage.of(JointFrame)[-1].joints_rad))
    assert looks == pytest.approx([40.0, 15.0], abs=1.0)


def test_nao_points_with_the_arm_of_that_side_and_lets_it_down_again(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 1.0)
        stage.notes["at"] = stage.clock.now()
        await stage.do(Point(direction=Direction(horizontal_deg=30.0), hold_s=1.5), 1.4)
        stage.notes["up"] = stage.clock.now()
        await asyncio.sleep(4.0)

    stage = play(scene, robot="nao")
    arms = {n for n in stage.of(JointFrame)[0].joints_rad if "Shoulder" in n or "shoulder" in n}
    left, right = ({n for n in arms if n.lower().startswith(side)} for side in ("l", "r"))
    assert left
    assert right

    def moved(names: set[str], at_s: float) -> float:
        frames = stage.of(JointFrame, at_s)
        before = stage.of(JointFrame, before_s=stage.notes["at"])[-1]
        return max(abs(frames[0].joints_rad[n] - before.joints_rad[n]) for n in names)

    assert moved(right, stage.notes["up"]) > math.radians(40.0)
    assert moved(left, stage.notes["up"]) < math.radians(3.0)
    assert moved(right, stage.notes["up"] + 3.9) < math.radians(3.0)


@pytest.mark.parametrize("robot", ["adelino", "nao"])
def test_an_animation_that_comes_to_its_end_is_completed_and_one_that_is_stopped_interrupted(
    play: Any, robot: str
):
    async def scene(stage: Any) -> None:
        stage.notes["whole"] = await stage.do(PlayAnimation(animation="nod"), 4.0)
        stage.notes["cut"] = await stage.do(PlayAnimation(animation="nod", repeats=None), 4.5)
        stage.notes["playing"] = stage.state.playing
        await stage.do(StopAnimation(animation="nod"), 1.5)

    stage = play(scene, robot=robot)
    whole, cut = stage.envelopes(AnimationFinished)
    assert (whole.message.action, str(whole.message.outcome)) == (
        stage.notes["whole"],
        "completed",
    )
    assert whole.cause == stage.notes["whole"]
    assert whole.message.duration_s == pytest.approx(1.9, abs=0.3)
    assert (cut.message.action, str(cut.message.outcome)) == (stage.notes["cut"], "interrupted")
    assert stage.notes["playing"] == ["nod"]
    assert stage.state.playing == []
    assert stage.of(ModuleFault) == []


@pytest.mark.parametrize(("robot", "joint"), [("adelino", "lower_bend"), ("nao", "LShoulderPitch")])
def test_a_posture_is_taken_and_kept(play: Any, robot: str, joint: str):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 1.0)
        stage.notes["at"] = stage.clock.now()
        await stage.do(SetPosture(posture="hot", blend_s=0.5), 4.0)

    stage = play(scene, robot=robot)
    path = stage.path(joint, stage.notes["at"])
    assert abs(path[-1] - path[0]) > math.radians(2.0)
    assert path[-1] == pytest.approx(path[-25], abs=math.radians(0.2)), "it has arrived"
    assert stage.state.posture == "hot"


def test_a_layer_fades_out_and_its_motion_with_it(play: Any):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(6.0)
        await stage.do(SetLayer(layer="life", weight=0.0, fade_s=1.0), 4.0)

    stage = play(scene)
    moving, still = stage.path("lower_bend", 1.0, 6.0), stage.path("lower_bend", 9.0)
    assert max(moving) - min(moving) > math.radians(0.2)
    assert max(still) - min(still) < 1e-6
    assert stage.state.layers["life"] == 0.0


def test_the_body_sways_while_words_come_and_falls_still_after_them(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 4.0)
        for number in range(8):
            word = SpeechWord(speech="a", text="wonderful", index=number, start_s=0.4 * number)
            await stage.do(word, 0.4)
        await stage.do(SpeechFinished(speech="a", duration_s=3.2, words=8), 4.0)

    stage = play(scene)

    def moves_rad(from_s: float, to_s: float) -> float:
        frames = [list(f.joints_rad.values()) for f in stage.of(JointFrame, from_s, to_s)]
        return float(np.ptp(frames, axis=0).max())

    before, during, after = moves_rad(3.0, 4.0), moves_rad(4.5, 7.0), moves_rad(10.0, 11.0)
    assert before < 1e-6
    assert during > math.radians(0.15)
    assert after < math.radians(0.05)


def test_arousal_makes_the_breath_faster(play: Any):
    def breaths(arousal: float) -> int:
        async def scene(stage: Any) -> None:
            stage.say(SetLayer(layer="drift", active=False))
            stage.say(SetLayer(layer="eyes", active=False))
            pad = Pad(pleasure=0.0, arousal=arousal, dominance=0.0)
            await stage.do(SetEmotion(pad=pad), 60.0)

        # Of the joints that breathe, the emotion swings all but this one; while what is felt fades,
        # it also sinks, so that its turns are counted.
        path = np.array(play(scene, robot="nao").path("LShoulderPitch", 5.0))
        speed = np.convolve(np.diff(path), np.ones(10) / 10, "valid")
        return int((np.diff(np.sign(speed)) > 0).sum())

    assert breaths(1.0) > 1.3 * breaths(-1.0) > 0


def test_any_message_drives_a_parameter_and_that_of_the_body_too(play: Any, tmp_path: Path):
    program = """
[[layers]]
name = "only"
mode = "override"
[[layers.controllers]]
type = "WriteToChannel"
channel = "Body.base"
value = { message = "BodyState", field = "battery", default = 0.0 }
[[layers.controllers]]
type = "WriteToChannel"
channel = "Body.lower_bend"
value = { message = "SpeechWord", field = "start_s" }
"""

    async def scene(stage: Any) -> None:
        await asyncio.sleep(0.5)
        stage.director.publish(BodyState(health=BodyHealth.OK, battery=0.4))
        await stage.do(SpeechWord(speech="a", text="hm", index=0, start_s=0.25), 3.0)

    stage = play(scene, folder=write(tmp_path, program))
    assert stage.path("base")[-1] == pytest.approx(math.radians(0.4))
    assert stage.path("lower_bend")[-1] == pytest.approx(math.radians(0.25))


# -- bad orders -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robot", "order", "words"),
    [
        ("adelino", PlayAnimation(animation="nodd"), ["no animation 'nodd'", "'nod'"]),
        ("adelino", StopAnimation(animation="wavee"), ["no animation 'wavee'", "'wave'"]),
        ("adelino", SetPosture(posture="neutrall"), ["neutrall", "'neutral'"]),
        ("adelino", SetLayer(layer="breathin", active=False), ["breathin", "'breathing'"]),
        ("adelino", PlayAnimation(animation="nod", layer="gesturs"), ["gesturs", "'gestures'"]),
        ("adelino", Point(direction=Direction(horizontal_deg=0.0), arm="left"), ["arm"]),
        ("nao", PlayAnimation(animation="nod", anchors={"strok": 1.0}), ["strok", "stroke"]),
    ],
)
def test_an_order_that_cannot_be_followed_is_told_to_its_sender_and_frames_go_on(
    play: Any, robot: str, order: Message, words: list[str]
):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(0.5)
        stage.notes["id"] = await stage.do(order, 0.6)

    stage = play(scene, robot=robot)
    (fault,) = stage.of(ModuleFault)
    for word in words:
        assert word in fault.summary
    assert (str(fault.severity), fault.about, fault.sender) == (
        "warning",
        stage.notes["id"],
        "ada.director",
    )
    assert len(stage.of(JointFrame)) == pytest.approx(1.1 / FRAME_S, abs=2)
    ends = [(end.action, str(end.outcome)) for end in stage.of(AnimationFinished)]
    is_play = isinstance(order, PlayAnimation)
    assert ends == ([(stage.notes["id"], "failed")] if is_play else [])


def test_refused_orders_are_counted(play: Any):
    async def scene(stage: Any) -> None:
        await stage.do(SetPosture(posture="lying"), 1.5)

    assert play(scene).state.counts["refused"] == 1


# -- what goes out --------------------------------------------------------------------------


def test_the_choker_halves_the_frames_on_a_fixed_grid(play: Any, tmp_path: Path):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(4.0)

    stage = play(scene, folder=write(tmp_path, ALIVE + "\n[output]\nrate_hz = 25\n"))
    times = [e.time for e in stage.envelopes(JointFrame)]
    assert len(times) == pytest.approx(100, abs=1)
    assert np.diff(times) == pytest.approx(0.04, abs=1e-9)
    assert {b - a for a, b in itertools.pairwise(f.frame for f in stage.of(JointFrame))} == {2}


def test_unchanged_values_are_left_out_but_the_body_is_never_left_in_silence(
    play: Any, tmp_path: Path
):
    async def scene(stage: Any) -> None:
        await stage.do(STILL, 6.0)
        stage.notes["at"] = stage.clock.now()
        await stage.do(Gaze(direction=Direction(horizontal_deg=20.0)), 0.5)

    folder = write(tmp_path, ALIVE + "\n[output]\nrepeat_unchanged = false\n")
    stage = play(scene, folder=folder, with_body=True)
    quiet = stage.envelopes(JointFrame, 4.0, stage.notes["at"])
    gaps = np.diff([e.time for e in quiet])
    assert 0.1 < gaps.max() <= 0.2 + 1e-6
    assert len(quiet) < 0.3 * 2.0 / FRAME_S
    names = [name for e in quiet for name in e.message.joints_rad]
    assert names.count("base") <= 6, "each value again every 0.4 s"
    assert names.count("base") >= 4
    moving = stage.of(JointFrame, stage.notes["at"] + 0.05)
    assert sum("base" in frame.joints_rad for frame in moving) > 15
    assert {str(s.health) for s in stage.of(BodyState)} == {"ok"}


def test_the_first_frame_after_an_order_names_it_as_its_cause(play: Any, tmp_path: Path):
    async def scene(stage: Any) -> None:
        await asyncio.sleep(0.5)
        stage.notes["id"] = await stage.do(Gaze(direction=Direction(horizontal_deg=20.0)), 0.5)

    stage = play(scene, folder=write(tmp_path, ALIVE + "\n[output]\nrate_hz = 25\n"))
    causes = [e.cause for e in stage.envelopes(JointFrame) if e.cause]
    assert causes == [stage.notes["id"]]


# -- who owns what --------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ["adelino", "nao"])
def test_a_blend_report_says_who_moves_what_and_ends_by_itself(play: Any, robot: str):
    async def scene(stage: Any) -> None:
        await stage.do(PlayAnimation(animation="wave"))
        await stage.do(Gaze(direction=Direction(horizontal_deg=20.0)), 0.5)
        stage.notes["at"] = stage.clock.now()
        await stage.do(WatchBlend(for_s=1.0, every_s=0.1), 3.0)

    stage = play(scene, robot=robot)
    reports = stage.envelopes(BlendReport)
    assert len(reports) == pytest.approx(10, abs=1)
    assert reports[-1].time <= stage.notes["at"] + 1.0 + 1e-9
    for report in stage.of(BlendReport):
        assert report.channels
        for name, channel in report.channels.items():
            assert sum(channel.layers.values()) == pytest.approx(1.0, abs=2e-3), name
    assert "gaze" in reports[-1].message.channels["Gazing.Horizontal"].layers


# -- what keeps it from starting ------------------------------------------------------------


def starting_fails(make_stage: Any, robot: Path | None, sentence: str, **settings: Any) -> None:
    async def main() -> None:
        stage = make_stage(robot or "adelino", **settings)
        if robot is None:
            stage._context.robot = None
        with pytest.raises(Exception, match=sentence):
            await stage.open()

    run_with_clock(main(), clock="virtual")


def test_a_character_without_a_robot_is_told_what_to_write(make_stage: Any):
    starting_fails(
        make_stage, None, r'the character .ada. has no robot to animate; write robot = "adelino"'
    )


def test_a_broken_program_is_refused_with_file_and_line(make_stage: Any, tmp_path: Path):
    broken = ALIVE.replace('type = "Gaze"', 'type = "Gaz"')
    line = 1 + broken[: broken.index('type = "Gaz"')].count("\n")
    folder = write(tmp_path, broken)
    starting_fails(
        make_stage, ROBOTS / "adelino", rf"program.toml:{line}: .*Gaz.*did you mean", folder=folder
    )


def test_a_posture_to_begin_with_that_there_is_not_is_named(make_stage: Any):
    starting_fails(
        make_stage, ROBOTS / "adelino", "no posture 'neutrl'.*'neutral'", posture="neutrl"
    )
