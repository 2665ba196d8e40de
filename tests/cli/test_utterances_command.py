"""`sera utterances`: a workbook to start from, and mistakes in it by place and fix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner, Result

from sera.cli import app

BAD = (
    "TEXT;CATEGORY;ID\n"
    "<GAZ(Person)> Hello <ANIMATE(wve)> there;greeting;1\n"
    "<GLANCE(guest)> Fine.;greeting;1\n"
)


def sera(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["utterances", *map(str, arguments)])


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    sheet = tmp_path / "bad.csv"
    sheet.write_text(BAD, encoding="utf-8")
    return sheet


def test_a_new_workbook_has_no_mistakes_and_is_not_overwritten(tmp_path):
    book = tmp_path / "lines.xlsx"
    made = sera("new", book, "--scenario", "hello", "--language", "en", "--language", "pt")
    assert made.exit_code == 0, made.output
    assert "Utterances" in load_workbook(book).sheetnames
    linted = sera("lint", book, "--scenario", "hello")
    assert linted.exit_code == 0, linted.output
    assert linted.stdout == "nothing was found\n"
    again = sera("new", book)
    assert again.exit_code == 2
    assert "is not overwritten" in again.output


def test_mistakes_have_place_nearest_name_and_fix_and_end_with_one(bad):
    linted = sera("lint", bad, "--scenario", "hello", "--json")
    assert linted.exit_code == 1
    findings = json.loads(linted.stdout)
    by_code = {finding["code"]: finding for finding in findings}
    assert set(by_code) == {"unknown-verb", "unknown-animation", "duplicate-id"}
    for key in ("sheet", "row", "column", "severity", "code", "message", "fix"):
        assert all(key in finding for finding in findings)
    assert by_code["unknown-verb"]["row"] == 2
    assert "GAZE" in by_code["unknown-verb"]["message"]
    assert "wave" in by_code["unknown-animation"]["message"]
    assert by_code["duplicate-id"]["row"] == 3


def test_a_copy_with_comments_leaves_the_sheet_alone(bad, tmp_path):
    copy = tmp_path / "seen.xlsx"
    assert sera("lint", bad, "--scenario", "hello", "--comments", copy).exit_code == 1
    sheet = load_workbook(copy).worksheets[0]
    comments = [cell.comment.text for row in sheet for cell in row if cell.comment]
    assert any("GAZE" in text for text in comments)
    assert bad.read_text(encoding="utf-8") == BAD


def test_lines_are_shown_by_category_and_counted(bad):
    shown = sera("show", bad, "--category", "greeting", "--json")
    assert [line["id"] for line in json.loads(shown.stdout)] == ["1", "1"]
    unknown = sera("show", bad, "--category", "greting")
    assert unknown.exit_code == 2
    assert "did you mean 'greeting'?" in unknown.output
    counted = json.loads(sera("stats", bad, "--json").stdout)
    assert counted["lines"] == 2


def test_a_missing_sheet_is_one_sentence(tmp_path):
    linted = sera("lint", tmp_path / "none.xlsx")
    assert linted.exit_code == 1
    assert "Traceback" not in linted.output
    assert "1 finding" in linted.output


def test_a_new_workbook_offers_what_the_scenario_says_already(tmp_path):
    book = tmp_path / "own.xlsx"
    assert sera("new", book, "--scenario", "tutor").exit_code == 0
    sheets = load_workbook(book)
    assert [cell.value for cell in sheets["Utterances"][1]][2:4] == ["TEXT en", "TEXT pt"]
    columns = sheets["Lists"].columns
    offered = {column[0].value: [cell.value for cell in column] for column in columns}
    assert "turn:yours" in offered["Categories"]
    assert "learner_1" in offered["Targets"]


def test_a_scenario_s_own_verbs_and_tag_sign_are_known_to_the_lint(tmp_path):
    place = tmp_path / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(
        '[scenario]\ntitle = "Play"\n[characters.ada]\n'
        '[characters.ada.modules.b]\nmodule = "behaviour_manager"\ntag_sign = "|"\n',
        encoding="utf-8",
    )
    (place / "verbs.toml").write_text(
        '[verbs.CHEER]\nsends = { message = "SetFace", face = "joy" }\n', encoding="utf-8"
    )
    lines = place / "lines.csv"
    lines.write_text("ID;CATEGORY;TEXT\na;x;<CHEER> Hello |name|, and/or /not/ a tag.\n", "utf-8")
    assert sera("lint", lines, "--scenario", place).exit_code == 0
    without = sera("lint", lines)
    assert without.exit_code == 1
    assert "CHEER" in without.stdout
