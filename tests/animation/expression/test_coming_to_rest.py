"""What stands still in the mind stands still in the body: no emotion keeps a filter swinging."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from sera.emotion import PAD
from sera.emotion.features import features_of
from sera.kinematics.filter import PRESETS, FilterLimits, MotionFilter
from sera.messages import Pad, SetMood
from tests.helpers import some_of

BODIES = ["adelino", "emys", "keepon", "nao", "nao_t14", "pepper", "romeo", "mybot_ksr"]
NAMED = ("happiness", "sadness", "anger", "fear", "boredom", "calm", "pride", "shame", "surprise")
CHANCE = random.Random(20)
POINTS = (
    *(PAD.named(name) for name in NAMED),
    *(PAD(p, a, d) for p in (1.0, -1.0) for a in (1.0, -1.0) for d in (1.0, -1.0)),
    *(PAD(*(CHANCE.uniform(-1.0, 1.0) for _ in range(3))) for _ in range(15)),
)
LIMITS = ("max_velocity", "max_acceleration", "max_jerk", "lower", "upper")
CASES = [(robot, name) for robot in BODIES[:3] for name in (None, *PRESETS)]


@pytest.mark.parametrize("robot", [*some_of(BODIES[:3]), *some_of(BODIES[3:], seed=1)])
def test_a_body_that_feels_rests_where_it_is_wanted(player, robot):
    """The wanted pose itself may go on moving a little, as feelings fade."""
    one = player(robot)
    joints = one.columns(one.tree.joint_names)
    for emotion in some_of(POINTS, 2, seed=robot):
        pleasure, arousal, dominance = emotion.values
        mood = Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)
        one.animator.handle(SetMood(pad=mood), "mood")
        one.feel(emotion, blend_s=0.2)
        for horizontal_deg, seconds in ((50.0, 2.0), (-60.0, 4.0)):
            one.look(horizontal_deg, 10.0)
            one.run(seconds)
        late, wanted = [], []
        for _ in range(50):
            late.append(list(one.animator.step().values()))
            wanted.append(list(one.animator.engine.wanted.values()))
        late, wanted = np.array(late)[:, joints], np.array(wanted)[:, joints]
        still = np.ptp(wanted, axis=0) < math.radians(1.0)  # Pepper's free joints swing on purpose
        assert still.sum() >= 2
        assert np.degrees(np.abs(late - wanted)[:, still].max()) < 0.5, emotion


@pytest.mark.parametrize(("robot", "name"), some_of(CASES, 6, seed=20))
def test_joints_at_the_manner_of_any_emotion_rest_two_seconds_after_their_way(player, robot, name):
    one, chance = player(robot), random.Random(robot)
    usual = one.animator.engine._filter.character
    if name is not None:
        usual = replace(PRESETS[name].character, overshoot=0.0)
    specs = [one.body.own[joint] for joint in one.tree.joint_names]
    limits = FilterLimits(*([getattr(spec, name) for spec in specs] for name in LIMITS))
    motion = MotionFilter([spec.neutral for spec in specs], limits, usual, rate_hz=50.0)
    for point in some_of(POINTS, 6, seed=f"{robot} {name}"):
        manner = one.animator.program.profile.manner(features_of(point))
        motion.set_character(replace(usual, overshoot=manner.overshoot_rad, shares=manner.shares))
        motion.set_point([chance.uniform(spec.lower, spec.upper) for spec in specs])
        away = np.abs(motion.set_points - motion.positions)
        way_s = float((away / np.array(limits.velocity)).max()) / min(manner.speed_share, 0.5)
        for _ in range(round(50.0 * (way_s + 2.0))):
            motion.step()
        late = np.array([motion.positions, *(motion.step() for _ in range(50))])
        assert np.degrees(np.abs(np.diff(late, axis=0)).max()) * 50.0 < 0.5, point
        assert late[-1] == pytest.approx(motion.set_points, abs=math.radians(0.2))
