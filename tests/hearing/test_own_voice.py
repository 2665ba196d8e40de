"""The robot's own voice: taken out of what is heard, and never taken for somebody's."""

from __future__ import annotations

import numpy as np
import pytest

from sera.evaluation.perception import sound
from sera.evaluation.perception.measure_sound import measure_own_voice, played
from sera.hearing._own_sounds import OwnSounds
from sera.hearing.canceller import EchoCanceller
from sera.hearing.voice_model import FRAME, RATE_HZ

pytestmark = [pytest.mark.needs_program("flite"), pytest.mark.needs_program("espeak-ng")]


def cancelled(scene, canceller):
    given = sound.placed(scene.own[0][1], scene.own[0][0], scene.duration_s)
    heard = scene.samples[:, 0]
    rest = [
        canceller.feed(heard[at : at + FRAME], given[at : at + FRAME])[0]
        for at in range(0, len(heard) - FRAME, FRAME)
    ]
    return heard, np.concatenate(rest)


def level_db(wave, begin_s, end_s):
    piece = wave[round(begin_s * RATE_HZ) : round(end_s * RATE_HZ)]
    return 10 * np.log10((piece**2).mean() + 1e-12)


@pytest.mark.parametrize(("seed", "delay_s"), [(0, 0.05), (2, 0.2), (4, 0.4)])
def test_a_way_is_learnt_within_a_second_whatever_its_delay(seed, delay_s):
    canceller = EchoCanceller()
    heard, rest = cancelled(sound.echo(seed, delay_s, duration_s=5.0), canceller)
    assert canceller.delay / RATE_HZ == pytest.approx(delay_s, abs=0.01)
    assert level_db(rest, 2.0, 4.5) < level_db(heard, 2.0, 4.5) - 12.0


def test_a_person_stays_when_the_echo_goes():
    canceller = EchoCanceller()
    scene = sound.echo(2, 0.2, person_at_s=2.5, duration_s=5.0)
    alone = sound.echo(2, 0.2, duration_s=5.0)
    person = scene.samples[:, 0] - alone.samples[:, 0]
    _, rest = cancelled(scene, canceller)
    assert level_db(rest, 2.6, 3.2) > level_db(person, 2.6, 3.2) - 3.0


def test_silence_and_sounds_that_are_not_heard_do_no_harm():
    canceller = EchoCanceller()
    hiss = sound.noise("white", 2.0, -40.0, 1)
    given = sound.say("flite:slt", sound.SENTENCES[0])
    for at in range(0, len(hiss) - FRAME, FRAME):
        rest, _ = canceller.feed(hiss[at : at + FRAME], np.resize(given[at:], FRAME))
    assert level_db(rest, 0, 0.032) == pytest.approx(-40.0, abs=4.0)
    rest, echo = EchoCanceller().feed(np.zeros(FRAME), np.zeros(FRAME))
    assert not rest.any()
    assert not echo.any()


def test_the_robot_never_hears_itself_and_hears_who_talks_over_it():
    result = measure_own_voice(seeds=(1, 6, 11, 16), delays_s=(0.05, 0.15, 0.4, 0.25))
    assert result.false_alarms == 0
    assert result.found_share >= 0.9, result.delays_s


def test_without_samples_times_and_loudness_decide():
    alone = sound.echo(3, 0.3)
    assert played(alone, with_samples=False) == []
    # As if the robot were heard from far away: the person is much louder.
    far = sound.echo(3, 0.3, echo_db=-25.0, person_at_s=4.0)
    begins = [one for one in played(far, with_samples=False) if one.change.speaking]
    assert len(begins) >= 1
    assert begins[0].known_s - far.people[0][0][0] < 0.3


def test_a_person_who_was_speaking_first_is_not_cut_by_the_robots_first_word():
    scene = sound.echo(2, 0.2, person_at_s=0.1, duration_s=5.0)
    told = played(scene)
    assert told[0].change.speaking
    assert told[0].known_s < 0.6
    assert not [one for one in told if not one.change.speaking and one.known_s < 1.7]


def test_a_robot_that_turns_away_is_learnt_anew():
    """The way changes in the middle of a line: what looks like a person ends by itself."""
    first, second = sound.echo(2, 0.1, duration_s=9.0), sound.echo(2, 0.32, duration_s=9.0)
    half = round(3.0 * RATE_HZ)
    first.samples = np.concatenate([first.samples[:half], second.samples[half:]])
    told = played(first)
    begins = [one for one in told if one.change.speaking and one.known_s > 6.0]
    assert begins == []
    assert len(told) <= 4


def test_times_of_speeches_are_kept_and_forgotten():
    sounds = OwnSounds(echo_s=0.5)
    sounds.began("one", "ada", 10.0, expected_s=2.0)
    assert not sounds.sounding(9.5)
    assert sounds.sounding(11.0)
    assert sounds.sounding(14.4), "an end that was never told comes two seconds late"
    assert not sounds.sounding(14.6)
    sounds.began("two", "ada", 20.0)
    sounds.ended("two", 21.0)
    sounds.ended("never begun", 21.0)
    assert sounds.sounding(21.4)
    assert not sounds.sounding(21.6)


def test_samples_are_given_at_their_times_at_any_rate_until_they_are_cut():
    sounds = OwnSounds(echo_s=0.5)
    tone = np.sin(2 * np.pi * 500 * np.arange(22_050) / 22_050)
    sounds.began("one", "ada", 1.0, expected_s=1.0, samples=tone, rate_hz=22_050)
    got = np.concatenate([sounds.given(0.9 + 0.032 * n)["ada"] for n in range(10)])
    expected = np.sin(2 * np.pi * 500 * (np.arange(len(got)) / RATE_HZ - 0.1))
    assert not got[:1590].any()
    assert np.abs(got - expected)[1700:].max() < 0.02
    sounds.ended("one", 1.3)
    assert not sounds.given(1.4)["ada"].any()
