"""Channels to servos, and the calibration of one unit."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.output import (
    ADELINO,
    KEEPON,
    CalibrationError,
    ServoMap,
    calibration_file,
    load_calibration,
    save_calibration,
)


def test_the_keepon_stands_at_90_in_its_zero_pose_and_bops_in_percent():
    pan, roll, tilt, bop = KEEPON.servos
    assert [servo.to_servo(0.0) for servo in (pan, roll, tilt)] == [90.0] * 3
    assert pan.to_servo(math.radians(-90.0)) == pytest.approx(0.0)
    assert tilt.to_servo(math.radians(45.0)) == pytest.approx(135.0)
    assert [bop.to_servo(share) for share in (0.0, 0.25, 1.0)] == [0.0, 25.0, 100.0]


def test_adelino_has_five_servos_and_two_lights():
    assert len(ADELINO.servos) == 5
    assert ADELINO.lights == ("Body.left_eye", "Body.right_eye")


@given(
    st.sampled_from([-1, 1]), st.floats(60.0, 120.0), st.floats(-20.0, 20.0), st.floats(-9.0, 9.0)
)
def test_a_servo_is_turned_back_exactly_and_never_leaves_its_range(sign, offset, near, far):
    servo = ServoMap(channel="Body.pan", sign=sign, offset=offset, lower=30.0, upper=150.0)
    value = math.radians(near)
    assert servo.to_channel(servo.to_servo(value)) == pytest.approx(value, abs=1e-9)
    assert 30.0 <= servo.to_servo(far) <= 150.0


@pytest.mark.parametrize(
    "wrong", [{"sign": 0}, {"offset": math.nan}, {"scale": 0.0}, {"lower": 170.0, "upper": 10.0}]
)
def test_a_servo_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=r"servo of 'Body\.pan'"):
        ServoMap(channel="Body.pan", **wrong)


def test_a_calibration_is_stored_for_a_unit_and_read_again(tmp_path: Path):
    pan = dataclasses.replace(KEEPON.servos[0], sign=-1, offset=92.5, lower=10.0, upper=170.0)
    unit = dataclasses.replace(KEEPON, servos=(pan, *KEEPON.servos[1:]))
    path = tmp_path / "new" / "keepon-desk.toml"
    save_calibration(path, unit, unit="desk")
    assert load_calibration(path, KEEPON) == unit
    assert [file.name for file in path.parent.iterdir()] == ["keepon-desk.toml"]


def test_the_file_stands_beside_the_users_settings(monkeypatch, tmp_path: Path):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    expected = tmp_path / "sera" / "calibration" / "keepon-desk.toml"
    assert calibration_file("keepon", "desk") == expected


def test_everything_wrong_in_a_file_is_named_with_line_and_nearest_name(tmp_path: Path):
    path = tmp_path / "keepon-desk.toml"
    path.write_text(
        'robot = "nao"\n'
        'unti = "desk"\n'
        '[servos."Body.pann"]\n'
        "sign = 1\n"
        '[servos."Body.tilt"]\n'
        "ofset = 90.0\n"
        "sign = true\n"
        '[servos."Body.roll"]\n'
        "sign = 2\n"
    )
    with pytest.raises(CalibrationError) as caught:
        load_calibration(path, KEEPON)
    found = [(problem.line, problem.nearest) for problem in caught.value.problems]
    assert found == [(1, None), (2, "unit"), (3, "Body.pan"), (6, "offset"), (7, None), (8, None)]


def test_servos_that_are_no_table_are_named(tmp_path: Path):
    path = tmp_path / "keepon.toml"
    path.write_text('robot = "keepon"\nservos = 3\n')
    with pytest.raises(CalibrationError, match="must be a table of servos"):
        load_calibration(path, KEEPON)
