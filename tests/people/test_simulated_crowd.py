"""Simulated people as a whole: scripts, words, hands on the floor plan, and the same seed."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sera.messages import (
    HeadDirection,
    PersonDetected,
    PersonLost,
    PersonMoved,
    SpeechActivity,
    SpeechHeard,
)
from sera.people.simulated import ScriptStep, SenseSettings, Traits, cast, obey
from sera.people.simulated._walk import MOST_M_S

EXACT = SenseSettings(noise_m=0.0, noise_deg=0.0, misses_part=0.0, ids="own")


def traits(*steps, **others):
    return Traits.model_validate({"script": [dict(step) for step in steps], **others})


def crowd_of(people, senses=EXACT, seed=1):
    made = cast(None, people, senses, random.Random(seed))
    assert made.problems == ()
    return made.crowd


def watch(crowd, end_s, begin_s=0.0, react=None):
    """What is observed in a while."""
    said = []
    for frame in range(1, round((end_s - begin_s) * 10) + 1):
        now_s = begin_s + frame / 10
        if react is not None:
            react(crowd, now_s)
        said += crowd.advance(now_s)
    return said


def of(said, kind):
    return [one.message for one in said if isinstance(one.message, kind)]


VISIT = (
    {"do": "come", "to": [0.2, 1.2]},
    {"do": "look", "at": "robot", "for_s": 1},
    {"do": "say", "text": "Hello robot, how are you?"},
    {"do": "look", "at": "away", "for_s": 2},
    {"do": "leave"},
)


def test_a_visit_is_told_as_trackers_tell_it():
    crowd = crowd_of({"guest": traits(*VISIT)})
    said = watch(crowd, 20.0)
    assert crowd.finished
    assert [one.person for one in of(said, PersonDetected)] == ["guest"]
    assert [one.person for one in of(said, PersonLost)] == ["guest"]
    assert [one.speaking for one in of(said, SpeechActivity)] == [True, False]
    (heard,) = of(said, SpeechHeard)
    assert heard.text == "Hello robot, how are you?"
    assert [word.text for word in heard.words] == heard.text.split()
    starts = [word.start_s for word in heard.words]
    assert starts == sorted(starts)
    near = min(
        math.dist((m.position.x_m, m.position.z_m), (0.2, 1.2)) for m in of(said, PersonMoved)
    )
    assert near < 0.05
    contacts = [one.eye_contact for one in of(said, HeadDirection)]
    assert True in contacts
    assert False in contacts
    assert all(one.due_s >= one.captured_s for one in said)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), haste=st.lists(
    st.tuples(st.floats(0, 15), st.floats(-3, 3), st.floats(-3, 3)), max_size=4))  # fmt: skip
def test_nobody_teleports_whatever_hands_on_the_plan_do(seed, haste):
    crowd = crowd_of({"a": traits(*VISIT), "b": Traits(stays_s=5)}, seed=seed)
    orders = sorted(haste)

    def react(crowd, now_s):
        while orders and orders[0][0] <= now_s:
            _, x, z = orders.pop(0)
            assert obey(crowd, "person_dragged", "a", {"x_m": x, "z_m": z}, now_s) is None

    last: dict[str, tuple[float, tuple[float, float]]] = {}
    for one in watch(crowd, 18.0, react=react):
        message = one.message
        if isinstance(message, PersonDetected | PersonMoved):
            place = (message.position.x_m, message.position.z_m)
            if message.person in last and isinstance(message, PersonMoved):
                before_s, before = last[message.person]
                most_m = MOST_M_S * (one.captured_s - before_s) + 1e-3
                assert math.dist(before, place) <= most_m
            last[message.person] = (one.captured_s, place)


def test_the_same_seed_gives_the_same_and_another_one_something_else():
    def play(seed):
        people = {"a": Traits(stays_s=8, says=["Hm."], says_every_s=2), "b": Traits(stays_s=6)}
        return watch(crowd_of(people, SenseSettings(), seed), 15.0)

    assert play(4) == play(4)
    assert play(4) != play(5)


def test_people_answer_questions_and_wait_until_the_robot_is_silent():
    people = {"a": Traits(stays_s=30, answers={"?": ["Yes."], "name": ["Guest."]}, looks_around=0)}
    crowd = crowd_of(people)
    watch(crowd, 6.0)
    crowd.robot_begins("s1", "What is your name?")
    said = watch(crowd, 8.0, 6.0)
    assert of(said, SpeechActivity) == []
    crowd.robot_ends("s1", 8.0, to_its_end=True)
    crowd.robot_begins("s2", "I am curious.")
    said = watch(crowd, 10.0, 8.0)
    assert of(said, SpeechActivity) == []
    crowd.robot_ends("s2", 10.0, to_its_end=True)
    said = watch(crowd, 13.0, 10.0)
    assert [one.text for one in of(said, SpeechHeard)] == ["Guest."]
    crowd.robot_begins("s3", "Nothing to")
    crowd.robot_ends("s3", 13.0, to_its_end=False)
    assert of(watch(crowd, 16.0, 13.0), SpeechHeard) == []


def test_two_people_do_not_speak_at_once():
    people = {
        name: traits({"do": "come"}, {"do": "say", "text": "One two three four."}) for name in "ab"
    }
    speaking = 0
    for message in of(watch(crowd_of(people), 25.0), SpeechActivity):
        speaking += 1 if message.speaking else -1
        assert speaking in (0, 1)


def test_a_step_that_waits_for_an_answer_gives_up_after_its_time():
    crowd = crowd_of(
        {"a": traits({"do": "come"}, {"do": "answer", "text": "Yes.", "for_s": 2}, {"do": "leave"})}
    )
    said = watch(crowd, 20.0)
    assert crowd.finished
    assert of(said, SpeechHeard) == []


def test_who_crosses_is_gone_on_the_other_side():
    crowd = crowd_of({"a": traits({"do": "cross", "via": [[0.0, 1.5]]})})
    moved = of(watch(crowd, 15.0), PersonMoved)
    assert crowd.finished
    assert (moved[0].position.x_m < -1.5, moved[-1].position.x_m > 1.5) == (True, True)


def test_scripts_are_repeated_with_new_ids():
    people = {"a": traits({"do": "come"}, {"do": "leave"}, repeats=3, pause_s=2)}
    crowd = crowd_of(people, SenseSettings(misses_part=0.0))
    said = watch(crowd, 60.0)
    assert [one.person for one in of(said, PersonDetected)] == ["person_1", "person_2", "person_3"]
    assert crowd.finished


def test_hands_on_the_plan_stop_the_script_until_they_let_go():
    crowd = crowd_of(
        {"a": traits({"do": "come"}, {"do": "say", "text": "Here I am."}, {"do": "leave"})}
    )
    watch(crowd, 1.0)
    assert obey(crowd, "person_dragged", "a", {"x_m": 1.0, "z_m": 2.0}, 1.0) is None
    said = watch(crowd, 10.0, 1.0)
    assert of(said, SpeechHeard) == []
    assert crowd.people["a"].walker.x_m == pytest.approx(1.0, abs=0.05)
    assert obey(crowd, "person_let_go", "a", {}, 10.0) is None
    said = watch(crowd, 25.0, 10.0)
    assert [one.text for one in of(said, SpeechHeard)] == ["Here I am."]
    assert crowd.finished


def test_a_hand_can_make_people_come_look_turn_speak_and_go():
    crowd = crowd_of({"a": Traits(comes_after_s=1000)})
    assert "is not here" in obey(crowd, "person_says", "a", {"text": "Hello."}, 0.0)
    assert obey(crowd, "person_comes", "a", {}, 0.0) is None
    watch(crowd, 5.0)
    assert obey(crowd, "person_turned", "a", {"horizontal_deg": 45}, 5.0) is None
    watch(crowd, 7.0, 5.0)
    assert crowd.people["a"].head.face.horizontal_deg == pytest.approx(45, abs=9)
    assert obey(crowd, "person_looks", "a", {"at": "robot"}, 7.0) is None
    assert obey(crowd, "person_says", "a", {"text": "  Good   day. "}, 7.0) is None
    said = watch(crowd, 10.0, 7.0)
    assert [one.text for one in of(said, SpeechHeard)] == ["Good day."]
    assert obey(crowd, "person_leaves", "a", {}, 10.0) is None
    watch(crowd, 20.0, 10.0)
    assert not crowd.people["a"].present


@pytest.mark.parametrize(
    ("event", "person", "data", "sentence"),
    [
        ("person_dragged", "gest", {}, "nobody here is called 'gest'; did you mean 'guest'?"),
        ("person_dragged", None, {}, "nobody here is called 'None'"),
        ("person_dragged", "guest", {"x_m": "left"}, "`x_m` must be a number, not 'left'"),
        ("person_dragged", "guest", {"x_m": True, "z_m": 0}, "`x_m` must be a number"),
        ("person_dragged", "guest", {"x_m": math.nan, "z_m": 0}, "`x_m` must be a number"),
        ("person_dragged", "guest", {"x_m": 1e9, "z_m": 0}, "between -50 and 50"),
        ("person_turned", "guest", {"horizontal_deg": 400}, "between -180 and 180"),
        ("person_looks", "guest", {"at": "robbot"}, "did you mean 'robot'?"),
        ("person_looks", "guest", {"at": {"a": 1}}, "nothing called"),
        ("person_says", "guest", {"text": " "}, "must hold some words"),
        ("person_says", "guest", {"text": "a" * 501}, "501 characters"),
    ],
)
def test_what_a_hand_cannot_mean_gets_a_sentence(event, person, data, sentence):
    crowd = crowd_of({"guest": Traits()})
    watch(crowd, 2.0)
    problem = obey(crowd, event, person, data, 2.0)
    assert problem is not None
    assert sentence in problem
    watch(crowd, 4.0, 2.0)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({"do": "look"}, "the step 'look' needs `at`"),
        ({"do": "say"}, "the step 'say' needs `text`"),
        ({"do": "wait"}, "the step 'wait' needs `for_s`"),
        ({"do": "leave", "text": "Bye."}, "the step 'leave' takes no `text`"),
        ({"do": "wait", "for_s": -1}, "greater than or equal to 0"),
        ({"do": "fly"}, "come"),
        ({"do": "come", "to": [1, 2, 3]}, "to"),
        ({"do": "walk", "to": [math.inf, 0]}, "finite"),
        ({"do": "come", "speed_m_s": 30}, "less than or equal to 3"),
        ({"do": "come", "too": "x"}, "too"),
    ],
)
def test_a_step_that_is_wrong_is_refused_with_a_sentence(step, sentence):
    with pytest.raises(ValidationError) as raised:
        ScriptStep.model_validate(step)
    assert sentence in str(raised.value)


@given(steps=st.lists(st.sampled_from(VISIT), max_size=5))
def test_settings_written_in_full_are_read_again_as_the_same(steps):
    own = traits(*steps)
    assert Traits.model_validate(own.model_dump(mode="json")) == own


def test_places_and_targets_that_are_not_there_are_named_and_left_out():
    people = {
        "a": traits(
            {"do": "come", "to": "sofa"},
            {"do": "look", "at": "robt", "for_s": 1},
            {"do": "wait", "for_s": 1},
        )
    }
    made = cast(None, people, EXACT, random.Random(0), cameras=["front"])
    assert len(made.problems) == 3
    assert "people.a.script[0] ('come'): there is no place 'sofa'" in made.problems[0]
    assert "did you mean 'robot'?" in made.problems[1]
    assert "no camera 'front'" in made.problems[2]
    watch(made.crowd, 5.0)
    assert made.crowd.finished


STEPS = st.lists(
    st.sampled_from(
        [
            *VISIT,
            {"do": "sit"},
            {"do": "stand"},
            {"do": "walk", "to": [1, 1]},
            {"do": "cross"},
            {"do": "wait", "for_s": 0},
            {"do": "answer", "text": "Yes.", "for_s": 0},
            {"do": "look", "at": "around"},
        ]
    ),
    max_size=8,
)


@settings(max_examples=30)
@given(steps=STEPS, repeats=st.integers(0, 2))
def test_any_script_can_be_played(steps, repeats):
    crowd = crowd_of({"a": traits(*steps, repeats=repeats, pause_s=0)})
    heard = of(watch(crowd, 12.0), PersonDetected)
    assert all(one.person == "a" for one in heard)
