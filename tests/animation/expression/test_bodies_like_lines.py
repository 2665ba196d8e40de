"""A body like a line shows what it feels by its postures and by the way it moves."""

from __future__ import annotations

import numpy as np
import pytest

from sera.emotion import PAD
from sera.emotion.features import features_of
from sera.emotion.posture_profile import PostureProfile
from sera.kinematics.filter import FilterCharacter
from sera.messages import SetPosture

LINES = ["adelino", "emys", "keepon"]


def settled(player, robot, emotion=None, posture=None):
    one = player(robot)
    one.look(0.0)
    if posture is not None:
        one.animator.handle(SetPosture(posture=posture), "posture")
    if emotion is not None:
        one.feel(emotion, blend_s=0.3)
    one.run(4.0)
    return one


def blended(one) -> np.ndarray:
    return one.animator.engine.blend.values.copy()


def character(one) -> FilterCharacter:
    return one.animator.engine._filter.character


@pytest.mark.parametrize("robot", LINES)
def test_an_anchor_of_the_profile_takes_its_very_posture(player, robot):
    one = settled(player, robot, "sadness")
    wanted = settled(player, robot, posture="sad")
    columns = one.animator.engine.layout.indices(
        name for name in one.repertoire.posture("sad").values
    )
    # Four seconds have faded a little of it.
    assert blended(one)[columns] == pytest.approx(blended(wanted)[columns], abs=0.08)


def test_between_two_anchors_postures_are_mixed(player):
    column = settled(player, "adelino").animator.engine.layout.index("Body.lower_bend")
    happy, sad = (PAD.named(name) for name in ("happiness", "sadness"))
    bends = [
        blended(settled(player, "adelino", happy.blend(sad, share)))[column]
        for share in (0.0, 0.35, 0.65, 1.0)
    ]
    assert np.all(np.diff(bends) > 0.0), "from upright to bowed"


def test_nothing_felt_is_the_posture_that_was_ordered(player):
    told, untold = player("adelino", life=True), player("adelino", life=True)
    told.feel("neutral", blend_s=0.0)
    assert np.array_equal(told.run(2.0), untold.run(2.0))


def test_the_filters_character_changes_with_the_emotion_and_returns(player):
    adelino = player("adelino")
    usual = character(adelino)
    fear = PAD.corner("LHL", size=1.0)
    adelino.feel(fear, blend_s=0.2)
    adelino.run(0.5)
    profile = adelino.animator.program.profile
    assert isinstance(profile, PostureProfile)
    manner = profile.manner(features_of(fear))
    assert character(adelino).smoothness == pytest.approx(manner.smoothness, abs=0.02)
    assert character(adelino).responsiveness == pytest.approx(manner.responsiveness, abs=0.02)
    assert character(adelino).overshoot == pytest.approx(manner.overshoot_rad, abs=0.005)
    adelino.feel("neutral", blend_s=0.2)
    adelino.run(0.5)
    assert character(adelino) == usual


def test_a_change_of_character_does_not_jerk_the_body(player):
    adelino = player("adelino")
    adelino.look(30.0)
    adelino.run(0.4)
    adelino.feel(PAD.corner("LHL", size=1.0), blend_s=0.0)
    frames = [adelino.run(0.6)]
    adelino.feel("neutral", blend_s=0.0)
    frames.append(adelino.run(1.0))
    angles = adelino.angles(np.vstack(frames))
    specs = [adelino.body.own[name] for name in adelino.tree.joint_names]
    for order, limit in enumerate(("max_velocity", "max_acceleration", "max_jerk"), start=1):
        most = np.array([getattr(spec, limit) for spec in specs])
        seen = np.abs(np.diff(angles, n=order, axis=0)) * adelino.rate_hz**order
        assert np.all(seen <= most * (1.0 + 1e-6) + 1e-6 * adelino.rate_hz**order), limit


def test_an_exchange_of_the_program_keeps_feeling_and_character(player):
    adelino = settled(player, "adelino", PAD.corner("LHL"))
    before, changed = blended(adelino), character(adelino)
    adelino.exchange()
    adelino.run(0.04)
    assert blended(adelino) == pytest.approx(before, abs=0.02)
    assert character(adelino).smoothness == pytest.approx(changed.smoothness, abs=0.03)


def test_excitement_breathes_faster(player):
    """Idle life follows arousal through the shared program's signal."""
    energy = {}
    for arousal in (-0.9, 0.9):
        adelino = player("adelino", life=True)
        adelino.feel(PAD(0.0, arousal, 0.0), blend_s=0.0)
        adelino.run(1.0)
        column = adelino.animator.engine.layout.index("Torso.Lean")
        values = []
        for _ in range(400):
            adelino.animator.step()
            values.append(adelino.animator.engine.blend.values[column])
        energy[arousal] = np.sum(np.diff(values) ** 2)
    assert energy[0.9] > 2.0 * energy[-0.9]
