"""Sound that is made for tests: its truth is true, and hearing keeps its bars on it."""

from __future__ import annotations

import numpy as np
import pytest

from sera.evaluation.perception import sound
from sera.evaluation.perception.measure_sound import (
    compared,
    measure_activity,
    measure_direction,
    measure_peer,
    measure_sides,
)

pytestmark = [pytest.mark.needs_program("flite"), pytest.mark.needs_program("espeak-ng")]


def test_voices_have_their_level_and_begin_and_end_with_sound():
    for voice in sound.VOICES:
        wave = sound.say(voice, sound.SENTENCES[3], -25.0)
        assert sound.level_dbfs(wave) == pytest.approx(-25.0, abs=0.1)
        (begin_s, _), *_, (_, end_s) = (*sound.intervals_of(wave), *sound.intervals_of(wave))
        assert begin_s < 0.03
        assert end_s > len(wave) / sound.RATE_HZ - 0.03


@pytest.mark.parametrize("kind", ["white", "pink", "hum", "babble"])
def test_noise_has_its_level_and_is_the_same_for_the_same_seed(kind):
    wave = sound.noise(kind, 1.0, -30.0, 5)
    assert 10 * np.log10((wave**2).mean()) == pytest.approx(-30.0, abs=0.01)
    assert np.array_equal(wave, sound.noise(kind, 1.0, -30.0, 5))


def test_a_delay_of_a_part_of_a_sample_is_one():
    time_s = np.arange(4000) / sound.RATE_HZ
    late = sound.delayed(np.sin(2 * np.pi * 300 * time_s), 0.01003)
    expected = np.sin(2 * np.pi * 300 * (np.arange(4000) / sound.RATE_HZ - 0.01003))
    assert np.abs(late[400:3900] - expected[400:3900]).max() < 0.01


def test_comparison_counts_moments_and_forgives_the_edges():
    whole = compared([(1.0, 2.0)], [(1.05, 2.05)], 4.0)
    assert (whole.false, whole.missed) == (0, 0)
    assert whole.value == 1.0
    half = compared([(1.0, 2.0)], [(1.0, 3.0)], 4.0)
    assert half.missed == pytest.approx(90, abs=2)
    assert compared([], [], 1.0).value == 1.0


def test_voices_are_told_from_noise_at_10_db_better_than_by_the_peer():
    ours = measure_activity(10.0, seeds=range(4))
    assert ours.value >= 0.9
    assert ours.value > measure_peer(10.0, seeds=range(4)).value


def test_left_right_and_both_are_told_rightly():
    assert measure_sides(seeds=(0, 3)) >= 0.95


def test_directions_are_right_to_some_degrees():
    errors = measure_direction(seeds=(1, 5), angles_deg=(-50, 0, 25))
    assert len(errors) >= 6
    assert errors[len(errors) // 2] < 2.0
    assert errors[-1] < 6.0
