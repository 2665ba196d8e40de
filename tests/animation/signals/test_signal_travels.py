"""Signals that travel: slow in/out, anticipation, arcs, easing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation import signals as s

STEPS_S = st.floats(0.001, 0.5)
ANGLES = st.floats(-3.0, 3.0)


@pytest.mark.parametrize("shape", s.EaseShape)
@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_a_curve_is_exact_at_its_ends_and_monotone(shape, strength):
    assert s.ease(shape, 0.0, strength) == 0.0
    assert s.ease(shape, 1.0, strength) == 1.0
    curve = [s.ease(shape, share, strength) for share in np.linspace(-0.2, 1.2, 1401)]
    assert np.all(np.diff(curve) >= 0.0)
    assert np.abs(np.diff(curve)).max() < 0.004


@pytest.mark.parametrize(
    "shape",
    [s.EaseShape.SINE, s.EaseShape.CUBIC, s.EaseShape.MINIMUM_JERK, s.EaseShape.EXPONENTIAL],
)
def test_slow_in_and_out_is_slow_at_both_ends_and_fast_in_the_middle(shape):
    speed = np.diff([s.ease(shape, share) for share in np.linspace(0.0, 1.0, 1001)]) / 0.001
    assert speed[0] < 0.15
    assert speed[-1] < 0.15
    assert speed[500] > 1.4
    assert s.ease(shape, 0.5) == pytest.approx(0.5)


def test_slow_in_is_slow_at_the_begin_alone_and_slow_out_at_the_end():
    for shape, slow, fast in ((s.EaseShape.SLOW_IN, 0, -1), (s.EaseShape.SLOW_OUT, -1, 0)):
        speed = np.diff([s.ease(shape, share) for share in np.linspace(0.0, 1.0, 1001)]) / 0.001
        assert speed[slow] < 0.01
        assert speed[fast] > 2.9


@settings(max_examples=50, deadline=None)
@given(start=ANGLES, end=ANGLES, dt_s=STEPS_S)
def test_an_eased_move_begins_and_ends_exactly(start, end, dt_s):
    move = s.EaseMove(s.EaseSettings(duration_s=0.7))
    move.start(start, end)
    assert move.step(0.0) == start
    while not move.done:
        value = move.step(dt_s)
        assert min(start, end) - 1e-12 <= value <= max(start, end) + 1e-12
    assert move.step(dt_s) == end


def test_slow_in_out_starts_and_stops_softly_and_ends_exactly():
    signal = s.SlowInOut(s.SlowInOutSettings(duration_s=0.5))
    curve = np.array([0.0] + [signal.step(0.01, 2.0) for _ in range(60)])
    speed = np.diff(curve) / 0.01
    assert speed[0] < 0.11
    assert speed[48] < 0.11
    assert speed.max() == pytest.approx(2.0 * 1.875 / 0.5, rel=0.01)
    assert np.all(curve[50:] == 2.0)


@settings(max_examples=50, deadline=None)
@given(targets=st.lists(ANGLES, min_size=1, max_size=8), pause=st.integers(1, 300))
def test_slow_in_out_never_jumps_and_arrives_whatever_the_targets_do(targets, pause):
    signal = s.SlowInOut(s.SlowInOutSettings(duration_s=0.5))
    curve = [0.0]
    for target in targets:
        curve += [signal.step(0.002, target) for _ in range(pause)]
    curve += [signal.step(0.002, targets[-1]) for _ in range(260)]
    assert curve[-1] == targets[-1]
    assert np.abs(np.diff(curve)).max() < 0.25
    assert np.abs(np.diff(curve, 2)).max() < 0.006


def test_slow_in_out_follows_a_moving_target_with_a_short_lag():
    signal = s.SlowInOut(s.SlowInOutSettings(duration_s=0.4))
    lag = [0.01 * n - signal.step(0.01, 0.01 * n) for n in range(1, 300)]
    assert lag[-1] == pytest.approx(0.6 * 0.4, abs=0.03)


@pytest.mark.parametrize("way", [1.5708, -1.5708])
def test_anticipation_first_goes_the_other_way_and_ends_exactly(way):
    signal = s.Anticipation(s.AnticipationSettings(back_share=1 / 9, back_s=0.25, travel_s=0.5))
    curve = np.array([signal.step(0.01, way) for _ in range(90)]) * math.copysign(1.0, way)
    assert curve.min() == pytest.approx(-math.radians(10.0), rel=1e-3)
    assert 0.2 <= 0.01 * np.argmin(curve) <= 0.27
    assert np.all(np.diff(curve[:24]) < 0.0)
    assert curve.max() == abs(way)
    assert np.all(curve[76:] == abs(way))


def test_anticipation_goes_back_no_further_than_its_limit():
    signal = s.Anticipation(s.AnticipationSettings(back_share=0.5, largest_back=0.2))
    assert min(signal.step(0.01, 3.0) for _ in range(100)) == pytest.approx(-0.2, rel=1e-3)


def test_small_moves_are_not_announced():
    signal = s.Anticipation(s.AnticipationSettings(least_travel=0.1))
    curve = [signal.step(0.01, 0.05) for _ in range(60)]
    assert min(curve) >= 0.0
    assert curve[-1] == 0.05


def test_a_target_that_changes_under_way_is_followed_without_a_second_wind_up():
    signal = s.Anticipation(s.AnticipationSettings())
    curve = [signal.step(0.01, 1.0) for _ in range(50)]
    curve += [signal.step(0.01, 1.5) for _ in range(60)]
    assert np.all(np.diff(curve[30:]) >= -1e-12)
    assert curve[-1] == 1.5


def test_a_target_that_changes_during_the_wind_up_is_the_one_reached():
    signal = s.Anticipation(s.AnticipationSettings())
    for _ in range(10):
        signal.step(0.01, 1.0)
    assert signal.winding_up
    curve = [signal.step(0.01, -2.0) for _ in range(100)]
    assert curve[-1] == -2.0
    assert np.abs(np.diff(curve)).max() < 0.2


@settings(max_examples=50, deadline=None)
@given(target=ANGLES, dt_s=STEPS_S)
def test_anticipation_arrives_on_time_at_any_step_length(target, dt_s):
    signal = s.Anticipation(s.AnticipationSettings(back_s=0.25, travel_s=0.5))
    for _ in range(math.ceil(0.75 / dt_s) + 1):
        value = signal.step(dt_s, target)
    assert value == target


def travel(yaw, pitch=0.0, dt_s=0.005, **settings_):
    arc = s.GazeArc(s.GazeArcSettings(**settings_))
    return np.array([arc.step(dt_s, yaw, pitch) for _ in range(round(2.0 / dt_s))])


@pytest.mark.parametrize("yaw", [1.0, -1.0])
def test_pitch_dips_while_yaw_travels_and_returns(yaw):
    path = travel(yaw)
    yaws, pitches = path.T
    lowest = np.argmin(pitches)
    assert pitches.min() == pytest.approx(-0.12, rel=1e-3)
    assert yaws[lowest] == pytest.approx(yaw / 2.0, abs=0.03)
    assert np.all(np.diff(pitches[: lowest + 1]) <= 0.0)
    assert np.all(np.diff(pitches[lowest:]) >= 0.0)
    assert tuple(path[-1]) == (yaw, 0.0)


def test_the_dip_grows_with_the_travel_up_to_its_limit():
    assert travel(0.4)[:, 1].min() == pytest.approx(0.5 * travel(0.8)[:, 1].min(), rel=1e-3)
    assert travel(3.0)[:, 1].min() == pytest.approx(-0.2, rel=1e-3)
    assert travel(0.5, dip_share=-0.1)[:, 1].max() == pytest.approx(0.05, rel=1e-3)


def test_looking_up_without_turning_has_no_dip():
    pitches = travel(0.0, 0.5)[:, 1]
    assert np.all(np.diff(pitches) >= 0.0)
    assert pitches[-1] == 0.5


def test_a_step_of_sixty_degrees_arrives_within_a_second():
    path = travel(math.radians(60.0))
    assert tuple(path[int(0.8 / 0.005)]) == (math.radians(60.0), 0.0)


@settings(max_examples=50, deadline=None)
@given(
    targets=st.lists(st.tuples(ANGLES, st.floats(-1.0, 1.0)), min_size=1, max_size=6),
    pause=st.integers(1, 200),
)
def test_a_gaze_never_jumps_and_arrives_whatever_the_targets_do(targets, pause):
    arc = s.GazeArc(s.GazeArcSettings())
    path = [(0.0, 0.0)]
    for yaw, pitch in targets:
        path += [arc.step(0.002, yaw, pitch) for _ in range(pause)]
    path += [arc.step(0.002, *targets[-1]) for _ in range(3000)]
    assert path[-1] == targets[-1]
    assert np.abs(np.diff(path, axis=0)).max() < 0.1
    assert np.abs(np.diff(path, 2, axis=0)).max() < 0.01


def test_tracking_a_person_who_walks_makes_no_dips():
    arc = s.GazeArc(s.GazeArcSettings())
    pitches = [arc.step(0.02, 0.3 * math.sin(0.02 * n), 0.0)[1] for n in range(1000)]
    assert np.abs(pitches).max() == 0.0


def test_a_small_correction_under_way_leaves_the_dip_as_it_was():
    arc = s.GazeArc(s.GazeArcSettings())
    path = np.array([arc.step(0.005, 1.0 + 0.0005 * min(n, 100), 0.0) for n in range(400)])
    assert path[:, 1].min() == pytest.approx(-0.12, rel=1e-3)
    assert tuple(path[-1]) == (1.05, 0.0)
    assert np.abs(np.diff(path, 2, axis=0)).max() < 0.002


@settings(max_examples=30, deadline=None)
@given(yaw=ANGLES, pitch=st.floats(-1.0, 1.0), dt_s=STEPS_S)
def test_a_gaze_ends_exactly_at_any_step_length(yaw, pitch, dt_s):
    arc = s.GazeArc(s.GazeArcSettings())
    for _ in range(math.ceil(3.0 / dt_s)):
        value = arc.step(dt_s, yaw, pitch)
    assert value == (yaw, pitch)
