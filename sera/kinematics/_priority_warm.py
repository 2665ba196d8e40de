"""Have every kernel of task priority and of the continuous inverse compiled beforehand."""

from __future__ import annotations

import numpy as np

from sera.kinematics.continuous import (
    ContinuousHierarchy,
    JointLimits,
    Level,
    continuous_inverse,
    error_gate,
    right_continuous_inverse,
)
from sera.kinematics.priority import (
    CentreOfMassTask,
    Form,
    GazeTask,
    Limits,
    OrientationTask,
    PoseTask,
    PositionTask,
    PostureTask,
    PriorityController,
    RowsTask,
)
from sera.kinematics.support import Support
from sera.kinematics.tree import Tree
from sera.kinematics.visibility import Visibility

_STRAIGHT_WXYZ = (1.0, 0.0, 0.0, 0.0)


def warm_priority(tree: Tree, left: str, right: str) -> None:
    """Take a step in each form and limit mode, with every kind of task, one of them fading.

    `left` and `right` are end points of the tree, whose joints have masses.
    """
    corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    for form in Form:
        for limits in Limits:
            controller = PriorityController(
                tree,
                [
                    [PoseTask(name="pose", end_point=left)],
                    [PositionTask(name="place", end_point=right)],
                    [OrientationTask(name="turn", end_point=right)],
                    [GazeTask(name="gaze", end_point=left)],
                    [CentreOfMassTask(name="balance")],
                    [RowsTask(name="rows", count=1)],
                ],
                posture=PostureTask(name="posture"),
                form=form,
                limits=limits,
                support=Support.of(corners),
            )
            controller.wish(np.full(tree.dof, 0.1))
            controller["pose"].set((0.1, 0.5, 0.1), _STRAIGHT_WXYZ)
            controller["place"].set((0.1, 0.5, 0.1))
            controller["turn"].set(orientation_wxyz=_STRAIGHT_WXYZ)
            controller["gaze"].set((0.1, 0.5, 1.0))
            controller["gaze"].activation = 0.5
            controller["balance"].set((0.0, 0.0, 0.0))
            controller["rows"].set_rows(np.ones((1, tree.dof)), [0.1])
            controller.step(0.01)
    sight = Visibility(tree, tree.frame_names[:3], left)
    sight.view(np.full(tree.dof, 0.1), tree.pose(np.zeros(tree.dof), right))


def warm_continuous(tree: Tree, end_point: str) -> None:
    """Invert left and right, well and badly conditioned rows, and solve a hierarchy."""
    rows = tree.jacobian(np.full(tree.dof, 0.3), end_point)
    twice = np.concatenate([rows, rows])
    for matrix in (rows, twice):
        continuous_inverse(matrix, np.linspace(0.0, 1.0, len(matrix)))
        right_continuous_inverse(matrix, np.diag(np.linspace(0.0, 1.0, tree.dof)))
    error_gate(0.0015)
    limits = JointLimits(tree)
    levels = [
        limits.level(np.full(tree.dof, 0.1)),
        Level(rows, np.zeros(len(rows)), np.full(len(rows), 0.5)),
    ]
    ContinuousHierarchy(tree.dof).solve(levels)
