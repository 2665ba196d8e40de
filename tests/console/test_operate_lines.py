"""The middle of the Operate page in a real browser: lines, free text, the queue, and three keys."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

ROOM = """
[scenario]
title = "Lines"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
[characters.ada.modules.speaker]
voice = "silent"
[space.seats.guest]
position_m = [0.2, 1.2, 1.2]
"""
HOSTILE = '<img src=x onerror="window.wounded=1">'
LONG = "w" * 300
RIGHT_TO_LEFT = "שלום וברוכים הבאים לכולם"
MIDDLE = (".panel.lines", ".panel.say", ".panel.queue")


def sheet(*rows: tuple[str, str, str, str]) -> str:
    """A sheet with a column of its own beside the usual ones."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(["ID", "CATEGORY", "TEXT", "QUESTION", "MOOD"])
    for name, category, text, question in rows:
        table.writerow([name, category, text, question, "calm" if question == "yes" else ""])
    return written.getvalue()


def ordered(stage: Any, type_name: str = "PerformUtterance") -> list[dict[str, Any]]:
    """What pages ordered, without what was left out."""
    return [
        {key: value for key, value in envelope.message.model_dump().items() if value}
        for envelope in stage.said(type_name)
        if "gateway" in envelope.source
    ]


async def rows(page: Any) -> list[str]:
    """The words of the rows that are drawn, from top to bottom."""
    found: list[str] = await page.evaluate(
        """() => [...document.querySelectorAll(".line-row")]
            .sort((one, other) => one.offsetTop - other.offsetTop)
            .map((row) => row.querySelector(".said").textContent)"""
    )
    return found


async def opened(stage: Any, **options: Any) -> Any:
    """The page with its lines."""
    page = await stage.open("operate", **options)
    await page.wait_for_selector(".line-row")
    return page


async def test_a_line_is_found_filled_in_looked_at_and_said_by_keys_alone(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    own = Path(__file__).parents[2] / "scenarios" / "hello" / "lines.xlsx"
    stage = await make_stage(
        ROOM.replace("lines.csv", "lines.xlsx"), files={"lines.xlsx": own.read_bytes()}
    )
    page = await opened(stage)
    keys = page.keyboard
    assert await page.evaluate("seraDesk.commands.conflicts()") == []
    all_keys = await page.evaluate("seraDesk.commands.all().map(({key}) => key).filter(Boolean)")
    strokes = {key.split(" ")[0] for key in all_keys if " " in key}
    assert strokes.isdisjoint(all_keys), "a key that begins another hides it"
    assert await page.locator(".line-categories button").first.inner_text() == "All\n13"
    # A category, and in it a line that needs a value: the cursor goes there, nothing is said.
    await keys.press("]")
    await until(lambda: page.evaluate("document.querySelectorAll('.line-row').length === 3"))
    await keys.press("2")
    await page.wait_for_selector(".line-tag input:focus")
    assert ordered(stage) == []
    await keys.type("guest")
    personal = page.get_by_label("somebody's name")
    await until(personal.and_(page.locator(":not(:checked)")).count, "a seat is nobody's name")
    await page.wait_for_selector(".line-preview .step >> text=GAZE(guest)")
    await picture(page, "lines-fill-in.png")
    await keys.press("Enter")
    await until(lambda: ordered(stage), "the order")
    assert ordered(stage) == [{"line": "greet-2", "words": {"visitor": "guest"}}]
    used = page.locator(".line-row.used", has_text="I was hoping")
    await until(used.count, "the line's dimming")
    assert await used.locator(".uses").inner_text() == "\u00d71"
    # The value is remembered; a name of somebody travels as personal.
    await page.get_by_label("visitor", exact=True).fill("Somebody Else")
    assert await personal.is_checked()
    await keys.press("Escape")
    await keys.press("3")
    await until(lambda: len(ordered(stage)) == 2, "the second order")
    assert ordered(stage)[1] == {"line": "greet-3", "tags": {"visitor": "Somebody Else"}}
    # Any line of the category, as the robot chooses.
    await keys.press("Shift+Enter")
    await until(lambda: len(ordered(stage)) == 3, "the third order")
    assert ordered(stage)[2] == {"category": "greeting", "tags": {"visitor": "Somebody Else"}}
    # The search looks everywhere in a row; arrows and Enter work from within it.
    await keys.press("f")
    await keys.press("a")
    await keys.press("/")
    await keys.type("GLANCE else")
    await until(lambda: page.evaluate("document.querySelectorAll('.line-row').length === 2"))
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await until(lambda: len(ordered(stage)) == 4, "the fourth order")
    assert ordered(stage)[3] == {"line": "call-2"}
    await keys.press("Control+K")
    await keys.type("bye-1")
    await keys.press("Enter")
    await until(lambda: {"line": "bye-1"} in ordered(stage), "the order from the palette")
    await no_barrier(page, *MIDDLE)
    await page.emulate_media(color_scheme="dark")
    await picture(page, "lines-dark.png")
    await no_barrier(page, *MIDDLE)


async def test_anything_is_said_with_completed_markup_and_found_again_in_the_history(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(ROOM, files={"lines.csv": sheet(("a", "greeting", "Hello.", ""))})
    page = await opened(stage)
    keys = page.keyboard
    await keys.press("t")
    field = page.get_by_role("combobox", name="Say anything")
    await keys.type("Look <GA")
    options = page.locator(".say-options [role=option]")
    await until(options.count, "the completions")
    assert "<GAZE(target)>" in await options.first.inner_text()
    assert await field.get_attribute("aria-activedescendant") == await options.first.get_attribute(
        "id"
    )
    await picture(page, "say-completion.png")
    await no_barrier(page, *MIDDLE)
    await keys.press("Tab")
    assert await field.input_value() == "Look <GAZE("
    await keys.type("topL")
    await keys.press("Enter")
    assert await field.input_value() == "Look <GAZE(topLeft)> "
    await keys.type("there, 1 < 2 \\p")
    await keys.press("Enter")
    assert (await field.input_value()).endswith("\\pau=300\\")
    await keys.type(" and <ANIMATE(no")
    await keys.press("Escape")
    assert await options.first.is_hidden()
    await keys.type("d)> nod")
    await keys.press("Alt+P")
    steps = page.locator(".panel.say .step")
    await until(steps.count, "the preview")
    assert await steps.all_inner_texts() == ["GAZE(topLeft)", "pause 0.3 s", "ANIMATE(nod)"]
    await keys.press("Enter")
    await until(lambda: ordered(stage), "the order")
    text = "Look <GAZE(topLeft)> there, 1 < 2 \\pau=300\\ and <ANIMATE(nod)> nod"
    assert ordered(stage) == [{"text": text}]
    await page.evaluate("seraDesk.settled()")  # the page has heard of it as well
    assert await field.input_value() == ""
    await keys.type("Half a th")
    await keys.press("ArrowUp")
    assert await field.input_value() == text
    await keys.press("ArrowDown")
    assert await field.input_value() == "Half a th"
    await keys.press("Control+A")
    await keys.type("r h o 1 2")  # keys of commands are letters in a field
    await keys.press("Enter")
    await until(lambda: len(ordered(stage)) == 2, "the second order")
    assert ordered(stage)[1] == {"text": "r h o 1 2"}


async def test_five_thousand_and_hostile_lines_stay_text_and_are_found(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    many = [
        (f"n-{i}", f"topic {i % 40}:part {i % 3}", f"Line number {i}.", "") for i in range(5000)
    ]
    stage = await make_stage(
        ROOM,
        files={
            "lines.csv": sheet(
                ("wound", HOSTILE, HOSTILE.replace("<", "\\<"), "yes"),
                ("long", LONG, f"{LONG} {LONG}", ""),
                ("rtl", "עברית", RIGHT_TO_LEFT, "yes"),
                ("loose", "-", "<GAZE(front)>", ""),
                *many,
            )
        },
    )
    page = await opened(stage, tablet=True)
    drawn = await rows(page)
    assert drawn[0] == HOSTILE
    assert drawn[2] == RIGHT_TO_LEFT
    assert await page.evaluate("document.querySelectorAll('.line-row').length") < 60
    assert (
        await page.locator(".line-row .said")
        .nth(2)
        .evaluate("(row) => getComputedStyle(row).direction")
        == "rtl"
    )
    # So many short ones that the others still wait when a slow machine looks at them.
    for number, hot in enumerate("1" * 16 + "23", start=1):
        await page.keyboard.press(hot)
        await until(lambda number=number: len(ordered(stage)) == number, f"order {number}")
    await until(lambda: stage.said("UtteranceStarted"), "the first line")
    await page.wait_for_selector(".queue-entry >> nth=1")
    await picture(page, "lines-hostile-tablet.png")
    await no_barrier(page, *MIDDLE)
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(sideways) <= 0
    assert await page.evaluate("window.wounded") is None
    assert await page.locator(".lines img, .queue img").count() == 0
    # Filters and an end of the list that nobody has seen.
    await page.keyboard.press("f")
    await page.keyboard.press("q")
    await until(lambda: page.evaluate("document.querySelectorAll('.line-row').length === 2"))
    assert (
        await page.locator(".line-categories button", has_text="topic 1").first.inner_text()
        == "topic 1\n0"
    )
    await page.get_by_role("button", name="Questions").click()
    await page.locator(".line-list").focus()
    await page.keyboard.press("End")
    await page.wait_for_selector(".line-row[aria-selected=true] >> text=Line number 4999.")
    await page.keyboard.press("/")
    await page.keyboard.type("number 4321")
    await until(lambda: _texts(page.locator(".line-row"), 2), "what was looked for")
    # The line of row 4321 of the sheet, and the one that says so.
    assert await rows(page) == ["Line number 4315.", "Line number 4321."]


async def test_what_waits_is_arranged_and_repeat_hold_on_and_oops_say_what_they_did(
    make_stage: Any, picture: Any
) -> None:
    slow = "one two three four " * 100  # longer than a slow machine needs for what follows
    stage = await make_stage(
        ROOM,
        files={
            "lines.csv": sheet(
                ("slow", "talk", slow, ""),
                ("second", "talk", f"Second {slow}.", ""),
                ("third", "talk", f"Third {slow}.", ""),
                ("hm", "thinking", "Hm.", ""),
            )
        },
    )
    page = await opened(stage)
    looking_on = await opened(stage, query="?role=observer")
    await looking_on.keyboard.press("1")
    await looking_on.wait_for_selector(".toast >> text=an observer looks on")
    keys = page.keyboard
    waiting = page.locator(".queue-entry .text")
    for hot in "123":
        await keys.press(hot)
    await until(waiting.count, "what waits")
    await page.wait_for_selector(".now-text mark >> text=/two|three|four/")
    await until(lambda: _texts(waiting, 2), "both lines")
    await picture(page, "queue.png")
    first, second, third = [envelope.id for envelope in stage.said("PerformUtterance")]
    # q goes through them, u moves the marked one up, p holds it and lets it go, x removes it.
    await keys.press("q")
    await keys.press("q")
    await keys.press("u")
    await until(lambda: _first(waiting, "Third"), "the new order")
    await keys.press("p")
    await page.wait_for_selector(".queue-entry.marked .chip >> text=held")
    await keys.press("p")
    await until(lambda: _texts(page.locator(".queue-entry .chip:visible"), 0), "its release")
    await keys.press("x")
    await until(lambda: _first(waiting, "Second"), "the removal")
    assert ordered(stage, "CancelUtterance") == [{"utterance": third, "politely": True}]
    # Oops takes back what was ordered last and still counts.
    await keys.press("o")
    await until(lambda: stage.said("SessionMark"), "the mark")
    mark = stage.said("SessionMark")[0].message
    assert (mark.label, mark.about) == ("wizard_error", second)
    await page.wait_for_selector(".toast >> text=removed before it was said")
    await keys.press(".")
    await until(
        lambda: any(each.message.utterance == first for each in stage.said("UtteranceCancelled")),
        "the line's being cut",
    )
    await page.wait_for_selector(".queue >> text=Nothing is said and nothing waits")
    # Repeat says the line that was said, hold on asks once from where.
    await keys.press("r")
    await until(lambda: len(ordered(stage)) == 4, "the repetition")
    assert ordered(stage)[3] == {"line": "slow"}
    await keys.press("h")
    await page.wait_for_selector("dialog.filler")
    assert await page.get_by_label("Category").input_value() == "thinking"
    await picture(page, "filler.png")
    await keys.press("Enter")
    await until(lambda: {"category": "thinking"} in ordered(stage), "the filler")
    await keys.press("h")
    await until(lambda: ordered(stage).count({"category": "thinking"}) == 2, "another")
    assert await page.locator("dialog").count() == 0, "it is remembered"
    await keys.press("r")
    await until(lambda: ordered(stage)[-1] == {"line": "slow"}, "no filler is repeated")


async def test_while_the_connection_is_lost_orders_are_held_and_oops_forgets_them(
    make_stage: Any, picture: Any, cable: Any
) -> None:
    stage = await make_stage(
        ROOM,
        files={"lines.csv": sheet(("a", "talk", "Hello.", ""), ("b", "talk", "Goodbye.", ""))},
    )
    page = await opened(stage, before=cable.plug_into)
    await cable.pull()
    await page.wait_for_selector(".banner[data-kind=lost]")
    await page.keyboard.press("2")
    await page.wait_for_selector(".line-preview >> text=No preview while the connection is lost")
    await page.keyboard.press("1")
    await until(lambda: page.evaluate("seraDesk.held.length === 2"), "two held orders")
    await page.keyboard.press("o")
    await page.wait_for_selector(".toast >> text=was held back and is forgotten")
    await picture(page, "lines-lost.png")
    cable.is_out = False
    await page.wait_for_selector(".banner[data-kind=held]")
    assert ordered(stage) == [], "nothing is sent by itself"
    await page.get_by_role("button", name="Send now").click()
    await until(lambda: ordered(stage), "the held order")
    assert ordered(stage) == [{"line": "b"}]
    await page.wait_for_selector(".line-row.used >> text=Goodbye.")
    await until(lambda: page.locator(".preview-words >> text=Hello.").count(), "a preview")


async def _first(found: Any, words: str) -> bool:
    return bool(await found.count()) and (await found.first.inner_text()).startswith(words)


async def _texts(found: Any, count: int) -> bool:
    return bool(await found.count() == count)
