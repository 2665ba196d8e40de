"""Questions: the wait, the answer, the backchannel."""

from __future__ import annotations

import pytest

from sera.behaviour.performing import (
    Answered,
    Asked,
    Backchannel,
    Cancel,
    Finished,
    NoBackchannel,
    PersonHeard,
    PersonSpeaking,
    Started,
    State,
    Stop,
)


@pytest.fixture
def asked(stage):
    """A question that ended at 1 s, with a line that waits behind it."""
    stage.perform("q", is_question=True)
    stage.perform("next")
    stage.finish(at_s=1.0)
    return stage


def test_after_a_question_the_character_waits_seven_seconds(asked):
    assert asked.orders[-2:] == [Finished("q", 1.0), Asked("q", 7.0)]
    assert asked.performer.state is State.QUESTION_WAITING
    assert asked.performer.next_deadline_s == 8.0
    assert asked.tick(7.99) == []
    answered, started, _speak = asked.tick(8.0)
    assert answered == Answered("q", False, None, None, 7.0)
    assert started == Started("next")


def test_speech_in_the_window_is_the_answer_and_a_backchannel_follows_its_end(asked):
    assert asked.tell(PersonSpeaking(True, "p1"), 3.0) == []
    asked.tell(PersonHeard("Yes", "p1"), 3.5)
    asked.tell(PersonHeard("of course", "p1"), 3.9)
    orders = asked.tell(PersonSpeaking(False, "p1"), 4.0)
    assert orders == [
        Answered("q", True, "p1", "Yes of course", 3.0),
        Backchannel("q", "backchannel"),
    ]
    assert asked.perform("mhm", is_backchannel=True)[0] == Started("mhm")
    assert asked.finish()[1] == Started("next")


def test_the_wait_is_longer_while_the_person_is_still_answering(asked):
    asked.tell(PersonSpeaking(True, "p1"), 7.9)
    assert asked.tick(8.0) == []
    assert asked.tick(15.0) == []
    assert asked.performer.state is State.QUESTION_WAITING
    assert asked.tell(PersonSpeaking(False, "p1"), 16.0)[0] == Answered("q", True, "p1", None, 15.0)


def test_while_the_answer_goes_on_no_deadline_lies_in_the_past(asked):
    asked.tell(PersonSpeaking(True, "p1"), 7.9)
    asked.tick(9.0)
    assert asked.performer.next_deadline_s > 9.0


def test_somebody_who_spoke_into_the_question_is_answering_it(stage):
    stage.perform("q", is_question=True)
    stage.tell(PersonSpeaking(True, "p2"), 0.8)
    stage.finish(at_s=1.0)
    assert stage.tell(PersonSpeaking(False, "p2"), 2.0)[0] == Answered("q", True, "p2", None, 1.0)


def test_the_first_who_speaks_gave_the_answer_and_the_last_to_end_closes_it(asked):
    asked.tell(PersonSpeaking(True, "p1"), 2.0)
    asked.tell(PersonSpeaking(True, "p2"), 2.5)
    assert asked.tell(PersonSpeaking(False, "p1"), 3.0) == []
    assert asked.tell(PersonSpeaking(False, "p2"), 4.0)[0].person == "p1"


def test_a_recogniser_alone_is_enough_for_an_answer(asked):
    orders = asked.tell(PersonHeard("Blue", None), 2.0)
    assert orders[0] == Answered("q", True, None, "Blue", 1.0)


def test_an_empty_recognition_is_no_answer(asked):
    assert asked.tell(PersonHeard("  ", "p1"), 2.0) == []


def test_what_waits_is_held_until_the_backchannel_is_chosen(asked):
    asked.tell(PersonHeard("Blue"), 2.0)
    assert asked.performer.waiting == ("next",)
    assert asked.tell(NoBackchannel(), 2.01)[0] == Started("next")


def test_a_backchannel_that_nobody_chooses_holds_the_rest_for_a_moment_only(asked):
    asked.tell(PersonHeard("Blue"), 2.0)
    assert asked.tick(2.09) == []
    assert asked.tick(2.1)[0] == Started("next")


def test_a_question_may_name_its_own_backchannel_category(stage):
    stage.perform("q", is_question=True, backchannel_category="wonder")
    stage.finish()
    assert stage.tell(PersonHeard("Blue"))[1] == Backchannel("q", "wonder")


def test_without_a_backchannel_category_the_next_line_follows_the_answer(make_stage):
    stage = make_stage(backchannel_category=None)
    stage.perform("q", is_question=True)
    stage.perform("next")
    stage.finish()
    assert [type(order) for order in stage.tell(PersonHeard("Blue"))][:2] == [Answered, Started]


def test_a_backchannel_line_that_comes_too_late_is_refused(asked):
    asked.tell(PersonHeard("Blue", "p1"), 2.0)
    asked.tell(PersonSpeaking(True, "p2"), 2.01)
    assert asked.perform("mhm", is_backchannel=True) == []
    (refused,) = asked.tick(4.01)
    assert refused.utterance == "mhm"


def test_only_a_more_important_line_ends_the_wait(asked):
    assert asked.perform("same", at_s=2.0) == []
    orders = asked.perform("more", priority=1, at_s=3.0)
    assert orders[:2] == [Answered("q", False, None, None, 2.0), Started("more")]


def test_somebody_who_is_answering_is_heard_out_unless_the_line_is_urgent(asked):
    asked.tell(PersonSpeaking(True, "p1"), 2.0)
    assert asked.perform("more", priority=1, at_s=3.0) == []
    assert asked.perform("alarm", priority=95, at_s=4.0)[:2] == [
        Answered("q", True, "p1", None, 3.0),
        Started("alarm"),
    ]


@pytest.mark.parametrize("event", [Cancel("q"), Cancel(), Stop()])
def test_the_wait_can_be_cancelled(asked, event):
    orders = asked.tell(event, 2.0)
    assert Answered("q", False, None, None, 1.0) in orders
    assert Asked not in [type(order) for order in orders]


def test_a_question_that_was_broken_off_is_not_waited_on(stage):
    stage.perform("q", is_question=True)
    stage.tell(Cancel("q"))
    stage.finish()
    assert stage.performer.state is State.STAND_BY


@pytest.fixture
def understood(stage):
    """A question that ended at 1 s, where somebody recognises what people say."""
    stage.tell(PersonHeard("before", "p1"))
    stage.perform("q", is_question=True)
    stage.finish(at_s=1.0)
    return stage


def test_the_words_of_an_answer_are_waited_for_where_there_is_a_recogniser(understood):
    understood.tell(PersonSpeaking(True, "p1"), 3.0)
    assert understood.tell(PersonSpeaking(False, "p1"), 4.0) == []
    assert understood.performer.next_deadline_s == 4.5
    answered = understood.tell(PersonHeard("yes", "p1"), 4.3)[0]
    assert answered == Answered("q", True, "p1", "yes", pytest.approx(3.3))


def test_words_that_never_come_are_waited_for_half_a_second(understood):
    understood.tell(PersonSpeaking(True, "p1"), 3.0)
    understood.tell(PersonSpeaking(False, "p1"), 4.0)
    assert understood.tick(4.49) == []
    assert understood.tick(4.5)[0] == Answered("q", True, "p1", None, 3.5)


def test_somebody_who_goes_on_is_waited_for_again(understood):
    understood.tell(PersonSpeaking(True, "p1"), 3.0)
    understood.tell(PersonSpeaking(False, "p1"), 4.0)
    understood.tell(PersonSpeaking(True, "p1"), 4.2)
    assert understood.tick(5.0) == []
    understood.tell(PersonSpeaking(False, "p1"), 6.0)
    assert understood.tick(6.5)[0].waited_s == 5.5
