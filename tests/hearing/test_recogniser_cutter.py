"""Utterances are cut out of a stream with what came before them, and never while muted."""

from __future__ import annotations

import numpy as np

from sera.hearing.recogniser_cutter import LONGEST_S, Piece, UtteranceCutter, as_pcm
from sera.hearing.source import Block

STEP_S = 0.032


def block(at_s: float, loudness: float, rate_hz: int = 16_000) -> Block:
    count = round(STEP_S * rate_hz)
    tone = np.sin(np.arange(count) * 0.3)[:, None] * loudness
    return Block(tone.astype(np.float32), at_s, rate_hz)


def run(cutter: UtteranceCutter, until_s: float, loud: tuple[float, float]) -> list[Piece]:
    pieces: list[Piece] = []
    for n in range(round(until_s / STEP_S)):
        at_s = n * STEP_S
        pieces += cutter.take(block(at_s, 0.3 if loud[0] <= at_s < loud[1] else 0.001))
    return pieces


def test_loudness_cuts_an_utterance_with_pre_roll_where_there_is_no_detector() -> None:
    pieces = run(UtteranceCutter(), 5.0, (2.0, 3.0))
    begun = [each for each in pieces if each.begins]
    ended = [each for each in pieces if each.ends]
    assert len(begun) == len(ended) == 1
    assert 1.6 < begun[0].time_s <= 1.8  # 0.3 s before it became loud, give or take two blocks
    assert 3.5 < ended[0].time_s < 3.8
    seconds = sum(len(each.pcm) for each in pieces) / 32_000
    assert abs(seconds - (ended[0].time_s - begun[0].time_s)) < 1e-6


def test_a_detector_that_tells_late_loses_no_sound() -> None:
    cutter = UtteranceCutter()
    for n in range(60):
        cutter.take(block(n * STEP_S, 0.001))
    cutter.speech(speaking=True, time_s=1.5)  # told 0.4 s later
    pieces = cutter.take(block(60 * STEP_S, 0.3))
    assert pieces[0].begins
    assert 1.5 - 0.3 - STEP_S <= pieces[0].time_s <= 1.5 - 0.3
    cutter.speech(speaking=False, time_s=2.0)
    ends = [piece for n in range(61, 80) for piece in cutter.take(block(n * STEP_S, 0.3))]
    assert [2.3 <= each.time_s < 2.3 + 2 * STEP_S for each in ends if each.ends] == [True]


def test_muting_gives_up_what_is_under_way_and_keeps_nothing_of_it() -> None:
    cutter = UtteranceCutter()
    cutter.speech(speaking=True, time_s=0.0)
    assert cutter.take(block(0.0, 0.3))[0].begins
    (given_up,) = cutter.take(block(STEP_S, 0.3), muted=True)
    assert given_up.ends
    assert given_up.given_up
    assert cutter.take(block(2 * STEP_S, 0.3), muted=True) == []
    cutter.speech(speaking=True, time_s=3 * STEP_S)
    (begun,) = cutter.take(block(3 * STEP_S, 0.3))
    assert begun.time_s == 3 * STEP_S  # no pre-roll from the robot's own voice


def test_endless_speech_is_cut() -> None:
    cutter = UtteranceCutter()
    cutter.speech(speaking=True, time_s=0.0)
    pieces = run(cutter, LONGEST_S + 1.0, (0.0, 99.0))
    assert [each.utterance for each in pieces if each.begins] == [1, 2]
    assert cutter.finish(99.0)[0].ends


def test_any_rate_and_any_number_of_channels_becomes_16_khz() -> None:
    stereo = Block(np.zeros((4800, 2), np.float32), 0.0, 48_000)
    assert len(as_pcm(stereo)) == 1600 * 2
    wild = Block(np.array([[np.nan], [5.0], [-5.0]], np.float32), 0.0, 16_000)
    assert np.frombuffer(as_pcm(wild), "<i2").tolist() == [0, 32767, -32768]


def test_without_its_detector_loudness_counts_again() -> None:
    cutter = UtteranceCutter()
    cutter.speech(speaking=True, time_s=0.0)
    assert cutter.take(block(0.0, 0.001))[0].begins
    cutter.forget_detector()
    pieces = run(cutter, 5.0, (2.0, 3.0))
    assert [each.utterance for each in pieces if each.ends] == [1, 2]
    assert pieces[1].ends  # what the detector had left open is closed at once
