"""A wanted pose that touches the ground or the body itself does not leave the stage as it is."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from benchmarks._alive_motion import Contacts
from sera.animation.animator import Animator
from sera.animation.body import Body, load_body
from sera.animation.channels import OWN_SET
from sera.animation.engine import ClearanceStage, Sights, Surroundings
from sera.animation.engine.second_stage import StageFrame
from sera.animation.frame import Blend, ChannelLayout, FrameBlock
from sera.animation.stage_set import StageSet
from sera.kinematics.contacts import Hull, box_points
from sera.messages import Direction, EmergencyStop, Gaze, HoldJoints, PlayAnimation
from tests.animation.engine.test_looking_at_places import BODIES, REPOSITORY, Stage
from tests.helpers import so_many, some_of

JOINTED = ["adelino", "mybot_ksr", "nao", "pepper", "romeo"]
DT_S = 0.02


@cache
def body_of(robot: str) -> Body:
    return load_body(REPOSITORY / "robots" / robot)


class Bare:
    """The stage alone: wanted poses in the tree's order go in, posed ones come out."""

    def __init__(self, robot: str, **more) -> None:
        self.body = body_of(robot)
        self.layout = ChannelLayout(tuple(self.body.channels.values()))
        self.blend = Blend(FrameBlock(self.layout, 1, robot), range(1))
        self.stage = ClearanceStage(**more)
        self.stage.bind(self.body, self.layout)
        self.look = self.stage.model.look()
        self.names = self.body.tree.joint_names
        self.columns = self.layout.indices(f"{OWN_SET}.{name}" for name in self.names)
        self.neutral = np.array([self.body.own[name].neutral for name in self.names])

    def step(self, wanted: np.ndarray) -> np.ndarray:
        posed = self.layout.neutral.copy()
        posed[self.columns] = wanted
        self.stage.step(StageFrame(posed, self.blend, DT_S, 0))
        return posed[self.columns]

    def lacks_m(self, pose: np.ndarray) -> float:
        """How much of the distance to keep is missing where most is."""
        self.look.at(pose)
        keeps_m = self.stage.model.keeps_m[self.look.found]
        return float((keeps_m - self.look.distances_m).max(initial=0.0))

    def touching(self, seed: int, count: int) -> list[np.ndarray]:
        """Poses from all over the ranges in which something is deep in something else."""
        chance, (lower, upper) = np.random.default_rng(seed), self.stage.ends
        drawn = (lower + (upper - lower) * chance.random(len(lower)) for _ in range(5000))
        found = (pose for pose in drawn if self.lacks_m(pose) > 0.03)
        return [pose for pose, _ in zip(found, range(count), strict=False)]


@pytest.mark.parametrize("robot", BODIES)
def test_neutral_passes_bit_for_bit(robot):
    bare = Bare(robot)
    assert bare.step(bare.neutral).tobytes() == bare.neutral.tobytes()
    assert (bare.stage.note, bare.stage.held_back) == ("", 0)


@pytest.mark.parametrize("robot", some_of(JOINTED, 3, seed=5))
def test_what_touches_is_kept_at_its_distance_within_ends_and_speed(robot):
    bare = Bare(robot)
    ends, longest = bare.stage.ends, bare.stage.speeds * DT_S + 1e-9
    cases = bare.touching(3, so_many(3, 25))
    assert cases
    for wanted in cases:
        bare.stage.start_from(dict(zip(bare.names, bare.neutral.tolist(), strict=True)))
        last = bare.neutral
        for _ in range(400):
            pose = bare.step(wanted)
            assert (np.abs(pose - last) <= longest).all()
            last = pose
        assert ((ends[0] <= last) & (last <= ends[1])).all()
        assert bare.lacks_m(last) < 1e-3
        assert bare.stage.note
    for _ in range(400):
        last = bare.step(bare.neutral)
    assert last.tobytes() == bare.neutral.tobytes(), "it goes back when that is clear again"
    assert not bare.stage.note


@pytest.mark.parametrize("robot", some_of(JOINTED, seed=2))
def test_a_stage_that_does_not_move_only_tells(robot):
    bare = Bare(robot, moves=False)
    for number, wanted in enumerate(bare.touching(3, 4), start=1):
        assert bare.step(wanted).tobytes() == wanted.tobytes()
        assert bare.stage.note.startswith("kept off ")
        assert bare.stage.held_back == number


def test_a_box_beside_the_body_is_kept_off_by_its_name():
    free = Bare("pepper")
    wanted = free.neutral.copy()
    wanted[free.names.index("LShoulderPitch")] = 0.5
    points, radius_m = box_points(np.array([0.4, 0.04, 0.3]))
    points += free.body.tree.pose(wanted, "left_hand").position_m
    desk = Hull(None, points, np.full(len(points), radius_m), "the desk")
    bare = Bare("pepper", around=Surroundings((desk,)))
    assert bare.step(bare.neutral).tobytes() == free.step(bare.neutral).tobytes()
    for _ in range(300):
        pose = bare.step(wanted)
    assert free.step(wanted).tobytes() == wanted.tobytes()
    assert bare.lacks_m(wanted) > 0.03
    assert bare.lacks_m(pose) < 1e-3
    assert bare.stage.note == "kept off the desk"


def without(animator: Animator) -> Animator:
    """The same without what keeps clear."""
    engine = animator.engine
    engine.stages = tuple(s for s in engine.stages if not isinstance(s, ClearanceStage))
    engine._way = None
    return animator


def test_a_face_goes_on_looking_while_its_body_is_lifted_clear():
    """At something low before its plate, for which it would dive through the table."""
    aim, below = Direction(horizontal_deg=0.0, vertical_deg=-22.0), {}
    for guarded in (True, False):
        stage = Stage("adelino")
        if not guarded:
            without(stage.animator)
        stage.animator.handle(Gaze(direction=aim))
        stage.run(4.0)
        contacts = Contacts(stage.body)
        below[guarded] = max(contacts.depths_m(row)[1] for row in stage.rows[::5])
        _, (_, up, ahead) = Sights(stage.body).find("Gazing").seen_at(stage.rows[-1])
        assert math.degrees(math.atan2(up, ahead)) == pytest.approx(-22.0, abs=1.0)
    assert below[True] == 0.0
    assert below[False] > 0.1


def test_clear_motion_and_a_stop_are_the_same_bit_for_bit_without_it():
    frames = []
    for change in (lambda animator: animator, without):
        found = StageSet.find(REPOSITORY / "robots" / "nao", (REPOSITORY,), seed=4)
        animator, rows = change(Animator(found.program())), []
        for order in (PlayAnimation(animation="greet"), EmergencyStop(), HoldJoints(joints_rad={})):
            animator.handle(order)
            rows += [list(animator.step().values()) for _ in range(45)]
        frames.append(np.array(rows))
    assert frames[0].tobytes() == frames[1].tobytes()
