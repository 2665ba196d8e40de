"""Shapes from 0 to 1: golden values, ends, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.kinematics.continuous import error_gate, fall, limit_activation, ramp, rise
from sera.kinematics.priority._limits import activation

quick = settings(deadline=None, max_examples=60)
shares = st.floats(0.0, 1.0)


@pytest.mark.parametrize(("depth", "expected"), [(0.02, 0.00055), (0.05, 0.5), (0.08, 0.99945)])
def test_f_beta_has_the_documents_values(depth, expected):
    assert rise(depth, 0.1) == pytest.approx(expected, abs=5e-6)


def test_f_beta_is_the_printed_formula():
    beta, x = 0.1, np.linspace(0.004, 0.096, 24)
    printed = 0.5 * (1 + np.tanh(beta / (beta - x) - beta / x))
    np.testing.assert_allclose(rise(x, beta), printed, atol=1e-12)


@pytest.mark.parametrize(
    ("error", "expected"), [(0.00125, 0.935), (0.0015, 0.5), (0.00175, 0.065), (0.001, 1.0)]
)
def test_f_l_has_the_documents_values(error, expected):
    assert error_gate(error) == pytest.approx(expected, abs=5e-4)
    assert fall(error, 0.001, 0.002) == error_gate(error)


def test_f_l_with_a_slope_is_the_printed_formula():
    low, high, slope, x = 0.2, 0.9, 0.25, np.linspace(0.22, 0.88, 12)
    printed = 0.5 * (1 - np.tanh(slope / (high - x) - slope / (x - low)))
    np.testing.assert_allclose(fall(x, low, high, slope), printed, atol=1e-12)
    middle, step = 0.5 * (low + high), 1e-6
    measured = (fall(middle + step, low, high, slope) - fall(middle - step, low, high, slope)) / (
        2 * step
    )
    assert measured == pytest.approx(-4 * slope / (high - low) ** 2, rel=1e-6)


def test_a_ramp_is_the_printed_formula_and_ends_where_it_is_told():
    low, high, x = -0.3, 0.5, np.linspace(-0.28, 0.48, 12)
    half = 0.5 * (high - low)
    printed = 0.5 * (1 + np.tanh(half / (high - x) - half / (x - low)))
    np.testing.assert_allclose(ramp(x, low, high), printed, atol=1e-12)
    assert ramp([low - 1, low, 0.1, high, high + 1], low, high).tolist() == [0, 0, 0.5, 1, 1]


def test_a_joint_is_held_at_its_end_and_beyond_it():
    expected = [1.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0]
    found = limit_activation([-1.3, -1.0, -0.95, -0.9, 0.0, 0.9, 0.95, 1.0, 7.0])
    np.testing.assert_allclose(found, expected, atol=1e-12)


@quick
@given(shares, st.floats(0.01, 1.0))
def test_the_priority_controllers_activation_is_the_same_shape(share, band):
    # The way through the band is computed in two manners that round differently.
    assert rise(share * band, band) == pytest.approx(activation(share * band, band), abs=1e-6)


@quick
@given(shares, shares)
def test_shapes_only_rise(first, second):
    low, high = sorted((first, second))
    assert rise(low, 1.0) <= rise(high, 1.0)
    assert ramp(low, 0.0, 1.0) <= ramp(high, 0.0, 1.0)
    assert fall(low, 0.0, 1.0) >= fall(high, 0.0, 1.0)


def test_numbers_give_numbers_and_arrays_arrays_of_their_shape():
    assert isinstance(rise(0.05, 0.1), float)
    assert isinstance(limit_activation(0.95), float)
    grid = np.linspace(0.0, 1.0, 6).reshape(2, 3)
    assert ramp(grid, 0.0, 1.0).shape == (2, 3)
    assert ramp(grid, 0.0, 1.0)[1, 2] == ramp(1.0, 0.0, 1.0)
    assert error_gate(math.inf) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rise(0.1, 0.0), "has to end above"),
        (lambda: ramp(0.1, 1.0, 1.0), "has to end above"),
        (lambda: fall(0.1, 0.0, 1.0, 0.0), "slope"),
        (lambda: limit_activation(0.1, 1.5), "half range"),
        (lambda: limit_activation([0.1, math.nan]), "give numbers"),
        (lambda: rise("deep", 0.1), "give numbers"),
    ],
)
def test_what_is_no_number_or_no_band_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
