"""Whatever the text: it is read, written back, filled, resolved and linted without a fall."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.behaviour.markup import MarkupSyntax, TagDelimiters, parse
from sera.behaviour.markup.fuzz import FuzzFailure, fuzz, random_line, try_one
from tests.helpers import PATIENCE_S, so_many

STRINGS = so_many(4_000, 20_000)
SYNTAXES = st.sampled_from(
    [MarkupSyntax(delimiters=TagDelimiters(*two)) for two in ["//", "||", "{}", ("[[", "]]")]]
)
PIECES = st.lists(
    st.one_of(
        st.text(max_size=4),
        st.sampled_from(
            ["<GAZE(", ")>", "<HEADNOD(2)>", "/a/", "|a|", "{a}", "[[a]]", "\\pau=3\\", "\\", "/"]
        ),
    )
).map("".join)


def test_thousands_of_random_strings_break_nothing_and_are_worth_trying():
    report = fuzz(STRINGS, random.Random(20))
    assert report.strings == STRINGS
    assert report.steps > 400
    assert report.problems > 2_000
    assert report.sound > 200


def test_the_strings_depend_on_the_source_alone():
    first = [random_line(random.Random(number)) for number in range(50)]
    assert first == [random_line(random.Random(number)) for number in range(50)]
    assert len(set(first)) > 45


def test_the_fuzz_notices_a_broken_reader(monkeypatch):
    from sera.behaviour.markup import fuzz as fuzz_file

    monkeypatch.setattr(fuzz_file, "parse", lambda text, syntax: parse(text + "!", syntax))
    with pytest.raises(FuzzFailure):
        fuzz(10, random.Random(1))


@given(PIECES, SYNTAXES)
def test_what_is_read_is_written_and_read_as_the_same(text, syntax):
    try_one(text, syntax)


@given(st.lists(st.sampled_from(["and/or", "Hello", "/name/", "<GAZE(board)>", "\\pau=20\\", "…"])))
def test_a_line_without_oddities_is_written_exactly_as_it_was(pieces):
    text = " ".join(pieces)
    assert parse(text).to_text() == text


@pytest.mark.parametrize("piece", ["<", "<GAZE(", "<GAZE(x ", "/a", "\\", "\\pau=", "((", "<A(("])
def test_the_time_grows_with_the_length_and_not_with_its_square(piece):
    text = piece * (100_000 // len(piece))
    began_s = time.process_time()
    line = parse(text)
    line.to_text()
    assert line.words is not None
    # Quadratic work on so many characters would take many minutes.
    assert time.process_time() - began_s < PATIENCE_S
