"""Ahoy played in virtual time by a scripted Wizard and a simulated player."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    GazeAt,
    JointFrame,
    ModuleFault,
    OperatorDecided,
    PlayAnimation,
    RunOutcome,
    SetLayer,
    SetPosture,
    SpeechHeard,
    find_message_type,
)
from sera.recording import LogReader
from sera.runtime._loading import load_class_from_file
from sera.study import load_plan, study_problems
from sera.study.measures import SessionLog, take_measures
from tests.helpers import some_of

AHOY = Path(__file__).parents[2] / "scenarios" / "ahoy"
GAME = load_class_from_file(AHOY / "game.py")
C1, C2 = "c1+simulated", "c2+simulated"
PACKAGE = GAME.__module__.rsplit(".", 1)[0]
POSTURES = {"hot": "engaged", "warm": "in_between", "cold": "unengaged"}


def part(name: str) -> Any:
    load_class_from_file(AHOY / "game.py")
    return importlib.import_module(f"{PACKAGE}.{name}")


def kind(name: str) -> Any:
    return find_message_type(name)


def hints_after(show: Any, rating: str) -> list[str]:
    """Postures that were taken because of ratings of one kind."""
    rated = {e.id for e in show.envelopes(kind("GuessRated")) if e.message.rating == rating}
    return [e.message.posture for e in show.envelopes(SetPosture) if e.cause in rated]


@pytest.mark.parametrize("seed", some_of((1, 7), seed=1))
def test_seven_rounds_are_played_to_the_end(performance: Callable[..., Any], seed: int) -> None:
    show = performance("ahoy", condition=C1, seed=seed)
    assert show.summary.outcome == RunOutcome.COMPLETED
    assert show.of(ModuleFault) == []
    began, ended = show.of(kind("RoundBegan")), show.of(kind("RoundEnded"))
    assert [one.round for one in began] == [one.round for one in ended] == [1, 2, 3, 4, 5, 6, 7]
    assert began[2].word == "metronome"
    assert {one.outcome for one in ended} <= {"correct", "time_up"}
    assert all(one.duration_s <= 40.0 for one in ended)
    assert show.of(ActivityEvent)[-1].event == "game_finished"


def test_the_scenario_as_it_stands_plays_too_with_its_body(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", seed=3)
    assert show.summary.outcome == RunOutcome.COMPLETED
    assert len(show.of(kind("RoundEnded"))) == 7
    assert show.of(ModuleFault) == []


def test_every_word_is_acted_while_gaze_and_life_rest(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", condition=C1, seed=1)
    began = {e.id: e.message for e in show.envelopes(kind("RoundBegan"))}
    acted = [e for e in show.envelopes(PlayAnimation) if e.cause in began]
    assert [e.message.animation for e in acted] == [one.animation for one in began.values()]
    layers = Counter((m.layer, m.active) for m in show.of(SetLayer))
    assert {layers[layer, False] for layer in ("gaze", "life")} == {7}
    assert {layers[layer, True] for layer in ("gaze", "life")} == {8}, "once at the beginning"
    assert [m.target for m in show.of(GazeAt)] == ["player"]


def test_a_right_guess_is_nodded_at_and_time_that_is_up_is_shaken_at(
    performance: Callable[..., Any],
) -> None:
    for seed in (1, 7):
        show = performance("ahoy", condition=C1, seed=seed)
        ends = {e.id: e.message.outcome for e in show.envelopes(kind("RoundEnded"))}
        answers = {
            e.cause: e.message.animation for e in show.envelopes(PlayAnimation) if e.cause in ends
        }
        wanted = {"correct": "affirm", "time_up": "shake"}
        assert answers == {name: wanted[outcome] for name, outcome in ends.items()}


def test_in_c1_each_rating_changes_the_posture(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", condition=C1, seed=1)
    for rating, posture in POSTURES.items():
        shown = hints_after(show, rating)
        assert shown
        assert set(shown) == {posture}


def test_in_c2_the_same_is_pressed_and_the_robot_stays_neutral(
    performance: Callable[..., Any],
) -> None:
    expressive = performance("ahoy", condition=C1, seed=1)
    neutral = performance("ahoy", condition=C2, seed=1)
    assert {m.posture for m in neutral.of(SetPosture)} == {"neutral"}
    rated = [(m.round, m.number, m.rating) for m in neutral.of(kind("GuessRated"))]
    assert rated == [(m.round, m.number, m.rating) for m in expressive.of(kind("GuessRated"))]
    assert len(neutral.of(OperatorDecided)) == len(expressive.of(OperatorDecided))


def test_two_wizards_share_the_work(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", condition="c1+two_wizards+simulated", seed=2)
    assert show.summary.outcome == RunOutcome.COMPLETED
    decided = Counter((m.by, m.action_type) for m in show.of(OperatorDecided))
    assert set(decided) == {("judge", "RateGuess"), ("posture", "ShowHint")}
    told = {e.id: e for e in show.envelopes(kind("GuessRated"))}
    hints = show.envelopes(kind("ShowHint"))
    assert hints
    for hint in hints:
        assert told[hint.cause].message.rating == hint.message.hint
        assert 0.3 <= hint.time - told[hint.cause].time <= 0.7
    assert all(hints_after(show, rating) == [] for rating in POSTURES)
    taken = {e.id: e.message for e in show.envelopes(kind("ShowHint"))}
    shown = [e.message.posture for e in show.envelopes(SetPosture) if e.cause in taken]
    assert set(shown) <= set(POSTURES.values())
    assert shown


def test_the_wizard_is_as_fast_as_people_and_finds_hot_sooner_than_cold(
    performance: Callable[..., Any],
) -> None:
    spotted, took = {}, {"hot": [], "cold": []}
    for seed in (1, 2, 3):
        show = performance("ahoy", condition=C1, seed=seed)
        spotted |= {(seed, e.id): e for e in show.envelopes(kind("WordSpotted"))}
        for order in show.envelopes(kind("RateGuess")):
            if order.message.rating in took:
                took[order.message.rating].append(order.time - spotted[seed, order.cause].time)
    assert all(0.9 <= one <= 2.1 for times in took.values() for one in times)
    hot, cold = (sum(took[name]) / len(took[name]) for name in ("hot", "cold"))
    assert hot < cold - 0.2


def test_what_the_wizard_saw_is_recorded_as_the_console_does(
    performance: Callable[..., Any],
) -> None:
    show = performance("ahoy", condition=C1, seed=1)
    orders = {e.id: e for e in show.envelopes(kind("RateGuess"))}
    by_id = {e.id: e for e in show.seen}
    for envelope in show.envelopes(OperatorDecided):
        decided = envelope.message
        order = orders[decided.action]
        assert order.cause in decided.seen
        assert decided.restricted
        assert decided.reaction_s is not None
        for name in decided.seen:
            assert by_id[name].time <= order.time
    assert len(show.of(OperatorDecided)) == len(orders)


def test_the_player_is_told_what_the_wall_shows_and_nothing_else() -> None:
    guesser = load_class_from_file(AHOY / "guesser.py")
    assert set(guesser.handlers) == {ActivityCommand}
    source = (AHOY / "guesser.py").read_text()
    assert "words.toml" not in source
    assert ".messages import" not in source.replace("sera.messages import", "")


def test_the_wall_never_learns_the_word(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", condition=C1, seed=1)
    known = part("words").load_words(AHOY / "words.toml", "en")
    answers = {answer for word in known.values() for answer in word.languages["en"].answers}
    for message in show.of(ActivityCommand):
        assert set(message.data) == {
            *("phase", "language", "category", "round", "rounds", "time_limit_s", "left_s")
        }
        assert not answers & set(map(str, message.data.values()))


def test_the_same_seed_makes_the_same_game_and_another_one_another(
    performance: Callable[..., Any],
) -> None:
    def rated(show: Any) -> list[tuple[Any, ...]]:
        return [(m.round, m.number, m.rating, m.at_s) for m in show.of(kind("GuessRated"))]

    first = rated(performance("ahoy", condition=C1, seed=5))
    again = rated(performance("ahoy", condition=C1, seed=5, settings={}))
    assert first == again
    assert first != rated(performance("ahoy", condition=C1, seed=6))


def test_portuguese_words_are_guessed_in_portuguese(performance: Callable[..., Any]) -> None:
    show = performance("ahoy", condition="c1+simulated+portuguese", seed=4)
    assert show.summary.outcome == RunOutcome.COMPLETED
    listed = Counter(m.listed for m in show.of(kind("WordSpotted")))
    assert min(listed[where] for where in ("hot", "warm", "unlisted")) > 0


def test_the_body_moves_for_hints_in_c1_only(performance: Callable[..., Any]) -> None:
    def lowest_after_cold(condition: str) -> float:
        show = performance("ahoy", condition=condition, seed=1)
        finished = [e.time for e in show.envelopes(kind("AnimationFinished"))]
        frames = [(e.time, e.message.joints_rad) for e in show.envelopes(JointFrame)]
        bends = []
        for rated in show.envelopes(kind("GuessRated")):
            at_s = rated.time + 2.0
            acted = [t for t in finished if t < rated.time]
            if rated.message.rating != "cold" or not acted or rated.message.at_s < 17.0:
                continue
            near = min(frames, key=lambda frame: abs(frame[0] - at_s))
            bends.append(near[1]["lower_bend"])
        assert bends
        return max(bends)

    assert lowest_after_cold(C1) > lowest_after_cold(C2) + 0.3


# -- the study ---------------------------------------------------------------------------------


def test_the_study_file_is_sound() -> None:
    assert study_problems(AHOY) == []


def test_measures_come_from_the_log_and_agree_with_the_rounds(
    performance: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    show = performance("ahoy", condition=C1, seed=9, log=log)
    plan = load_plan(AHOY / "study.toml")
    taken = take_measures(plan.measures, SessionLog.from_file(log), AHOY)
    ended = show.of(kind("RoundEnded"))
    values = taken.values
    assert taken.problems == []
    assert values["TotalGuesses"] == sum(one.guesses for one in ended)
    assert values["TotalHot"] == sum(one.hot for one in ended)
    assert values["TotalCold"] == sum(one.cold for one in ended)
    assert values["TotalCorrect"] == sum(one.correct for one in ended)
    assert values["TotalOneShot"] == sum(one.one_shot for one in ended)
    assert values["TotalGiveUps"] == sum(one.gave_up for one in ended)
    assert values["TotalDuration"] == pytest.approx(sum(one.duration_s for one in ended))
    for one in ended:
        assert values[f"R{one.round}Duration"] == pytest.approx(one.duration_s)
        assert values[f"R{one.round}Guesses"] == one.guesses
        assert values[f"R{one.round}Hot"] == one.hot
        assert values[f"R{one.round}Correct"] == one.correct


def test_what_was_said_stands_nowhere_in_the_log(
    performance: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    show = performance("ahoy", condition=C1, seed=9, log=log)
    said = {m.text for m in show.of(SpeechHeard)}
    unlisted = {
        m.word for m in show.of(kind("WordSpotted")) if m.listed == "unlisted" and len(m.word) > 5
    }
    assert unlisted <= said
    text = log.read_text()
    assert unlisted
    assert not [word for word in unlisted if f'"{word}"' in text]
    assert any(record.type == "WordSpotted" for record in LogReader(log))


# -- people ------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["c1", "c2"])
def test_in_a_condition_of_the_study_nobody_is_simulated(
    performance: Callable[..., Any], condition: str
) -> None:
    show = performance("ahoy", condition=condition, seed=1)
    names = {e.source for e in show.seen}
    assert "world.guesser" not in names
    assert "world.wizard" not in names
    assert show.of(kind("RoundBegan")) == []
    assert "nobody came" in show.summary.reason
