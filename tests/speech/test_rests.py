"""Silence within a speech: nothing of the sound is lost, and all times move with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sera.speech import Speech, Word, with_rests

RATE_HZ = 1000


def speech_of(count: int) -> Speech:
    words = tuple(
        Word("ab", 3 * n, 3 * n + 2, 0.1 + 0.4 * n, 0.4 + 0.4 * n, estimated=False)
        for n in range(count)
    )
    samples = bytes(1 for _ in range(2 * int(RATE_HZ * (0.1 + 0.4 * count))))
    return Speech("ab " * count, RATE_HZ, 0.1 + 0.4 * count, samples, words)


@given(st.integers(2, 8), st.dictionaries(st.integers(0, 24), st.floats(0.0, 0.8), max_size=4))
def test_words_after_a_rest_come_later_by_it_and_the_sound_is_whole(count, rests):
    speech = speech_of(count)
    rested = with_rests(speech, rests)
    for before, after in zip(speech.words, rested.words, strict=True):
        passed = sum(s for at, s in rests.items() if at % 3 == 0 and 0 < at <= before.offset)
        assert abs(after.start_s - before.start_s - passed) < 1e-9
        assert after.end_s - after.start_s >= before.end_s - before.start_s - 1e-9
    added_s = rested.duration_s - speech.duration_s
    assert abs(len(rested.pcm) / 2 / RATE_HZ - rested.duration_s) <= 0.002 * (1 + len(rests))
    assert rested.pcm.replace(b"\0", b"") == speech.pcm
    assert added_s >= 0.0


def test_a_voice_without_sound_keeps_the_time_of_rests():
    speech = Speech("ab ab", RATE_HZ, 1.0, b"", speech_of(2).words)
    rested = with_rests(speech, {3: 0.5})
    assert (rested.duration_s, rested.pcm) == (1.5, b"")
    assert with_rests(speech, {1: 0.5, 3: 0.0}) is speech
