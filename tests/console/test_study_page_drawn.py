"""The Study page in a real browser while a drawn session goes on: its kind, its checks."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.needs_program("chromium")

SCENARIO = """
[scenario]
title = "Play"
[modules.study]
module = "study_guide"
folder = "kept"
[modules.study.drawn]
session = "p07_20260101T000000"
participant = "p07"
kind = "pilot"
condition = "secret_warmth"
override = "it is known"
[[modules.study.drawn.preflight]]
check = "disk"
colour = "green"
sentence = "9 GB are free."
[[modules.study.drawn.preflight]]
check = "tablet"
colour = "red"
sentence = "No tablet is connected."
advice = "Open its <b>address</b>."
"""
STUDY = """
[study]
title = "A study"
[[phases]]
name = "all"
[[phases.steps]]
name = "play"
title = "Play"
"""


async def test_the_page_shows_kind_and_checks_and_hides_the_condition(make_stage: Any) -> None:
    stage = await make_stage(SCENARIO, files={"study.toml": STUDY})
    page = await stage.open("study")
    await page.get_by_text("Participant p07 · pilot").wait_for()
    checks = page.locator(".checks li")
    await checks.first.wait_for()
    words = await checks.all_text_contents()
    assert words[0].startswith("tablet (red): No tablet is connected. Open its <b>address</b>.")
    assert words[1] == "disk (green): 9 GB are free."
    shown = await page.locator("body").text_content()
    assert "begun although a check was red" in shown
    assert "secret_warmth" not in await page.content()
    # The page is opened again: what was said once is still there.
    await page.evaluate("location.hash = '#/bus'")
    await page.locator(".checks").wait_for(state="detached")
    await page.evaluate("location.hash = '#/study'")
    await checks.first.wait_for()
