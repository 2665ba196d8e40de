"""Speech sway and mouth from word timings."""

from __future__ import annotations

import numpy as np
import pytest

from sera.animation.signals import SpeechSway, SpeechSwaySettings, Word

WORDS = [Word(0.2, 0.4), Word(0.4, 0.95, 0.9), Word(1.1, 1.3, 0.1), Word(1.3, 1.9, 1.0)]


def said(words, seconds, dt_s=0.005):
    sway = SpeechSway(SpeechSwaySettings())
    sway.begin(words)
    return np.array([sway.step(dt_s) for _ in range(round(seconds / dt_s))])


def test_the_mouth_opens_within_words_and_is_closed_between_them():
    mouth = said(WORDS, 3.0)[:, 1]
    times = 0.005 * np.arange(1, len(mouth) + 1)
    for word in WORDS:
        inside = mouth[(times > word.start_s) & (times < word.end_s)]
        assert inside.max() > 0.5
    outside = (times <= 0.2) | ((times >= 0.95) & (times <= 1.1)) | (times >= 1.9)
    assert mouth[outside].max() < 1e-9
    assert mouth.min() >= 0.0
    assert mouth.max() <= 1.0


def test_stressed_words_open_the_mouth_wider():
    mouth = said([Word(0.0, 0.2, 0.0), Word(0.5, 0.7, 1.0)], 1.0)[:, 1]
    assert mouth[:60].max() < 0.6
    assert mouth[60:].max() > 0.99


def test_a_long_word_has_several_syllables():
    mouth = said([Word(0.0, 0.72)], 1.0)[:, 1]
    peaks = np.count_nonzero((mouth[1:-1] > mouth[:-2]) & (mouth[1:-1] >= mouth[2:]))
    assert peaks == 4
    assert mouth[10:130].min() > 0.2
    assert np.abs(np.diff(mouth, 2)).max() < 0.02


def test_the_body_sways_to_both_sides_softly_and_comes_back():
    words = [Word(0.3 * n, 0.3 * n + 0.25, 0.9 if n % 4 == 2 else 0.4) for n in range(20)]
    sway = said(words, 9.0)[:, 0]
    assert sway.max() > 0.02
    assert sway.min() < -0.02
    assert np.abs(sway).max() <= 0.06
    assert np.abs(np.diff(sway)).max() < 0.002
    assert abs(sway[-1]) < 1e-4


def test_speech_that_breaks_off_closes_the_mouth_without_a_snap():
    sway = SpeechSway(SpeechSwaySettings())
    sway.begin([Word(0.0, 0.18, 1.0)])
    before = [sway.step(0.01)[1] for _ in range(9)][-1]
    assert before > 0.9
    sway.stop()
    after = [sway.step(0.01)[1] for _ in range(60)]
    assert 0.5 < after[0] < before
    assert np.all(np.diff(after) <= 0.0)
    assert after[-1] < 1e-4
    assert not sway.speaking


def test_speech_can_be_joined_in_its_middle():
    sway = SpeechSway(SpeechSwaySettings())
    sway.begin(WORDS, at_s=1.25)
    assert sway.step(0.01)[1] > 0.0
    assert sway.speaking


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([Word(0.5, 0.5)], "Word 1 ends"),
        ([Word(0.0, 0.5), Word(0.4, 0.8)], "Word 2 starts"),
        ([Word(0.0, 0.5, 2.0)], "stress of word 1"),
        ([Word(float("nan"), 0.5)], "start_s of word 1"),
    ],
)
def test_bad_timings_name_the_word(words, named):
    with pytest.raises(ValueError, match=named):
        SpeechSway(SpeechSwaySettings()).begin(words)
