"""Whom to look at while people speak, and how loud to answer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.rapport import (
    ActiveSpeakers,
    LoudnessMatch,
    LoudnessSettings,
    speakers_of,
)
from sera.messages import SpeechActivity
from sera.messages.perception import Side


def test_nobody_speaks_and_the_gaze_is_free():
    speakers = ActiveSpeakers()
    assert speakers.whom(0.0) is None
    assert speakers.next_turn_s() is None


def test_one_speaker_is_looked_at_until_the_end():
    speakers = ActiveSpeakers()
    speakers.heard("a", True, 1.0)
    assert {speakers.whom(0.5 * step) for step in range(2, 100)} == {"a"}
    speakers.heard("a", False, 50.0)
    assert speakers.whom(50.0) is None


def test_two_speakers_alternate_every_two_seconds_from_when_both_speak():
    speakers = ActiveSpeakers()
    speakers.heard("a", True, 0.0)
    speakers.heard("b", True, 7.3)
    assert speakers.next_turn_s() == pytest.approx(9.3)
    assert speakers.whom(9.2) == "a"
    assert speakers.whom(9.3) == "b"
    assert speakers.whom(11.2) == "b"
    assert speakers.whom(11.4) == "a"
    speakers.heard("a", False, 11.5)
    assert speakers.whom(11.5) == "b"


def test_turns_that_were_not_asked_for_are_counted():
    speakers = ActiveSpeakers()
    speakers.heard("a", True, 0.0)
    speakers.heard("b", True, 0.0)
    assert speakers.whom(4.5) == "a"
    assert speakers.whom(6.5) == "b"


def test_a_speaker_reported_twice_counts_once():
    speakers = ActiveSpeakers()
    speakers.heard("a", True, 0.0)
    speakers.heard("a", True, 1.0)
    speakers.heard("b", False, 1.0)
    assert speakers.speakers == ("a",)


@pytest.mark.parametrize(
    ("message", "targets"),
    [
        (SpeechActivity(speaking=True, person="visitor", side=Side.LEFT), ("visitor",)),
        (SpeechActivity(speaking=True, side=Side.LEFT), ("left",)),
        (SpeechActivity(speaking=True, side=Side.BOTH), ("left", "right")),
        (SpeechActivity(speaking=True), ()),
    ],
)
def test_a_message_names_whom_to_look_at(message, targets):
    assert speakers_of(message) == targets


def hear(match: LoudnessMatch, loudness_dbfs: float, for_s: float) -> float:
    for step in range(round(for_s * 10)):
        match.heard(loudness_dbfs, step * 0.1)
    return match.gain_db


def test_loud_people_are_answered_louder_and_quiet_ones_more_quietly():
    assert hear(LoudnessMatch(), -20.0, 60.0) == pytest.approx(5.0, abs=0.01)
    assert hear(LoudnessMatch(), -40.0, 60.0) == pytest.approx(-5.0, abs=0.01)
    assert hear(LoudnessMatch(), -30.0, 60.0) == 0.0


def test_after_the_time_constant_the_gain_is_two_thirds_of_the_way():
    assert hear(LoudnessMatch(), -20.0, 3.0) == pytest.approx(5.0 * (1 - math.exp(-1)), abs=0.01)


def test_a_shout_does_not_make_the_robot_shout():
    match = LoudnessMatch()
    assert hear(match, 12.0, 600.0) == pytest.approx(6.0)
    assert match.volume == pytest.approx(10 ** (6 / 20))


@pytest.mark.parametrize("loudness", [-61.0, -120.0, math.nan, math.inf, -math.inf])
def test_silence_and_nonsense_change_nothing(loudness):
    match = LoudnessMatch()
    hear(match, -20.0, 2.0)
    before = match.gain_db
    assert match.heard(loudness, 100.0) == before


@given(heard=st.lists(st.tuples(st.floats(-120, 12), st.floats(0, 2)), max_size=50))
def test_the_gain_stays_in_its_bounds_and_moves_smoothly(heard):
    match, now_s, before = LoudnessMatch(), 0.0, 0.0
    for loudness, past_s in heard:
        now_s += past_s
        gain = match.heard(loudness, now_s)
        assert -9.0 <= gain <= 6.0
        assert abs(gain - before) <= 15.0 * (1 - math.exp(-1 / 3)) + 1e-9
        before = gain


@pytest.mark.parametrize(
    "settings", [{"quieter_db": 1.0}, {"louder_db": -1.0}, {"follow": 2.0}, {"settles_s": 0.0}]
)
def test_bounds_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError):
        LoudnessSettings(**settings)
