"""One small call of every public function of the kinematics that has kernels, see `sera._warm`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sera.kinematics import inverse
from sera.kinematics._filter_warm import warm_filters
from sera.kinematics._priority_warm import warm_continuous, warm_priority
from sera.kinematics.baselines import PriorityDls, aim_ccd, fabrik, reach_ccd
from sera.kinematics.chain import Chain
from sera.kinematics.contacts import ContactModel, Held, Hull, Steering
from sera.kinematics.erik import Solver, TreeSolver
from sera.kinematics.erik._floor_kernels import search_rows
from sera.kinematics.erik._model import model_of_chain
from sera.kinematics.joints import Joint
from sera.kinematics.trajectories import MinimumJerk
from sera.kinematics.tree import EndPoint, Tree

_TURNED_WXYZ = (math.cos(0.4), math.sin(0.4), 0.0, 0.0)


def steps() -> dict[str, Callable[[], None]]:
    """What is called, by what it is for; what takes longest comes first."""
    return {
        "ERIK, optimal": _erik_optimal,
        "ERIK, published": _erik_published,
        "inverse kinematics": _inverse,
        "task priority": lambda: warm_priority(_tree(), "left", "right"),
        "the continuous inverse": lambda: warm_continuous(_tree(), "left"),
        "baselines": _baselines,
        "motion filters": warm_filters,
        "the evaluation's long search": _floor,
        "chains": _chains,
        "trees": _trees,
        "trajectories": _trajectories,
        "ERIK on trees": _erik_tree,
        "contacts": _contacts,
    }


def _chain() -> Chain:
    return Chain.from_axes("YXXZY", limit_rad=math.pi / 2)


def _tree() -> Tree:
    joints = [
        Joint("trunk", axis=(0, 1, 0), mass_kg=1.0),
        Joint("lean", axis=(1, 0, 0), origin_m=(0, 0.3, 0), parent="trunk", mass_kg=1.0),
    ]
    ends = {}
    for side, across in (("left", 0.1), ("right", -0.1)):
        joints += [
            Joint(f"{side}_pan", axis=(0, 1, 0), origin_m=(across, 0.2, 0), parent="lean"),
            Joint(f"{side}_tilt", axis=(1, 0, 0), origin_m=(0, 0.2, 0), parent=f"{side}_pan"),
            Joint(f"{side}_roll", axis=(0, 0, 1), origin_m=(0, 0.2, 0), parent=f"{side}_tilt"),
        ]
        ends[side] = EndPoint(f"{side}_roll", (0.0, 0.2, 0.0))
    return Tree(joints, ends)


def _chains() -> None:
    chain = _chain()
    angles = np.full(chain.dof, 0.1)
    chain.pose(angles)
    chain.pose_and_jacobian(angles)
    chain.joint_positions_m(angles)


def _trees() -> None:
    tree = _tree()
    angles = np.full(tree.dof, 0.1)
    tree.forward(angles)
    tree.pose(angles, "left")
    tree.pose_and_jacobian(angles, "left")
    tree.centre_of_mass(angles)
    tree.centre_of_mass_jacobian(angles)


def _inverse() -> None:
    chain = Chain.from_axes("YXXYXY", limit_rad=math.pi)
    pose = chain.pose(np.full(chain.dof, 0.2))
    inverse.solve_pose(chain, pose)
    inverse.solve_pose(chain, pose, np.zeros(chain.dof))
    inverse.solve_position(chain, pose.position_m)
    inverse.solve_orientation(chain, pose.orientation_wxyz)
    places, turns = pose.position_m[np.newaxis], pose.orientation_wxyz[np.newaxis]
    inverse.solve_pose_batch(chain, places, turns)
    inverse.solve_pose_batch(chain, places, turns, np.zeros((1, chain.dof)))


def _erik_optimal() -> None:
    chain = _chain()
    solver = Solver(chain, symmetric_endpoint=True)
    posture = np.full(chain.dof, 0.3)
    first = solver.solve(posture, _TURNED_WXYZ)
    solver.solve(posture, _TURNED_WXYZ, previous=first)
    solver.solve(posture, _TURNED_WXYZ, previous=posture)
    solver.solve_batch(posture[np.newaxis], np.array([_TURNED_WXYZ]))
    turned = Chain(chain.joints, (0.0, 0.2, 0.0), _TURNED_WXYZ)
    Solver(turned).solve(posture, _TURNED_WXYZ)


def _erik_published() -> None:
    chain = _chain()
    solver = Solver(chain, symmetric_endpoint=True, method="published")
    posture = np.full(chain.dof, 0.3)
    first = solver.solve(posture, _TURNED_WXYZ)
    solver.solve(posture, _TURNED_WXYZ, previous=first)
    solver.solve_batch(posture[np.newaxis], np.array([_TURNED_WXYZ]))


def _erik_tree() -> None:
    tree = _tree()
    solver = TreeSolver(tree)
    posture = np.full(tree.dof, 0.1)
    targets = dict.fromkeys(tree.end_points, (1.0, 0.0, 0.0, 0.0))
    first = solver.solve(posture, targets)
    solver.solve(posture, targets, previous=first)


def _floor() -> None:
    chain = _chain()
    model = model_of_chain(chain, 2.0)
    posture, errors = np.full((1, chain.dof), 0.3), np.empty(1)
    search_rows(
        model.axes, model.lower_rad, model.upper_rad, model.bends, model.weights,
        model.segments[-1].copy(), True, posture, np.array([_TURNED_WXYZ]),
        np.full((1, chain.dof), 0.5), 0, 1, np.empty_like(posture), errors,
    )  # fmt: skip


def _baselines() -> None:
    chain = _chain()
    posture = np.full(chain.dof, 0.3)
    PriorityDls(chain, max_iterations=2).solve(posture, _TURNED_WXYZ)
    aim_ccd(chain, _TURNED_WXYZ)
    points_m = chain.joint_positions_m(posture)
    reach_ccd(chain, points_m[-1])
    fabrik(points_m, (1.0, 2.0, 1.0))
    fabrik(points_m, (9.0, 9.0, 9.0))


def _trajectories() -> None:
    trajectory = MinimumJerk([0.0, 0.0], [1.0, 2.0], duration_s=1.0)
    trajectory.at(0.5)
    trajectory.peaks()


def _contacts() -> None:
    """Arms in each other's way, over a ground that they reach."""
    tree, radii_m = _tree(), np.full(2, 0.15)
    row = np.array([[0.0, 0.0, 0.0], [0.0, 0.2, 0.0]])
    flat = np.array([[0.1, 0.0, 0.1], [-0.1, 0.0, 0.1], [0.1, 0.0, -0.1], [-0.1, 0.0, -0.1]])
    hulls = [
        Hull("left_roll", row, radii_m),
        Hull("right_roll", row, radii_m),
        Hull("trunk", flat, np.full(4, 0.02)),
    ]
    still, ends = np.zeros(tree.dof), (np.full(tree.dof, -3.0), np.full(tree.dof, 3.0))
    model = ContactModel(tree, hulls, still, ends, ground_m=0.4)
    steering = Steering(model, np.array(ends), (Held("left", (0.0, 1.0, 0.0)), Held("right", None)))
    bent = np.full(tree.dof, 1.2)
    look = model.look()
    look.at(bent)
    look.on_way(still, bent)
    for _ in range(3):
        steering.step(bent, np.full(tree.dof, 0.5), np.ones(2))
