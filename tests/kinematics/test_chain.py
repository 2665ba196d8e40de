"""Chains: forward kinematics against a plain product of matrices, Jacobians against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics._chain_kernels import chain_jacobian, chain_pose
from sera.kinematics.chain import Chain
from sera.kinematics.joints import Joint, JointKind

quick = settings(deadline=None, max_examples=40)

seeds = st.integers(0, 2**32 - 1)


def random_joint(rng, index, kinds=tuple(JointKind)):
    return Joint(
        f"joint_{index}",
        kinds[rng.integers(len(kinds))],
        axis=tuple(rng.normal(size=3)),
        origin_m=tuple(rng.normal(scale=0.4, size=3)),
        origin_wxyz=tuple(rotations.from_rotation_vector(rng.normal(size=3))),
        mass_kg=rng.uniform(0.0, 2.0),
        centre_m=tuple(rng.normal(scale=0.2, size=3)),
    )


def random_chain(rng):
    joints = [random_joint(rng, index) for index in range(rng.integers(1, 12))]
    joints.append(random_joint(rng, "last", (JointKind.REVOLUTE, JointKind.PRISMATIC)))
    tip_wxyz = rotations.from_rotation_vector(rng.normal(size=3))
    return Chain(joints, rng.normal(size=3), tip_wxyz)


def transform(position, wxyz):
    matrix = np.eye(4)
    matrix[:3, :3] = rotations.to_matrix(wxyz)
    matrix[:3, 3] = position
    return matrix


def pose_by_matrices(chain, angles, tip_m, tip_wxyz):
    """The same pose by multiplying 4 x 4 matrices from joint to joint."""
    at = np.eye(4)
    angles = iter(angles)
    for joint in chain.joints:
        at = at @ transform(joint.origin_m, joint.origin_wxyz)
        if joint.kind is JointKind.REVOLUTE:
            at = at @ transform(np.zeros(3), rotations.from_axis_angle(joint.axis, next(angles)))
        elif joint.kind is JointKind.PRISMATIC:
            at = at @ transform(np.array(joint.axis) * next(angles), (1.0, 0.0, 0.0, 0.0))
    return at @ transform(tip_m, tip_wxyz)


def jacobian_by_differences(pose_of, angles, step=1e-6):
    columns = []
    for one in np.eye(len(angles)) * step:
        ahead, behind = pose_of(angles + one), pose_of(angles - one)
        linear = (ahead.position_m - behind.position_m) / (2.0 * step)
        turned = rotations.multiply(
            ahead.orientation_wxyz, rotations.conjugate(behind.orientation_wxyz)
        )
        columns.append(np.concatenate([linear, rotations.to_rotation_vector(turned) / (2 * step)]))
    return np.array(columns).T


@quick
@given(seeds)
def test_a_pose_is_the_product_of_all_transforms_on_the_way(seed):
    rng = np.random.default_rng(seed)
    joints = [random_joint(rng, index) for index in range(rng.integers(1, 10))]
    joints.append(random_joint(rng, "last", (JointKind.REVOLUTE,)))
    tip_m, tip_wxyz = rng.normal(size=3), rotations.from_rotation_vector(rng.normal(size=3))
    chain = Chain(joints, tip_m, tip_wxyz)
    angles = rng.uniform(-3.0, 3.0, chain.dof)
    expected = pose_by_matrices(chain, angles, tip_m, tip_wxyz)
    pose = chain.pose(angles)
    np.testing.assert_allclose(pose.position_m, expected[:3, 3], atol=1e-12)
    np.testing.assert_allclose(
        rotations.to_matrix(pose.orientation_wxyz), expected[:3, :3], atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.norm(pose.orientation_wxyz), 1.0, atol=1e-12)


@quick
@given(seeds)
def test_a_jacobian_agrees_with_central_differences(seed):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    angles = rng.uniform(-2.0, 2.0, chain.dof)
    np.testing.assert_allclose(
        chain.jacobian(angles), jacobian_by_differences(chain.pose, angles), atol=1e-6
    )


@quick
@given(seeds)
def test_pose_jacobian_and_joint_places_tell_the_same_story(seed):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    angles = rng.uniform(-2.0, 2.0, chain.dof)
    pose, jacobian = chain.pose_and_jacobian(angles)
    np.testing.assert_array_equal(jacobian, chain.jacobian(angles))
    np.testing.assert_allclose(pose.position_m, chain.pose(angles).position_m, atol=1e-12)
    places = chain.joint_positions_m(angles)
    assert places.shape == (chain.dof + 1, 3)
    np.testing.assert_allclose(places[-1], pose.position_m, atol=1e-12)
    for column, place in enumerate(places[:-1]):
        if jacobian[3:, column].any():  # a revolute joint: velocity = axis x arm
            arm = pose.position_m - place
            np.testing.assert_allclose(
                jacobian[:3, column], np.cross(jacobian[3:, column], arm), atol=1e-12
            )


@quick
@given(seeds)
def test_the_zero_pose_arrays_rebuild_the_zero_pose(seed):
    chain = random_chain(np.random.default_rng(seed))
    zero = chain.pose(np.zeros(chain.dof))
    np.testing.assert_allclose(
        chain.root_m + chain.zero_segments_m.sum(axis=0), zero.position_m, atol=1e-12
    )
    np.testing.assert_allclose(chain.zero_tip_wxyz, zero.orientation_wxyz, atol=1e-15)
    assert chain.zero_tip_wxyz[0] >= 0.0
    np.testing.assert_allclose(np.linalg.norm(chain.zero_axes, axis=1), 1.0, atol=1e-12)


@quick
@given(seeds)
def test_a_chain_is_a_tree_with_one_end_point_and_has_its_centre_of_mass(seed):
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    angles = rng.uniform(-2.0, 2.0, chain.dof)
    pose, jacobian = chain.tree.pose_and_jacobian(angles)
    np.testing.assert_allclose(pose.position_m, chain.pose(angles).position_m, atol=1e-12)
    np.testing.assert_allclose(jacobian, chain.jacobian(angles), atol=1e-12)
    np.testing.assert_array_equal(chain.centre_of_mass(angles), chain.tree.centre_of_mass(angles))
    steps = np.eye(chain.dof) * 1e-6
    expected = [
        (chain.centre_of_mass(angles + one) - chain.centre_of_mass(angles - one)) / 2e-6
        for one in steps
    ]
    np.testing.assert_allclose(
        chain.centre_of_mass_jacobian(angles), np.array(expected).T, atol=1e-6
    )


def test_an_axes_word_gives_unit_segments_along_y_and_equal_limits():
    chain = Chain.from_axes("YXXZY", limit_rad=math.pi / 2)
    assert chain.dof == 5
    np.testing.assert_array_equal(
        chain.zero_axes, [[0, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    )
    np.testing.assert_array_equal(chain.zero_segments_m, np.tile([0.0, 1.0, 0.0], (5, 1)))
    np.testing.assert_array_equal(chain.lower_rad, np.full(5, -math.pi / 2))
    np.testing.assert_array_equal(chain.upper_rad, np.full(5, math.pi / 2))
    pose = chain.pose(np.zeros(5))
    np.testing.assert_array_equal(pose.position_m, [0.0, 5.0, 0.0])
    np.testing.assert_array_equal(pose.orientation_wxyz, [1.0, 0.0, 0.0, 0.0])


def test_axes_lengths_limits_and_names_can_be_given_one_by_one():
    chain = Chain.from_axes(
        [(0, 2, 0), (1, 1, 0)],
        limit_rad=[(-1.0, 2.0), (0.0, 0.5)],
        lengths_m=[0.1, 0.3],
        names=["base", "nod"],
    )
    np.testing.assert_allclose(chain.zero_axes[1], [math.sqrt(0.5), math.sqrt(0.5), 0.0])
    np.testing.assert_array_equal(chain.upper_rad, [2.0, 0.5])
    np.testing.assert_allclose(chain.pose([0.0, 0.0]).position_m, [0.0, 0.4, 0.0])
    assert chain.joint_names == ("base", "nod")
    np.testing.assert_array_equal(
        Chain.from_axes("XY", limit_rad=None).upper_rad, [math.pi, math.pi]
    )


def test_a_pitch_bends_forward_where_the_document_says_it_does():
    chain = Chain.from_axes("YX")
    np.testing.assert_allclose(
        chain.pose([0.0, math.pi / 2]).position_m, [0.0, 1.0, 1.0], atol=1e-15
    )


@quick
@given(seeds)
def test_clamped_angles_are_within_limits_and_those_within_stay(seed):
    rng = np.random.default_rng(seed)
    limits = np.sort(rng.uniform(-3.0, 3.0, (6, 2)), axis=1)
    chain = Chain.from_axes("YXZYXZ", limit_rad=[tuple(pair) for pair in limits])
    angles = rng.uniform(-9.0, 9.0, 6)
    clamped = chain.clamp(angles)
    assert chain.within_limits(clamped)
    np.testing.assert_array_equal(clamped, np.clip(angles, limits[:, 0], limits[:, 1]))
    inside = rng.uniform(limits[:, 0], limits[:, 1])
    np.testing.assert_array_equal(chain.clamp(inside), inside)


@quick
@given(st.floats(-1e6, 1e6))
def test_a_continuous_joint_is_wrapped_and_points_the_same_way(angle):
    chain = Chain([Joint("wheel", continuous=True)], tip_m=(1.0, 0.0, 0.0))
    wrapped = chain.clamp([angle])
    assert -math.pi <= wrapped[0] <= math.pi
    assert chain.within_limits([angle])
    np.testing.assert_allclose(
        chain.pose(wrapped).position_m, chain.pose([angle]).position_m, atol=1e-8
    )


def test_angles_travel_by_name_and_the_rest_stays_neutral():
    chain = Chain.from_axes("YX", limit_rad=[(-1, 1), (0.2, 1)], names=["turn", "nod"])
    np.testing.assert_array_equal(chain.neutral, [0.0, 0.2])
    np.testing.assert_array_equal(chain.angles_of({"turn": 0.5}), [0.5, 0.2])
    np.testing.assert_array_equal(chain.angles_of({"nod": 0.5}, start=[0.1, 0.9]), [0.1, 0.5])
    assert chain.by_name([0.1, 0.3]) == {"turn": 0.1, "nod": 0.3}
    with pytest.raises(ValueError, match="no joint 'trun'; did you mean 'turn'"):
        chain.angles_of({"trun": 1.0})


@pytest.mark.parametrize(
    ("angles", "reason"),
    [
        ([0.0, 0.0], r"'YXZ' has 3 joints that move .*, but 2 angles came in"),
        (np.zeros((3, 1)), r"an array of shape \(3, 1\)"),
        ([0.0, math.nan, 0.0], "angle of joint 'joint_2' of 'YXZ' is nan"),
        ([0.0, 0.0, math.inf], "angle of joint 'joint_3' of 'YXZ' is inf"),
        (["a", "b", "c"], "must be numbers"),
        (None, "'YXZ'"),
    ],
)
def test_wrong_angles_are_refused_with_a_sentence(angles, reason):
    chain = Chain.from_axes("YXZ")
    for use in (chain.pose, chain.jacobian, chain.joint_positions_m, chain.clamp):
        with pytest.raises(ValueError, match=reason):
            use(angles)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: Chain.from_axes(""), "at least one axis"),
        (lambda: Chain.from_axes("YXW"), "Axis 3 of 'YXW' is 'W'"),
        (lambda: Chain.from_axes("YX", limit_rad=0.0), "above nought"),
        (lambda: Chain.from_axes("YX", limit_rad=math.nan), "above nought"),
        (lambda: Chain.from_axes("YX", limit_rad=[(0, 1)]), "1 limits came in for 2 joints"),
        (lambda: Chain.from_axes("YX", limit_rad=[1.0, 2.0]), "pair"),
        (lambda: Chain.from_axes("YX", limit_rad=[(1, 0), (0, 1)]), "swap them"),
        (lambda: Chain.from_axes("YX", lengths_m=[1.0]), "1 lengths came in for 2 joints"),
        (lambda: Chain.from_axes("YX", lengths_m=-1.0), "0 or more"),
        (lambda: Chain.from_axes("YX", names=["one"]), "1 names came in for 2 axes"),
        (lambda: Chain.from_axes("YX", names=["one", "one"]), "two joints called 'one'"),
        (lambda: Chain([Joint("still", "fixed")]), "no joint that moves"),
        (lambda: Chain([]), "no joint that moves"),
        (lambda: Chain([Joint("a"), Joint("b", parent="c")]), "before it in the row is 'a'"),
        (lambda: Chain([Joint("a"), Joint("b", mimic="a")]), "'b' .* follows 'a'"),
        (lambda: Chain([Joint("a")], tip_wxyz=(2.0, 0.0, 0.0, 0.0)), "length 2"),
    ],
)
def test_a_chain_that_makes_no_sense_is_refused_with_a_sentence(make, reason):
    with pytest.raises(ValueError, match=reason):
        make()


def test_what_a_chain_hands_out_cannot_change_it():
    chain = Chain.from_axes("YX")
    for handed in (chain.lower_rad, chain.zero_axes, chain.zero_segments_m, chain.zero_tip_wxyz):
        handed[...] = 7.0
    assert chain.lower_rad[0] == -math.pi / 2
    np.testing.assert_array_equal(chain.pose([0.0, 0.0]).position_m, [0.0, 2.0, 0.0])


def test_kernels_take_a_chains_arrays_and_fill_arrays_of_the_caller():
    chain = Chain.from_axes("YXXZY")
    angles = np.array([0.1, -0.4, 0.3, 0.8, -0.2])
    position, orientation, jacobian = np.empty(3), np.empty(4), np.empty((6, 5))
    chain_pose(*chain.kernel_arrays, angles, position, orientation)
    np.testing.assert_array_equal(position, chain.pose(angles).position_m)
    chain_jacobian(*chain.kernel_arrays, angles, position, orientation, jacobian)
    np.testing.assert_array_equal(jacobian, chain.jacobian(angles))


def test_a_read_only_array_and_a_list_give_the_same_pose():
    chain = Chain.from_axes("YXX")
    frozen = np.array([0.1, 0.2, 0.3])
    frozen.flags.writeable = False
    np.testing.assert_array_equal(
        chain.pose(frozen).position_m, chain.pose([0.1, 0.2, 0.3]).position_m
    )
