"""The page of the game on the table, in a real browser: touches reach the game, and it answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sera.messages import Highlight
from tests.browser import holds, on_one_loop, watch_for
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")


@on_one_loop
async def table(play: Any) -> AsyncIterator[Any]:
    async with play("tutor", "nao", lambda *_: None) as table:
        await until(lambda: "game_ready" in events(table), "the game")
        yield table


@on_one_loop
async def page(table: Any) -> Any:
    shown = await table.open("town.html", 960, 600)
    await holds(shown, "document.querySelectorAll('.place').length === 12")
    return shown


def events(table: Any) -> list[str]:
    return [one.event for one in table.of("ActivityEvent")]


async def test_a_game_is_begun_played_and_lit_by_touching(table, page):
    assert await page.inner_text("#title") == "The dark town"
    await page.click("#begin")
    await holds(page, "document.getElementById('stage').dataset.phase === 'playing'")
    assert await page.inner_text("#player") == "Blue"
    clue = table.game._game.round
    start = f"document.querySelector('[data-place={clue.start}]').classList"
    assert await page.evaluate(f"{start}.contains('start')")
    wrong = next(name for name in table.game._town.places if name not in (clue.start, clue.answer))
    await page.click(f"[data-place={wrong}]")
    await holds(page, f"document.querySelector('[data-place={wrong}].wrong') !== null")
    assert await page.inner_text("#message") == "Not here."
    await page.click(f"[data-place={clue.answer}]")
    await holds(page, f"document.querySelector('[data-place={clue.answer}].lit') !== null")
    assert await page.inner_text("#message") == "Light!"
    assert await page.evaluate("document.querySelectorAll('.lamp.on').length") == 1
    assert events(table)[-3:] == ["place_wrong", "place_right", "round_over"]


async def test_a_touch_reports_its_pixel_on_the_table_whatever_the_window(table, page):
    await page.click("[data-place=church]", position={"x": 60, "y": 40})
    (touch,) = await until(lambda: table.of("Clicked"))
    centre = table.game._town.point("church")
    assert touch.element == "church"
    assert touch.point.screen == "table"
    # The window shows 1920 pixels of the table on 960: one of its pixels is two of the table's.
    left, top, border = centre.x_px - 118, centre.y_px - 118, 5
    assert touch.point.x_px == pytest.approx(left + 2 * (border + 60), abs=3)
    assert touch.point.y_px == pytest.approx(top + 2 * (border + 40), abs=3)
    assert table.game._town.place_at(touch.point) == "church"


async def test_what_the_robot_highlights_shines_and_ceases_to(table, page):
    shines = await watch_for(page, "[data-place=mill].highlighted")
    table.robot.publish(Highlight(element="mill", duration_s=0.4), character="nao")
    await shines()
    await holds(page, "document.querySelector('[data-place=mill].highlighted') === null")
    assert "highlighted" in events(table)


async def test_a_page_that_comes_late_shows_the_game_as_it_is(table, page):
    await page.click("#begin")
    await holds(page, "document.getElementById('stage').dataset.phase === 'playing'")
    await page.reload()
    await holds(page, "document.getElementById('stage').dataset.phase === 'playing'")
    assert await page.inner_text("#player") == "Blue"
    assert await page.evaluate("document.getElementById('begin').hidden")
