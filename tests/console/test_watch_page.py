"""The Watch page in a real browser: causes, blend, joints by hand, the timeline by keys."""

from __future__ import annotations

from typing import Any

import pytest

from sera.messages import (
    EngineState,
    Gaze,
    HoldJoints,
    JointFrame,
    PersonDetected,
    PlayAnimation,
    SpeechHeard,
)
from sera.messages._parts import Direction, Position
from sera.web._page import Farewell
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

ROOM = """
[scenario]
title = "A robot at work"
[characters.ada]
robot = "adelino"
[characters.ada.modules.engine]
module = "animation_engine"
[characters.bob]
robot = "keepon"
position_m = [-0.5, 0.0, 0.0]
[people.visitor]
position_m = [0.4, 1.3, 1.4]
yaw_deg = 180
[space.screens.wall]
position_m = [0.9, 0.6, 0.3]
yaw_deg = -40
width_m = 0.6
height_m = 0.4
"""


async def test_a_motion_is_traced_back_to_the_perception_that_led_to_it(
    share_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await share_stage(ROOM)
    hello = stage.tell(SpeechHeard(text="hello <b>robot</b>", person="visitor"))
    page = await stage.open("watch")
    seen = stage.tell(
        PersonDetected(person="visitor", position=Position(x_m=0.4, y_m=1.3, z_m=1.2))
    )
    looked = stage.tell(
        Gaze(direction=Direction(horizontal_deg=-20), target="visitor"), character="ada", cause=seen
    )
    stage.tell(PlayAnimation(animation="nod"), character="ada", cause=hello)
    # By keys alone: the list, an entry, its cause.
    await page.keyboard.press("w")
    await page.keyboard.press("i")
    entry = page.get_by_role("button", name="ada: plays nod")
    await entry.focus()
    await page.keyboard.press("Enter")
    headline = page.locator(".headline")
    await until(headline.count, "the cause")
    assert "visitor said “hello <b>robot</b>”" in await headline.inner_text()
    assert await page.locator(".headline b").count() == 0
    steps = page.locator(".chain:not(.effects) button")
    assert await steps.count() == 2
    # Each step can be clicked; from a perception the way goes on to what came of it.
    await steps.first.click()
    await page.wait_for_selector("h3:has-text('What came of it')")
    await picture(page, "watch_list.png")
    await page.keyboard.press("w")
    await page.keyboard.press("i")
    # The robot in the 3-D view leads to what moved it last.
    stage.tell(JointFrame(joints_rad={"base": 0.2}), character="ada", cause=looked)
    await until(lambda: page.evaluate("Boolean(window.seraStage.shown('bob'))"), "bodies")
    await picture(page, "watch.png")
    timeline = page.locator("canvas.timeline")
    await timeline.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowUp", "PageUp", "End"):
        await page.keyboard.press(key)
    assert await page.get_by_role("button", name="Live").get_attribute("aria-pressed") == "true"
    await no_barrier(page)
    dark = await stage.open("watch", dark=True, tablet=True)
    await dark.get_by_role("tab", name="Blend").click()
    await until(lambda: dark.evaluate("Boolean(window.seraStage.shown('bob'))"), "bodies")
    await until(lambda: dark.locator(".channels li").count(), "the blend report")
    await no_barrier(dark)
    await picture(dark, "watch_tablet_dark.png")
    wide = await dark.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


async def test_joints_are_a_preview_until_they_are_unlocked_and_are_let_go(
    share_stage: Any, picture: Any
) -> None:
    stage = await share_stage(ROOM)
    page = await stage.open("watch")
    await until(lambda: stage.said("JointFrame"), "the engine's first frame")
    await page.get_by_role("tab", name="Joints").click()
    slider = page.get_by_role("slider", name="base,")
    await slider.focus()
    for _ in range(12):
        await page.keyboard.press("ArrowRight")
    await stage.all_sent(page)
    assert stage.said("HoldJoints") == []
    await picture(page, "watch_joints.png")
    switch = page.get_by_role("switch")
    await until(lambda: switch.get_attribute("aria-disabled"))
    await switch.click()
    await until(lambda: stage.said("HoldJoints"), "the order")
    held = stage.said("HoldJoints")[-1].message
    assert isinstance(held, HoldJoints)
    wanted = held.joints_rad["base"]
    await until(lambda: _near(stage, "base", wanted), "the joint's arrival")
    before = len(stage.said("HoldJoints"))
    await slider.focus()
    for _ in range(25):
        await page.keyboard.press("ArrowLeft")
    assert len(stage.said("HoldJoints")) - before <= 25
    # Another page takes the place: what was held is let go.
    await page.evaluate("location.hash = '#/bus'")
    await until(lambda: stage.said("HoldJoints")[-1].message.joints_rad == {}, "letting go")
    await page.evaluate("location.hash = '#/watch'")
    # An observer sees sliders and no switch that works.
    observer = await stage.open("watch", query="?role=observer")
    await observer.get_by_role("tab", name="Joints").click()
    await until(lambda: observer.get_by_role("slider").count())
    assert await observer.get_by_role("switch").get_attribute("aria-disabled") == "true"
    count = len(stage.said("HoldJoints"))
    await observer.get_by_role("slider").first.focus()
    await observer.keyboard.press("End")
    await observer.get_by_role("switch").click(force=True)
    await stage.all_sent(page)
    assert len(stage.said("HoldJoints")) == count
    states = [envelope.message for envelope in stage.said("EngineState")]
    assert all(isinstance(state, EngineState) and state.problem is None for state in states)


async def _holds(page: Any, stage: Any) -> None:
    """Unlock the joints on a page and hold one at its end, until the body is there."""
    await page.get_by_role("tab", name="Joints").click()
    switch = page.get_by_role("switch")
    await switch.wait_for()
    await until(lambda: _is(switch, "aria-disabled", "false"), "the switch")
    await switch.click()
    await page.get_by_role("slider", name="base,").focus()
    await page.keyboard.press("End")
    await until(lambda: _held(stage).get("base", 0.0) > 1.0, "the order")
    await until(lambda: _near(stage, "base", _held(stage)["base"]), "the arrival")


@pytest.mark.parametrize("end", ["connection", "tab"])
async def test_joints_are_let_go_when_the_connection_or_the_tab_of_their_page_is_gone(
    share_stage: Any, end: str
) -> None:
    stage = await share_stage(ROOM)
    page = await stage.open("watch")
    await until(lambda: stage.said("JointFrame"), "the engine's first frame")
    await _holds(page, stage)
    where = _held(stage)["base"]
    if end == "connection":
        for connected in stage.gateway.engine.pages:
            connected.send_away(Farewell(1011, "the connection is lost", abrupt=True))
    else:
        await page.close(run_before_unload=False)
    await until(lambda: _held(stage) == {}, "letting go")
    await until(lambda: not _near(stage, "base", where, 0.2), "the way back")
    if end == "tab":
        return
    # The page knows, and what comes back with the connection holds nothing.
    switch = page.get_by_role("switch")
    await until(lambda: _is(switch, "aria-checked", "false"), "the lock")
    assert await page.locator(".joints li.held").count() == 0
    await page.wait_for_selector("#connection[data-status=connected]")
    await until(lambda: _is(switch, "aria-disabled", "false"), "the switch")
    await stage.all_sent(page)
    assert _held(stage) == {}
    assert await page.locator(".banner[data-kind=held]").count() == 0


def _held(stage: Any) -> dict[str, float]:
    message = stage.said("HoldJoints")[-1].message if stage.said("HoldJoints") else HoldJoints()
    assert isinstance(message, HoldJoints)
    return dict(message.joints_rad)


async def _is(found: Any, attribute: str, value: str) -> bool:
    return bool(await found.get_attribute(attribute) == value)


def _near(stage: Any, joint: str, wanted: float, within: float = 1e-3) -> bool:
    frame = stage.said("JointFrame")[-1].message
    assert isinstance(frame, JointFrame)
    value = frame.joints_rad.get(joint)
    return value is not None and abs(value - wanted) < within


async def test_a_body_is_never_drawn_beyond_where_it_was_and_where_it_goes(
    share_stage: Any,
) -> None:
    stage = await share_stage(ROOM)
    page = await stage.open("watch")
    drawn = await page.evaluate(
        """async () => {
          const { Robot } = await import("/console/parts/stage3d/robot.js");
          const headers = { "sera-role": "wizard" };
          const answer = await fetch("/console/api/bodies/adelino", { headers });
          const character = { name: "ada", position_m: [0, 0, 0], yaw_rad: 0 };
          const robot = new Robot(await answer.json(), character);
          const now = performance.now();
          robot.aim(new Map([["base", 0.5]]), 20, now);
          // Browsers that are short of time draw for a moment that is long past.
          return [-3000, 0, 10, 20, 5000].map((later) => {
            robot.update(now + later);
            return robot.shown.get("base");
          });
        }"""
    )
    assert drawn == [0, 0, 0.25, 0.5, 0.5]


async def test_a_joint_that_is_at_its_end_is_held_there_by_the_key_for_it(share_stage: Any) -> None:
    stage = await share_stage(ROOM)
    page = await stage.open("watch")
    await until(lambda: stage.said("JointFrame"), "the engine's first frame")
    await page.get_by_role("tab", name="Joints").click()
    slider = page.get_by_role("slider", name="base,")
    await slider.evaluate(
        """(slider) => {
          slider.value = slider.max;
          slider.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
        }"""
    )
    await until(page.locator(".joints li.held").count, "the hold")
