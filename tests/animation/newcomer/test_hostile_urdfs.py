"""URDFs that are huge, empty of geometry, mistaken in their units or ambiguous in their names."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.animation.body import Body, load_body
from sera.animation.newcomer._skeleton import MOST_JOINTS
from sera.runtime.scaffold import Created, ScaffoldError, new_robot
from tests.helpers import some_of

MakeRobot = Callable[[str], Body]
LeadGaze = Callable[[Body, float, float], Any]
AXES = ("0 0 1", "0 1 0", "1 0 0")


def _joint(name: str, links: tuple[str, str], axis: str, limits: str, xyz: str = "0 0 0.1") -> str:
    return (
        f'<joint name="{name}" type="revolute"><origin xyz="{xyz}"/><parent link="{links[0]}"/>'
        f'<child link="{links[1]}"/><axis xyz="{axis}"/>'
        f'<limit {limits} velocity="2" effort="1"/></joint>'
    )


def _many(count: int, *, in_a_row: bool) -> str:
    text = '<robot name="many"><link name="l0"/>'
    for number in range(count):
        ends = (f"l{number if in_a_row else 0}", f"l{number + 1}")
        text += f'<link name="{ends[1]}"/>'
        text += _joint(f"j{number}", ends, AXES[number % 3], 'lower="-1" upper="1"')
    return text + "</robot>"


def _made(folder: Path, text: str) -> Created:
    urdf = folder / "given.urdf"
    urdf.write_text(text, encoding="utf-8")
    return new_robot(folder, "newcomer", urdf)


@pytest.mark.parametrize("in_a_row", [True, False])
def test_as_many_joints_as_are_taken_become_a_body(tmp_path: Path, *, in_a_row: bool) -> None:
    created = _made(tmp_path, _many(MOST_JOINTS, in_a_row=in_a_row))
    body = load_body(created.path)
    assert len(body.joints) == MOST_JOINTS
    assert "Gazing.Horizontal" in body.generic


@pytest.mark.parametrize("in_a_row", [True, False])
def test_thousands_of_joints_are_refused_in_a_sentence(tmp_path: Path, *, in_a_row: bool) -> None:
    with pytest.raises(ScaffoldError, match="has 3000 joints that move; at most 256 make a body"):
        _made(tmp_path, _many(3000, in_a_row=in_a_row))
    assert not (tmp_path / "robots").exists()


def test_a_robot_of_meshes_alone_looks_about_and_its_meshes_stay_where_they_were(
    tmp_path: Path, lead_gaze: LeadGaze
) -> None:
    mesh = '<visual><geometry><mesh filename="package://gone/{0}.dae"/></geometry></visual>'
    links = "".join(f'<link name="{name}">{mesh.format(name)}</link>' for name in "abc")
    pan = _joint("pan", ("a", "b"), "0 0 1", 'lower="-1" upper="1"')
    tilt = _joint("tilt", ("b", "c"), "0 1 0", 'lower="-1" upper="1"')
    created = _made(tmp_path, f'<robot name="meshes">{links}{pan}{tilt}</robot>')
    assert "the meshes that the URDF names were not copied" in created.next_steps
    assert ".dae" not in (created.path / "newcomer.urdf").read_text(encoding="utf-8")
    assert lead_gaze(load_body(created.path), 30.0, 15.0).missed_deg < 2.0


def test_links_without_length_still_look_about(make_robot: MakeRobot, lead_gaze: LeadGaze) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    pan = _joint("pan", ("a", "b"), "0 0 1", 'lower="-1" upper="1"', xyz="0 0 0")
    tilt = _joint("tilt", ("b", "c"), "0 1 0", 'lower="-1" upper="1"', xyz="0 0 0")
    body = make_robot(f'<robot name="points">{links}{pan}{tilt}</robot>')
    assert lead_gaze(body, -30.0, 15.0).missed_deg < 2.0


@pytest.mark.parametrize(
    ("limits", "lower_deg", "upper_deg", "words"),
    some_of(
        [
            ('lower="-90" upper="90"', -90.0, 90.0, "must be degrees"),
            ('lower="0" upper="45"', 0.0, 45.0, "must be degrees"),
            ('lower="-360" upper="360"', -180.0, 180.0, "must be degrees"),
            ('lower="-6.4" upper="6.4"', -180.0, 180.0, "turns more than once"),
            ('lower="-1e9" upper="1e9"', -180.0, 180.0, "turns more than once"),
        ],
        3,
        seed=2,
    ),
)
def test_limits_in_degrees_are_taken_so_and_limits_of_many_turns_are_cut(
    tmp_path: Path, limits: str, lower_deg: float, upper_deg: float, words: str
) -> None:
    pan = _joint("pan", ("a", "b"), "0 0 1", limits)
    tilt = _joint("tilt", ("b", "c"), "0 1 0", 'lower="-1" upper="1"')
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    created = _made(tmp_path, f'<robot name="units">{links}{pan}{tilt}</robot>')
    assert any(step.startswith("pan: ") and words in step for step in created.next_steps)
    spec = load_body(created.path).own["pan"]
    assert math.degrees(spec.lower) == pytest.approx(lower_deg, abs=1e-3)
    assert math.degrees(spec.upper) == pytest.approx(upper_deg, abs=1e-3)


def test_names_that_are_one_once_their_blanks_are_cleaned_are_refused(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    first = _joint("head  joint", ("a", "b"), "0 0 1", 'lower="-1" upper="1"')
    second = _joint(" head joint ", ("b", "c"), "0 1 0", 'lower="-1" upper="1"')
    with pytest.raises(ScaffoldError, match="head joint") as caught:
        _made(tmp_path, f'<robot name="names">{links}{first}{second}</robot>')
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "robots").exists()


def test_an_arm_longer_than_its_shoulder_is_high_bends_rather_than_pass_the_floor(
    make_robot: MakeRobot,
) -> None:
    """Long arms of a robot on wheels, which point forwards at zero."""
    text = '<robot name="wheels"><link name="base"/><link name="neck"/><link name="head"/>'
    text += _joint("neck_yaw", ("base", "neck"), "0 0 1", 'lower="-1" upper="1"', "0 0 0.8")
    text += _joint("neck_pitch", ("neck", "head"), "0 1 0", 'lower="-1" upper="1"')
    for side, across in (("left", 0.2), ("right", -0.2)):
        rows = [
            ("shoulder", "base", f"0 {across} 0.6"),
            ("elbow", f"{side}_shoulder_link", "0.4 0 0"),
            ("wrist", f"{side}_elbow_link", "0.4 0 0"),
        ]
        for name, parent, xyz in rows:
            link = f"{side}_{name}_link"
            text += f'<link name="{link}"/>'
            limits = 'lower="-2.5" upper="2.5"'
            text += _joint(f"{side}_{name}", (parent, link), "0 1 0", limits, xyz)
    body = make_robot(text + "</robot>")
    tree = body.tree
    angles = tree.angles_of({name: body.own[name].neutral for name in body.joints})
    for side in ("left", "right"):
        elbow = tree.pose(angles, f"{side}_elbow").position_m
        wrist = tree.pose(angles, f"{side}_wrist").position_m
        assert elbow[1] < 0.5  # it hangs
        assert wrist[1] > 0.1  # above the floor


def test_a_walker_without_head_and_arms_says_that_it_looks_about_with_a_leg(tmp_path: Path) -> None:
    text = '<robot name="walker"><link name="trunk"/>'
    for side, across in (("left", 0.1), ("right", -0.1)):
        parent = "trunk"
        for part, axis in (("hip", "1 0 0"), ("thigh", "0 1 0"), ("calf", "0 1 0")):
            link = f"{side}_{part}_link"
            text += f'<link name="{link}"/>'
            place = f"0.2 {across} 0" if part == "hip" else "0 0 -0.2"
            limits = 'lower="-1.5" upper="1.5"'
            text += _joint(f"{side}_{part}", (parent, link), axis, limits, place)
            parent = link
    created = _made(tmp_path, text + "</robot>")
    assert any(step.startswith("a leg looks about") for step in created.next_steps)
    assert "Gazing.Vertical" in load_body(created.path).generic
