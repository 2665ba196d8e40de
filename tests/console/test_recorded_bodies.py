"""Review shows the body that a character had in the run, not the one that the file names today."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope, JointFrame
from sera.recording import LogHeader, LogWriter, RunFolder
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

STAGE = '[scenario]\ntitle = "Stage"\n[characters.ada]\nrobot = "adelino"\n'
STARTED_S = 1_800_000_000.0


def record(base: Path, name: str, robots: dict[str, str] | None) -> None:
    folder = RunFolder.create(name, scenario="stage", robots=robots, base=base)
    header = LogHeader(run=name, scenario="stage", started=STARTED_S, robots=robots)
    writer = LogWriter(folder.log_path, header=header, clock_now=lambda: STARTED_S)
    for frame in range(25):
        at_s = STARTED_S + frame / 25
        moved = JointFrame(joints_rad={"HeadYaw": 0.01 * frame}, frame=frame)
        writer.write(Envelope(moved, f"ada.engine-1-{frame}", at_s, "ada.engine", "ada"), at_s)
    writer.close()


async def test_review_draws_the_body_of_the_recording_and_asks_for_no_other(
    make_stage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / "runs"
    monkeypatch.setenv("SERA_RUNS", str(base))
    cast = {"old_1": None, "other_1": {"ada": "nao"}, "bare_1": {}, "gone_1": {"ada": "../x"}}
    for name, robots in cast.items():
        await asyncio.to_thread(record, base, name, robots)
    stage = await make_stage(STAGE)
    async with stage.asking() as ask:
        shown = {}
        for name in cast:
            told = (await ask.get(f"recordings/{name}")).json()
            shown[name] = (told["facts"]["characters"]["ada"]["robot"], told["robots_recorded"])
    assert shown == {
        "old_1": ("adelino", False),
        "other_1": ("nao", True),
        "bare_1": (None, True),
        "gone_1": ("../x", True),
    }
    page = await stage.open("review")
    before = len(stage.asked)
    await page.goto(f"{stage.origin}/console/#/review?run=other_1")
    await page.wait_for_selector(".replay canvas")
    await until(lambda: _bodies(stage.asked[before:]), "the body")
    assert _bodies(stage.asked[before:]) == {"nao"}
    note = await page.locator(".replay [role=status]").first.inner_text()
    assert "unknown" not in note


def _bodies(addresses: list[str]) -> set[str]:
    asked = (one.partition("/console/api/bodies/")[2] for one in addresses)
    return {one.partition("/")[0].partition("?")[0] for one in asked if one}
