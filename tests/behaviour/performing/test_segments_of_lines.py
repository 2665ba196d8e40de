"""Where a line is cut for the voice, and which word the voice means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.markup.words import words_of
from sera.behaviour.performing import PlainLine, PlainPause, PlainRate, cut


def test_a_line_without_pauses_is_one_segment():
    script = cut(PlainLine("Hello, you there"))
    (segment,) = script.segments
    assert segment.text == "Hello, you there"
    assert segment.word_starts == (0, 7, 11)
    assert (script.words, script.pause_after_s) == (3, 0.0)


def test_pauses_at_one_word_add_up_and_those_at_the_ends_are_kept():
    pauses = [PlainPause(0, 0.1), PlainPause(1, 0.2), PlainPause(1, 0.3), PlainPause(9, 0.4)]
    script = cut(PlainLine("a b", pauses=tuple(pauses)))
    assert [segment.pause_before_s for segment in script.segments] == [0.1, 0.5]
    assert script.pause_after_s == 0.4


def test_a_speed_holds_until_the_next_one():
    rates = (PlainRate(0, 0.8), PlainRate(2, 0.8), PlainRate(3, 1.0))
    script = cut(PlainLine("a b c d", rates=rates))
    assert [(segment.text, segment.rate) for segment in script.segments] == [
        ("a b c", 0.8),
        ("d", 1.0),
    ]


@pytest.mark.parametrize(
    ("given_rate", "rate"), [(0.0, 0.25), (99.0, 4.0), (float("nan"), 1.0), (float("inf"), 1.0)]
)
def test_a_speed_that_no_voice_can_keep_is_brought_into_range(given_rate, rate):
    (segment,) = cut(PlainLine("a", rates=(PlainRate(0, given_rate),))).segments
    assert segment.rate == rate


def test_a_lone_dash_is_said_with_its_neighbour_and_not_counted():
    script = cut(PlainLine("- a - b", pauses=(PlainPause(1, 0.1),)))
    assert [segment.text for segment in script.segments] == ["- a -", "b"]
    assert script.words == 2


def test_half_the_speed_takes_twice_as_long():
    (usual,) = cut(PlainLine("a b c d")).segments
    (slow,) = cut(PlainLine("a b c d", rates=(PlainRate(0, 0.5),))).segments
    assert usual.estimated_s(2.0) == pytest.approx(2.0)
    assert slow.estimated_s(2.0) == pytest.approx(4.0)
    assert usual.estimated_s(2.0, from_word=3) == pytest.approx(0.5)


def test_a_script_without_blanks_is_given_its_time():
    (segment,) = cut(PlainLine("今日はとてもいい天気ですね一緒に散歩しましょう")).segments
    assert segment.estimated_s(2.5) > 1.0


@given(st.text(max_size=60), st.lists(st.integers(0, 12), max_size=5))
def test_segments_keep_every_word_in_its_place(text, places):
    line = PlainLine(text, pauses=tuple(PlainPause(place, 0.1) for place in places))
    script = cut(line)
    assert script.words == len(line.words)
    said = " ".join(segment.text for segment in script.segments)
    if script.words:
        assert said.split() == text.split()
    for before, after in zip(script.segments, script.segments[1:], strict=False):
        assert before.end_word == after.first_word
    for segment in script.segments:
        for local, start in enumerate(segment.word_starts):
            assert segment.word_reached(0, start) == segment.first_word + local
            assert segment.word_reached(local, None) == segment.first_word + local


@given(st.text(max_size=60))
def test_plain_lines_count_words_as_the_markup_does(text):
    single_blanks = " ".join(text.split())
    counted = [word.start for word in words_of(single_blanks)]
    assert [word.start for word in PlainLine(single_blanks).words] == counted
