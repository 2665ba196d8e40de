"""The trajectory helper finds what breaks limits; the ghost breaks none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation.assets import (
    Animation,
    Breach,
    Curve,
    Key,
    check,
    draw_check,
    ghost,
    profiles,
)
from sera.animation.assets.animation import AnimatedChannel
from sera.animation.assets.figures import COLOURS, WITHIN, colours_of
from sera.animation.channels import ChannelSpec, Unit

NAME = "Gazing.Vertical"


def one_channel(*points, tangent="smooth", **more):
    keys = [Key(t, v, tangent, tangent) for t, v in points]
    curve = Curve.through(keys, closed=more.get("loop", False))
    return Animation("test", (AnimatedChannel(NAME, Unit.RADIAN, curve),), **more)


def limits(**more):
    values = {"lower": -2.0, "upper": 2.0, **more}
    return {NAME: ChannelSpec(name=NAME, **values)}


RAMP = one_channel((0.0, 0.0), (1.0, 1.0), tangent="linear")


def test_a_ramp_at_its_limit_is_within_and_a_little_faster_is_not():
    assert check(RAMP, limits(max_velocity=1.0)) == []
    (violation,) = check(RAMP, limits(max_velocity=0.999))
    assert (violation.channel, violation.kind) == (NAME, Breach.VELOCITY)
    assert (violation.from_s, violation.to_s) == (pytest.approx(0.02), pytest.approx(1.0))
    assert violation.peak == pytest.approx(1.0)
    assert violation.limit == 0.999


def test_starting_and_stopping_at_once_break_the_acceleration_twice():
    found = check(RAMP, limits(max_acceleration=10.0), 100.0)
    assert [(each.kind, each.from_s) for each in found] == [
        (Breach.ACCELERATION, pytest.approx(0.01)),
        (Breach.ACCELERATION, pytest.approx(1.01)),
    ]
    assert found[0].peak == pytest.approx(100.0)


def test_jerk_is_found_at_every_rate():
    for rate_hz in (50.0, 333.0, 1000.0):
        kinds = {each.kind for each in check(RAMP, limits(max_jerk=100.0), rate_hz)}
        assert kinds == {Breach.JERK}


def test_the_range_counts_from_neutral_where_values_are_added():
    found = check(RAMP, limits(upper=1.2, neutral=0.5))
    assert [(each.kind, each.limit) for each in found] == [(Breach.RANGE, 1.2)]
    assert found[0].peak == pytest.approx(1.5)
    assert check(one_channel((0, 0), (1, 1), additive=False), limits(upper=1.2, neutral=0.5)) == []


def test_the_seam_of_a_loop_is_looked_at():
    saw = one_channel((0.0, 0.0), (1.0, 1.0), tangent="linear", loop=True)
    (violation,) = check(saw, limits(max_velocity=2.0))
    assert violation.peak == pytest.approx(0.98 / 0.02)


def test_channels_that_the_body_lacks_are_passed_over():
    assert check(RAMP, {}) == []
    assert ghost(RAMP, {}).channels == ()


@pytest.mark.parametrize("rate_hz", [10.0, 2000.0, math.nan])
def test_a_senseless_rate_is_refused(rate_hz):
    with pytest.raises(ValueError, match="from 50 to 1000"):
        check(RAMP, limits(), rate_hz)
    with pytest.raises(ValueError, match="from 50 to 1000"):
        ghost(RAMP, limits(), rate_hz)


def test_the_ghost_of_a_gentle_motion_follows_it():
    gentle = one_channel((0.0, 0.0), (1.0, 0.5), (2.0, 0.0))
    specs = limits(max_velocity=5.0, max_acceleration=50.0, max_jerk=5000.0)
    limited = ghost(gentle, specs)
    times = np.linspace(0.0, 2.0, 101)
    assert np.max(np.abs(limited.sample(times + 0.03) - gentle.sample(times))) < 0.03
    assert limited.channels[0].curve.value_range()[1] == pytest.approx(0.5, abs=0.01)
    assert limited.at(limited.duration_s)[0] == pytest.approx(0.0, abs=1e-9)
    assert limited.name == "test_ghost"


POINTS = st.lists(st.tuples(st.floats(0.02, 0.8), st.floats(-3.0, 3.0)), min_size=2, max_size=6)


LIMITS = st.fixed_dictionaries(
    {
        "max_velocity": st.floats(0.3, 8.0),
        "max_acceleration": st.floats(2.0, 80.0),
        "max_jerk": st.floats(50.0, 5000.0),
    }
)
RATES = st.tuples(
    st.sampled_from([50.0, 60.0, 100.0, 400.0]), st.sampled_from([50.0, 77.0, 250.0, 1000.0])
)
TANGENT = st.sampled_from(["smooth", "linear", "hold", "anticipate"])


@settings(max_examples=100, deadline=None)
@given(POINTS, LIMITS, RATES, TANGENT, st.booleans())
def test_the_ghost_breaks_no_limit_at_any_rate(points, rate_limits, rates, tangent, loop):
    times = np.cumsum([gap for gap, _ in points])
    keys = [(float(t), v) for t, (_, v) in zip(times, points, strict=True)]
    wild = one_channel(*keys, tangent=tangent, loop=loop)
    specs = limits(lower=-1.0, upper=1.5, **rate_limits)
    made_hz, checked_hz = rates
    assert check(ghost(wild, specs, made_hz), specs, checked_hz) == []


@pytest.mark.parametrize("loop", [False, True])
def test_the_ghost_arrives_where_the_hard_limiter_would_halt_short(loop):
    step = one_channel((0.0, 0.4), (0.02, 1.2), (3.0, 0.4 if loop else 1.2), loop=loop)
    for acceleration in np.linspace(20.0, 30.0, 30):
        specs = limits(max_velocity=2.9, max_acceleration=float(acceleration), max_jerk=2751.0)
        limited = ghost(step, specs, 100.0)
        end = 0.4 if loop else 1.2
        assert limited.channels[0].curve.at(99.0) == pytest.approx(end, abs=1e-6)
        assert limited.duration_s < 10.0
        assert check(limited, specs, 100.0) == []


def test_a_channel_without_limits_has_a_ghost_too():
    limited = ghost(RAMP, limits(upper=0.5))
    assert limited.channels[0].curve.value_range()[1] <= 0.5
    assert check(limited, limits(upper=0.5)) == []


def test_each_broken_limit_has_its_documented_colour():
    names = {"velocity": "orange", "acceleration": "pink", "jerk": "red"}
    assert [kind.value for kind in COLOURS] == list(names)
    for kind in COLOURS:
        (profile,) = profiles(RAMP, limits(**{f"max_{kind.value}": 0.5}))
        assert set(colours_of(profile)) == {WITHIN, COLOURS[kind]}
    (profile,) = profiles(RAMP, limits())
    assert set(colours_of(profile)) == {WITHIN}


def test_the_picture_is_drawn(tmp_path):
    specs = limits(max_velocity=0.5, max_acceleration=5.0, max_jerk=100.0)
    file = tmp_path / "ramp.png"
    assert draw_check(RAMP, specs, file, ghost=ghost(RAMP, specs)) == 1
    assert file.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="none of the channels"):
        draw_check(RAMP, {}, file)
