"""Sheets that authors hand in: checked, commented, and whatever is wrong with them refused."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.console._visitor import Denied
from sera.console.workbooks._label import LONGEST, copy_name, ending_of, label_of
from sera.console.workbooks._sheets import sheets_in
from sera.console.workbooks._work import Bench
from sera.runtime.scenario import Scenario, load_scenario
from sera.runtime.workspace import Workspace

SCENARIO = """
[scenario]
title = "Two bodies"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
tag_sign = "|"
[characters.nao]
robot = "nao"
[characters.nao.modules.behaviour]
module = "behaviour_manager"
libraries = ["gone.xlsx"]
[space.objects.vase]
position_m = [0.3, 0.7, 0.6]
[conditions.cold.characters.ada.modules.behaviour]
libraries = ["cold.csv"]
"""
HEADINGS = ("ID", "CATEGORY", "TEXT", "QUESTION", "NOTES")
GOOD = "ID,CATEGORY,TEXT,QUESTION\nhi,greeting,<GAZE(vase)> Hello |name|!,no\n"
CHECK = "/console/api/lines/check"


@pytest.fixture
def scenario(tmp_path: Path) -> Scenario:
    folder = tmp_path / "scene"
    folder.mkdir()
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "lines.csv").write_text(GOOD, encoding="utf-8")
    workspace = Workspace.discover(Path(__file__))
    workspace.activate()
    return load_scenario(folder, workspace)


@pytest.fixture
def left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    """What the server made and did not take away."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return lambda: list(place.iterdir())


def workbook(*rows: tuple[object, ...], title: str = "Utterances") -> bytes:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def zipped(**parts: bytes) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return kept.getvalue()


async def test_findings_stand_at_their_cells_and_the_line_in_its_parts(
    scenario: Scenario, ask_console: Any, left_behind: Any
) -> None:
    client, _ = ask_console(scenario)
    content = workbook(
        HEADINGS,
        ("hi", "greeting:warm", "<GAZE(vasse)> Hello |name|, 👋 you", "maybe", "slowly"),
        ("hi", "greeting", "Nice \\pau=300\\ day, <GAZE(|who|)> isn't it?", None, None),
        (None, "bye", "Bye", None, None),
    )
    answer = await client.post(f"{CHECK}?name=my%20lines.xlsx&character=ada", content=content)
    told = answer.json()
    assert told["readable"]
    assert told["name"] == "my lines.xlsx"
    (sheet,) = told["sheets"]
    assert (sheet["title"], sheet["columns"]) == ("Utterances", list(HEADINGS))
    first, second, third = sheet["rows"]
    assert first["row"] == 2
    assert first["cells"][4] == "slowly"
    assert first["category"] == "greeting:warm"
    assert first["shown"] == "Hello name, 👋 you"
    assert first["tags"] == ["name"]
    assert first["metadata"] == {"NOTES": "slowly"}
    codes = {(each["code"], each["column"], each["severity"]) for each in first["findings"]}
    assert ("unknown-target", "TEXT", "error") in codes
    assert ("unknown-truth", "QUESTION", "error") in codes
    wrong = next(each for each in first["findings"] if each["code"] == "unknown-target")
    assert "vase" in wrong["message"] + wrong["fix"]
    (text,) = second["texts"]
    assert text["tags"] == text["unsaid_tags"] == ["who"]
    assert [kind for kind, _ in text["pieces"]] == ["say", "control", "say", "do", "say"]
    assert "".join(piece for _, piece in text["pieces"]) == second["text"]
    twice = next(each for each in second["findings"] if each["code"] == "duplicate-id")
    assert "my lines.xlsx, Utterances, row 2" in twice["message"]
    assert third["findings"] == []
    assert not third["id_is_given"]
    counts = told["counts"]
    assert counts["lines"] == 3
    assert counts["findings"] == counts["errors"] + counts["warnings"]
    assert counts["findings"] == sum(len(row["findings"]) for row in sheet["rows"])
    assert left_behind() == []


async def test_a_line_is_read_as_the_chosen_character_reads_it(
    scenario: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(scenario)
    tags = {}
    for character in ("ada", "nao"):
        answer = await client.post(
            f"{CHECK}?name=a.csv&character={character}",
            content=b"TEXT,CATEGORY\nHi |you| /me/,hi\n",
        )
        (row,) = answer.json()["sheets"][0]["rows"]
        tags[character] = row["tags"]
    assert tags == {"ada": ["you"], "nao": ["me"]}


async def test_sheets_of_every_condition_are_listed_and_nothing_else_is_opened(
    scenario: Scenario, ask_console: Any
) -> None:
    client, _ = ask_console(scenario)
    told = (await client.get("/console/api/lines/sheets")).json()["sheets"]
    assert told == [
        {"character": "ada", "name": "lines.csv", "exists": True},
        {"character": "nao", "name": "gone.xlsx", "exists": False},
        {"character": "ada", "name": "cold.csv", "exists": False},
    ]
    (sheet,) = (await client.get(f"{CHECK}?sheet=lines.csv&character=ada")).json()["sheets"]
    assert sheet["rows"][0]["findings"] == []
    refused = {
        "lines.cs": "did you mean 'lines.csv'",
        "gone.xlsx": "no such file",
        "scenario.toml": "no character",
        "../scene/lines.csv": "no character",
        str(scenario.folder / "lines.csv"): "no character",
    }
    for named, why in refused.items():
        answer = await client.get(CHECK, params={"sheet": named})
        assert answer.status_code == 404
        assert why in answer.json()["why"]
    answer = await client.get(f"{CHECK}?sheet=lines.csv&character=adda")
    assert (answer.status_code, "'ada'" in answer.json()["why"]) == (404, True)
    assert (await client.get(CHECK)).status_code == 400


async def test_a_dialogue_sheet_is_checked_as_one(ask_console: Any) -> None:
    workspace = Workspace.discover(Path(__file__))
    workspace.activate()
    client, _ = ask_console(load_scenario("reception", workspace))
    told = (await client.get("/console/api/lines/sheets")).json()["sheets"]
    assert told[0] == {"character": "ada", "name": "reception.xlsx", "exists": True}
    answer = (await client.get(f"{CHECK}?sheet=reception.xlsx&character=ada")).json()
    (sheet,) = (each for each in answer["sheets"] if each["kind"] == "dialogue")
    assert len(sheet["rows"]) == answer["counts"]["dialogue_rows"] > 5
    assert "→" in sheet["rows"][0]["category"]
    content = b"Current State,Next State,When,Utterance\nstart,nowhere,,Hello\n"
    told = (await client.post(f"{CHECK}?name=d.csv&character=ada", content=content)).json()
    assert told["sheets"][0]["rows"][0]["findings"], "a dead end"


async def test_the_copy_has_comments_and_the_template_is_without_findings(
    scenario: Scenario, ask_console: Any, left_behind: Any
) -> None:
    client, _ = ask_console(scenario)
    content = workbook(HEADINGS, ("hi", "greeting", "Hello <GAZE(vasse)>", None, None))
    answer = await client.post("/console/api/lines/commented?name=mine.xlsx", content=content)
    assert 'filename="mine-findings.xlsx"' in answer.headers["content-disposition"]
    book = openpyxl.load_workbook(io.BytesIO(answer.content))
    assert "error" in book["Utterances"]["C2"].comment.text
    answer = await client.post("/console/api/lines/commented?sheet=lines.csv&character=ada")
    assert openpyxl.load_workbook(io.BytesIO(answer.content)).worksheets[0]["A2"].value == "hi"
    content = b"TEXT,CATEGORY\nHello <GAZE(vasse)>,\n"
    answer = await client.post("/console/api/lines/commented?name=my.csv", content=content)
    (sheet,) = openpyxl.load_workbook(io.BytesIO(answer.content)).worksheets
    assert sheet.title == "my"
    assert sheet["A2"].comment is not None
    assert sheet["B2"].comment is not None
    template = await client.get("/console/api/lines/template?character=ada")
    book = openpyxl.load_workbook(io.BytesIO(template.content))
    listed = {cell.value for row in book["Lists"].iter_rows() for cell in row}
    assert {"vase", "greeting", "GAZE"} <= listed
    told = await client.post(f"{CHECK}?name=new.xlsx&character=ada", content=template.content)
    assert [each for each in told.json()["problems"] if each["severity"] == "error"] == []
    broken = await client.post("/console/api/lines/commented?name=a.xlsx", content=b"%PDF-1.7")
    assert (broken.status_code, "PDF" in broken.json()["why"]) == (422, True)
    assert left_behind() == []


def bomb() -> bytes:
    return zipped(
        **{"_rels/.rels": b"<x/>", "xl__workbook_xml": b"<workbook/>"},
        xl__sharedStrings_xml=b"<sst>" + b" " * 90_000_000,
    )


def doctype() -> bytes:
    entities = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
    return zipped(content_xml=entities)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.xlsx", b"\x89PNG\r\n\x1a\n1234", "picture"),
        ("a.csv", b"%PDF-1.7", "PDF"),
        ("a.xlsx", b"PK\3\4 and nothing more", "damaged"),
        ("a.xlsx", zipped(word__document_xml=b"<x/>"), "zip file without a workbook"),
        ("a.ods", doctype(), "document type"),
        ("a.csv", b"TEXT,CATEGORY\n" + b"Hm,a\n" * 20_005, "at most 20000 rows"),
        ("a.exe", b"MZ\x90\0\3", "'.exe'"),
        ("a.csv", b"Name,Age\nsomebody,7\n", "headings"),
    ],
)
async def test_what_cannot_be_read_is_told_in_a_sentence(
    ask_console: Any, name: str, content: bytes, why: str
) -> None:
    client, _ = ask_console(None)
    answer = await client.post(f"{CHECK}?name={name}", content=content)
    told = answer.json()
    assert answer.status_code == 200
    assert not told["readable"]
    said = " ".join(each["message"] + " " + each["fix"] for each in told["problems"])
    assert why in said
    assert "sera-lines-" not in said, "the server's own folder is nobody's business"


async def test_bombs_and_floods_are_refused(ask_console: Any, left_behind: Any) -> None:
    client, _ = ask_console(None)
    told = (await client.post(f"{CHECK}?name=b.xlsx", content=bomb())).json()
    assert not told["readable"]
    copy = await client.post("/console/api/lines/commented?name=b.xlsx", content=bomb())
    assert copy.status_code == 422
    large = await client.post(f"{CHECK}?name=c.xlsx", content=b"PK" + b"\0" * 8_000_000)
    assert (large.status_code, "8 MB" in large.json()["why"]) == (413, True)

    async def unannounced() -> Any:
        for _ in range(9):
            yield b"x" * 1_000_000

    large = await client.post(f"{CHECK}?name=c.csv", content=unannounced())
    assert large.status_code == 413
    assert (await client.post(f"{CHECK}?name=c.csv", content=b"")).status_code == 400
    assert left_behind() == []


async def test_hostile_names_are_only_shown(ask_console: Any) -> None:
    client, _ = ask_console(None)
    name = "../../etc/<img src=x onerror=alert(1)>\u202e\r\nset-cookie: a=b;.csv"
    for path in (CHECK, "/console/api/lines/commented"):
        answer = await client.post(path, params={"name": name}, content=GOOD.encode())
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
    told = await client.post(CHECK, params={"name": name}, content=GOOD.encode())
    assert told.json()["name"] == "<img src=x onerror=alert(1)> set-cookie: a=b;.csv"


async def test_only_operators_are_answered(ask_console: Any) -> None:
    client, _ = ask_console(None)
    for role in ("participant", "activity", "nobody"):
        answer = await client.post(CHECK, headers={"sera-role": role}, content=GOOD.encode())
        assert answer.status_code == 403


async def test_a_child_that_takes_too_long_is_ended_and_few_may_wait(tmp_path: Path) -> None:
    task = {"do": "template", "out": str(tmp_path / "a.xlsx")}
    with pytest.raises(Denied, match="given up"):
        await Bench(longest_s=0.05).do(task)
    bench = Bench(longest_s=0.05)
    ended = await asyncio.gather(*(bench.do(task) for _ in range(12)), return_exceptions=True)
    refused = [each for each in ended if isinstance(each, Denied) and each.status == 429]
    assert len(refused) == 2


def test_the_gateway_loads_nothing_heavy_for_it() -> None:
    program = (
        "import sys, sera.console.workbooks\n"
        "print([name for name in ('numba', 'scipy', 'openpyxl', 'typer') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert ran.stdout.decode().strip() == "[]"


@given(st.text(max_size=300))
def test_a_label_is_short_printable_and_no_path(written: str) -> None:
    label = label_of(written)
    assert 0 < len(label) <= LONGEST
    assert label.isprintable()
    assert not set(label) & set("/\\")
    assert label_of(label) == label
    assert "/" not in ending_of(label)
    assert copy_name(label).endswith("-findings.xlsx")


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda one: (
            st.dictionaries(
                st.sampled_from(["characters", "conditions", "modules", "libraries", "sheet", "a"]),
                one,
            )
            | st.lists(one)
        ),
    )
)
def test_a_scenario_file_of_any_shape_lists_names_alone(tables: Any) -> None:
    found = sheets_in(tables if isinstance(tables, dict) else {})
    assert all(isinstance(name, str) and name for _, name in found)
