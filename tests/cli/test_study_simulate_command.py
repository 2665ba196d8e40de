"""`sera study simulate` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sera.study.simulation import load_simulation


def test_json_is_one_object_a_participant_and_nothing_else(place):
    done = place.sera(
        "study", "simulate", "avantsatie", "--participants", 2, "--seed", 4242, "--json"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == ["s01", "s02"]
    for row in rows:
        assert row["simulated"] is True
        assert row["condition"] in ("c_erik", "c_ebps", "c_control")
        assert row["measures"].keys() == {"WrongTotal", "WrongHot", "WrongCold", "Time"}
        assert all(value > 0 for value in row["measures"].values())
    assert rows[0]["condition"] != rows[1]["condition"]
    runs = Path(place.environment["SERA_RUNS"])
    kept, about = load_simulation(runs / "studies" / "avantsatie" / "simulated" / "latest")
    assert [row.as_json() for row in kept] == rows
    assert (about["seed"], about["participants"], about["simulated"]) == (4242, 2, True)


WITHIN = """
[scenario]
title = "Within"
[modules.visitor]
module = "simulated_visitor"
visits = 1
[conditions.warm.modules.visitor]
visits = 1
[conditions.cool.modules.visitor]
visits = 2
[conditions.simulated.scenario]
duration_s = 60
"""
WITHIN_STUDY = """
[study]
title = "Within"
[[phases]]
name = "visit"
[[phases.steps]]
name = "talk"
title = "Talk"
[design]
assignment = "latin_square"
seed = 3
conditions = [
  { name = "warm", levels = { warmth = "warm" } },
  { name = "cool", levels = { warmth = "cool" } },
]
[[design.factors]]
name = "warmth"
kind = "within"
levels = ["warm", "cool"]
[[measures]]
name = "Visits"
how = "count"
message = "PersonDetected"
[simulation]
participant = "visitor"
"""


def test_json_is_one_object_a_participant_where_each_meets_all_conditions_too(place):
    place.write("sera.toml", "")
    place.write("scenarios/within/scenario.toml", WITHIN)
    place.write("scenarios/within/study.toml", WITHIN_STUDY)
    done = place.sera("study", "simulate", "within", "--participants", 2, "--json")
    assert done.returncode == 0, done.stderr
    people = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in people] == ["s01", "s02"]
    assert sorted(one["condition"] for one in people) == [["cool", "warm"], ["warm", "cool"]]
    for one in people:
        assert one["simulated"] is True
        assert list(one["measures"]) == one["condition"]
        assert one["measures"] == {"warm": {"Visits": 1}, "cool": {"Visits": 2}}
    runs = Path(place.environment["SERA_RUNS"])
    kept, _ = load_simulation(runs / "studies" / "within" / "simulated" / "latest")
    assert [(row.participant, row.period) for row in kept] == [
        ("s01", 1), ("s01", 2), ("s02", 1), ("s02", 2),
    ]  # fmt: skip


def test_people_are_told_a_table_that_claims_nothing_and_where_the_rows_are(place):
    done = place.sera(
        "study", "simulate", "avantsatie", "--participants", 1, "--seed", 3, "--name", "mine",
        "--set", "game.levels=1", "--set", "game.story_s=0.5", "--processes", 1, "--logs",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("SIMULATED: these figures support no claim about people.")
    assert "WrongTotal" in done.stdout
    assert "sera study report avantsatie --simulated mine" in done.stdout
    folder = Path(place.environment["SERA_RUNS"], "studies", "avantsatie", "simulated", "mine")
    (log,) = (folder / "logs").iterdir()
    assert log.stat().st_size > 10_000
    assert load_simulation(folder)[1]["settings"] == ["game.levels=1", "game.story_s=0.5"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["avantsaite"], "unknown scenario 'avantsaite'; did you mean 'avantsatie'?"),
        (["tutor"], "write [conditions.simulated …] into scenario.toml"),
        (["hello"], "study.toml: there is no such file"),
        (["avantsatie", "--set", "adelino.decision.hnts=random"], "did you mean 'hints'?"),
        (["avantsatie", "--set", "hints"], "--set hints: write CHARACTER.MODULE.KEY=VALUE"),
    ],
)
def test_what_is_wrong_gets_a_sentence_and_nothing_is_played(place, arguments, sentence):
    done = place.sera("study", "simulate", *arguments, "--participants", 1)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not Path(place.environment["SERA_RUNS"], "studies").exists()


def test_a_measure_or_form_that_is_not_there_is_told_by_line_before_anybody_plays(place):
    place.write("sera.toml", "")
    place.write("scenarios/within/scenario.toml", WITHIN)
    wrong = WITHIN_STUDY.replace("PersonDetected", "PersonDetectd")
    wrong = wrong.replace('title = "Talk"', 'title = "Talk"\nform = "godsped"')
    place.write("scenarios/within/study.toml", wrong)
    done = place.sera("study", "simulate", "within", "--participants", 2)
    assert done.returncode == 2
    line = wrong.splitlines().index('message = "PersonDetectd"') + 1
    assert f"study.toml:{line}: measures[0].message: there is no message type" in done.stderr
    assert "did you mean 'PersonDetected'?" in done.stderr
    assert "study.toml:9: phases[0].steps[0].form" in done.stderr
    assert done.stdout == ""
