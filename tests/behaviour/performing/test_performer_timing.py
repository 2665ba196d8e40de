"""Steps that need time: ordered ahead of their words, adjusted, called off; words that wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.performing import (
    Adjust,
    CallOff,
    Cancel,
    Fire,
    Perform,
    Performer,
    PerformerSettings,
    PersonSpeaking,
    PlainLine,
    PlainPause,
    PlainStep,
    Reach,
    Speak,
    Started,
    Stop,
    StopSpeaking,
    VoiceFinished,
    VoicePrepared,
    VoiceStarted,
    VoiceWord,
    WordTimes,
)

AHEAD_S = 0.08


class Timed:
    """A performer whose steps need the seconds that stand in their names."""

    def __init__(self, reach_of=None):
        self.performer = Performer(PerformerSettings(), reach_of or self.reach_of)
        self.orders = []
        self.now_s = 0.0

    @staticmethod
    def reach_of(step):
        return Reach(float(step.name), AHEAD_S) if step.name != "-" else None

    def tell(self, event, at_s=0.0):
        self.now_s = at_s
        new = self.performer.handle(event, at_s)
        self.orders += new
        return new

    def perform(self, text, *steps, pauses=(), **more):
        plain = tuple(PlainStep(str(name), word) for word, name in steps)
        line = PlainLine(text, plain, tuple(pauses))
        return self.tell(Perform("u", line, **more))

    def run_to(self, end_s):
        """Let time pass as the module does: only when there is something to do."""
        while (due_s := self.performer.next_deadline_s) is not None and due_s <= end_s:
            self.now_s = max(self.now_s, due_s)
            self.orders += [(self.now_s, each) for each in self.performer.tick(self.now_s)]

    def fires(self):
        return {
            each[1].step.name: (each[0], each[1].stroke_in_s)
            for each in self.orders
            if isinstance(each, tuple) and isinstance(each[1], Fire)
        }


@pytest.fixture
def timed():
    return Timed()


def times_of(text, starts_s, duration_s):
    offsets = [0, *(n + 1 for n, sign in enumerate(text) if sign == " ")]
    return WordTimes(tuple(offsets), tuple(starts_s), duration_s)


def speak_of(orders):
    return next(order for order in orders if isinstance(order, Speak))


def test_words_wait_for_a_gesture_that_stands_before_them_and_no_longer_than_it_needs(timed):
    assert speak_of(timed.perform("one two", (0, 0.5))).wait_s == pytest.approx(0.58)


def test_words_wait_for_no_more_than_eight_tenths_of_a_second(timed):
    assert speak_of(timed.perform("one two", (0, 3.0), (0, 0.7))).wait_s == pytest.approx(0.8)


def test_a_line_that_begins_with_words_begins_at_once(timed):
    words = "one two three four five six"
    assert speak_of(timed.perform(words, (4, 0.5), (2, "-"))).wait_s <= 0.1
    assert speak_of(Timed().perform(words, (0, "-"))).wait_s == 0.0


def test_a_line_that_may_not_wait_does_not_and_its_gesture_begins_at_once(timed):
    fire, speak = timed.perform("one two", (0, 0.5), waits=False)[1:]
    assert isinstance(fire, Fire)
    assert (fire.stroke_in_s, speak.wait_s) == (0.0, 0.0)


def test_a_gesture_is_ordered_so_early_that_it_meets_its_word(timed):
    text = "one two three four"
    timed.perform(text, (3, 0.5), (1, "-"))
    timed.tell(VoicePrepared("u", 0, 0.1, times_of(text, (0.0, 0.4, 0.8, 1.4), 1.8)), 0.2)
    timed.run_to(0.7)
    assert timed.fires() == {}  # what needs no time comes with its word
    assert [each.step.name for each in timed.tell(VoiceWord("u", 0, 1), 0.7)] == ["-"]
    timed.run_to(5.0)
    assert timed.fires()["0.5"] == (pytest.approx(0.3 + 1.4 - 0.58), pytest.approx(0.5))


def test_a_sentence_rests_for_its_gesture_and_the_middle_of_a_clause_hardly(timed):
    speak = speak_of(timed.perform("Oh. Hello there my friend", (1, 0.6)))
    ((place, rest_s),) = speak.rests
    assert place == 4
    assert 0.0 < rest_s <= 0.8
    ((_, within_s),) = speak_of(Timed().perform("Oh hello there my friend", (1, 0.6))).rests
    assert within_s <= 0.15


def test_a_gesture_after_a_pause_begins_within_it(timed):
    timed.perform("one two three", (2, 0.5), pauses=[PlainPause(2, 0.3)])
    timed.tell(VoicePrepared("u", 0, 0.0, times_of("one two", (0.0, 0.4), 1.0)))
    timed.run_to(0.99)
    at_s, _ = timed.fires()["0.5"]
    assert at_s == pytest.approx(1.0 + 0.3 - 0.58)


def test_a_word_that_comes_later_than_was_told_moves_the_stroke_under_way(timed):
    text = "one two three four"
    timed.perform(text, (3, 0.6))
    timed.tell(VoicePrepared("u", 0, 0.0, times_of(text, (0.0, 0.4, 0.8, 1.2), 1.6)))
    timed.run_to(0.6)
    assert "0.6" in timed.fires()
    (adjust,) = timed.tell(VoiceWord("u", 0, 2), 0.95)
    assert isinstance(adjust, Adjust)
    assert adjust.stroke_in_s == pytest.approx(0.95 + 0.4 - AHEAD_S - 0.95)
    assert timed.tell(VoiceWord("u", 0, 3), 1.36) == []


def test_looks_keep_their_order_however_long_each_of_them_takes():
    looks = {"there": Reach(0.0, is_look=True), "far": Reach(0.7, is_look=True)}
    timed = Timed(lambda step: looks[step.name])
    timed.perform("one two three", (0, "there"), (1, "far"))
    fired = timed.tell(VoicePrepared("u", 0, 0.1, times_of("one two three", (0.0, 0.3, 0.6), 1.0)))
    assert [each.step.name for each in fired] == ["there", "far"]


@pytest.mark.parametrize("event", [Cancel(None, politely=False), Cancel("u"), Stop()])
def test_what_was_ordered_ahead_of_words_that_are_not_said_is_called_off(timed, event):
    text = "one two three four"
    timed.perform(text, (0, 0.2), (3, 0.6))
    timed.tell(VoicePrepared("u", 0, 0.3, times_of(text, (0.0, 0.4, 0.8, 1.2), 1.6)))
    timed.run_to(0.9)
    timed.tell(VoiceWord("u", 0, 0), 0.95)
    off = [each.step.name for each in timed.tell(event, 1.0) if isinstance(each, CallOff)]
    assert off == ["0.6"]
    timed.run_to(9.0)
    assert timed.performer.utterance is None


def test_a_voice_that_tells_nothing_beforehand_still_has_its_gestures(timed):
    timed.perform("one two three four five six", (0, 0.5), (4, 0.4))
    assert timed.tell(VoiceStarted("u"), 0.7)[0].step.name == "0.5"
    timed.run_to(2.0)
    assert set(timed.fires()) == {"0.4"}
    timed.tell(VoiceFinished("u"), 2.0)
    assert timed.performer.utterance is None


def test_strokes_of_a_line_without_words_come_together(timed):
    first = timed.perform("", (0, 0.6), (0, 0.2), (0, "-"), lasts_s=(0.6, 0.2, 0.0))
    assert [each.step.name for each in first if isinstance(each, Fire)] == ["-", "0.6"]
    timed.run_to(0.41)
    assert timed.fires()["0.2"] == (pytest.approx(0.4), pytest.approx(0.2))


@given(
    st.lists(st.tuples(st.integers(0, 7), st.floats(0.05, 0.9)), min_size=1, max_size=5),
    st.lists(st.floats(0.1, 0.7), min_size=8, max_size=8),
    st.floats(0.0, 0.4),
    st.sets(st.integers(1, 7)),
)
def test_whatever_a_line_holds_each_step_fires_once_and_none_with_time_left_is_late(
    steps, gaps_s, latency_s, commas
):
    words = [f"w{n}" + ("," if n + 1 in commas else "") for n in range(8)]
    text, timed = " ".join(words), Timed()
    speak = speak_of(timed.perform(text, *((word, lead) for word, lead in steps)))
    starts_s = [sum(gaps_s[:n]) for n in range(8)]
    begin_s = latency_s + speak.wait_s
    times = times_of(text, starts_s, sum(gaps_s))
    timed.tell(VoicePrepared("u", 0, speak.wait_s, times), latency_s)
    fired = [each for each in timed.orders if isinstance(each, Fire)]
    early = [(latency_s, each) for each in fired]
    for word, start_s in enumerate(starts_s):
        timed.run_to(begin_s + start_s - 1e-9)
        early += [
            (begin_s + start_s, each)
            for each in timed.tell(VoiceWord("u", 0, word), begin_s + start_s)
        ]
    timed.tell(VoiceFinished("u"), begin_s + sum(gaps_s))
    every = [each for each in [*early, *timed.orders] if isinstance(each, tuple)]
    done = [(at_s, each) for at_s, each in every if isinstance(each, Fire)]
    assert sorted(each.index for _, each in done) == list(range(len(steps)))
    for at_s, each in done:
        onset_s = begin_s + starts_s[each.step.word]
        lead_s = float(each.step.name) + AHEAD_S
        if onset_s - lead_s >= latency_s + 1e-6:
            assert at_s == pytest.approx(onset_s - lead_s, abs=1e-6)
        else:
            assert at_s == pytest.approx(latency_s, abs=1e-6) or at_s == 0.0


def test_words_that_wait_for_a_gesture_give_way_to_whoever_begins_to_speak_and_come_later(timed):
    begun = timed.perform("Hello there", (0, 0.6))
    assert [type(each) for each in begun if isinstance(each, Started | Speak)] == [Started, Speak]
    given_way = timed.tell(PersonSpeaking(True, "ada"), 0.2)
    assert [type(each) for each in given_way] == [StopSpeaking]
    assert timed.performer.waiting == ("u",)
    timed.orders.clear()
    timed.orders += [
        (1.5, each) for each in timed.performer.handle(PersonSpeaking(False, "ada"), 1.5)
    ]
    timed.run_to(3.0)
    again = [each for _, each in timed.orders]
    assert [each.text for each in again if isinstance(each, Speak)] == ["Hello there"]
    assert not any(isinstance(each, Started) for each in again), "it was told once"


def test_what_is_heard_already_is_not_given_up_for_whoever_speaks(timed):
    timed.perform("Hello there", (0, 0.6))
    timed.tell(VoiceStarted("u", 0), 0.7)
    assert timed.tell(PersonSpeaking(True, "ada"), 0.9) == []
    assert timed.performer.utterance == "u"
