"""The lines that a page is shown, and what it is told would become of one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from sera.messages import UtteranceStarted
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

SCENARIO = """
[scenario]
title = "Lines"
[characters.ada]
robot = "adelino"
language = "en"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
tag_sign = "|"
[characters.mute]
"""
LINES = """ID,CATEGORY,SUBCATEGORY,TEXT EN,TEXT PT,QUESTION,MOOD
hi,Greeting,warm,<GAZE(person)> Hello |name|!,Olá |name|!,no,glad
ask,greeting,Cool,How <HEADNOD(2)> are you?,Como está?,yes,
arms,Show,,Look <POINT(top)> there \\pau=300\\ now,Olhe,no,
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    (tmp_path / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "lines.csv").write_text(LINES, encoding="utf-8")
    workspace = Workspace.discover(Path(__file__))
    workspace.activate()
    return load_scenario(tmp_path, workspace)


def save(scenario: Scenario, text: str) -> None:
    file = scenario.folder / "lines.csv"
    before = file.stat().st_mtime_ns
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(before + 10**9, before + 10**9))


async def test_lines_come_as_written_and_as_spoken(scenario: Scenario, ask_console: Any) -> None:
    client, _ = ask_console(scenario)
    told = (await client.get("/console/api/library?character=ada")).json()
    assert told["library"] == "lines"
    assert told["files"] == ["lines.csv"]
    assert told["categories"] == [
        {"name": "Greeting", "subcategories": ["warm", "Cool"]},
        {"name": "Show", "subcategories": []},
    ]
    hi, ask, _ = told["lines"]
    assert hi["text"] == "<GAZE(person)> Hello |name|!"
    assert hi["shown"] == "Hello name!"
    assert hi["tags"] == ["name"]
    assert hi["metadata"] == {"MOOD": "glad"}
    assert hi["language"] == "en"
    assert "row 2" in hi["place"]
    assert (ask["category"], ask["subcategory"], ask["question"]) == ("greeting", "Cool", True)
    languages = (await client.get("/console/api/repertoire?character=ada")).json()["languages"]
    assert languages == ["en", "pt"]


async def test_uses_are_counted_for_each_character(scenario: Scenario, ask_console: Any) -> None:
    client, hear = ask_console(scenario)
    await client.get("/console/api/library")
    for character in ("ada", "ada", "mute"):
        hear(UtteranceStarted(utterance="u", line="hi"), character)
    hear(UtteranceStarted(utterance="u", text="free"), "ada")
    told = (await client.get("/console/api/library?character=ada")).json()
    assert told["uses"] == {"hi": 2}


async def test_a_saved_sheet_is_read_again_and_a_broken_one_leaves_the_lines(
    scenario: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(scenario)
    first = (await client.get("/console/api/library")).json()
    assert len(first["lines"]) == 3
    save(scenario, LINES + "bye,End,,Goodbye,Adeus,no,\n")
    second = (await client.get("/console/api/library")).json()
    assert [line["id"] for line in second["lines"]] == ["hi", "ask", "arms", "bye"]
    save(scenario, "nothing,of,use\n1,2,3\n")
    third = (await client.get("/console/api/library")).json()
    assert len(third["lines"]) == 4
    assert "the lines before it go on" in third["problems"][0]
    assert any("TEXT" in sentence for sentence in third["problems"])


async def test_a_sheet_that_is_missing_is_a_sentence_and_no_error(
    scenario: Scenario, ask_console: Any
) -> None:
    (scenario.folder / "lines.csv").unlink()
    client, _ = ask_console(scenario)
    answer = await client.get("/console/api/library")
    assert answer.status_code == 200
    assert answer.json()["lines"] == []
    assert any("lines.csv" in sentence for sentence in answer.json()["problems"])


async def test_a_preview_says_words_steps_and_what_the_body_cannot(
    scenario: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(scenario)

    async def preview(**order: Any) -> dict[str, Any]:
        answer = await client.post("/console/api/library/preview?character=ada", json=order)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    hi = await preview(line="hi", tags={"name": "Bo"})
    assert hi["text"] == "Hello Bo!"
    assert hi["words"] == ["Hello", "Bo!"]
    assert hi["steps"] == [{"at_word": 0, "what": "GAZE(person)"}]
    assert hi["problems"] == hi["substitutions"] == []
    unfilled = await preview(line="hi")
    assert any("|name|" in sentence for sentence in unfilled["problems"])
    assert (await preview(line="hi", words={"name": "Bo"}, language="pt"))["text"] == "Olá Bo!"
    assert (await preview(line="ask"))["question"] is True
    arms = await preview(line="arms")
    assert arms["steps"] == [
        {"at_word": 1, "what": "GAZE(top)"},
        {"at_word": 2, "what": "pause 0.3 s"},
    ]
    assert arms["substitutions"][0]["wanted"] == "POINT(top)"
    assert "arms" in arms["substitutions"][0]["why"]
    free = await preview(text="Oh <ANIMATE(nodd)> my <SING(x)>")
    assert free["text"] == "Oh my"
    assert any("nod" in sentence for sentence in free["problems"])
    assert any("SING" in each["wanted"] for each in free["substitutions"])


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"line": "armss"}, 404, "did you mean 'arms'?"),
        ({"line": "hi", "language": "xx"}, 404, "only in en, pt"),
        ({}, 400, "one of `line`"),
        ({"line": "hi", "text": "x"}, 400, "one of `line`"),
        ({"text": "x", "sudo": 1}, 400, "sudo"),
        ({"text": 5}, 400, "text"),
        ({"text": "x" * 100_000}, 413, "larger than 64 kB"),
    ],
)
async def test_a_question_that_makes_no_sense_is_answered_in_one_sentence(
    scenario: Scenario, ask_console: Any, body: dict[str, Any], status: int, words: str
) -> None:
    client, _ = ask_console(scenario)
    answer = await client.post("/console/api/library/preview", json=body)
    assert answer.status_code == status
    assert words in answer.json()["why"]


async def test_who_has_no_sheets_has_an_empty_library(scenario: Scenario, ask_console: Any) -> None:
    client, _ = ask_console(scenario)
    told = (await client.get("/console/api/library?character=mute")).json()
    assert (told["lines"], told["categories"], told["problems"]) == ([], [], [])
    nobody, _ = ask_console(None)
    assert (await nobody.get("/console/api/library")).json()["lines"] == []
    asked = await nobody.post("/console/api/library/preview", json={"text": "x"})
    assert asked.status_code == 404
