"""Tasks that fade: the velocity is straight in their share, whatever the hierarchies are like."""

from __future__ import annotations

import numpy as np
import pytest

from sera.kinematics.priority import (
    CentreOfMassTask,
    GazeTask,
    OrientationTask,
    PositionTask,
    PostureTask,
    PriorityController,
    Support,
)
from tests.emotion.conftest import body_of
from tests.helpers import so_many, some_of

BODIES = {"nao": "right_hand", "pepper": "right_hand", "romeo": "right_hand"}
TASKS = ("hand", "turn", "gaze")
POSES = ("middle", "stretched", "at ends")


def tree_of(robot):
    return body_of(robot).tree


def pose_of(robot, pose):
    tree = tree_of(robot)
    middle = tree.clamp(np.zeros(tree.dof))
    if pose == "stretched":  # an arm without a bend is singular
        return middle
    if pose == "at ends":
        chance = np.random.default_rng(3)
        ends = np.where(chance.random(tree.dof) < 0.5, tree.lower_rad, tree.upper_rad)
        return np.where(chance.random(tree.dof) < 0.5, ends, middle)
    return 0.7 * middle + 0.3 * (0.5 * tree.lower_rad + 0.5 * tree.upper_rad)


class Swept:
    """A controller that is asked for one step from the same pose, again and again."""

    def __init__(self, robot, pose, **options):
        tree, hand = tree_of(robot), BODIES[robot]
        self.angles = pose_of(robot, pose)
        self.controller = PriorityController(
            tree,
            [
                [PositionTask(name="hand", end_point=hand)],
                [OrientationTask(name="turn", end_point=hand)],
                [GazeTask(name="gaze", end_point="head", axis=(0.0, 0.0, 1.0))],
            ],
            posture=PostureTask(name="posture"),
            **options,
        )
        self.controller.start_from(self.angles)
        near, turned = tree.pose(self.angles, hand)
        self.controller["hand"].set(near + np.array([0.003, 0.006, 0.006]))
        self.controller["turn"].set(
            orientation_wxyz=(turned + 0.05) / np.linalg.norm(turned + 0.05)
        )
        self.controller["gaze"].set((1.0, 0.8, 2.0))
        self.controller.wish(pose_of(robot, "middle"))

    def velocity(self, **shares):
        for name, share in shares.items():
            self.controller[name].activation = share
        self.controller.start_from(self.angles)
        self.controller.step(1e-9)
        return self.controller.velocity_rad_s

    def steps(self, name, count):
        """How far the velocity moves in each of so many steps of a share from 0 to 1."""
        found = np.array([self.velocity(**{name: share}) for share in np.linspace(0, 1, count + 1)])
        return np.abs(np.diff(found, axis=0)).max(axis=1)


CASES = [(robot, pose, name) for robot in BODIES for pose in POSES for name in TASKS]


@pytest.mark.parametrize(("robot", "pose", "name"), some_of(CASES, 9, seed=20))
def test_the_greatest_step_of_a_sweep_falls_as_the_number_of_steps_grows(robot, pose, name):
    swept = Swept(robot, pose)
    whole = np.abs(swept.velocity(**{name: 1.0}) - swept.velocity(**{name: 0.0})).max()
    assert whole > 1e-3 or name == "gaze"  # levels above may leave it no speed
    for count in (100, 1000, so_many(2000, 10_000)):
        assert swept.steps(name, count).max() == pytest.approx(whole / count, rel=1e-6, abs=1e-13)


@pytest.mark.parametrize("form", ["strict", "chiaverini"])
@pytest.mark.parametrize("limits", ["damped", "document", "none"])
def test_no_form_jumps_at_either_end_of_a_fade(form, limits):
    swept = Swept("nao", "at ends", form=form, limits=limits)
    for name in TASKS:
        ends = [swept.velocity(**{name: share}) for share in (0.0, 1e-6, 1.0 - 1e-6, 1.0)]
        assert np.abs(ends[1] - ends[0]).max() < 1e-4
        assert np.abs(ends[3] - ends[2]).max() < 1e-4
        swept.velocity(**{name: 1.0})


def test_balance_does_not_jump_either():
    small = Support(((-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01)))
    tree = tree_of("nao")
    controller = PriorityController(
        tree,
        [[PositionTask(name="hand", end_point="right_hand")], [CentreOfMassTask(name="weight")]],
        support=small,
    )
    angles = pose_of("nao", "middle")
    controller["hand"].set(tree.pose(angles, "right_hand").position_m + np.array([0.1, 0, 0.2]))
    controller["weight"].set((0.0, 0.0, 0.0))
    found = []
    for share in np.linspace(0.0, 1.0, 501):
        controller["hand"].activation = float(share)
        controller.start_from(angles)
        controller.step(1e-9)
        found.append(controller.velocity_rad_s)
    whole = np.abs(found[-1] - found[0]).max()
    assert np.abs(np.diff(found, axis=0)).max() == pytest.approx(whole / 500, rel=1e-6)


def test_several_tasks_that_fade_at_once_do_not_jump_where_their_shares_cross():
    swept = Swept("pepper", "stretched")
    ways = np.linspace(0.0, 1.0, 401)
    found = [swept.velocity(hand=way, gaze=1.0 - way, turn=0.5) for way in ways]
    corners = [
        swept.velocity(hand=hand, gaze=gaze, turn=turn)
        for hand in (0.0, 1.0)
        for gaze in (0.0, 1.0)
        for turn in (0.0, 1.0)
    ]
    widest = np.ptp(corners, axis=0).max()
    assert np.abs(np.diff(found, axis=0)).max() <= 4.0 * widest / 400


def test_levels_above_hold_while_a_lower_task_fades():
    swept = Swept("nao", "middle")
    rows = tree_of("nao").jacobian(swept.angles, "right_hand")[:3]
    moved = [rows @ swept.velocity(gaze=share) for share in (0.0, 0.3, 0.7, 1.0)]
    assert np.allclose(moved, moved[0], atol=1e-9)
