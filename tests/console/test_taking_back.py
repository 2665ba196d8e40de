"""*Oops* on what a body does: gaze, emotion and animations are taken back, and each is marked.

Lines that wait or are being said are taken back in test_operate_lines.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import on_one_loop
from tests.console.scenery import PUPPET
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

BODY = """
[scenario]
title = "Body"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
[characters.ada.modules.engine]
module = "./puppet.py"
[people.guest]
seat = "chair"
[space.seats.chair]
position_m = [0.2, 1.2, 1.2]
[space.objects.lamp]
position_m = [1.0, 1.0, 1.5]
[space.screens.table]
position_m = [0.0, 0.7, 0.5]
pitch_deg = -90
width_m = 1.0
height_m = 0.5
pixels = [1920, 1080]
"""
NEUTRAL = {"pleasure": 0.0, "arousal": 0.0, "dominance": 0.0}


class Desk:
    """A wizard's desk that can say oops, and what came of it."""

    def __init__(self, stage: Any, page: Any) -> None:
        self.stage, self.page = stage, page

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)

    async def told(self, type_name: str, count: int) -> Any:
        """The last of so many messages of a type."""
        said = self.stage.said
        await until(lambda: len(said(type_name)) >= count, f"{count} {type_name}")
        assert len(said(type_name)) == count
        return said(type_name)[-1]

    async def oops(self, order: Any, outcome: str) -> None:
        """Take the last order back; it is marked as an error, and the desk says what came of it."""
        before = len(self.stage.said("SessionMark"))
        await self.press("Escape")
        await self.page.evaluate("document.activeElement.blur()")
        await self.press("o")
        mark = (await self.told("SessionMark", before + 1)).message
        assert (mark.label, mark.about, mark.by) == ("wizard_error", order.id, "wizard")
        await self.page.wait_for_selector(f".toast:last-child >> text={outcome}")


@on_one_loop
async def desk(make_stage: Any) -> Desk:
    stage = await make_stage(BODY, files={"puppet.py": PUPPET})
    page = await stage.open("operate")
    await page.wait_for_selector(".nods button:not([aria-disabled=true])")
    await page.wait_for_selector(".gaze button:not([aria-disabled=true])")
    return Desk(stage, page)


async def test_a_look_is_taken_back_to_where_the_robot_looked_before(desk: Desk) -> None:
    lamp = desk.page.locator(".gaze button", has_text="lamp")
    await lamp.click()
    first = await desk.told("GazeAt", 1)
    assert first.message.target == "lamp"
    await desk.page.wait_for_selector(".gaze button[aria-pressed=true]:has-text('lamp')")
    await desk.press("l", "1")
    second = await desk.told("GazeAt", 2)
    assert second.message.target == "guest"
    await desk.page.wait_for_selector(".gaze button[aria-pressed=true]:has-text('guest')")
    await desk.oops(second, "the gaze at guest: taken back")
    assert (await desk.told("GazeAt", 3)).message.target == "lamp"
    # So soon after the other way it waits until that could be seen.
    await desk.page.wait_for_selector(".gaze button[aria-pressed=true]:has-text('lamp')")

    # A place that was pointed at: the look is taken back, and after it what came before it.
    screen = desk.page.get_by_role("application", name="Screen table")
    await screen.scroll_into_view_if_needed()
    await screen.click()
    pointed = await desk.told("GazeAt", 4)
    assert pointed.message.target == "pointed"
    await desk.oops(pointed, "the gaze at pointed: taken back")
    assert (await desk.told("GazeAt", 5)).message.target == "lamp"
    await desk.oops(first, "the gaze at lamp: taken back")
    await desk.told("GazeAt", 6)

    # A glance is over before anybody could take it back; it is marked all the same.
    await desk.press("l", "g")
    await lamp.click()
    glance = await desk.told("Glance", 1)
    await desk.oops(glance, "the glance at lamp: this cannot be taken back")
    await desk.told("GazeAt", 6)


async def test_an_emotion_is_taken_back_a_whole_drag_at_once(desk: Desk) -> None:
    slider = desk.page.get_by_role("slider", name="pleasure")
    await desk.press("j", "j", "ArrowRight")
    small = await desk.told("SetEmotion", 1)
    assert small.message.pad.pleasure == pytest.approx(0.1)
    pad = desk.page.locator(".emotion .pad")
    await pad.scroll_into_view_if_needed()
    box = await pad.bounding_box()
    await desk.page.wait_for_timeout(200)
    await desk.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await desk.page.mouse.down()
    await desk.page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 1, steps=20)
    await desk.page.mouse.up()
    said = desk.stage.said
    await until(lambda: said("SetEmotion")[-1].message.pad.arousal > 0.95, "the drag")
    dragged = said("SetEmotion")
    await desk.oops(dragged[-1], "the emotion: taken back")
    back = await desk.told("SetEmotion", len(dragged) + 1)
    assert back.message.pad == small.message.pad
    assert await slider.get_attribute("aria-valuenow") == "0.1"
    # The drag was one gesture: the next oops is about what came before it.
    await desk.oops(small, "the emotion: taken back")
    last = await desk.told("SetEmotion", len(dragged) + 2)
    assert last.message.pad.model_dump() == NEUTRAL


async def test_an_animation_is_stopped_unless_it_is_over_already(desk: Desk) -> None:
    await desk.press("n")
    nod = await desk.told("PlayAnimation", 1)
    await desk.oops(nod, "the animation nod: stopped")
    assert (await desk.told("StopAnimation", 1)).message.animation == "nod"
    # The page, and not only the bus, has to have heard of the end.
    await desk.page.evaluate(
        "window.heardTheEnd = new Promise("
        "(done) => seraDesk.sera.on('AnimationFinished', () => done(true))), 0"
    )
    await desk.press("m")
    shake = await desk.told("PlayAnimation", 2)
    assert await desk.page.evaluate("window.heardTheEnd")
    await desk.oops(shake, "the animation shake: it was over already")
    await desk.told("StopAnimation", 1)
    # Nothing is left: oops says so and marks nothing.
    await desk.press("o")
    await desk.page.wait_for_selector(".toast >> text=there is no order to take back")
    assert len(desk.stage.said("SessionMark")) == 2


async def test_what_is_refused_was_not_taken_back_and_is_said_so(desk: Desk) -> None:
    await desk.page.locator(".gaze button", has_text="lamp").click()
    look = await desk.told("GazeAt", 1)
    other = await desk.stage.open("operate", query="?desk=second")
    await other.keyboard.press("w")
    await other.keyboard.press("g")  # the gaze is now in the hands of the other desk
    row = desk.page.locator(".dial-row[data-channel=gaze]")
    await row.locator("text=second's").wait_for()
    await desk.oops(look, "the gaze at lamp: it could not be taken back")
    await desk.told("GazeAt", 1)
