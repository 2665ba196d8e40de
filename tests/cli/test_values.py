"""`key=value` on the command line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.cli._errors import CommandError
from sera.cli._values import build, merged, parse_assignments, parse_object, parse_value
from sera.messages import GazeAt, HeadDirection, PerformUtterance, SetEmotion

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(json_values)
def test_every_json_value_comes_back_as_itself(value):
    assert parse_value(json.dumps(value)) == value


@given(st.text())
def test_any_text_gives_a_value_and_what_is_no_json_is_the_text_itself(text):
    value = parse_value(text)
    try:
        json.loads(text)
    except ValueError:
        assert value == text


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "visitor_1", "1 2", "", "'x'"])
def test_what_only_looks_like_json_is_text(text):
    assert parse_value(text) == text


def test_dots_make_nested_fields_and_only_the_first_equals_sign_counts():
    words = ["person=v1", "direction.horizontal_deg=10", "direction.vertical_deg=-5", "text=a=b"]
    assert parse_assignments(words) == {
        "person": "v1",
        "direction": {"horizontal_deg": 10, "vertical_deg": -5},
        "text": "a=b",
    }


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["person"], "'person' is not of the form key=value"),
        (["=x"], "'=x' is not of the form key=value"),
        (["a..b=1"], "'a..b=1' is not of the form key=value"),
        (["a=1", "a=2"], "'a' is given twice"),
        (["a=1", "a.b=2"], "'a.b=2' contradicts another value for 'a'"),
    ],
)
def test_words_that_make_no_sense_are_answered_with_a_sentence(words, sentence):
    with pytest.raises(CommandError) as caught:
        parse_assignments(words)
    assert str(caught.value).startswith(sentence)


def test_an_object_must_be_one():
    assert parse_object('{"a": 1}', "--data") == {"a": 1}
    with pytest.raises(CommandError, match="--data: not valid JSON"):
        parse_object("{a: 1}", "--data")
    with pytest.raises(CommandError, match="--data: must be a JSON object"):
        parse_object("[1]", "--data")


def test_single_fields_are_laid_over_an_object():
    lower = {"a": 1, "deep": {"x": 1, "y": 2}}
    assert merged(lower, {"deep": {"y": 3}, "b": 4}) == {"a": 1, "deep": {"x": 1, "y": 3}, "b": 4}
    assert lower == {"a": 1, "deep": {"x": 1, "y": 2}}


def test_a_number_for_a_text_field_counts_as_text():
    assert build(PerformUtterance, {"line": 12}, "PerformUtterance").line == "12"
    utterance = build(PerformUtterance, {"category": "x", "tags": {"age": 7}}, "PerformUtterance")
    assert utterance.tags == {"age": "7"}


@pytest.mark.parametrize(
    ("model", "fields", "sentence"),
    [
        (
            GazeAt,
            {"targt": "x", "target": "y"},
            "GazeAt.targt: no such field; did you mean target?",
        ),
        (
            HeadDirection,
            {"person": "v", "direction": {"horizontal_deg": 1, "vertical_degs": 1}},
            "HeadDirection.direction.vertical_degs: no such field; did you mean vertical_deg?",
        ),
        (
            HeadDirection,
            {"person": "v", "direction": {"horizontal_deg": 999}},
            "HeadDirection.direction.horizontal_deg: must be less than or equal to 180",
        ),
        (SetEmotion, {}, "SetEmotion: SetEmotion takes exactly one of pad and name; given: none"),
    ],
)
def test_a_wrong_message_is_answered_with_the_field_and_the_nearest_name(model, fields, sentence):
    with pytest.raises(CommandError) as caught:
        build(model, fields, model.__name__)
    assert str(caught.value) == sentence


def test_settings_are_called_settings():
    with pytest.raises(CommandError) as caught:
        build(GazeAt, {"targt": "x", "target": "y"}, "greeter", field_word="setting")
    assert str(caught.value) == "greeter.targt: no such setting; did you mean target?"
