"""Measures of a session: each way, functions of laboratories, and sentences for what fails."""

from __future__ import annotations

import sys
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.recording import Record
from sera.study.design_tables import Measure
from sera.study.measures import SessionLog, TakenMeasures, take_measures


def record(time_s: float, type_name: str, **data: Any) -> Record:
    topic = f"sera/r1/world/{type_name}/world.test"
    return Record(time_s, topic, type_name, "w-1-1", time_s, "world.test", "world", None, data)


GAME = [
    record(0, "SessionPhase", phase="arrival", step=None, status="started"),
    record(1, "GuessJudged", result="hot", points=9),
    record(5, "SessionPhase", phase="arrival", step=None, status="finished"),
    record(5, "SessionPhase", phase="game", step=None, status="started"),
    record(6, "GuessingBegan", level=1),
    record(8, "GuessJudged", result="hot", points=1, robot={"mood": 0.5}),
    record(9, "GuessJudged", result="cold", points=2, robot={"mood": 1.5}),
    record(10, "SessionPhase", phase="game", step=None, status="paused"),
    record(14, "SessionPhase", phase="game", step=None, status="resumed"),
    record(16, "GuessJudged", result="correct", points=4, robot={"mood": 4.0}),
    record(16, "GuessingEnded", level=1),
    record(20, "SessionPhase", phase="game", step=None, status="finished"),
]
LOG = SessionLog.from_memory(GAME, name="session 7")


def take(
    told: dict[str, Any], log: SessionLog = LOG, folder: Path | None = None
) -> tuple[Any, list[str]]:
    taken = take_measures([Measure.model_validate({"name": "M", **told})], log, folder)
    return taken.values["M"], taken.problems


@pytest.mark.parametrize(
    ("told", "value"),
    [
        ({"how": "count", "message": "GuessJudged"}, 4),
        ({"how": "count", "message": "GuessJudged", "where": {"result": "hot"}}, 2),
        ({"how": "count", "message": "GuessJudged", "where": {"result": ["hot", "cold"]}}, 3),
        ({"how": "count", "message": "GuessJudged", "where": {"robot.mood": 1.5}}, 1),
        ({"how": "count", "message": "GuessJudged", "during": ["game"]}, 3),
        ({"how": "count", "message": "GuessJudged", "during": ["game", "arrival"]}, 4),
        ({"how": "sum", "message": "GuessJudged", "value": "points"}, 16),
        ({"how": "sum", "message": "GuessJudged", "value": "points", "during": ["game"]}, 7),
        ({"how": "sum", "message": "SpeechHeard", "value": "confidence"}, 0),
        (
            {
                "how": "mean",
                "message": "GuessJudged",
                "value": "robot.mood",
                "where": {"result": ["hot", "cold"]},
                "during": ["game"],
            },
            1.0,
        ),
        ({"how": "last", "message": "GuessJudged", "value": "points"}, 4),
        ({"how": "time_between", "message": "GuessingBegan", "until": "GuessingEnded"}, 6.0),
        (
            {
                "how": "time_between",
                "message": "GuessingBegan",
                "until": "GuessJudged",
                "until_where": {"result": "cold"},
                "during": ["game"],
            },
            3.0,
        ),
        ({"how": "count", "message": "SpeechHeard"}, 0),
    ],
)
def test_every_way_of_measuring(told: dict[str, Any], value: float) -> None:
    assert take(told) == (value, [])


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            {"how": "count", "message": "GuesJudged"},
            "there is no message type 'GuesJudged'; did you mean 'GuessJudged'?, in session 7",
        ),
        (
            {"how": "count", "message": "GuessJudged", "where": {"resul": "hot"}},
            "'GuessJudged' has no field 'resul'; did you mean 'result'?",
        ),
        (
            {"how": "count", "message": "SpeechHeard", "where": {"txt": "hot"}},
            "'SpeechHeard' has no field 'txt'; did you mean 'text'?",
        ),
        (
            {"how": "mean", "message": "GuessJudged", "value": "result"},
            "'result' of the 'GuessJudged' at 1.0 s is 'hot' and no number, in session 7",
        ),
        (
            {"how": "mean", "message": "GuessJudged", "value": "pints"},
            "'GuessJudged' has no field 'pints'; did you mean 'points'?",
        ),
        (
            {"how": "count", "message": "GuessJudged", "during": ["gam"]},
            "the session had no phase or step 'gam'; did you mean 'game'?, in session 7",
        ),
        ({"message": "GuessJudged"}, "does not say how it is taken"),
        ({"how": "time_between", "message": "GuessJudged"}, "does not say what ends"),
        ({"how": "mean", "message": "GuessJudged"}, "does not say of which field"),
    ],
)
def test_a_measure_that_fails_has_its_sentence(told: dict[str, Any], sentence: str) -> None:
    value, problems = take(told)
    assert value is None
    assert len(problems) == 1
    assert problems[0].startswith("measure 'M': ")
    assert sentence in problems[0]


def test_what_one_should_know_of_a_value_is_said() -> None:
    value, problems = take({"how": "mean", "message": "GuessJudged", "value": "robot.mood"})
    assert value == pytest.approx(2.0)
    assert problems == [
        "measure 'M': 1 of 4 of 'GuessJudged' without 'robot.mood': left out, in session 7"
    ]
    nothing = {"how": "mean", "message": "SpeechHeard", "value": "confidence"}
    assert take(nothing) == (None, ["measure 'M': no 'SpeechHeard' that counts in session 7"])


def test_a_stretch_that_never_ends_is_counted_to_the_end_and_said() -> None:
    told = {"how": "time_between", "message": "GuessingBegan", "until": "GuessingEnded"}
    records = [record(1, "GuessingBegan"), record(2, "GuessingBegan"), record(9, "Last")]
    more = [record(0, "GuessingBegan"), record(1, "GuessingEnded"), *records]
    value, problems = take(told, SessionLog.from_memory(more, name="log", length_s=10.0))
    assert value == 10.0
    assert len(problems) == 1
    assert (
        "1 of 2 of 'GuessingBegan' had no 'GuessingEnded' after it, the first at 1.0 s"
        in (problems[0])
    )
    assert "came 1 times more" in problems[0]


def test_a_type_that_the_scenario_declares_and_nobody_sent_counts_as_none(tmp_path: Path) -> None:
    told = {"how": "count", "message": "HintGiven"}
    assert take(told, folder=tmp_path)[0] is None
    source = "from sera.messages import Event\n"
    source += "class HintGiven(Hint):\n    pass\nclass Hint(Event):\n    pass\n"
    (tmp_path / "messages.py").write_text(source, encoding="utf-8")
    (tmp_path / "broken.py").write_text("class (", encoding="utf-8")
    assert take(told, folder=tmp_path) == (0, [])
    value, problems = take({"how": "count", "message": "HintGivn"}, folder=tmp_path)
    assert value is None
    assert "did you mean 'HintGiven'?" in problems[0]


# -- functions of laboratories ----------------------------------------------------------------

OWN = """\
from __future__ import annotations
from dataclasses import dataclass

import numpy as np

print("loaded")


@dataclass
class Best:
    value: float


def hot(log):
    print("taken")
    return len(log.messages("GuessJudged", where={"result": "hot"}))


def spread(log):
    return np.float64(Best(1.5).value)


def whole(log):
    return np.int64(3)


def nothing(log):
    return None


def fails(log):
    helper = {}
    return inner(helper)


def inner(helper):
    return helper["missing"]


def text(log):
    return "many"


def not_a_number(log):
    return float("nan")


def ends(log):
    raise SystemExit(3)


def spoils(log):
    for entry in log.messages("GuessJudged"):
        entry.data.clear()
    log.messages("GuessJudged").clear()
    return 1


def mistyped(log):
    return len(log.messages("GuessJuged"))


constant = 3


def huge(log):
    return 10**400
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measures.py").write_text(OWN, encoding="utf-8")
    return tmp_path


def taken_with(own: Path, *functions: str) -> TakenMeasures:
    measures = [
        Measure.model_validate({"name": name.split(":")[-1], "function": name})
        for name in functions
    ]
    count = Measure.model_validate({"name": "all", "how": "count", "message": "GuessJudged"})
    return take_measures([*measures, count], LOG, own)


def test_functions_beside_the_scenario_give_numbers(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("hot", "spread", "whole", "nothing")
    taken = taken_with(own, *(f"measures.py:{name}" for name in names))
    assert taken.values == {"hot": 2, "spread": 1.5, "whole": 3, "nothing": None, "all": 4}
    assert [type(taken.values[name]) for name in names[:3]] == [int, float, int]
    assert taken.problems == []
    assert capsys.readouterr().out == ""  # what a function prints must not get into results
    assert not (own / "__pycache__").exists()


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (
            "measures.py:fails",
            "measures.py:37, fails failed on session 7: KeyError: 'missing'",
        ),
        ("measures.py:text", "measures.py:40, text gave str for session 7, where a number is"),
        ("measures.py:not_a_number", "measures.py:44, not_a_number gave nan for session 7"),
        ("measures.py:huge", "huge gave a number with more digits than any table can hold for"),
        ("measures.py:ends", "measures.py:49, ends failed on session 7: SystemExit: 3"),
        ("measures.py:mistyped", "no message type 'GuessJuged'; did you mean 'GuessJudged'?"),
        ("measures.py:hott", "measures.py has no function 'hott'; did you mean 'hot'?"),
        ("measures.py:constant", "measures.py has no function 'constant'"),
        ("other.py:hot", "there is no file other.py"),
    ],
)
def test_a_function_that_fails_is_said_with_its_line_and_the_others_count(
    own: Path, function: str, sentence: str
) -> None:
    taken = taken_with(own, function, "measures.py:hot")
    name = function.split(":")[1]
    if name != "hot":
        assert taken.values["hot"] == 2
    assert taken.values["all"] == 4
    assert taken.problems[0].startswith(f"measure '{name}': ")
    assert sentence in taken.problems[0]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("x = 1\ndef f(log:\n", "measures.py:2 cannot be loaded: SyntaxError"),
        ("x = 1\nimport nothing_like_it\n", "measures.py:2 cannot be loaded: ModuleNotFoundError"),
        ("x = 1\n\nraise SystemExit\n", "measures.py:3 cannot be loaded: SystemExit"),
        ("x = '\\xff'", "has no function 'f'"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_said_for_each_of_its_measures(
    own: Path, source: str, sentence: str
) -> None:
    (own / "measures.py").write_text(source, encoding="utf-8")
    taken = taken_with(own, "measures.py:f", "measures.py:g")
    assert taken.values == {"f": None, "g": None, "all": 4}
    assert sentence in taken.problems[0]
    assert len(taken.problems) == 2
    assert "sera_own_measures_x" not in sys.modules


def test_bytes_that_are_no_text_are_said(own: Path) -> None:
    (own / "measures.py").write_bytes(b"x = '\xff\xfe'\n")
    assert "cannot be loaded" in taken_with(own, "measures.py:f").problems[0]
    (own / "measures.py").write_bytes(b"x = 1\0")
    assert "cannot be loaded" in taken_with(own, "measures.py:f").problems[0]


def test_a_file_that_was_saved_again_is_read_again(own: Path) -> None:
    for number in (1, 2):  # the same size within the same second
        (own / "measures.py").write_text(f"def f(log): return {number}\n", encoding="utf-8")
        assert taken_with(own, "measures.py:f").values["f"] == number


def test_what_a_function_changes_harms_nobody_else(own: Path) -> None:
    taken = taken_with(own, "measures.py:spoils", "measures.py:hot")
    assert taken.values == {"spoils": 1, "hot": 2, "all": 4}
    assert GAME[1].data == {"result": "hot", "points": 9}
    assert len(LOG.messages("GuessJudged")) == 4


ANY_DATA = st.dictionaries(
    st.sampled_from(["x", "y"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["x", "0"]), inner, max_size=2)
        ),
        max_leaves=4,
    ),
)


@given(
    st.lists(st.tuples(st.floats(), st.sampled_from(["A", "B", "SessionPhase"]), ANY_DATA)),
    st.sampled_from(["count", "sum", "mean", "last", "time_between"]),
    st.sampled_from(["x", "y.x", "x.0"]),
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_in_a_log_a_measure_is_a_number_or_has_a_sentence(
    said: list[tuple[float, str, dict[str, Any]]], how: str, path: str
) -> None:
    log = SessionLog.from_memory([record(time_s, name, **data) for time_s, name, data in said])
    told: dict[str, Any] = {"how": how, "message": "A", "where": {}}
    told |= {"until": "B"} if how == "time_between" else {"value": path}
    value, problems = take(told, log)
    assert (value is None) <= bool(problems)
    assert value is None or (isinstance(value, int | float) and isfinite(value))


def test_a_sum_that_no_table_can_hold_is_said() -> None:
    log = SessionLog.from_memory([record(1, "GuessJudged", points=int(1.7e308))] * 2, name="l")
    value, problems = take({"how": "sum", "message": "GuessJudged", "value": "points"}, log)
    assert value is None
    assert "too large to reckon with" in problems[0]


def test_numbers_beyond_all_measure_are_said() -> None:
    huge = [record(1, "A", x=10**400), record(10**400, "A", x=1.0)]
    for how in ("sum", "mean"):
        value, problems = take(
            {"how": how, "message": "A", "value": "x"}, SessionLog.from_memory(huge, name="log")
        )
        assert value is None
        assert problems == ["measure 'M': the numbers are too large to reckon with, in log"]
