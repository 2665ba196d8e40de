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
    posture = one.repertoire.posture("sad").values
    layout = one.animator.engine.layout
    held = {name: value for name, value in posture.items() if not name.startswith("Gazing")}
    seen = blended(one)[layout.indices(held)]
    neutral = layout.neutral[layout.indices(held)]
    # Four seconds have faded a little of it.
    assert seen == pytest.approx(np.array(list(held.values())), abs=0.08)
    assert np.abs(seen - neutral).max() > 0.15


def test_where_a_posture_looks_is_added_to_whom_the_body_looks_at(player):
    """A gaze stands above every posture: sad Adelino would look at its partner, head held high."""
    sad, proud = (settled(player, "adelino", name) for name in ("sadness", "pride"))
    column = sad.animator.engine.layout.index("Gazing.Vertical")
    assert np.degrees(blended(sad)[column]) == pytest.approx(-20.0, abs=2.5)
    assert np.degrees(blended(proud)[column]) == pytest.approx(25.0, abs=2.5)
    sad.look(0.0, 30.0)
    sad.run(1.5)
    assert np.degrees(blended(sad)[column]) == pytest.approx(10.0, abs=3.0)


@pytest.mark.parametrize(("partner_deg", "sign"), [(40.0, -1.0), (-40.0, 1.0)])
def test_who_submits_looks_aside_towards_the_front(player, partner_deg, sign):
    averted = []
    for dominance in (1.0, -1.0):
        keepon = player("keepon")
        keepon.look(partner_deg)
        keepon.run(1.0)
        keepon.feel(PAD(0.0, 0.6, dominance), blend_s=0.5)
        keepon.run(1.5)
        column = keepon.animator.engine.layout.index("Gazing.Horizontal")
        averted.append(np.degrees(blended(keepon)[column]) - partner_deg)
    direct, away = averted
    assert sign * (away - direct) == pytest.approx(20.0, abs=1.5)


@pytest.mark.parametrize("corner", ["LLL", "LHL", "HLL", "HHL"])
def test_the_tip_of_adelino_stays_off_the_table_in_every_submissive_corner(player, corner):
    adelino = player("adelino")
    adelino.look(0.0)
    adelino.feel(PAD.corner(corner, size=1.0), blend_s=0.3)
    for row in adelino.angles(adelino.run(3.0))[::5]:
        assert adelino.tree.pose(row, "head").position_m[1] > 0.05


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
