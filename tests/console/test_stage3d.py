"""The 3-D view in a real browser: bodies as the engine has them, people, picking, speed."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sera.animation.body import load_body
from sera.animation.body.shapes import shapes_of
from sera.messages import (
    Gaze,
    HeadDirection,
    JointFrame,
    PersonDetected,
    PersonLost,
    PersonMoved,
    SpeechHeard,
)
from sera.messages._parts import Direction, Position
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

ROBOTS = Path(__file__).parents[2] / "robots"
ROOM = """
[scenario]
title = "Three robots"
[characters.ada]
robot = "nao"
[characters.bob]
robot = "adelino"
position_m = [0.7, 0.1, 0.1]
yaw_deg = -25
[characters.eve]
robot = "emys"
position_m = [-0.7, 0.0, 0.1]
yaw_deg = 25
[people.visitor]
seat = "guest"
[space.seats.guest]
position_m = [0.3, 1.0, 1.6]
yaw_deg = 180
[space.screens.wall]
position_m = [0.0, 0.9, -0.8]
width_m = 1.0
height_m = 0.6
pixels = [1000, 600]
[space.objects.ball]
position_m = [-0.4, 0.05, 0.7]
[space.cameras.eye]
position_m = [0.0, 1.5, -0.7]
pitch_deg = 15
"""
ALL_DRAWN = "['ada', 'bob', 'eve'].every((name) => window.seraStage?.shown(name))"
DRAWN = "window.seraStage.measured.drawn"
LOAD, AT_ONCE = 1000, 8
"""Messages of the busy bus, and how many come without a pause."""


async def opened(stage: Any) -> Any:
    page = await stage.open("watch")
    await until(lambda: page.evaluate(ALL_DRAWN), "the bodies")
    return page


async def test_bodies_stand_and_look_as_the_engine_has_them(share_stage: Any, picture: Any) -> None:
    stage = await share_stage(ROOM)
    page = await opened(stage)
    pose = {"base": 0.7, "lower_bend": 0.3, "upper_bend": -0.5, "head_bend": 0.4}
    stage.tell(JointFrame(joints_rad=pose), character="bob")
    asked = "[...(window.seraStage.shown('bob')?.values() ?? [])].some((one) => one === 0.7)"
    await until(lambda: page.evaluate(asked), "the pose")
    face = await page.evaluate(
        "(({ position, direction }) => [position.toArray(), direction.toArray()])"
        "(window.seraStage.faceOf('bob'))"
    )
    drawn = shapes_of(load_body(ROBOTS / "adelino"), pose)
    assert drawn.face is not None
    yaw = math.radians(-25)
    turn = np.array(
        [[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]]
    )
    assert face[0] == pytest.approx(turn @ drawn.face[0] + [0.7, 0.1, 0.1], abs=1e-5)
    assert face[1] == pytest.approx(turn @ drawn.face[1], abs=1e-5)
    # Words for those who do not see the picture.
    stage.tell(Gaze(direction=Direction(horizontal_deg=-10), target="visitor"), character="ada")
    stage.tell(PersonDetected(person="p<1>", position=Position(x_m=-0.6, y_m=1.5, z_m=1.4)))
    stage.tell(HeadDirection(person="p<1>", direction=Direction(horizontal_deg=170)))
    words = page.get_by_role("group", name="What is where")
    told = "ada (nao): at the origin; looks at visitor"
    await until(lambda: _says(words, told), "the room in words")
    await until(lambda: _says(words, "p<1>: 1.4 m ahead, 0.6 m right, 1.5 m high"))
    await picture(page, "stage.png")
    for preset in ("side", "top", "shoulder", "person"):
        await page.locator(f"[data-view={preset}]").click()
        await picture(page, f"stage_{preset}.png")
    stage.tell(PersonLost(person="p<1>"))
    await until(lambda: _says(words, "p<1>", absent=True), "the leaving")


async def _says(words: Any, sentence: str, *, absent: bool = False) -> bool:
    return (sentence in await words.locator("ul").inner_text()) is not absent


async def test_a_click_says_what_was_meant_and_a_still_room_is_not_drawn(share_stage: Any) -> None:
    stage = await share_stage(ROOM)
    page = await opened(stage)
    await page.evaluate(
        "window.picked = []; void window.seraStage.onPick((one) => window.picked.push(one))"
    )
    canvas = page.locator("canvas.stage-picture")
    place = await page.evaluate("window.seraStage.onPicture([-0.4, 0.95, -0.8])")
    await canvas.click(position=place)
    await until(lambda: page.evaluate("window.picked.length"), "the pick")
    hit = await page.evaluate("window.picked[0]")
    assert (hit["target"], hit["screen"]["name"]) == ("wall", "wall")
    x, y, z = hit["position_m"]
    assert (x, y, z) == pytest.approx((-0.4, 0.95, -0.8), abs=0.01)
    assert hit["screen"]["x"] == pytest.approx((x + 0.5) * 1000, abs=1)
    assert hit["screen"]["y"] == pytest.approx((1.2 - y) / 0.6 * 600, abs=1)
    still = await until(lambda: _unmoved(page), "a room that is not drawn")
    # Keys turn the view as well as the pointer.
    await canvas.focus()
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("+")
    await until(lambda: page.evaluate(f"{DRAWN} > {still}"), "turning")


async def _unmoved(page: Any) -> int | None:
    before: int = await page.evaluate(DRAWN)
    await page.wait_for_timeout(500)
    return before if await page.evaluate(DRAWN) - before <= 1 else None


async def test_three_robots_move_on_a_busy_bus_that_takes_neither_the_page_nor_the_view_away(
    share_stage: Any,
) -> None:
    stage = await share_stage(ROOM)
    page = await opened(stage)
    before = await page.evaluate(DRAWN)
    for told in range(0, LOAD, AT_ONCE):
        swing = math.sin(told / 40)
        for name, joints in (
            ("ada", {"HeadYaw": swing, "LShoulderPitch": swing, "RShoulderPitch": -swing}),
            ("bob", {"base": swing, "lower_bend": 0.3 * swing}),
            ("eve", {"head_pan": swing}),
        ):
            stage.tell(JointFrame(joints_rad=joints), character=name)
        place = Position(x_m=0.3 * swing, y_m=1.5, z_m=1.5)
        stage.tell(PersonMoved(person="visitor", position=place))
        for word in range(3):
            stage.tell(SpeechHeard(text=f"word {told + word}", person="visitor"))
        stage.tell(Gaze(direction=Direction(horizontal_deg=5), target="visitor"), character="ada")
        await asyncio.sleep(0.01)
    # How many pictures a second these are is measured by `make bench-console`.
    await until(lambda: page.evaluate(f"{DRAWN} > {before + 10}"), "moving pictures")
    # The view is there, shows the newest of it all, and the page still answers to a key.
    assert await page.evaluate(
        "!document.querySelector('canvas.stage-picture').getContext('webgl2').isContextLost()"
    )
    stage.tell(JointFrame(joints_rad={"base": 0.77}), character="bob")
    asked = "[...(window.seraStage.shown('bob')?.values() ?? [])].some((one) => one === 0.77)"
    await until(lambda: page.evaluate(asked), "the last pose")
    await page.keyboard.press("w")
    await page.keyboard.press("i")
    await page.wait_for_selector("text=word")


async def test_without_webgl_the_room_is_shown_from_above(share_stage: Any, picture: Any) -> None:
    stage = await share_stage(ROOM)
    page = await stage.open("bus")
    await page.evaluate(
        "const was = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        "  return kind.startsWith('webgl') ? null : was.call(this, kind, ...more); };"
        "location.hash = '#/watch'"
    )
    await page.wait_for_selector("svg.stage-plan .person")
    assert "This browser has no WebGL" in await page.locator(".stage-note").inner_text()
    assert await page.locator("svg.stage-plan .character").count() == 3
    await picture(page, "stage_plan.png")
    # The server describes bodies to operators only, and knows the nearest name.
    asked = f"{stage.origin}/console/api/bodies"
    as_wizard, as_guest = {"sera-role": "wizard"}, {"sera-role": "participant"}
    wrong = await page.request.get(f"{asked}/adelin", headers=as_wizard)
    assert wrong.status == 404
    assert "did you mean 'adelino'" in (await wrong.json())["why"]
    assert (await page.request.get(f"{asked}/nao", headers=as_guest)).status == 403
    climbing = await page.request.get(f"{asked}/..%2F..%2Fetc", headers=as_wizard)
    assert climbing.status == 404
    file = await page.request.get(f"{asked}/bob%00/urdf", headers=as_wizard)
    assert file.status == 404
    urdf = await page.request.get(f"{asked}/adelino/urdf", headers=as_wizard, timeout=0)
    assert 'filename="adelino.urdf"' in urdf.headers["content-disposition"]
    assert (await urdf.text()).startswith("<?xml")


# -- what the view holds, and what it says before -----------------------------------------------


PIANO = """
[scenario]
title = "A piano on the floor"
[characters.ada]
robot = "adelino"
[space.screens.wall]
position_m = [0.0, 1.5, -1.2]
width_m = 2.4
height_m = 1.35
pixels = [1920, 1080]
[space.screens.table]
position_m = [0.9, 0.4, 0.4]
width_m = 0.8
height_m = 0.5
pitch_deg = -90
pixels = [1920, 1080]
[space.objects.key_low]
position_m = [-1.05, 0.0, 1.35]
size_m = [0.28, 0.02, 0.9]
[space.objects.key_high]
position_m = [1.05, 0.0, 1.35]
size_m = [0.28, 0.02, 0.9]
"""
ADA_DRAWN = "Boolean(window.seraStage?.shown('ada'))"
ALL_INSIDE = """(edges) => {
    const { clientWidth, clientHeight } = document.querySelector('.stage-picture');
    return edges.every((edge) => { const { x, y } = seraStage.onPicture(edge);
        return x >= 0 && y >= 0 && x <= clientWidth && y <= clientHeight; });
}"""
EDGES_M = [
    *((x, y, -1.2) for x in (-1.2, 1.2) for y in (1.5 - 0.675, 1.5 + 0.675)),
    *((x, 0.0, z) for x in (-1.19, 1.19) for z in (0.9, 1.8)),
    *((x, 0.4, z) for x in (0.5, 1.3) for z in (0.15, 0.65)),
]


async def test_the_views_of_the_room_hold_screens_and_things_to_their_edges(
    share_stage: Any, picture: Any
) -> None:
    stage = await share_stage(PIANO)
    page = await stage.open("watch")
    await until(lambda: page.evaluate(ADA_DRAWN), "the body")
    for preset in ("front", "side", "top"):
        await page.locator(f"[data-view={preset}]").click()
        await until(lambda: page.evaluate(ALL_INSIDE, EDGES_M), f"all of the room from {preset}")
        await picture(page, f"stage_piano_{preset}.png")


async def test_while_bodies_are_fetched_the_view_says_so(share_stage: Any) -> None:
    stage = await share_stage(PIANO)
    page = await stage.open("operate")
    held = asyncio.Event()

    async def wait(route: Any) -> None:
        await held.wait()
        await route.continue_()

    await page.route("**/api/bodies/**", wait)
    await page.reload()
    await page.evaluate("location.hash = '#/watch'")
    note = page.locator(".stage-note")
    await until(lambda: _reads(note, "Loading the bodies …"), "the word")
    await page.locator("[data-view=side]").click()
    assert await note.inner_text() == "Loading the bodies …"
    held.set()
    await until(lambda: page.evaluate(ADA_DRAWN), "the body")
    await until(lambda: _reads(note, ""), "silence")


async def _reads(note: Any, sentence: str) -> bool:
    return await note.count() > 0 and await note.inner_text() == sentence
