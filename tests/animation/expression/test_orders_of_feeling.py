"""SetEmotion, SetMood and EmotionState as the animator takes them, and exchanges of the program."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from sera.animation.engine.affect import Affect
from sera.emotion import PAD
from sera.messages import EmotionState, HandOutcome, Pad, SetEmotion, SetMood


def pad(pleasure: float, arousal: float, dominance: float) -> Pad:
    return Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)


def state(target: Pad, blend_s: float = 0.5) -> EmotionState:
    return EmotionState(
        pad=target, name="fear", intensity=1.0, target=target, blend_s=blend_s, mood=pad(0, 0, 0)
    )


def after(affect: Affect, seconds: float, rate_hz: float = 50.0):
    seen = [affect.felt]
    for _ in range(round(seconds * rate_hz)):
        affect.advance(1.0 / rate_hz)
        seen.append(affect.felt)
    return seen


def test_an_unknown_emotion_suggests_the_nearest_and_changes_nothing(player):
    pepper = player()
    before = pepper.run(0.1)[-1]
    with pytest.raises(LookupError, match="did you mean 'happiness'"):
        pepper.feel("hapiness")
    assert pepper.animator.refused == 1
    assert np.array_equal(pepper.run(1.0)[-1], before)


def test_a_synonym_is_as_good_as_the_name(player):
    pepper = player()
    pepper.feel("Joy", blend_s=0.0)
    pepper.run(0.1)
    assert pepper.animator.engine.affect.felt.target == PAD.named("happiness")


def test_an_emotion_beyond_its_range_is_clipped_and_remarked(player):
    pepper = player()
    pepper.animator.handle(SetEmotion(pad=pad(-3.0, 0.5, 0.0), blend_s=0.0), "a")
    assert pepper.animator.remarks() == [
        "SetEmotion: pleasure is beyond -1 to 1 and was taken to its end"
    ]
    pepper.animator.handle(SetMood(pad=pad(-3.0, 0.5, 9.0), blend_s=0.0), "b")
    assert pepper.animator.remarks() == [
        "SetMood: pleasure and dominance are beyond -1 to 1 and were taken to their ends"
    ]
    assert pepper.animator.remarks() == []
    pepper.run(0.1)
    assert pepper.animator.engine.affect.felt.target.values[0] == -1.0


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_an_emotion_that_is_no_number_is_refused_at_the_door(bad):
    with pytest.raises(ValidationError):
        SetEmotion(pad=pad(bad, 0.0, 0.0))


def test_an_emotion_fades_into_the_mood():
    affect = Affect()
    affect.order(SetMood(name="calm", blend_s=0.0))
    affect.order(SetEmotion(name="fear", blend_s=0.5))
    seen = after(affect, 300.0, rate_hz=1.0)
    assert seen[1].pad.distance(PAD.named("fear")) < 0.02
    assert seen[-1].pad.distance(PAD.named("calm")) < 0.01
    assert seen[-1].intensity == pytest.approx(1.0, abs=0.01), "a mood shows, too"


def test_the_state_of_a_module_leads_and_orders_are_its_business_alone():
    affect = Affect()
    affect.follow(state(pad(-0.6, 0.6, -0.4)))
    affect.order(SetEmotion(name="happiness", blend_s=0.0))
    assert after(affect, 1.0)[-1].pad == PAD(-0.6, 0.6, -0.4)
    assert after(affect, 120.0, rate_hz=1.0)[-1].pad == PAD(-0.6, 0.6, -0.4), "it does not fade"
    with pytest.raises(LookupError, match="did you mean"):
        affect.order(SetEmotion(name="hapiness"))


def test_states_that_follow_each_other_make_one_smooth_way():
    """A module tells every half second where a fading emotion will be."""
    affect, seen = Affect(), []
    affect.follow(state(pad(0.8, 0.8, 0.8), 0.5))
    seen += after(affect, 0.6)
    for step in range(8):
        left = 0.8 * 0.9 ** (step + 1)
        affect.follow(state(pad(left, left, left), 0.5))
        seen += after(affect, 0.5)[1:]
    values = np.array([felt.pad.pleasure for felt in seen[30:]])
    assert np.all(np.diff(values) <= 1e-12), "never back"
    assert np.abs(np.diff(values)).max() < 0.01


def test_a_module_that_comes_late_takes_over_without_a_leap():
    affect = Affect()
    affect.order(SetEmotion(pad=pad(-0.8, 0.8, -0.8), blend_s=0.0))
    faded = after(affect, 40.0, rate_hz=10.0)[-1]
    assert abs(faded.pad.pleasure) < 0.5
    affect.follow(state(pad(-0.8, 0.8, -0.8), 1.0))
    seen = [faded, *after(affect, 1.5)]
    steps = np.abs(np.diff([each.pad.pleasure for each in seen]))
    assert steps.max() < 0.03
    assert seen[-1].pad == PAD(-0.8, 0.8, -0.8)


def test_an_exchange_of_the_program_keeps_the_feeling(player):
    pepper = player()
    pepper.look(0.0)
    pepper.feel(PAD.corner("LHH"), blend_s=0.3)
    before = pepper.run(2.0)
    felt = pepper.animator.engine.affect.felt
    pepper.exchange()
    frames = np.vstack([before[-3:], pepper.run(2.3)])
    assert pepper.animator.engine.affect.felt.target == felt.target
    angles = pepper.angles(frames)
    speeds = np.abs(np.diff(angles, axis=0)) * pepper.rate_hz
    limits = np.array([pepper.body.own[name].max_velocity for name in pepper.tree.joint_names])
    assert np.all(speeds <= limits * (1.0 + 1e-6))
    usual = np.abs(np.diff(pepper.angles(before[25:]), axis=0)).max() * pepper.rate_hz
    assert speeds.max() < 1.5 * usual
    assert np.ptp(pepper.arm(frames, "left")[:, 1]) > 0.5, "it goes on swinging"


def test_an_exchange_tells_whoever_waits_for_a_hand(player):
    pepper = player()
    pepper.bring("right", np.array([-0.25, 0.85, 0.3]), "waited for")
    pepper.run(0.5)
    pepper.exchange()
    _, told = pepper.moved(0.5)
    assert [(each.action, each.outcome) for each in told] == [
        ("waited for", HandOutcome.INTERRUPTED)
    ]
