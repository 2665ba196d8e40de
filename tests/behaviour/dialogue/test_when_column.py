"""The When column: what psychologists write is understood, and what is wrong is told with place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.behaviour.dialogue import After, Heard, Otherwise, parse_when, unknown_messages
from sera.messages import (
    ActivityEvent,
    Clicked,
    HeadDirection,
    KeyPressed,
    Message,
    PersonDetected,
    PersonLost,
    Position,
    QuestionAnswered,
    SpeechActivity,
    SpeechHeard,
)


def heard(text: str, **more: Any) -> SpeechHeard:
    return SpeechHeard(text=text, **more)


def card(value: object, event: str = "card_played") -> ActivityEvent:
    return ActivityEvent(event=event, data={"value": value})  # type: ignore[dict-item]


def holds(when: str, message: Message) -> bool:
    reading = parse_when(when)
    assert reading.when is not None, reading.findings
    return reading.when.holds(message)


HERE = Position(x_m=2, y_m=1, z_m=3)


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ("PersonDetected", PersonDetected(person="ada")),
        ("persondetected", PersonDetected(person="ada")),
        ("Person detected", PersonDetected(person="ada")),
        ("SpeechHeard text contains yes", heard("Oh YES, please.")),
        ("SpeechHeard text contains of course", heard("Well, of  course!")),
        ("SpeechHeard text contains yes or yeah", heard("yeah")),
        ("SpeechHeard text contains yes or text contains yeah", heard("yeah")),
        ("SpeechHeard text contains yes|yeah", heard("yeah")),
        ("SpeechHeard text contains inform*", heard("some information")),
        ("SpeechHeard text contains não", heard("na\u0303o")),
        ("SpeechHeard text contains don't", heard("I don\u2019t know")),
        ("SpeechHeard text contains はい", heard("はいそうです")),
        ("SpeechHeard text contains salt and pepper", heard("the salt and pepper please")),
        ("SpeechHeard text matches yes|yeah", heard("Yeah!")),
        ("SpeechHeard text matches ^no", heard("No, thanks")),
        ("SpeechHeard text = yes", heard("Yes.")),
        ("SpeechHeard text is 'yes or no'", heard("yes or no")),
        ("SpeechHeard text starts with where", heard("Where is the lift?")),
        ("SpeechHeard text ends with lift", heard("Where is the lift?")),
        ("SpeechHeard text does not contain yes", heard("no")),
        ("SpeechHeard with confidence > 0.5 and text contains yes", heard("yes", confidence=0.9)),
        ("SpeechHeard confidence is at least 0,5", heard("x", confidence=0.5)),
        ("Clicked element = start", Clicked(element="Start")),
        ("Clicked element is one of start, stop", Clicked(element="stop")),
        ("Clicked element != start", Clicked(element="stop")),
        ("ActivityEvent event = card_played and data.value > 3", card(4)),
        ("ActivityEvent event = card_played and data.value > 3", card("4")),
        ("ActivityEvent data.Value = 4", card(4.0)),
        ("ActivityEvent data.value = yes", card(True)),
        ("ActivityEvent data.value contains queen", card(["king", "queen"])),
        (
            "QuestionAnswered answered = no",
            QuestionAnswered(question="q", answered=False, waited_s=1),
        ),
        ("SpeechActivity speaking", SpeechActivity(speaking=True)),
        ("SpeechActivity not speaking", SpeechActivity(speaking=False)),
        ("SpeechActivity side = LEFT", SpeechActivity(speaking=True, side="left")),
        (
            "HeadDirection looks at = robot",
            HeadDirection(person="a", looks_at="robot", direction={"horizontal_deg": 1}),
        ),  # type: ignore[arg-type]
        ("PersonDetected position.x_m > 1.5", PersonDetected(person="ada", position=HERE)),
        ("key space", KeyPressed(key="space")),
        ("key = y or n", KeyPressed(key="N")),
        ("any key", KeyPressed(key="f5")),
        ("PersonLost or SpeechHeard text contains bye", heard("bye")),
        ("PersonLost or SpeechHeard text contains bye", PersonLost(person="ada")),
    ],
)
def test_what_people_write_is_understood(when: str, message: Message) -> None:
    assert holds(when, message)


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ("PersonDetected", PersonLost(person="ada")),
        ("SpeechHeard text contains no", heard("I know nothing")),
        ("SpeechHeard text matches no|nope", heard("I know")),
        ("SpeechHeard text starts with where", heard("Nowhere")),
        ("SpeechHeard text contains yes and confidence > 0.5", heard("yes", confidence=0.4)),
        ("SpeechHeard text does not contain yes", heard("yes")),
        ("SpeechHeard", heard("ye", final=False)),
        ("Clicked element = start", Clicked(point={"x_px": 1, "y_px": 1})),  # type: ignore[arg-type]
        ("ActivityEvent data.value > 3", card(3)),
        ("ActivityEvent data.other > 3", card(4)),
        ("ActivityEvent data.value > 3", card("many")),
        ("key space", KeyPressed(key="enter")),
    ],
)
def test_what_is_not_meant_does_not_count(when: str, message: Message) -> None:
    assert not holds(when, message)


def test_a_first_guess_counts_where_the_author_asks_for_it() -> None:
    assert holds("SpeechHeard final = no", heard("ye", final=False))


@pytest.mark.parametrize(
    ("when", "seconds"),
    [
        ("after 5 s", 5.0),
        ("After 5s", 5.0),
        ("after 2 min", 120.0),
        ("after 1,5 seconds", 1.5),
        ("after 500 ms", 0.5),
        ("after 0 s", 0.0),
        ("after 24 h", 86400.0),
    ],
)
def test_time_outs_take_numbers_and_units(when: str, seconds: float) -> None:
    reading = parse_when(when)
    assert reading.when is not None
    assert reading.when.after_s == pytest.approx(seconds)
    assert reading.findings == ()


def test_an_empty_cell_waits_for_nothing() -> None:
    reading = parse_when("  ")
    assert reading.when is not None
    assert reading.when.at_once


def test_alternatives_may_mix_messages_time_outs_and_otherwise() -> None:
    reading = parse_when("SpeechHeard text contains yes or after 8 s or else")
    assert reading.when is not None
    kinds = [type(each) for each in reading.when.alternatives]
    assert kinds == [Heard, After, Otherwise]


@pytest.mark.parametrize(
    ("when", "code", "start", "told"),
    [
        ("PersonDetcted", "unknown-message", 0, "PersonDetected"),
        ("yes", "unknown-message", 0, "sera messages"),
        ("PersonLost or PersonDetcted", "unknown-message", 14, "PersonDetected"),
        ("SpeechHeard text contains yes or PersonLst", "unknown-message", 33, "PersonLost"),
        ("SpeechHeard txt contains yes", "unknown-field", 12, "text"),
        ("SpeechHeard contains yes", "unknown-field", 12, "SpeechHeard text contains"),
        ("SpeechHeard yes", "unknown-field", 12, "confidence"),
        ("PersonDetected position.x > 1", "unknown-field", 15, "position.x_m"),
        ("SpeechHeard text contians yes", "unknown-operator", 17, "contains"),
        ("SpeechHeard text", "no-operator", 12, "text ="),
        ("SpeechHeard text =", "no-value", 17, "value"),
        ("SpeechHeard text < b", "wrong-operator", 17, "="),
        ("SpeechHeard confidence contains 3", "wrong-operator", 23, "number"),
        ("SpeechHeard confidence > high", "wrong-value", 23, "number"),
        ("SpeechHeard confidence = high", "wrong-value", 23, "number"),
        ("SpeechActivity speaking = perhaps", "wrong-value", 24, "yes or no"),
        ("SpeechActivity side = lefft", "wrong-value", 20, "left"),
        ("PersonDetected position = 3", "field-of-fields", 24, "position.x_m"),
        ("SpeechHeard text = 'yes", "open-quote", 19, "close"),
        ("SpeechHeard text matches (a+)+$", "bad-pattern", 17, "yes|yeah"),
        ("SpeechHeard text matches (", "bad-pattern", 17, "cannot be read"),
        ("SpeechHeard text contains yes and", "nothing-after-and", 30, "and"),
        ("PersonLost or", "nothing-after-or", 11, "or"),
        ("after five s", "bad-time-out", 0, "after 5 s"),
        ("after 5 parsecs", "unknown-unit", 0, "min"),
        ("after 400 h", "bad-time-out", 0, "day"),
        ("after 5 s please", "unexpected-word", 10, "or"),
    ],
)
def test_what_is_wrong_is_told_with_place_and_fix(
    when: str, code: str, start: int, told: str
) -> None:
    reading = parse_when(when)
    assert reading.when is None
    (finding,) = reading.findings
    assert finding.code == code
    assert finding.start == start
    assert told in finding.message + finding.fix
    assert finding.fix


def test_a_time_out_without_unit_is_read_as_seconds_with_a_warning() -> None:
    reading = parse_when("after 5")
    assert reading.when is not None
    assert reading.when.after_s == 5
    assert [finding.severity.value for finding in reading.findings] == ["warning"]


def test_a_pattern_cannot_keep_the_robot_waiting() -> None:
    # A pattern that goes back and forth for ever never ends at all.
    for pattern in ("(a|a)*b", "(a*)*b", ".*.*.*.*.*=", "(x+x+)+y", "a{1,9}{1,9}{1,9}b"):
        reading = parse_when(f"SpeechHeard text matches {pattern}")
        if reading.when is not None:
            reading.when.holds(heard("a" * 5000))


def test_a_very_long_cell_is_refused() -> None:
    reading = parse_when("PersonLost or " * 1000)
    assert [finding.code for finding in reading.findings] == ["when-too-long"]


def test_words_that_look_like_messages_of_a_laboratory_are_found() -> None:
    assert unknown_messages("AttentionShifted or PersonLost or yes") == ("AttentionShifted",)


WORDS = st.sampled_from(
    [
        "PersonDetected",
        "SpeechHeard",
        "ActivityEvent",
        "text",
        "data.value",
        "data.",
        ".x",
        "words",
        "position",
        "contains",
        "matches",
        "is",
        "not",
        "one",
        "of",
        "or",
        "and",
        "after",
        "key",
        "else",
        "=",
        "!=",
        "<",
        ">",
        ",",
        "'",
        '"',
        "5",
        "s",
        "min",
        "yes",
        "(",
        "*",
        "|",
        "any",
        "in",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join)))
def test_no_text_raises_and_what_cannot_be_used_says_why(text: str) -> None:
    reading = parse_when(text)
    assert reading.when is not None or reading.findings
    for finding in reading.findings:
        assert finding.start is not None
        assert 0 <= finding.start <= len(text)
    if reading.when is not None:
        for message in (heard("yes"), card([1, "x"]), PersonDetected(person="ada", position=HERE)):
            reading.when.holds(message)
        again = parse_when(str(reading.when)) if "'" not in text and '"' not in text else reading
        assert again.when is None or again.when.messages == reading.when.messages
