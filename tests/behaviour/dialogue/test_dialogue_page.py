"""What docs/dialogue.md shows works: its sheet is sound, its When cells are understood."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from random import Random

import pytest

from sera.behaviour.dialogue import DialogueMachine, Say, Script, lint_dialogue, parse_when
from sera.behaviour.library import read_library
from sera.messages import ActivityEvent, PersonDetected, SpeechHeard

PAGE = (Path(__file__).parents[3] / "docs" / "dialogue.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def cells() -> list[str]:
    table = PAGE.partition("## When")[2].partition("Also")[0]
    first = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    return [cell.replace("\\|", "|") for part in first for cell in re.findall(r"`([^`]+)`", part)]


def test_the_page_shows_cells_of_every_sort() -> None:
    assert len(cells()) == 13


@pytest.mark.parametrize("cell", cells())
def test_a_cell_of_the_page_is_understood(cell: str) -> None:
    reading = parse_when(cell)
    assert reading.when is not None
    assert reading.findings == ()


def test_the_sheet_of_the_page_has_no_findings_and_plays(tmp_path: Path) -> None:
    file = tmp_path / "game.csv"
    file.write_text(block("csv"), encoding="utf-8")
    reading = read_library(file)
    script = Script(reading.library.dialogue)
    assert [*reading.findings, *lint_dialogue(script)] == []
    play = DialogueMachine(script, random=Random(1), language="pt")
    play.start(0.0)
    heard = []
    for message in (
        PersonDetected(person="ada"),
        SpeechHeard(text="talvez"),
        SpeechHeard(text="Sim!"),
        ActivityEvent(event="card_played", data={"value": 7}),
    ):
        orders = play.hear(message, 1.0)
        heard += [order for order in orders if isinstance(order, Say)]
        play.said(2.0)
    assert [order.row.meaning for order in heard] == ["greet", "ask again", "start", "praise"]
    assert heard[-1].tags == {"data.value": "7"}


def test_the_scenario_of_the_page_is_toml() -> None:
    modules = tomllib.loads(block("toml"))["characters"]["ada"]["modules"]
    assert modules["dialogue"]["sheet"] == "game.csv"
