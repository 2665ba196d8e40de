"""Simulated studies: who plays what, the same rows on any number of cores, and their files."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sera.study import load_plan
from sera.study.data import Participation
from sera.study.simulation import (
    Simulated,
    SimulationError,
    Stage,
    jobs_for,
    load_simulation,
    players,
    save_simulation,
    simulate,
    simulations_in,
)
from sera.study.simulation.jobs import parsed_settings

ROOT = Path(__file__).parents[2]
PLAN = load_plan(ROOT / "scenarios" / "avantsatie" / "study.toml")
SHORT = {"world.game": {"levels": 1, "story_s": 0.5}}
FIRST = jobs_for(PLAN, 1, 9)[0].conditions[0]
MEASURES = {"WrongTotal", "WrongHot", "WrongCold", "Time"}


# -- who plays what ---------------------------------------------------------------------------


def test_conditions_are_balanced_and_the_same_for_the_same_seed():
    jobs = jobs_for(PLAN, 57, 4242)
    assert Counter(job.conditions for job in jobs) == {
        ("c_erik",): 19, ("c_ebps",): 19, ("c_control",): 19,
    }  # fmt: skip
    assert jobs == jobs_for(PLAN, 57, 4242)
    assert [job.conditions for job in jobs] != [job.conditions for job in jobs_for(PLAN, 57, 4243)]
    assert [job.number for job in jobs] == list(range(57))
    assert len({job.participant for job in jobs}) == len({job.seed for job in jobs}) == 57
    assert {job.population for job in jobs} == {"4242"}


@pytest.mark.parametrize("participants", [1, 2, 4, 11])
def test_cells_differ_by_one_at_most_however_many_there_are(participants):
    counts = Counter(job.conditions[0] for job in jobs_for(PLAN, participants, 5))
    cells = [counts[name] for name in ("c_erik", "c_ebps", "c_control")]
    assert sum(cells) == participants
    assert max(cells) - min(cells) <= 1


def test_a_study_without_a_design_cannot_be_simulated():
    with pytest.raises(SimulationError, match=r"study\.toml has no \[design\]"):
        jobs_for(PLAN.model_copy(update={"design": None}), 2, 1)


def test_settings_of_the_command_line_name_a_module_and_a_key():
    given = {"adelino.decision.hints": "random", "game.levels": 1, "world.game.story_s": 2.0}
    assert parsed_settings(given) == {
        "adelino.decision": {"hints": "random"},
        "world.game": {"levels": 1, "story_s": 2.0},
    }
    for key in ("hints", "a.b.c.d", ""):
        with pytest.raises(SimulationError, match=r"write character\.module\.setting"):
            parsed_settings({key: 1})


def test_what_cannot_be_simulated_is_told_before_anything_is_played(monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SimulationError, match=r"write \[conditions\.simulated"):
        Stage("tutor")
    with pytest.raises(LookupError, match="did you mean 'hints'"):
        simulate("avantsatie", 3, 1, settings={"adelino.decision": {"hnts": "random"}})
    with pytest.raises(ValueError, match=r"adelino\.decision\.hints: .*'swapped'"):
        simulate("avantsatie", 3, 1, settings={"adelino.decision": {"hints": "odd"}})
    with pytest.raises(LookupError, match=r"did you mean 'adelino\.decision'"):
        simulate("avantsatie", 3, 1, settings={"adelino.decison": {"hints": "random"}})


# -- a study of three -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three() -> list[Simulated]:
    """Three participants, one a condition, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        told: list[str] = []
        results = simulate(
            "avantsatie",
            3,
            9,
            settings=SHORT,
            told=lambda job, _result: told.append(job.participant),
        )
    assert told == ["s01", "s02", "s03"]
    return results


def rows_of(results: list[Simulated]) -> list[Participation]:
    return [row for result in results for row in result.rows]


def test_every_row_is_marked_as_simulated_and_has_all_measures_and_forms(three):
    rows = rows_of(three)
    assert {row.condition for row in rows} == {"c_erik", "c_ebps", "c_control"}
    for row in rows:
        told = row.as_json()
        assert told["simulated"] is True
        assert (told["kind"], told["fate"], told["problems"]) == ("simulated", "completed", [])
        assert told["measures"].keys() == MEASURES
        assert told["measures"]["WrongTotal"] == (
            told["measures"]["WrongHot"] + told["measures"]["WrongCold"]
        )
        assert told["measures"]["Time"] > 30.0
        assert told["factors"].keys() == {"hints"}
        assert {"avantsatie_experience", "rosas", "ios"} <= told["answers"].keys()
        assert all(given for form, given in told["answers"].items() if form != "debriefing")
    assert all(result.frames > 500 and result.virtual_s > 60.0 for result in three)


def test_two_processes_come_to_the_same_rows(three, monkeypatch):
    monkeypatch.chdir(ROOT)
    with players(2) as pool:
        again = simulate("avantsatie", 2, 9, settings=SHORT, pool=pool)
    assert rows_of(again) == rows_of(three)[:2]


def test_only_some_conditions_can_be_played_with_the_rows_that_they_have_among_all(
    three, monkeypatch
):
    monkeypatch.chdir(ROOT)
    (only,) = simulate("avantsatie", 3, 9, settings=SHORT, conditions=[FIRST])
    assert only.rows == three[0].rows


@pytest.mark.parametrize(
    ("conditions", "participants", "sentence"),
    [
        (["no_such"], 3, "no condition 'no_such'; it has c_erik, c_ebps, c_control"),
        (["c_erik", "c_contrl"], 3, "no condition 'c_contrl'; did you mean 'c_control'?"),
        ([], 3, "no condition is named: leave them out for all, or name some of c_erik, c_ebps"),
        (["c_erik", "c_ebps", "c_control"], 0, "none of 0 participants is drawn into c_erik or"),
    ],
)
def test_conditions_into_which_nobody_is_drawn_are_an_error_and_not_an_empty_study(
    monkeypatch, conditions, participants, sentence
):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SimulationError, match=re.escape(sentence)):
        simulate("avantsatie", participants, 9, conditions=conditions)


def test_one_process_plays_by_itself():
    with players(1) as pool:
        assert pool is None


def test_persons_and_conditions_do_not_depend_on_how_many_take_part():
    few, many = jobs_for(PLAN, 3, 9), jobs_for(PLAN, 30, 9)
    assert few == many[:3]


def test_a_game_that_never_ends_is_an_error_with_the_command_to_look_at_it(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sera.study.simulation.one.LONGEST_S", 20.0)
    endless = {"world.game": {"levels": 1, "ends_run": False}}
    told = r"s01 in c_\w+: the run was not over .* `sera run avantsatie --virtual --condition c_"
    with pytest.raises(SimulationError, match=told):
        simulate("avantsatie", 1, 9, settings=endless)


# -- on the disk ------------------------------------------------------------------------------


ROW = Participation(
    participant="s01",
    session="s01",
    kind="simulated",
    fate="completed",
    condition="c_erik",
    factors={"hints": "erik"},
    seed=5,
    language="pt",
    measures={"WrongTotal": 3, "Time": 1.5, "Odd": None},
    answers={"ios": {"ios": 4}, "comments": {"words": 'não, "obrigado"\n'}},
    problems=("Odd could not be taken",),
)


def test_rows_survive_the_disk(tmp_path):
    rows = [ROW, replace(ROW, participant="s02", session="s02", period=2, exclusion="why")]
    folder = save_simulation(tmp_path / "simulated" / "latest", rows, {"seed": 5, "study": "ção"})
    loaded, about = load_simulation(folder)
    assert loaded == rows
    assert about == {"simulated": True, "seed": 5, "study": "ção"}
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["simulated"] is True for line in lines)
    save_simulation(folder, rows[:1], {})
    assert load_simulation(folder)[0] == rows[:1]
    assert sorted(path.name for path in folder.iterdir()) == ["meta.json", "rows.jsonl"]
    assert list(simulations_in(tmp_path)) == [folder]


def test_what_is_known_about_it_cannot_say_that_it_is_real(tmp_path):
    folder = save_simulation(tmp_path / "x", [ROW], {"simulated": False})
    assert load_simulation(folder)[1]["simulated"] is True


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "study", "simulated": False}, r"rows\.jsonl:2: the row is not"),
        ({"kind": "study"}, r"rows\.jsonl:2: the row is not marked as simulated"),
        ({"simulated": False}, r"rows\.jsonl:2: the row is not marked as simulated"),
        ({"measures": None, "kind": None}, r"rows\.jsonl:2: "),
    ],
)
def test_a_row_that_is_not_simulated_is_refused(tmp_path, change, complaint):
    folder = save_simulation(tmp_path / "latest", [ROW, ROW], {})
    first, second = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    turned: dict[str, Any] = json.loads(second) | change
    (folder / "rows.jsonl").write_text(f"{first}\n{json.dumps(turned)}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        load_simulation(folder)


@pytest.mark.parametrize("line", ["", "no JSON", "[]", "3", '{"id": "s01"}', "null"])
def test_a_row_that_cannot_be_read_is_told_with_its_line(tmp_path, line):
    folder = save_simulation(tmp_path / "latest", [ROW], {})
    with (folder / "rows.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    with pytest.raises(ValueError, match=r"rows\.jsonl:2: no row of a study"):
        load_simulation(folder)


def test_there_may_be_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_simulation(tmp_path / "latest")
    assert list(simulations_in(tmp_path)) == []


def test_a_study_in_which_nobody_takes_the_participants_place_says_so():
    with pytest.raises(SimulationError, match=r"starts no module 'player'.*guesser"):
        simulate("ahoy", 2, 1)


@pytest.mark.parametrize("factor", [float("nan"), -1.0, float("inf")])
def test_eyes_that_nobody_can_have_are_refused_before_anybody_plays(factor):
    with pytest.raises(ValueError, match=r"player\.noise_factor: Input should be"):
        simulate("avantsatie", 1, 1, settings={"world.player": {"noise_factor": factor}})
