"""Trees: the same kinematics as chains, several end points, driven joints, centre of mass."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics.joints import Joint, JointKind
from sera.kinematics.tree import EndPoint, Tree

quick = settings(deadline=None, max_examples=40)

seeds = st.integers(0, 2**32 - 1)


def random_tree(rng, driven=True):
    """Joints of all kinds on random parents, in shuffled order, every fifth or so driven."""
    joints = []
    for index in range(rng.integers(2, 16)):
        parent = None if index == 0 or rng.random() < 0.1 else f"j{rng.integers(index)}"
        kind = JointKind.REVOLUTE if index == 0 else list(JointKind)[rng.integers(3)]
        masters = [joint.name for joint in joints if joint.moves]
        mimic = None
        if driven and kind is not JointKind.FIXED and masters and rng.random() < 0.3:
            mimic = masters[rng.integers(len(masters))]
        joints.append(
            Joint(
                f"j{index}",
                kind,
                axis=tuple(rng.normal(size=3)),
                origin_m=tuple(rng.normal(scale=0.4, size=3)),
                origin_wxyz=tuple(rotations.from_rotation_vector(rng.normal(size=3))),
                mass_kg=rng.uniform(0.1, 2.0),
                centre_m=tuple(rng.normal(scale=0.2, size=3)),
                parent=parent,
                mimic=mimic,
                multiplier=rng.normal(),
                shift=rng.normal(),
            )
        )
    rng.shuffle(joints)
    carrier = joints[rng.integers(len(joints))].name
    offset_wxyz = rotations.from_rotation_vector(rng.normal(size=3))
    end = EndPoint(carrier, tuple(rng.normal(size=3)), tuple(offset_wxyz))
    return Tree(joints, {"end": end, "base": EndPoint(None, (0.1, 0.2, 0.3))})


def turn_between(ahead, behind):
    turned = rotations.multiply(ahead, rotations.conjugate(behind))
    return rotations.to_rotation_vector(turned)


@quick
@given(seeds)
def test_the_jacobian_of_an_end_point_agrees_with_central_differences(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    angles = rng.uniform(-2.0, 2.0, tree.dof)
    pose, jacobian = tree.pose_and_jacobian(angles, "end")
    np.testing.assert_array_equal(pose.position_m, tree.pose(angles, "end").position_m)
    step = 1e-6
    for column in range(tree.dof):
        one = np.zeros(tree.dof)
        one[column] = step
        ahead, behind = tree.pose(angles + one, "end"), tree.pose(angles - one, "end")
        linear = (ahead.position_m - behind.position_m) / (2 * step)
        angular = turn_between(ahead.orientation_wxyz, behind.orientation_wxyz) / (2 * step)
        np.testing.assert_allclose(
            jacobian[:, column], np.concatenate([linear, angular]), atol=1e-6
        )


@quick
@given(seeds)
def test_the_jacobian_of_the_centre_of_mass_agrees_with_central_differences(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    angles = rng.uniform(-2.0, 2.0, tree.dof)
    steps = np.eye(tree.dof) * 1e-6
    expected = [
        (tree.centre_of_mass(angles + one) - tree.centre_of_mass(angles - one)) / 2e-6
        for one in steps
    ]
    np.testing.assert_allclose(
        tree.centre_of_mass_jacobian(angles), np.array(expected).T, atol=1e-6
    )


@quick
@given(seeds)
def test_the_centre_of_mass_is_the_weighted_mean_of_the_links_centres(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    angles = rng.uniform(-2.0, 2.0, tree.dof)
    frames = tree.forward(angles)
    assert tree.frame_names == tuple(joint.name for joint in tree.joints)
    centres = frames.positions_m + rotations.rotate(
        frames.orientations_wxyz, np.array([joint.centre_m for joint in tree.joints])
    )
    masses = np.array([joint.mass_kg for joint in tree.joints])
    np.testing.assert_allclose(
        tree.centre_of_mass(angles), masses @ centres / masses.sum(), atol=1e-12
    )
    assert math.isclose(tree.mass_kg, masses.sum())


@quick
@given(seeds)
def test_a_chain_taken_out_of_a_tree_moves_as_the_tree_does(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, driven=False)
    end = next(name for name in tree.joint_names)
    chain = tree.chain(end)
    angles = rng.uniform(-2.0, 2.0, tree.dof)
    columns = [tree.index(name) for name in chain.joint_names]
    pose, jacobian = tree.pose_and_jacobian(angles, end)
    alone, alone_jacobian = chain.pose_and_jacobian(angles[columns])
    np.testing.assert_allclose(alone.position_m, pose.position_m, atol=1e-12)
    assert abs(alone.orientation_wxyz @ pose.orientation_wxyz) > 1.0 - 1e-12
    np.testing.assert_allclose(alone_jacobian, jacobian[:, columns], atol=1e-12)
    others = [column for column in range(tree.dof) if column not in columns]
    assert not jacobian[:, others].any()


def test_the_base_as_an_end_point_never_moves():
    tree = random_tree(np.random.default_rng(3))
    pose, jacobian = tree.pose_and_jacobian(np.ones(tree.dof), "base")
    np.testing.assert_array_equal(pose.position_m, [0.1, 0.2, 0.3])
    assert not jacobian.any()


@pytest.fixture
def humanoid():
    """A trunk with a head and a left hand whose two fingers close together."""
    return Tree(
        [
            Joint("finger_2", parent="wrist", mimic="finger_1", multiplier=-1.0, shift=0.1),
            Joint("finger_1", "prismatic", parent="wrist", axis=(1, 0, 0), lower=0, upper=0.05),
            Joint("wrist", parent="trunk", axis=(1, 0, 0), origin_m=(0.2, 0.4, 0.0)),
            Joint("trunk", mass_kg=5.0),
            Joint("neck", parent="trunk", axis=(1, 0, 0), origin_m=(0, 0.5, 0), mass_kg=1.0),
            Joint("eyes", "fixed", parent="neck", origin_m=(0.0, 0.1, 0.05)),
        ],
        name="humanoid",
    )


def test_joints_are_sorted_parents_first_and_only_free_ones_have_angles(humanoid):
    assert humanoid.frame_names == ("trunk", "wrist", "finger_2", "finger_1", "neck", "eyes")
    assert humanoid.joint_names == ("trunk", "wrist", "finger_1", "neck")
    np.testing.assert_array_equal(humanoid.upper_rad, [math.pi, math.pi, 0.05, math.pi])


def test_without_any_given_the_leaves_are_the_end_points(humanoid):
    assert list(humanoid.end_points) == ["finger_2", "finger_1", "eyes"]


def test_a_driven_joint_follows_its_master(humanoid):
    angles = humanoid.angles_of({"finger_1": 0.03})
    turned = humanoid.pose(angles, "finger_2").orientation_wxyz
    np.testing.assert_allclose(
        rotations.to_rotation_vector(turned), [0.0, 0.1 - 0.03, 0.0], atol=1e-12
    )
    with pytest.raises(ValueError, match="no angle of its own: it follows 'finger_1'"):
        humanoid.angles_of({"finger_2": 1.0})
    with pytest.raises(ValueError, match="is fixed and has no angle"):
        humanoid.angles_of({"eyes": 1.0})
    with pytest.raises(ValueError, match="a chain's joints are free of each other"):
        humanoid.chain("finger_2")


def test_a_continuous_joint_that_drives_another_is_held_and_not_wrapped():
    tree = Tree(
        [
            Joint("wheel", continuous=True),
            Joint("gear", parent="wheel", mimic="wheel", multiplier=0.5),
        ]
    )
    assert not tree.continuous.any()
    np.testing.assert_array_equal(tree.clamp([4.0]), [math.pi])


def test_any_joint_can_be_asked_for_and_a_slip_of_the_pen_is_named(humanoid):
    angles = np.zeros(humanoid.dof)
    np.testing.assert_allclose(humanoid.pose(angles, "neck").position_m, [0.0, 0.5, 0.0])
    with pytest.raises(ValueError, match="no end point 'eye'; did you mean 'eyes'"):
        humanoid.pose(angles, "eye")
    with pytest.raises(ValueError, match="Say which end point of 'humanoid' is meant"):
        humanoid.jacobian(angles)


def test_the_name_of_a_single_end_point_may_be_left_out():
    tree = Tree([Joint("only")], {"tip": EndPoint("only", (0.0, 1.0, 0.0))})
    np.testing.assert_array_equal(tree.pose([0.0]).position_m, [0.0, 1.0, 0.0])
    assert tree.chain().dof == 1


def test_without_masses_there_is_no_centre_of_mass():
    tree = Tree([Joint("only")], name="ghost")
    with pytest.raises(ValueError, match="No joint of 'ghost' has a mass"):
        tree.centre_of_mass([0.0])


@pytest.mark.parametrize(
    ("joints", "reason"),
    [
        ([Joint("a"), Joint("a")], "two joints called 'a'"),
        (
            [Joint("arm"), Joint("hand", parent="amr")],
            "'amr', which is no joint; did you mean 'arm'",
        ),
        ([Joint("a", parent="b"), Joint("b", parent="a")], "'a', 'b' .* in a ring"),
        ([Joint("a"), Joint("b", mimic="c")], "follows 'c', which is no joint"),
        ([Joint("a", mimic="b"), Joint("b", mimic="a")], "in a ring: a -> b -> a"),
        ([Joint("a", "fixed"), Joint("b", mimic="a")], "'b' .* follows 'a', which is fixed"),
    ],
)
def test_joints_that_are_no_tree_are_refused_with_a_sentence(joints, reason):
    with pytest.raises(ValueError, match=reason):
        Tree(joints)


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (EndPoint("hnad"), "carried by 'hnad', which is no joint; did you mean 'hand'"),
        (EndPoint("hand", (math.nan, 0.0, 0.0)), "end point tip"),
        (EndPoint("hand", (0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0)), "length 3"),
    ],
)
def test_an_end_point_that_makes_no_sense_is_refused(end, reason):
    with pytest.raises(ValueError, match=reason):
        Tree([Joint("hand")], {"tip": end})


def test_wrong_angles_are_refused_everywhere(humanoid):
    for use in (
        humanoid.forward,
        humanoid.centre_of_mass,
        humanoid.centre_of_mass_jacobian,
        lambda angles: humanoid.pose(angles, "eyes"),
        lambda angles: humanoid.jacobian(angles, "eyes"),
        humanoid.clamp,
    ):
        with pytest.raises(ValueError, match="'humanoid' has 4 joints that move"):
            use([0.0])
        with pytest.raises(ValueError, match="joint 'wrist' of 'humanoid' is nan"):
            use([0.0, math.nan, 0.0, 0.0])
