"""Loudness, muted and clipped microphones, and rates that become 16 kHz."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.hearing import Block
from sera.hearing.level import MuteWatch, loudness_dbfs
from sera.hearing.resample import Resampler


def block(samples, time_s=0.0):
    return Block(np.asarray(samples, np.float32).reshape(len(samples), -1), time_s, 16_000)


def test_loudness_is_that_of_each_channel_and_stays_within_what_messages_allow():
    steady = np.full((1000, 3), [1.0, 0.1, 0.0])
    assert loudness_dbfs(steady) == pytest.approx([0.0, -20.0, -120.0], abs=0.01)


def noise(count=1600, channels=1, size=0.1):
    return np.random.default_rng(1).standard_normal((count, channels)) * size


def test_a_muted_channel_is_named_after_a_second_and_forgiven_at_once():
    watch = MuteWatch()
    both = noise(channels=2)
    both[:, 1] = 0.0
    said = [watch.feed(block(both)) for _ in range(12)]
    assert said[:9] == [None] * 9
    assert said[-1].startswith("channel 2 of 2 is muted: switch it on")
    assert watch.feed(block(noise(channels=2))) is None


def test_a_constant_is_muted_too_and_a_quiet_room_is_not():
    stuck, quiet = MuteWatch(), MuteWatch()
    for _ in range(12):
        stuck_says = stuck.feed(block(np.full((1600, 1), 0.3)))
        quiet_says = quiet.feed(block(noise(size=1e-4)))
    assert stuck_says.startswith("the microphone is muted")
    assert quiet_says is None


def test_a_clipped_microphone_is_told_and_comes_back():
    watch = MuteWatch()
    for _ in range(5):
        said = watch.feed(block(np.clip(noise(size=1.5), -1, 1)))
    assert said.startswith("the microphone is clipped: lower the level")
    after_s = 0.0
    while watch.feed(block(noise(size=0.1))) is not None:
        after_s += 0.1
        assert after_s < 20
    assert after_s > 0.5


@pytest.mark.parametrize("rate_hz", [8000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000])
def test_a_tone_keeps_its_frequency_its_loudness_and_its_time(rate_hz):
    resampler = Resampler(rate_hz)
    time_s = np.arange(rate_hz) / rate_hz
    out = resampler.feed(np.sin(2 * np.pi * 440 * time_s)[:, None].astype(np.float32))[:, 0]
    expected = np.sin(2 * np.pi * 440 * (np.arange(len(out)) / 16_000 - resampler.delay_s))
    assert len(out) == pytest.approx(16_000, abs=2)
    assert np.abs(out - expected)[400:-400].max() < 0.02


@pytest.mark.parametrize("rate_hz", [22_050, 44_100, 48_000, 96_000])
def test_what_16_khz_cannot_hold_is_taken_away(rate_hz):
    time_s = np.arange(rate_hz // 2) / rate_hz
    high = np.sin(2 * np.pi * 9500 * time_s)[:, None].astype(np.float32)
    out = Resampler(rate_hz).feed(high)
    assert np.abs(out[400:]).max() < 0.003


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from([8000, 11_025, 44_100, 48_000]),
    st.lists(st.integers(1, 700), min_size=1, max_size=8),
)
def test_pieces_of_any_length_give_what_the_whole_gives(rate_hz, lengths):
    whole = np.random.default_rng(0).standard_normal((sum(lengths), 2)).astype(np.float32)
    at_once, bit_by_bit = Resampler(rate_hz), Resampler(rate_hz)
    edges = np.cumsum([0, *lengths])
    pieces = [bit_by_bit.feed(whole[a:b]) for a, b in pairwise(edges)]
    assert np.allclose(np.concatenate(pieces), at_once.feed(whole), atol=1e-9)
