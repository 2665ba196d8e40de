"""The partial frame's own operators, as published; and that a view and its row are one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec, Kind, Unit
from sera.animation.frame import ChannelLayout, FrameBlock, FrameBuffer, FrameType

PAN, LIGHT, MOOD, SLIDE, FREE = "Body.pan", "Lights.Eye", "Face.Mood", "Base.Forward", "Body.free"
LAYOUT = ChannelLayout(
    [
        ChannelSpec(name=PAN, lower=-1.0, upper=2.0, neutral=0.5),
        ChannelSpec(name=LIGHT, kind=Kind.DISPLAY, unit=Unit.PERCENT, lower=0.0, upper=1.0),
        ChannelSpec(name=MOOD, kind=Kind.DISPLAY, unit=Unit.VALENCE, lower=-1.0, upper=1.0),
        ChannelSpec(name=SLIDE, kind=Kind.SPATIAL, unit=Unit.METRE, lower=-2.0, upper=2.0),
        ChannelSpec(name=FREE, lower=-math.inf, upper=math.inf),
    ]
)


def fresh() -> FrameBuffer:
    return FrameBuffer(LAYOUT, "toy", 0.02)


def test_a_fresh_buffer_says_nothing_and_has_the_documented_defaults():
    buffer = fresh()
    assert (buffer.body_name, buffer.delta_s, buffer.dirty) == ("toy", 0.02, False)
    assert buffer.active_channels == ()
    for name in LAYOUT.names:
        assert buffer.value(name) == 0.0
        assert (buffer.mask(name), buffer.speed_mask(name)) == (False, False)
        assert (buffer.passthrough(name), buffer.speed(name)) == (1.0, 1.0)


def test_each_channel_has_its_own_type_at_first():
    types = [fresh().frame_type(name) for name in LAYOUT.names]
    assert types == ["radian", "percent", "valence", "metre", "radian"]


def test_setting_a_value_marks_the_channel_and_the_frame():
    buffer = fresh()
    buffer.set_value(PAN, 0.25)
    assert (buffer.value(PAN), buffer.mask(PAN), buffer.dirty) == (0.25, True, True)
    assert buffer.speed_mask(PAN) is False
    assert buffer.active_channels == (PAN,)


def test_setting_a_speed_marks_the_frame_but_not_the_value():
    buffer = fresh()
    buffer.set_speed(PAN, 0.5)
    assert (buffer.speed(PAN), buffer.speed_mask(PAN), buffer.dirty) == (0.5, True, True)
    assert buffer.mask(PAN) is False


def test_clearing_the_only_used_channel_takes_the_dirty_flag_away():
    buffer = fresh()
    buffer.set_value(PAN, 0.25)
    buffer.set_speed(PAN, 0.5)
    buffer.set_passthrough(PAN, 0.3)
    buffer.touch()
    buffer.clear_value(PAN)
    assert buffer.dirty is False
    assert (buffer.own_value(PAN), buffer.mask(PAN)) == (0.0, False)
    assert (buffer.speed(PAN), buffer.speed_mask(PAN), buffer.passthrough(PAN)) == (1.0, False, 1.0)


@pytest.mark.parametrize("use", [FrameBuffer.set_value, FrameBuffer.set_speed])
def test_clearing_one_of_two_used_channels_leaves_the_frame_dirty(use):
    buffer = fresh()
    buffer.set_value(PAN, 0.25)
    use(buffer, LIGHT, 0.5)
    buffer.clear_value(PAN)
    assert buffer.dirty is True


def test_touching_marks_the_frame_without_any_value():
    buffer = fresh()
    buffer.touch()
    assert (buffer.dirty, buffer.used) == (True, False)


def test_a_passthrough_alone_animates_nothing():
    buffer = fresh()
    buffer.set_passthrough(PAN, 0.2)
    assert (buffer.passthrough(PAN), buffer.dirty) == (0.2, False)


def test_retiming_changes_the_time_alone():
    buffer = fresh()
    buffer.retime(0.033)
    assert (buffer.delta_s, buffer.dirty) == (0.033, False)


def test_degrees_are_written_and_read_as_degrees_and_kept_as_radians():
    buffer = fresh()
    buffer.set_value(PAN, 90.0, FrameType.DEGREE)
    assert buffer.own_value(PAN) == math.pi / 2
    assert buffer.value(PAN) == 90.0
    assert buffer.convert(PAN, FrameType.RADIAN) == math.pi / 2
    buffer.set_value(PAN, 0.1)
    assert buffer.own_value(PAN) == 0.1


@pytest.mark.parametrize(
    ("frame_type", "lowest", "neutral", "highest"),
    [
        (FrameType.PERCENT, 0.0, 0.5, 1.0),
        (FrameType.VALENCE, -1.0, 0.0, 1.0),
    ],
)
def test_percent_and_valence_go_through_the_range(frame_type, lowest, neutral, highest):
    buffer = fresh()
    for own, shown in ((-1.0, lowest), (0.5, neutral), (2.0, highest)):
        buffer.set_value(PAN, own, FrameType.RADIAN)
        assert buffer.convert(PAN, frame_type) == shown
        buffer.set_value(PAN, shown)
        assert buffer.own_value(PAN) == own


@given(st.floats(-10.0, 10.0), st.lists(st.sampled_from(list(FrameType)[:4]), max_size=6))
def test_converting_to_and_fro_never_changes_what_a_channel_does(value, ways):
    buffer = fresh()
    buffer.set_value(PAN, value)
    for way in ways:
        buffer.convert(PAN, way)
    assert buffer.own_value(PAN) == value
    assert buffer.convert(PAN, FrameType.RADIAN) == value


@pytest.mark.parametrize(
    ("channel", "frame_type", "sentence"),
    [
        (LIGHT, FrameType.DEGREE, "is kept in percent and has no value in degree"),
        (SLIDE, FrameType.RADIAN, "is kept in metre and has no value in radian"),
        (PAN, FrameType.METRE, "is kept in radian and has no value in metre"),
        (FREE, FrameType.PERCENT, "ranges from -inf to inf, of which there is no percent"),
        (FREE, FrameType.VALENCE, "of which there is no valence"),
    ],
)
def test_a_type_that_a_channel_cannot_have_is_refused_and_nothing_changes(
    channel, frame_type, sentence
):
    buffer = fresh()
    before = buffer.frame_type(channel)
    with pytest.raises(ValueError, match=sentence):
        buffer.convert(channel, frame_type)
    with pytest.raises(ValueError, match=sentence):
        buffer.set_value(channel, 0.5, frame_type)
    assert (buffer.frame_type(channel), buffer.dirty) == (before, False)


def test_light_and_metres_have_percent_and_valence():
    buffer = fresh()
    buffer.set_value(SLIDE, 1.0, FrameType.METRE)
    assert buffer.convert(SLIDE, FrameType.PERCENT) == 0.75
    assert buffer.convert(SLIDE, FrameType.VALENCE) == 0.5
    buffer.set_value(LIGHT, 0.4)
    assert buffer.convert(LIGHT, FrameType.VALENCE) == 0.4


def test_a_clone_and_its_original_know_nothing_of_each_other():
    buffer = fresh()
    buffer.set_value(PAN, 30.0, FrameType.DEGREE)
    buffer.set_speed(LIGHT, 0.5)
    buffer.set_passthrough(MOOD, 0.2)
    copy = buffer.clone()
    assert (copy.body_name, copy.delta_s, copy.dirty) == ("toy", 0.02, True)
    assert (copy.value(PAN), copy.frame_type(PAN)) == (buffer.value(PAN), FrameType.DEGREE)
    assert (copy.speed(LIGHT), copy.passthrough(MOOD)) == (0.5, 0.2)
    copy.multiply(2.0)
    copy.retime(1.0)
    buffer.clear_value(LIGHT)
    assert copy.own_value(PAN) == 2.0 * buffer.own_value(PAN)
    assert (copy.speed_mask(LIGHT), buffer.delta_s) == (True, 0.02)


def test_multiplying_takes_active_channels_alone_and_leaves_speeds():
    buffer = fresh()
    buffer.set_value(PAN, 0.5)
    buffer.set_speed(PAN, 0.7)
    buffer.set_value(LIGHT, 0.5)
    buffer.clear_value(LIGHT)
    buffer.block.values[0, 1] = 9.0  # inactive
    buffer.multiply(-3.0)
    assert (buffer.value(PAN), buffer.speed(PAN), buffer.own_value(LIGHT)) == (-1.5, 0.7, 9.0)


def test_clamping_brings_active_values_into_their_ranges():
    buffer = fresh()
    buffer.set_value(PAN, 7.0)
    buffer.set_value(LIGHT, -0.2)
    buffer.set_value(MOOD, 0.3)
    buffer.clamp()
    assert [buffer.value(name) for name in (PAN, LIGHT, MOOD)] == [2.0, 0.0, 0.3]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_by_name(value):
    buffer = fresh()
    with pytest.raises(ValueError, match=r"'Body\.pan' cannot be set to"):
        buffer.set_value(PAN, value)
    with pytest.raises(ValueError, match=r"speed of channel 'Body\.pan' cannot be"):
        buffer.set_speed(PAN, value)
    with pytest.raises(ValueError, match=r"passthrough of channel 'Body\.pan' cannot be"):
        buffer.set_passthrough(PAN, value)
    with pytest.raises(ValueError, match="cannot be multiplied by"):
        buffer.multiply(value)
    with pytest.raises(ValueError, match="cannot cover"):
        buffer.retime(value)
    assert buffer.dirty is False


def test_an_unknown_channel_is_answered_with_the_nearest_name():
    with pytest.raises(LookupError, match=r"did you mean 'Body\.pan'"):
        fresh().set_value("Body.pann", 0.0)


def test_a_view_and_its_row_are_one():
    block = FrameBlock(LAYOUT, 3, "toy")
    view = FrameBuffer.on_row(block, 1)
    view.set_value(PAN, 0.25)
    view.retime(0.5)
    assert block.values[:, 0].tolist() == [0.0, 0.25, 0.0]
    assert block.masks[:, 0].tolist() == [0, 1, 0]
    assert block.delta_s.tolist() == [0.0, 0.5, 0.0]
    block.values[1, 1] = 0.75
    block.masks[1, 1] = 1
    assert view.active_channels == (PAN, LIGHT)
    assert view.value(LIGHT) == 0.75
    assert FrameBuffer.on_row(block, 0).dirty is False


def test_a_row_that_is_written_past_the_view_makes_it_dirty():
    block = FrameBlock(LAYOUT, 1)
    view = FrameBuffer.on_row(block, 0)
    block.masks[0, 2] = 1
    assert view.dirty is True


def test_a_new_frame_empties_the_rows_and_keeps_what_the_program_set():
    block = FrameBlock(LAYOUT, 2, "toy")
    block.layer_weights[1] = 0.25
    block.layer_masks[1, 0] = 0.0
    view = FrameBuffer.on_row(block, 1)
    view.set_value(PAN, 30.0, FrameType.DEGREE)
    view.set_speed(PAN, 0.2)
    view.set_passthrough(PAN, 0.2)
    view.touch()
    arrays = [block.values, block.masks, block.passthrough, block.speeds, block.speed_masks]
    block.begin_frame(0.04)
    assert (view.dirty, view.delta_s, view.speed(PAN), view.passthrough(PAN)) == (
        False,
        0.04,
        1.0,
        1.0,
    )
    assert (block.layer_weights[1], block.layer_masks[1, 0]) == (0.25, 0.0)
    assert view.frame_type(PAN) is FrameType.DEGREE
    assert np.shares_memory(arrays[0], block.values)


def test_a_row_that_does_not_exist_is_refused():
    with pytest.raises(LookupError, match="no row 2; this block has 2"):
        FrameBuffer.on_row(FrameBlock(LAYOUT, 2), 2)
    with pytest.raises(ValueError, match="at least one row"):
        FrameBlock(LAYOUT, 0)
