"""Trees and chains from URDF texts, judged by pinocchio: poses, Jacobians, centre of mass."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics.chain import Chain
from sera.kinematics.tree import Tree

# Our axes from those of a URDF: x, y, z become y, z, x.
OURS = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


def link(name, mass=0.0, centre="0 0 0", rpy="0 0 0"):
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    inertial = (
        f'<inertial><mass value="{mass}"/><origin xyz="{centre}" rpy="{rpy}"/>{inertia}</inertial>'
    )
    return f'<link name="{name}">{inertial if mass else ""}</link>'


def joint(name, kind, parent, child, origin="0 0 0", rpy="0 0 0", axis=None):  # noqa: PLR0917
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{origin}" rpy="{rpy}"/>'
    turning = f'<axis xyz="{axis}"/>' if axis else ""
    limit = '<limit lower="-1.2" upper="1.7" velocity="3" effort="9"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{turning}{limit}</joint>'


def arm(side, sign):
    """Shoulder, elbow, a telescope, a wrist that turns without end, and a gripper of two jaws."""
    return [
        joint(
            f"{side}_shoulder",
            "revolute",
            "chest",
            f"{side}_upper",
            f"0.02 {sign * 0.2} 0.1",
            f"{sign * 0.4} 0 0.1",
            "0.3 1 -0.2",
        ),
        link(f"{side}_upper", 1.3, f"0.1 {sign * 0.01} 0", "0.4 0.2 -0.9"),
        joint(f"{side}_elbow", "revolute", f"{side}_upper", f"{side}_fore", "0.3 0 0", "0 0.7 0"),
        link(f"{side}_fore", 0.8, "0.1 0 -0.02"),
        joint(
            f"{side}_reach",
            "prismatic",
            f"{side}_fore",
            f"{side}_rod",
            "0.2 0 0",
            "0 0 0.3",
            "1 0.1 0",
        ),
        link(f"{side}_rod", 0.2, "0.05 0 0"),
        joint(f"{side}_plate", "fixed", f"{side}_rod", f"{side}_flange", "0.1 0 0", "1.57 0 0"),
        link(f"{side}_flange", 0.1, "0 0.01 0.02", "1 1 1"),
        joint(
            f"{side}_wrist",
            "continuous",
            f"{side}_flange",
            f"{side}_hand",
            "0.02 0 0.01",
            "0.1 0.2 0.3",
            "1 2 3",
        ),
        link(f"{side}_hand", 0.4, "0.03 0 0"),
        joint(
            f"{side}_jaw", "revolute", f"{side}_hand", f"{side}_finger", "0.05 0.02 0", axis="0 0 1"
        ),
        link(f"{side}_finger", 0.05, "0.02 0 0"),
    ]


HUMANOID = "\n".join(
    [
        '<robot name="humanoid">',
        link("floor", 3.0, "0 0 0.1", "0.2 0 0"),
        joint("lift", "prismatic", "floor", "column", "0 0 0.4", axis="0 0 1"),
        link("column", 6.0, "0.01 0 0.2"),
        joint("mount", "fixed", "column", "chest", "0 0 0.5", "0 0.1 0"),
        link("chest", 4.0, "0 0 0.1"),
        joint("neck_yaw", "continuous", "chest", "neck", "0 0 0.3", "0 0 0.2", "0 0 1"),
        link("neck", 0.3),
        joint("neck_pitch", "revolute", "neck", "head", "0 0 0.05", "0 -0.2 0", "0 -1 0"),
        link("head", 1.5, "0.02 0 0.1", "0 0 1"),
        *arm("left", 1),
        *arm("right", -1),
        "</robot>",
    ]
)


class Judge:
    """What pinocchio says of a URDF text, in our axes and in our order of joints."""

    def __init__(self, text, tree):
        self.model = pinocchio.buildModelFromXML(text)
        self.data = self.model.createData()
        self.tree = tree

    def look_at(self, angles):
        by_name = self.tree.by_name(angles)
        configuration = pinocchio.neutral(self.model)
        self.columns = np.empty(self.tree.dof, dtype=int)
        for index in range(1, self.model.njoints):
            joint, name = self.model.joints[index], self.model.names[index]
            if joint.nq == 2:  # a joint that turns without end is kept as cosine and sine
                turned = [np.cos(by_name[name]), np.sin(by_name[name])]
                configuration[joint.idx_q : joint.idx_q + 2] = turned
            else:
                configuration[joint.idx_q] = by_name[name]
            self.columns[self.tree.index(name)] = joint.idx_v
        pinocchio.computeJointJacobians(self.model, self.data, configuration)
        pinocchio.updateFramePlacements(self.model, self.data)

    def pose(self, link):
        placed = self.data.oMf[self.model.getFrameId(link, pinocchio.BODY)]
        return OURS @ placed.translation, OURS @ placed.rotation @ OURS.T

    def jacobian(self, link):
        theirs = pinocchio.getFrameJacobian(
            self.model,
            self.data,
            self.model.getFrameId(link, pinocchio.BODY),
            pinocchio.LOCAL_WORLD_ALIGNED,
        )
        return np.vstack([OURS @ theirs[:3], OURS @ theirs[3:]])[:, self.columns]

    def centre_of_mass(self):
        # Summed up here, since pinocchio's own function leaves out what is fixed to the ground.
        masses = [inertia.mass for inertia in self.model.inertias]
        centres = [
            placed * inertia.lever
            for placed, inertia in zip(self.data.oMi, self.model.inertias, strict=True)
        ]
        return OURS @ (np.array(masses) @ np.array(centres) / np.sum(masses))


@pytest.fixture(scope="module")
def tree():
    return Tree.from_urdf(HUMANOID)


@pytest.fixture(scope="module")
def judge(tree):
    return Judge(HUMANOID, tree)


def random_angles(tree, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(tree.lower_rad, tree.upper_rad)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_poses_and_jacobians_of_all_links_agree_with_pinocchio(tree, judge, seed):
    angles = random_angles(tree, seed)
    judge.look_at(angles)
    for name in ("floor", "chest", "head", "left_rod", "left_hand", "right_finger"):
        position, rotation = judge.pose(name)
        pose, jacobian = tree.pose_and_jacobian(angles, name)
        np.testing.assert_allclose(pose.position_m, position, atol=1e-12)
        np.testing.assert_allclose(rotations.to_matrix(pose.orientation_wxyz), rotation, atol=1e-12)
        np.testing.assert_allclose(jacobian, judge.jacobian(name), atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_centre_of_mass_and_its_jacobian_agree_with_pinocchio(tree, judge, seed):
    angles = random_angles(tree, seed)
    judge.look_at(angles)
    assert tree.mass_kg == pytest.approx(sum(inertia.mass for inertia in judge.model.inertias))
    np.testing.assert_allclose(tree.centre_of_mass(angles), judge.centre_of_mass(), atol=1e-12)
    # Pinocchio's Jacobian is that of the mass that moves; the ground's share only dilutes it.
    theirs = pinocchio.jacobianCenterOfMass(judge.model, judge.data)
    moving = sum(inertia.mass for inertia in list(judge.model.inertias)[1:])
    np.testing.assert_allclose(
        tree.centre_of_mass_jacobian(angles),
        OURS @ theirs[:, judge.columns] * moving / tree.mass_kg,
        atol=1e-12,
    )


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_chain_from_the_same_text_agrees_with_pinocchio(tree, judge, seed):
    angles = random_angles(tree, seed)
    judge.look_at(angles)
    chain = Chain.from_urdf(HUMANOID, end="left_finger")
    assert chain.joint_names == (
        "lift",
        "left_shoulder",
        "left_elbow",
        "left_reach",
        "left_wrist",
        "left_jaw",
    )
    columns = [tree.index(name) for name in chain.joint_names]
    pose, jacobian = chain.pose_and_jacobian(angles[columns])
    position, rotation = judge.pose("left_finger")
    np.testing.assert_allclose(pose.position_m, position, atol=1e-12)
    np.testing.assert_allclose(rotations.to_matrix(pose.orientation_wxyz), rotation, atol=1e-12)
    np.testing.assert_allclose(jacobian, judge.jacobian("left_finger")[:, columns], atol=1e-12)


def test_limits_agree_with_pinocchio(tree, judge):
    lower = judge.model.lowerPositionLimit
    for index in range(1, judge.model.njoints):
        joint, name = judge.model.joints[index], judge.model.names[index]
        if joint.nq == 1:
            assert tree.lower_rad[tree.index(name)] == lower[joint.idx_q]
        else:
            assert tree.continuous[tree.index(name)]
