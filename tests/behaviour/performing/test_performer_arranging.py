"""An operator changes the order of lines that wait: first, earlier, later, hold, release."""

from __future__ import annotations

import pytest

from sera.behaviour.performing import Arrange, Cancel, PersonSpeaking, Refused, Stop
from sera.messages.behaviour import CancelReason


@pytest.fixture
def full(stage):
    """One line is being said and three wait."""
    for name in ("said", "a", "b", "c"):
        stage.perform(name)
    return stage


def say_all(stage):
    while stage.performer.utterance is not None:
        stage.finish()
    return stage.spoken()


@pytest.mark.parametrize(
    ("how", "order"),
    [
        ([("c", "first")], ["c", "a", "b"]),
        ([("c", "earlier")], ["a", "c", "b"]),
        ([("c", "earlier")] * 5, ["c", "a", "b"]),
        ([("a", "later")], ["b", "a", "c"]),
        ([("a", "later")] * 5, ["b", "c", "a"]),
        ([("a", "first")], ["a", "b", "c"]),
        ([("c", "first"), ("b", "first")], ["b", "c", "a"]),
    ],
)
def test_a_line_is_moved_among_those_that_wait(full, how, order):
    for utterance, where in how:
        full.tell(Arrange(utterance, where))
    assert full.performer.waiting == tuple(order)
    assert say_all(full) == ["said", *order]


def test_a_moved_line_keeps_its_place_against_equals_and_gives_way_to_more_important_ones(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("important", priority=5)
    stage.perform("usual")
    stage.tell(Arrange("usual", "first"))
    assert stage.performer.waiting == ("usual", "important")
    stage.perform("another")
    stage.perform("also_important", priority=5)
    assert stage.performer.waiting == ("usual", "important", "also_important", "another")
    stage.perform("most_important", priority=9)
    assert stage.performer.waiting[0] == "most_important"


def test_a_held_line_lets_the_others_pass_and_is_said_when_it_is_released(full):
    full.tell(Arrange("a", "hold"))
    assert full.performer.held == ("a",)
    assert say_all(full) == ["said", "b", "c"]
    assert full.performer.waiting == ("a",)
    full.tell(Arrange("a", "release"), at_s=5.0)
    assert full.performer.utterance == "a"


def test_a_held_line_does_not_grow_old_and_gets_its_remaining_time(stage):
    stage.tell(PersonSpeaking(True), at_s=0.0)
    stage.perform("a", worth_s=10.0, at_s=0.0)
    stage.tell(Arrange("a", "hold"), at_s=4.0)
    for at_s in range(10, 1000, 10):  # a person who speaks for ever is given up; another begins
        stage.tell(PersonSpeaking(True), at_s=float(at_s))
    assert stage.performer.waiting == ("a",)
    stage.tell(PersonSpeaking(True), at_s=1000.0)
    stage.tell(Arrange("a", "release"), at_s=1000.0)
    assert stage.tick(1005.9) == []
    (refused,) = stage.tick(1006.0)
    assert (refused.utterance, refused.reason) == ("a", CancelReason.TIMED_OUT)


def test_holding_twice_and_releasing_what_is_free_change_nothing(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("a", worth_s=10.0)
    stage.tell(Arrange("a", "release"), at_s=3.0)
    stage.tell(Arrange("a", "hold"), at_s=4.0)
    stage.tell(Arrange("a", "hold"), at_s=5.0)
    stage.tell(Arrange("a", "release"), at_s=5.0)
    assert stage.performer.next_deadline_s == 11.0


def test_a_held_line_can_be_cancelled_and_stopped(full):
    full.tell(Arrange("a", "hold"))
    full.tell(Arrange("b", "hold"))
    assert full.tell(Cancel("a")) == [
        Refused("a", CancelReason.CANCELLED, "cancelled while it waited")
    ]
    stopped = [order.utterance for order in full.tell(Stop()) if isinstance(order, Refused)]
    assert stopped == ["b", "c"]
    assert full.performer.waiting == ()


def test_held_lines_are_not_given_up_for_others_when_the_queue_is_full(make_stage):
    stage = make_stage(queue_limit=2)
    for name in ("said", "a", "b"):
        stage.perform(name)
    stage.tell(Arrange("a", "hold"))
    (refused,) = stage.perform("c")
    assert (refused.utterance, refused.reason) == ("b", CancelReason.QUEUE_FULL)
    stage.tell(Arrange("c", "hold"))
    (refused,) = stage.perform("d")
    assert refused.utterance == "d"
    assert stage.performer.waiting == ("a", "c")


def test_the_same_order_of_another_module_leaves_what_is_held(stage):
    stage.tell(PersonSpeaking(True))
    stage.perform("a", source="ai", same_order="category:x")
    stage.tell(Arrange("a", "hold"))
    assert stage.perform("b", source="wizard", same_order="category:x") == []
    assert stage.performer.waiting == ("a", "b")


def test_a_held_line_of_high_priority_breaks_nothing_off(full):
    full.tell(PersonSpeaking(True))
    full.tell(Arrange("a", "hold"))
    assert full.tell(Arrange("a", "first")) == []
    assert full.tell(Arrange("a", "release")) == []
    assert full.performer.utterance == "said"


def test_what_does_not_wait_is_left_alone(full):
    assert full.tell(Arrange("said", "first")) == []
    assert full.tell(Arrange("nobody", "hold")) == []
    assert full.performer.waiting == ("a", "b", "c")
