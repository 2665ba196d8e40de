"""Who speaks and from where: decisions that do not flicker, sides, directions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.evaluation.perception import sound
from sera.hearing import Block
from sera.hearing.activity import Activity, ActivitySettings
from sera.hearing.detector import DetectorSettings, Level, SoundDetector, VoiceChange
from sera.hearing.direction import PairDirection
from sera.hearing.voice_model import FRAME, EnergyVoice, SileroVoice

FRAME_S = 0.032


def changes(likelihoods, settings=None):
    activity = Activity(settings)
    found = [activity.feed(each, n * FRAME_S, FRAME_S) for n, each in enumerate(likelihoods)]
    return [(n, one) for n, one in enumerate(found) if one is not None]


def test_speech_begins_after_three_likely_frames_and_is_dated_to_the_first():
    [(number, change)] = changes([0.1, 0.1, 0.9, 0.9, 0.9, 0.9])
    assert number == 4
    assert change.speaking
    assert change.time_s == pytest.approx(2 * FRAME_S)


def test_speech_ends_after_a_pause_and_is_dated_to_the_last_voice():
    found = changes([0.9] * 10 + [0.1] * 20)
    assert [change.speaking for _, change in found] == [True, False]
    number, end = found[1]
    assert number == 10 + math.ceil(0.4 / FRAME_S) - 1
    assert end.time_s == pytest.approx(10 * FRAME_S)


def test_what_cannot_be_told_begins_nothing_and_ends_speech_only_after_a_while():
    assert changes([None] * 100) == []
    assert changes([0.9, 0.9, None, 0.9, 0.9]) == []
    found = changes([0.9] * 5 + [None] * 80)
    assert [change.speaking for _, change in found] == [True, False]
    assert found[1][0] > 5 + 1.5 / FRAME_S - 1


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=200))
def test_beginnings_and_ends_alternate_in_time(likelihoods):
    found = changes(likelihoods, ActivitySettings(ends_after_s=0.1))
    assert [one.speaking for _, one in found] == [n % 2 == 0 for n in range(len(found))]
    times_s = [one.time_s for _, one in found]
    assert times_s == sorted(times_s)
    assert all(one.time_s <= (n + 1) * FRAME_S + 1e-9 for n, one in found)


@pytest.mark.parametrize("angle_deg", [-75, -30, 0, 12.5, 60])
def test_white_noise_from_an_angle_is_found_to_a_degree(angle_deg):
    wave = np.random.default_rng(1).standard_normal(20 * FRAME) * 0.1
    later_s = 0.2 * math.sin(math.radians(angle_deg)) / 343.0
    left = sound.delayed(wave, 0.01 + later_s / 2)
    right = sound.delayed(wave, 0.01 - later_s / 2)
    pair = PairDirection(0.2)
    assert pair.angle_rad() is None
    for at in range(FRAME, 18 * FRAME, FRAME):
        pair.feed(left[at : at + FRAME], right[at : at + FRAME])
    assert math.degrees(pair.angle_rad()) == pytest.approx(angle_deg, abs=1.5)


def test_two_microphones_need_a_distance():
    with pytest.raises(ValueError, match="above 0 m, not 0"):
        PairDirection(0)


def fed(detector, samples, rate_hz, block=777, begin_s=0.0):
    told = []
    for at in range(0, len(samples), block):
        piece = samples[at : at + block].astype(np.float32)
        told += detector.feed(Block(piece, begin_s + at / rate_hz, rate_hz))
    return told


def voices(told):
    return [one for one in told if isinstance(one, VoiceChange)]


@pytest.mark.needs_program("flite")
@pytest.mark.parametrize("rate_hz", [16_000, 44_100, 48_000])
def test_a_voice_is_found_at_its_time_at_any_rate_and_in_blocks_of_any_length(rate_hz):
    from math import gcd

    from scipy import signal

    line = sound.say("flite:slt", sound.SENTENCES[0])
    wave = sound.placed(line, 0.7, 5.0) + sound.noise("pink", 5.0, -55, 1)
    common = gcd(rate_hz, 16_000)
    wave = signal.resample_poly(wave, rate_hz // common, 16_000 // common)
    told = fed(SoundDetector(SileroVoice), wave[:, None], rate_hz, begin_s=100.0)
    begin, end = voices(told)
    assert (begin.speaking, end.speaking) == (True, False)
    assert begin.time_s == pytest.approx(100.7, abs=0.1)
    assert end.time_s == pytest.approx(100.7 + len(line) / 16_000, abs=0.25)
    assert end.loudness_dbfs == pytest.approx(-20, abs=5)


@pytest.mark.needs_program("flite")
def test_a_gap_and_another_device_end_speech_and_begin_anew():
    line = sound.say("flite:slt", sound.SENTENCES[2])[:16_000, None]
    detector = SoundDetector(SileroVoice)
    assert [one.speaking for one in voices(fed(detector, line, 16_000))] == [True]
    told = voices(fed(detector, line, 16_000, begin_s=50.0))
    assert [one.speaking for one in told] == [False, True]
    assert told[0].time_s < 2.0
    told = voices(fed(detector, np.repeat(line, 2, axis=1), 16_000, begin_s=51.0))
    assert [one.speaking for one in told] == [False, True]
    assert [one.speaking for one in voices(detector.close())] == [False]
    assert not detector.speaking


def test_noise_hum_and_silence_are_nobody_for_either_model():
    for model in (SileroVoice, EnergyVoice):
        for wave in (
            np.zeros(48_000),
            sound.noise("white", 3.0, -30.0, 2),
            sound.noise("pink", 3.0, -30.0, 2),
            sound.noise("hum", 3.0, -30.0, 2),
        ):
            told = fed(SoundDetector(model), wave[:, None], 16_000)
            assert voices(told) == []
            assert [one for one in told if isinstance(one, Level)]


@pytest.mark.needs_program("flite")
def test_the_energy_model_hears_a_voice_above_steady_noise():
    line = sound.say("flite:rms", sound.SENTENCES[1])
    wave = sound.placed(line, 1.5, 5.0) + sound.noise("white", 5.0, -45, 3)
    begin, *_, end = voices(fed(SoundDetector(EnergyVoice), wave[:, None], 16_000))
    assert begin.time_s == pytest.approx(1.5, abs=0.2)
    assert end.time_s == pytest.approx(1.5 + len(line) / 16_000, abs=0.3)


def test_an_array_may_have_one_channel_where_each_was_asked_for():
    detector = SoundDetector(EnergyVoice, DetectorSettings(arrangement="each"))
    assert voices(fed(detector, np.zeros((9000, 1)), 16_000)) == []
