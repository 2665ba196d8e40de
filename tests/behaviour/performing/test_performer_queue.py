"""Who goes first: priorities, pre-emption, cancelling, back-pressure, conflicts."""

from __future__ import annotations

import pytest

from sera.behaviour.performing import (
    Cancel,
    Cancelled,
    Conflict,
    ConflictRule,
    PerformerSettings,
    PersonSpeaking,
    Refused,
    Started,
    State,
    Stop,
    StopSpeaking,
)
from sera.messages.behaviour import CancelReason
from sera.messages.speech import SpeechOutcome


def kinds(orders):
    return [type(order) for order in orders]


def test_lines_of_one_priority_are_said_in_the_order_of_their_arrival(stage):
    for name in ("u1", "u2", "u3"):
        stage.perform(name)
    for _ in range(3):
        stage.finish()
    assert stage.spoken() == ["u1", "u2", "u3"]


def test_higher_priorities_go_first(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("low", priority=-5)
    stage.perform("high", priority=5)
    stage.perform("usual")
    stage.tell(PersonSpeaking(False))
    for _ in range(3):
        stage.finish()
    assert stage.spoken() == ["high", "usual", "low"]


def test_a_more_important_line_breaks_off_the_one_under_way_at_the_next_word(stage):
    stage.perform("u1", "a b c")
    stage.word(0)
    assert stage.perform("u2", priority=1) == [StopSpeaking("u1", 0, politely=True)]
    assert stage.performer.state is State.CANCELLED
    cancelled, started, _ = stage.finish("u1", outcome=SpeechOutcome.STOPPED)
    assert cancelled == Cancelled(
        "u1", CancelReason.PRE_EMPTED, "'u2' has the higher priority 1", words_said=1
    )
    assert started == Started("u2")


def test_pre_emption_can_be_at_once(make_stage):
    stage = make_stage(pre_empts_politely=False)
    stage.perform("u1")
    assert stage.perform("u2", priority=1) == [StopSpeaking("u1", 0, politely=False)]


def test_a_line_without_words_is_pre_empted_without_waiting(stage):
    stage.perform("u1", "", steps=(0,), lasts_s=(5.0,))
    assert kinds(stage.perform("u2", priority=1))[:2] == [Cancelled, Started]


@pytest.mark.parametrize("politely", [True, False])
def test_cancelling_stops_the_voice_and_no_step_fires_any_more(stage, politely):
    stage.perform("u1", "a b c", steps=(1, 2))
    stage.word(0)
    assert stage.tell(Cancel("u1", politely)) == [StopSpeaking("u1", 0, politely)]
    assert stage.word(1) == []
    assert stage.finish() == [Cancelled("u1", CancelReason.CANCELLED, "cancelled", 2)]
    assert stage.fired() == []


def test_a_polite_stop_that_finds_no_next_word_becomes_a_stop_at_once(make_stage):
    stage = make_stage(polite_grace_s=1.5, stop_grace_s=0.5)
    stage.perform("u1")
    stage.tell(Cancel("u1"))
    assert stage.tick(1.5) == [StopSpeaking("u1", 0, politely=False)]
    assert kinds(stage.tick(2.0)) == [Cancelled]
    assert stage.performer.state is State.STAND_BY


def test_a_polite_cancel_can_be_made_strict_and_not_the_other_way_round(stage):
    stage.perform("u1")
    stage.tell(Cancel("u1", politely=True))
    assert stage.tell(Cancel("u1", politely=False)) == [StopSpeaking("u1", 0, politely=False)]
    assert stage.tell(Cancel("u1", politely=True)) == []
    assert stage.tell(Cancel("u1", politely=False)) == []


def test_a_line_that_waits_can_be_cancelled_alone(stage):
    stage.perform("u1")
    stage.perform("u2")
    assert stage.tell(Cancel("u2")) == [
        Refused("u2", CancelReason.CANCELLED, "cancelled while it waited")
    ]
    assert stage.performer.utterance == "u1"


def test_cancelling_without_a_name_drops_everything(stage):
    stage.perform("u1")
    stage.perform("u2")
    stage.perform("u3")
    assert kinds(stage.tell(Cancel())) == [Refused, Refused, StopSpeaking]
    assert kinds(stage.finish()) == [Cancelled]


def test_cancelling_what_is_not_there_changes_nothing(stage):
    stage.perform("u1")
    assert stage.tell(Cancel("u9")) == []


def test_a_stop_silences_the_voice_at_once_and_empties_the_queue(stage):
    stage.perform("u1")
    stage.perform("u2")
    refused, silence = stage.tell(Stop("emergency stop"))
    assert refused == Refused("u2", CancelReason.STOPPED, "emergency stop")
    assert silence == StopSpeaking("u1", 0, politely=False)


def test_a_full_queue_refuses_the_oldest_of_lowest_priority(make_stage):
    stage = make_stage(queue_limit=3)
    stage.perform("under_way")
    for name, priority in (("a", 0), ("b", -1), ("c", -1)):
        stage.perform(name, priority=priority)
    (refused,) = stage.perform("d", priority=0)
    assert (refused.utterance, refused.reason) == ("b", CancelReason.QUEUE_FULL)
    assert "3 lines wait already" in refused.detail
    (refused,) = stage.perform("e", priority=-2)
    assert refused.utterance == "e"
    assert stage.performer.waiting == ("a", "d", "c")


def test_a_line_that_has_waited_too_long_is_refused(make_stage):
    stage = make_stage(longest_wait_s=10.0, longest_turn_s=60.0)
    stage.tell(PersonSpeaking(True))
    stage.perform("u1")
    stage.perform("u2", worth_s=3.0)
    (refused,) = stage.tick(3.0)
    assert (refused.utterance, refused.reason) == ("u2", CancelReason.TIMED_OUT)
    assert [order.utterance for order in stage.tick(10.0)] == ["u1"]


def test_the_same_order_of_two_modules_goes_to_the_newest(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("u1", source="ai", same_order="category:hello")
    conflict, refused = stage.perform("u2", source="wizard", same_order="category:hello")
    assert conflict == Conflict("category:hello", "u2", "wizard", "u1", "ai", ConflictRule.NEWEST)
    assert refused.utterance == "u1"
    assert refused.detail == "'wizard' gave the same order (category:hello) more recently"
    assert stage.performer.waiting == ("u2",)


def test_the_same_order_of_two_modules_goes_to_the_higher_priority_first(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("u1", source="ai", same_order="line:a", priority=3)
    conflict, refused = stage.perform("u2", source="wizard", same_order="line:a", priority=2)
    assert (conflict.kept, conflict.dropped, conflict.rule) == ("u1", "u2", ConflictRule.PRIORITY)
    assert refused.utterance == "u2"
    conflict, _ = stage.perform("u3", source="wizard", same_order="line:a", priority=4)
    assert (conflict.kept, conflict.rule) == ("u3", ConflictRule.PRIORITY)


def test_a_new_order_is_settled_with_every_one_like_it_that_waits(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("u1", source="ai", same_order="line:a")
    stage.perform("u2", source="ai", same_order="line:a", priority=2)
    assert kinds(stage.perform("u3", source="w", same_order="line:a", priority=1)) == [
        Conflict,
        Refused,
    ]
    assert stage.performer.waiting == ("u2", "u1")
    stage.perform("u4", source="w", same_order="line:a", priority=2)
    assert stage.performer.waiting == ("u4",)


def test_what_has_begun_is_not_begun_again_by_another_module(stage):
    stage.perform("u1", source="ai", same_order="line:a")
    conflict, refused = stage.perform("u2", source="wizard", same_order="line:a", priority=9)
    assert conflict.rule is ConflictRule.UNDER_WAY
    assert refused.utterance == "u2"


def test_one_module_may_give_an_order_twice(stage):
    for name in ("u1", "u2", "u3"):
        stage.perform(name, source="ai", same_order="line:a")
    assert (stage.performer.utterance, stage.performer.waiting) == ("u1", ("u2", "u3"))


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"question_window_s": -1.0}, "question_window_s must be a time of 0 s or more, not -1.0"),
        ({"longest_wait_s": float("nan")}, "longest_wait_s must be a time"),
        ({"words_per_s": 0.0}, "words_per_s must be more than 0"),
        ({"queue_limit": 0}, "queue_limit must be 1 or more"),
    ],
)
def test_settings_that_make_no_sense_are_refused(setting, sentence):
    with pytest.raises(ValueError, match=sentence):
        PerformerSettings(**setting)
