"""Tasks that fade: the velocity is straight in their share, whatever the hierarchies are like."""

from __future__ import annotations

import numpy as np
import pytest

from sera.kinematics.priority import (
    GazeTask,
    OrientationTask,
    PositionTask,
    PostureTask,
    PriorityController,
    Support,
)
from tests.emotion.conftest import body_of
from tests.helpers import so_many, some_of

TASKS = ("hand", "turn", "gaze")
POSES = ("middle", "stretched", "at ends")
CASES = [(robot, pose) for robot in ("nao", "pepper", "romeo") for pose in POSES]
FORMS = [(form, limits) for form in ("strict", "chiaverini") for limits in ("damped", "document")]


def pose_of(tree, pose):
    chance, middle = np.random.default_rng(3), tree.clamp(np.zeros(tree.dof))
    if pose == "stretched":  # an arm without a bend is singular
        return middle
    if pose == "at ends":
        ends = np.where(chance.random(tree.dof) < 0.5, tree.lower_rad, tree.upper_rad)
        return np.where(chance.random(tree.dof) < 0.5, ends, middle)
    return 0.7 * middle + 0.15 * (tree.lower_rad + tree.upper_rad)


def velocities(robot, pose, **options):
    """What the controller does for shares of its tasks, always from the same pose."""
    tree, hand = body_of(robot).tree, "right_hand"
    levels = [
        [PositionTask(name="hand", end_point=hand)],
        [OrientationTask(name="turn", end_point=hand)],
        [GazeTask(name="gaze", end_point="head", axis=(0.0, 0.0, 1.0))],
    ]
    controller = PriorityController(tree, levels, posture=PostureTask(name="posture"), **options)
    angles = pose_of(tree, pose)
    place_m, turn = tree.pose(angles, hand)
    controller["hand"].set(place_m + np.array([0.003, 0.006, 0.006]))
    controller["turn"].set(orientation_wxyz=(turn + 0.05) / np.linalg.norm(turn + 0.05))
    controller["gaze"].set((1.0, 0.8, 2.0))
    controller.wish(pose_of(tree, "middle"))

    def velocity(**shares):
        for name in TASKS:
            controller[name].activation = float(shares.get(name, 1.0))
        controller.start_from(angles)
        controller.step(1e-9)
        return controller.velocity_rad_s

    return velocity


@pytest.mark.parametrize(("robot", "pose"), some_of(CASES, 3, seed=20))
@pytest.mark.parametrize("name", TASKS)
def test_the_greatest_step_of_a_sweep_falls_as_the_number_of_steps_grows(robot, pose, name):
    velocity = velocities(robot, pose)
    whole = np.abs(velocity() - velocity(**{name: 0.0})).max()
    assert whole > 1e-3 or name == "gaze"  # levels above may leave it no speed
    for count in (100, 1000, so_many(1500, 10_000)):
        found = np.array([velocity(**{name: share}) for share in np.linspace(0, 1, count + 1)])
        steps = np.abs(np.diff(found, axis=0))
        assert steps.max() == pytest.approx(whole / count, rel=1e-6, abs=1e-13)


@pytest.mark.parametrize(("form", "limits"), FORMS)
def test_neither_forms_nor_limits_nor_balance_jump_at_the_ends_of_a_fade(form, limits):
    small = Support(((-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01)))
    velocity = velocities("nao", "at ends", form=form, limits=limits, support=small)
    for name in TASKS:
        ends = [velocity(**{name: share}) for share in (0.0, 1e-6, 1.0 - 1e-6, 1.0)]
        assert max(np.abs(ends[1] - ends[0]).max(), np.abs(ends[3] - ends[2]).max()) < 1e-4


def test_several_tasks_that_fade_at_once_do_not_jump_where_their_shares_cross():
    velocity = velocities("pepper", "stretched")
    found = [velocity(hand=way, gaze=1.0 - way, turn=0.5) for way in np.linspace(0.0, 1.0, 401)]
    assert np.abs(np.diff(found, axis=0)).max() <= 4.0 * np.ptp(found, axis=0).max() / 400.0
