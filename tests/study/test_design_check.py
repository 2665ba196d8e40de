"""Designs that cannot be carried out: each is said with line, key, nearest name and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sera.runtime.located import LocatedToml
from sera.study import load_plan
from sera.study.design import problems_of_design
from sera.study.plan import StudyPlan
from tests.study.small_plan import BETWEEN, HEAD, problems, the_problem

ROOT = Path(__file__).parents[2]
WITHIN = """
[design]
assignment = "latin_square"
[[design.factors]]
name = "robot"
kind = "within"
levels = ["a", "b", "c"]
[[design.conditions]]
name = "with_a"
levels = { robot = "a" }
[[design.conditions]]
name = "with_b"
levels = { robot = "b" }
[[design.conditions]]
name = "with_c"
levels = { robot = "c" }
"""


def test_designs_in_order_have_no_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, HEAD) == []
    assert problems(tmp_path, HEAD + BETWEEN) == []
    assert problems(tmp_path, HEAD + WITHIN) == []
    assert problems(tmp_path, HEAD + WITHIN + "[design.sample]\nper_condition = 18\n") == []
    for file in sorted((ROOT / "scenarios").glob("*/study.toml")):
        load_plan(file)


@pytest.mark.parametrize(
    ("design", "change", "key", "message", "advice"),
    [
        (
            BETWEEN,
            ("[design]", '[design]\nassignment = "latin_square"'),
            "design.assignment",
            "every factor is between participants, who meet one condition each",
            'kind = "within"',
        ),
        (
            BETWEEN,
            ('hints = "none"', 'hints = "non"'),
            "design.conditions[1].levels.hints",
            "there is no level 'non' of 'hints'; did you mean 'none'?",
            "there are none, some",
        ),
        (
            BETWEEN,
            ('{ hints = "none" }', '{ hint = "none", hints = "none" }'),
            "design.conditions[1].levels.hint",
            "there is no factor 'hint'; did you mean 'hints'?",
            "there is only hints",
        ),
        (
            BETWEEN,
            ('levels = { hints = "none" }', ""),
            "design.conditions[1].levels",
            "the condition 'control' has no level of 'hints'",
            'add hints = "some"',
        ),
        (
            BETWEEN,
            ('["some", "none"]', '["some", "none", "many"]'),
            "design.factors[0].levels[2]",
            "no condition has the level 'many' of 'hints'",
            "add a condition",
        ),
        (
            BETWEEN,
            ('["some", "none"]', '["some", "none", "some"]'),
            "design.factors[0].levels[2]",
            "'some' is taken by the one on line",
            "rename",
        ),
        (
            BETWEEN,
            ('name = "control"', 'name = "helped"'),
            "design.conditions[1].name",
            "'helped' is taken by the one on line",
            "rename",
        ),
        (
            BETWEEN,
            ("[design]", "[design]\nrepeats_in_block = 4\nsample = { per_condition = 19 }"),
            "design.sample.per_condition",
            "19 in each condition cannot be made of whole blocks, which hold each",
            "take 16 or 20",
        ),
        (
            WITHIN,
            ("[design]", "[design]\nsample = { per_condition = 20 }"),
            "design.sample.per_condition",
            "20 participants cannot be shared equally among 6 orders of 3 conditions",
            "take 18 or 24",
        ),
        (
            WITHIN,
            ("[design]", "[design]\nsample = { per_condition = 4 }"),
            "design.sample.per_condition",
            "4 participants cannot be shared equally",
            "take 6",
        ),
        (
            WITHIN.replace('assignment = "latin_square"', 'assignment = "blocked"'),
            ("[design]", "[design]\nrepeats_in_block = 2\nsample = { per_condition = 20 }"),
            "design.sample.per_condition",
            "among 3 orders of 3 conditions, 2 times each",
            "take 18 or 24",
        ),
        (
            BETWEEN,
            ("[design]", '[design]\nsample = { power = { test = "paired_t", effect = 1 } }'),
            "design.sample.power.test",
            "everybody meets only one",
            't_test" or "mann_whitney',
        ),
        (
            WITHIN,
            ("[design]", '[design]\nsample = { power = { test = "t_test", effect = 1 } }'),
            "design.sample.power.test",
            "each meets all conditions",
            'paired_t" or "wilcoxon',
        ),
        (
            BETWEEN,
            ("[design]", '[design]\nsample = { power = { test = "mann_whitney", effect = 1.5 } }'),
            "design.sample.power.effect",
            "1.5 is no rank-biserial correlation",
            "0.5 as large",
        ),
        (
            BETWEEN,
            ("[design]", "[design]\nsample = { power = { effect = 0.0001 } }"),
            "design.sample.power.effect",
            "only beyond 10,000 participants in each condition",
            "per_condition",
        ),
        (
            BETWEEN,
            (
                "[design]",
                '[design]\nsample = { power = { test = "anova", effect = 1e300, alpha = 1e-300 } }',
            ),
            "design.sample.power.effect",
            "an effect of 1e+300 is none that a study looks for",
            "0.5 as medium",
        ),
        (
            BETWEEN,
            ("[design]", "[design]\nsample = { power = { effect = 1, power = 0.04 } }"),
            "design.sample.power.power",
            "a power of 0.04 is no more than alpha, which is 0.05",
            "0.8 is common",
        ),
    ],
)
def test_impossible_designs_are_said_by_line(  # noqa: PLR0917
    tmp_path: Path, design: str, change: tuple[str, str], key: str, message: str, advice: str
) -> None:
    assert change[0] in design
    problem = the_problem(tmp_path, HEAD + design.replace(*change))
    assert problem.key == key
    assert message in str(problem)
    assert advice in str(problem)
    assert problem.line is not None
    assert "study.toml:" in str(problem)


def test_the_line_is_that_of_the_key(tmp_path: Path) -> None:
    text = HEAD + WITHIN + "[design.sample]\n# how many\nper_condition = 20\n"
    problem = the_problem(tmp_path, text)
    assert text.split("\n")[(problem.line or 0) - 1] == "per_condition = 20"


def test_two_conditions_with_the_same_levels_are_one_cell(tmp_path: Path) -> None:
    more = '[[design.conditions]]\nname = "again"\nlevels = { hints = "none" }\n'
    problem = the_problem(tmp_path, HEAD + BETWEEN + more)
    assert "'again' has the same levels as 'control'" in str(problem)


def test_a_latin_square_needs_two_conditions(tmp_path: Path) -> None:
    text = '[design]\nassignment = "latin_square"\n[[design.conditions]]\nname = "one"\n'
    assert "the study has only one" in str(the_problem(tmp_path, HEAD + text))


def test_all_groups_meet_all_levels_of_a_factor_that_is_within(tmp_path: Path) -> None:
    mixed = """
[design]
[[design.factors]]
name = "age"
levels = ["young", "old"]
[[design.factors]]
name = "robot"
kind = "within"
levels = ["a", "b"]
"""
    cells = [("young", "a"), ("young", "b"), ("old", "a"), ("old", "b")]
    for age, robot in cells:
        mixed += f'[[design.conditions]]\nname = "{age}_{robot}"\n'
        mixed += f'levels = {{ age = "{age}", robot = "{robot}" }}\n'
    assert problems(tmp_path, HEAD + mixed) == []
    cut = mixed[: mixed.index('[[design.conditions]]\nname = "old_b"')]
    problem = the_problem(tmp_path, HEAD + cut)
    assert "participants with age = old meet no condition with robot = b" in str(problem)
    sample = "[design.sample]\nper_condition = 10\n"
    assert "in 2 groups (take 8 or 12)" in str(the_problem(tmp_path, HEAD + mixed + sample))


def test_conditions_are_those_of_the_scenario_beside_it(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text("[conditions.helped]\n[conditions.controll]\n", encoding="utf-8")
    problem = the_problem(tmp_path, HEAD + BETWEEN)
    assert problem.key == "design.conditions[1].name"
    assert "did you mean 'controll'" in str(problem)
    bare = BETWEEN.replace('"control"', '"as_it_stands"')
    assert problems(tmp_path, HEAD + bare) == []
    scenario.write_text("broken = [", encoding="utf-8")
    assert problems(tmp_path, HEAD + BETWEEN) == []


def test_all_problems_are_said_at_once_and_in_order(tmp_path: Path) -> None:
    text = HEAD + BETWEEN.replace('hints = "none"', 'hints = "no"')
    text += '[analysis]\ncontrol = "nobody"\n[[measures]]\nname = "Wrong"\n'
    found = problems(tmp_path, text)
    assert len(found) == 4
    assert [one.line for one in found] == sorted(one.line or 0 for one in found)


def test_conditions_that_are_not_known_are_not_looked_at(tmp_path: Path) -> None:
    document = LocatedToml(tmp_path / "study.toml", HEAD + BETWEEN)
    plan = StudyPlan.model_validate(document.data)
    assert problems_of_design(document, plan, None) == []
    assert len(problems_of_design(document, plan, [])) == 2


def test_with_every_condition_there_is_a_phase_to_go_through(tmp_path: Path) -> None:
    first = HEAD.replace('name = "game"', 'name = "game"\nconditions = "first"')
    assert problems(tmp_path, first + BETWEEN) == []
    problem = the_problem(tmp_path, first + WITHIN)
    assert problem.key == "phases[0].conditions"
    assert "condition number 2 of 3" in str(problem)
