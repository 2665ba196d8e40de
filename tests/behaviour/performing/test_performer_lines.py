"""One line: its beginning, its words and steps, its end."""

from __future__ import annotations

import pytest

from sera.behaviour.markup.parsed import parse
from sera.behaviour.performing import (
    Cancelled,
    Finished,
    Fire,
    Perform,
    PlainPause,
    PlainRate,
    Speak,
    Started,
    State,
    StepDone,
    StopSpeaking,
    VoiceStarted,
    VoiceWord,
)
from sera.messages.behaviour import CancelReason
from sera.messages.speech import SpeechOutcome


def test_a_line_starts_in_the_very_call_when_the_floor_is_free(stage):
    assert stage.performer.state is State.STAND_BY
    assert stage.perform("u1", "Hello there") == [Started("u1"), Speak("u1", 0, "Hello there")]
    assert stage.performer.state is State.PERFORMING


def test_a_line_ends_with_the_voice(stage):
    stage.perform("u1")
    assert stage.finish(at_s=2.5) == [Finished("u1", 2.5)]
    assert stage.performer.state is State.STAND_BY
    assert stage.performer.next_deadline_s is None


def test_steps_before_the_first_word_fire_before_the_voice_begins(stage):
    orders = stage.perform("u1", steps=(0, 1, 0))
    assert [type(order) for order in orders] == [Started, Fire, Fire, Speak]
    assert stage.fired() == [0, 2]


def test_a_step_fires_when_the_voice_reaches_its_word(stage):
    stage.perform("u1", "a b c", steps=(1, 2))
    assert stage.word(0) == []
    assert [order.index for order in stage.word(1)] == [0]
    assert [order.index for order in stage.word(2)] == [1]


def test_what_the_voice_skipped_fires_with_its_next_word_in_order(stage):
    stage.perform("u1", "a b c d", steps=(1, 2, 2, 3))
    assert [order.index for order in stage.word(2)] == [0, 1, 2]
    assert stage.word(1) == []


def test_what_a_voice_without_words_never_reported_fires_at_its_end(stage):
    stage.perform("u1", "a b c", steps=(2, 1, 3))
    orders = stage.finish()
    assert [type(order) for order in orders] == [Fire, Fire, Fire, Finished]
    assert stage.fired() == [1, 0, 2]


def test_a_step_after_the_last_word_waits_for_the_end(stage):
    stage.perform("u1", "a b", steps=(2,))
    stage.word(0)
    stage.word(1)
    assert stage.fired() == []
    stage.finish()
    assert stage.fired() == [0]


def test_the_place_in_the_text_counts_more_than_the_voice_s_own_count(stage):
    stage.perform("u1", "It is 1,234,567 times better", steps=(3,))
    assert stage.word(5, offset=6) == []
    assert [order.index for order in stage.word(9, offset=16)] == [0]


def test_a_voice_that_counts_more_words_than_there_are_does_no_harm(stage):
    stage.perform("u1", "a b", steps=(1,))
    assert [order.index for order in stage.word(17)] == [0]


def test_reports_about_other_lines_and_segments_mean_nothing(stage):
    stage.perform("u1", "a b", steps=(1,))
    assert stage.word(1, "u0") == []
    assert stage.word(1, segment=1) == []
    assert stage.finish("u0") == []
    assert stage.performer.utterance == "u1"


def test_a_line_without_words_lasts_as_long_as_its_longest_action(stage):
    orders = stage.perform("u1", "", steps=(0, 0), lasts_s=(0.5, 2.0))
    assert [type(order) for order in orders] == [Started, Fire, Fire]
    assert stage.performer.state is State.NON_VERBAL_WAITING
    assert stage.performer.next_deadline_s == 2.0
    assert stage.tick(1.99) == []
    assert stage.tick(2.0) == [Finished("u1", 2.0)]


def test_a_line_without_words_waits_for_actions_that_report_their_end(stage):
    stage.perform("u1", "", steps=(0, 0, 0), lasts_s=(None, 1.0, None))
    assert stage.tell(StepDone("u1", 0), 0.5) == []
    assert stage.tell(StepDone("u1", 2), 0.7) == []
    assert stage.tick(1.0) == [Finished("u1", 1.0)]


def test_an_action_that_never_reports_its_end_is_cut(make_stage):
    stage = make_stage(longest_action_s=4.0)
    stage.perform("u1", "", steps=(0,), lasts_s=(None,))
    assert stage.tick(3.9) == []
    (order,) = stage.tick(4.0)
    assert order == Cancelled(
        "u1", CancelReason.TIMED_OUT, "1 of its actions did not report their end", 0
    )


def test_an_empty_line_starts_and_ends_at_once(stage):
    assert stage.perform("u1", "") == [Started("u1"), Finished("u1", 0.0)]


def test_a_line_that_never_reports_its_end_is_cut_and_the_next_one_comes(make_stage):
    stage = make_stage(words_per_s=2.0, slowness=2.0, patience_s=5.0, stop_grace_s=0.5)
    stage.perform("u1", "a b c d")
    stage.perform("u2")
    assert stage.performer.next_deadline_s == pytest.approx(5 + 2 * 4 / 2)
    assert stage.tick(9.0) == [StopSpeaking("u1", 0, politely=False)]
    assert stage.performer.state is State.CANCELLED
    cancelled, started, speak = stage.tick(9.5)
    assert (cancelled.reason, cancelled.words_said) == (CancelReason.TIMED_OUT, 0)
    assert "did not report its end" in cancelled.detail
    assert (started, speak) == (Started("u2"), Speak("u2", 0, "one two"))


def test_a_voice_that_knows_its_length_is_given_that_time(make_stage):
    stage = make_stage(slowness=2.0, patience_s=5.0)
    stage.perform("u1", "a b")
    stage.tell(VoiceStarted("u1", 0, expected_duration_s=30.0), 1.0)
    assert stage.performer.next_deadline_s == pytest.approx(66.0)


def test_words_that_still_come_keep_a_slow_voice_from_being_cut(make_stage):
    stage = make_stage(words_per_s=2.0, slowness=1.0, patience_s=1.0)
    stage.perform("u1", "a b c d")
    for index in range(4):
        stage.tell(VoiceWord("u1", index=index), 1.4 * (index + 1))
    assert stage.performer.state is State.PERFORMING
    assert stage.finish(at_s=6.5)[-1] == Finished("u1", 6.5)


def test_a_voice_that_fails_or_is_stopped_by_others_ends_the_line(make_stage):
    for outcome, reason in (
        (SpeechOutcome.FAILED, CancelReason.FAILED),
        (SpeechOutcome.STOPPED, CancelReason.STOPPED),
    ):
        stage = make_stage()
        stage.perform("u1", "a b c", steps=(2,))
        stage.word(1)
        (order,) = stage.finish(outcome=outcome)
        assert (order.reason, order.words_said) == (reason, 2)
        assert stage.fired() == []


def test_pauses_are_silence_between_two_orders_to_the_voice(stage):
    pauses = (PlainPause(0, 0.3), PlainPause(2, 0.5), PlainPause(3, 0.2))
    assert stage.perform("u1", "a b c", steps=(0, 2), pauses=pauses)[-1] == Fire(
        "u1", 0, stage.orders[1].step
    )
    assert stage.tick(0.3) == [Speak("u1", 0, "a b")]
    assert stage.finish(segment=0, at_s=1.0) == []
    assert stage.performer.next_deadline_s == 1.5
    assert stage.tick(1.5) == [Speak("u1", 1, "c")]
    assert [order.index for order in stage.word(0, segment=1)] == [1]
    assert stage.finish(segment=1, at_s=2.0) == []
    assert stage.tick(2.2) == [Finished("u1", 2.2)]


def test_what_is_overdue_fires_at_the_end_of_its_segment(stage):
    stage.perform("u1", "a b c", steps=(1, 2), pauses=(PlainPause(2, 0.5),))
    assert [order.index for order in stage.finish(segment=0)] == [0]
    stage.tick(0.5)
    assert [order.index for order in stage.word(0, segment=1)] == [1]


def test_a_change_of_speed_is_a_new_order_to_the_voice_without_a_pause(stage):
    stage.perform("u1", "a b c", rates=(PlainRate(1, 0.8),))
    assert stage.orders[-1] == Speak("u1", 0, "a", 1.0)
    assert stage.finish(segment=0) == [Speak("u1", 1, "b c", 0.8)]


def test_a_line_with_markup_is_performed_as_written(stage):
    line = parse(r"<GAZE(clicks)> Look \pau=400\ over <GLANCE(topLeft)> there")
    stage.tell(Perform("u1", line))
    assert [order.step.verb for order in stage.orders if isinstance(order, Fire)] == ["GAZE"]
    assert stage.orders[-1] == Speak("u1", 0, "Look")
    stage.finish(segment=0, at_s=0.4)
    assert stage.tick(0.8) == [Speak("u1", 1, "over there")]
    (glance,) = stage.word(1, segment=1, offset=5)
    assert glance.step.verb == "GLANCE"


def test_a_repeated_order_is_performed_once(stage):
    stage.perform("u1")
    stage.perform("u2")
    assert stage.perform("u1") == []
    assert stage.perform("u2") == []
    stage.finish()
    stage.finish()
    assert stage.spoken() == ["u1", "u2"]


def test_time_never_runs_backwards(stage):
    stage.perform("u1", at_s=5.0)
    assert stage.finish(at_s=3.0) == [Finished("u1", 0.0)]
