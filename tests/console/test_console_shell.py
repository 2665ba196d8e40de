"""The shell of the console in a real browser: pages, keys, palette, stops, a lost connection."""

from __future__ import annotations

from typing import Any

import pytest

from sera.web import PageRole
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

PAGES = ("operate", "watch", "lines", "bus", "study", "review")


async def test_the_stop_is_one_key_away_and_everybody_sees_it(
    make_stage: Any, quiet_room: str
) -> None:
    stage = await make_stage(quiet_room)
    page = await stage.open("operate")
    watching = await stage.open("bus", query="?role=observer")
    await page.keyboard.press("F9")
    await until(lambda: stage.said("EmergencyStop"), "the stop")
    stop = stage.said("EmergencyStop")[0]
    assert (stop.character, stop.message.by) == ("world", "wizard")
    for shown in (page, watching):
        await shown.wait_for_selector(".banner[data-kind=bad]")
    assert await watching.locator("#stop").is_hidden()
    assert await watching.get_by_role("button", name="Let it move again").count() == 0
    await page.get_by_role("button", name="Let it move again").click()
    await until(lambda: stage.said("EmergencyRelease"), "the release")
    await watching.wait_for_selector(".banner", state="detached")
    for name, key in zip(PAGES, "owlbsr", strict=True):
        await page.locator("#page").focus()
        await page.keyboard.press("g")
        await page.keyboard.press(key)
        await page.wait_for_selector(f"html[data-page={name}]")
        # Two commands under one key: one of them could not be reached.
        assert await page.evaluate("seraDesk.commands.conflicts()") == [], name
    await page.keyboard.press("F9")
    await until(lambda: len(stage.said("EmergencyStop")) == 2, "the stop on another page")


async def test_the_palette_finds_a_command_by_its_words_with_the_keyboard_alone(
    make_stage: Any, quiet_room: str
) -> None:
    stage = await make_stage(quiet_room)
    page = await stage.open("bus")
    await page.keyboard.press("Control+k")
    await page.wait_for_selector("dialog[open] input")
    await page.keyboard.type("stop speaking")
    await until(
        lambda: page.evaluate("document.querySelectorAll('.palette li').length === 1"), "one left"
    )
    await page.keyboard.press("Enter")
    await until(lambda: stage.said("StopSpeaking"), "silence")
    await page.wait_for_selector("dialog", state="detached")
    await page.keyboard.press("?")
    keys = page.locator("dialog[open]")
    assert "Stop everything" in await keys.inner_text()
    await page.keyboard.press("Escape")
    await page.wait_for_selector("dialog", state="detached")


async def test_orders_given_while_the_connection_is_lost_are_held_back(
    make_stage: Any, quiet_room: str, cable: Any
) -> None:
    stage = await make_stage(quiet_room)
    page = await stage.open("bus", before=cable.plug_into)
    await cable.pull()
    await page.wait_for_selector(".banner[data-kind=lost]")
    assert await page.locator("#connection").get_attribute("data-status") == "waiting"
    for text in ("One.", "Two."):
        said = await page.evaluate("t => seraDesk.order('PerformUtterance', { text: t })", text)
        assert said is None
    assert "2 orders are held back" in await page.locator("#banners").inner_text()
    await page.keyboard.press("F9")
    cable.is_out = False
    await until(lambda: stage.said("EmergencyStop"), "the stop by itself")
    await page.wait_for_selector(".banner[data-kind=held]")
    await stage.all_sent(page)
    assert stage.said("PerformUtterance") == []
    await page.get_by_role("button", name="Send now").click()
    await until(lambda: len(stage.said("PerformUtterance")) == 2, "what was held back")
    texts = [one.message.text for one in stage.said("PerformUtterance")]
    assert texts == ["One.", "Two."]
    await page.wait_for_selector(".banner[data-kind=held]", state="detached")


async def test_whoever_may_not_come_in_is_told_why(make_stage: Any, quiet_room: str) -> None:
    stage = await make_stage(quiet_room, gateway={"token": "a long enough secret of a laboratory"})
    url = stage.gateway.server.url_for(PageRole.OBSERVER, "/console/")
    page = await stage.tab(url)  # an observer's token, and the console asks to be a wizard
    await page.wait_for_selector("[role=alert]")
    assert "token for role wizard does not fit" in await page.locator("#page").inner_text()
    await page.goto(url + "&role=observer")
    await page.wait_for_selector("html[data-page=operate]")
    assert "token" not in page.url
