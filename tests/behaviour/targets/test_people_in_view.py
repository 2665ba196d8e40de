"""Several people: slots, identity through loss and return, and no ping-pong."""

from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.space import Angles
from sera.behaviour.targets import Arrival, People, PeopleSettings, TargetTable

LEFT, RIGHT, AHEAD = Angles(-30.0, 0.0), Angles(30.0, 0.0), Angles(0.0, 0.0)


def test_slots_are_given_in_the_order_of_coming():
    people = People()
    for number, name in enumerate(["a", "b", "c", "d", "e"], start=1):
        assert people.seen(name, LEFT, 0.0) is Arrival.NEW
        assert people.in_slot(number) == (name if number <= 4 else None)
    state = people.get("e")
    assert state is not None
    assert state.slot is None


def test_who_returns_has_the_same_slot_again():
    people = People()
    people.seen("a", LEFT, 0.0)
    people.seen("b", RIGHT, 0.0)
    people.lost("a", 1.0)
    people.seen("c", LEFT, 2.0)
    assert people.in_slot(1) == "a"
    assert people.in_slot(3) == "c"
    assert people.seen("a", LEFT, 10.0) is Arrival.BACK
    assert people.in_slot(1) == "a"


def test_a_slot_goes_to_somebody_else_after_a_long_absence():
    people = People(PeopleSettings(slots=1, slot_kept_s=30.0))
    people.seen("a", LEFT, 0.0)
    people.seen("b", RIGHT, 0.0)
    people.lost("a", 1.0)
    people.seen("b", RIGHT, 30.0)
    assert people.in_slot(1) == "a"
    people.seen("b", RIGHT, 31.1)
    assert people.in_slot(1) == "b"
    people.seen("a", LEFT, 32.0)
    returned = people.get("a")
    assert returned is not None
    assert returned.slot is None


def test_a_lost_person_has_no_place_and_returns_to_it():
    table, source = TargetTable(), random.Random(1)
    table.person_seen("visitor", 0.0, direction=LEFT)
    assert table.angles("person1", 0.0, source) is not None
    table.person_lost("visitor", 1.0)
    assert table.angles("person1", 1.0, source) is None
    assert table.angles("visitor", 1.0, source) is None
    assert table.person_of("person1", 1.0) == "visitor"
    table.person_seen("visitor", 2.0, direction=RIGHT)
    assert table.angles("person1", 2.0, source) == table.angles("Visitor", 2.0, source)


def test_a_tracker_may_call_somebody_as_a_slot_is_called():
    table = TargetTable()
    table.person_seen("person2", 0.0, direction=LEFT)
    table.person_seen("person1", 0.0, direction=RIGHT)
    assert table.person_of("person1", 0.0) == "person1"
    assert table.person_of("person3", 0.0) is None


def test_the_person_is_who_matters_most():
    people = People()
    assert people.focus(0.0) is None
    people.seen("aside", RIGHT, 0.0)
    assert people.focus(0.0) == "aside"
    people.speaks("nobody", True)
    people.attends("nobody", True)
    assert people.ids() == ["aside"]


def test_somebody_slightly_more_interesting_never_takes_over():
    people = People()
    people.seen("a", Angles(20.0, 0.0), 0.0)
    people.focus(0.0)
    people.seen("b", AHEAD, 0.0)
    assert {people.focus(0.1 * step) for step in range(200)} == {"a"}


def test_who_speaks_takes_over_after_a_while_and_not_before():
    people = People()
    people.seen("a", AHEAD, 0.0)
    people.seen("b", AHEAD, 0.0)
    assert people.focus(0.0) == "a"
    people.speaks("b", True)
    assert people.focus(5.0) == "a"
    assert people.focus(5.9) == "a"
    assert people.focus(6.0) == "b"


def test_a_short_word_does_not_turn_the_head():
    people = People()
    people.seen("a", AHEAD, 0.0)
    people.seen("b", AHEAD, 0.0)
    people.focus(0.0)
    for start in range(10):
        people.speaks("b", True)
        assert people.focus(start + 0.0) == "a"
        assert people.focus(start + 0.6) == "a"
        people.speaks("b", False)
        assert people.focus(start + 0.7) == "a"


@given(turns=st.lists(st.sampled_from(["a", "b", None]), min_size=20, max_size=200))
def test_the_person_never_changes_more_often_than_once_a_second(turns):
    people = People()
    people.seen("a", LEFT, 0.0)
    people.seen("b", RIGHT, 0.0)
    changes, before = [], people.focus(0.0)
    for step, speaker in enumerate(turns, start=1):
        for name in "ab":
            people.speaks(name, name == speaker)
        now_s = 0.1 * step
        focus = people.focus(now_s)
        if focus != before:
            changes.append(now_s)
        before = focus
    assert all(later - sooner > 0.99 for sooner, later in itertools.pairwise(changes))


def test_a_lost_person_stays_the_person_for_a_moment():
    people = People()
    people.seen("a", AHEAD, 0.0)
    people.seen("b", RIGHT, 0.0)
    people.focus(0.0)
    people.lost("a", 5.0)
    assert people.focus(5.5) == "a"
    assert people.focus(6.0) == "b"


def test_only_so_many_lost_people_are_remembered():
    people = People(PeopleSettings(remembered=10))
    for number in range(100):
        people.seen(f"p{number}", LEFT, float(number))
        people.focus(float(number))
        people.lost(f"p{number}", number + 0.5)
    assert len(people.ids()) <= 12
    assert people.present() == []
    assert people.focused is None or people.focused in people.ids()


def test_names_of_forgotten_people_are_forgotten_by_the_table():
    table = TargetTable(people=PeopleSettings(remembered=5))
    for number in range(200):
        table.person_seen(f"p{number}", float(number), direction=LEFT)
        table.person_lost(f"p{number}", number + 0.5)
    assert not table.knows("p0")
    assert table.knows("P199")
    assert len(table._ids) <= 11
