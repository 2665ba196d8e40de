"""Odd and hostile URDFs become a robot that works, or a sentence; nothing is half written."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sera.animation.body import Body, load_body
from sera.animation.newcomer import propose_body
from sera.animation.newcomer._skeleton import LARGEST_FILE_BYTES, read_skeleton, rpy_of
from sera.kinematics.rotations import from_axis_angle, multiply
from sera.runtime.located import FileProblem
from sera.runtime.scaffold import ScaffoldError, new_robot

LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="1"/>'
MakeRobot = Callable[[str], Body]
LeadGaze = Callable[[Body, float, float], Any]


def joint(name: str, parent: str, child: str, inside: str = LIMIT, kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0 0 0.1"/><parent link="{parent}"/>'
        f'<child link="{child}"/>{inside}</joint>'
    )


def robot(*joints: str, links: str = "abc") -> str:
    named = "".join(f'<link name="{link}"/>' for link in links)
    return f'<robot name="odd">{named}{"".join(joints)}</robot>'


PAN = joint("pan", "a", "b", f'<axis xyz="0 0 1"/>{LIMIT}')
TILT = joint("tilt", "b", "c", f'<axis xyz="0 1 0"/>{LIMIT}')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (robot(PAN), "falls into pieces"),
        (robot(PAN, joint("loop", "c", "b")), "child of two joints"),
        (robot(PAN, joint("back", "b", "a"), links="ab"), "go round in a loop"),
        (robot(joint("x", "a", "nowhere"), links="a"), "there is no such link"),
        (robot(joint("x", "a", "b", "", "fixed"), links="ab"), "no joint that moves"),
        (robot(PAN, joint("x", "b", "c", '<mimic joint="nobody"/>')), "no such joint"),
        (
            '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>',
            "has no DOCTYPE",
        ),
        (
            '<robot xmlns:xacro="x"><xacro:macro name="arm"/><link name="a"/></robot>',
            "`xacro FILE > robot.urdf`",
        ),
        (robot(joint("x", "a", "b", '<limit upper="nan"/>'), links="ab"), "no finite number"),
        (
            robot(
                joint("x", "a", "b", '<limit lower="-1" upper="1" velocity="fast"/>'), links="ab"
            ),
            "velocity of <limit> of joint 'x' is 'fast'",
        ),
        (robot(joint("x", "a", "b", '<axis xyz="0 0 0"/>' + LIMIT), links="ab"), "0 0 0"),
    ],
)
def test_what_cannot_be_mended_is_said_in_a_sentence_and_nothing_is_written(
    tmp_path: Path, text: str, words: str
) -> None:
    urdf = tmp_path / "odd.urdf"
    urdf.write_text(text, encoding="utf-8")
    with pytest.raises(ScaffoldError) as caught:
        new_robot(tmp_path, "odd", urdf)
    assert words in str(caught.value)
    assert "odd.urdf" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "robots").exists()


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    huge = tmp_path / "huge.urdf"
    with huge.open("wb") as file:
        file.truncate(LARGEST_FILE_BYTES + 1)
    with pytest.raises(FileProblem, match="at most 32"):
        propose_body(huge, "x.urdf", "X")


def test_one_joint_alone_turns_what_it_can_and_says_what_it_cannot(
    tmp_path: Path, lead_gaze: LeadGaze
) -> None:
    urdf = tmp_path / "one.urdf"
    urdf.write_text(robot(PAN, links="ab"), encoding="utf-8")
    created = new_robot(tmp_path, "one", urdf)
    assert "no joint turns the gaze up and down" in created.next_steps
    assert lead_gaze(load_body(created.path), 30.0, 0.0).missed_deg < 2.0


def test_a_robot_that_only_slides_is_made_and_says_that_it_cannot_look_about(
    tmp_path: Path,
) -> None:
    urdf = tmp_path / "slide.urdf"
    urdf.write_text(robot(joint("lift", "a", "b", LIMIT, "prismatic"), links="ab"), "utf-8")
    created = new_robot(tmp_path, "slide", urdf)
    body = load_body(created.path)
    assert body.joints == ("lift",)
    assert body.tree.dof == 1
    assert "no joint turns anything: this robot cannot look about" in created.next_steps


def test_missing_limits_and_absurd_velocities_become_cautious_ones(
    make_robot: MakeRobot, lead_gaze: LeadGaze
) -> None:
    pan = joint("pan", "a", "b", '<axis xyz="0 0 1"/>')
    fast = '<axis xyz="0 1 0"/><limit lower="-9" upper="9" velocity="1e9" effort="0"/>'
    body = make_robot(robot(pan, joint("tilt", "b", "c", fast)))
    pan_spec, tilt_spec = body.own["pan"], body.own["tilt"]
    assert (pan_spec.lower, pan_spec.upper) == pytest.approx((-math.pi / 4, math.pi / 4))
    assert pan_spec.max_velocity == pytest.approx(math.pi / 2)
    assert (tilt_spec.lower, tilt_spec.upper) == pytest.approx((-math.pi, math.pi), abs=1e-5)
    assert tilt_spec.max_velocity == pytest.approx(math.pi / 2)
    assert lead_gaze(body, 30.0, -15.0).missed_deg < 2.0


def test_names_with_spaces_quotes_dots_and_other_letters_travel_into_the_body(
    make_robot: MakeRobot, lead_gaze: LeadGaze
) -> None:
    names = ("Kopf &quot;links&quot; ä", "首.tilt = 1")
    pan = joint(names[0], "a", "b", f'<axis xyz="0 0 1"/>{LIMIT}')
    body = make_robot(robot(pan, joint(names[1], "b", "c", f'<axis xyz="0 1 0"/>{LIMIT}')))
    assert body.joints == ('Kopf "links" ä', "首.tilt = 1")
    assert lead_gaze(body, -30.0, 15.0).missed_deg < 2.0


def test_a_joint_without_room_stands_where_its_limits_put_it(
    tmp_path: Path, make_robot: MakeRobot
) -> None:
    bent = '<axis xyz="0 1 0"/><limit lower="0.5" upper="0.5" velocity="1" effort="1"/>'
    text = robot(
        PAN,
        joint("bent", "b", "c", bent),
        joint("follows", "c", "d", f'<mimic joint="bent"/>{LIMIT}'),
        links="abcd",
    )
    urdf = tmp_path / "bent.urdf"
    urdf.write_text(text, encoding="utf-8")
    skeleton = read_skeleton(urdf)
    assert skeleton.robot.joints["bent"].kind == "fixed"
    assert skeleton.robot.joints["bent"].origin_rpy_rad == pytest.approx((0.0, 0.5, 0.0))
    assert skeleton.robot.joints["follows"].kind == "fixed"
    assert make_robot(text).joints == ("pan",)


def test_mimic_wheels_and_floating_bases_do_not_take_the_gaze(make_robot: MakeRobot) -> None:
    text = robot(
        joint("world", "w", "a", "", "floating"),
        PAN,
        TILT,
        joint("left_wheel", "a", "l", '<axis xyz="0 1 0"/>', "continuous"),
        joint("right_wheel", "a", "r", '<axis xyz="0 1 0"/>', "continuous"),
        joint("flap", "c", "f", f'<mimic joint="tilt"/>{LIMIT}'),
        links="wabclrf",
    )
    body = make_robot(text)
    assert body.tree.chain("face").joint_names == ("pan", "tilt")
    assert set(body.joints) == {"pan", "tilt", "left_wheel", "right_wheel"}
    assert body.connection == {"kind": "simulated"}


def test_names_that_the_face_would_take_are_left_to_the_robot(make_robot: MakeRobot) -> None:
    text = robot(PAN, TILT).replace('"c"', '"face"')
    body = make_robot(text)
    assert body.chains[0].end_point == "face_1"
    assert body.tree.chain("face_1").joint_names == ("pan", "tilt")


@given(
    axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: math.hypot(*axis) > 0.1),
    angle_rad=st.floats(-3, 3),
)
def test_roll_pitch_and_yaw_give_the_rotation_back(
    axis: tuple[float, float, float], angle_rad: float
) -> None:
    turn = from_axis_angle(axis, angle_rad)
    roll, pitch, yaw = rpy_of(tuple(turn.tolist()))
    about_x, about_y, about_z = (
        from_axis_angle(unit, angle)
        for unit, angle in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), (roll, pitch, yaw), strict=True)
    )
    again = multiply(multiply(about_z, about_y), about_x)
    assert abs(float(again @ turn)) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("pitch_rad", [math.pi / 2, -math.pi / 2])
def test_roll_pitch_and_yaw_survive_looking_straight_up(pitch_rad: float) -> None:
    turn = multiply(from_axis_angle((0, 0, 1), 0.7), from_axis_angle((0, 1, 0), pitch_rad))
    roll, pitch, yaw = rpy_of(tuple(turn.tolist()))
    assert (roll, pitch, yaw) == pytest.approx((0.0, pitch_rad, 0.7), abs=1e-6)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(max_size=80), place=st.integers(0, 400))
def test_a_urdf_with_a_hole_or_a_stain_is_read_or_refused_plainly(
    text: str, place: int, tmp_path: Path
) -> None:
    whole = robot(PAN, TILT)
    stained = whole[:place] + text + whole[place + 3 :]
    urdf = tmp_path / "stained.urdf"
    urdf.write_bytes(stained.encode("utf-8", "surrogatepass"))
    with suppress(FileProblem):  # any other exception fails
        assert read_skeleton(urdf).robot.joints
