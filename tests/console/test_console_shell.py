"""The shell of the console in a real browser: pages, keys, palette, stops, a lost connection."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.needs_program("chromium")

QUIET = """
[scenario]
title = "Quiet room"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
[characters.ada.modules.speaker]
voice = "silent"
"""


async def test_the_stop_is_one_key_away_and_everybody_sees_it(
    make_stage: Any, eventually: Any, picture: Any
) -> None:
    stage = await make_stage(QUIET)
    page = await stage.open("operate")
    watching = await stage.open("bus", query="?role=observer")
    await page.keyboard.press("F9")
    await eventually(lambda: stage.said("EmergencyStop"), "the stop")
    assert stage.said("EmergencyStop")[0].character == "world"
    for shown in (page, watching):
        await shown.wait_for_selector(".banner[data-kind=bad]")
    assert await watching.locator("#stop").is_hidden()
    await page.get_by_role("button", name="Let it move again").click()
    await eventually(lambda: stage.said("EmergencyRelease"), "the release")
    await watching.wait_for_selector(".banner", state="detached")
