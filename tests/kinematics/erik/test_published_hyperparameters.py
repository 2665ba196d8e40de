"""Settings of ERIK are checked where they are made."""

from __future__ import annotations

import dataclasses
import math

import pytest

from sera.kinematics.erik.hyperparameters import Hyperparameters


def test_the_documents_figures_are_the_defaults():
    chosen = Hyperparameters()
    assert chosen.orientation_weight == 1.0
    assert chosen.posture_weight == 0.2
    assert chosen.threshold == 0.04
    assert chosen.error_aggravation == 2.0
    assert chosen.lalut_step_rad == pytest.approx(math.radians(1.0))


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("threshold", -0.1, "0 or a number above 0"),
        ("threshold", math.nan, "finite number"),
        ("posture_weight", math.inf, "finite number"),
        ("orientation_weight", "1", "finite number"),
        ("error_aggravation", 0.0, "above 0"),
        ("ccd_precision", 0, "above 0"),
        ("disturbance_rad", -0.01, "0 or a number above 0"),
        ("disturbance_rad", 2.0, "small disturbance"),
        ("lalut_step_rad", 1e-6, "one degree"),
        ("lalut_step_rad", 1.0, "one degree"),
        ("max_iterations", 0, "at least 1"),
        ("max_iterations", 2.0, "whole number"),
        ("max_ccd_iterations", True, "whole number"),
        ("non_convergence_window", 1, "at least 2"),
        ("avoid_edges", 1, "True or False"),
        ("symmetric_endpoint", "yes", "True or False"),
    ],
)
def test_a_bad_value_is_refused_by_name_with_a_hint(name, value, hint):
    with pytest.raises(ValueError, match=hint) as raised:
        Hyperparameters(**{name: value})
    assert name in str(raised.value)


def test_two_weights_of_zero_are_refused():
    with pytest.raises(ValueError, match="every pose would be perfect"):
        Hyperparameters(orientation_weight=0.0, posture_weight=0.0)
    assert Hyperparameters(posture_weight=0.0).posture_weight == 0.0


def test_settings_cannot_be_changed_later():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Hyperparameters().threshold = 0.1  # type: ignore[misc]
