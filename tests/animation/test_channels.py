"""Channels: ranges, percent and valence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec

SPEC = ChannelSpec(name="Body.lid", lower=-0.5, upper=1.5, neutral=0.2)


def test_a_name_has_a_set_and_a_rest():
    assert (SPEC.body_set, SPEC.own_name) == ("Body", "lid")


@given(st.floats(0.0, 1.0))
def test_percent_goes_there_and_back(share):
    assert SPEC.to_percent(SPEC.from_percent(share)) == pytest.approx(share, abs=1e-12)


@given(st.floats(-1.0, 1.0))
def test_valence_goes_there_and_back(valence):
    assert SPEC.to_valence(SPEC.from_valence(valence)) == pytest.approx(valence, abs=1e-12)


def test_ends_and_middle_are_exact():
    assert SPEC.from_percent(0.0) == -0.5
    assert SPEC.from_percent(1.0) == 1.5
    assert SPEC.from_valence(-1.0) == -0.5
    assert SPEC.from_valence(0.0) == 0.2
    assert SPEC.from_valence(1.0) == 1.5
    assert SPEC.clamp(9.0) == 1.5


def test_a_channel_that_rests_at_its_end_has_no_valence_beyond_it():
    shut = ChannelSpec(name="Body.lid", lower=0.0, upper=1.0, neutral=0.0)
    assert shut.to_valence(0.0) == 0.0
    assert shut.to_valence(1.0) == 1.0
