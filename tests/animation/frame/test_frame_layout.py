"""Names become columns once; what is no channel or no range is refused with a sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sera.animation.channels import ChannelSpec, Kind, Unit
from sera.animation.frame import ChannelLayout

PAN = ChannelSpec(name="Body.head_pan", lower=-1.0, upper=2.0, neutral=0.5, max_velocity=3.0)
LIGHT = ChannelSpec(
    name="Lights.Brightness", kind=Kind.DISPLAY, unit=Unit.PERCENT, lower=0.0, upper=1.0
)
TILT = ChannelSpec(name="Body.head_tilt")
LAYOUT = ChannelLayout([PAN, LIGHT, TILT])


def test_columns_follow_the_order_of_the_channels():
    assert [LAYOUT.index(name) for name in LAYOUT.names] == [0, 1, 2]
    assert LAYOUT.indices(["Body.head_tilt", 0]).tolist() == [2, 0]
    assert len(LAYOUT) == 3
    assert "Body.head_pan" in LAYOUT
    assert "Body.tail" not in LAYOUT


def test_the_arrays_hold_what_the_channels_say():
    assert LAYOUT.lower.tolist() == [-1.0, 0.0, -math.pi]
    assert LAYOUT.upper.tolist() == [2.0, 1.0, math.pi]
    assert LAYOUT.neutral.tolist() == [0.5, 0.0, 0.0]
    assert LAYOUT.max_velocity.tolist() == [3.0, math.inf, math.inf]
    assert LAYOUT.units == (Unit.RADIAN, Unit.PERCENT, Unit.RADIAN)


def test_a_body_set_gives_its_columns():
    assert LAYOUT.of_set("Body").tolist() == [0, 2]
    assert LAYOUT.of_set("Voice").tolist() == []


def test_an_unknown_channel_is_answered_with_the_nearest_name():
    with pytest.raises(LookupError, match=r"'Body\.head_pam'; did you mean 'Body\.head_pan'\?"):
        LAYOUT.index("Body.head_pam")


def test_a_name_like_no_other_is_answered_with_all_names():
    with pytest.raises(LookupError, match=r"this body has Body\.head_pan, Lights\.Brightness"):
        LAYOUT.index("xyz")


@pytest.mark.parametrize("column", [-1, 3])
def test_a_column_outside_is_no_channel(column):
    with pytest.raises(LookupError, match=f"no channel number {column}"):
        LAYOUT.index(column)


def test_two_channels_of_one_name_are_refused():
    with pytest.raises(ValueError, match=r"two channels are called 'Body\.head_tilt'"):
        ChannelLayout([TILT, PAN, TILT])


@pytest.mark.parametrize(
    "spec",
    [
        ChannelSpec(name="Body.x", lower=1.0, upper=0.0),
        ChannelSpec(name="Body.x", lower=math.nan),
        ChannelSpec(name="Body.x", upper=math.nan),
        ChannelSpec(name="Body.x", neutral=math.nan),
        ChannelSpec(name="Body.x", upper=math.inf, neutral=math.inf),
        ChannelSpec(name="Body.x", neutral=4.0),
    ],
)
def test_what_is_no_range_is_refused_by_name(spec):
    with pytest.raises(ValueError, match=r"channel 'Body\.x'"):
        ChannelLayout([spec])


def test_the_arrays_cannot_be_written():
    for array in (LAYOUT.lower, LAYOUT.upper, LAYOUT.neutral):
        assert isinstance(array, np.ndarray)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_a_body_without_channels_has_an_empty_layout():
    assert len(ChannelLayout([])) == 0
