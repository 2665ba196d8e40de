"""The words and rules of the pantomime: lists, guesses in them, rounds and their counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.runtime._loading import load_class_from_file
from sera.runtime.located import FileProblems

AHOY = Path(__file__).parents[2] / "scenarios" / "ahoy"
GAME = load_class_from_file(AHOY / "game.py")
PACKAGE = GAME.__module__.rsplit(".", 1)[0]


def part(name: str) -> Any:
    import importlib

    return importlib.import_module(f"{PACKAGE}.{name}")


words, rounds, messages = part("words"), part("rounds"), part("messages")
SHIPPED = words.load_words(AHOY / "words.toml", "en")
Rating = messages.Rating


def game(count: int = 2, time_limit_s: float = 40.0) -> Any:
    chosen = list(SHIPPED.values())[:count]
    return rounds.Pantomime(chosen, time_limit_s=time_limit_s, pause_s=5.0)


# -- lists -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "pt"])
def test_there_are_seven_words_with_about_thirty_entries_each_and_the_third_is_the_metronome(
    language: str,
) -> None:
    known = words.load_words(AHOY / "words.toml", language)
    assert len(known) == 7
    assert list(known)[2] == "metronome"
    for word in known.values():
        lists = word.languages[language]
        assert 25 <= len(lists.hot) + len(lists.warm) <= 35
        assert (AHOY / "robots" / "adelino" / "animations" / f"{word.animation}.toml").is_file()


@pytest.mark.parametrize(
    ("word", "said", "where"),
    [
        ("snake", "snake", "answer"),
        ("snake", "It's a SNAKE!", "answer"),
        ("snake", "two snakes?", "answer"),
        ("snake", "rattlesnake", "hot"),
        ("snake", "snake charmer", "hot"),
        ("snake", "giraffe", "warm"),
        ("snake", "bicycle", "unlisted"),
        ("snake", "", "unlisted"),
        ("fishing_rod", "a fishing rod", "answer"),
        ("fishing_rod", "fishing", "hot"),
        ("fishing_rod", "the rod of Moses", "hot"),
        ("metronome", "tick-tock", "hot"),
    ],
)
def test_the_longest_entry_in_what_was_said_counts(word: str, said: str, where: str) -> None:
    assert SHIPPED[word].languages["en"].listed(said) == where


def test_accents_do_no_harm() -> None:
    portuguese = words.load_words(AHOY / "words.toml", "pt")["metronome"].languages["pt"]
    assert portuguese.listed("METRONOMO") == "answer"
    assert portuguese.listed("um pêndulo") == portuguese.listed("um pendulo") == "hot"


@given(st.text(max_size=200))
def test_whatever_is_said_stands_somewhere(said: str) -> None:
    for word in SHIPPED.values():
        assert word.languages["en"].listed(said) in list(messages.Listed)


LISTS = '[words.en]\ncategory = "A thing"\nanswers = ["a"]\nhot = [{hot}]\nwarm = [{warm}]\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "words"),
        ('[[words]]\nname = "a"\nanimation = "a"\n', "no lists in the language 'en'"),
        ('[[words]]\nname = "A b"\nanimation = "a"\n' + LISTS.format(hot="", warm=""), "name"),
        (
            '[[words]]\nname = "a"\nanimation = "a"\n' + LISTS.format(hot='"c", "b"', warm=""),
            "'b' is not in its alphabetical place",
        ),
        (
            '[[words]]\nname = "a"\nanimation = "a"\n' + LISTS.format(hot='"b"', warm='"B!"'),
            "'B!' is in hot already",
        ),
        (
            '[[words]]\nname = "a"\nanimation = "a"\n' + LISTS.format(hot='"?"', warm=""),
            "'?' is no word",
        ),
    ],
)
def test_a_bad_list_is_answered_with_file_and_line(
    tmp_path: Path, text: str, sentence: str
) -> None:
    file = tmp_path / "words.toml"
    file.write_text(text)
    with pytest.raises(FileProblems) as caught:
        words.load_words(file, "en")
    assert sentence in str(caught.value)
    assert "words.toml" in str(caught.value)


def test_a_word_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    one = '[[words]]\nname = "a"\nanimation = "a"\n' + LISTS.format(hot="", warm="")
    file = tmp_path / "words.toml"
    file.write_text(one + one)
    with pytest.raises(FileProblems, match="'a' is there twice"):
        words.load_words(file, "en")


# -- rounds ------------------------------------------------------------------------------------


def test_a_right_guess_ends_the_round_and_the_next_one_comes_by_itself() -> None:
    play = game()
    (began,) = play.begin(10.0)
    assert (began.round, began.of, began.word) == (1, 2, "snake")
    assert [e.rating for e in play.rate(Rating.COLD, 15.0)] == ["cold"]
    rated, ended = play.rate(Rating.CORRECT, 22.0)
    assert (rated.number, rated.at_s) == (2, 12.0)
    assert (ended.outcome, ended.duration_s, ended.guesses, ended.cold) == ("correct", 12.0, 2, 1)
    assert not ended.one_shot
    assert play.tick(26.9) == []
    (second,) = play.tick(27.0)
    assert second.word == "fishing_rod"
    assert play.left_s(37.0) == 30.0


def test_forty_seconds_end_a_round_and_no_guess_is_a_give_up() -> None:
    play = game()
    play.begin(0.0)
    assert play.tick(39.99) == []
    (ended,) = play.tick(40.04)
    assert (ended.outcome, ended.duration_s, ended.gave_up) == ("time_up", 40.0, True)
    play.tick(46.0)
    play.rate(Rating.HOT, 50.0)
    (second,) = play.tick(90.0)
    assert not second.gave_up
    assert play.tick(96.0) == []
    assert play.phase == "finished"


def test_the_first_guess_may_be_the_right_one() -> None:
    play = game()
    play.begin(0.0)
    _, ended = play.rate(Rating.CORRECT, 3.0)
    assert ended.one_shot
    assert ended.correct == 1


def test_ratings_count_only_while_a_round_is_under_way() -> None:
    play = game()
    assert play.rate(Rating.HOT, 0.0) == []
    play.begin(0.0)
    assert play.begin(1.0) == []
    # A key that comes after the time, before the clock has ticked, ends the round instead.
    (ended,) = play.rate(Rating.CORRECT, 40.01)
    assert (ended.outcome, ended.guesses) == ("time_up", 0)
    assert play.rate(Rating.HOT, 41.0) == []


def test_an_operator_may_skip_a_word_and_end_the_game() -> None:
    play = game()
    play.begin(0.0)
    (skipped,) = play.next(5.0)
    assert (skipped.outcome, skipped.gave_up) == ("skipped", False)
    (began,) = play.next(6.0)
    assert began.round == 2
    (stopped,) = play.stop(8.0)
    assert stopped.outcome == "stopped"
    assert play.phase == "finished"
    assert play.stop(9.0) == play.next(9.0) == play.begin(9.0) == play.tick(99.0) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([*Rating, "next", "tick"]), st.floats(0.0, 15.0)), max_size=60
    )
)
def test_whatever_is_pressed_counts_add_up(presses: list[tuple[Any, float]]) -> None:
    play, now_s, events = game(3), 0.0, []
    events += play.begin(now_s)
    for what, later_s in presses:
        now_s += later_s
        if what == "next":
            events += play.next(now_s)
        elif what == "tick":
            events += play.tick(now_s)
        else:
            events += play.rate(what, now_s)
    rated = [e for e in events if isinstance(e, messages.GuessRated)]
    ended = [e for e in events if isinstance(e, messages.RoundEnded)]
    assert [e.round for e in ended] == list(range(1, len(ended) + 1))
    for one in ended:
        mine = [e.rating for e in rated if e.round == one.round]
        assert one.guesses == len(mine) == one.hot + one.warm + one.cold + one.correct
        assert one.correct == mine.count(Rating.CORRECT) == (one.outcome == "correct")
        assert 0.0 <= one.duration_s <= (40.0 if one.outcome == "time_up" else 60.0)
