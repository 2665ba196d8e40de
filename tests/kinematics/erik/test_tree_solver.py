"""Head and two arms on one trunk: each end point faces its own way, the posture is held."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sera.kinematics.erik import Solver, TreeSolver
from sera.kinematics.joints import Joint
from sera.kinematics.rotations import from_axis_angle, multiply, slerp
from sera.kinematics.tree import EndPoint, Tree

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def joint(name, axis, parent, origin_m, limit_rad):
    return Joint(
        name, axis=axis, parent=parent, origin_m=origin_m, lower=-limit_rad, upper=limit_rad
    )


def person() -> Tree:
    joints = [
        joint("waist_yaw", Y, None, (0, 0.8, 0), 1.5),
        joint("waist_pitch", X, "waist_yaw", (0, 0.1, 0), 0.7),
        joint("waist_roll", Z, "waist_pitch", (0, 0, 0), 0.4),
        joint("neck_yaw", Y, "waist_roll", (0, 0.5, 0), 1.2),
        joint("neck_pitch", X, "neck_yaw", (0, 0.05, 0), 0.6),
    ]
    ends = {"head": EndPoint("neck_pitch", (0, 0.2, 0))}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joints += [
            joint(f"{side}_shoulder", X, "waist_roll", (0.2 * sign, 0.45, 0), 2.0),
            joint(f"{side}_swing", Z, f"{side}_shoulder", (0, 0, 0), 1.5),
            joint(f"{side}_upper_twist", Y, f"{side}_swing", (0, -0.25, 0), 2.0),
            joint(f"{side}_elbow", X, f"{side}_upper_twist", (0, 0, 0), 1.5),
            joint(f"{side}_lower_twist", Y, f"{side}_elbow", (0, -0.2, 0), 1.8),
        ]
        ends[f"{side}_hand"] = EndPoint(f"{side}_lower_twist", (0, -0.1, 0))
    return Tree(joints, ends, name="person")


TREE = person()


def reachable_targets(generator: np.random.Generator) -> dict[str, np.ndarray]:
    pose = generator.uniform(0.9 * TREE.lower_rad, 0.9 * TREE.upper_rad)
    return {name: TREE.pose(pose, name).orientation_wxyz for name in TREE.end_points}


def test_the_pose_of_the_posture_itself_costs_nothing_and_is_returned():
    posture = np.linspace(-0.3, 0.35, TREE.dof)
    targets = {name: TREE.pose(posture, name).orientation_wxyz for name in TREE.end_points}
    found = TreeSolver(TREE).solve(posture, targets)
    assert found.error < 1e-6
    np.testing.assert_allclose(found.angles_rad, posture, atol=1e-5)


def test_all_end_points_face_their_targets_within_the_limits():
    solver = TreeSolver(TREE)
    generator = np.random.default_rng(4)
    errors = []
    for _ in range(12):
        posture = generator.uniform(0.6 * TREE.lower_rad, 0.6 * TREE.upper_rad)
        found = solver.solve(posture, reachable_targets(generator))
        assert TREE.within_limits(found.angles_rad)
        assert set(found.end_points) == {"head", "left_hand", "right_hand"}
        assert max(end.orientation_error for end in found.end_points.values()) < 0.02
        errors.append(found.error)
    assert np.mean(errors) < 0.02


def test_the_errors_are_those_of_the_single_chains():
    generator = np.random.default_rng(9)
    posture = generator.uniform(0.6 * TREE.lower_rad, 0.6 * TREE.upper_rad)
    targets = reachable_targets(generator)
    found = TreeSolver(TREE, weights={"head": 2.0}).solve(posture, targets)
    shares = {"head": 0.5, "left_hand": 0.25, "right_hand": 0.25}
    assert found.error == pytest.approx(
        sum(shares[name] * end.error for name, end in found.end_points.items())
    )
    head = TREE.chain("head")
    alone = Solver(head).solve(
        [posture[TREE.index(name)] for name in head.joint_names], targets["head"]
    )
    # One end point alone can only do better than the three together.
    assert alone.error <= found.end_points["head"].error + 1e-4


def test_the_search_over_the_trunk_is_near_the_best_that_many_random_trunks_give():
    generator = np.random.default_rng(21)
    solver = TreeSolver(TREE)
    for _ in range(3):
        posture = generator.uniform(0.6 * TREE.lower_rad, 0.6 * TREE.upper_rad)
        targets = reachable_targets(generator)
        found = solver.solve(posture, targets)
        best = min(
            solver.solve(posture, targets, start).error
            for start in generator.uniform(TREE.lower_rad, TREE.upper_rad, (30, TREE.dof))
        )
        assert found.error <= best + 0.004


def test_following_three_moving_targets_moves_no_joint_by_more_than_a_few_degrees():
    generator = np.random.default_rng(8)
    posture = generator.uniform(0.4 * TREE.lower_rad, 0.4 * TREE.upper_rad)
    begin, end = reachable_targets(generator), reachable_targets(generator)
    solver = TreeSolver(TREE)
    previous, steps, switches = None, [], 0
    count = 150
    for k in range(count):
        targets = {name: slerp(begin[name], end[name], k / (count - 1)) for name in begin}
        found = solver.solve(posture, targets, previous)
        assert TREE.within_limits(found.angles_rad)
        if previous is not None and not found.switched:
            steps.append(np.abs(found.angles_rad - previous.angles_rad).max())
        switches += found.switched
        previous = found
    assert math.degrees(max(steps)) < 6.0
    assert switches <= 6


def test_fewer_end_points_leave_the_other_joints_as_the_posture_has_them():
    posture = np.full(TREE.dof, 0.2)
    target = multiply(from_axis_angle(Y, 0.5), from_axis_angle(X, 0.4))
    found = TreeSolver(TREE, ["head"]).solve(posture, {"head": target})
    left = [TREE.index(name) for name in TREE.joint_names if name.startswith(("left", "right"))]
    np.testing.assert_array_equal(found.angles_rad[left], 0.2)
    assert found.end_points["head"].orientation_error < 1e-3


def test_an_end_point_on_the_trunk_itself_is_aimed_too():
    tree = Tree(
        person().joints,
        {"chest": EndPoint("waist_roll", (0, 0.4, 0)), "head": EndPoint("neck_pitch")},
        name="person",
    )
    target = from_axis_angle(Y, 0.6)
    found = TreeSolver(tree).solve(np.zeros(tree.dof), {"chest": target, "head": target})
    assert found.end_points["chest"].orientation_error < 0.01
    assert found.error < 0.02


def test_bad_input_names_the_end_point():
    solver = TreeSolver(TREE)
    straight = dict.fromkeys(TREE.end_points, (1, 0, 0, 0))
    with pytest.raises(ValueError, match="No target came in for 'head'"):
        solver.solve(np.zeros(TREE.dof), {k: v for k, v in straight.items() if k != "head"})
    with pytest.raises(ValueError, match="did you mean 'left_hand'"):
        solver.solve(np.zeros(TREE.dof), {**straight, "left_hnd": (1, 0, 0, 0)})
    with pytest.raises(ValueError, match="length 2"):
        solver.solve(np.zeros(TREE.dof), {**straight, "head": (2, 0, 0, 0)})
    with pytest.raises(ValueError, match=r"15 joints .* 3 angles"):
        solver.solve(np.zeros(3), straight)
    with pytest.raises(ValueError, match="symmetric names the end point 'tail'"):
        TreeSolver(TREE, symmetric=["tail"])
    with pytest.raises(ValueError, match="above nought"):
        TreeSolver(TREE, weights={"head": -1.0})
