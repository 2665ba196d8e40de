"""The scenario tutor in virtual time: a whole lesson, and what must hold in every one of them."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from sera.animation.body import load_body
from sera.behaviour.library import read_library
from sera.messages import (
    ActivityCommand,
    ActivityEvent,
    BodyState,
    Clicked,
    Gaze,
    Highlight,
    ModuleFault,
    PerformUtterance,
    Point,
    QuestionAnswered,
    QuestionAsked,
    SpeechActivity,
    SpeechFinished,
    SpeechStarted,
    UtteranceCancelled,
    UtteranceStarted,
)
from sera.runtime._loading import load_class_from_file
from tests.helpers import some_of

ROOT = Path(__file__).parents[2]
TUTOR = ROOT / "scenarios" / "tutor"
SEEDS = (1, 5)


@pytest.fixture(params=some_of(SEEDS))
def lesson(request, performance):
    return performance("tutor", seed=request.param)


def events(lesson, name):
    return [message for message in lesson.of(ActivityEvent) if message.event == name]


def test_a_lesson_ends_by_itself_with_the_game_finished(lesson):
    assert not lesson.summary.failed
    assert [one.data["again"] for one in events(lesson, "game_finished")] == [False]
    assert len(events(lesson, "round_started")) == 8
    assert len(events(lesson, "round_over")) == 8
    assert lesson.of(ModuleFault) == []
    assert lesson.of(UtteranceCancelled) == []


def test_it_has_a_beginning_a_middle_and_an_end(lesson):
    told = [message.category for message in lesson.of(UtteranceStarted)]
    assert told[:5] == [
        "greeting", "introduction:aim", "introduction:turns", "introduction:compass", "ready",
    ]  # fmt: skip
    assert told[-1] == "farewell"
    assert told[-2].startswith("wrap_up:")


def test_turns_are_fair_and_the_robot_plays_its_own(lesson):
    players = Counter(one.person for one in events(lesson, "round_started"))
    assert players == {"learner_1": 4, "learner_2": 3, "nao": 1}
    moves = [one for one in lesson.of(ActivityCommand) if one.command == "play"]
    assert len(moves) == 1
    (robots,) = [one for one in events(lesson, "place_right") if one.person == "nao"]
    assert robots.data["place"] == moves[0].data["parameters"][0]


def test_both_learners_and_their_touches_are_looked_at(lesson):
    looks = [(one.time, one.message) for one in lesson.envelopes(Gaze)]
    targets = Counter(message.target for _, message in looks)
    assert targets["learner_1"] >= 5
    assert targets["learner_2"] >= 5
    touched = [one.time for one in lesson.envelopes(Clicked)]
    answered = [
        time_s
        for time_s in touched
        if any(
            message.target in ("clicks", "table") and 0.0 <= at_s - time_s < 2.5
            for at_s, message in looks
        )
    ]
    assert len(answered) >= len(touched) // 3


def test_questions_are_asked_and_most_are_answered(lesson):
    asked, answers = lesson.of(QuestionAsked), lesson.of(QuestionAnswered)
    assert len(asked) == len(answers) >= 3
    assert sum(one.answered for one in answers) >= len(answers) - 2
    told = [message.category for message in lesson.of(UtteranceStarted)]
    assert told.count("backchannel") == sum(one.answered for one in answers)


def test_no_line_comes_twice_running_and_repetitions_hold(lesson):
    library = read_library(TUTOR / "tutor.xlsx").library
    rules = {line.id: line.repetitions.value for line in library.lines}
    lines = [message.line for message in lesson.of(UtteranceStarted)]
    assert all(one != other for one, other in itertools.pairwise(lines))
    assert all(count == 1 for line, count in Counter(lines).items() if rules[line] == "session")


def test_the_robot_never_talks_over_anybody(lesson):
    """It begins no text while a learner speaks, and they let it finish."""
    speaking: set[str] = set()
    robot_speaks = False
    for envelope in lesson.seen:
        message = envelope.message
        if isinstance(message, SpeechActivity):
            if message.speaking:
                assert not robot_speaks, f"{message.person} interrupts at {envelope.time:.2f} s"
                speaking.add(str(message.person))
            else:
                speaking.discard(str(message.person))
        elif isinstance(message, SpeechStarted):
            assert not speaking, f"{speaking} at {envelope.time:.2f} s: {message.text}"
            robot_speaks = True
        elif isinstance(message, SpeechFinished):
            robot_speaks = False


def test_there_is_silence_for_thinking(lesson):
    spoken_s = sum(message.duration_s for message in lesson.of(SpeechFinished))
    assert 0.15 < spoken_s / lesson.seen[-1].time < 0.5
    told = Counter(message.category for message in lesson.of(UtteranceStarted))
    assert told["praise:spoken"] < len(events(lesson, "place_right"))


def test_places_are_pointed_at_and_highlighted_where_they_are(lesson):
    assert lesson.of(Point)
    shown = lesson.of(Highlight)
    assert len(shown) >= 3
    starts = {one.data["start"] for one in events(lesson, "round_started")}
    assert {one.element for one in shown} & starts
    pointed = [one for one in lesson.of(Point) if one.target not in (None, "table")]
    assert all(one.direction.vertical_deg < 0 for one in pointed)  # the table lies below


def test_hints_come_after_inactivity_and_grow_clearer(performance):
    slow = {"learners": {"learners": {"learner_1": {"skill": 0.0, "pace": 0.02}}}}
    coarse = {"engine": {"rate_hz": 10.0}, "body": {"rate_hz": 10.0}}
    game = {"rounds": 1, "players": {"learner_1": "Blue"}}
    lesson = performance("tutor", seed=4, duration_s=110, settings={**slow, **coarse, "game": game})
    hints = [
        (one.time, one.message.category)
        for one in lesson.envelopes(UtteranceStarted)
        if str(one.message.category).startswith("hint:")
    ]
    assert [category for _, category in hints] == ["hint:first", "hint:second", "hint:third"]
    quiet = [
        one.time
        for one in lesson.seen
        if isinstance(one.message, SpeechFinished | SpeechActivity | Clicked)
    ]
    for time_s, _ in hints:
        last_s = max(at_s for at_s in quiet if at_s < time_s)
        assert time_s - last_s >= 10.9
    touches = lesson.envelopes(Clicked)
    assert touches[0].time > hints[-1][0]  # the last hint gives the place away
    assert [one.person for one in events(lesson, "place_right")] == ["learner_1"]
    assert lesson.of(Highlight)


def test_the_same_seed_gives_the_same_log(performance, tmp_path):
    logs = []
    for number in (1, 2):
        log = tmp_path / f"{number}.jsonl"
        performance("tutor", seed=3, duration_s=50, log=log)
        logs.append(log.read_text(encoding="utf-8").splitlines()[1:-1])
    assert logs[0] == logs[1]
    assert len(logs[0]) > 1000


def test_other_seeds_give_other_lessons(performance):
    first, second = (performance("tutor", seed=seed, duration_s=60) for seed in SEEDS[:2])
    assert [one.text for one in first.of(SpeechStarted)] != [
        one.text for one in second.of(SpeechStarted)
    ]


def test_joints_stay_within_their_limits_all_along(lesson):
    body = load_body(ROOT / "robots" / "nao_t14")
    states = [state.joints_rad for state in lesson.of(BodyState) if state.joints_rad]
    assert len(states) > 500
    for joint in states[0]:
        spec = body.own[joint]
        angles = [state[joint] for state in states]
        assert spec.lower - 1e-6 <= min(angles)
        assert max(angles) <= spec.upper + 1e-6
        if joint == "HeadYaw":
            assert max(angles) - min(angles) > 0.4  # it looks from one to the other


def test_portuguese_is_spoken_throughout(performance):
    lesson = performance("tutor", seed=2, condition="portuguese", duration_s=70)
    assert not lesson.summary.failed
    texts = " ".join(message.text for message in lesson.of(SpeechStarted))
    assert "Azul" in texts
    assert "é a tua vez" in texts or "Agora tu" in texts or "Para ti" in texts
    assert not any(f" {word} " in f" {texts} " for word in ("the", "your", "Blue", "step"))


@pytest.mark.parametrize("condition", some_of(("random_gaze", "mutual_joint")))
def test_conditions_change_the_gaze_and_nothing_else(performance, condition):
    lesson = performance("tutor", seed=2, condition=condition, duration_s=110)
    reasons = Counter(str(one.reason).partition(":")[0] for one in lesson.of(Gaze))
    assert (reasons["joint"] > 0) == (condition == "mutual_joint")
    if condition == "random_gaze":
        assert reasons["mutual"] == reasons["click"] == 0
    assert len(events(lesson, "round_started")) >= 3


def test_without_its_tutor_the_game_comes_to_its_end(performance):
    short = {"game": {"rounds": 3}, "engine": {"rate_hz": 10.0}, "body": {"rate_hz": 10.0}}
    lesson = performance("tutor", seed=2, condition="silent", settings=short)
    assert not lesson.summary.failed
    assert len(events(lesson, "game_finished")) == 1
    assert lesson.of(PerformUtterance) == []


def test_every_category_that_the_tutor_calls_for_has_lines():
    tutor = load_class_from_file(TUTOR / "decision.py")
    called = sys.modules[tutor.__module__].CATEGORIES
    library = read_library(TUTOR / "tutor.xlsx").library
    assert len(library.lines) >= 60
    for category in (*called, "backchannel"):
        lines = library.in_category(category)
        assert lines, category
        if not all(line.repetitions.value == "session" for line in lines):
            assert len(lines) >= 2, category  # else it would be the same line twice running
    written = {line.category_path for line in library.lines}
    known = (*called, "backchannel")
    assert all(any(path == one or path.startswith(f"{one}:") for one in known) for path in written)


def test_the_workbook_has_nothing_to_complain_about():
    command = [sys.executable, "-m", "sera", "utterances", "lint", "--json", "--scenario", "tutor"]
    done = subprocess.run(
        [*command, str(TUTOR / "tutor.xlsx")], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert json.loads(done.stdout) == []
