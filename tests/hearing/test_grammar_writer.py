"""Phrases of sheets as grammars: whatever an author writes, the recogniser can read it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sera.behaviour.dialogue import Script
from sera.behaviour.library import read_libraries
from sera.hearing.grammar import FILLERS, MOST_PHRASES, Grammar, jsgf, spotting_model
from sera.hearing.grammar_pronunciation import guessed_pronunciation
from sera.hearing.grammar_words import MOST_WORDS, spoken_words
from sera.hearing.phrases import awaited_by_state

_PHONES = """
AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH
"""
PHONES = frozenset(_PHONES.split())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Yes!", "yes"),
        ("3", "three"),
        ("room 21", "room twenty one"),
        ("120", "one hundred twenty"),
        ("007", "zero zero seven"),
        ("1500 points", "one thousand five hundred points"),
        ("café olé", "cafe ole"),
        ("I don’t know", "i don't know"),  # noqa: RUF001
        ("cats & dogs", "cats and dogs"),
        ("'quoted'", "quoted"),
        ("?!", ""),
        ("日本", ""),
    ],
)
def test_phrases_become_the_words_that_people_say(written: str, said: str) -> None:
    assert " ".join(spoken_words(written)) == said


@given(some.lists(some.text(max_size=80), max_size=20))
def test_no_phrase_breaks_a_grammar(written: list[str]) -> None:
    grammar = Grammar.of(written)
    assert len(grammar.phrases) + len(grammar.unusable) <= len(written)
    for phrase in grammar.phrases:
        assert 0 < len(phrase.words) <= MOST_WORDS
        assert all(re.fullmatch(r"[a-z]+('[a-z]+)*", word) for word in phrase.words)
    if grammar.phrases:
        body = jsgf(grammar).split("=", 1)[1]
        assert re.fullmatch(r"[a-z' |\n]+;\n", body)


@given(some.text(max_size=60))
def test_a_guessed_pronunciation_uses_only_phones_of_the_model(word: str) -> None:
    assert set(guessed_pronunciation(word).split()) <= PHONES


def test_names_are_pronounced_by_their_letters() -> None:
    assert guessed_pronunciation("emys") == "EH M IY S"
    assert guessed_pronunciation("sheep") == "SH IY P"


def test_phrases_are_limited_and_count_once() -> None:
    grammar = Grammar.of(["Yes", "yes!", *(f"number {n}" for n in range(2 * MOST_PHRASES))])
    assert len(grammar.phrases) == MOST_PHRASES
    assert grammar.phrases[0].written == "Yes"


def test_a_grammar_without_phrases_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="at least one phrase"):
        jsgf(Grammar.of(["…", ""]))


def test_the_chances_of_a_spotting_model_add_up_to_one() -> None:
    model = spotting_model(["p0", "p1"], FILLERS)
    rows = re.findall(r"^(-[0-9.]+) (\S+)$", model, flags=re.MULTILINE)
    total = sum(10 ** float(chance) for chance, entry in rows if entry != "<s>")
    assert total == pytest.approx(1.0, abs=0.01)


def test_each_state_of_a_sheet_has_the_phrases_it_waits_for(tmp_path: Path) -> None:
    sheet = tmp_path / "play.csv"
    sheet.write_text(
        "Current State,Next State,When,Style,Utterance\n"
        "Start,Asked,PersonDetected,,Hello.\n"
        "Asked,Game,SpeechHeard text contains yes or sure,,Good.\n"
        "Asked,end,SpeechHeard text = no thank you,,Bye.\n"
        'Game,end,SpeechHeard text matches "(stop|enough)",,Bye.\n'
        "Game,Game,otherwise,,Go on.\n"
        "Free,end,SpeechHeard,,I see.\n"
        "*,end,SpeechHeard text contains goodbye,,Goodbye.\n",
        encoding="utf-8",
    )
    states = awaited_by_state(Script(read_libraries([sheet]).library.dialogue))

    def phrases(state: str) -> list[str]:
        return [phrase.written for phrase in states[state].grammar.phrases]

    assert phrases("start") == ["goodbye"]
    assert phrases("asked") == ["yes", "sure", "no thank you", "goodbye"]
    assert phrases("game") == ["stop", "enough", "goodbye"]
    assert [states[each].anything for each in ("asked", "game", "free")] == [False, True, True]
