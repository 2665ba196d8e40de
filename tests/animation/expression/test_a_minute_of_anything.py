"""Whatever is felt and ordered: joints, speeds and balance stay within their limits."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sera.emotion import PAD
from sera.messages import Direction, Point, SetPosture

GESTURES = ("wave", "greet", "shrug", "nod", "celebrate", "think", "bow", "surprise", "yawn")


def anything(one, chance: random.Random) -> None:
    kind = chance.random()
    if kind < 0.4:
        emotion = PAD(*(chance.choice((-1.0, chance.uniform(-1, 1), 1.0)) for _ in range(3)))
        one.feel(emotion, blend_s=chance.choice((0.0, 0.3, 1.0)))
    elif kind < 0.6:
        one.play(chance.choice(GESTURES))
    elif kind < 0.7:
        one.look(chance.uniform(-80, 80), chance.uniform(-30, 40))
    elif kind < 0.88:
        place = np.array([chance.uniform(-0.7, 0.7), chance.uniform(0, 1.6), chance.uniform(-1, 1)])
        hand = chance.choice(("left", "right"))
        one.bring(hand, place, hold_s=chance.uniform(0, 1), carries=chance.random() < 0.3)
    elif kind < 0.95:
        way = Direction(
            horizontal_deg=chance.uniform(-90, 90), vertical_deg=chance.uniform(-30, 30)
        )
        one.animator.handle(Point(direction=way, hold_s=chance.uniform(0.2, 2.0)), "point")
    else:
        one.animator.handle(
            SetPosture(posture=chance.choice(("neutral", "proud", "sad"))), "posture"
        )


@pytest.mark.parametrize(("robot", "seconds"), [("pepper", 60.0), ("nao", 10.0), ("romeo", 10.0)])
def test_no_frame_is_beyond_a_limit_or_off_balance(player, robot, seconds):
    one = player(robot, life=True)
    chance = random.Random(9)
    frames, next_s = [], 0.0
    while len(frames) < seconds * one.rate_hz:
        if len(frames) / one.rate_hz >= next_s:
            next_s += chance.uniform(0.2, 1.5)
            anything(one, chance)
        frames.append(one.run(0.02)[0])
    assert one.faults == []
    assert one.animator.muted == []
    angles = one.angles(np.array(frames))
    assert np.isfinite(angles).all()
    specs = [one.body.own[name] for name in one.tree.joint_names]
    assert np.all(angles >= np.array([spec.lower for spec in specs]) - 1e-9)
    assert np.all(angles <= np.array([spec.upper for spec in specs]) + 1e-9)
    speeds = np.abs(np.diff(angles, axis=0)) * one.rate_hz
    assert np.all(speeds <= np.array([spec.max_velocity for spec in specs]) * (1.0 + 1e-6))
    support = one.stage.profile.support
    if support is not None and one.tree.mass_kg > 0.0:
        inside = [
            support.inside_m(*one.tree.centre_of_mass(row)[[0, 2]].tolist()) for row in angles
        ]
        assert min(inside) > 0.0
        assert np.quantile(inside, 0.05) < support.margin_m + 0.06, "it was never put to the test"


def test_a_body_that_leans_as_far_as_it_can_stays_above_its_wheels(player):
    """Both hands reach far ahead while it is low: the guard holds the trunk back."""
    pepper = player()
    pepper.feel(PAD(-1.0, -1.0, 1.0), blend_s=0.2)
    pepper.run(1.0)
    for side, left_m in (("left", 0.2), ("right", -0.2)):
        pepper.bring(side, np.array([left_m, 0.3, 1.0]))
    angles = pepper.angles(pepper.run(5.0))
    support = pepper.stage.profile.support
    inside = [support.inside_m(*pepper.tree.centre_of_mass(row)[[0, 2]].tolist()) for row in angles]
    assert min(inside) > 0.0
    assert min(inside) < support.margin_m + 0.015, "it went as far as it may"


def test_long_frames_behave(player):
    """Ten frames a second: the same motion, seen less often."""
    quick, slow = player(rate_hz=50.0), player(rate_hz=10.0)
    seen = {}
    for one in (quick, slow):
        one.look(0.0)
        one.feel(PAD.corner("LHL"), blend_s=1.0)
        one.run(2.0)
        one.play("wave")
        frames = one.run(2.8)
        assert one.faults == []
        seen[one.rate_hz] = one.angles(frames)[
            round(one.rate_hz / 10.0) - 1 :: round(one.rate_hz / 10.0)
        ]
        one.bring("right", np.array([-0.25, 0.85, 0.3]))
        _, told = one.moved(3.0)
        assert [each.outcome.value for each in told] == ["reached"]
        assert np.linalg.norm(one.hand(one.run(0.5))[-1] - [-0.25, 0.85, 0.3]) < 0.01
    apart = np.abs(seen[50.0] - seen[10.0])
    assert np.median(apart) < 0.05
    assert apart.max() < 0.65  # a wave goes up within five slow frames
