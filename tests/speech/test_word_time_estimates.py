"""Times of words that no engine gives, and the silent voice that keeps time by them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.runtime.clock import run
from sera.speech import LONGEST_TEXT, SilentVoice, VoiceError, VoiceSettings, syllables
from sera.speech._tokens import speakable, words_of
from sera.speech.estimate import SYLLABLE_S, WORD_S, fill_times


def silent(text: str, **settings):
    return run(SilentVoice().synthesise(text, VoiceSettings(**settings)), clock="virtual")


@pytest.mark.parametrize(
    ("word", "language", "count"),
    [
        ("robot", "en", 2),
        ("make", "en", 1),
        ("table", "en", 2),
        ("the", "en", 1),
        ("olá", "pt", 2),
        ("nome", "pt", 2),
        ("BBC", "en", 3),
        ("25", "en", 3),
        ("机器人", "zh", 3),
        ("שלום", "he", 2),
        ("—", "en", 1),
    ],
)
def test_syllables_are_counted_about_right(word, language, count):
    assert syllables(word, language) == count


def test_the_silent_voice_makes_no_sound_and_keeps_time():
    speech = silent("Hello, robot.")
    assert not speech.audible
    assert speech.estimated
    assert [word.text for word in speech.words] == ["Hello", "robot"]
    assert speech.words[0].start_s == 0.0
    assert speech.words[0].end_s == pytest.approx(WORD_S + 2 * SYLLABLE_S)
    assert speech.words[1].start_s > speech.words[0].end_s + 0.1, "a comma is a pause"
    assert speech.words[1].end_s == pytest.approx(speech.duration_s)
    assert silent("Hello, robot.", rate=2.0).duration_s == pytest.approx(speech.duration_s / 2)


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\0", "…", "--", "[[", "😀"])
def test_a_line_without_words_has_none(text):
    speech = silent(text)
    assert speech.words == ()
    assert speech.duration_s == 0.0


@given(st.text(max_size=200))
def test_any_text_gets_words_in_order_within_its_time(text):
    speech = silent(text)
    for word in speech.words:
        assert text[word.offset : word.end_offset] == word.text
        assert 0.0 <= word.start_s < word.end_s <= speech.duration_s + 1e-9
    for before, after in pairwise(speech.words):
        assert before.end_offset <= after.offset
        assert before.end_s <= after.start_s + 1e-9
    for sentence in speech.sentences:
        assert any(sentence.offset <= word.offset < sentence.end_offset for word in speech.words)


@given(st.text(max_size=100))
def test_what_engines_get_keeps_every_place_and_holds_nothing_that_breaks_them(text):
    safe = speakable(text)
    assert len(safe) == len(text)
    assert "\0" not in safe
    assert "[[" not in safe
    safe.encode()


@given(st.lists(st.one_of(st.none(), st.floats(0, 10)), min_size=1, max_size=12))
def test_known_times_are_kept_and_the_others_lie_between_them(wanted):
    known = sorted(time for time in wanted if time is not None)
    starts_s = [None if time is None else known.pop(0) for time in wanted]
    text = " ".join(["robot"] * len(starts_s))
    times = fill_times(text, words_of(text), starts_s, language="en", sound_s=(0.0, 10.0))
    for (start_s, _), given_s in zip(times, starts_s, strict=True):
        if given_s is not None:
            assert start_s == pytest.approx(given_s)
    assert all(before[0] <= after[0] + 1e-9 for before, after in pairwise(times))
    assert times[-1][1] <= 10.0 + 1e-9


def test_words_before_between_and_after_known_ones_are_estimated():
    text = "robot robot robot robot"
    times = fill_times(
        text, words_of(text), [None, 2.0, None, 4.0], language="en", sound_s=(1.0, 5.0)
    )
    assert [start for start, _ in times] == pytest.approx([1.0, 2.0, 3.0, 4.0])
    assert times[-1][1] == pytest.approx(5.0)


def test_a_text_beyond_the_limit_is_refused_with_its_length():
    with pytest.raises(VoiceError, match=f"{LONGEST_TEXT + 1} characters.*several lines"):
        silent("a" * (LONGEST_TEXT + 1))


@pytest.mark.parametrize(
    "settings", [{"volume": 1.1}, {"rate": 0.0}, {"pitch": float("nan")}, {"volume": -0.1}]
)
def test_settings_outside_their_range_are_refused(settings):
    with pytest.raises(ValueError, match="is outside"):
        VoiceSettings(**settings)
