"""The gaze keeps its direction while the body expresses, and averts as far as one is submissive."""

from __future__ import annotations

import numpy as np
import pytest

from sera.emotion import PAD
from sera.emotion.profile import GazeManner


def gaze_of(player, emotion, horizontal_deg=0.0, robot="pepper"):
    one = player(robot)
    one.look(horizontal_deg)
    one.run(1.5)
    one.feel(emotion, blend_s=0.5)
    one.run(1.5)
    return one, one.gaze_deg(one.run(0.5)) - [horizontal_deg, 0.0]


@pytest.mark.parametrize("robot", ["pepper", "nao", "romeo"])
def test_who_dominates_looks_straight_at_the_partner_whatever_the_trunk_does(player, robot):
    one, away = gaze_of(player, PAD(-0.75, -1.0, 1.0), robot=robot)
    assert np.abs(away).max() < 0.5
    # On the way the trunk rises by a hand's breadth; the motion filter lets the head follow it.
    one.feel(PAD(0.75, 1.0, 1.0), blend_s=1.5)
    assert np.abs(one.gaze_deg(one.run(3.0))).max() < 2.0


@pytest.mark.parametrize("arousal", [-0.75, 0.75])
def test_who_submits_looks_aside_and_down_by_the_offset_of_the_profile(player, arousal):
    """By the same angles however lively: in the document they shrink with activity."""
    one, away = gaze_of(player, PAD(0.0, arousal, -1.0))
    manner = one.stage.profile.gaze
    aside, down = np.degrees([manner.yaw_rad, manner.pitch_rad])
    left = np.mean(away, axis=0)
    assert left[0] == pytest.approx(-aside, rel=0.06)  # a little of it has faded
    assert left[1] == pytest.approx(-down, rel=0.06)


def test_half_submissive_is_half_averted(player):
    _, whole = gaze_of(player, PAD(0.0, 0.5, -1.0))
    _, half = gaze_of(player, PAD(0.0, 0.5, 0.0))
    assert half.mean(axis=0) == pytest.approx(0.5 * whole.mean(axis=0), abs=0.7)


@pytest.mark.parametrize(("partner_deg", "sign"), [(40.0, -1.0), (-40.0, 1.0)])
def test_a_partner_at_the_side_is_averted_towards_the_front(player, partner_deg, sign):
    _, away = gaze_of(player, PAD(0.0, 0.0, -0.9), partner_deg)
    assert np.all(sign * away[:, 0] > 15.0)


def test_a_partner_who_walks_past_does_not_make_the_averted_gaze_leap(player):
    pepper = player()
    pepper.look(-35.0)
    pepper.feel(PAD(0.0, 0.5, -1.0), blend_s=0.3)
    pepper.run(2.0)
    pepper.look(35.0)
    seen = pepper.gaze_deg(pepper.run(3.0))
    turned = np.linalg.norm(np.diff(seen, axis=0), axis=1) * pepper.rate_hz
    plain = player()
    plain.look(-35.0)
    plain.run(2.0)
    plain.look(35.0)
    usual = np.linalg.norm(np.diff(plain.gaze_deg(plain.run(3.0)), axis=0), axis=1) * plain.rate_hz
    assert turned.max() < 1.3 * usual.max()


def test_the_gaze_is_kept_while_the_hand_waves(player):
    pepper = player()
    pepper.look(0.0)
    pepper.run(1.0)
    pepper.play("wave")
    usual = pepper.gaze_deg(pepper.run(3.0))
    felt = player()
    felt.look(0.0)
    felt.feel(PAD(-0.75, 0.75, 1.0), blend_s=0.0)
    felt.run(1.0)
    felt.play("wave")
    assert np.abs(felt.gaze_deg(felt.run(3.0)) - usual).max() < 2.5


def test_the_documents_gaze_averts_less_the_livelier_the_body_is(player):
    """Kept for comparison: where the posture has the head is what averted means there."""
    away = {}
    for arousal in (-0.75, 0.75):
        pepper = player()
        profile = pepper.stage.profile
        object.__setattr__(profile, "gaze", GazeManner(mode="document"))
        pepper.look(0.0)
        pepper.run(1.0)
        pepper.feel(PAD(0.0, arousal, -0.75), blend_s=0.5)
        pepper.run(2.0)
        away[arousal] = np.linalg.norm(pepper.gaze_deg(pepper.run(0.5)), axis=1).mean()
    assert away[-0.75] > 1.5 * away[0.75]
