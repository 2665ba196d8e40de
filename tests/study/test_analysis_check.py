"""Measures, exclusion rules and analyses of a study file that cannot be: each is said by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.runtime.located import LocatedToml
from sera.study import StudyError
from sera.study.plan import read_plan
from tests.study.small_plan import BETWEEN, HEAD, problems, the_problem


@pytest.mark.parametrize(
    ("measure", "key", "message"),
    [
        ("", "measures[2]", "'M' does not say how it is taken"),
        ('how = "count"', "measures[2]", "'M' does not say which messages count"),
        (
            'how = "count"\nmessage = "A"\nfunction = "measures.py:m"',
            "measures[2].how",
            "'M' has both how and function",
        ),
        (
            'function = "measures.py:m"\nduring = ["play"]',
            "measures[2].during",
            "during has no effect on a function",
        ),
        ('how = "sum"\nmessage = "A"', "measures[2]", "'M' is the sum of a field"),
        ('how = "mean"\nmessage = "A"', "measures[2]", "'M' is the mean of a field"),
        ('how = "last"\nmessage = "A"', "measures[2]", "'M' is the last of a field"),
        (
            'how = "time_between"\nmessage = "A"',
            "measures[2]",
            "does not say what ends the time that 'A' begins",
        ),
        (
            'how = "count"\nmessage = "A"\nvalue = "x"',
            "measures[2].value",
            'value has no effect with how = "count"',
        ),
        (
            'how = "count"\nmessage = "A"\nuntil = "B"',
            "measures[2].until",
            'until has no effect with how = "count"',
        ),
        (
            'how = "count"\nmessage = "A"\nduring = ["plai"]',
            "measures[2].during[0]",
            "there is no phase or step 'plai'; did you mean 'play'?",
        ),
    ],
)
def test_measures_that_cannot_be_taken_are_said_by_line(
    tmp_path: Path, measure: str, key: str, message: str
) -> None:
    problem = the_problem(tmp_path, f'{HEAD}[[measures]]\nname = "M"\n{measure}\n')
    assert problem.key == key
    assert message in str(problem)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('measure = "Wrongs"\nabove = 3', "there is no measure 'Wrongs'; did you mean 'Wrong'?"),
        ('measure = "Wrong"', "names a measure and excludes nobody"),
        ("above = 3", "does not say which measure"),
        ('measure = "Wrong"\nabove = 3\nbelow = 5', "nobody would be left"),
    ],
)
def test_rules_that_exclude_nobody_or_everybody_are_said(
    tmp_path: Path, rule: str, message: str
) -> None:
    text = f'{HEAD}{BETWEEN}[[design.exclusions]]\nname = "x"\nreason = "r"\n{rule}\n'
    assert message in str(the_problem(tmp_path, text))


@pytest.mark.parametrize(
    ("analysis", "key", "message"),
    [
        ('control = "controll"', "analysis.control", "did you mean 'control'?"),
        (
            'compare = [["helped", "nobody"]]',
            "analysis.compare[0][1]",
            "there is no condition or group 'nobody'",
        ),
        (
            'compare = [["helped", "control"], ["control", "helped"]]',
            "analysis.compare[1]",
            "are compared already",
        ),
        ('compare = [["helped", "helped"]]', "analysis.compare[0]", "both hold helped"),
        ('groups = { all = ["helped", "contrl"] }', "analysis.groups.all[1]", "'control'?"),
        ("groups = { all = [] }", "analysis.groups.all", "is empty"),
        ('groups = { helped = ["control"] }', "analysis.groups.helped", "is a condition already"),
        (
            'groups = { all = ["helped", "control"] }\ncompare = [["all", "helped"]]',
            "analysis.compare[0]",
            "'all' and 'helped' both hold helped",
        ),
    ],
)
def test_groups_that_cannot_be_compared_are_said(
    tmp_path: Path, analysis: str, key: str, message: str
) -> None:
    problem = the_problem(tmp_path, f"{HEAD}{BETWEEN}[analysis]\n{analysis}\n")
    assert problem.key == key
    assert message in str(problem)


@pytest.mark.parametrize(
    ("hypothesis", "message"),
    [
        ('measures = ["Wrongs"]\ngroups = ["helped", "control"]\nexpects = "lower"', "'Wrong'?"),
        ('measures = ["Wrong"]\ngroups = ["helpd", "control"]\nexpects = "lower"', "'helped'?"),
        ('measures = ["Wrong"]\ngroups = ["helped"]\nexpects = "lower"', "needs a second group"),
        (
            'measures = ["Wrong"]\ngroups = ["helped"]\nexpects = "above_middle"',
            "'Wrong' is taken from the log and has no middle",
        ),
        (
            'measures = ["AIL"]\ngroups = ["helped", "control"]\nexpects = "above_middle"',
            "but there are two",
        ),
    ],
)
def test_hypotheses_that_cannot_be_tested_are_said(
    tmp_path: Path, hypothesis: str, message: str
) -> None:
    text = f'{HEAD}{BETWEEN}[[analysis.hypotheses]]\nname = "H1"\ntext = "t"\n{hypothesis}\n'
    assert message in str(the_problem(tmp_path, text))


def test_names_of_hypotheses_are_measures_or_scales(tmp_path: Path) -> None:
    about = '[[analysis.hypotheses]]\nname = "H1"\ntext = "t"\nmeasures = ["Warmth"]\n'
    about += 'groups = ["helped", "control"]\nexpects = "higher"\n'
    document = LocatedToml(tmp_path / "study.toml", HEAD + BETWEEN + about)
    read_plan(document)  # it may be a scale of the form
    read_plan(document, scales=["Warmth", "Competence"])
    with pytest.raises(StudyError, match=r"no measure or scale 'Warmth'; did you mean 'Warm'\?"):
        read_plan(document, scales=["Warm"])
    asks_nothing = LocatedToml(document.path, document.text.replace('form = "rosas"', ""))
    with pytest.raises(StudyError, match="no measure or scale 'Warmth'"):
        read_plan(asks_nothing)


def test_names_and_forms_are_there_once(tmp_path: Path) -> None:
    form = '[[forms]]\nname = "rosas"\n'
    twice = HEAD + form + form + '[[measures]]\nname = "Time"\nfunction = "measures.py:t"\n'
    found = problems(tmp_path, twice)
    assert [one.key for one in found] == ["forms[1].name", "measures[2].name"]
    unknown = the_problem(tmp_path, HEAD + '[[forms]]\nname = "rosa"\n')
    assert "there is no form 'rosa' in a step; did you mean 'rosas'?" in str(unknown)
