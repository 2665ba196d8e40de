"""`sera dialogue`: lint, graph and show, as a psychologist calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sera.cli import app

GOOD = """Current State,Next State,When,Style,Utterance
Start,Talk,PersonDetected,formal,Good day.
Start,Talk,PersonDetected,,Hello.
Talk,end,after 9 s,,Bye.
"""
BAD = """Current State,Next State,When,Utterance
Start,Tlak,PersonDetcted,Hello.
Start,Talk,key k,<GAZZE(x)> Hello.
Talk,end,after 9 s,Bye.
"""


def sera(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["dialogue", *map(str, arguments)])


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.csv"
    file.write_text(GOOD, encoding="utf-8")
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.csv"
    file.write_text(BAD, encoding="utf-8")
    return file


def test_lint_of_a_sound_sheet_finds_nothing(good: Path) -> None:
    result = sera("lint", good)
    assert (result.exit_code, result.stdout) == (0, "nothing was found\n")


def test_lint_tells_places_and_fixes_and_exits_with_one(bad: Path) -> None:
    result = sera("lint", bad)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[-1] == "3 findings"
    assert any("row 2, When: error: there is no message PersonDetcted" in line for line in lines)
    assert any("row 2, Next State: error" in line and "write Talk" in line for line in lines)
    assert any("row 3, Utterance: error" in line for line in lines)


def test_lint_as_json_is_a_list_of_objects(bad: Path, good: Path) -> None:
    result = sera("lint", bad, good, "--json")
    assert result.exit_code == 1
    findings = json.loads(result.stdout)
    assert {finding["code"] for finding in findings} == {
        "unknown-message",
        "dead-end",
        "unknown-verb",
    }
    for finding in findings:
        assert {"sheet", "row", "column", "severity", "code", "message", "fix"} <= finding.keys()
        assert finding["sheet"].startswith("bad.csv")


def test_lint_knows_the_names_of_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text(GOOD.replace("Bye.", "<GAZE(lifft)> Bye."), encoding="utf-8")
    result = sera("lint", file, "--scenario", "reception")
    assert result.exit_code == 1
    assert "did you mean lift?" in result.stdout


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.csv", None, "none.csv"),
        ("lines.csv", "TEXT,CATEGORY\nHello,greeting\n", "Current State"),
        ("empty.csv", "Current State,Next State,Utterance\n", "no line below"),
        ("noise.xlsx", "no workbook at all", "noise.xlsx"),
    ],
)
def test_what_is_no_dialogue_is_a_sentence(
    tmp_path: Path, name: str, content: str | None, told: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_text(content, encoding="utf-8")
    for command in (["lint", file], ["show", file], ["graph", file, "-o", tmp_path / "g.svg"]):
        result = sera(*command)
        assert result.exit_code in (1, 2)
        assert told in result.stdout + result.stderr
        assert "Traceback" not in result.stdout + result.stderr
    assert not (tmp_path / "g.svg").exists()


def test_graph_writes_the_picture_and_names_it(good: Path, tmp_path: Path) -> None:
    out = tmp_path / "good.svg"
    result = sera("graph", good, "-o", out)
    assert (result.exit_code, result.stdout.strip()) == (0, str(out))
    assert "Good day." in out.read_text(encoding="utf-8")


def test_graph_refuses_other_endings_and_folders_that_are_not_there(
    good: Path, tmp_path: Path
) -> None:
    other = sera("graph", good, "-o", tmp_path / "good.gif")
    assert other.exit_code != 0
    assert ".svg, .png, .dot" in other.stderr
    nowhere = sera("graph", good, "-o", tmp_path / "none" / "good.svg")
    assert nowhere.exit_code != 0
    assert "cannot be written" in nowhere.stderr


def test_show_tells_the_dialogue_state_by_state(good: Path) -> None:
    result = sera("show", good)
    assert result.stdout.splitlines() == [
        "Start (start)",
        '  PersonDetected -> Talk [formal]: "Good day."',
        '  PersonDetected -> Talk: "Hello."',
        "Talk",
        '  after 9 s -> end: "Bye."',
    ]
    rows = json.loads(sera("show", good, "--json").stdout)
    assert rows[2]["state"] == "Talk"
    assert rows[2]["row"] == 4
