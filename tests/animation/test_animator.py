"""The animator: each message does its work, and a program is exchanged while the body moves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sera.animation.animator import Animator
from sera.animation.controllers import Gaze, SpeechController
from sera.animation.stage_set import StageSet
from sera.messages import (
    ActivityCommand,
    AnimationOutcome,
    EmergencyStop,
    PlayAnimation,
    SetEmotion,
    SetLayer,
    SetPosture,
    SpeechFinished,
    SpeechWord,
    StopAnimation,
)
from sera.messages import Gaze as GazeOrder
from sera.messages import Point as PointOrder
from sera.messages._parts import Direction
from sera.messages.motion import Pad

ROBOTS = Path(__file__).parents[2] / "robots"
CHANNEL = "Torso.Twist"
STAGE = """
[[layers]]
name = "posture"
mode = "override"
[[layers.controllers]]
type = "Posture"
[[layers]]
name = "gaze"
mode = "override"
[[layers.controllers]]
type = "Gaze"
[[layers]]
name = "actions"
mode = "override"
[[layers.controllers]]
name = "action"
type = "Animate"
[[layers]]
name = "gestures"
[[layers.controllers]]
name = "gesture"
type = "Animate"
[[layers]]
name = "speech"
[[layers.controllers]]
type = "Speech"
"""
POSTURES = {"neutral": {}, "low": {CHANNEL: -0.4}, "high": {CHANNEL: 0.6}}


@pytest.fixture
def stage(program_of, ramp_of):
    """A program with two animations: `take` overrides, `add` adds; each lasts a second."""

    def make(text: str = STAGE, **more):
        animations = {
            "take": ramp_of("take", anchors={"stroke": 0.5}),
            "add": ramp_of("add", additive=True, fade_s=0.1),
            "round": ramp_of("round", loop=True),
        }
        return program_of(text, **{"animations": animations, "postures": POSTURES, **more})

    return make


@pytest.fixture
def animator(stage):
    return Animator(stage())


def run(animator: Animator, seconds: float) -> dict[str, float]:
    for _ in range(round(seconds / animator.engine.step_s)):
        frame = animator.step()
    return frame


def value(animator: Animator, channel: str = CHANNEL) -> float:
    return float(animator.engine.blend.values[animator.engine.layout.index(channel)])


def look(degrees: float, **more) -> GazeOrder:
    return GazeOrder(direction=Direction(horizontal_deg=degrees, vertical_deg=0.0), **more)


def test_a_gaze_order_turns_the_body_there(animator):
    animator.handle(look(30.0))
    assert run(animator, 2.0)["pan"] == pytest.approx(-math.radians(30.0), abs=1e-3)


def test_a_posture_order_is_blended_in_and_named(animator):
    animator.handle(SetPosture(posture="high", blend_s=0.2))
    run(animator, 0.1)
    assert 0.0 < value(animator) < 0.6
    run(animator, 0.2)
    assert value(animator) == pytest.approx(0.6)
    assert animator.posture == "high"
    animator.handle(SetPosture(posture="low", weight=0.5, blend_s=0.0))
    animator.step()
    assert value(animator) == pytest.approx(0.1)


def test_layers_are_switched_and_weighed_by_message(animator):
    animator.handle(SetPosture(posture="high", blend_s=0.0))
    animator.handle(SetLayer(layer="posture", weight=0.5, fade_s=0.0))
    animator.step()
    assert animator.weights["posture"] == 0.5
    assert value(animator) == pytest.approx(0.3)
    animator.handle(SetLayer(layer="posture", active=False, fade_s=1.0))
    run(animator, 0.5)
    assert animator.weights["posture"] == pytest.approx(0.25)
    animator.handle(SetLayer(layer="posture", active=True, fade_s=0.0))
    animator.step()
    assert animator.weights["posture"] == 0.5


def test_an_animation_goes_to_the_layer_that_fits_it_or_that_is_asked_for(animator):
    animator.handle(PlayAnimation(animation="take"), "m-1")
    animator.step()
    assert set(animator.engine.owners(CHANNEL)) == {"actions"}
    animator.handle(PlayAnimation(animation="add"), "m-2")
    animator.step()
    assert "gestures" in animator.engine.owners(CHANNEL)
    animator.handle(PlayAnimation(animation="take", layer="gestures"), "m-3")
    assert sorted(animator.playing) == ["add", "take"]
    with pytest.raises(LookupError, match="no layer 'gesture' plays animations; did you mean"):
        animator.handle(PlayAnimation(animation="take", layer="gesture"))
    with pytest.raises(LookupError, match="those that do: actions, gestures"):
        animator.handle(PlayAnimation(animation="take", layer="zzz"))


def test_words_sway_the_body_and_silence_ends_it(animator):
    ((_layer, speech),) = animator.program.find(SpeechController)
    animator.handle(SpeechWord(speech="a", text="wonderful", index=0, start_s=0.0))
    assert speech.speaking
    run(animator, 0.2)
    assert value(animator, "Torso.Sway") != 0.0
    animator.handle(SpeechFinished(speech="a", duration_s=0.5))
    assert not speech.speaking


def test_every_message_reaches_the_inputs_that_wait_for_it(stage):
    text = STAGE + (
        '[[layers]]\nname = "mood"\n[[layers.controllers]]\ntype = "WriteToChannel"\n'
        'channel = "Torso.Lean"\n'
        'value = { message = "SetEmotion", field = "pad.pleasure" }\n'
    )
    animator = Animator(stage(text))
    animator.handle(SetEmotion(pad=Pad(pleasure=2.0, arousal=0.0, dominance=0.0)))
    animator.step()
    assert value(animator, "Torso.Lean") == pytest.approx(math.radians(2.0))


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (PlayAnimation(animation="tke"), "no animation 'tke'; did you mean 'take'"),
        (PlayAnimation(animation="take", anchors={"strok": 1.0}), "did you mean 'stroke'"),
        (PlayAnimation(animation="take", anchors={"stroke": 0.0}), "cannot come at 0 s"),
        (StopAnimation(animation="tke"), "did you mean 'take'"),
        (SetPosture(posture="hihg"), "no posture 'hihg'; did you mean 'high'"),
        (SetLayer(layer="gestres", active=False), "did you mean 'gestures'"),
        (
            PointOrder(direction=Direction(horizontal_deg=0, vertical_deg=0)),
            "nothing in the program 'Animation program' points; add a controller of type Point",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(stage, order, sentence):
    animator, other = Animator(stage()), Animator(stage())
    for each in (animator, other):
        each.handle(PlayAnimation(animation="take"), "m-1")
        each.handle(SetPosture(posture="high"), "m-2")
        run(each, 0.1)
    with pytest.raises((LookupError, ValueError), match=sentence):
        animator.handle(order, "m-3")
    assert animator.refused == 1
    for _ in range(60):
        assert animator.step() == other.step()
    assert (animator.posture, animator.weights) == (other.posture, other.weights)


def test_an_unknown_name_over_a_wire_is_told_once_and_nothing_is_muted(stage):
    text = STAGE.replace(
        'type = "Posture"',
        'type = "Posture"\nposture = { message = "ActivityCommand", field = "command" }',
    )
    told, faults = [], []
    animator = Animator(
        stage(text),
        on_refused=lambda *said: told.append(said),
        on_fault=lambda *said: faults.append(said),
    )
    animator.handle(ActivityCommand(command="hgh"))
    run(animator, 0.1)
    sentence = "there is no posture 'hgh'; did you mean 'high'?"
    assert told == [("posture", "posture", sentence)]
    assert animator.refused == 1
    assert not faults
    animator.handle(ActivityCommand(command="high"))
    run(animator, 1.0)
    assert value(animator) == pytest.approx(0.6)


@pytest.mark.parametrize(("name", "speed"), [("take", 1.0), ("add", 1.0), ("take", 2.0)])
def test_an_animation_that_ends_is_reported_once_with_its_length(animator, name, speed):
    animator.handle(PlayAnimation(animation=name, speed=speed), "m-1")
    run(animator, 1.5)
    (end,) = animator.ended()
    assert (end.animation, end.action) == (name, "m-1")
    assert end.outcome is AnimationOutcome.COMPLETED
    assert end.duration_s == pytest.approx(1.0 / speed)
    assert animator.ended() == []
    assert animator.playing == []


def test_one_that_is_stopped_or_restarted_is_interrupted(animator):
    animator.handle(PlayAnimation(animation="take"), "m-1")
    run(animator, 0.5)
    animator.handle(PlayAnimation(animation="take"), "m-2")
    run(animator, 0.1)
    animator.handle(StopAnimation(animation="take", fade_s=2.0))
    run(animator, 2.5)  # it comes to its end while it fades
    ends = [(end.action, end.outcome) for end in animator.ended()]
    assert ends == [(one, AnimationOutcome.INTERRUPTED) for one in ("m-1", "m-2")]


def test_repeats_are_counted_and_a_loop_runs_until_it_is_stopped(animator):
    animator.handle(PlayAnimation(animation="take", repeats=3), "m-1")
    run(animator, 5.0)
    (end,) = animator.ended()
    assert (end.action, end.duration_s) == ("m-1", pytest.approx(3.0))
    for name in ("round", "add"):
        animator.handle(PlayAnimation(animation=name, repeats=1 if name == "round" else None), name)
        run(animator, 5.0)
        assert animator.playing == [name]
    animator.handle(StopAnimation())
    run(animator, 0.5)
    assert [end.action for end in animator.ended()] == ["round", "add"]
    assert animator.playing == []


def test_an_anchor_meets_its_time_and_an_amplitude_its_size(animator):
    animator.handle(PlayAnimation(animation="take", anchors={"stroke": 0.8}, amplitude=0.5))
    run(animator, 0.8)
    assert value(animator) == pytest.approx(0.25)


def test_an_emergency_stop_drops_what_is_under_way(animator):
    animator.handle(PlayAnimation(animation="round"), "m-1")
    animator.handle(PlayAnimation(animation="add"), "m-2")
    animator.handle(SpeechWord(speech="a", text="wonderful", index=0, start_s=0.0))
    run(animator, 0.2)
    animator.handle(EmergencyStop())
    animator.step()
    assert animator.playing == []
    assert {end.outcome for end in animator.ended()} == {AnimationOutcome.INTERRUPTED}
    assert value(animator) == pytest.approx(0.0)
    assert not animator.program.find(SpeechController)[0][1].speaking


def test_shares_of_a_blend_report_sum_to_one(animator):
    animator.handle(SetPosture(posture="high"))
    animator.handle(PlayAnimation(animation="add", repeats=None))
    animator.handle(PlayAnimation(animation="round", fade_s=0.4))
    for _ in range(40):
        animator.step()
        report = animator.blend_report()
        assert report.channels[CHANNEL].layers.keys() <= animator.engine.layers.keys()
        for channel in report.channels.values():
            assert sum(channel.layers.values()) == pytest.approx(1.0, abs=2e-4)
    assert report.frame == 40
    assert report.channels[CHANNEL].value == pytest.approx(value(animator), abs=1e-6)


# -- exchange while moving -------------------------------------------------------------------


def test_a_program_is_exchanged_without_a_jump_in_position_or_velocity():
    for name in ("keepon", "adelino", "nao"):
        stage_set = StageSet.find(ROBOTS / name, (ROBOTS.parent,))
        animator = Animator(stage_set.program())
        animator.handle(look(50.0))
        animator.handle(SetPosture(posture="hot"))
        animator.handle(PlayAnimation(animation="wave", repeats=None))
        frames = []
        for number in range(120):
            if number % 20 == 13:
                animator.exchange(stage_set.program())
            frames.append(list(animator.step().values()))
        motion, rate_hz = np.array(frames), stage_set.body.rate_hz
        for spec, positions in zip(stage_set.body.own.values(), motion.T, strict=True):
            speeds = np.diff(positions) * rate_hz
            assert np.abs(speeds).max() <= spec.max_velocity * (1 + 1e-6)
            changes = np.abs(np.diff(speeds)) * rate_hz
            assert changes.max() <= spec.max_acceleration * (1 + 1e-6) + 1e-6 * rate_hz**2
        assert np.abs(np.diff(motion[60:], axis=0)).max() > 0.0


def test_what_is_under_way_goes_on_in_the_new_program(stage):
    """A body whose program is exchanged moves as one whose program is not."""
    text = STAGE + (
        '[[signals]]\nname = "mood"\ntype = "Message"\nmessage = "SetEmotion"\n'
        'field = "pad.arousal"\n'
        '[[signals]]\nname = "w"\ntype = "Wave"\namplitude = { from = "mood" }\n'
        '[[layers]]\nname = "idle"\nmode = "override"\n[[layers.controllers]]\n'
        'type = "WriteToChannel"\n'
        'channel = "Torso.Lean"\nvalue = { expression = "10 * w" }\n'
        '[[layers.controllers]]\ntype = "Drift"\namounts = { "Torso.Sway" = 5.0 }\n'
        '[[layers.controllers]]\ntype = "Spring"\nchannels = ["Torso.Twist"]\n'
    )
    kept, exchanged = Animator(stage(text)), Animator(stage(text))
    for each in (kept, exchanged):
        each.handle(SetPosture(posture="high", weight=0.5, blend_s=0.4))
        each.handle(look(-40.0, speed=0.5))
        each.handle(PlayAnimation(animation="add"), "m-2")
        each.handle(SetLayer(layer="gestures", weight=0.5, fade_s=1.0))
        each.handle(SetEmotion(pad=Pad(pleasure=0.0, arousal=0.8, dominance=0.0)))
        run(each, 0.26)
    exchanged.exchange(stage(text))
    assert exchanged.playing == ["add"]
    assert exchanged.posture == "high"
    for _ in range(150):
        assert exchanged.step() == pytest.approx(kept.step(), abs=1e-12)
    assert [end.action for end in exchanged.ended()] == ["m-2"]
    assert exchanged.weights == kept.weights
    assert exchanged.engine.frame == kept.engine.frame


def test_what_the_new_file_says_anew_counts(stage):
    animator = Animator(stage())
    run(animator, 0.2)
    animator.handle(SetLayer(layer="gaze", weight=0.25))
    changed = (
        STAGE.replace('type = "Posture"', 'type = "Posture"\nposture = "low"\nblend_s = 0.1')
        .replace('type = "Gaze"', 'type = "Gaze"\nhorizontal_deg = 20.0')
        .replace('name = "speech"', 'name = "speech"\nweight = 0.5\nfade_s = 0.1')
    )
    animator.exchange(stage(changed))
    run(animator, 2.0)
    assert value(animator) == pytest.approx(-0.4)
    assert animator.posture == "low"
    assert animator.program.find(Gaze)[0][1].target[0] == pytest.approx(math.radians(20.0))
    assert animator.weights["speech"] == 0.5
    assert animator.weights["gaze"] == 0.25  # switched by message, and not touched in the file


def test_an_animation_whose_layer_is_gone_is_reported_as_interrupted(stage):
    animator = Animator(stage())
    animator.handle(PlayAnimation(animation="round"), "m-1")
    run(animator, 0.1)
    animator.exchange(stage(STAGE.replace('name = "actions"', 'name = "deeds"')))
    (end,) = animator.ended()
    assert (end.action, end.outcome) == ("m-1", AnimationOutcome.INTERRUPTED)
    assert animator.playing == []


def test_an_animation_that_is_no_longer_there_can_still_be_stopped(stage, ramp_of):
    animator = Animator(stage())
    animator.handle(PlayAnimation(animation="round"), "m-1")
    run(animator, 0.1)
    animator.exchange(stage(animations={"take": ramp_of("take")}))
    assert animator.playing == ["round"]
    animator.handle(StopAnimation(animation="round"))
    run(animator, 0.1)
    assert animator.playing == []


def test_a_program_of_another_body_is_refused_and_the_old_one_runs_on(stage, program_of):
    animator = Animator(stage())
    before = animator.program
    with pytest.raises(ValueError, match="a program for 'nao' cannot move 'keepon'"):
        animator.exchange(program_of(STAGE, "nao"))
    assert animator.program is before
    animator.exchange(before)
    animator.step()
