"""What stands still in the mind stands still in the body: no emotion keeps a filter swinging."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from sera.emotion import PAD
from sera.emotion.features import features_of
from sera.emotion.posture_profile import PostureProfile
from sera.kinematics.filter import PRESETS, FilterLimits, MotionFilter
from sera.messages import Pad, SetMood
from tests.helpers import some_of

BODIES = ["adelino", "emys", "keepon", "nao", "nao_t14", "pepper", "romeo", "mybot_ksr"]
LINES = BODIES[:3]
NAMED = ("happiness", "sadness", "anger", "fear", "boredom", "calm", "pride", "shame", "surprise")
CORNERS = tuple(PAD(p, a, d) for p in (1.0, -1.0) for a in (1.0, -1.0) for d in (1.0, -1.0))
CHANCE = random.Random(20)
POINTS = (
    *(PAD.named(name) for name in NAMED),
    *CORNERS,
    *(PAD(*(CHANCE.uniform(-1.0, 1.0) for _ in range(3))) for _ in range(15)),
)
WAYS = ((60.0, 10.0), (-70.0, -15.0), (20.0, 25.0), (-15.0, 0.0))


@pytest.mark.parametrize("robot", some_of(BODIES, 4, seed=20))
def test_a_body_that_feels_rests_where_it_is_wanted(player, robot):
    """The wanted pose itself may go on moving a little, as feelings fade."""
    one = player(robot)
    joints = one.columns(one.tree.joint_names)
    for number, emotion in enumerate(some_of(POINTS, 4, seed=robot)):
        pleasure, arousal, dominance = emotion.values
        mood = Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)
        one.animator.handle(SetMood(pad=mood), "mood")
        one.feel(emotion, blend_s=0.2)
        one.look(*WAYS[number % len(WAYS)])
        one.run(2.0)
        one.look(*WAYS[(number + 1) % len(WAYS)])
        one.run(4.0)
        late, wanted = [], []
        for _ in range(50):
            late.append(list(one.animator.step().values()))
            wanted.append(list(one.animator.engine.wanted.values()))
        late, wanted = np.array(late)[:, joints], np.array(wanted)[:, joints]
        still = np.ptp(wanted, axis=0) < math.radians(1.0)  # Pepper's free joints swing on purpose
        off = np.abs(late - wanted)[:, still]
        assert still.sum() >= 2
        assert np.degrees(off.max()) < 0.5, (robot, emotion)


@pytest.mark.parametrize("name", [None, *sorted(PRESETS)])
@pytest.mark.parametrize("robot", LINES)
def test_joints_at_the_manner_of_any_emotion_rest_two_seconds_after_their_way(player, robot, name):
    one = player(robot)
    profile, engine = one.animator.program.profile, one.animator.engine
    assert isinstance(profile, PostureProfile)
    usual = engine._filter.character
    if name is not None:
        usual = replace(PRESETS[name].character, overshoot=0.0)
    specs = [one.body.own[joint] for joint in one.tree.joint_names]
    limits = FilterLimits(
        [spec.max_velocity for spec in specs],
        [spec.max_acceleration for spec in specs],
        [spec.max_jerk for spec in specs],
        [spec.lower for spec in specs],
        [spec.upper for spec in specs],
    )
    chance = random.Random(robot)
    motion = MotionFilter([spec.neutral for spec in specs], limits, usual, rate_hz=50.0)
    for point in some_of(POINTS, 6, seed=f"{robot} {name}"):
        manner = profile.manner(features_of(point))
        motion.set_character(replace(usual, overshoot=manner.overshoot_rad, shares=manner.shares))
        motion.set_point([chance.uniform(spec.lower, spec.upper) for spec in specs])
        away = np.abs(motion.set_points - motion.positions)
        way_s = float((away / np.array(limits.velocity)).max()) / min(manner.speed_share, 0.5)
        for _ in range(round(50.0 * (way_s + 2.0))):
            motion.step()
        late = np.array([motion.positions, *(motion.step() for _ in range(50))])
        assert np.degrees(np.abs(np.diff(late, axis=0)).max()) * 50.0 < 0.5, point
        assert late[-1] == pytest.approx(motion.set_points, abs=math.radians(0.2))
