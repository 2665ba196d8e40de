"""The page on the study file: every key is on it, and its example is a study file in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from sera.recording import Record
from sera.study import load_plan
from sera.study._table import Table
from sera.study.measures import SessionLog, take_measures
from sera.study.plan import StudyPlan

PAGE = (Path(__file__).parents[2] / "docs" / "study-file.md").read_text(encoding="utf-8")


def inner_types(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from inner_types(part)


def tables(table: type[Table], heading: str = "") -> Iterator[tuple[str, type[Table]]]:
    """Every table below one, with the heading of its section."""
    for name, field in table.model_fields.items():
        for inner in inner_types(field.annotation):
            if isinstance(inner, type) and issubclass(inner, Table):
                several = get_origin(field.annotation) is list
                path = f"{heading}.{name}" if heading else name
                yield f"[[{path}]]" if several else f"[{path}]", inner
                yield from tables(inner, path)


TABLES = dict(tables(StudyPlan))


def section(heading: str) -> str:
    _, found, rest = PAGE.partition(f"### `{heading}`\n")
    assert found, f"the page has no section {heading}"
    return re.split(r"\n##", rest)[0]


def test_all_tables_were_found() -> None:
    assert {"[study]", "[[phases.steps]]", "[design.sample.power]", "[[analysis.hypotheses]]"} <= (
        TABLES.keys()
    )
    assert len(TABLES) >= 16


@pytest.mark.parametrize("heading", TABLES)
def test_every_key_and_choice_of_a_table_is_on_the_page(heading: str) -> None:
    text = section(heading)
    for name, field in TABLES[heading].model_fields.items():
        row = re.search(rf"^\| `{name}` \|.*$", text, re.MULTILINE)
        assert row, f"{heading} lacks {name}"
        assert ("*required*" in row[0]) == field.is_required(), f"{heading} {name}"
        for inner in inner_types(field.annotation):
            if get_origin(inner) is Literal:
                for choice in get_args(inner):
                    assert f'`"{choice}"`' in text, f"{heading} {name} lacks {choice}"
    listed = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    ways = {"random", "blocked", "latin_square", "by_scenario"} if heading == "[design]" else set()
    assert listed - {"assignment"} - ways <= set(TABLES[heading].model_fields)


def test_the_example_is_a_study_file_in_order_that_uses_most_keys(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert example
    path = tmp_path / "study.toml"
    path.write_text(example[1], encoding="utf-8")
    plan = load_plan(path)
    assert plan.design is not None
    assert plan.design.sample.per_condition == 20


def test_the_function_on_the_page_gives_what_it_says(tmp_path: Path) -> None:
    source = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    example = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert source
    assert example
    (tmp_path / "study.toml").write_text(example[1], encoding="utf-8")
    (tmp_path / "measures.py").write_text(source[1], encoding="utf-8")

    def said(time_s: float, name: str, **data: Any) -> Record:
        return Record(time_s, "t", name, "i", time_s, "s", "world", None, data)

    log = SessionLog.from_memory(
        [
            said(3, "SessionPhase", phase="game", step="play", status="started"),
            said(4, "GuessingBegan"),
            said(8, "GuessJudged", result="cold"),
            said(9, "GuessJudged", result="hot"),
            said(10, "GuessingEnded"),
        ]
    )
    taken = take_measures(load_plan(tmp_path / "study.toml").measures, log, tmp_path)
    assert taken.values == {"Wrong": 2, "Time": 6.0, "FirstHot": 6}
    assert taken.problems == []
