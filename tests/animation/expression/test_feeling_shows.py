"""An emotion comes, shows and goes on a body with hands, and leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from sera.emotion import PAD
from sera.messages import SetPosture, SpeechStarted

FEARFUL = PAD.corner("LHL")


def live(player) -> np.ndarray:
    """A few seconds of everything that needs no feeling."""
    frames = [player.run(1.0)]
    player.look(20.0, 10.0)
    player.play("wave")
    frames.append(player.run(2.0))
    player.animator.handle(SetPosture(posture="sad"), "posture")
    player.animator.handle(SpeechStarted(speech="a", text="hello", mouth=[]), "speech")
    frames.append(player.run(2.0))
    return np.vstack(frames)


def test_with_nothing_felt_every_frame_is_bit_for_bit_that_of_an_engine_without_the_stage(player):
    plain = live(player(second_stage="erik", life=True))
    feeling = player(life=True)
    assert np.array_equal(live(feeling), plain)
    assert feeling.stage.report is None


def test_to_feel_neutral_is_to_show_nothing(player):
    plain = live(player(second_stage="erik", life=True))
    told = player(life=True)
    told.feel("neutral", blend_s=0.0)
    assert np.array_equal(live(told), plain)


def test_an_emotion_goes_and_the_body_is_exactly_as_it_was(player):
    pepper, plain = player(), player(second_stage="erik")
    for each in (pepper, plain):
        each.look(0.0)
        each.run(1.5)
    pepper.feel(FEARFUL, blend_s=0.8)
    felt = pepper.run(3.0)
    pepper.feel("neutral")
    after, untouched = pepper.run(5.0), plain.run(8.0)
    apart = np.abs(np.vstack([felt, after]) - untouched).max(axis=1)
    assert apart[100:150].min() > 0.5, "it hardly shows"
    assert pepper.stage.report is None
    assert np.array_equal(after[-1], untouched[-1])


def test_an_emotion_that_fades_by_itself_is_over_one_day(player):
    pepper = player(rate_hz=10.0)
    pepper.animator.engine.affect._feeling.half_life_s = 0.5
    pepper.look(0.0)
    pepper.run(1.0)
    rest = pepper.run(0.1)[-1]
    pepper.feel(FEARFUL, blend_s=0.2)
    pepper.run(12.0)
    assert pepper.stage.report is None
    assert np.abs(pepper.run(0.1)[-1] - rest).max() < 1e-12


@pytest.mark.parametrize("blend_s", [0.0, 0.8])
@pytest.mark.parametrize("corner", ["LHL", "HHH", "LLL"])
def test_an_emotion_comes_and_goes_within_the_limits_of_every_derivative(player, corner, blend_s):
    pepper = player()
    pepper.look(0.0)
    pepper.run(1.0)
    pepper.feel(PAD.corner(corner), blend_s)
    frames = [pepper.run(2.0)]
    pepper.feel(PAD.corner(corner).opposite, blend_s)
    frames.append(pepper.run(2.0))
    pepper.feel("neutral", blend_s)
    frames.append(pepper.run(2.0))
    angles = pepper.angles(np.vstack(frames))
    specs = [pepper.body.own[name] for name in pepper.tree.joint_names]
    for order, limit in enumerate(("max_velocity", "max_acceleration", "max_jerk"), start=1):
        most = np.array([getattr(spec, limit) for spec in specs])
        differences = np.abs(np.diff(angles, n=order, axis=0)) * pepper.rate_hz**order
        assert np.all(differences <= most * (1.0 + 1e-6) + 1e-6 * pepper.rate_hz**order), limit
    assert pepper.faults == []


def test_a_blended_emotion_is_calm_beyond_what_the_limits_ask_for(player):
    """A body that could be thrown into an emotion is led into it."""
    pepper = player()
    pepper.look(0.0)
    pepper.run(1.0)
    pepper.feel(PAD.corner("HLH"), blend_s=1.0)
    speed = np.diff(pepper.angles(pepper.run(2.0)), axis=0) * pepper.rate_hz
    assert np.abs(speed[:3]).max() < 0.25
    assert np.abs(speed).max() < 3.0
    assert np.abs(np.diff(speed, axis=0) * pepper.rate_hz).max() < 20.0


def test_more_arousal_moves_more_and_less_pleasure_moves_jerkier(player):
    energies, jerks = {}, {}
    for corner in ("HLH", "HHH", "LHH"):
        pepper = player(rate_hz=100.0)
        pepper.feel(PAD.corner(corner), blend_s=0.2)
        pepper.run(1.0)
        arm = pepper.arm(pepper.run(2.3), "left")  # one period
        energies[corner] = np.mean(np.diff(arm, axis=0) ** 2) * 100.0**2
        jerks[corner] = np.sqrt(np.mean(np.diff(arm, n=3, axis=0) ** 2)) * 100.0**3
    assert energies["HHH"] > 10.0 * energies["HLH"]
    assert jerks["LHH"] > 3.0 * jerks["HHH"]


def test_both_arms_swing_as_mirror_images(player):
    """As printed, the right shoulder would rise while the left one sinks."""
    pepper = player()
    pepper.feel(PAD.corner("LHH"), blend_s=0.2)
    pepper.run(1.0)
    frames = pepper.run(2.3)
    left, right = pepper.arm(frames, "left"), pepper.arm(frames, "right")
    assert left == pytest.approx(right * [1.0, -1.0, -1.0, -1.0, -1.0], abs=1e-9)
    heights = pepper.hand(frames, "left")[:, 1]
    assert np.ptp(heights) > 0.05
    swing = pepper.arm(frames, "left")[:, 1]
    assert np.corrcoef(heights, swing)[0, 1] > 0.9, "the arm is high where it is spread"


def test_legs_are_never_moved_by_an_emotion(player):
    nao = player("nao")
    nao.run(1.0)
    legs = [n for n in nao.tree.joint_names if any(part in n for part in ("Hip", "Knee", "Ankle"))]
    assert len(legs) >= 11
    before = nao.run(0.02)[-1][nao.columns(legs)]
    nao.feel(FEARFUL)
    assert np.abs(nao.run(3.0)[:, nao.columns(legs)] - before).max() < 1e-12
