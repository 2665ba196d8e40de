"""Strokes: where gestures have them, what is measured where a file says nothing, slow bodies."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks._alive_strokes import measure_stroke
from sera.animation.assets import load_animation
from sera.animation.body import load_body
from sera.animation.channels import ChannelSpec
from sera.animation.stage_set import StageSet
from sera.animation.strokes import QUICKEST, Stroke, apex_s, load_strokes, shortest_s
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
BODIES = sorted(file.parent.name for file in (ROOT / "robots").glob("*/body.toml"))
COMMON = {"wave", "greet", "affirm", "nod", "shake", "shrug", "surprise", "blink"}
SLOW = ChannelSpec(name="Arms.RightRaise", max_velocity=1.0, max_acceleration=5.0)


def strokes_of(name: str) -> dict[str, Stroke]:
    body = load_body(ROOT / "robots" / name)
    places = [ROOT / "robots" / each / "animations" for each in ("shared", name)]
    return load_strokes(places, body.channels)


@pytest.mark.parametrize("name", BODIES)
def test_every_gesture_has_its_stroke_within_what_words_wait_for(name):
    strokes = strokes_of(name)
    assert set(strokes) >= COMMON | {"think", "bow", "celebrate", "sad", "wave_left"}
    assert "breathe" not in strokes  # a loop has no moment
    for gesture, stroke in strokes.items():
        assert stroke.at_s <= (0.6 if gesture in COMMON else 0.9), gesture


def test_what_has_its_moment_later_is_watched_for_itself_and_goes_with_no_word():
    folders = (ROOT / "scenarios").glob("*/robots/*/animations")
    late = {name for name, stroke in load_strokes(folders, {}).items() if stroke.at_s > 0.9}
    of_ahoy = ROOT / "scenarios" / "ahoy" / "robots" / "adelino" / "animations"
    pantomimes = {file.stem for file in of_ahoy.iterdir()}
    assert late == pantomimes | {"greeting_wave"}  # the wave as it was published


@pytest.mark.parametrize("folder", sorted((ROOT / "robots").glob("*/animations")))
def test_the_stroke_is_where_the_keys_are_farthest_out(folder):
    for file in folder.glob("*.toml"):
        animation = load_animation(file)
        if animation.loop:
            continue
        keys = {
            channel.name: list(
                zip(
                    channel.curve.knots.times_s.tolist(),
                    [math.degrees(value) for value in channel.curve.knots.values],
                    strict=True,
                )
            )
            for channel in animation.channels
            if channel.name.startswith(("Arms.", "Gazing."))
        }
        measured_s = apex_s(keys)
        if measured_s is not None and file.stem in COMMON - {"shake"}:
            assert animation.anchors["stroke"] == pytest.approx(measured_s, abs=0.1), file.stem


def test_a_file_without_a_stroke_is_measured_by_whoever_plays_and_whoever_orders_it(tmp_path):
    text = """
[animation]
title = "Reach"
[[channels]]
name = "Arms.RightRaise"
keys = [[0.0, 0], [0.2, -5], [0.7, 60], [1.2, 58], [2.0, 0]]
[[channels]]
name = "Gazing.Vertical"
keys = [[0.0, 0], [1.5, 20], [2.0, 0]]
"""
    (tmp_path / "reach.toml").write_text(text, encoding="utf-8")
    (tmp_path / "broken.toml").write_text("[animation", encoding="utf-8")
    body = load_body(ROOT / "robots" / "nao")
    found = load_strokes([tmp_path], body.channels)
    assert set(found) == {"reach"}
    assert found["reach"].at_s == pytest.approx(0.7)
    loaded = load_animation(tmp_path / "reach.toml", body.channels)
    assert loaded.anchors == {"stroke": pytest.approx(0.7)}


@pytest.mark.parametrize("name", some_of(BODIES, 2, seed=20))
def test_frames_have_the_stroke_when_it_is_reckoned_with(name):
    strokes, stage_set = strokes_of(name), StageSet.find(ROOT / "robots" / name, (ROOT,), seed=1)
    for gesture in ("wave", "greet", "shrug", "shake"):
        seen = measure_stroke(stage_set, gesture)
        assert seen is not None
        # A hand that waves on is a little farther out after its stroke.
        assert seen[0] == pytest.approx(strokes[gesture].reached_s(), abs=0.15), gesture


def test_a_body_that_is_slower_than_the_file_gets_there_later_and_a_smaller_gesture_sooner():
    wave = strokes_of("romeo")["wave"]
    assert wave.at_s < 0.6
    assert 0.7 < wave.reached_s() < 1.0
    assert wave.reached_s(amplitude=0.6) < wave.reached_s() - 0.1
    assert strokes_of("nao")["wave"].reached_s() == pytest.approx(0.58, abs=0.04)


@given(st.floats(0.1, 1.0), st.floats(0.6, 1.0), st.floats(0.6, 1.0))
def test_a_quickened_or_smaller_swing_is_never_later_and_never_beats_the_limits(way, pace, size):
    stroke = Stroke(0.6, ((SLOW, ((0.1, 0.0), (0.6, way), (3.0, way))),))
    assert stroke.reached_s(pace, size) <= stroke.reached_s() + 0.021
    least_s = shortest_s(size * way, SLOW)
    assert stroke.reached_s(QUICKEST, size) >= 0.1 * QUICKEST + 0.9 * least_s
    # Nobody is faster: half the way at full acceleration, or at top velocity all along.
    assert shortest_s(way, SLOW) >= max(way / 1.0, 2.0 * math.sqrt(way / 5.0)) - 1e-9
