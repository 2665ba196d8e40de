"""Thresholds with hysteresis."""

from __future__ import annotations

import math

import pytest

from sera.animation.output import BodyReading, HealthLevel, HealthMonitor, Thresholds


def _hot(temperature_c):
    return BodyReading(time_s=0.0, temperature_c={"Body.pan": temperature_c})


def test_a_motor_that_warms_up_is_warned_of_then_calmed_then_rested():
    monitor = HealthMonitor()
    levels = [monitor.update(_hot(value)).name for value in (59.9, 60.0, 70.0, 80.0)]
    assert levels == ["OK", "WARN", "CALM", "REST"]
    assert monitor.problem == "the temperature of Body.pan is at 80 °C"


def test_a_level_is_left_only_beyond_the_hysteresis():
    monitor = HealthMonitor()
    levels = [monitor.update(_hot(value)).name for value in (80.0, 75.1, 74.9, 65.1, 64.9, 54.9)]
    assert levels == ["REST", "REST", "CALM", "CALM", "WARN", "OK"]
    assert monitor.problem is None


def test_a_battery_is_bad_when_it_is_low():
    monitor = HealthMonitor()
    charges = (0.5, 0.2, 0.1, 0.05, 0.07, 0.09, 0.5)
    levels = [monitor.update(BodyReading(time_s=0.0, battery=charge)).name for charge in charges]
    assert levels == ["OK", "WARN", "CALM", "REST", "REST", "CALM", "OK"]


def test_the_worst_quantity_decides_and_one_cooling_joint_does_not_hide_a_hot_one():
    monitor = HealthMonitor()
    monitor.update(BodyReading(time_s=0.0, temperature_c={"a": 71.0, "b": 20.0}))
    assert monitor.update(_hot(20.0)) is HealthLevel.CALM


def test_a_reading_that_is_no_number_changes_nothing():
    monitor = HealthMonitor()
    monitor.update(_hot(71.0))
    assert monitor.update(_hot(math.nan)) is HealthLevel.CALM


def test_thresholds_in_no_order_are_refused():
    with pytest.raises(ValueError, match="get worse one after the other"):
        Thresholds(warn=60.0, calm=50.0, rest=70.0, hysteresis=1.0)
