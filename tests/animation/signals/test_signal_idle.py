"""Generators of idle motion: waves, noise, breath, blinks, darts, nods."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.animation import signals as s


def run(signal, seconds, dt_s=0.01, *inputs):
    return np.array([signal.step(dt_s, *inputs) for _ in range(round(seconds / dt_s))])


def test_a_sine_wave_has_amplitude_frequency_and_phase():
    wave = s.Wave(s.WaveSettings(amplitude=2.0, frequency_hz=1.5, phase_rad=0.7, offset=0.5))
    times = 0.01 * np.arange(1, 301)
    expected = 0.5 + 2.0 * np.sin(2 * np.pi * 1.5 * times + 0.7)
    assert run(wave, 3.0) == pytest.approx(expected, abs=1e-9)


def test_a_square_wave_has_two_values_and_a_triangle_straight_flanks():
    square = run(s.Wave(s.WaveSettings(shape=s.WaveShape.SQUARE)), 1.0, 0.013)
    assert set(square) == {1.0, -1.0}
    triangle = run(s.Wave(s.WaveSettings(shape=s.WaveShape.TRIANGLE)), 1.0, 0.001)
    assert triangle.max() == pytest.approx(1.0, abs=0.004)
    assert triangle.min() == pytest.approx(-1.0, abs=0.004)
    assert np.abs(np.diff(triangle)) == pytest.approx(0.004, abs=1e-9)


def test_a_changed_rate_bends_a_wave_without_a_jump():
    wave = s.Wave(s.WaveSettings(frequency_hz=1.0))
    curve = np.concatenate([run(wave, 0.6), [wave.step(0.01, 1.0, 3.0) for _ in range(60)]])
    assert np.abs(np.diff(curve)).max() <= 2 * math.pi * 3.0 * 0.01


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), octaves=st.integers(1, 8), share=st.floats(0.0, 1.0))
def test_noise_stays_within_its_amplitude(seed, octaves, share):
    noise = s.Noise(s.NoiseSettings(amplitude=0.3, octaves=octaves, persistence=share), seed)
    assert np.abs(run(noise, 20.0, 0.05)).max() <= 0.3


def test_noise_is_smooth_in_value_and_slope():
    curve = run(s.Noise(s.NoiseSettings(frequency_hz=1.0, octaves=1), 4), 30.0, 0.001)
    slope = np.diff(curve) / 0.001
    assert np.abs(slope).max() < 5.0
    # A kink would change the slope at once, by about one unit.
    assert np.abs(np.diff(slope)).max() < 0.03


def test_noise_has_nearly_all_power_below_its_highest_octave_doubled():
    curve = run(s.Noise(s.NoiseSettings(frequency_hz=1.0, octaves=2), 9), 200.0, 0.01)
    power = np.abs(np.fft.rfft(curve * np.hanning(len(curve)))) ** 2
    frequency = np.fft.rfftfreq(len(curve), 0.01)
    assert power[frequency <= 4.0].sum() > 0.99 * power.sum()
    assert power[frequency > 8.0].sum() < 1e-4 * power.sum()


def test_noise_lives_and_has_no_favourite_side():
    curve = run(s.Noise(s.NoiseSettings(frequency_hz=2.0), 2), 500.0, 0.02)
    assert curve.std() > 0.15
    assert abs(curve.mean()) < 0.03


def test_noise_does_not_depend_on_the_frame_rate():
    coarse = run(s.Noise(s.NoiseSettings(), 6), 10.0, 0.1)
    fine = run(s.Noise(s.NoiseSettings(), 6), 10.0, 0.001)[99::100]
    assert coarse == pytest.approx(fine, abs=1e-6)


def test_a_regular_breath_has_its_rate_depth_and_shape():
    settings_ = s.BreathingSettings(breaths_per_minute=15.0, depth=0.2, irregularity=0.0)
    curve = run(s.Breathing(settings_, 0), 40.0)
    assert curve.min() == 0.0
    assert curve.max() == pytest.approx(0.2)
    begins = np.flatnonzero((curve[:-1] == 0.0) & (curve[1:] > 0.0))
    assert np.diff(begins) == pytest.approx(400, abs=1)
    one = curve[:400]
    assert np.argmax(one >= 0.2 - 1e-12) == pytest.approx(0.38 * 400, abs=2)
    assert np.abs(np.diff(curve, 2)).max() < 1e-4


def test_irregular_breaths_differ_and_arousal_breathes_faster():
    def begins(arousal):
        curve = run(s.Breathing(s.BreathingSettings(irregularity=0.5), 3), 120.0, 0.01, arousal)
        assert np.abs(np.diff(curve)).max() < 0.05
        return np.flatnonzero((curve[:-1] == 0.0) & (curve[1:] > 0.0))

    calm, aroused, drowsy = begins(0.0), begins(1.0), begins(-1.0)
    assert np.diff(calm).std() > 10
    assert len(aroused) == pytest.approx(1.8 * len(calm), rel=0.15)
    assert len(drowsy) == pytest.approx(len(calm) / 1.8, rel=0.15)


def test_a_sudden_arousal_makes_no_jump():
    breathing = s.Breathing(s.BreathingSettings(), 1)
    curve = [breathing.step(0.01, 1.0 if number % 100 < 50 else -1.0) for number in range(6000)]
    assert np.abs(np.diff(curve)).max() < 0.03
    assert max(curve) <= 1.2


def spans(curve):
    """First and last frame of each blink."""
    closed = np.concatenate([[False], curve > 0.0, [False]])
    edges = np.flatnonzero(closed[1:] != closed[:-1])
    return edges[::2], edges[1::2]


def test_blinks_keep_the_least_interval_and_come_at_random():
    settings_ = s.BlinkSettings(double_share=0.0, least_interval_s=1.0, mean_interval_s=4.0)
    begins, ends = spans(run(s.Blinking(settings_, 11), 2000.0))
    waits = 0.01 * (begins[1:] - ends[:-1])
    assert waits.min() >= 1.0 - 0.02
    assert waits.mean() == pytest.approx(4.0, rel=0.1)
    assert waits.std() > 1.5


def test_some_blinks_are_double():
    settings_ = s.BlinkSettings(double_share=0.3)
    begins, ends = spans(run(s.Blinking(settings_, 11), 3000.0))
    waits = 0.01 * (begins[1:] - ends[:-1])
    doubles = np.count_nonzero(waits < 0.3)
    assert doubles / (len(begins) - doubles) == pytest.approx(0.3, abs=0.06)


def test_a_lid_closes_faster_than_it_opens_and_closes_wholly():
    blinking = s.Blinking(s.BlinkSettings(), 0)
    blinking.blink_now()
    curve = run(blinking, 0.4, 0.001)
    first_closed = np.argmax(curve == 1.0)
    last_closed = len(curve) - np.argmax(curve[::-1] == 1.0)
    end = np.flatnonzero(curve > 0.0)[-1]
    assert first_closed < 0.5 * (end - last_closed)
    assert np.all(np.diff(curve[:first_closed]) >= 0.0)
    assert np.all(np.diff(curve[last_closed:]) <= 0.0)


def test_no_blink_begins_while_suppressed_and_the_due_one_comes_after():
    blinking = s.Blinking(s.BlinkSettings(), 0)
    assert run(blinking, 60.0, 0.01, True).max() == 0.0
    assert run(blinking, 0.3).max() == 1.0


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    radius=st.floats(0.0, 0.5),
    dt_s=st.floats(0.001, 0.5),
)
def test_darts_never_leave_their_radius(seed, radius, dt_s):
    saccades = s.Saccades(s.SaccadeSettings(radius_rad=radius), seed)
    for _ in range(300):
        assert math.hypot(*saccades.step(dt_s)) <= radius


def test_darts_last_as_long_as_the_main_sequence_says():
    assert s.saccade_duration_s(math.radians(10.0)) == pytest.approx(0.043)
    path = run(s.Saccades(s.SaccadeSettings(radius_rad=0.1), 5), 300.0, 0.001)
    speed = np.hypot(*np.diff(path, axis=0).T)
    moving = np.concatenate([[False], speed > 0.0, [False]])
    edges = np.flatnonzero(moving[1:] != moving[:-1])
    begins, ends = edges[::2], edges[1::2]
    assert len(begins) > 100
    assert 0.001 * (begins[1:] - ends[:-1]).min() >= 0.19
    for begin, end in zip(begins[:-1], ends[:-1], strict=True):
        length = math.hypot(*(path[end] - path[begin]))
        assert 0.001 * (end - begin) == pytest.approx(s.saccade_duration_s(length), abs=0.003)


def test_darts_come_home_and_spread_narrows_them():
    path = run(s.Saccades(s.SaccadeSettings(), 5), 200.0)
    assert np.count_nonzero(np.hypot(*path.T) == 0.0) > 0.2 * len(path)
    assert np.all(run(s.Saccades(s.SaccadeSettings(), 5), 20.0, 0.01, 0.0) == 0.0)


@pytest.mark.parametrize("dt_s", [0.005, 0.02, 1 / 30, 0.1, 0.2])
def test_nods_reach_their_amplitude_at_each_peak(dt_s):
    nod = s.Nod(s.NodSettings(amplitude_rad=0.3, decay=0.7))
    nod.start(3)
    curve = run(nod, 3.0, dt_s)
    assert curve.max() <= 0.0
    assert not nod.active
    assert curve[-1] == 0.0
    dips = [curve[i] for i in range(1, len(curve) - 1) if curve[i - 1] > curve[i] <= curve[i + 1]]
    wanted = [-0.3, -0.21, -0.147]
    assert len(dips) == 3
    for dip, full in zip(dips, wanted, strict=True):
        assert 0.98 <= dip / full <= 1.0 + 1e-12


def test_a_shake_goes_to_both_sides_and_decays():
    shake = s.Nod(s.NodSettings(kind=s.NodKind.SHAKE, amplitude_rad=0.4, decay=0.5))
    shake.start(2)
    curve = run(shake, 3.0)
    assert curve.max() == pytest.approx(0.4)
    assert curve.min() == pytest.approx(-0.4)
    turns = [
        curve[i]
        for i in range(1, len(curve) - 1)
        if (curve[i] - curve[i - 1]) * (curve[i + 1] - curve[i]) < 0.0
    ]
    assert turns == pytest.approx([0.4, -0.4, 0.2, -0.2], rel=0.02)
    assert curve[-1] == 0.0


def test_a_burst_started_during_another_makes_no_kink():
    nod = s.Nod(s.NodSettings(amplitude_rad=0.3))
    nod.start(2)
    curve = []
    for number in range(2000):
        if number in {130, 150, 700}:
            nod.start(3)
        curve.append(nod.step(0.002))
    # The curve's own bend is 6e-5 a frame, doubled where a peak is shown; a kink would be 3e-3.
    assert np.abs(np.diff(curve, 2)).max() < 1.3e-4
    assert curve[-1] == 0.0
    assert min(curve) == -0.3


def test_a_nod_refuses_odd_counts():
    nod = s.Nod(s.NodSettings())
    with pytest.raises(ValueError, match="count is 0"):
        nod.start(0)
    with pytest.raises(ValueError, match="gain"):
        nod.start(1, 2.0)
