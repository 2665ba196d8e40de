"""URDF files: what is taken, in which frame, and how wrong files are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics import rotations
from sera.kinematics.chain import Chain
from sera.kinematics.pose import Pose
from sera.kinematics.tree import Tree
from sera.kinematics.urdf import Z_UP_TO_Y_UP, from_urdf_frame, to_urdf_frame

ARM = """<?xml version="1.0"?>
<!-- made from arm.xacro -->
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <link name="base">
    <inertial><mass value="2"/><origin xyz="0 0 0.1" rpy="0.3 0 0"/></inertial>
    <visual><geometry><mesh filename="package://arm/meshes/base.dae"/></geometry></visual>
  </link>
  <link name="upper"><inertial><mass value="1"/><origin xyz="0.2 0 0"/></inertial></link>
  <link name="hand"/>
  <link name="camera"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="0.5" velocity="2" effort="10"/>
    <dynamics damping="0.1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="hand"/>
    <origin xyz="0.4 0 0"/><axis xyz="1 0 0"/>
    <limit upper="0.1" effort="1" velocity="0"/>
  </joint>
  <joint name="eye" type="fixed">
    <parent link="upper"/><child link="camera"/><origin xyz="0.1 0.02 0.03" rpy="0 0.2 0"/>
  </joint>
  <transmission name="t"><joint name="shoulder"/><actuator name="m"/></transmission>
  <gazebo reference="hand"><material>${color}</material><joint name="nested"/></gazebo>
</robot>
"""

JOINT = (
    '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}'
    "</joint>"
)
LIMIT = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'


def robot(*parts, links="abc"):
    names = "".join(f'<link name="{name}"/>\n' for name in links)
    return '<robot name="r">\n' + names + "\n".join(parts) + "\n</robot>"


def joint(name, parent, child, kind="revolute", more=LIMIT):
    return JOINT.format(name=name, kind=kind, parent=parent, child=child, more=more)


def test_forward_left_and_up_of_a_urdf_become_plus_z_plus_x_and_plus_y():
    tree = Tree.from_urdf(ARM)
    zero = tree.pose([0.0, 0.0], "hand")
    np.testing.assert_allclose(zero.position_m, [0.0, 0.5, 0.4], atol=1e-15)
    np.testing.assert_allclose(zero.orientation_wxyz, [1.0, 0.0, 0.0, 0.0], atol=1e-15)
    # About y, to the left: a positive angle looks down, as a positive pitch does here.
    raised = tree.pose([-0.5, 0.0], "hand")
    np.testing.assert_allclose(
        raised.position_m, [0.0, 0.5 + 0.4 * math.sin(0.5), 0.4 * math.cos(0.5)], atol=1e-12
    )
    np.testing.assert_allclose(
        rotations.to_yaw_pitch_roll(raised.orientation_wxyz), [0.0, -0.5, 0.0], atol=1e-12
    )
    camera = tree.pose([0.0, 0.0], "camera")
    np.testing.assert_allclose(camera.position_m, [0.02, 0.53, 0.1], atol=1e-15)
    np.testing.assert_allclose(
        rotations.to_yaw_pitch_roll(camera.orientation_wxyz), [0.0, 0.2, 0.0], atol=1e-12
    )


def test_poses_can_be_translated_between_the_two_frames_and_back():
    position, orientation = np.array([1.0, 2.0, 3.0]), rotations.from_rotation_vector([0.3, 1, 2])
    ours = from_urdf_frame(Pose(position, orientation))
    np.testing.assert_allclose(ours.position_m, rotations.rotate(Z_UP_TO_Y_UP, position))
    turned = rotations.multiply(
        rotations.multiply(Z_UP_TO_Y_UP, orientation), rotations.conjugate(Z_UP_TO_Y_UP)
    )
    np.testing.assert_allclose(ours.orientation_wxyz, turned, atol=1e-15)
    back = to_urdf_frame(ours)
    np.testing.assert_array_equal(back.position_m, position)
    np.testing.assert_array_equal(back.orientation_wxyz, orientation)


def test_leaves_are_the_end_points_and_any_link_or_joint_can_be_asked_for():
    tree = Tree.from_urdf(ARM)
    assert list(tree.end_points) == ["hand", "camera"]
    np.testing.assert_allclose(tree.pose([0, 0], "upper").position_m, [0, 0.5, 0])
    np.testing.assert_allclose(tree.pose([0, 0], "shoulder").position_m, [0, 0.5, 0])
    np.testing.assert_array_equal(tree.pose([0, 0], "base").position_m, [0, 0, 0])
    assert list(Tree.from_urdf(ARM, end_points=["upper"]).end_points) == ["upper"]
    with pytest.raises(ValueError, match="no link 'uper'; did you mean 'upper'"):
        Tree.from_urdf(ARM, end_points=["uper"])


def test_limits_masses_and_names_are_taken_and_simulator_tags_are_not():
    tree = Tree.from_urdf(ARM)
    assert tree.name == "arm"
    assert tree.joint_names == ("shoulder", "slide")
    np.testing.assert_array_equal(tree.lower_rad, [-1.5, 0.0])  # a side left out is nought
    np.testing.assert_array_equal(tree.upper_rad, [0.5, 0.1])
    np.testing.assert_array_equal(tree.velocity_limits, [2.0, math.inf])
    assert tree.mass_kg == 3.0
    np.testing.assert_allclose(
        tree.centre_of_mass([0, 0]), [0.0, (2 * 0.1 + 1 * 0.5) / 3, 0.2 / 3], atol=1e-15
    )


def test_a_chain_goes_from_link_to_link(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    chain = Chain.from_urdf(path, end="hand")
    assert chain.joint_names == ("shoulder", "slide")
    np.testing.assert_allclose(
        chain.pose([-0.3, 0.05]).position_m, Tree.from_urdf(str(path)).pose([-0.3, 0.05], "hand")[0]
    )
    from_upper = Chain.from_urdf(ARM, end="hand", root="upper")
    np.testing.assert_allclose(from_upper.pose([0.05]).position_m, [0, 0, 0.45], atol=1e-15)
    with pytest.raises(ValueError, match="several ends: 'hand', 'camera'; name one"):
        Chain.from_urdf(ARM)
    with pytest.raises(ValueError, match=r"'camera' of 'arm' is not on the way .* 'base', 'upper'"):
        Chain.from_urdf(ARM, end="hand", root="camera")
    with pytest.raises(ValueError, match="no link 'hadn'; did you mean 'hand'"):
        Chain.from_urdf(ARM, end="hadn")


def test_a_single_end_need_not_be_named():
    assert Chain.from_urdf(robot(joint("j", "a", "b"), links="ab")).dof == 1


def test_a_continuous_joint_needs_no_limit_and_is_wrapped():
    tree = Tree.from_urdf(robot(joint("j", "a", "b", "continuous", ""), links="ab"))
    assert tree.continuous.all()
    np.testing.assert_allclose(tree.clamp([math.tau + 0.5]), [0.5])


def test_a_joint_without_an_axis_turns_about_x_as_urdf_says():
    chain = Chain.from_urdf(robot(joint("j", "a", "b"), links="ab"))
    np.testing.assert_array_equal(chain.zero_axes, [[0.0, 0.0, 1.0]])


def test_a_fixed_joint_may_have_an_axis_of_no_length_as_some_exporters_write():
    frame = joint("k", "b", "c", "fixed", '<axis xyz="0 0 0"/><origin xyz="1 0 0"/>')
    tree = Tree.from_urdf(robot(joint("j", "a", "b"), frame))
    np.testing.assert_array_equal(tree.pose([0.0], "c").position_m, [0.0, 0.0, 1.0])


def test_mimic_joints_are_driven_by_their_master_through_any_number_of_steps():
    text = robot(
        joint("tip", "b", "c", more='<mimic joint="mid" multiplier="-1" offset="0.2"/>' + LIMIT),
        joint("mid", "a", "b", more='<mimic joint="root" multiplier="0.5" offset="0.1"/>' + LIMIT),
        joint("root", "a", "d"),
        links="abcd",
    )
    tree = Tree.from_urdf(text)
    assert tree.joint_names == ("root",)
    for angle in (-0.7, 0.0, 0.9):
        turned = rotations.to_rotation_vector(tree.pose([angle], "c").orientation_wxyz)
        np.testing.assert_allclose(turned, [0.0, 0.0, 0.2], atol=1e-12)
    # Both turn about the same axis, against each other: the tip keeps its constant turn.
    np.testing.assert_allclose(tree.jacobian([0.3], "c")[3:], 0.0, atol=1e-15)
    np.testing.assert_allclose(tree.jacobian([0.3], "b")[3:, 0], [0.0, 0.0, 0.5], atol=1e-15)


def test_a_robot_of_a_single_link_is_a_tree_that_cannot_move():
    tree = Tree.from_urdf('<robot name="rock"><link name="rock"/></robot>')
    assert tree.dof == 0
    np.testing.assert_array_equal(tree.pose([]).position_m, np.zeros(3))


def test_a_file_in_latin_1_and_one_with_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(ARM.replace("made from", "fait à").encode("latin-1"))
    assert Tree.from_urdf(path).dof == 2
    path.write_bytes(b"\xef\xbb\xbf" + ARM.encode())
    assert Tree.from_urdf(path).dof == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty text"),
        ("<robot><link", "line 1, column 8: not valid XML"),
        ("<sdf/>", "the outermost element is <sdf>, not <robot>"),
        ("<robot/>", "has no <link>"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "line 1: a URDF has no DOCTYPE"),
        ('\n<!ENTITY a "b"><robot/>', "line 2: a URDF has no ENTITY"),
        (robot("<xacro:arm/>"), "'xacro:arm' shows that this is a xacro file"),
        (robot(joint("${side}_j", "a", "b")), "xacro file, which has to be expanded first"),
        (robot("<link/>"), "line 5: this <link> has no name"),
        (robot('<link name="a"/>'), "line 5: two links are called 'a'"),
        (robot(joint("j", "a", "b"), joint("j", "b", "c")), "line 6: two joints are called 'j'"),
        (robot(joint("j", "a", "b", "revolut")), "'revolut'; did you mean 'revolute'"),
        (robot('<joint name="j"/>'), "joint 'j' has no type"),
        (robot(joint("j", "a", "b", "floating")), "joint 'j' is floating: .* type=\"fixed\""),
        (robot(joint("j", "a", "b", "planar")), "joint 'j' is planar: .* three degrees"),
        (robot(joint("j", "base_lnk", "b"), links=["base_link", "b"]), "did you mean 'base_link'"),
        (robot(joint("j", "a", "x")), "has the child 'x', but there is no such link"),
        (robot('<joint name="j" type="fixed"><child link="b"/></joint>'), "has no <parent link="),
        (robot(joint("j", "a", "b", more="")), "is revolute but has no <limit>; .*continuous"),
        (robot(joint("j", "a", "b", "prismatic", "")), "is prismatic but has no <limit>"),
        (robot(joint("j", "a", "b", more='<limit lower="2" upper="1"/>')), "swap them"),
        (robot(joint("j", "a", "b", more='<limit lower="-inf" upper="1"/>')), 'lower .* is "-inf"'),
        (robot(joint("j", "a", "b", more=LIMIT + '<axis xyz="0 0 0"/>')), "axis of joint 'j'"),
        (robot(joint("j", "a", "b", more=LIMIT + "<axis/>")), "xyz of <axis> .* is missing"),
        (robot(joint("j", "a", "b", more=LIMIT + '<axis xyz="0 nan 1"/>')), '"0 nan 1"; three'),
        (robot(joint("j", "a", "b", more=LIMIT + '<origin xyz="0,0,1"/>')), '"0,0,1"; three'),
        (robot(joint("j", "a", "b", more=LIMIT + '<origin rpy="0 1"/>')), "rpy of <origin>"),
        (robot(joint("j", "a", "c"), joint("k", "b", "c")), "child of two joints, 'j' and 'k'"),
        (robot(joint("j", "a", "b")), "falls into pieces: the links 'a', 'c'"),
        (robot(joint("j", "b", "c"), joint("k", "c", "b")), "line 5: the joints 'j', 'k' go round"),
        (robot(joint("j", "a", "b"), joint("k", "b", "a"), links="ab"), "go round in a loop"),
        (
            robot(joint("j", "a", "b", more=LIMIT + '<mimic joint="jj"/>'), links="ab"),
            "mimics 'jj', but there is no such joint; did you mean 'j'",
        ),
        (
            robot(joint("j", "a", "b", more=LIMIT + '<mimic joint="j"/>'), links="ab"),
            "in a ring: j -> j",
        ),
        (
            robot('<link name="m"><inertial><mass value="-1"/></inertial></link>'),
            "the mass of link 'm' is -1",
        ),
        (
            robot('<link name="m"><inertial><mass value="heavy"/></inertial></link>'),
            "value of <mass> of link 'm' is \"heavy\", which is no finite number",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_a_sentence_that_says_where(text, reason):
    with pytest.raises(ValueError, match=reason):
        Tree.from_urdf(text)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no URDF file .*gone\.urdf"):
        Tree.from_urdf(tmp_path / "gone.urdf")
    with pytest.raises(ValueError, match="is a folder"):
        Tree.from_urdf(tmp_path)


def test_sentences_name_the_file(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text(robot(joint("j", "a", "b", "ball")), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^bad\.urdf, line 5: joint 'j'"):
        Tree.from_urdf(path)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_damaged_file_either_loads_or_is_refused_with_a_value_error(data):
    at = data.draw(st.integers(0, len(ARM) - 1))
    length = data.draw(st.integers(0, 12))
    junk = data.draw(st.text(alphabet='<>/"&;= 0nax-.!', max_size=6))
    damaged = ARM[:at] + junk + ARM[at + length :]
    try:
        tree = Tree.from_urdf(damaged if "<" in damaged else "<" + damaged)
    except ValueError:
        return
    frames = tree.forward(tree.neutral)
    assert np.isfinite(frames.positions_m).all()
    assert np.isfinite(frames.orientations_wxyz).all()
