"""Tags get their values, which are text and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.markup import MarkupSyntax, TagDelimiters, fill, parse


def test_tags_are_filled_in_text_parameters_and_controls_and_case_stays():
    filled = fill(
        "<GAZE(/Who/)> Olá /Name/, <HEADNOD(/n/)> You Have /score/ Points \\pau=/wait/\\ Now",
        {"Who": "Person 1", "Name": "Ana-Luísa", "n": "3", "score": "12", "wait": "500"},
    )
    assert filled.missing == ()
    assert filled.text == "Olá Ana-Luísa, You Have 12 Points Now"
    assert [str(step) for step in filled.line.steps] == ["GAZE(Person 1)", "HEADNOD(3)"]
    assert filled.line.pauses[0].duration_s == 0.5
    assert filled.line.problems == ()


def test_words_are_counted_after_filling():
    filled = fill("Hello /name/ <GAZE(board)> there", {"name": "Ana Maria"})
    assert [word.text for word in filled.line.words] == ["Hello", "Ana", "Maria", "there"]
    assert filled.line.steps[0].word == 3
    assert [word.source_start for word in filled.line.words] == [0, 6, 6, 27]


def test_a_missing_tag_is_reported_once_with_its_place_and_nearest_name():
    filled = fill("Hi /nam/ and /nam/ and <GAZE(/who/)>", {"name": "Ana"})
    assert [(one.code, one.start, one.text) for one in filled.missing] == [
        ("missing-tag", 3, "/nam/"),
        ("missing-tag", 29, "/who/"),
    ]
    assert "did you mean name?" in filled.missing[0].message
    assert filled.text == "Hi nam and nam and"
    assert filled.line.tags == ("nam", "who")


def test_a_name_in_another_case_serves_but_the_exact_one_goes_first():
    assert fill("/Name/", {"name": "Ana"}).text == "Ana"
    assert fill("/Name/", {"name": "no", "Name": "yes", "NAME": "no"}).text == "yes"


def test_a_bad_count_from_a_tag_is_a_problem_of_the_filled_line():
    line = parse("<HEADNOD(/n/)>")
    assert line.problems == ()
    (problem,) = fill(line, {"n": "many"}).line.problems
    assert (problem.code, problem.start) == ("bad-count", 9)


@pytest.mark.parametrize("signs", [("/", "/"), ("|", "|"), ("{", "}"), ("[[", "]]")])
def test_no_value_becomes_markup_even_when_the_filled_line_is_written_and_read(signs):
    syntax = MarkupSyntax(delimiters=TagDelimiters(*signs))
    tag, other = syntax.delimiters.around("a"), syntax.delimiters.around("b")
    nasty = f"<GAZE(x)> {other} \\pau=9\\ n=3, ) > \\"

    filled = fill(f"hi {tag} <GAME(say, {tag})> <GLANCE({tag})>", {"a": nasty, "b": "no"}, syntax)

    for line in (filled.line, parse(filled.line.to_text(), syntax)):
        assert line.text == f"hi {nasty}"
        assert line.tags == ()
        assert line.pauses == ()
        assert [step.verb for step in line.steps] == ["GAME", "GLANCE"]
        assert line.steps[0].arguments["parameters"] == (nasty,)
        assert line.steps[1].target == nasty


@given(st.text(), st.text(), st.sampled_from([("/", "/"), ("|", "|"), ("{{", "}}")]))
def test_any_value_is_said_and_handed_on_unchanged(value, other, signs):
    syntax = MarkupSyntax(delimiters=TagDelimiters(*signs))
    a, b = syntax.delimiters.around("a"), syntax.delimiters.around("b")
    filled = fill(f"x {a} {b} y <GAME(say, {a}, {b})>", {"a": value, "b": other}, syntax)
    expected = " ".join(f"x {value} {other} y".split())
    for line in (filled.line, parse(filled.line.to_text(), syntax)):
        assert line.text.split() == expected.split()
        assert line.steps[0].arguments["parameters"] == (value, other)
        assert line.problems == ()


def test_a_value_in_a_control_cannot_end_the_control():
    filled = fill("\\pau=/d/\\ hi", {"d": "1\\<GAZE(x)>\\"})
    assert [one.code for one in filled.line.problems] == ["bad-control"]
    again = parse(filled.line.to_text())
    assert again.steps == ()
    assert again.pauses == ()
    assert again.text == "hi"
