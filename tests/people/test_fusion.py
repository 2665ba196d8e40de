"""One picture of the people from several senses that disagree, fail and come back."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Angles, Frame
from sera.messages import Engagement, Side
from sera.people import Fusion, MergeSettings, Scene, Voice

SCENE = {
    "robots": {"ada": (0.0, 1.2, 0.0)},
    "seats": {
        "left": Frame.from_degrees((0.5, 1.2, 1.0)),
        "right": Frame.from_degrees((-0.5, 1.2, 1.0)),
    },
    "expected": {"learner_1": (0.5, 1.2, 1.0), "learner_2": (-0.5, 1.2, 1.0)},
    "people": ("learner_1", "learner_2"),
}
LEFT_M, RIGHT_M = (0.5, 1.2, 1.0), (-0.5, 1.2, 1.0)
TO_ROBOT = Angles(180.0, 0.0)


def fusion(**changes):
    return Fusion(Scene(**{**SCENE, **changes}))


def names(picture, now_s):
    return [one.person for one in picture.people(now_s)]


def test_one_tracker_keeps_its_names():
    picture = fusion()
    picture.see("world.camera", "person_1", 0.0, position_m=LEFT_M)
    picture.see("world.camera", "person_2", 0.1, position_m=RIGHT_M)
    assert names(picture, 0.2) == ["person_1", "person_2"]
    picture.lose("world.camera", "person_1", 0.3)
    assert names(picture, 0.3) == ["person_2"]


@given(seed=st.integers(0, 5000), offset_m=st.floats(-0.25, 0.25), lag_s=st.floats(0.0, 0.12))
def test_two_trackers_with_an_offset_see_two_people_and_names_stay(seed, offset_m, lag_s):
    """Two people walk about and cross; each tracker has own ids, an offset and a lag."""
    source, picture = random.Random(seed), fusion()

    def place(person, time_s):
        x = (1.0 if person == "a" else -1.0) * math.cos(0.5 * time_s)
        return (x, 1.6, 1.2 + (0.4 if person == "a" else -0.3))

    called = {"a": set(), "b": set()}
    for frame in range(80):
        now_s = frame * 0.1
        for tracker, ids, off, late_s in (
            ("world.one", {"a": "person_1", "b": "person_2"}, 0.0, 0.0),
            ("world.two", {"a": "face_9", "b": "face_4"}, offset_m, lag_s),
        ):
            for person, own in ids.items():
                x, y, z = place(person, now_s - late_s)
                measured = (x + off + source.gauss(0, 0.02), y, z + source.gauss(0, 0.02))
                found = picture.see(tracker, own, now_s, position_m=measured)
                called[person].add(found)
        picture.step(now_s)
        assert len(picture.people(now_s)) == 2
    assert called == {"a": {"person_1"}, "b": {"person_2"}}


def test_the_same_id_of_two_trackers_for_two_people_gives_two_names():
    picture = fusion()
    picture.see("world.one", "person_1", 0.0, position_m=LEFT_M)
    picture.see("world.two", "person_1", 0.0, position_m=RIGHT_M)
    assert names(picture, 0.0) == ["person_1", "two.person_1"]
    assert picture.see("world.two", "person_1", 0.1, position_m=RIGHT_M) == "two.person_1"


def test_a_tracker_that_dies_fades_out_without_a_jump_and_the_name_stays():
    picture = fusion()
    places = []
    for frame in range(60):
        now_s = frame * 0.1
        if frame < 20:
            picture.see("world.one", "person_1", now_s, position_m=LEFT_M)
        picture.see("world.two", "face", now_s, position_m=(0.9, 1.2, 1.0))
        picture.step(now_s)
        (one,) = picture.people(now_s)
        assert one.person == "person_1"
        places.append(one.position.x_m)
    assert places[10] == pytest.approx(0.7, abs=0.06)
    assert places[-1] == pytest.approx(0.9, abs=0.01)
    assert max(abs(b - a) for a, b in itertools.pairwise(places[1:])) < 0.06


def test_somebody_whose_only_tracker_is_dead_is_unseen_and_later_gone():
    picture = fusion()
    picture.see("world.one", "person_1", 0.0, position_m=LEFT_M)
    picture.drop_source("world.one")
    picture.step(0.1)
    assert [(one.person, one.seen) for one in picture.people(0.1)] == [("person_1", False)]
    picture.step(30.0)
    assert names(picture, 30.0) == []


def test_who_is_lost_and_seen_nearby_under_a_new_id_keeps_the_name_and_far_away_does_not():
    picture = fusion()
    picture.see("world.one", "person_1", 0.0, position_m=LEFT_M)
    picture.lose("world.one", "person_1", 1.0)
    assert names(picture, 1.0) == []
    assert picture.see("world.one", "person_2", 1.5, position_m=(0.7, 1.2, 1.1)) == "person_1"
    picture.lose("world.one", "person_2", 2.0)
    assert picture.see("world.one", "person_3", 2.2, position_m=(-3.0, 1.2, 3.0)) == "person_3"


def test_trackers_that_part_for_long_see_two_people():
    picture = fusion()
    for frame in range(40):
        now_s = frame * 0.1
        apart_m = max(0.0, 0.15 * (frame - 5))
        picture.see("world.one", "person_1", now_s, position_m=LEFT_M)
        picture.see("world.two", "face", now_s, position_m=(0.5, 1.2, 1.0 + apart_m))
        picture.step(now_s)
    assert names(picture, 4.0) == ["person_1", "face"]


def test_a_direction_alone_joins_who_stands_there_and_gives_no_place_of_its_own():
    picture = fusion()
    toward_left = Angles(math.degrees(math.atan2(-0.5, 1.0)), 0.0)
    assert picture.see("world.two", "face", 0.0, direction=toward_left, seen_from_m=(0, 1.2, 0))
    assert picture.people(0.0)[0].position is None
    assert picture.see("world.one", "person_1", 0.1, position_m=LEFT_M) == "face"
    assert picture.people(0.1)[0].position.x_m == pytest.approx(0.5)


def test_somebody_of_whom_no_place_is_known_is_there_and_speaks_when_alone():
    picture = fusion()
    assert picture.see("world.badge", "visitor", 0.0) == "visitor"
    assert [(p.person, p.position) for p in picture.people(0.0)] == [("visitor", None)]
    assert picture.hear(Voice("world.ears", speaking=True), 0.1) == ("visitor",)
    assert picture.see("world.one", "person_1", 0.2, position_m=LEFT_M) == "person_1"
    assert picture.see("world.badge", "visitor", 0.3, position_m=RIGHT_M) == "visitor"
    assert picture.see("world.badge", "visitor", 0.4) == "visitor"
    assert picture.people(0.4)[0].position.x_m == pytest.approx(-0.5)


def test_what_was_overtaken_changes_nothing():
    picture = fusion()
    picture.see("world.one", "a", 1.0, captured_s=0.95, position_m=LEFT_M)
    picture.see("world.one", "a", 1.1, captured_s=0.90, position_m=RIGHT_M)
    assert picture.people(1.1)[0].position.x_m == pytest.approx(0.5)


def test_looks_are_found_by_geometry_where_the_tracker_does_not_say():
    picture = fusion()
    picture.see("world.one", "a", 0.0, position_m=LEFT_M)
    picture.see("world.one", "b", 0.0, position_m=RIGHT_M)
    picture.turn_head("world.one", "a", 0.1, Angles(90.0, 0.0))
    picture.turn_head("world.one", "b", 0.1, Angles(-154.0, 0.0))
    looks = {one.person: one.looks_at for one in picture.people(0.1)}
    assert looks == {"a": "b", "b": "ada"}
    assert {one.looks_at for one in picture.people(5.0)} == {None}  # long ago


def test_names_that_trackers_give_to_looks_are_translated():
    picture = fusion()
    picture.see("world.one", "a", 0.0, position_m=LEFT_M)
    picture.see("world.one", "b", 0.0, position_m=RIGHT_M)
    picture.see("world.two", "x", 0.0, position_m=LEFT_M)
    picture.see("world.two", "y", 0.0, position_m=RIGHT_M)
    picture.turn_head("world.two", "x", 0.1, Angles(0.0, 0.0), looks_at="y")
    assert picture.people(0.1)[0].looks_at == "b"


@pytest.mark.parametrize(
    ("clue", "speaker"),
    [
        ({"person": "a"}, "a"),
        ({"side": Side.LEFT}, "a"),
        ({"side": Side.RIGHT}, "b"),
        ({"direction": Angles(-30.0, 0.0)}, "a"),
        ({"direction": Angles(22.0, 0.0)}, "b"),
        ({"direction": Angles(120.0, 0.0)}, None),
        ({"side": Side.BOTH}, None),
        ({}, None),
    ],
)
def test_a_voice_belongs_to_whoever_is_where_it_comes_from(clue, speaker):
    picture = fusion()
    picture.see("world.one", "a", 0.0, position_m=LEFT_M)
    picture.see("world.one", "b", 0.0, position_m=RIGHT_M)
    picture.hear(Voice("world.ears", speaking=True, **clue), 0.1)
    assert picture.speaker == speaker
    if clue.get("side") is Side.BOTH:
        assert [one.speaking for one in picture.people(0.1)] == [True, True]
    # Where the voice ends it may come from elsewhere: directions wander.
    clue.pop("direction", None)
    picture.hear(Voice("world.ears", speaking=False, **clue), 0.5)
    assert not any(one.speaking for one in picture.people(0.5))


def test_worn_microphones_name_their_wearers():
    picture = fusion(wearers=("learner_2", "left"))
    picture.see("world.one", "a", 0.0, position_m=LEFT_M)
    picture.see("world.one", "b", 0.0, position_m=RIGHT_M)
    assert picture.hear(Voice("world.ears", speaking=True, side=Side.LEFT), 0.1) == ("b",)
    assert picture.hear(Voice("world.ears", speaking=True, side=Side.RIGHT), 0.1) == ("a",)


def test_whose_turn_it_is_stands_in_where_nobody_is_seen():
    picture = fusion()
    picture.take_turn("learner_1", 0.0)
    (one,) = picture.people(0.0)
    assert (one.person, one.seen, one.position.x_m) == ("learner_1", False, 0.5)
    picture.hear(Voice("world.ears", speaking=True), 0.5)
    assert picture.speaker == "learner_1"
    picture.hear(Voice("world.ears", speaking=False), 1.0)
    assert picture.see("world.one", "person_1", 1.0, position_m=LEFT_M) == "person_1"
    assert [(p.person, p.seen) for p in picture.people(1.0)] == [("person_1", True)]
    assert picture.turn(1.0) == "person_1"
    picture.take_turn(None, 2.0)
    picture.lose("world.one", "person_1", 2.0)
    assert picture.people(2.0) == []


def test_a_turn_is_forgotten_after_its_time():
    picture = fusion()
    picture.take_turn("learner_2", 0.0)
    assert names(picture, 59.0) == ["learner_2"]
    assert names(picture, 61.0) == []


def test_a_voice_ends_with_its_microphone_with_its_person_and_after_a_minute():
    picture = fusion()
    picture.see("world.one", "a", 0.0, position_m=LEFT_M)
    voice = Voice("world.ears", speaking=True, person="a")
    picture.hear(voice, 0.0)
    picture.drop_source("world.ears")
    assert picture.speaker is None
    picture.hear(voice, 1.0)
    picture.lose("world.one", "a", 1.5)
    assert picture.speaker is None
    picture.see("world.one", "a", 2.0, position_m=LEFT_M)
    picture.hear(voice, 2.0)
    for second in range(3, 70):
        picture.see("world.one", "a", float(second), position_m=LEFT_M)
        picture.step(float(second))
    assert picture.speaker is None


def test_engagement_is_judged_for_each_robot_and_ends_with_the_person():
    picture = fusion(robots={"ada": (0.0, 1.2, 0.0), "bob": (2.0, 1.2, 1.0)})
    changes = []
    for frame in range(30):
        now_s = frame * 0.1
        picture.see("world.one", "a", now_s, position_m=LEFT_M)
        picture.turn_head("world.one", "a", now_s, Angles(153.4, 0.0))
        changes += picture.step(now_s)
    levels = {(one.robot, one.change.level) for one in changes}
    assert ("ada", Engagement.ENGAGED) in levels
    assert ("bob", Engagement.ENGAGED) not in levels
    assert picture.people(3.0)[0].engagement is Engagement.ENGAGED
    picture.lose("world.one", "a", 3.0)
    (last,) = picture.step(3.1)
    assert (last.person, last.robot, last.change.level) == ("a", "ada", Engagement.DISENGAGED)


def test_markers_move_the_things_that_people_look_at():
    picture = fusion(objects={"card": (5.0, 1.0, 5.0)}, markers={"aruco:3": "card"})
    picture.see("world.one", "a", 0.0, position_m=LEFT_M)
    picture.turn_head("world.one", "a", 0.1, Angles(-90.0, 0.0))
    assert picture.people(0.1)[0].looks_at is None
    picture.move_marker("aruco:3", (1.2, 1.2, 1.0))
    picture.move_marker("aruco:99", (0.0, 0.0, 0.0))
    picture.turn_head("world.one", "a", 0.2, Angles(-90.0, 0.0))
    assert picture.people(0.2)[0].looks_at == "card"


FACTS = st.one_of(
    st.tuples(
        st.just("see"), st.sampled_from(["one", "two"]), st.sampled_from("abc"),
        st.tuples(st.floats(-4, 4), st.floats(0, 2), st.floats(-4, 4)),
    ),
    st.tuples(st.just("lose"), st.sampled_from(["one", "two"]), st.sampled_from("abcd")),
    st.tuples(st.just("head"), st.sampled_from(["one", "two"]), st.sampled_from("abcd"),
              st.floats(-180, 180)),
    st.tuples(st.just("voice"), st.booleans(), st.sampled_from([None, "a", "z"]),
              st.sampled_from([None, *Side])),
    st.tuples(st.just("die"), st.sampled_from(["one", "two", "ears"])),
    st.tuples(st.just("turn"), st.sampled_from([None, "learner_1", "a", "stranger"])),
)  # fmt: skip


@given(facts=st.lists(st.tuples(FACTS, st.floats(0.0, 4.0)), max_size=40))
def test_whatever_the_senses_say_the_picture_holds_together(facts):
    picture, now_s = Fusion(Scene(**SCENE), merging=MergeSettings()), 0.0
    for (kind, *rest), passed_s in facts:
        now_s += passed_s
        if kind == "see":
            picture.see(rest[0], rest[1], now_s, position_m=rest[2])
        elif kind == "lose":
            picture.lose(rest[0], rest[1], now_s)
        elif kind == "head":
            picture.turn_head(rest[0], rest[1], now_s, Angles(rest[2], 0.0))
        elif kind == "voice":
            picture.hear(Voice("ears", rest[0], rest[1], rest[2]), now_s)
        elif kind == "die":
            picture.drop_source(rest[0])
        else:
            picture.take_turn(rest[0], now_s)
        picture.step(now_s)
        people = picture.people(now_s)
        assert len({one.person for one in people}) == len(people)
        assert picture.speaker is None or picture.speaker in {one.person for one in people}
        for one in people:
            if one.position is not None:
                assert math.isfinite(one.position.x_m + one.position.y_m + one.position.z_m)
