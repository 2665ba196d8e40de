"""Animations: sampling, scaling, warping to anchors, mirroring, other bodies' units."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.assets import Animation, animation_json, animation_toml, read_animation
from sera.animation.channels import ChannelSpec, Unit

WAVE = """
[animation]
title = "Wave"
anchors = { stroke = 0.5, end = 1.5 }

[[channels]]
name = "Arms.RightRaise"
keys = [[0, 0], [0.5, 90], [1.5, 70], [2, 0]]

[[channels]]
name = "Gazing.Horizontal"
keys = [[0.2, 0, "anticipate"], [0.8, 20], [1.9, 0]]
"""


def read(text: str, name: str = "wave.toml") -> Animation:
    reading = read_animation(Path(name), None, text)
    assert reading.problems == ()
    assert reading.animation is not None
    return reading.animation


@pytest.fixture
def wave() -> Animation:
    return read(WAVE)


def test_all_channels_are_sampled_at_once(wave):
    values = wave.sample([0.0, 0.5, 2.0])
    assert values.shape == (3, 2)
    np.testing.assert_allclose(np.degrees(values[:, 0]), [0.0, 90.0, 0.0])
    assert wave.at(0.5) == pytest.approx(values[1].tolist())
    assert wave.duration_s == 2.0


def test_a_loop_goes_round():
    loop = read(WAVE.replace('title = "Wave"', "loop = true"))
    assert loop.at(2.5) == loop.at(0.5)
    np.testing.assert_array_equal(loop.sample([4.5]), loop.sample([0.5]))


def test_scaling_makes_it_larger_and_faster(wave):
    fast = wave.scaled(amplitude=0.5, speed=2.0)
    times = np.linspace(0.0, 1.0, 50)
    np.testing.assert_allclose(fast.sample(times), 0.5 * wave.sample(2.0 * times), atol=1e-12)
    assert fast.anchors == {"stroke": 0.25, "end": 0.75}
    with pytest.raises(ValueError, match="above zero"):
        wave.scaled(speed=0.0)


def test_an_absolute_animation_is_scaled_about_where_it_begins():
    text = '[animation]\nadditive = false\n[[channels]]\nname = "Body.a"\nkeys = [[0,10],[1,30]]\n'
    half = read(text).scaled(amplitude=0.5)
    np.testing.assert_allclose(np.degrees(half.sample([0.0, 1.0])[:, 0]), [10.0, 20.0])


@given(st.floats(0.05, 3.0), st.floats(0.05, 3.0))
def test_warping_puts_anchors_where_they_are_wanted(stroke_s, between_s):
    wave = read(WAVE)
    warped = wave.warped({"stroke": stroke_s, "end": stroke_s + between_s})
    assert warped.anchors["stroke"] == pytest.approx(stroke_s)
    played = np.linspace(0.0, warped.duration_s, 80)
    authored = np.interp(
        played,
        [0.0, stroke_s, stroke_s + between_s, stroke_s + between_s + 0.5],
        [0.0, 0.5, 1.5, 2.0],
    )
    np.testing.assert_allclose(warped.sample(played), wave.sample(authored), atol=1e-9)
    assert warped.duration_s == pytest.approx(stroke_s + between_s + 0.5)


def test_a_warp_that_turns_time_round_is_refused(wave):
    with pytest.raises(ValueError, match="cannot come at"):
        wave.warped({"stroke": 1.0, "end": 0.9})
    with pytest.raises(ValueError, match="cannot come at"):
        wave.warped({"stroke": 0.0})
    with pytest.raises(LookupError, match="did you mean 'stroke'"):
        wave.warped({"stoke": 1.0})


def test_mirroring_exchanges_sides_and_turns_the_gaze(wave):
    mirrored = wave.mirrored()
    assert mirrored.names == ("Arms.LeftRaise", "Gazing.Horizontal")
    np.testing.assert_allclose(mirrored.sample([0.8])[0], wave.sample([0.8])[0] * [1.0, -1.0])
    own = wave.mirrored({"Arms.RightRaise": "Arms.Other"}, negated=())
    assert own.names == ("Arms.Other", "Gazing.Horizontal")
    twice = mirrored.mirrored()
    assert twice.names == wave.names
    np.testing.assert_allclose(twice.sample([0.3, 0.8]), wave.sample([0.3, 0.8]))


def test_shares_become_values_of_the_body_and_strange_channels_are_left_out():
    text = """
[animation]
additive = false
[[channels]]
name = "Body.lift"
unit = "percent"
keys = [[0, 0], [1, 1]]
[[channels]]
name = "Body.tilt"
unit = "valence"
keys = [[0, -1], [1, 0], [2, 1]]
[[channels]]
name = "Gazing.Roll"
keys = [[0, 0], [1, 10]]
"""
    specs = {
        "Body.lift": ChannelSpec(name="Body.lift", unit=Unit.METRE, lower=0.1, upper=0.5),
        "Body.tilt": ChannelSpec(name="Body.tilt", lower=-1.0, upper=0.5, neutral=0.1),
    }
    played = read(text).for_channels(specs)
    assert played.names == ("Body.lift", "Body.tilt")
    np.testing.assert_allclose(
        played.sample([0.0, 1.0, 2.0]), [[0.1, -1.0], [0.5, 0.1], [0.5, 0.5]]
    )


@pytest.mark.parametrize("name", ["wave.toml", "wave.json"])
def test_what_is_written_is_read_again_as_the_same_motion(wave, name):
    write = animation_json if name.endswith(".json") else animation_toml
    for shape in (wave, wave.warped({"stroke": 0.8}), wave.scaled(1.3, 0.7)):
        again = read(write(shape), name)
        times = np.linspace(0.0, shape.duration_s, 300)
        np.testing.assert_allclose(again.sample(times), shape.sample(times), atol=1e-10)
        assert again.anchors == pytest.approx(dict(shape.anchors))
        assert (again.title, again.loop, again.fade_s) == (shape.title, False, 0.2)


def test_smooth_keys_are_written_as_the_animator_wrote_them():
    text = (
        '[animation]\n[[channels]]\nname = "Gazing.Vertical"\nkeys = [[0, 0], [0.25, -14], [1, 0]]'
    )
    assert "keys = [[0.0, 0.0], [0.25, -14.0], [1.0, 0.0]]" in animation_toml(read(text))


def test_an_unknown_channel_is_named_with_its_neighbour(wave):
    assert wave.channel("Arms.RightRaise").unit is Unit.RADIAN
    with pytest.raises(LookupError, match=r"did you mean 'Arms\.RightRaise'"):
        wave.channel("Arms.RightRise")
    assert math.isclose(wave.channel("Arms.RightRaise").curve.at(0.5), math.pi / 2)
