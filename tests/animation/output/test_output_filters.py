"""Choker, dirty filter and repeated-value filter."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.output import (
    Choker,
    DirtyFilter,
    OutputFilters,
    OutputFrame,
    RepeatedValueFilter,
)


def test_the_choker_keeps_its_rate_without_drift_for_an_hour():
    choker = Choker(30.0)
    sent = sum(choker.is_due(step * 0.007) for step in range(round(3600 / 0.007)))
    assert abs(sent - 3600 * 30) <= 1
    assert choker.skipped == 0


def test_the_choker_does_not_make_up_for_moments_that_were_missed():
    choker = Choker(50.0)
    assert choker.is_due(10.0)
    assert choker.is_due(11.0)
    assert not choker.is_due(11.001)
    assert choker.skipped == 49
    assert choker.wait_s(11.001) == pytest.approx(0.019)


@given(st.lists(st.floats(0.0, 0.1), min_size=1, max_size=200))
def test_the_choker_never_exceeds_its_rate_however_frames_come(gaps_s):
    choker = Choker(50.0)
    now_s, sent = 5.0, 0
    for gap_s in gaps_s:
        now_s += gap_s
        sent += choker.is_due(now_s)
    assert sent <= math.floor((now_s - 5.0) * 50.0 + 1e-2) + 1


@pytest.mark.parametrize("rate_hz", [0.0, -1.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_refused_with_a_sentence(rate_hz):
    with pytest.raises(ValueError, match="must be a number above zero"):
        Choker(rate_hz)


def test_an_untouched_frame_is_stopped_until_the_keep_alive():
    dirty = DirtyFilter(keep_alive_s=0.2)
    assert dirty.passes(dirty=True, now_s=0.0)
    assert not dirty.passes(dirty=False, now_s=0.1)
    assert dirty.passes(dirty=True, now_s=0.15)
    assert not dirty.passes(dirty=False, now_s=0.3)
    assert dirty.passes(dirty=False, now_s=0.36)


def test_a_repeated_value_is_left_out_until_the_refresh():
    repeated = RepeatedValueFilter(refresh_s=0.4)
    assert repeated.changed({"a": 1.0, "b": 2.0}, 0.0) == {"a": 1.0, "b": 2.0}
    assert repeated.changed({"a": 1.0, "b": 2.5}, 0.1) == {"b": 2.5}
    assert repeated.changed({"a": 1.0, "b": 2.5}, 0.4) == {"a": 1.0}


def test_slow_motion_is_not_swallowed_by_the_tolerance():
    repeated = RepeatedValueFilter(tolerance=0.01, refresh_s=math.inf)
    sent = [repeated.changed({"a": step * 0.004}, step * 0.02) for step in range(100)]
    last = [values["a"] for values in sent if values][-1]
    assert abs(last - 99 * 0.004) <= 0.01


def test_what_the_choker_holds_back_goes_out_with_the_next_frame():
    filters = OutputFilters(choker=Choker(50.0))
    assert filters.pass_on(OutputFrame(values={"a": 0.0, "b": 0.0}), dirty=True, now_s=0.0)
    touched = OutputFrame(values={"a": 1.0}, speeds={"a": 0.5})
    assert filters.pass_on(touched, dirty=True, now_s=0.005) is None
    later = filters.pass_on(OutputFrame(values={"b": 0.0}, sequence=3), dirty=False, now_s=0.02)
    assert later == OutputFrame(values={"a": 1.0}, speeds={"a": 0.5}, sequence=3)


def test_a_keep_alive_frame_without_values_still_goes_out():
    filters = OutputFilters()
    frame = OutputFrame(values={"a": 0.0})
    passed = [filters.pass_on(frame, dirty=step == 0, now_s=step * 0.02) for step in range(20)]
    alive = [result for result in passed if result is not None]
    assert [dict(result.values) for result in alive] == [{"a": 0.0}, {}]


def test_after_a_reset_everything_is_sent_again():
    filters = OutputFilters()
    frame = OutputFrame(values={"a": 0.0})
    filters.pass_on(frame, dirty=True, now_s=0.0)
    filters.reset()
    again = filters.pass_on(frame, dirty=False, now_s=0.001)
    assert again is not None
    assert again.values == {"a": 0.0}
