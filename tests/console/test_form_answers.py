"""What the console answers about forms: as the study uses them, and what is wrong with that."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

from tests.study.small_plan import WITH_FORM


def console_in(ask_console: Any, folder: Path, study: str = WITH_FORM) -> Any:
    (folder / "study.toml").write_text(study, encoding="utf-8")
    client, say = ask_console(folder=folder)
    return client, say


async def test_a_form_is_given_as_the_study_uses_it(ask_console: Any, tmp_path: Path) -> None:
    client, _ = console_in(ask_console, tmp_path)
    told = (await client.get("/console/api/forms/rosas?language=pt")).json()
    assert [item["points"] for item in told["items"]] == [7] * 6
    assert told["wording"].startswith("wording as used in (")
    assert told["items"][0]["instruction"].startswith("Utilizando a escala")


async def test_a_wish_that_cannot_be_is_told_to_operators(ask_console: Any, tmp_path: Path) -> None:
    client, _ = console_in(ask_console, tmp_path, WITH_FORM.replace('"RC"', '"RX"'))
    answer = await client.get("/console/api/forms/rosas")
    assert answer.status_code == 422
    assert "'rosas' has no scale 'RX' (there are RW, RC, RD)" in answer.text
    (problem,) = (await client.get("/console/api/study")).json()["problems"]
    assert problem.startswith("step 'ask': the questionnaire 'rosas' cannot be used like that")


def test_answers_are_checked_by_the_form_as_the_study_uses_it(tmp_path: Path) -> None:
    from modules.gateway._study import problems_of_sheet

    (tmp_path / "study.toml").write_text(WITH_FORM, encoding="utf-8")
    names = ("capable", "responsive", "interactive", "reliable", "competent", "knowledgeable")
    record = types.SimpleNamespace(
        questionnaire="rosas", answers=dict.fromkeys(names, 7), free_answers={}
    )
    assert problems_of_sheet(tmp_path, record) == []  # type: ignore[arg-type]
    record.answers["capable"] = 8
    assert problems_of_sheet(tmp_path, record) == ["capable: 8 is more than 7"]  # type: ignore[arg-type]
