"""A line is read: words, steps at words, pauses, rates, tags, and the places of all of them."""

from __future__ import annotations

import itertools

import pytest

from sera.behaviour.markup import (
    MarkupError,
    MarkupSyntax,
    TagDelimiters,
    parse,
    words_of,
)

ON_A_TARGET = ("GAZE", "GLANCE", "POINT", "WAVE", "HIGHLIGHT")
BARS = MarkupSyntax(delimiters=TagDelimiters("|", "|"))


def steps_of(text: str) -> list[tuple[str, int]]:
    line = parse(text)
    assert line.problems == ()
    return [(str(step), step.word) for step in line.steps]


def test_a_line_with_everything_gives_its_text_and_steps_at_their_words():
    line = parse(
        "<GAZE(/currentPlayer/)> I would <HEADNODNEGATIVE(2)> not build there. "
        "<GLANCE(Eco)> What do you think? <GAZE(clicks)>"
    )
    assert line.problems == ()
    assert line.text == "I would not build there. What do you think?"
    assert [(step.verb, step.word) for step in line.steps] == [
        ("GAZE", 0),
        ("HEADNODNEGATIVE", 2),
        ("GLANCE", 5),
        ("GAZE", 9),
    ]
    assert line.steps[0].at_once
    assert not line.steps[1].at_once
    assert line.steps[2].target == "Eco"
    assert line.tags == ("currentPlayer",)


@pytest.mark.parametrize(
    ("written", "step"),
    [
        ("<ANIMATE(nod)>", "ANIMATE(nod)"),
        ("<HEADNOD>", "HEADNOD(2)"),
        ("<HEADNOD()>", "HEADNOD(2)"),
        ("<HEADNOD(3)>", "HEADNOD(3)"),
        ("<HEADNOD(n=3)>", "HEADNOD(3)"),
        ("<HEADNODNEGATIVE>", "HEADNODNEGATIVE(2)"),
        ("<FACE(joy)>", "FACE(joy)"),
        ("<FACESHIFT(joy)>", "FACESHIFT(joy)"),
        ("<EYEBLINK>", "EYEBLINK(1)"),
        ("<SLOWEYEBLINK(2)>", "SLOWEYEBLINK(2)"),
        ("<SOUND(bell)>", "SOUND(bell)"),
        ("<GAME(move, e2, e4)>", "GAME(move, e2, e4)"),
        ("<GAME(move, x=3)>", "GAME(move, x=3)"),
        ("<GLANCE(board, 1.5)>", "GLANCE(board, 1.5)"),
        ("<GLANCE(board, seconds=2)>", "GLANCE(board, 2)"),
        ("<gaze( Person 1 )>", "GAZE(Person 1)"),
        ("< Gaze (board) >", "GAZE(board)"),
    ],
)
def test_every_verb_is_read_with_its_defaults_in_any_case(written, step):
    assert steps_of(written) == [(step, 0)]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_all_verbs_on_a_target_are_joined_in_any_order(count):
    for verbs in itertools.permutations(ON_A_TARGET, count):
        line = parse(f"now <{'AND'.join(verbs)}(board)> here")
        assert line.problems == ()
        assert [(step.verb, step.target, step.word) for step in line.steps] == [
            (verb, "board", 1) for verb in verbs
        ]


def test_joined_verbs_share_a_duration_where_they_have_one():
    glance, highlight = parse("<GLANCEANDHIGHLIGHT(board, 2)>").steps
    assert dict(glance.arguments) == {"target": "board", "seconds": 2.0}
    assert dict(highlight.arguments) == {"target": "board"}


def test_pauses_and_rates_stand_at_words_in_seconds_and_factors():
    line = parse("One \\pau=250\\ two \\RSPD=80\\\\pau=1\\three\\rspd=100\\")
    assert line.problems == ()
    assert line.text == "One two three"
    assert [(pause.word, pause.duration_s, pause.start) for pause in line.pauses] == [
        (1, 0.25, 4),
        (2, 0.001, 27),
    ]
    assert [(rate.word, rate.rate) for rate in line.rates] == [(2, 0.8), (3, 1.0)]


def test_words_know_their_place_in_the_text_and_in_the_cell():
    cell = "<GAZE(x)>  Olá,   \\<you\\> — <GAZE(y)>there"
    line = parse(cell)
    assert line.text == "Olá, <you> — there"
    for word in line.words:
        assert line.text[word.start : word.end] == word.text
    assert [cell[word.source_start] for word in line.words] == ["O", "\\", "t"]
    assert [word.index for word in line.words] == [0, 1, 2]
    assert line.steps[1].word == 2
    assert cell[line.steps[1].start : line.steps[1].end] == "<GAZE(y)>"


def test_an_instruction_inside_a_word_waits_for_the_next_and_one_between_letters_parts_them():
    line = parse("Hello<GAZE(a)>, you (<GAZE(b)>me) and<GAZE(c)>us")
    assert line.text == "Hello, you (me) and us"
    assert [(step.target, step.word) for step in line.steps] == [("a", 1), ("b", 2), ("c", 4)]


def test_lone_signs_are_no_words():
    assert [word.text for word in words_of("Vous - ici\u00a0? 50 % …")] == ["Vous", "ici", "50"]


@pytest.mark.parametrize(
    "text",
    [
        "and/or",
        "he/she/they",
        "12/11/2026",
        "on 3/May/2026",
        "https://example.org/path/to/page",
        "http://a/b/",
        "/usr/bin/env",
        "either / or / both",
        "1/2/3",
        "//x/y",
    ],
)
def test_a_slash_in_ordinary_text_is_no_tag(text):
    line = parse(text)
    assert line.tags == ()
    assert line.problems == ()
    assert line.text == text
    assert line.to_text() == text


def test_tags_are_found_beside_punctuation_and_each_other():
    line = parse('(/one/), "/two/"! /three//four/\'s /one/')
    assert line.tags == ("one", "two", "three", "four")
    assert [use.start for use in line.tag_uses] == [1, 10, 18, 25, 34]


def test_an_escape_that_stands_for_nothing_parts_a_tag_from_a_word():
    line = parse("the /count/\\-th")
    assert line.tags == ("count",)
    assert line.text == "the countth"


def test_other_delimiters_leave_slashes_alone_and_may_touch_words():
    line = parse("|name| and/or /name/ |count|th", BARS)
    assert line.tags == ("name", "count")
    assert line.text == "name and/or /name/ countth"


@pytest.mark.parametrize("sign", ["", " ", "a", "<", "\\", "-", "_", "("])
def test_delimiters_that_mean_something_else_are_refused(sign):
    with pytest.raises(ValueError, match="cannot be delimited"):
        TagDelimiters(sign, "|")


def test_escapes_give_the_signs_themselves():
    line = parse(r"\<GAZE(x)\> \/name\/ \\pau=1 <GAME(say, a\,b\(c\)\=\>, \ )>")
    assert line.problems == ()
    assert line.text == r"<GAZE(x)> /name/ \pau=1"
    assert line.tags == ()
    assert dict(line.steps[0].arguments) == {"action": "say", "parameters": ("a,b(c)=>", " ")}


def test_a_line_without_words_does_everything_at_once():
    line = parse("<GAZE(board)> … <HEADNOD>")
    assert line.is_nonverbal
    assert [step.word for step in line.steps] == [0, 0]


def test_an_empty_text_is_an_empty_line():
    line = parse("")
    assert (line.text, line.words, line.steps, line.problems) == ("", (), (), ())


def test_check_raises_on_errors_with_place_and_fix_and_not_on_warnings():
    parse("C:\\dir").check()
    with pytest.raises(
        MarkupError, match=r"character 4, `GAZ`: there is no verb GAZ; did you mean GAZE\?"
    ):
        parse("hi <GAZ(board)>").check()


def test_nothing_is_put_into_lower_case():
    line = parse("<gaze(TopLEFT)> Hello Maria /PlayerName/")
    assert line.text == "Hello Maria PlayerName"
    assert line.steps[0].target == "TopLEFT"
    assert line.to_text() == "<gaze(TopLEFT)> Hello Maria /PlayerName/"
