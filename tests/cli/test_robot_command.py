"""`sera robot show`: a body at a glance, in a terminal, as JSON and as a picture."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sera.cli import app


def invoke(*words: str):
    return CliRunner().invoke(app, ["robot", "show", *words])


@pytest.mark.parametrize("name", ["adelino", "emys", "keepon", "nao", "nao_t14", "pepper"])
def test_every_body_is_shown_with_its_tree_and_channels(name):
    answer = invoke(name)
    assert answer.exit_code == 0, answer.output
    assert "Gazing.Horizontal" in answer.output
    assert "an emergency stop means: hold" in answer.output


def test_the_tree_branches_where_the_body_does():
    lines = invoke("nao_t14").output.splitlines()
    assert "├ HeadYaw  y  -120° … 120°" in lines
    assert "│ └ HeadPitch  x  -38° … 30°" in lines


def test_json_has_the_units_of_the_file():
    data = json.loads(invoke("adelino", "--json").output)
    base = next(channel for channel in data["channels"] if channel["name"] == "Body.base")
    assert (base["unit"], base["lower"], base["upper"]) == ("deg", -90.0, 90.0)
    assert data["chains"] == [{"name": "gaze", "end_point": "head", "symmetric": True}]


def test_a_drawing_is_written(tmp_path):
    picture = tmp_path / "pepper.png"
    answer = invoke("pepper", "--draw", str(picture))
    assert answer.exit_code == 0, answer.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_unknown_robot_is_answered_with_the_nearest_name():
    answer = invoke("peper")
    assert answer.exit_code != 0
    assert "did you mean 'pepper'?" in answer.output
