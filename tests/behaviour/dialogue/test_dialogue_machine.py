"""The dialogue machine: states, waiting, alternatives, kept messages, circles."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.dialogue import DialogueMachine, Ended, Moved, Order, Say, Script, Trouble
from sera.behaviour.library import DialogueRow, Origin
from sera.messages import (
    ActivityEvent,
    Clicked,
    HeadDirection,
    KeyPressed,
    PersonDetected,
    PersonLost,
    SpeechHeard,
)


def script(*rows: tuple[str, ...]) -> Script:
    """Rows of Current State, Next State, When, Utterance, Style."""
    return Script(
        DialogueRow(
            current_state=row[0],
            next_state=row[1],
            when=row[2],
            texts={"en": row[3]} if len(row) > 3 and row[3] else {},
            style=row[4] if len(row) > 4 else "",
            origin=Origin("play.xlsx", "Dialogue", number),
        )
        for number, row in enumerate(rows, start=2)
    )


def machine(*rows: tuple[str, ...], seed: int = 1, **more: Any) -> DialogueMachine:
    return DialogueMachine(script(*rows), random=Random(seed), **more)


def said(orders: list[Order]) -> list[str]:
    return [order.text for order in orders if isinstance(order, Say)]


def states(orders: list[Order]) -> list[str]:
    return [order.state for order in orders if isinstance(order, Moved)]


def troubles(orders: list[Order]) -> list[str]:
    return [order.sentence for order in orders if isinstance(order, Trouble)]


def test_it_begins_in_start_wherever_that_stands() -> None:
    play = machine(("Other", "end", "key q"), ("start", "Other", "PersonDetected"))
    assert states(play.start(0.0)) == ["start"]


def test_without_start_it_begins_with_the_first_row() -> None:
    play = machine(("*", "end", "key q"), ("Hello", "end", "PersonDetected"))
    assert states(play.start(0.0)) == ["Hello"]


def test_a_line_is_said_on_the_way_and_the_state_changes_when_it_is_over() -> None:
    play = machine(("Start", "Next", "PersonDetected", "Hi!"), ("Next", "end", "PersonLost"))
    play.start(0.0)
    orders = play.hear(PersonDetected(person="ada"), 1.0, "m-1")
    assert orders == [Say("Hi!", play.script.all_rows[0], {}, "m-1")]
    assert (play.state, play.speaking, play.next_due_s) == ("Start", True, None)
    moved = play.said(3.0)
    assert states(moved) == ["Next"]
    assert isinstance(moved[0], Moved)
    assert (moved[0].previous, moved[0].because, moved[0].cause) == (
        "Start",
        "PersonDetected",
        "m-1",
    )


def test_a_time_out_counts_from_the_end_of_the_line_that_led_there() -> None:
    play = machine(("Start", "Wait", "", "Hello."), ("Wait", "end", "after 5 s", "Bye."))
    play.start(0.0)
    play.said(4.0)
    assert play.next_due_s == 9.0
    assert play.tick(8.999) == []
    assert said(play.tick(9.0)) == ["Bye."]


def test_of_two_time_outs_the_shorter_comes_first() -> None:
    play = machine(("A", "end", "after 5 s", "late"), ("A", "end", "after 2 s", "soon"))
    play.start(0.0)
    assert said(play.tick(2.0)) == ["soon"]


def test_the_first_row_that_fits_counts() -> None:
    play = machine(
        ("A", "end", "SpeechHeard text contains yes", "one"), ("A", "end", "SpeechHeard", "two")
    )
    play.start(0.0)
    assert said(play.hear(SpeechHeard(text="yes"), 1.0)) == ["one"]
    play.start(2.0)
    assert said(play.hear(SpeechHeard(text="no"), 3.0)) == ["two"]


def test_otherwise_takes_messages_that_others_wait_for_and_fit_none() -> None:
    play = machine(
        ("A", "A", "SpeechHeard text contains yes", "yes"),
        ("A", "A", "otherwise", "pardon?"),
        ("A", "end", "PersonLost", "bye"),
    )
    play.start(0.0)
    assert play.hear(PersonDetected(person="ada"), 1.0) == []
    assert said(play.hear(SpeechHeard(text="hm"), 1.0)) == ["pardon?"]
    play.said(2.0)
    assert play.hear(SpeechHeard(text="h", final=False), 2.0) == []
    assert said(play.hear(PersonLost(person="ada"), 3.0)) == ["bye"]


def test_rows_for_every_state_come_after_its_own() -> None:
    play = machine(
        ("A", "B", "PersonDetected"),
        ("*", "end", "PersonLost", "bye"),
        ("B", "end", "PersonLost", "wait!"),
    )
    play.start(0.0)
    assert said(play.hear(PersonLost(person="ada"), 0.0)) == ["bye"]
    play.start(1.0)
    play.hear(PersonDetected(person="ada"), 1.0)
    assert said(play.hear(PersonLost(person="ada"), 1.0)) == ["wait!"]


def test_a_star_as_next_state_stays() -> None:
    play = machine(("A", "B", "PersonDetected"), ("B", "end", "key q"), ("*", "*", "Clicked", "ow"))
    play.start(0.0)
    play.hear(PersonDetected(person="ada"), 0.0)
    play.hear(Clicked(element="nose"), 1.0)
    assert states(play.said(2.0)) == ["B"]


def test_wordings_come_once_each_before_any_comes_twice_and_never_twice_running() -> None:
    words = [f"line {number}" for number in range(4)]
    play = machine(*(("A", "A", "PersonDetected", word) for word in words), seed=3)
    play.start(0.0)
    heard = []
    for turn in range(40):
        heard += said(play.hear(PersonDetected(person="ada"), float(turn)))
        play.said(float(turn))
    for begin in range(0, 40, 4):
        assert sorted(heard[begin : begin + 4]) == words
    assert all(one != other for one, other in pairwise(heard))


def test_the_style_that_is_set_is_preferred_then_rows_without_style() -> None:
    rows = (
        ("A", "A", "PersonDetected", "Good day.", "formal"),
        ("A", "A", "PersonDetected", "Hi.", "casual"),
        ("A", "A", "PersonDetected", "Hello."),
    )
    for style, words in (
        ("Formal", {"Good day."}),
        ("poetic", {"Hello."}),
        (None, {"Good day.", "Hi.", "Hello."}),
    ):
        play = machine(*rows, style=style)
        play.start(0.0)
        heard = set()
        for _ in range(6):
            heard |= set(said(play.hear(PersonDetected(person="ada"), 0.0)))
            play.said(0.0)
        assert heard == words


def test_rows_of_other_styles_only_are_taken_and_reported() -> None:
    play = machine(("A", "A", "PersonDetected", "Hi.", "casual"), style="formal")
    play.start(0.0)
    orders = play.hear(PersonDetected(person="ada"), 0.0)
    assert said(orders) == ["Hi."]
    assert "no row is of the style 'formal'" in troubles(orders)[0]


def test_the_same_when_with_other_next_states_is_a_choice_by_chance() -> None:
    reached = set()
    for seed in range(12):
        play = machine(
            ("A", "B", "key k"),
            ("A", "C", "key k"),
            ("B", "B", "key q"),
            ("C", "C", "key q"),
            seed=seed,
        )
        play.start(0.0)
        reached |= set(states(play.hear(KeyPressed(key="k"), 0.0)))
    assert reached == {"B", "C"}


def test_an_answer_while_the_robot_still_speaks_counts_in_the_next_state() -> None:
    play = machine(
        ("A", "B", "", "Shall we?"), ("B", "end", "SpeechHeard text contains yes", "Good!")
    )
    play.start(0.0)
    assert play.hear(PersonDetected(person="ada"), 0.5) == []
    assert play.hear(SpeechHeard(text="yes"), 1.0, "m-7") == []
    orders = play.said(2.0)
    assert said(orders) == ["Good!"]
    assert isinstance(orders[-1], Say)
    assert orders[-1].cause == "m-7"


def test_what_was_kept_passes_states_that_do_not_wait_and_is_bounded() -> None:
    play = machine(
        ("A", "B", "", "One."), ("B", "C", "", "Two."), ("C", "end", "PersonLost", "Oh.")
    )
    play.start(0.0)
    play.hear(PersonLost(person="ada"), 0.5)
    assert said(play.said(1.0)) == ["Two."]
    assert said(play.said(2.0)) == ["Oh."]
    play.start(3.0)
    play.hear(PersonLost(person="ada"), 3.0)
    for _ in range(100):
        play.hear(SpeechHeard(text="hm"), 3.0)
    play.said(4.0)
    assert said(play.said(5.0)) == []


def test_streams_are_not_kept() -> None:
    play = machine(("A", "B", "", "One."), ("B", "end", "HeadDirection eye_contact", "You!"))
    play.start(0.0)
    look = HeadDirection(person="a", direction={"horizontal_deg": 0}, eye_contact=True)  # type: ignore[arg-type]
    play.hear(look, 0.5)
    assert said(play.said(1.0)) == []
    assert said(play.hear(look, 1.5)) == ["You!"]


@pytest.mark.parametrize("following", ["end", "", "-", "Nowhere"])
def test_it_ends_where_nothing_leads_on(following: str) -> None:
    play = machine(("A", following, "PersonDetected", "Bye."))
    play.start(0.0)
    play.hear(PersonDetected(person="ada"), 1.0)
    orders = play.said(2.0)
    assert isinstance(orders[-1], Ended)
    assert play.ended
    assert play.hear(PersonDetected(person="ada"), 3.0) == []
    assert play.tick(99.0) == []
    assert states(play.start(100.0)) == ["A"]


def test_a_circle_without_waiting_is_stopped_and_reported() -> None:
    play = machine(("A", "B", ""), ("B", "A", ""))
    orders = play.start(0.0)
    assert "again and again" in troubles(orders)[0]
    assert isinstance(orders[-1], Ended)


def test_a_circle_that_speaks_is_stopped_but_still_hears_rows_for_every_state() -> None:
    play = machine(("A", "A", "", "la"), ("*", "end", "PersonLost", "bye"))
    orders, turns = play.start(0.0), 0
    while play.speaking:
        orders, turns = play.said(float(turns)), turns + 1
    assert turns == 3
    assert len(troubles(orders)) == 1
    assert not play.ended
    assert said(play.hear(PersonLost(person="ada"), 9.0)) == ["bye"]


def test_a_monologue_longer_than_any_bound_is_no_circle() -> None:
    rows = [(f"s{number}", f"s{number + 1}", "", f"line {number}") for number in range(200)]
    play = machine(*rows)
    heard = said(play.start(0.0))
    while play.speaking:
        heard += said(play.said(0.0))
    assert len(heard) == 200
    assert play.ended


def test_no_time_out_is_so_short_that_time_stands_still() -> None:
    play = machine(("A", "A", "after 0 s"))
    play.start(0.0)
    assert play.tick(0.0) == []
    assert play.next_due_s == pytest.approx(0.1)


def test_fields_of_messages_fill_tags_now_and_later() -> None:
    play = machine(
        ("A", "B", "PersonDetected", "Hello, /name/!"),
        ("B", "C", "ActivityEvent event = card_played", "You played /data.value/, /NAME/."),
        ("C", "end", "SpeechHeard", "Did you say /text/?"),
    )
    play.start(0.0)
    first = play.hear(PersonDetected(person="p1", name="Ada"), 0.0)
    assert isinstance(first[0], Say)
    assert first[0].tags == {"name": "Ada"}
    play.said(1.0)
    second = play.hear(ActivityEvent(event="card_played", data={"value": 1234567}), 1.0)
    assert isinstance(second[0], Say)
    assert second[0].tags == {"data.value": "1234567", "NAME": "Ada"}
    play.said(2.0)
    third = play.hear(SpeechHeard(text="<WAVE(x)> /b/"), 2.0)
    assert isinstance(third[0], Say)
    assert third[0].tags == {"text": "<WAVE(x)> /b/"}


def test_another_visitor_is_not_called_by_the_name_of_the_last() -> None:
    play = machine(
        ("A", "A", "PersonDetected", "Hello, /name/!"), ("A", "A", "PersonDetected", "Hello!")
    )
    play.start(0.0)
    heard = []
    for name in ("Ada", None, None):
        heard += said(play.hear(PersonDetected(person="p", name=name), 0.0))
        play.said(0.0)
    assert heard[1:] == ["Hello!", "Hello!"]


def test_a_tag_that_nothing_fills_is_reported() -> None:
    play = machine(("A", "A", "PersonDetected", "Hello, /name/!"))
    play.start(0.0)
    orders = play.hear(PersonDetected(person="p"), 0.0)
    assert "/name/" in troubles(orders)[0]


def test_a_row_without_the_language_gives_way_to_one_with_it() -> None:
    rows = [
        DialogueRow(current_state="A", next_state="A", when="PersonLost", texts=texts)
        for texts in ({"en": "Bye"}, {"en": "Bye bye", "pt": "Adeus"})
    ]
    play = DialogueMachine(Script(rows), random=Random(1), language="pt")
    play.start(0.0)
    for _ in range(4):
        assert said(play.hear(PersonLost(person="p"), 0.0)) == ["Adeus"]
        play.said(0.0)
    other = DialogueMachine(Script(rows), random=Random(1), language="de")
    other.start(0.0)
    orders = other.hear(PersonLost(person="p"), 0.0)
    assert said(orders)
    assert "no text in 'de'" in troubles(orders)[0]


NAMES = st.sampled_from(["A", "B", "C", "*", "end", ""])
WHENS = st.sampled_from(
    ["", "after 1 s", "PersonDetected", "SpeechHeard text contains yes", "otherwise", "nonsense ="]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(NAMES, NAMES, WHENS, st.sampled_from(["", "Hello", "/person/"])), max_size=9
    ),
    st.lists(st.sampled_from(["said", "tick", "person", "yes"]), max_size=20),
    st.integers(0, 99),
)
def test_any_sheet_and_any_course_of_events_is_survived(
    rows: list[tuple[str, ...]], events: list[str], seed: int
) -> None:
    play = machine(*rows, seed=seed)
    orders = play.start(0.0)
    for now_s, event in enumerate(events, start=1):
        if event == "said":
            orders = play.said(float(now_s))
        elif event == "tick":
            orders = play.tick(float(now_s))
        else:
            message = PersonDetected(person="p") if event == "person" else SpeechHeard(text="yes")
            orders = play.hear(message, float(now_s))
        assert len(orders) < 60
        assert len(said(orders)) <= 1


def test_a_saved_script_goes_on_in_the_same_state_or_from_its_start() -> None:
    play = machine(("Start", "Asked", "PersonDetected"), ("Asked", "end", "key q", "Old."))
    play.start(0.0)
    play.hear(PersonDetected(person="a"), 1.0)
    assert (
        play.exchange(script(("Start", "Asked", "key a"), ("Asked", "end", "key q", "New.")), 2)
        == []
    )
    assert (play.state, said(play.hear(KeyPressed(key="q"), 3.0))) == ("Asked", ["New."])
    play.start(4.0)
    orders = play.exchange(script(("Begin", "end", "key q", "Other.")), 5.0)
    assert states(orders) == ["Begin"]


def test_a_script_saved_while_a_line_is_said_counts_when_the_line_is_over() -> None:
    play = machine(("Start", "Asked", "PersonDetected", "Hi."), ("Asked", "end", "key q", "Old."))
    play.start(0.0)
    play.hear(PersonDetected(person="a"), 1.0)
    assert (
        play.exchange(script(("Other", "end", "key x"), ("Asked", "end", "key q", "New.")), 2.0)
        == []
    )
    assert states(play.said(3.0)) == ["Asked"]
    assert said(play.hear(KeyPressed(key="q"), 4.0)) == ["New."]
