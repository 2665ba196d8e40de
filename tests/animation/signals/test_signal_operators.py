"""Operators: contrast, asymmetry, follow-through, squash, spring, delay, tables, triggers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation import signals as s

STEPS_S = st.floats(0.001, 0.5)


def test_exaggeration_enlarges_the_distance_from_neutral():
    signal = s.Exaggeration(s.ExaggerationSettings(neutral=0.2, contrast=2.0))
    assert signal.step(0.02, 0.2) == 0.2
    assert signal.step(0.02, 0.3) == pytest.approx(0.4)
    assert signal.step(0.02, 0.1) == pytest.approx(0.0)


@settings(max_examples=100, deadline=None)
@given(contrast=st.floats(0.0, 10.0), neutral=st.floats(-0.99, 0.99), amount=st.floats(0.0, 1.0))
def test_exaggeration_stays_within_limits_and_keeps_the_order_of_values(contrast, neutral, amount):
    signal = s.Exaggeration(s.ExaggerationSettings(contrast=contrast, neutral=neutral))
    curve = [signal.step(0.02, value, amount) for value in np.linspace(-1.5, 1.5, 301)]
    assert min(curve) >= -1.0
    assert max(curve) <= 1.0
    assert np.all(np.diff(curve) >= -1e-12)


def test_exaggeration_keeps_the_shape_of_a_peak_near_the_limit():
    signal = s.Exaggeration(s.ExaggerationSettings(contrast=2.0))
    assert signal.step(0.02, 0.7) < signal.step(0.02, 0.8) < signal.step(0.02, 0.9) < 1.0
    assert signal.step(0.02, 1.0) == pytest.approx(1.0)


def test_a_contrast_of_one_changes_nothing():
    signal = s.Exaggeration(s.ExaggerationSettings(contrast=1.0))
    values = np.linspace(-1.0, 1.0, 41)
    assert [signal.step(0.02, value) for value in values] == pytest.approx(values)


def test_a_neutral_that_follows_exaggerates_changes_and_not_a_pose():
    signal = s.Exaggeration(s.ExaggerationSettings(contrast=2.0, follows_s=0.5))
    curve = [signal.step(0.02, 0.4) for _ in range(400)]
    assert curve[0] > 0.6
    assert curve[-1] == pytest.approx(0.4, abs=1e-3)


def test_asymmetry_makes_one_side_later_and_smaller():
    signal = s.Asymmetry(s.AsymmetrySettings(late_side=s.Side.RIGHT, delay_s=0.1, scale=0.8))
    wave = [math.sin(0.05 * n) for n in range(400)]
    left, right = zip(*[signal.step(0.01, value, value) for value in wave], strict=True)
    assert list(left) == wave
    assert right[50:] == pytest.approx([0.8 * value for value in wave[40:-10]], abs=1e-9)


def test_the_other_side_can_be_the_late_one():
    signal = s.Asymmetry(s.AsymmetrySettings(late_side=s.Side.LEFT, neutral=1.0, scale=0.5))
    assert signal.step(0.01, 2.0, 2.0) == (1.5, 2.0)


def test_follow_through_lags_overshoots_by_its_share_and_settles():
    signal = s.FollowThrough(s.FollowThroughSettings(lag_s=0.1, overshoot=0.2, frequency_hz=2.0))
    curve = [signal.step(0.005, 0.0)]
    curve += [signal.step(0.005, 1.0) for _ in range(800)]
    assert max(np.abs(curve[:18])) < 1e-9
    assert max(curve) == pytest.approx(1.2, abs=0.002)
    peak = int(np.argmax(curve))
    assert min(curve[peak:]) > 0.94
    assert curve[-1] == pytest.approx(1.0, abs=1e-4)


def test_follow_through_without_overshoot_only_trails():
    signal = s.FollowThrough(s.FollowThroughSettings(overshoot=0.0))
    signal.step(0.01, 0.0)
    curve = [signal.step(0.01, 1.0) for _ in range(300)]
    assert max(curve) <= 1.0 + 1e-12
    assert np.all(np.diff(curve) >= -1e-12)


def test_follow_through_begins_at_rest_where_its_lead_is():
    signal = s.FollowThrough(s.FollowThroughSettings())
    assert [signal.step(0.02, 0.7) for _ in range(50)] == pytest.approx([0.7] * 50)


@given(stretch=st.floats(-5.0, 5.0), most=st.floats(1.0, 4.0), axes=st.sampled_from([1, 2]))
def test_squash_conserves_the_volume(stretch, most, axes):
    height, width = s.Squash(s.SquashSettings(largest_stretch=most, lateral_axes=axes)).step(
        0.02, stretch
    )
    assert height * width**axes == pytest.approx(1.0)
    assert 1.0 / most - 1e-12 <= height <= most + 1e-12


def test_squash_is_at_rest_at_nought_and_wider_when_shorter():
    squash = s.Squash(s.SquashSettings(largest_stretch=1.3))
    assert squash.step(0.02, 0.0) == (1.0, 1.0)
    height, width = squash.step(0.02, -1.0)
    assert height == pytest.approx(1 / 1.3)
    assert width > 1.0


@settings(max_examples=100, deadline=None)
@given(
    ratio=st.floats(0.02, 10.0),
    frequency=st.floats(0.01, 50.0),
    steps=st.lists(STEPS_S, min_size=5, max_size=60),
)
def test_a_spring_never_explodes_at_any_step_length(ratio, frequency, steps):
    spring = s.Spring(s.SpringSettings(damping_ratio=ratio, frequency_hz=frequency))
    for dt_s in steps:
        assert -1e-6 <= spring.step(dt_s, 1.0) <= 2.0


@settings(max_examples=60, deadline=None)
@given(ratio=st.floats(1.0, 5.0), dt_s=STEPS_S)
def test_a_damped_spring_never_overshoots(ratio, dt_s):
    spring = s.Spring(s.SpringSettings(damping_ratio=ratio, frequency_hz=2.0))
    curve = [spring.step(dt_s, 1.0) for _ in range(100)]
    assert max(curve) <= 1.0 + 1e-9
    assert np.all(np.diff(curve) >= -1e-9)


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.99995, 1.0, 1.001, 3.0])
def test_a_spring_does_not_depend_on_the_frame_rate(ratio):
    coarse = s.Spring(s.SpringSettings(damping_ratio=ratio))
    fine = s.Spring(s.SpringSettings(damping_ratio=ratio))
    for _ in range(20):
        wanted = coarse.step(0.1, 1.0)
        for _ in range(100):
            value = fine.step(0.001, 1.0)
        assert value == pytest.approx(wanted, abs=1e-9)


def test_a_spring_obeys_its_equation_of_motion():
    omega, ratio, dt_s = 2 * math.pi * 1.5, 0.3, 1e-4
    spring = s.Spring(s.SpringSettings(frequency_hz=1.5, damping_ratio=ratio))
    value = velocity = 0.0
    for _ in range(10000):
        velocity += dt_s * (omega * omega * (1.0 - value) - 2 * ratio * omega * velocity)
        value += dt_s * velocity
        exact = spring.step(dt_s, 1.0)
        assert exact == pytest.approx(value, abs=2e-3)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS_S, min_size=30, max_size=80), delay_s=st.floats(0.0, 2.0))
def test_a_delay_gives_a_ramp_as_it_was(steps, delay_s):
    delay = s.Delay(s.DelaySettings(delay_s=delay_s))
    time_s = 0.0
    first_s = steps[0]
    for dt_s in steps:
        time_s += dt_s
        wanted = max(first_s, time_s - delay_s)
        assert delay.step(dt_s, 3.0 * time_s) == pytest.approx(3.0 * wanted, abs=1e-9)


def test_a_delay_survives_steps_far_below_a_millisecond():
    delay = s.Delay(s.DelaySettings(delay_s=0.01))
    for n in range(20000):
        value = delay.step(1e-5, 1e-5 * n)
        if n > 2000:
            assert value == pytest.approx(1e-5 * n - 0.01, abs=2e-3)


def test_a_mirror_reflects_and_swaps():
    mirror = s.Mirror(s.MirrorSettings(centre=1.0, pair_flips_sign=True))
    assert mirror.step(0.02, 3.0) == -1.0
    assert mirror.step_pair(0.02, 1.0, 2.0) == (0.0, 1.0)
    assert s.Mirror(s.MirrorSettings()).step_pair(0.02, 1.0, 2.0) == (2.0, 1.0)


def test_a_table_is_exact_at_its_points_and_straight_between():
    points = ((-1.0, 2.0), (0.0, 0.0), (2.0, 1.0))
    table = s.Lookup(s.LookupSettings(points=points))
    assert [table.step(0.02, x) for x, _ in points] == [y for _, y in points]
    assert table.step(0.02, -0.5) == 1.0
    assert table.step(0.02, 1.0) == 0.5
    assert table.step(0.02, -9.0) == 2.0
    assert table.step(0.02, 9.0) == 1.0


def test_a_table_can_go_on_beyond_its_ends():
    points = ((0.0, 0.0), (1.0, 2.0), (2.0, 1.0))
    table = s.Lookup(s.LookupSettings(points=points, ends=s.TableEnds.EXTRAPOLATE))
    assert table.step(0.02, -1.0) == pytest.approx(-2.0)
    assert table.step(0.02, 4.0) == pytest.approx(-1.0)


def test_a_trigger_toggles_when_it_rises_and_goes_back_to_false():
    trigger = s.Trigger()
    assert not trigger.step(0.02)
    wires = [True, True, False, True, False, False, True]
    actives = [trigger.step(0.02, wire) for wire in wires]
    assert actives == [True, True, True, False, False, False, True]
    assert trigger.parameter is False
    trigger.press()
    assert trigger.parameter is True
    assert trigger.step(0.02) is False
    assert trigger.parameter is False


def test_a_low_pass_takes_tremble_out_and_never_overshoots():
    random = np.random.default_rng(1)
    tremble = random.normal(0.0, 0.1, 2000)
    smooth = s.LowPass(s.LowPassSettings(cutoff_hz=0.5))
    assert np.std([smooth.step(0.02, value) for value in tremble][200:]) < 0.03
    step = s.LowPass(s.LowPassSettings())
    step.step(0.02, 0.0)
    assert max(step.step(0.02, 1.0) for _ in range(200)) <= 1.0


def test_a_cut_off_that_rises_with_speed_lags_less():
    plain = s.LowPass(s.LowPassSettings(cutoff_hz=0.5))
    quick = s.LowPass(s.LowPassSettings(cutoff_hz=0.5, speed_factor=2.0))
    for n in range(100):
        slow_value, quick_value = plain.step(0.02, 0.02 * n), quick.step(0.02, 0.02 * n)
    assert 1.98 - quick_value < 0.5 * (1.98 - slow_value)
