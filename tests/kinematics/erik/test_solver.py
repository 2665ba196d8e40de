"""The solver as users call it: `solve`, `solve_batch`, bad input, any chain."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.chain import Chain
from sera.kinematics.erik import Hyperparameters, Solver
from sera.kinematics.erik._refine import draw_parabolas, make_bench
from sera.kinematics.erik._table import COLUMNS
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.rotations import angle_between, from_axis_angle, from_yaw_pitch_roll, multiply

QUARTER = math.pi / 2
ADELINO = Chain.from_axes("YXXZY", limit_rad=QUARTER)


def random_turns(generator: np.random.Generator, count: int) -> np.ndarray:
    turns = generator.normal(size=(count, 4))
    return turns / np.linalg.norm(turns, axis=1, keepdims=True)


def error_by_hand(chain, angles, posture, target, *, symmetric):
    """The document's error function, straight from its formulas and forward kinematics."""
    end = chain.pose(angles).orientation_wxyz
    turned = multiply(end, from_axis_angle((0, 1, 0), math.pi))
    orientation = min(
        min(np.linalg.norm(target - turn), np.linalg.norm(target + turn)) / math.sqrt(2)
        for turn in ([end, turned] if symmetric else [end])
    )

    def bends(pose):
        points = chain.joint_positions_m(pose)
        ways = [(b - a) / np.linalg.norm(b - a) for a, b in pairwise(points)]
        ways.insert(0, np.array([0.0, 1.0, 0.0]))
        return [(1 - float(a @ b)) / 2 for a, b in pairwise(ways)]

    wrong, norm, power = 0.0, 0.0, 1.0
    for axis, own, asked in zip(chain.zero_axes, bends(angles), bends(posture), strict=True):
        if abs(axis[1]) < 1 - 1e-9:
            wrong += power * abs(own - asked)
            norm += power
            power *= 2.0
    return orientation, wrong / norm, orientation + 0.2 * wrong / norm


def test_a_turn_and_its_negative_are_the_same_goal_to_descend_to():
    generator = np.random.default_rng(3)
    for goal in random_turns(generator, 20):
        table = generator.normal(size=(5, COLUMNS))
        table[:, :3] /= np.linalg.norm(table[:, :3], axis=1, keepdims=True)
        steps = []
        for same in (goal, -goal):
            bench = make_bench(5)
            draw_parabolas(table, tuple(same), 1e-3, bench)
            steps.append(np.append(np.tril(bench.matrix), bench.step))
        assert steps[0] == pytest.approx(steps[1], abs=1e-12)


def test_the_errors_are_those_of_the_documents_formulas():
    generator = np.random.default_rng(7)
    for symmetric in (False, True):
        solver = Solver(ADELINO, symmetric_endpoint=symmetric)
        for target in random_turns(generator, 20):
            posture = generator.uniform(-QUARTER, QUARTER, 5)
            found = solver.solve(posture, target)
            by_hand = error_by_hand(ADELINO, found.angles_rad, posture, target, symmetric=symmetric)
            assert found.orientation_error == pytest.approx(by_hand[0], abs=1e-7)
            assert found.posture_error == pytest.approx(by_hand[1], abs=1e-9)
            assert found.error == pytest.approx(by_hand[2], abs=1e-7)
            assert found.converged == (found.error <= 0.04)
            assert not found.switched


def test_a_posture_that_already_looks_there_is_returned_as_it_is():
    posture = np.array([0.4, 0.5, -0.3, 0.2, -0.6])
    target = ADELINO.pose(posture).orientation_wxyz
    for method in ("optimal", "published"):
        found = Solver(ADELINO, method=method).solve(posture, target)
        assert found.error <= (1e-6 if method == "optimal" else 0.04)
    np.testing.assert_allclose(
        Solver(ADELINO).solve(posture, target).angles_rad, posture, atol=1e-6
    )


def test_straight_up_and_straight_gives_the_zero_pose():
    found = Solver(ADELINO, symmetric_endpoint=True).solve(np.zeros(5), (1, 0, 0, 0))
    np.testing.assert_allclose(found.angles_rad, 0.0, atol=1e-9)


def test_a_batch_gives_the_same_as_single_calls():
    generator = np.random.default_rng(3)
    postures = generator.uniform(-QUARTER, QUARTER, (150, 5))
    targets = random_turns(generator, 150)
    for method in ("optimal", "published"):
        solver = Solver(ADELINO, symmetric_endpoint=True, method=method)
        batch = solver.solve_batch(postures, targets)
        assert len(batch) == 150
        for row in range(0, 150, 29):
            single = solver.solve(postures[row], targets[row])
            np.testing.assert_array_equal(single.angles_rad, batch.angles_rad[row])
            assert single.error == batch.error[row]
            assert single.iterations == batch.iterations[row]
            assert single.converged == batch.converged[row]


def test_one_posture_or_one_target_stands_for_all_rows():
    solver = Solver(ADELINO)
    targets = random_turns(np.random.default_rng(1), 6)
    many = solver.solve_batch([0.0, 0.3, 0.3, 0.0, 0.0], targets)
    assert many.angles_rad.shape == (6, 5)
    one = solver.solve_batch(np.zeros((4, 5)), (1.0, 0.0, 0.0, 0.0))
    assert one.error.shape == (4,)


def test_the_optimal_method_is_better_than_the_published_one_and_far_better_than_the_threshold():
    generator = np.random.default_rng(11)
    postures = generator.uniform(-QUARTER, QUARTER, (400, 5))
    postures[:, [0, 4]] = 0.0
    targets = multiply(
        from_yaw_pitch_roll(*generator.uniform(-math.pi, math.pi, (2, 400)), np.zeros(400)),
        from_axis_angle((0, 1, 0), generator.uniform(-math.pi, math.pi, 400)),
    )
    best = Solver(ADELINO, symmetric_endpoint=True).solve_batch(postures, targets)
    published = Solver(ADELINO, symmetric_endpoint=True, method="published").solve_batch(
        postures, targets
    )
    # The search is quick, not exhaustive: a row in a hundred or so has a slightly better corner.
    assert np.all(best.error <= published.error + 0.01)
    assert np.count_nonzero(best.error > published.error + 1e-3) <= 4
    assert best.error.mean() <= 0.0233
    assert best.orientation_error.mean() <= 0.002
    assert published.error.mean() <= 0.05


@st.composite
def chains(draw):
    count = draw(st.integers(2, 12))
    kind = draw(st.sampled_from(["word", "vectors"]))
    if kind == "word":
        axes = draw(st.text("XYZ", min_size=count, max_size=count))
    else:
        generator = np.random.default_rng(draw(st.integers(0, 2**32)))
        axes = generator.normal(size=(count, 3))
    pairs = [
        (-draw(st.floats(0.05, math.pi)), draw(st.floats(0.05, math.pi))) for _ in range(count)
    ]
    return Chain.from_axes(axes, limit_rad=pairs)


@settings(max_examples=60, deadline=None)
@given(chains(), st.integers(0, 2**32), st.booleans(), st.sampled_from(["optimal", "published"]))
def test_any_chain_gets_a_pose_within_its_limits(chain, seed, symmetric, method):
    generator = np.random.default_rng(seed)
    solver = Solver(chain, symmetric_endpoint=symmetric, method=method)
    posture = generator.uniform(-math.pi, math.pi, chain.dof)  # often beyond the limits
    target = random_turns(generator, 1)[0]
    found = solver.solve(posture, target)
    assert np.all(np.isfinite(found.angles_rad))
    assert np.all(found.angles_rad >= chain.lower_rad)
    assert np.all(found.angles_rad <= chain.upper_rad)
    assert 0.0 <= found.orientation_error <= 1.0
    assert 0.0 <= found.posture_error <= 1.0 + 1e-12
    again = solver.solve(posture, target)
    np.testing.assert_array_equal(found.angles_rad, again.angles_rad)


@settings(max_examples=40, deadline=None)
@given(chains(), st.integers(0, 2**32))
def test_an_orientation_that_some_pose_has_costs_at_most_that_poses_posture_error(chain, seed):
    generator = np.random.default_rng(seed)
    pose = generator.uniform(chain.lower_rad, chain.upper_rad)
    target = chain.pose(pose).orientation_wxyz
    found = Solver(chain).solve(pose, target)
    assert found.error <= 1e-4


def test_lengths_and_axes_that_meet_in_one_point_change_nothing():
    word = "YXZXY"
    posture = [0.1, 0.5, -0.4, 0.8, 0.0]
    target = from_yaw_pitch_roll(0.7, 1.1, 0.0)
    plain = Solver(Chain.from_axes(word)).solve(posture, target)
    meeting = Solver(Chain.from_axes(word, lengths_m=[0.0, 0.0, 0.3, 0.0, 0.1])).solve(
        posture, target
    )
    np.testing.assert_allclose(meeting.angles_rad, plain.angles_rad, atol=1e-9)


def test_a_turned_tip_turns_the_target_with_it():
    tip = from_axis_angle((1, 2, 3), 0.8)
    joints = Chain.from_axes("YXXZY").joints
    turned = Chain(joints, tip_m=(0, 1, 0), tip_wxyz=tip)
    target = from_yaw_pitch_roll(0.3, 0.9, 0.2)
    posture = [0.0, 0.4, 0.4, -0.2, 0.0]
    plain = Solver(ADELINO).solve(posture, target)
    same = Solver(turned).solve(posture, multiply(target, tip))
    np.testing.assert_allclose(same.angles_rad, plain.angles_rad, atol=1e-7)
    reached = turned.pose(same.angles_rad).orientation_wxyz
    assert angle_between(reached, multiply(target, tip)) < 1e-6


def test_a_prismatic_joint_stays_where_the_posture_has_it_within_its_limits():
    joints = list(Chain.from_axes("YXXZY", limit_rad=QUARTER).joints)
    lift = Joint(
        "lift", JointKind.PRISMATIC, axis=(0, 1, 0), origin_m=(0, 1, 0), lower=0.0, upper=0.2
    )
    chain = Chain([*joints[:2], lift, *joints[2:]], tip_m=(0, 1, 0))
    target = from_yaw_pitch_roll(0.5, 1.2, 0.0)
    found = Solver(chain).solve([0, 0.5, 0.9, 0.3, 0.1, 0], target)
    assert found.angles_rad[2] == 0.2
    plain = Solver(ADELINO).solve([0, 0.5, 0.3, 0.1, 0], target)
    np.testing.assert_allclose(np.delete(found.angles_rad, 2), plain.angles_rad, atol=1e-9)
    assert Solver(chain).solve_batch(np.zeros((3, 6)), target).angles_rad.shape == (3, 6)


def test_a_heavy_posture_is_held_and_the_orientation_given_up():
    posture = np.array([0.0, 0.6, 0.6, 0.3, 0.0])
    target = from_yaw_pitch_roll(0.0, math.pi, 0.0)
    light = Solver(ADELINO).solve(posture, target)
    heavy = Solver(
        ADELINO, hyperparameters=Hyperparameters(orientation_weight=0.01, posture_weight=1.0)
    ).solve(posture, target)
    assert heavy.posture_error < 1e-6 < light.posture_error
    assert heavy.orientation_error > light.orientation_error


@pytest.mark.parametrize(
    ("posture", "target", "sentence"),
    [
        ([0, 0, 0], (1, 0, 0, 0), "5 joints that move .* 3 angles"),
        ([0, math.nan, 0, 0, 0], (1, 0, 0, 0), "'joint_2' .* is nan"),
        (["a"] * 5, (1, 0, 0, 0), "must be numbers"),
        (np.zeros(5), (1, 1, 0, 0), r"length 1\.41421; .* divide it by its length"),
        (np.zeros(5), (0, 0, 0, 0), "length 0"),
        (np.zeros(5), (math.nan, 0, 0, 0), "nan"),
        (np.zeros(5), (1, 0, 0), "target orientation"),
        (np.zeros(5), np.ones((3, 4)) / 2, "solve_batch"),
        (np.zeros(5), "north", "target orientation"),
    ],
)
def test_bad_input_gets_a_clear_sentence(posture, target, sentence):
    with pytest.raises(ValueError, match=sentence):
        Solver(ADELINO).solve(posture, target)


def test_bad_rows_are_named():
    solver = Solver(ADELINO)
    rows = np.zeros((4, 5))
    rows[2, 3] = math.inf
    with pytest.raises(ValueError, match=r"Posture 2 .* 'joint_4'"):
        solver.solve_batch(rows, (1, 0, 0, 0))
    with pytest.raises(ValueError, match=r"\(rows, 5\)"):
        solver.solve_batch(np.zeros((4, 3)), (1, 0, 0, 0))
    with pytest.raises(ValueError, match="4 postures and 3 targets"):
        solver.solve_batch(np.zeros((4, 5)), np.tile([1.0, 0, 0, 0], (3, 1)))


def test_an_unknown_method_names_the_known_ones():
    with pytest.raises(ValueError, match="optimal or published"):
        Solver(ADELINO, method="best")


def test_a_chain_that_cannot_turn_is_refused():
    lift = Joint("lift", JointKind.PRISMATIC, axis=(0, 1, 0), lower=0.0, upper=1.0)
    with pytest.raises(ValueError, match="no joint that turns"):
        Solver(Chain([lift]))
