"""Curves: exact at keys, monotone between them, and the tangents' shapes."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.assets import Curve, Key

VALUES = st.floats(-100.0, 100.0)


@st.composite
def key_lists(draw, tangents=("smooth",)):
    gaps = draw(st.lists(st.floats(0.01, 5.0), min_size=2, max_size=8))
    times = np.cumsum(gaps).tolist()
    return [
        Key(t, draw(VALUES), draw(st.sampled_from(tangents)), draw(st.sampled_from(tangents)))
        for t in times
    ]


@given(key_lists(tangents=("smooth", "flat", "linear")), st.booleans())
def test_a_curve_is_exact_at_its_keys(keys, closed):
    curve = Curve.through(keys, closed=closed)
    for key in keys:
        assert curve.at(key.time_s) == key.value
        assert curve.sample([key.time_s])[0] == key.value


@given(key_lists(), st.booleans())
def test_smooth_curves_stay_between_neighbouring_keys(keys, closed):
    curve = Curve.through(keys, closed=closed)
    for first, second in pairwise(keys):
        values = curve.sample(np.linspace(first.time_s, second.time_s, 50))
        low, high = sorted((first.value, second.value))
        assert values.min() >= low - 1e-9
        assert values.max() <= high + 1e-9
        steps = np.diff(values) * np.sign(second.value - first.value)
        assert np.all(steps >= -1e-9)


@given(key_lists(tangents=("smooth", "flat", "linear", "hold")), st.floats(-1.0, 50.0))
def test_one_time_and_many_times_agree(keys, time_s):
    curve = Curve.through(keys)
    assert curve.at(time_s) == pytest.approx(curve.sample([time_s])[0], abs=1e-12)


def test_a_smooth_curve_begins_and_ends_at_rest():
    curve = Curve.through([Key(0.0, 0.0), Key(1.0, 5.0), Key(2.0, 8.0)])
    assert curve.slope([0.0])[0] == 0.0
    assert curve.sample([2.0 - 1e-6])[0] == pytest.approx(8.0, abs=1e-9)
    assert curve.slope([1.0])[0] > 0.0


def test_before_and_after_its_keys_a_curve_stays():
    curve = Curve.through([Key(1.0, 3.0), Key(2.0, 5.0)])
    assert [curve.at(t) for t in (-5.0, 0.99, 2.0, 99.0)] == [3.0, 3.0, 5.0, 5.0]


def test_linear_is_straight():
    curve = Curve.through([Key(0.0, 0.0, "linear", "linear"), Key(2.0, 6.0, "linear", "linear")])
    assert curve.sample([0.5, 1.0, 1.5]).tolist() == pytest.approx([1.5, 3.0, 4.5])


def test_hold_stays_and_then_jumps():
    curve = Curve.through([Key(0.0, 1.0, "hold", "hold"), Key(1.0, 4.0), Key(2.0, 4.0)])
    assert [curve.at(t) for t in (0.0, 0.5, 0.999999, 1.0)] == [1.0, 1.0, 1.0, 4.0]


def test_anticipation_goes_back_by_a_ninth_and_then_on():
    keys = [Key(0.0, 0.0, "anticipate", "anticipate"), Key(1.0, 90.0)]
    curve = Curve.through(keys)
    values = curve.sample(np.linspace(0.0, 1.0, 1001))
    assert values.min() == pytest.approx(-10.0)
    assert curve.value_range() == (pytest.approx(-10.0), pytest.approx(90.0))
    assert curve.slope([0.0])[0] == 0.0  # no jump in the velocity: a body can do it
    turn = int(np.argmin(values))
    assert np.all(np.diff(values[: turn + 1]) <= 1e-12)
    assert np.all(np.diff(values[turn:]) >= -1e-12)


def test_a_slope_that_is_asked_for_is_obeyed():
    curve = Curve.through([Key(0.0, 0.0, 0.0, -30.0), Key(1.0, 90.0, 0.0, 0.0)])
    assert curve.slope([0.0])[0] == -30.0
    assert curve.value_range()[0] < 0.0


def test_a_closed_curve_passes_its_seam_without_stopping():
    keys = [Key(0.0, 0.0), Key(1.0, 1.0), Key(3.0, -1.0), Key(4.0, 0.0)]
    curve = Curve.through(keys, closed=True)
    assert curve.slope([0.0])[0] == pytest.approx(curve.knots.arriving[-1])
    assert curve.slope([0.0])[0] > 0.5


@given(key_lists(tangents=("smooth", "linear", "hold")), st.lists(st.floats(0.0, 40.0), max_size=5))
def test_cutting_changes_nothing(keys, cuts):
    curve = Curve.through(keys)
    # Cuts next to a knot divide by their distance: those are not asked for.
    cuts = [cut for cut in cuts if all(abs(cut - key.time_s) > 1e-3 for key in keys)]
    times = np.linspace(0.0, keys[-1].time_s + 1.0, 101)
    cut = curve.cut_at(cuts)
    away = np.array([all(abs(t - key.time_s) > 1e-9 for key in keys) for t in times])
    np.testing.assert_allclose(cut.sample(times)[away], curve.sample(times)[away], atol=1e-6)


@given(key_lists(tangents=("smooth", "flat", "linear")))
def test_the_range_holds_every_value(keys):
    curve = Curve.through(keys)
    low, high = curve.value_range()
    values = curve.sample(np.linspace(keys[0].time_s, keys[-1].time_s, 400))
    assert low - 1e-9 <= values.min()
    assert values.max() <= high + 1e-9


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ([Key(0.0, 0.0)], "two keys"),
        ([Key(0.0, 0.0), Key(0.0, 1.0)], "increase"),
        ([Key(0.0, math.nan), Key(1.0, 1.0)], "finite"),
    ],
)
def test_keys_that_make_no_curve_are_refused_with_a_sentence(keys, words):
    with pytest.raises(ValueError, match=words):
        Curve.through(keys)
