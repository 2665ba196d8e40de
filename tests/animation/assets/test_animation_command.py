"""`sera animation`: check, show and convert as a person calls them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sera.animation.assets import check, load_animation, load_limits
from sera.cli._animation import app
from sera.cli._errors import CommandError
from sera.runtime.located import FileProblems

NOD = """[animation]
title = "Nod"
anchors = { stroke = 0.25 }
[[channels]]
name = "Gazing.Vertical"
keys = [[0.0, 0], [0.25, -14], [0.55, 4], [0.8, 0]]
"""
LIMITS = """[[channels]]
name = "Gazing.Vertical"
lower = -40
upper = 40
max_velocity = 60
max_acceleration = 600
max_jerk = 20000
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "nod.toml").write_text(NOD)
    (tmp_path / "limits.toml").write_text(LIMITS)
    return tmp_path


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_check_lists_what_is_broken_and_writes_the_ghost(files):
    ghost, picture = files / "ghost.toml", files / "nod.png"
    result = call(
        *("check", files / "nod.toml", "--limits", files / "limits.toml"),
        *("--ghost", ghost, "--figure", picture),
    )
    assert result.exit_code == 1
    assert "velocity" in result.output
    assert "deg/s" in result.output
    assert picture.stat().st_size > 10_000
    specs = load_limits(files / "limits.toml")
    for rate_hz in (50.0, 1000.0):
        assert check(load_animation(ghost, specs), specs, rate_hz) == []
    again = call("check", ghost, "--limits", files / "limits.toml")
    assert again.exit_code == 0
    assert "within all limits" in again.output


def test_check_speaks_json(files):
    result = call("check", files / "nod.toml", "--limits", files / "limits.toml", "--json")
    data = json.loads(result.output)
    assert result.exit_code == 1
    assert {each["kind"] for each in data["violations"]} >= {"velocity", "acceleration"}


def test_check_knows_the_robot_by_the_folder(files, tmp_path):
    from sera.cli._robot import find_body

    robot = tmp_path / "robots" / "mine"
    (robot / "animations").mkdir(parents=True)
    body = (find_body("adelino").folder / "body.toml").read_text()
    (robot / "body.toml").write_text(body)
    file = robot / "animations" / "nod.toml"
    file.write_text(NOD)
    assert json.loads(call("check", file, "--json").output)["animation"] == "nod"
    assert call("check", files / "nod.toml", "--robot", "adelino").exit_code in (0, 1)


def test_check_without_a_body_says_how_to_name_one(files):
    result = call("check", files / "nod.toml")
    assert isinstance(result.exception, CommandError)
    assert "--robot NAME" in str(result.exception)


def test_show_tells_what_moves(files):
    result = call("show", files / "nod.toml")
    assert result.exit_code == 0
    assert "Nod: 0.8 s, added to the posture" in result.output
    assert "anchor stroke at 0.25 s" in result.output
    data = json.loads(call("show", files / "nod.toml", "--json").output)
    assert data["channels"][0]["lowest"] == -14.0


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.toml", "out.naoqi.json"])
def test_convert_writes_what_the_suffix_says(files, name):
    result = call("convert", files / "nod.toml", files / name)
    assert result.exit_code == 0, result.exception
    if "naoqi" in name:
        assert json.loads((files / name).read_text())["names"] == ["HeadPitch"]
    else:
        shown = json.loads(call("show", files / name, "--json").output)
        assert shown["channels"][0]["lowest"] == -14.0


def test_what_cannot_be_done_is_said(files):
    broken = files / "broken.toml"
    broken.write_text(NOD.replace("0.25, -14", "0.9, -14"))
    assert isinstance(call("show", broken).exception, FileProblems)
    for words in (
        ("convert", files / "nod.toml", files / "out.xlsx"),
        ("convert", files / "nod.fbx", files / "out.toml"),
        ("show", files / "nod.toml", "--map", files / "map.toml"),
        ("check", files / "nod.toml", "--limits", files / "limits.toml", "--rate", "5"),
    ):
        assert isinstance(call(*words).exception, CommandError)
