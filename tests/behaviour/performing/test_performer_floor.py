"""Politeness: lines wait while somebody speaks, but not for ever."""

from __future__ import annotations

from sera.behaviour.performing import Floor, PersonHeard, PersonSpeaking, Speak, Started


def test_a_line_waits_while_somebody_speaks_and_starts_the_moment_they_end(stage):
    stage.tell(PersonSpeaking(True, "p1"))
    assert stage.perform("u1") == []
    assert stage.tick(3.0) == []
    assert stage.tell(PersonSpeaking(False, "p1"), 3.1) == [
        Started("u1"),
        Speak("u1", 0, "one two"),
    ]


def test_the_floor_is_free_when_the_last_of_several_people_ends(stage):
    stage.tell(PersonSpeaking(True, "p1"))
    stage.tell(PersonSpeaking(True, "p2"))
    stage.perform("u1")
    assert stage.tell(PersonSpeaking(False, "p1")) == []
    assert stage.tell(PersonSpeaking(False, "p2")) != []


def test_a_person_who_speaks_does_not_break_off_the_line_under_way(stage):
    stage.perform("u1")
    assert stage.tell(PersonSpeaking(True, "p1")) == []
    assert stage.performer.utterance == "u1"


def test_a_pause_after_speech_can_be_asked_for(make_stage):
    stage = make_stage(pause_after_speech_s=0.6)
    stage.tell(PersonSpeaking(True, "p1"))
    stage.perform("u1")
    assert stage.tell(PersonSpeaking(False, "p1"), 1.0) == []
    assert stage.performer.next_deadline_s == 1.6
    assert stage.tell(PersonSpeaking(True, "p1"), 1.3) == []
    assert stage.tick(1.6) == []
    assert stage.tell(PersonSpeaking(False, "p1"), 2.0) == []
    assert stage.tick(2.6) != []


def test_speech_that_never_ends_holds_the_floor_for_a_limited_time(make_stage):
    stage = make_stage(longest_turn_s=10.0)
    stage.tell(PersonSpeaking(True, "p1"))
    stage.perform("u1")
    assert stage.performer.next_deadline_s == 10.0
    assert stage.tick(9.9) == []
    assert stage.tick(10.0)[0] == Started("u1")


def test_a_recogniser_s_first_guess_holds_the_floor_until_the_final_one(stage):
    stage.tell(PersonHeard("I", "p1", final=False))
    assert stage.perform("u1") == []
    assert stage.tell(PersonHeard("I think", "p1", final=False), 1.0) == []
    assert stage.tick(2.0) == []
    assert stage.tell(PersonHeard("I think so", "p1"), 2.2)[0] == Started("u1")


def test_a_guess_that_is_never_followed_up_lapses(make_stage):
    stage = make_stage(guess_holds_s=1.5)
    stage.tell(PersonHeard("I", "p1", final=False))
    stage.perform("u1")
    assert stage.tick(1.5)[0] == Started("u1")


def test_the_microphone_knows_better_than_the_recogniser_who_still_speaks(stage):
    stage.tell(PersonSpeaking(True, "p1"))
    stage.perform("u1")
    assert stage.tell(PersonHeard("I think", "p1")) == []
    assert stage.tell(PersonSpeaking(False, "p1")) != []


def test_an_urgent_line_does_not_wait_for_the_floor(stage):
    stage.tell(PersonSpeaking(True, "p1"))
    assert stage.perform("u1", priority=89) == []
    assert stage.perform("u2", priority=90)[0] == Started("u2")


def test_politeness_can_be_switched_off(make_stage):
    stage = make_stage(politeness=False)
    stage.tell(PersonSpeaking(True, "p1"))
    assert stage.perform("u1")[0] == Started("u1")


def test_a_speaker_whose_name_became_known_or_was_lost_is_one_speaker():
    floor = Floor(10.0, 1.0, 0.0)
    floor.begin(None, 0.0)
    floor.end("p1", 1.0)
    assert floor.is_free(1.0)
    floor.begin("p1", 2.0)
    floor.end(None, 3.0)
    assert floor.is_free(3.0)


def test_the_end_of_somebody_who_never_began_changes_nothing():
    floor = Floor(10.0, 1.0, 0.5)
    floor.begin("p1", 0.0)
    floor.end("p2", 1.0)
    assert floor.speakers == ("p1",)
    assert not floor.is_free(1.0)
