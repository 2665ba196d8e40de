"""Which line is chosen, and what the choice says about itself."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.library.line import Line, Repetitions
from sera.behaviour.selection import (
    Bar,
    Lack,
    Memory,
    Rule,
    Selector,
    SelectorSettings,
    Wish,
)


@dataclass(frozen=True)
class Said:
    id: str
    category: tuple[str, ...] = ("greeting",)
    repetitions: str = "any"
    weight: float = 1.0
    metadata: Mapping[str, str] = field(default_factory=dict)


GREETING = Wish(category="greeting")


def ids(selector, lines, wish, count, memories=()):
    choices = [selector.choose(lines, wish, memories) for _ in range(count)]
    return [choice.line and choice.line.id for choice in choices]


def test_a_line_is_chosen_by_its_id_and_says_so():
    choice = Selector(Random(1)).choose([Said("a"), Said("b")], Wish(id="b"))
    assert choice.line == Said("b")
    assert (choice.rule, choice.candidates, choice.lack) == (Rule.ID, 1, None)


def test_an_unknown_id_names_the_nearest_one():
    choice = Selector(Random(1)).choose([Said("hello_1")], Wish(id="helo_1"))
    assert choice.line is None
    assert choice.lack is Lack.UNKNOWN_ID
    assert choice.detail == "there is no line 'helo_1'; did you mean 'hello_1'?"


@pytest.mark.parametrize(
    "wish",
    [
        Wish(category="Greeting", subcategory="MORNING"),
        Wish(category="greeting:morning"),
        Wish(category=" greeting : Morning "),
    ],
)
def test_a_subcategory_narrows_the_choice_in_any_case(wish):
    lines = [Said("a", ("Greeting", "Evening")), Said("b", ("greeting", "morning", "cold"))]
    choice = Selector(Random(1)).choose(lines, wish)
    assert choice.line is lines[1]
    assert choice.candidates == 1


def test_a_category_does_not_match_the_beginning_of_another_name():
    choice = Selector(Random(1)).choose([Said("a", ("greetings",))], GREETING)
    assert choice.lack is Lack.UNKNOWN_CATEGORY
    assert "did you mean 'greetings'?" in choice.detail


def test_extra_columns_narrow_the_choice_in_any_case():
    lines = [Said("a", metadata={"Mood": "sad"}), Said("b", metadata={"MOOD": " Happy "})]
    wish = Wish(category="greeting", metadata={"mood": "happy"})
    assert Selector(Random(1)).choose(lines, wish).line is lines[1]


def test_a_filter_that_nothing_fits_is_told_apart_from_an_unknown_category():
    wish = Wish(category="greeting", metadata={"mood": "happy"})
    choice = Selector(Random(1)).choose([Said("a"), Said("b")], wish)
    assert choice.lack is Lack.NO_MATCH
    assert choice.detail == "none of 2 lines fits category 'greeting' with mood = 'happy'"


def test_without_id_and_category_any_line_will_do():
    lines = [Said("a", ("x",)), Said("b", ())]
    assert set(ids(Selector(Random(1)), lines, Wish(), 2)) == {"a", "b"}


def test_a_line_of_once_a_session_returns_in_the_next_session():
    memory = Memory("p1", "monday")
    lines = [Said("a", repetitions="session"), Said("b")]
    selector = Selector(Random(1), SelectorSettings(lone_line_may_repeat=True))
    assert Counter(ids(selector, lines, GREETING, 6, [memory])) == {"a": 1, "b": 5}
    memory.begin_session("tuesday")
    assert Counter(ids(selector, lines, GREETING, 6, [memory])) == {"a": 1, "b": 5}


def test_a_line_of_once_and_for_ever_does_not_return_to_the_same_participant():
    first, second = Memory("p1", "monday"), Memory("p2", "monday")
    lines = [Said("a", repetitions="ever"), Said("b"), Said("c")]
    selector = Selector(Random(1))
    assert ids(selector, lines, GREETING, 8, [first]).count("a") == 1
    first.begin_session("tuesday")
    assert "a" not in ids(selector, lines, GREETING, 8, [first])
    assert ids(selector, lines, GREETING, 8, [second]).count("a") == 1


def test_a_rule_holds_for_a_pair_when_one_of_them_has_heard_the_line():
    heard, new = Memory("p1", ever={"a": 1}), Memory("p2")
    choice = Selector(Random(1)).choose(
        [Said("a", repetitions="ever"), Said("b")], GREETING, [new, heard]
    )
    assert choice.line == Said("b")
    assert [(each.id, each.bar) for each in choice.excluded] == [("a", Bar.SAID_BEFORE)]
    assert choice.excluded_by_repetition == 1
    assert (new.ever, heard.ever) == ({"b": 1}, {"a": 1, "b": 1})


def test_rules_hold_without_participants_as_long_as_the_selector_lives():
    lines = [Said("a", repetitions="session"), Said("b", repetitions="ever")]
    assert set(ids(Selector(Random(1)), lines, GREETING, 3)) == {"a", "b", None}


def test_a_bag_exhausted_by_rules_says_which_rule_took_each_line():
    memory = Memory("p1", this_session={"a": 1}, ever={"a": 1, "b": 1})
    lines = [Said("a", repetitions="session"), Said("b", repetitions="ever"), Said("c", weight=0)]
    lines += [Said("d", weight=0), Said("e", weight=0)]
    choice = Selector(Random(1)).choose(lines, GREETING, [memory])
    assert choice.line is None
    assert choice.lack is Lack.EXHAUSTED
    assert [each.bar for each in choice.excluded] == [
        Bar.SAID_THIS_SESSION,
        Bar.SAID_BEFORE,
        *[Bar.NO_WEIGHT] * 3,
    ]
    assert choice.detail.startswith("category 'greeting' has no line left: 'a' was said in this")
    assert choice.detail.endswith(" and 2 more")
    assert memory.ever == {"a": 1, "b": 1}


def test_repetition_rules_bind_ids_too_unless_told_otherwise():
    line = Said("a", repetitions="session")
    strict = Selector(Random(1))
    assert ids(strict, [line], Wish(id="a"), 2) == ["a", None]
    loose = Selector(Random(1), SelectorSettings(rules_bind_ids=False))
    assert ids(loose, [line], Wish(id="a"), 2) == ["a", "a"]


def test_the_only_line_of_a_category_is_not_said_twice_running():
    selector = Selector(Random(1))
    lines = [Said("a"), Said("z", ("other",))]
    assert ids(selector, lines, GREETING, 1) == ["a"]
    again = selector.choose(lines, GREETING)
    assert again.lack is Lack.EXHAUSTED
    assert "'a' was the last of them to be said" in again.detail
    assert ids(selector, lines, Wish(id="z"), 1) == ["z"]
    assert ids(selector, lines, GREETING, 1) == ["a"]


def test_the_only_line_may_repeat_where_the_settings_allow_it():
    selector = Selector(Random(1), SelectorSettings(lone_line_may_repeat=True))
    assert ids(selector, [Said("a")], GREETING, 3) == ["a", "a", "a"]


@pytest.mark.parametrize("seed", range(8))
def test_a_line_said_by_id_has_had_its_turn_in_the_bag(seed):
    lines = [Said(name) for name in "abc"]
    selector = Selector(Random(seed))
    first = ids(selector, lines, GREETING, 1)
    other = next(name for name in "abc" if name not in first)
    ids(selector, lines, Wish(id=other), 1)
    third = ids(selector, lines, GREETING, 1)
    assert {*first, other, *third} == set("abc")


def test_a_line_that_was_never_begun_can_be_given_back():
    memory = Memory("p1")
    lines = [Said("a", repetitions="ever")]
    selector = Selector(Random(1))
    assert ids(selector, lines, GREETING, 1, [memory]) == ["a"]
    selector.give_back("a", [memory])
    assert (memory.ever, selector.last) == ({}, None)
    assert ids(selector, lines, GREETING, 1, [memory]) == ["a"]


@pytest.mark.parametrize("seed", range(8))
def test_a_line_that_was_given_back_has_its_turn_in_the_same_round(seed):
    selector, lines = Selector(Random(seed)), [Said(name) for name in "abc"]
    (first,) = ids(selector, lines, GREETING, 1)
    selector.give_back(first)
    assert set(ids(selector, lines, GREETING, 3)) == set("abc")


def test_a_line_said_by_id_after_its_turn_gets_none_back():
    selector, lines = Selector(Random(1)), [Said(name) for name in "abc"]
    first = selector.choose(lines, GREETING).line
    selector.choose(lines, Wish(id=first.id))
    selector.give_back(first.id)
    assert first.id not in ids(selector, lines, GREETING, 2)


def test_giving_back_a_line_that_was_not_chosen_changes_nothing():
    selector, memory = Selector(Random(1)), Memory("p1", ever={"a": 1})
    selector.give_back("a", [memory])
    assert memory.ever == {"a": 1}


def test_the_choice_says_what_the_bag_held():
    lines = [Said(name) for name in "abc"]
    selector = Selector(Random(1))
    states = [selector.choose(lines, GREETING).bag for _ in range(4)]
    assert [(state.left, state.refilled) for state in states] == [
        (2, True),
        (1, False),
        (0, False),
        (2, True),
    ]


def test_weights_that_are_no_weights_are_excluded_with_a_reason():
    lines = [Said("a", weight=float("nan")), Said("b", weight=-1), Said("c", weight=1e9), Said("d")]
    choice = Selector(Random(1)).choose(lines, GREETING)
    assert choice.line is lines[3]
    assert {each.id for each in choice.excluded if each.bar is Bar.NO_WEIGHT} == {"a", "b", "c"}


def test_a_line_of_weight_nought_is_still_said_by_its_id():
    assert ids(Selector(Random(1)), [Said("a", weight=0)], Wish(id="a"), 1) == ["a"]


def test_lines_of_a_library_can_be_chosen():
    lines = [
        Line(id="a", texts={"": "Hi"}, category=("Greeting",), repetitions=Repetitions.EVER),
        Line(id="b", texts={"": "Hello"}, category=("Greeting",)),
    ]
    memory = Memory("p1", ever={"a": 1})
    choice = Selector(Random(1)).choose(lines, GREETING, [memory])
    assert choice.line is lines[1]


rules = st.sampled_from(["any", "session", "ever"])
libraries = st.lists(
    st.tuples(st.sampled_from(["x", "x:y", "x:z", "w"]), rules, st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=8,
).map(
    lambda rows: [
        Said(f"l{n}", tuple(path.split(":")), rule, weight)
        for n, (path, rule, weight) in enumerate(rows)
    ]
)
wishes = st.lists(st.sampled_from(["x", "x:y", "x:z", "w", None]), min_size=1, max_size=40)


@given(libraries, wishes, st.integers())
def test_whatever_is_wished_no_line_runs_twice_and_every_rule_holds(lines, asked, seed):
    selector, memory = Selector(Random(seed)), Memory("p1")
    said = []
    for category in asked:
        choice = selector.choose(lines, Wish(category=category), [memory])
        meant = sum(Wish(category=category).in_category(line) for line in lines)
        if choice.line is None:
            assert choice.detail
            assert len(choice.excluded) == meant
        else:
            assert Wish(category=category).in_category(choice.line)
            assert choice.candidates + len(choice.excluded) == meant
            said.append(choice.line)
    assert all(one.id != other.id for one, other in itertools.pairwise(said))
    counts = Counter(line.id for line in said if line.repetitions != "any")
    assert all(count == 1 for count in counts.values())


@given(libraries, wishes, st.integers())
def test_the_same_seed_gives_the_same_lines(lines, asked, seed):
    def run():
        selector = Selector(Random(seed))
        return [selector.choose(lines, Wish(category=category)) for category in asked]

    assert run() == run()


def test_a_category_does_not_repeat_its_last_line_though_others_were_said_between():
    lines = [Said(each, (each[0],)) for each in ("a1", "a2", "b1", "b2")]
    selector = Selector(Random(5))
    said = [selector.choose(lines, Wish(category="ab"[turn % 2])).line.id for turn in range(60)]
    for kind in "ab":
        own = [each for each in said if each.startswith(kind)]
        assert all(first != second for first, second in itertools.pairwise(own))


def test_the_only_line_of_a_category_comes_again_after_another_one():
    lines = [Said("a1", ("a",)), Said("b1", ("b",))]
    selector = Selector(Random(5))
    wishes = ["a", "b", "a", "b", "b"]
    said = [selector.choose(lines, Wish(category=each)).line for each in wishes]
    assert [each and each.id for each in said] == ["a1", "b1", "a1", "b1", None]
