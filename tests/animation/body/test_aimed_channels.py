"""What chains aim by: the channels that this makes, and what is said about wrong chains."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sera.animation.body import AIMS, GENERIC, BodyError, load_body

ARM = """
[robot]
title = "Arm"

[[joints]]
name = "trunk"
axis = "y"
lower_deg = -60
upper_deg = 60
max_velocity_deg_s = 20

[[joints]]
name = "shoulder"
axis = "x"
length_m = 0.2
lower_deg = -90
upper_deg = 90
max_velocity_deg_s = 120

[[joints]]
name = "elbow"
axis = "y"
length_m = 0.2
lower_deg = -90
upper_deg = 90
max_velocity_deg_s = 100

[[end_points]]
name = "hand"
joint = "elbow"
offset_m = [0.0, 0.2, 0.0]

[[ik]]
name = "point"
end_point = "hand"
aims = "Arms.LeftPoint"
face = "y"
begins = "shoulder"
"""


def folder_with(tmp_path: Path, text: str) -> Path:
    (tmp_path / "body.toml").write_text(text, encoding="utf-8")
    return tmp_path


def complaint(tmp_path: Path, old: str, new: str) -> str:
    assert old in ARM
    with pytest.raises(BodyError) as caught:
        load_body(folder_with(tmp_path, ARM.replace(old, new)))
    return str(caught.value)


def test_one_may_aim_by_gaze_eyes_and_arms():
    assert AIMS["Gazing"] == ("Gazing.Horizontal", "Gazing.Vertical")
    assert AIMS["Arms.LeftPoint"] == ("Arms.LeftPointHorizontal", "Arms.LeftPointVertical")
    assert AIMS["Arms.RightPoint"] == ("Arms.RightPointHorizontal", "Arms.RightPointVertical")
    assert all(name in GENERIC for pair in AIMS.values() for name in pair)


def test_a_chain_brings_the_channels_it_aims_by(tmp_path):
    body = load_body(folder_with(tmp_path, ARM))
    (chain,) = body.chains
    assert (chain.horizontal, chain.vertical) == AIMS["Arms.LeftPoint"]
    assert not chain.upright
    across, up = body.generic[chain.horizontal], body.generic[chain.vertical]
    assert (across.lower, across.upper) == pytest.approx((-math.pi, math.pi))
    assert (up.lower, up.upper) == pytest.approx((-math.pi / 2, math.pi / 2))
    # The slowest joint that moves for it; the trunk does not.
    assert math.degrees(across.max_velocity) == pytest.approx(100.0)
    assert chain.horizontal not in body.rules
    assert list(body.channels)[: len(body.own)] == [f"Body.{name}" for name in body.own]


def test_a_posture_with_a_pointing_direction_moves_no_joint_of_its_own(tmp_path):
    body = load_body(folder_with(tmp_path, ARM))
    own = body.resolve({"Arms.LeftPointHorizontal": 0.5, "Body.elbow": 0.2})
    assert own == pytest.approx({"trunk": 0.0, "shoulder": 0.0, "elbow": 0.2})


def test_a_rule_for_the_gaze_gives_its_channel_the_range_of_its_joints(tmp_path):
    rule = '\n[[enslaving]]\nchannel = "Gazing.Horizontal"\nto = { trunk = -1.0 }\n'
    text = ARM.replace("Arms.LeftPoint", "Gazing") + rule
    body = load_body(folder_with(tmp_path, text))
    assert body.chains[0].upright
    # And as far again as what lies below the first joint that moves for it may help.
    assert math.degrees(body.generic["Gazing.Horizontal"].upper) == pytest.approx(60.0 + 45.0)
    assert math.degrees(body.generic["Gazing.Vertical"].upper) == pytest.approx(90.0)


def test_an_unknown_aim_names_the_nearest_one_and_its_line(tmp_path):
    said = complaint(tmp_path, "Arms.LeftPoint", "Arms.LeftPiont")
    assert "Arms.LeftPiont" in said
    assert "'Arms.LeftPoint'" in said
    line = ARM.splitlines().index('aims = "Arms.LeftPoint"') + 1
    assert f":{line}" in said or f"line {line}" in said


def test_an_unknown_end_point_names_the_nearest_one(tmp_path):
    said = complaint(tmp_path, 'end_point = "hand"', 'end_point = "hnad"')
    assert "there is no end point 'hnad'" in said
    assert "'hand'" in said


def test_a_chain_must_begin_on_its_own_way(tmp_path):
    said = complaint(tmp_path, 'begins = "shoulder"', 'begins = "sholder"')
    assert "'sholder' is not on the way from the base to 'hand'" in said
    assert "'shoulder'" in said


def test_two_chains_of_one_name_are_refused(tmp_path):
    chain = ARM[ARM.index("[[ik]]") :]
    assert "another chain is called 'point'" in complaint(tmp_path, chain, chain + "\n" + chain)


def test_an_end_point_that_the_urdf_does_not_have_is_refused(tmp_path):
    urdf = '<robot name="a"><link name="base"/><link name="palm"/></robot>'
    (tmp_path / "arm.urdf").write_text(urdf, encoding="utf-8")
    text = '[robot]\ntitle = "A"\nurdf = "arm.urdf"\n\n[[ik]]\nend_point = "plam"\n'
    with pytest.raises(BodyError, match="there is no end point 'plam'") as caught:
        load_body(folder_with(tmp_path, text))
    assert "'palm'" in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ('joint = "elbw"\npoints_m = [[0, 0, 0]]\nradius_m = 0.1', "no joint 'elbw'"),
        ('glows = "eye"\npoints_m = [[0, 0, 0]]\nradius_m = 0.1', "no glows 'eye'"),
        ("points_m = [[0, 0, 0]]\nradius_m = [0.1, 0.2]", "2 radii for 1 points"),
        ("points_m = []\nradius_m = 0.1", "points_m"),
        ("points_m = [[0, 0, 0]]\nradius_m = -0.1", "radius_m"),
    ],
)
def test_a_wrong_shape_is_said(tmp_path, shape, sentence):
    with pytest.raises(BodyError) as caught:
        load_body(folder_with(tmp_path, f"{ARM}\n[[shapes]]\n{shape}\n"))
    assert sentence in str(caught.value)
