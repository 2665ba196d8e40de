"""Body files: what they say, and what is said about wrong ones."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sera.animation.body import BodyError, Curve, Share, Weights, load_body
from sera.animation.channels import Kind, Unit

REPOSITORY = Path(__file__).parents[3]
ROBOTS = sorted((REPOSITORY / "robots").glob("*/body.toml"))

SMALL = """
[robot]
title = "Small"

[[joints]]
name = "pan"
axis = "y"
lower_deg = -60
upper_deg = 60
max_velocity_deg_s = 120

[[joints]]
name = "tilt"
axis = "x"
length_m = 0.2
lower_deg = -20
upper_deg = 40

[[lights]]
name = "eye"

[[channels]]
name = "mouth"
unit = "percent"

[[end_points]]
name = "head"
joint = "tilt"
offset_m = [0.0, 0.1, 0.0]

[[ik]]
end_point = "head"
"""


def folder_with(tmp_path: Path, text: str, name: str = "small") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "body.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("file", ROBOTS, ids=lambda file: file.parent.name)
def test_every_body_of_the_project_can_be_read(file: Path):
    body = load_body(file.parent)
    assert body.joints
    assert set(body.rest) == set(body.own)
    for spec in body.channels.values():
        assert spec.lower <= spec.neutral <= spec.upper
        assert spec.max_velocity > 0.0
    for name in body.joints:
        spec = body.own[name]
        assert math.isfinite(spec.max_velocity * spec.max_acceleration * spec.max_jerk)
    assert set(body.joints) <= set(body.tree.joint_names)
    for chain in body.chains:
        assert body.tree.chain(chain.end_point).dof > 0


def test_adelino_has_its_five_joints_two_eyes_and_a_head_that_aims():
    body = load_body(REPOSITORY / "robots" / "adelino")
    assert body.joints == ("base", "lower_bend", "upper_bend", "head_bend", "head_twist")
    assert body.own["left_eye"].kind is Kind.DISPLAY
    assert body.own["left_eye"].unit is Unit.PERCENT
    (chain,) = body.chains
    assert (chain.name, chain.symmetric, chain.aims) == ("gaze", True, "Gazing")
    tip = body.tree.pose([0.0] * 5, "head").position_m
    assert tip == pytest.approx([0.0, 1.1, 0.0])
    assert body.channel("Gazing.Horizontal").upper == pytest.approx(math.pi)  # it turns over
    assert body.channel("Gazing.Vertical").lower == pytest.approx(-math.pi / 2)


def test_limits_that_are_left_out_are_cautious_never_missing(tmp_path):
    body = load_body(folder_with(tmp_path, SMALL))
    tilt = body.own["tilt"]
    assert tilt.max_velocity == pytest.approx(math.radians(90))
    assert math.isfinite(tilt.max_acceleration)
    assert math.isfinite(tilt.max_jerk)
    assert body.own["pan"].max_velocity == pytest.approx(math.radians(120))
    assert body.stop == "hold"


def test_a_rule_gives_the_generic_channel_its_range(tmp_path):
    rules = """
    [[enslaving]]
    channel = "Gazing.Horizontal"
    to = { pan = -1.0 }
    [[enslaving]]
    channel = "Face.Mouth"
    method = "curve"
    to = { mouth = [[0.0, 0.0], [0.5, 0.9], [1.0, 1.0]] }
    [[enslaving]]
    channel = "Gazing.Vertical"
    method = "weights"
    to = { tilt = 1.0, pan = 0.5 }
    """
    body = load_body(folder_with(tmp_path, SMALL + rules))
    assert isinstance(body.rules["Gazing.Horizontal"], Share)
    assert isinstance(body.rules["Face.Mouth"], Curve)
    assert isinstance(body.rules["Gazing.Vertical"], Weights)
    gaze = body.channel("Gazing.Horizontal")
    assert (gaze.lower, gaze.upper) == pytest.approx((-math.radians(60), math.radians(60)))
    assert gaze.max_velocity == pytest.approx(math.radians(120))
    assert body.body_sets == ("Body", "Gazing", "Face")
    pose = body.resolve({"Gazing.Horizontal": math.radians(30), "Face.Mouth": 0.5})
    assert pose["pan"] == pytest.approx(-math.radians(30))
    assert pose["mouth"] == pytest.approx(0.9)
    assert body.resolve({"Body.tilt": 9.0})["tilt"] == pytest.approx(math.radians(40))


def test_an_unknown_channel_is_answered_with_the_nearest_name(tmp_path):
    body = load_body(folder_with(tmp_path, SMALL))
    with pytest.raises(LookupError, match=r"no channel 'Body.pann'; did you mean 'Body.pan'"):
        body.channel("Body.pann")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ":1: robot: this table is missing"),
        (SMALL + "\n[[joints]]\nname = 'pan'\nlower_deg = -1\nupper_deg = 1\n", "'pan' is taken"),
        (SMALL + "\n[[enslaving]]\nchannel = 'Gazing.Horizontl'\nto = { pan = 1 }\n",
         "did you mean 'Gazing.Horizontal'?"),
        (SMALL + "\n[[enslaving]]\nchannel = 'Gazing.Roll'\nto = { pam = 1 }\n",
         "no joint, light or channel 'pam'; did you mean 'pan'?"),
        (SMALL + "\n[[enslaving]]\nchannel = 'Gazing.Roll'\nto = { pan = 0 }\n", "not nought"),
        (SMALL + "\n[[enslaving]]\nchannel = 'Gazing.Roll'\nto = { pan = [[0, 1]] }\n"
         "method = 'curve'\n", "two or more points"),
        (SMALL + "\n[rest]\ntilt = 90\n", "90 is outside the limits of 'tilt'"),
        (SMALL + "\n[rest]\ntlt = 0\n", "did you mean 'tilt'?"),
        (SMALL.replace('end_point = "head"', 'end_point = "hed"'), "did you mean 'head'?"),
        (SMALL.replace('joint = "tilt"', 'joint = "tlt"'), "did you mean 'tilt'?"),
        (SMALL.replace("max_velocity_deg_s", "max_velocty_deg_s"), "max_velocity_deg_s"),
        (SMALL.replace("[robot]", '[robot]\nstop = "panic"'), "robot.stop"),
        (SMALL.replace("lower_deg = -60", "lower_deg = nan"), "joints[0].lower_deg"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_answered_with_place_and_fix(tmp_path, text, expected):
    with pytest.raises(BodyError) as caught:
        load_body(folder_with(tmp_path, text))
    assert expected in str(caught.value)
    assert "body.toml:" in str(caught.value)


def test_all_problems_come_at_once_in_the_order_of_the_file(tmp_path):
    text = (
        SMALL + "\n[[enslaving]]\nchannel = 'Nose.Wiggle'\nto = { pan = 1 }\n[rest]\nnobody = 1\n"
    )
    with pytest.raises(BodyError) as caught:
        load_body(folder_with(tmp_path, text))
    lines = [problem.line for problem in caught.value.problems]
    assert len(lines) == 2
    assert lines == sorted(lines)
