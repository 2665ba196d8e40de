"""The category of fillers in `console.toml`, checked against the libraries of the scenario."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sera.console._fillers import FillerCheck, filler_problem
from sera.console._scenario_tables import characters_of, libraries_of

SCENARIO = (
    '[scenario]\ntitle = "T"\n[characters.ada]\n[characters.ada.modules.behaviour]\n'
    'module = "behaviour_manager"\nlibraries = ["lines.csv"]\n'
)
LINES = "CATEGORY,TEXT\nBackchannel:Short,Hm.\ngreeting,Hello.\n"


def found(folder: Path, layout: str, scenario: str = SCENARIO, lines: str = LINES) -> Any:
    (folder / "scenario.toml").write_text(scenario, encoding="utf-8")
    (folder / "console.toml").write_text(layout, encoding="utf-8")
    (folder / "lines.csv").write_text(lines, encoding="utf-8")
    return filler_problem(folder / "scenario.toml")


@pytest.mark.parametrize("category", ["backchannel", "Backchannel:short", "GREETING", " greeting "])
def test_a_category_that_some_library_has_is_right_in_any_case(tmp_path, category) -> None:
    assert found(tmp_path, f'filler_category = "{category}"\n') is None


def test_one_that_none_has_is_told_with_line_nearest_name_and_what_there_is(tmp_path) -> None:
    problem = found(tmp_path, '# desk\nfiller_category = "backchanel"\n')
    assert (problem.line, problem.key, problem.nearest) == (2, "filler_category", "Backchannel")
    assert problem.fix == "there are Backchannel, Backchannel:Short, greeting"
    assert "no library of the scenario has the category 'backchanel'" in str(problem)
    below = found(tmp_path, 'filler_category = "greeting:short"\n')
    assert "'greeting:short'" in str(below)


def test_a_long_list_of_categories_is_cut_short(tmp_path) -> None:
    lines = "CATEGORY,TEXT\n" + "".join(f"c{number},Hi.\n" for number in range(40))
    problem = found(tmp_path, 'filler_category = "zzz"\n', lines=lines)
    assert problem.fix.endswith("c11 and 28 more")
    assert problem.nearest is None


def test_without_any_library_there_is_nothing_to_say(tmp_path) -> None:
    problem = found(tmp_path, 'filler_category = "x"\n', '[scenario]\ntitle = "T"\n')
    assert "no character has lines" in str(problem)
    assert problem.fix == "give a character `libraries`"


def test_libraries_of_other_conditions_and_of_settings_count(tmp_path) -> None:
    (tmp_path / "more.csv").write_text("CATEGORY,TEXT\nhold,Wait.\n", encoding="utf-8")
    overlay = '[conditions.b.characters.ada.modules.behaviour]\nlibraries = ["more.csv"]\n'
    layout = 'filler_category = "hold"\n'
    assert found(tmp_path, layout) is not None
    assert found(tmp_path, layout, SCENARIO + overlay) is None
    assert found(tmp_path, layout) is not None
    plan: Any = SimpleNamespace(settings=SimpleNamespace(libraries=["more.csv"]))
    assert filler_problem(tmp_path / "scenario.toml", [plan]) is None


@pytest.mark.parametrize("layout", ["", "filler_category = 3\n", "[[", 'filler_category = ""\n'])
def test_a_layout_without_a_category_or_with_other_mistakes_is_not_for_this_check(
    tmp_path, layout
) -> None:
    assert found(tmp_path, layout) is None


def test_a_sheet_that_cannot_be_read_leaves_the_question_open(tmp_path) -> None:
    layout = 'filler_category = "x"\n'
    assert found(tmp_path, layout, SCENARIO.replace("lines.csv", "gone.xlsx")) is None
    assert found(tmp_path, layout) is not None
    assert filler_problem(tmp_path / "nowhere" / "scenario.toml") is None


@pytest.mark.parametrize(
    "text",
    [
        "characters = 3\nconditions = 4\n",
        "[characters]\nada = 1\n[conditions]\nx = 2\n",
        "[characters.ada]\nmodules = 3\n",
        "[characters.ada.modules]\nb = 1\n",
        '[characters.ada.modules.b]\nlibraries = "x"\n[conditions.c]\ncharacters = 1\n',
        "[characters.ada.modules.b]\nlibraries = [1, {}]\n",
    ],
)
def test_a_scenario_file_of_any_shape_is_survived(tmp_path, text) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    assert libraries_of(file) == []
    assert characters_of(file) in (["ada"], [])
    file.write_text("[[", encoding="utf-8")
    assert (libraries_of(file), characters_of(file)) == ([], None)


def test_sheets_are_read_again_only_when_a_file_has_changed(tmp_path, monkeypatch) -> None:
    wrong = found(tmp_path, 'filler_category = "backchanel"\n')
    read = []

    def counted(*arguments: Any) -> Any:
        read.append(arguments)
        return filler_problem(*arguments)

    monkeypatch.setattr("sera.console._fillers.filler_problem", counted)
    check = FillerCheck(tmp_path / "scenario.toml")
    assert str(check.problem()) == str(check.problem()) == str(wrong)
    assert len(read) == 1
    (tmp_path / "lines.csv").write_text(f"{LINES}backchanel,Well.\n", encoding="utf-8")
    assert check.problem() is None
    (tmp_path / "console.toml").write_text('filler_category = "none"\n', encoding="utf-8")
    assert "'none'" in str(check.problem())
    (tmp_path / "lines.csv").unlink()
    assert check.problem() is None
    assert len(read) == 4


async def staged(make_stage: Any, category: str) -> Any:
    layout = f'filler_category = "{category}"\n'
    return await make_stage(SCENARIO, files={"lines.csv": LINES, "console.toml": layout})


@pytest.mark.needs_program("chromium")
async def test_operate_lists_an_unknown_category_among_the_mistakes_of_the_layout(
    make_stage: Any, no_barrier: Any
) -> None:
    stage = await staged(make_stage, "backchanel")
    page = await stage.open("operate")
    mistakes = page.get_by_role("region", name="console.toml has mistakes")
    await mistakes.wait_for()
    told = await mistakes.inner_text()
    assert "console.toml:1: filler_category: no library of the scenario has the category" in told
    assert "did you mean 'Backchannel'?" in told
    assert str(stage.run.scenario.folder) not in told
    await no_barrier(page)


@pytest.mark.needs_program("chromium")
async def test_operate_says_nothing_of_mistakes_where_there_are_none(make_stage: Any) -> None:
    stage = await staged(make_stage, "greeting")
    page = await stage.open("operate")
    async with page.expect_response("**/layout_findings") as coming:
        await page.reload()
    assert await (await coming.value).json() == {"problems": []}
    await page.wait_for_selector("html[data-page=operate]")
    assert await page.get_by_text("console.toml has mistakes").count() == 0
