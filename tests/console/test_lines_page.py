"""The page Lines in a real browser: from the template to a heard line, without a terminal."""

from __future__ import annotations

import asyncio
import base64
import io
import wave
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.browser import watch_for
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium", "espeak-ng")

ROOM = """
[scenario]
title = "Lines"
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["own.csv"]
[characters.ada.modules.speaker]
voice = "espeak"
sound_files = "sound"
keep_sound = true
[space.objects.vase]
position_m = [0.3, 0.7, 0.6]
"""
LONG = "Hello there and " + "welcome to all of you who came to see us today " * 5
OWN = f"ID,CATEGORY,TEXT,QUESTION\nhi,greeting,{LONG},no\nbye,parting,Good bye,no\n"
HOSTILE = '<img src=x onerror="window.wounded=1">'


async def drop(page: Any, name: str, content: bytes) -> None:
    """Drop a file on the page as a file manager does."""
    carried = await page.evaluate_handle(
        """([name, content]) => {
            const carried = new DataTransfer();
            const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
            carried.items.add(new File([bytes], name));
            return carried;
        }""",
        [name, base64.b64encode(content).decode()],
    )
    for event in ("dragenter", "dragover", "drop"):
        await page.dispatch_event(".lines-page", event, {"dataTransfer": carried})


def saved(book: openpyxl.Workbook) -> bytes:
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


async def downloaded(page: Any, button: str) -> tuple[str, bytes]:
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name=button).first.click()
    file = await waiting.value
    content: bytes = await asyncio.to_thread(Path(await file.path()).read_bytes)
    return file.suggested_filename, content


def loudest(path: Path) -> int:
    with wave.open(str(path)) as sound:
        assert sound.getsampwidth() == 2
        samples = memoryview(sound.readframes(sound.getnframes())).cast("h")
    return max(map(abs, samples), default=0)


async def test_from_the_template_to_a_heard_line(
    share_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await share_stage(ROOM, files={"own.csv": OWN})
    page = await stage.open("lines")
    await page.wait_for_selector(".begin .drop-zone")
    await picture(page, "lines-empty.png")
    await no_barrier(page)
    name, template = await downloaded(page, "Download the template")
    assert name == "lines.xlsx"

    book = openpyxl.load_workbook(io.BytesIO(template))
    sheet = book["Utterances"]
    headings = {cell.value: cell.column for cell in sheet[1]}
    text, question = sheet.cell(2, headings["TEXT"]), sheet.cell(2, headings["QUESTION"])
    sheet.cell(2, headings["CATEGORY"]).value = "greeting"
    text.value, question.value = "<GAZE(vasse)> Hello /name/, nice to see you.", None
    await drop(page, "mine.xlsx", saved(book))
    row = page.locator("tr[data-row='2']")
    await row.wait_for()
    assert "vase" in await row.locator(".finding").inner_text()
    assert await row.locator(".cell-line").get_attribute("data-worst") == "error"
    assert await row.locator(".line-text [data-worst=error]").inner_text() == "vasse"
    await picture(page, "lines-finding.png")
    await page.keyboard.press("e")
    assert await page.evaluate("document.activeElement.dataset.row") == "2"
    await page.keyboard.press("f")
    await page.keyboard.press("f")
    assert await page.locator("tbody.rows tr").count() == 1

    name, content = await downloaded(page, "Commented copy")
    assert name == "mine-findings.xlsx"
    comment = openpyxl.load_workbook(io.BytesIO(content))["Utterances"][text.coordinate].comment
    assert "vasse" in comment.text

    text.value = text.value.replace("vasse", "vase")
    await drop(page, "mine.xlsx", saved(book))
    await page.get_by_text("1 finding fewer than before (1 mended, 0 new)").wait_for()
    await page.get_by_text("No line fits.").wait_for()
    await page.keyboard.press("f")
    await page.keyboard.press("x")
    await page.evaluate(
        """async () => {
            const { hearVoice } = await import("/console/parts/voice.js");
            window.ear = hearVoice(window.seraDesk, "ada");
        }"""
    )
    await row.get_by_role("button").click()
    await page.get_by_label("name", exact=True).fill("Noor")
    saying = await watch_for(page, "tr[data-row='2'][data-performance=saying] mark")
    await page.keyboard.press("Enter")
    await saying()
    await picture(page, "lines-saying.png")
    await until(lambda: stage.said("UtteranceFinished"), "the end of the line")
    await page.wait_for_selector("tr[data-row='2'][data-performance=said]")
    (order,) = stage.said("PerformUtterance")
    assert order.message.tags == {"name": "Noor"}
    assert order.message.text == text.value
    (started,) = stage.said("SpeechStarted")
    (finished,) = stage.said("SpeechFinished")
    assert started.message.text == "Hello Noor, nice to see you."
    assert finished.message.outcome == "completed"
    assert finished.message.duration_s > 1
    sounds = list((stage.run.scenario.folder / "sound").rglob("*.wav"))
    assert max(map(loudest, sounds)) > 1000, "the line was not heard"
    assert await page.evaluate("window.ear.heard() > 0"), "the browser was given no sound"
    await page.evaluate("window.ear.stop()")


async def test_a_large_and_a_hostile_sheet_with_the_keyboard_alone(share_stage: Any) -> None:
    stage = await share_stage(ROOM, files={"own.csv": OWN})
    page = await stage.open("lines")
    lines = [f"line_{n},many:{n % 7},Line number {n} <GAZE(nobody{n % 3})>,no" for n in range(5000)]
    lines[4321] = (
        f'evil,{HOSTILE.replace(chr(34), chr(39))},"{HOSTILE.replace(chr(34), chr(39))}",no'
    )
    await drop(page, f"{HOSTILE}.csv", "\n".join(["ID,CATEGORY,TEXT,QUESTION", *lines]).encode())
    await page.wait_for_selector("tbody.rows tr")
    assert await page.locator("tbody.rows tr").count() < 80, "only what is visible is drawn"
    await page.keyboard.press("End")
    await page.wait_for_selector("tr[data-row='5001'][aria-current]")
    assert await page.evaluate("document.activeElement.dataset.row") == "5001"
    inside = """() => {
        const row = document.activeElement.getBoundingClientRect();
        const frame = document.querySelector(".lines-scroll").getBoundingClientRect();
        return row.top >= frame.top && row.bottom <= frame.bottom + 1;
    }"""
    await until(lambda: page.evaluate(inside), "the last row in sight")
    await page.keyboard.press("ArrowUp")
    assert await page.evaluate("document.activeElement.dataset.row") == "5000"
    middle = """() => {
        const frame = document.querySelector(".lines-scroll");
        frame.scrollTop = frame.scrollHeight / 2;
        const { top, bottom } = frame.getBoundingClientRect();
        return [...document.querySelectorAll("tbody.rows tr")].some((row) => {
            const box = row.getBoundingClientRect();
            return Math.abs(row.dataset.row - 2500) < 250 && box.top > top && box.bottom < bottom;
        });
    }"""
    await until(lambda: page.evaluate(middle), "the rows in the middle")
    assert await page.locator("tbody.rows tr").count() < 80, "only what is visible is drawn"
    await page.keyboard.press("/")
    await page.keyboard.type("onerror")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("tr[data-row='4323']")
    assert await page.locator("tbody.rows tr").count() == 1
    assert await page.evaluate("window.wounded === undefined")
    assert await page.locator(".lines-page img").count() == 0

    await drop(page, "broken.xlsx", b"PK\3\4 and nothing more")
    await page.get_by_text("damaged or was cut off").wait_for()
    await drop(page, "large.xlsx", b"\0" * 8_000_001)
    await page.get_by_text("at most 8 MB are read").wait_for()
    await page.keyboard.press("w")
    await page.get_by_role("button", name="own.csv").first.click()
    await page.get_by_text("No line fits.").wait_for()
    await page.keyboard.press("f")
    await page.keyboard.press("x")
    await page.wait_for_selector("tr[data-row='3'] .cell-uses:text('\u2013')")
    await page.keyboard.press("Home")
    await page.keyboard.press("p")
    await until(lambda: stage.said("SpeechWord"), "a word")
    await page.keyboard.press("p")
    await page.wait_for_selector("tr[data-row='2'][data-performance=not_said]")
    assert stage.said("CancelUtterance")


async def test_an_observer_reads_and_checks_but_performs_nothing(share_stage: Any) -> None:
    stage = await share_stage(ROOM, files={"own.csv": OWN})
    page = await stage.open("lines", query="?role=observer")
    await page.get_by_role("button", name="own.csv").first.click()
    button = page.locator("tr[data-row='2'] .play")
    await button.wait_for()
    assert await button.is_disabled()
    assert "observer" in await button.get_attribute("title")
