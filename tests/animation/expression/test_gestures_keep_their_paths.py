"""A gesture keeps the path of its hand whatever is felt, and the rest of the body expresses it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sera.emotion import PAD
from tests.helpers import some_of

CORNERS = [f"{p}{a}{d}" for p in "LH" for a in "LH" for d in "LH"]
STROKE = slice(65, 135)
"""Frames of a wave in which the hand is up: it has joined the path by 1.3 s."""


def wave(player, robot, emotion=None, rate_hz=50.0):
    one = player(robot, rate_hz=rate_hz)
    one.look(0.0)
    if emotion is not None:
        one.feel(emotion, blend_s=0.5)
    one.run(2.0)
    one.play("wave")
    return one, one.run(2.8)


@pytest.fixture(scope="module")
def plain():
    """Waves without any emotion, by robot: made once."""
    return {}


def neutral_wave(player, plain, robot):
    if robot not in plain:
        plain[robot] = wave(player, robot)
    return plain[robot]


@pytest.mark.parametrize("corner", some_of(CORNERS, 3))
def test_a_waving_hand_stays_within_two_millimetres_of_its_path(player, plain, corner):
    still, frames = neutral_wave(player, plain, "pepper")
    pepper, felt = wave(player, "pepper", PAD.corner(corner))
    away = np.linalg.norm(pepper.hand(felt) - still.hand(frames), axis=1)
    assert away[STROKE].max() < 0.002
    left = np.linalg.norm(pepper.hand(felt, "left") - still.hand(frames, "left"), axis=1)
    assert left[STROKE].mean() > 0.05, "the free arm expresses meanwhile"
    assert pepper.faults == []


BODIES = (("nao", 0.004), ("nao_t14", 0.004), ("romeo", 0.02), ("mybot_ksr", 0.03))


@pytest.mark.parametrize(
    ("body", "corner"), some_of(itertools.product(BODIES, ("LHH", "LLL")), 3, seed=1)
)
def test_every_body_with_hands_keeps_the_path_of_its_wave(player, plain, body, corner):
    """Before the motion filter exactly; slow motors cut other corners in another posture."""
    robot, filtered_m = body
    still, frames = neutral_wave(player, plain, robot)
    other = player(robot)
    other.look(0.0)
    other.feel(PAD.corner(corner), blend_s=0.5)
    other.run(2.0)
    other.play("wave")
    stage, felt, off_m = other.stage, [], []
    for _ in range(140):
        felt.append(other.run(0.02)[0])
        wanted, made = (
            other.tree.pose(angles, stage.profile.hand("right").end_point).position_m
            for angles in (stage._last, stage._controller.angles_rad)
        )
        off_m.append(np.linalg.norm(made - wanted))
    assert max(off_m[STROKE]) < 0.0025
    away = np.linalg.norm(other.hand(np.array(felt)) - still.hand(frames), axis=1)
    assert away[STROKE].max() < filtered_m
    assert other.faults == []


def test_an_arm_joins_a_gesture_joint_by_joint_rather_than_through_a_stretched_pose(player, plain):
    """Pulled straight to the path, NAO's arm turned away from the wave and came back late."""
    still, frames = neutral_wave(player, plain, "nao")
    nao, felt = wave(player, "nao", PAD.corner("LHH"))
    arms = np.abs(nao.arm(felt, "right") - still.arm(frames, "right")).max(axis=1)
    assert arms[:20].max() > 1.0
    assert arms[50:].max() < 0.15
    away = np.linalg.norm(nao.hand(felt) - still.hand(frames), axis=1)
    assert away[50:].max() < 0.01


def test_a_hand_follows_its_path_in_time_at_every_frame_rate(player):
    for rate_hz in (100.0, 25.0):
        still, frames = wave(player, "pepper", rate_hz=rate_hz)
        pepper, felt = wave(player, "pepper", PAD.corner("LHL"), rate_hz=rate_hz)
        path = still.hand(frames)
        first, last = round(1.3 * rate_hz), round(2.7 * rate_hz)
        away = [
            np.linalg.norm(pepper.hand(felt)[first:last] - path[first + k : last + k], axis=1).max()
            for k in (-1, 0, 1)
        ]
        assert away[1] < 0.003
        assert away[1] < 0.5 * min(away[0], away[2]), "neither a frame ahead nor behind"


def test_an_emotion_that_comes_in_the_middle_of_a_wave_does_not_shake_the_hand(player, plain):
    still, frames = neutral_wave(player, plain, "pepper")
    pepper = player("pepper")
    pepper.look(0.0)
    pepper.run(2.0)
    pepper.play("wave")
    first = pepper.run(1.4)
    pepper.feel(PAD.corner("LHL"), blend_s=0.5)
    felt = np.vstack([first, pepper.run(1.4)])
    away = np.linalg.norm(pepper.hand(felt) - still.hand(frames), axis=1)
    assert away.max() < 0.005
    left = np.linalg.norm(pepper.hand(felt, "left") - still.hand(frames, "left"), axis=1)
    assert left[-25:].mean() > 0.05


def test_a_change_of_emotion_in_the_middle_of_a_wave_does_not_shake_the_hand(player, plain):
    still, frames = neutral_wave(player, plain, "pepper")
    pepper = player("pepper")
    pepper.look(0.0)
    pepper.feel(PAD.corner("LLL"), blend_s=0.5)
    pepper.run(2.0)
    pepper.play("wave")
    first = pepper.run(1.4)
    pepper.feel(PAD.corner("HHH"), blend_s=0.4)
    felt = np.vstack([first, pepper.run(1.4)])
    away = np.linalg.norm(pepper.hand(felt) - still.hand(frames), axis=1)
    assert away[STROKE].max() < 0.008


def test_after_the_gesture_the_arm_expresses_again(player):
    pepper = player("pepper")
    pepper.feel(PAD.corner("LHH"), blend_s=0.2)
    pepper.run(2.0)
    pepper.play("wave")
    pepper.run(6.0)
    frames = pepper.run(2.3)
    left, right = pepper.arm(frames, "left"), pepper.arm(frames, "right")
    assert left == pytest.approx(right * [1.0, -1.0, -1.0, -1.0, -1.0], abs=1e-3)
    assert np.ptp(right[:, 1]) > 0.5


def test_an_arm_that_points_keeps_pointing(player):
    from sera.messages import Direction, Point

    ways = {}
    for emotion in (None, PAD.corner("LHL")):
        pepper = player("pepper")
        if emotion is not None:
            pepper.feel(emotion, blend_s=0.2)
        pepper.run(1.0)
        way = Direction(horizontal_deg=30.0, vertical_deg=0.0)
        pepper.animator.handle(Point(direction=way, hold_s=3.0), "point")
        pepper.run(1.8)
        ways[emotion] = pepper.hand(pepper.run(0.5))
    plain, felt = ways.values()
    assert np.linalg.norm(felt - plain, axis=1).max() < 0.005


@pytest.mark.parametrize(
    ("gesture", "at_s", "working"),
    [
        ("wave", 1.5, {"right"}),
        ("wave_left", 1.5, {"left"}),
        ("celebrate", 1.5, {"left", "right"}),
        ("nod", 0.8, set()),
    ],
)
def test_only_the_arms_that_a_gesture_uses_leave_their_expression(player, gesture, at_s, working):
    pepper = player("pepper")
    pepper.feel(PAD.corner("HHH"), blend_s=0.1)
    pepper.run(0.5)
    pepper.play(gesture)
    pepper.run(at_s)
    held = {name for name, hand in pepper.stage.hands.items() if hand.share == 1.0}
    idle = {name for name, hand in pepper.stage.hands.items() if hand.idle}
    assert held == working
    assert idle == {"left", "right"} - working


@pytest.mark.parametrize("robot", ["romeo", "mybot_ksr"])
def test_an_arm_at_the_end_of_its_speed_does_not_bring_the_free_one_to_a_halt(player, robot):
    """Lower levels are slowed down as a whole: the left arm stood still, again and again."""
    jerks, slowest = {}, {}
    for corner in ("HHH", "LHH"):
        one, felt = wave(player, robot, PAD.corner(corner), rate_hz=100.0)
        arm = one.arm(felt, "left")
        jerks[corner] = np.sqrt(np.mean(np.sum(np.diff(arm, n=3, axis=0) ** 2, axis=1))) * 1e6
        speed = np.linalg.norm(np.diff(arm, axis=0), axis=1) * 100.0
        slowest[corner] = np.mean(speed < 0.02)
    assert jerks["HHH"] < 60.0
    assert jerks["LHH"] > 3.0 * jerks["HHH"], "jerkiness is what the emotion makes, not the arm"
    assert slowest["HHH"] < 0.05, "it swings and turns round, but never rests"
