"""`sera evaluate motion`: the figures of a body, for people and for scripts."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from sera.cli import app


def test_a_body_that_moves_well_is_said_so():
    result = CliRunner().invoke(app, ["evaluate", "motion", "keepon", "--frames", "500", "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert row["robot"] == "keepon"
    assert row["met"] is True
    assert row["frames_beyond_limits"] == 0
    assert 0.0 < row["gaze_arrives_s"] <= row["gaze_allowed_s"]
    assert set(row["gestures"]) == {"nod", "shake", "affirm", "wave"}


def test_people_get_a_table_with_the_bars():
    result = CliRunner().invoke(app, ["evaluate", "motion", "emys", "--frames", "100"])
    assert result.exit_code == 0, result.output
    assert "emys" in result.stdout
    assert "good" in result.stdout
    assert "60° gaze step" in result.stdout


def test_an_unknown_robot_gets_the_nearest_name():
    result = CliRunner().invoke(app, ["evaluate", "motion", "keepn"])
    assert result.exit_code == 2
    assert "did you mean 'keepon'?" in result.output
