"""Add, subtract and override of partial frames: the published rules and their algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.channels import ChannelSpec, Unit
from sera.animation.frame import (
    BlendMode,
    ChannelLayout,
    FrameBuffer,
    FrameType,
    add,
    blend,
    override,
    subtract,
)

NAMES = ("Body.a", "Body.b", "Body.c", "Body.d")
LAYOUT = ChannelLayout([ChannelSpec(name=name) for name in NAMES])
OTHER = ChannelLayout([ChannelSpec(name=name) for name in ("Body.x", "Body.c", "Body.a")])
PARTS = ("values", "masks", "passthrough", "speeds", "speed_masks", "frame_types")
NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def buffers(draw: st.DrawFn, layout: ChannelLayout = LAYOUT) -> FrameBuffer:
    buffer = FrameBuffer(layout, draw(st.sampled_from(["one", "two"])), draw(st.floats(0.0, 1.0)))
    for column in range(len(layout)):
        if draw(st.booleans()):
            buffer.set_value(column, draw(NUMBERS))
        if draw(st.booleans()):
            buffer.set_speed(column, draw(st.floats(0.0, 10.0)))
        buffer.set_passthrough(column, draw(st.floats(0.0, 1.0)))
    return buffer


def same(first: FrameBuffer, second: FrameBuffer) -> bool:
    """Whether two buffers over one layout say the same in every part of every channel."""
    return (first.body_name, first.delta_s, first.dirty) == (
        second.body_name,
        second.delta_s,
        second.dirty,
    ) and all(
        np.array_equal(
            getattr(first.block, part)[first.row], getattr(second.block, part)[second.row]
        )
        for part in PARTS
    )


def frame(layout: ChannelLayout = LAYOUT, body: str = "one", /, **values: float) -> FrameBuffer:
    buffer = FrameBuffer(layout, body, 0.02)
    for name, value in values.items():
        buffer.set_value(f"Body.{name}", value)
    return buffer


@pytest.mark.parametrize(("operator", "result"), [(add, 3.5), (subtract, 0.5), (override, 1.5)])
def test_channels_active_in_both_are_joined(operator, result):
    assert operator(frame(a=2.0), frame(a=1.5)).value("Body.a") == result


@pytest.mark.parametrize("operator", [add, subtract, override])
def test_a_channel_active_on_one_side_only_is_copied(operator):
    joined = operator(frame(a=2.0), frame(b=1.5))
    assert (joined.value("Body.a"), joined.value("Body.b")) == (2.0, 1.5)
    assert joined.active_channels == ("Body.a", "Body.b")


@pytest.mark.parametrize("operator", [add, subtract, override])
def test_channels_that_exist_in_one_body_only_are_kept_from_a_and_ignored_from_b(operator):
    joined = operator(frame(b=2.0), frame(OTHER, "two", x=1.0, a=0.5))
    assert joined.layout is LAYOUT
    assert (joined.body_name, joined.delta_s) == ("one", 0.02)
    assert joined.active_channels == ("Body.a", "Body.b")
    assert (joined.value("Body.a"), joined.value("Body.b")) == (0.5, 2.0)


@pytest.mark.parametrize("operator", [add, subtract])
def test_speeds_are_added_where_both_are_set_and_copied_where_one_is(operator):
    a, b = frame(a=1.0), frame(a=1.0)
    a.set_speed("Body.a", 0.7)
    b.set_speed("Body.a", 0.6)
    a.set_speed("Body.b", 0.5)
    b.set_speed("Body.c", 0.25)
    joined = operator(a, b)
    assert [joined.speed(name) for name in NAMES] == [0.7 + 0.6, 0.5, 0.25, 1.0]
    assert [joined.speed_mask(name) for name in NAMES] == [True, True, True, False]
    assert joined.active_channels == ("Body.a",)


@pytest.mark.parametrize("operator", [add, subtract])
def test_two_speeds_that_were_never_set_stay_unset(operator):
    joined = operator(frame(a=1.0), frame(a=2.0))
    assert (joined.speed("Body.a"), joined.speed_mask("Body.a")) == (1.0, False)


@pytest.mark.parametrize("operator", [add, subtract])
def test_passthroughs_are_added_and_cut_to_one(operator):
    a, b = frame(a=1.0, b=1.0, c=1.0), frame(a=1.0, b=1.0, d=1.0)
    for name, first, second in (("a", 0.25, 0.5), ("b", 1.0, 1.0), ("c", 0.3, 1.0), ("d", 1, 0.4)):
        a.set_passthrough(f"Body.{name}", first)
        b.set_passthrough(f"Body.{name}", second)
    joined = operator(a, b)
    assert [joined.passthrough(name) for name in NAMES] == [0.75, 1.0, 0.3, 0.4]


def test_an_override_without_a_speed_leaves_the_speed_below():
    a, b = frame(a=1.0), frame(a=2.0)
    a.set_speed("Body.a", 0.5)
    assert override(a, b).speed("Body.a") == 0.5
    b.set_speed("Body.a", 0.8)
    assert override(a, b).speed("Body.a") == 0.8


def test_operands_of_different_types_mean_what_they_say():
    a, b = frame(), frame()
    a.set_value("Body.a", 90.0, FrameType.DEGREE)
    b.set_value("Body.a", np.pi / 2)
    joined = add(a, b)
    assert (joined.value("Body.a"), joined.frame_type("Body.a")) == (180.0, FrameType.DEGREE)


def test_a_touch_on_either_side_reaches_the_result():
    touched = frame()
    touched.touch()
    assert add(frame(), touched).dirty is True
    assert override(touched, frame()).dirty is True
    assert add(frame(), frame()).dirty is False


def test_bodies_that_disagree_about_a_unit_are_told_so():
    light = ChannelLayout([ChannelSpec(name="Body.a", unit=Unit.PERCENT, lower=0.0, upper=1.0)])
    with pytest.raises(ValueError, match=r"'Body\.a' is kept in rad by 'one' and in percent"):
        add(frame(), frame(light, "lamp", a=0.5))


@given(buffers(), buffers())
def test_adding_commutes_on_shared_channels(a, b):
    one, other = add(a, b), add(b, a)
    used = (one.block.masks | one.block.speed_masks) != 0
    for part in ("values", "masks", "speeds", "speed_masks"):
        assert np.array_equal(getattr(one.block, part), getattr(other.block, part))
    assert np.array_equal(one.block.passthrough[used], other.block.passthrough[used])


@given(buffers(), buffers())
def test_subtracting_takes_back_the_values_that_were_added(a, b):
    back = subtract(add(a, b), b)
    shared = (a.block.masks & b.block.masks) != 0
    assert np.allclose(back.block.values[shared], a.block.values[shared], rtol=1e-9, atol=1e-8)


@given(buffers(), buffers())
def test_overriding_twice_is_overriding_once(a, b):
    once = override(a, b)
    assert same(override(once, b), once)
    assert same(override(a, a), a)


@given(buffers(), buffers(), buffers())
def test_overriding_is_associative(a, b, c):
    left, right = override(override(a, b), c), override(a, override(b, c))
    for part in ("values", "masks", "speeds", "speed_masks"):
        assert np.array_equal(getattr(left.block, part), getattr(right.block, part))


@given(buffers(), buffers(OTHER))
def test_no_operator_changes_its_operands(a, b):
    a_before, b_before = a.clone(), b.clone()
    for result in (add(a, b), subtract(a, b), override(a, b), blend(a, b, BlendMode.ADD, 0.5)):
        result.multiply(3.0)
        result.retime(9.0)
        for name in NAMES:
            result.set_passthrough(name, 0.0)
    assert same(a, a_before)
    assert same(b, b_before)


@given(buffers())
def test_nothing_on_either_side_changes_nothing(a):
    nothing = FrameBuffer(LAYOUT, a.body_name, a.delta_s)
    for operator in (add, subtract, override):
        assert same(operator(a, nothing), a)
        result = operator(nothing, a)
        assert np.array_equal(result.block.values, a.block.values)
        assert np.array_equal(result.block.masks, a.block.masks)


@given(buffers(), buffers())
def test_a_layer_in_full_is_the_published_operator(a, b):
    for name in NAMES:
        b.set_passthrough(name, 1.0)
    for mode, operator in ((BlendMode.ADD, add), (BlendMode.OVERRIDE, override)):
        layered, published = blend(a, b, mode), operator(a, b)
        for part in ("values", "masks", "speeds", "speed_masks"):
            assert np.array_equal(getattr(layered.block, part), getattr(published.block, part))


@given(buffers(), buffers(), st.sampled_from(BlendMode))
def test_a_layer_of_weight_nothing_changes_nothing(a, b, mode):
    a.touch()
    assert same(blend(a, b, mode, 0.0), a)


def test_a_layer_that_fades_in_over_nothing_comes_from_neutral():
    layout = ChannelLayout([ChannelSpec(name="Body.a", neutral=0.5)])
    nothing, layer = FrameBuffer(layout), frame(layout, a=1.5)
    assert blend(nothing, layer, BlendMode.OVERRIDE, 0.25).value("Body.a") == 0.75
    assert blend(nothing, layer, BlendMode.ADD, 0.25).value("Body.a") == 0.875
