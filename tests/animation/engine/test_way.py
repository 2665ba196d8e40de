"""On its way between poses a body touches neither itself nor the ground."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from benchmarks._alive_motion import BELOW_M, Contacts
from sera.animation.animator import Animator
from sera.animation.engine.clearance import model_of
from sera.animation.stage_set import StageSet
from sera.messages import HoldJoints, Pad, PlayAnimation, SetEmotion, SetLayer, SetPosture
from tests.animation.engine.test_clearance import JOINTED, body_of
from tests.animation.engine.test_looking_at_places import BODIES, REPOSITORY
from tests.helpers import so_many, some_of

DEEPEST_M = 0.005


class Moved:
    """A body at its program."""

    def __init__(self, robot: str) -> None:
        self.found = StageSet.find(REPOSITORY / "robots" / robot, (REPOSITORY,), seed=6)
        self.animator = Animator(self.found.program())
        self.body = self.found.body
        self.contacts = Contacts(self.body)

    def go(self, seconds: float, every: int = 3) -> tuple[float, float]:
        """How deep its frames are at most, in the body and below the ground."""
        depths, engine = [], self.animator.engine
        most = np.array([spec.max_velocity for spec in self.body.own.values()]) * engine.step_s
        before = engine.positions
        for number in range(round(seconds / engine.step_s)):
            now = np.array(list(self.animator.step().values()))
            assert (np.abs(now - before) <= most + 1e-9).all()
            before = now
            if number % every == 0:
                depths.append(self.contacts.depths_m(now))
        return tuple(np.max(depths, axis=0))


def opposite_sides(robot: str, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Clear poses between which the straight way is not clear."""
    body, found = body_of(robot), []
    model, names = model_of(body), body.tree.joint_names
    ends = np.array([[body.own[name].lower, body.own[name].upper] for name in names]).T
    chance, look, touches = np.random.default_rng(9), model.look(), model.look(share=0.0)
    last = np.array([body.own[name].neutral for name in names])
    while len(found) < count:
        pose = ends[0] + (ends[1] - ends[0]) * chance.random(len(names))
        if look.at(pose):
            continue
        between = (last + share * (pose - last) for share in np.linspace(0.0, 1.0, 30))
        if any(touches.at(each) for each in between):
            found.append((last, pose))
        last = pose
    return found


@pytest.mark.parametrize("robot", some_of(JOINTED, 2, seed=1))
def test_the_way_between_clear_poses_on_opposite_sides_never_touches(robot):
    moved = Moved(robot)
    moved.animator.handle(SetLayer(layer="life", active=False, fade_s=0.0))
    names = moved.body.tree.joint_names
    for pair in opposite_sides(robot, so_many(3, 20)):
        for pose in pair:
            held = dict(zip(names, pose.tolist(), strict=True))
            moved.animator.handle(HoldJoints(joints_rad=held, blend_s=0.5))
            inside, below = moved.go(3.0)
            assert inside <= DEEPEST_M
            assert below <= BELOW_M


@pytest.mark.parametrize("robot", some_of(BODIES, 3, seed=3))
def test_no_gesture_in_any_posture_and_emotion_touches(robot):
    moved = Moved(robot)
    found = moved.found.repertoire()
    felt = product((1.0, 0.0, -1.0), repeat=3)
    every = product(sorted(found.animations), sorted(found.postures), felt)
    for gesture, posture, (pleasure, arousal, dominance) in some_of(every, 6, seed=robot):
        pad = Pad(pleasure=pleasure, arousal=arousal, dominance=dominance)
        moved.animator.handle(SetEmotion(pad=pad, blend_s=0.3))
        moved.animator.handle(SetPosture(posture=posture, blend_s=0.5))
        moved.animator.handle(PlayAnimation(animation=gesture))
        inside, below = moved.go(min(found.animation(gesture).duration_s, 4.0) + 0.5)
        assert inside <= DEEPEST_M, (gesture, posture, pad)
        assert below <= BELOW_M, (gesture, posture, pad)
