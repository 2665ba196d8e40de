"""A study file and its forms, checked before any session."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.study import study_problems

ROOT = Path(__file__).parents[2]
PLAN = '[study]\ntitle = "Play"\n[[phases]]\nname = "one"\n'
STEP = '[[phases.steps]]\nname = "{}"\ntitle = "T"\nform = "{}"\n'


def told(folder: Path, text: str) -> list[str]:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return [problem.for_pages for problem in study_problems(folder)]


def test_the_study_that_comes_with_sera_is_right():
    assert study_problems(ROOT / "scenarios" / "tutor") == []


def test_a_form_that_is_not_there_is_told_with_line_and_nearest_name(tmp_path):
    (sentence,) = told(tmp_path, PLAN + STEP.format("a", "demografics"))
    assert sentence.startswith(
        "study.toml:8: phases[0].steps[0].form: there is no questionnaire 'demografics'; "
        "did you mean 'demographics'? (there are "
    )


def test_mistakes_in_the_plan_and_in_a_form_of_the_scenarios_own_are_told_together(tmp_path):
    own = tmp_path / "questionnaires"
    own.mkdir()
    (own / "mine.toml").write_text('[questionnaire]\nsource = "S"\n', encoding="utf-8")
    steps = STEP.format("a", "mine") + STEP.format("b", "mine") + STEP.format("c", "gone")
    found = told(tmp_path, PLAN + "hue = 1\n" + steps)
    assert [sentence.partition(":")[0] for sentence in found[:2]] == ["study.toml"] * 2
    assert "hue" in found[0]
    assert "'gone'" in found[1]
    form = found[2:]
    assert form
    assert all(sentence.startswith("mine.toml") for sentence in form)
    assert len(set(form)) == len(form)  # the form is named twice, its mistakes are told once


@pytest.mark.parametrize(
    "text", ["phases = 3", "[[phases]]\nsteps = 4", "phases = [1]", "[[phases]]\nsteps = [2]", "["]
)
def test_a_file_of_any_shape_gets_sentences(tmp_path, text):
    assert told(tmp_path, text)


def test_a_plan_that_is_missing_is_told(tmp_path):
    (problem,) = study_problems(tmp_path, "other.toml")
    assert (problem.file.name, problem.message) == ("other.toml", "there is no such file")


MEASURE = '[[measures]]\nname = "{}"\nhow = "count"\nmessage = "{}"\n'


def test_a_measure_of_messages_that_nobody_declares_is_told_before_any_session(tmp_path):
    folder = tmp_path / "scenarios" / "play"
    folder.mkdir(parents=True)
    module = tmp_path / "modules" / "bell" / "__init__.py"
    module.parent.mkdir(parents=True)
    declared = "from sera.messages import Event\n\nclass {}(Event):\n    pass\n"
    (folder / "game.py").write_text(declared.format("GuessWasMade"), encoding="utf-8")
    module.write_text(declared.format("BellWasRung"), encoding="utf-8")
    plan = PLAN + STEP.format("a", "comments")
    good = "".join(MEASURE.format(name, name) for name in ("Speak", "GuessWasMade", "BellWasRung"))
    assert told(folder, plan + good) == []
    (sentence,) = told(folder, plan + MEASURE.format("Guesses", "GuesWasMade"))
    assert sentence == (
        "study.toml:12: measures[0].message: there is no message type 'GuesWasMade'; did you mean "
        "'GuessWasMade'? (`sera messages` lists all types)"
    )
    until = 'until = "Never"\n'
    timed = MEASURE.format("Time", "Speak").replace('"count"', '"time_between"') + until
    (sentence,) = told(folder, plan + timed)
    assert "measures[0].until: there is no message type 'Never'" in sentence


def test_the_studies_that_come_with_sera_count_messages_that_there_are():
    for name in ("avantsatie", "ahoy"):
        assert study_problems(ROOT / "scenarios" / name) == []
