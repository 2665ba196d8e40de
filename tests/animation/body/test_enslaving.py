"""Enslaving rules: what a generic channel does to a body's own ones."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.body import Curve, Share, Weights
from sera.animation.channels import ChannelSpec

OWN = {
    "low": ChannelSpec(name="Body.low", lower=-0.5, upper=0.5),
    "high": ChannelSpec(name="Body.high", lower=-1.0, upper=2.0, neutral=0.3),
    "back": ChannelSpec(name="Body.back", lower=-0.4, upper=0.9),
}
values = st.floats(-10.0, 10.0)


@given(values)
def test_a_share_turns_each_by_its_factor_within_its_range(value):
    offsets = Share("Gazing.Vertical", {"low": 0.5, "high": -2.0}).distribute(value, OWN)
    assert offsets["low"] == pytest.approx(min(max(0.5 * value, -0.5), 0.5))
    assert offsets["high"] == pytest.approx(min(max(-2.0 * value, -1.3), 1.7))


@given(values)
def test_weights_add_up_to_the_value_as_long_as_anybody_can_move(value):
    rule = Weights("Gazing.Vertical", {"low": 1.0, "high": 2.0, "back": -1.0})
    offsets = rule.distribute(value, OWN)
    total = offsets["low"] + offsets["high"] - offsets["back"]
    lowest, highest = rule.reach(OWN)
    assert total == pytest.approx(min(max(value, lowest), highest), abs=1e-9)
    for name, offset in offsets.items():
        spec = OWN[name]
        assert spec.lower - 1e-12 <= spec.neutral + offset <= spec.upper + 1e-12


def test_weights_keep_their_proportions_while_nobody_is_at_a_limit():
    offsets = Weights("Gazing.Vertical", {"low": 1.0, "high": 3.0}).distribute(0.4, OWN)
    assert offsets == pytest.approx({"low": 0.1, "high": 0.3})


@given(st.floats(-1.0, 2.0))
def test_a_curve_is_straight_between_its_points_and_held_beyond(value):
    rule = Curve("Eyes.LeftLid", {"low": ((0.0, 0.5), (0.5, 0.0), (1.0, -0.5))})
    offset = rule.distribute(value, OWN)["low"]
    assert offset == pytest.approx(0.5 - min(max(value, 0.0), 1.0))


def test_reach_is_what_all_can_follow():
    assert Share("Gazing.Roll", {"low": -1.0}).reach(OWN) == (-0.5, 0.5)
    assert Share("Gazing.Roll", {"low": 1.0, "back": 0.5}).reach(OWN) == (-0.5, 0.5)
    assert Weights("Gazing.Roll", {"low": 1.0, "back": -1.0}).reach(OWN) == pytest.approx(
        (-1.4, 0.9)
    )
    assert Curve("Face.Mouth", {"low": ((0.1, 0.0), (0.8, 0.5))}).reach(OWN) == (0.1, 0.8)
    assert math.isclose(Weights("Gazing.Roll", {"high": 2.0}).reach(OWN)[1], 1.7)
