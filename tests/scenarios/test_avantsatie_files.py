"""The files of AvantSatie: pieces and words are complete, and mistakes in them are located."""

from __future__ import annotations

import string
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sera.runtime._loading import load_class_from_file
from sera.runtime.located import FileProblems
from sera.study import load_plan

AVANTSATIE = Path(__file__).parents[2] / "scenarios" / "avantsatie"
_package = load_class_from_file(AVANTSATIE / "game.py").__module__.rpartition(".")[0]
said = sys.modules[f"{_package}.messages"]
pieces_file = sys.modules[f"{_package}.pieces"]
texts_file = sys.modules[f"{_package}.texts"]
PIECES = pieces_file.load_pieces(AVANTSATIE / "pieces.toml")
KEYS = PIECES.piano.keys
TEXTS = tomllib.loads((AVANTSATIE / "texts.toml").read_text(encoding="utf-8"))


def test_every_part_has_one_to_six_notes_and_there_are_two_levels():
    assert len(PIECES.pieces) == 2
    assert len(PIECES.pieces[0].parts) == 4  # as in the document
    for piece in PIECES.pieces:
        assert all(1 <= len(part) <= 6 for part in piece.parts)
        assert set(piece.title) >= {"en", "pt"}
    assert PIECES.piano.start == "d4"


def fields(value: Any) -> set[str]:
    lines = [value] if isinstance(value, str) else value
    if lines and isinstance(lines[0], list):
        return set().union(*map(fields, lines))
    return {name for line in lines for _, name, _, _ in string.Formatter().parse(line) if name}


def test_what_a_hypothesis_expects_of_all_conditions_is_asked_of_each():
    plan = load_plan(AVANTSATIE / "study.toml")
    assert plan.design is not None
    conditions = {one.name for one in plan.design.conditions}
    asked: dict[str, set[str]] = {}
    for one in plan.analysis.hypotheses:
        asked.setdefault(one.name.partition("_")[0], set()).update(one.groups)
    assert list(asked) == ["H1", "H2", "H3", "H4", "H5", "H6"]
    for name in ("H1", "H3", "H4", "H5", "H6"):
        assert asked[name] == conditions, name


def test_authored_postures_are_those_of_the_document():
    # Fifteen directions from -70 to 70 degrees, straight ahead and upwards, for each expression.
    text = (AVANTSATIE / "examples.toml").read_text(encoding="utf-8")
    expressions = tomllib.loads(text)["expressions"]
    assert set(expressions) == {"neutral", "hot", "cold"}
    for name, expression in expressions.items():
        directions = [(one["yaw_deg"], one["elevation_deg"]) for one in expression["examples"]]
        wanted = [(yaw, up) for up in (0, 80) for yaw in range(-70, 71, 10)]
        assert sorted(directions) == sorted(wanted), name


def test_the_words_of_the_screen_are_complete_in_both_languages():
    screens = set(said.ScreenShown.model_fields["screen"].annotation.__args__)
    for language in ("en", "pt"):
        assert set(TEXTS[language]) == screens | {"listen_again", "repeat_again", "ordinals"}
        assert len(TEXTS[language]["ordinals"]) == pieces_file.MOST_NOTES
    for screen in screens:
        one, other = TEXTS["en"][screen], TEXTS["pt"][screen]
        assert one != other
        assert len(one) == len(other)
        assert fields(one) == fields(other)


def test_a_language_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(LookupError, match=r"no \[fr\]; it has en, pt"):
        texts_file.load_texts(AVANTSATIE / "texts.toml", "fr")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('repeat_again = ["… and play."]\n', ""), "en.repeat_again: this key is missing"),
        (("the {note} note", "the {nota} note"), "en.guess: braces are filled in for {note} here"),
        (("the {note} note", "the {note note"), "en.guess: braces"),
        (("the {note} note", "the {} note"), "en.guess: braces"),
        (("Play this key.", "Play {note}."), "en.start: braces are filled in for nothing here"),
        (("the {note} note", "the {note.x} note"), "en.guess: braces"),
        (('part = ["Level {level}, part {part}"]', "part = 3"), "en.part: must be a list of lines"),
        ((', "6th"]', "]"), "en.ordinals: a part has up to 6 notes"),
        (("[en]", "[en"), "not valid TOML"),
    ],
)
def test_words_with_mistakes_are_told_before_the_game_not_in_the_middle(
    tmp_path, change, complaint
):
    text = (AVANTSATIE / "texts.toml").read_text(encoding="utf-8")
    assert change[0] in text
    file = tmp_path / "texts.toml"
    file.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(FileProblems) as found:
        texts_file.load_texts(file, "en")
    assert "texts.toml:" in str(found.value)
    assert complaint in str(found.value)


def test_black_keys_lie_between_their_neighbours_and_nearer_to_the_robot():
    piano = PIECES.piano
    around = ("c4 cs4 d4", "d4 ds4 e4", "f4 fs4 g4", "g4 gs4 a4", "a4 as4 b4")
    for left, black, right in map(str.split, around):
        places = [piano.position_m(key) for key in (left, black, right)]
        assert places[1][0] == pytest.approx((places[0][0] + places[2][0]) / 2)
        assert places[1][2] == pytest.approx(places[0][2] - piano.black_back_m)
    # Low notes are left of the player, who faces the robot: that is the robot's right, -X.
    xs = [piano.position_m(key)[0] for key in KEYS]
    assert xs == sorted(xs)
    assert xs[0] == pytest.approx(-xs[-1])


@pytest.mark.parametrize(("key", "number"), [("c4", 60), ("a4", 69), ("as4", 70), ("c5", 72)])
def test_keys_have_the_numbers_of_midi(key, number):
    assert pieces_file.midi_number(key) == number


@pytest.mark.parametrize(
    ("change", "place", "complaint"),
    [
        (
            ('["e4"],', '["e5"],'),
            "pieces[0].parts[0]",
            "the piano has no key e5; did you mean 'c5'",
        ),
        (('start = "d4"', 'start = "ds5"'), "piano.start", "no key ds5; did you mean 'c5'"),
        (('"c4", "cs4",', '"c4", "c4",'), "piano.keys", "the key c4 is there twice"),
        (('"c4", "cs4",', '"cs4", "c4",'), "piano.keys", "from low to high"),
        (('["e4"],', "[],"), "pieces[0].parts[0]", "at least 1"),
        (
            ('["e4"],', '["e4", "e4", "e4", "e4", "e4", "e4", "e4"],'),
            "pieces[0].parts[0]",
            "at most 6",
        ),
        (('["e4"],', '["es4"],'), "pieces[0].parts[0][0]", "es4"),
        (("composer =", "compser ="), "pieces[0].compser", "did you mean 'composer'"),
        (("front_m = 1.35", "front_m = -1"), "piano.front_m", "greater than 0"),
        (("[piano]", "[piano"), "", "not valid TOML"),
    ],
)
def test_a_file_of_pieces_with_mistakes_says_what_and_where(tmp_path, change, place, complaint):
    text = (AVANTSATIE / "pieces.toml").read_text(encoding="utf-8")
    assert change[0] in text
    file = tmp_path / "pieces.toml"
    file.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(FileProblems) as found:
        pieces_file.load_pieces(file)
    told = str(found.value)
    assert "pieces.toml:" in told
    assert place in told
    assert complaint in told


def test_all_wrong_notes_of_a_file_are_told_at_once_each_with_its_line(tmp_path):
    text = (AVANTSATIE / "pieces.toml").read_text(encoding="utf-8")
    file = tmp_path / "pieces.toml"
    file.write_text(text.replace('["e4"],', '["e8"],').replace('"as4", "a4", "e4"', '"a8"'))
    with pytest.raises(FileProblems) as found:
        pieces_file.load_pieces(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(found.value.problems) == 2
    for problem, note in zip(found.value.problems, ("e8", "a8"), strict=True):
        assert problem.line is not None
        assert note in lines[problem.line - 1]


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(FileProblems, match=r"pieces\.toml"):
        pieces_file.load_pieces(tmp_path / "pieces.toml")


@pytest.mark.parametrize(
    ("hot", "cold", "sentence"),
    [
        (26, 32, "58 wrong guesses (26 hot, 32 cold) in 4.7 minutes of guessing"),
        (1, 0, "1 wrong guess (1 hot, 0 cold) in 4.7 minutes of guessing"),
        (0, 0, "no wrong guesses in 4.7 minutes of guessing"),
    ],
)
def test_the_story_ends_with_what_the_game_came_to(hot, cold, sentence):
    ended = said.GameEnded(wrong_hot=hot, wrong_cold=cold, guessing_s=280.6)
    assert str(ended) == f"the game is over: all notes were found with {sentence}"
