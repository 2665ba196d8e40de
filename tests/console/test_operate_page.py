"""The Wizard's desk in a real browser: characters, actions, gaze, emotion, and the whole page."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.console.scenery import LAYOUT, PUPPET
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

DESK = """
[scenario]
title = "Desk"

[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
[characters.ada.modules.speaker]
voice = "silent"
[characters.ada.modules.engine]
module = "./puppet.py"

[characters.emil]
robot = "emys"
position_m = [0.8, 0.0, 0.0]
[characters.emil.modules.behaviour]
module = "behaviour_manager"
[characters.emil.modules.speaker]
voice = "silent"

[people.guest]
seat = "chair"
[space.seats.chair]
position_m = [0.2, 1.2, 1.2]
yaw_deg = 180
[space.objects.lamp]
position_m = [1.0, 1.0, 1.5]
[space.screens.table]
position_m = [0.0, 0.7, 0.5]
pitch_deg = -90
width_m = 1.0
height_m = 0.5
pixels = [1920, 1080]
"""
LINES = (
    "id,category,text\n"
    "g1,greeting,Hello there. How nice that you came.\n"
    "g2,greeting,Good morning.\n"
    "p1,praise,Well done!\n"
    "b1,goodbye,Goodbye and thank you.\n"
)
FILES = {"lines.csv": LINES, "console.toml": LAYOUT, "puppet.py": PUPPET}
IN_VIEW = """() => [...document.querySelectorAll(".place")].filter((one) => one.offsetHeight)
    .filter((one) => { const { left, top, right, bottom } = one.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1; })
    .map((one) => one.className)"""
SCROLLS = """() => { const { scrollWidth, scrollHeight } = document.scrollingElement;
    return [scrollWidth > innerWidth, scrollHeight > innerHeight + 1]; }"""


async def test_a_wizard_gives_orders_from_one_window(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(DESK, files=FILES)
    page = await stage.open("operate")
    last = lambda type_name: stage.said(type_name)[-1]  # noqa: E731 - read as a sentence below

    async def told(type_name: str, **fields: Any) -> Any:
        def fits() -> Any:
            found = stage.said(type_name)
            values = found[-1].message.model_dump(exclude_none=True) if found else {}
            return found and all(values.get(name) == value for name, value in fields.items())

        await until(fits, f"{type_name} {fields}")
        return last(type_name)

    # Everything stands in the window; nothing scrolls but what is inside a panel.
    await page.wait_for_selector(".stage-panel canvas")
    await page.get_by_role("button", name="proud").wait_for()
    assert await page.evaluate(IN_VIEW) == []
    assert await page.evaluate(SCROLLS) == [False, False]

    # What nobody performs says so; the selected character gets the orders.
    await page.keyboard.press("g")
    await page.keyboard.press("2")
    await page.wait_for_selector(".card[aria-pressed=true] >> text=emil")
    nod = page.get_by_role("button", name="nod", exact=False).first
    await until(lambda: nod.get_attribute("aria-disabled"), "the reason")
    assert "no module of this run performs PlayAnimation" in str(await nod.get_attribute("title"))
    # Its key says why, and is not taken for the key of a line.
    await page.keyboard.press("s")
    await page.keyboard.press("1")
    await page.wait_for_selector(".toast >> text=performs SetPosture")
    assert stage.said("PerformUtterance") == []
    await page.keyboard.press("g")
    await page.keyboard.press("1")
    await page.wait_for_selector(".nods button:not([aria-disabled])")
    await page.keyboard.press("n")
    assert (await told("PlayAnimation", animation="nod")).character == "ada"

    # A posture, and back with one key to what stood before.
    await page.wait_for_selector(".card:has-text('posture neutral')")
    await page.get_by_label("Find a posture, animation or face").fill("prou")
    await page.keyboard.press("Enter")
    await told("SetPosture", posture="proud")
    await page.wait_for_selector("button[aria-pressed=true]:has-text('proud')")
    await page.keyboard.press("Escape")
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("o")
    await told("SetPosture", posture="neutral")

    # Gaze: by key, as a glance, at a click on the picture of a screen, and by arrows and Enter.
    await page.keyboard.press("l")
    await page.keyboard.press("1")
    await told("GazeAt", target="guest")
    await page.keyboard.press("l")
    await page.keyboard.press("g")
    await page.locator(".gaze button", has_text="lamp").click()
    await told("Glance", target="lamp")
    await page.get_by_role("radio", name="hold").click()
    screen = page.get_by_role("application", name="Screen table")
    await screen.scroll_into_view_if_needed()
    box = await screen.bounding_box()
    await page.mouse.click(box["x"] + box["width"] * 0.25, box["y"] + box["height"] * 0.5)
    point = (await told("TargetUpdated", target="pointed")).message.point
    assert point.screen == "table"
    assert point.x_px == pytest.approx(480, abs=20)
    assert point.y_px == pytest.approx(540, abs=20)
    await told("GazeAt", target="pointed")
    await page.keyboard.press("l")
    await page.keyboard.press("p")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    await until(lambda: len(stage.said("TargetUpdated")) == 2, "the look by keys")
    assert last("TargetUpdated").message.point.x_px == pytest.approx(point.x_px + 80, abs=1)

    # A click in the 3-D view says where to look, too.
    looks = len(stage.said("GazeAt"))
    await page.locator(".stage-panel canvas").click()
    await until(lambda: len(stage.said("GazeAt")) > looks, "the look into the room")

    # Emotion by the arrow keys; a drag sends a few orders, the last one where it ended.
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("ArrowRight")
    await told("SetEmotion", pad={"pleasure": 0.1, "arousal": 0.0, "dominance": 0.0})
    pad = await page.locator(".emotion .pad").bounding_box()
    await page.mouse.move(pad["x"] + pad["width"] / 2, pad["y"] + pad["height"] / 2)
    began_s = time.monotonic()
    await page.mouse.down()
    await page.mouse.move(pad["x"] + pad["width"] - 1, pad["y"] + 1, steps=20)
    await page.mouse.up()
    await until(lambda: last("SetEmotion").message.pad.arousal > 0.95, "the end of the drag")
    sent = stage.said("SetEmotion")[1:]
    assert len(sent) <= (time.monotonic() - began_s) / 0.1 + 2, "the bus is flooded"
    assert await page.get_by_role("slider", name="pleasure").get_attribute("aria-valuenow") == "1.0"

    # The laboratory's own buttons: a key, a question first, a lock.
    await page.keyboard.press("Alt+1")
    await told("PerformUtterance", category="praise")
    await page.get_by_role("button", name="Send home").click()
    assert last("PerformUtterance").message.category == "praise"
    await page.get_by_role("dialog").get_by_role("button", name="Send home").click()
    await told("PerformUtterance", category="goodbye")
    locked = page.locator(".custom-button", has_text="Grade")
    assert await locked.get_attribute("aria-disabled") == "true"
    assert "locked" in str(await locked.get_attribute("title"))

    assert await page.evaluate("seraDesk.commands.conflicts().filter(([key]) => key !== 'u')") == []
    await page.mouse.move(0, 0)
    await picture(page, "operate.png")
    await no_barrier(page)


async def test_a_tablet_shows_the_desk_from_top_to_bottom_in_the_dark(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(DESK, files=FILES)
    page = await stage.open("operate", dark=True, tablet=True)
    await page.wait_for_selector(".stage-panel canvas")
    await page.get_by_role("button", name="proud").wait_for()
    assert (await page.evaluate(SCROLLS))[0] is False, "the page scrolls sideways"
    order = await page.evaluate(
        "() => ['say', 'lines', 'queue', 'panels', 'actions', 'characters', 'room']"
        ".map((name) => document.querySelector(`.place-${name}`).getBoundingClientRect().top)"
    )
    assert order == sorted(order)
    await picture(page, "operate_tablet_dark.png")
    await no_barrier(page)
    # An observer looks on: nothing there gives orders.
    watching = await stage.open("operate", query="?role=observer")
    await watching.get_by_role("button", name="proud").click(force=True)
    await watching.wait_for_selector(".toast")
    assert stage.said("SetPosture") == []
    await until(lambda: watching.locator(".card").count(), "the characters")
