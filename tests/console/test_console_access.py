"""Every page of the console, light and dark, on a desk and on a tablet: nobody is shut out.

One run with real content; each page is looked at by axe-core as a whole, must not scroll sideways,
and has no control without a name for those who hear the page.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    Channel,
    Envelope,
    GuideSession,
    JointFrame,
    Message,
    ModuleFault,
    PeopleState,
    PersonDetected,
    PersonSummary,
    Position,
    SessionMark,
    Severity,
    SpeechHeard,
    SpeechStarted,
    Suggestion,
)
from sera.recording import LogHeader, LogWriter, RunFolder
from sera.web import PageRole
from tests.console.scenery import LAYOUT
from tests.helpers import some_of, until

pytestmark = pytest.mark.needs_program("chromium")

TUTOR = Path(__file__).parents[2] / "scenarios" / "tutor"
SCENARIO = """
[scenario]
title = "Everything at once"
[modules.study]
module = "study_guide"
folder = "kept"
[characters.ada]
robot = "adelino"
[characters.ada.autonomy]
speech = "suggest"
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["tutor.xlsx"]
[characters.ada.modules.speaker]
voice = "silent"
[characters.ada.modules.engine]
module = "animation_engine"
[characters.emil]
robot = "emys"
position_m = [0.8, 0.0, 0.0]
[people.guest]
seat = "chair"
[space.seats.chair]
position_m = [0.2, 1.2, 1.2]
yaw_deg = 180
[space.screens.table]
position_m = [0.0, 0.7, 0.5]
pitch_deg = -90
width_m = 1.0
height_m = 0.5
pixels = [1920, 1080]
"""
STUDY = """
[study]
title = "Does it look?"
sessions_planned = 12
[[phases]]
name = "before"
title = "Before"
[[phases.steps]]
name = "welcome"
title = "Welcome"
planned_s = 120
note = "Offer a chair."
[[phases.steps]]
name = "about"
title = "Form: about you"
form = "demographics"
[[marks]]
label = "laughter"
title = "Laughter"
key = "l"
"""
SIZES = {"desktop": {"width": 1440, "height": 900}, "tablet": {"width": 820, "height": 1180}}
COLOURS = ("light", "dark")
LAID_OUT = """(dark) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
    () => done(matchMedia("(prefers-color-scheme: dark)").matches === dark))))"""
TOO_WIDE_PX = "document.documentElement.scrollWidth - innerWidth"


async def nameless(page: Any) -> list[str]:
    """What can have the focus and has no name, as the browser tells a screen reader."""
    session = await page.context.new_cdp_session(page)
    tree = await session.send("Accessibility.getFullAXTree")
    await session.detach()
    found = []
    for node in tree["nodes"]:
        traits = {one["name"]: one["value"].get("value") for one in node.get("properties", ())}
        role = node.get("role", {}).get("value")
        if role == "main" or node.get("ignored") or not traits.get("focusable"):
            continue  # the main part takes the focus of a skip and is no control
        if not str(node.get("name", {}).get("value", "")).strip():
            found.append(f"{role}: {node.get('properties')}")
    return found


def make_recording(base: Path) -> None:
    """Ten seconds in which somebody comes, the robot turns and says hello."""
    told: list[tuple[float, Message, str, str]] = [
        (0.5, PersonDetected(person="person_1"), "world.tracker", "world"),
        (
            1.0,
            SpeechStarted(speech="s1", text="Hello", expected_duration_s=1.0),
            "ada.voice",
            "ada",
        ),
        (9.0, SessionMark(label="wizard_error", by="left"), "world.gateway", "world"),
    ]
    told += [
        (0.1 * n, JointFrame(joints_rad={"base": 0.01 * n}), "ada.engine", "ada")
        for n in range(100)
    ]
    folder = RunFolder.create("visit_1", scenario="stage", base=base)
    now_s = 0.0
    header = LogHeader(run="visit_1", scenario="stage", started=0.0)
    writer = LogWriter(folder.log_path, header=header, clock_now=lambda: now_s)
    for number, (at_s, message, source, character) in enumerate(
        sorted(told, key=lambda one: one[0])
    ):
        now_s = at_s
        writer.write(Envelope(message, f"{source}-1-{number}", at_s, source, character), at_s)
    writer.close()


def fill(stage: Any) -> None:
    """What makes panels show something: people, words, a fault, a suggestion."""
    guest = PersonSummary(person="guest", position=Position(x_m=0.2, y_m=1.2, z_m=1.2))
    stage.tell(PeopleState(people=[guest], speaker="guest"))
    heard = stage.tell(SpeechHeard(text="where is the river", person="guest", confidence=0.8))
    stage.tell(ModuleFault(module="ada.speaker", severity=Severity.WARNING, summary="no sound"))
    stage.tell(
        Suggestion(
            action_type="PerformUtterance",
            action={"text": "Over there."},
            channel=Channel.SPEECH,
            reason="guest asked",
            lapses_after_s=300.0,
        ),
        character="ada",
        cause=heard,
    )


async def operate(page: Any) -> None:
    await page.wait_for_selector(".stage-panel canvas")
    await page.wait_for_selector(".line-row")
    await page.wait_for_selector(".proposal")
    await page.get_by_role("button", name="proud").wait_for()


async def watch(page: Any) -> None:
    await page.wait_for_selector("canvas.stage-picture")
    await page.get_by_role("tab", name="Joints").click()
    await page.get_by_role("slider", name="base,").wait_for()


async def lines(page: Any) -> None:
    await page.get_by_role("button", name="tutor.xlsx").first.click()
    await page.wait_for_selector("tbody.rows tr")
    await page.wait_for_selector(".view canvas")


async def bus(page: Any) -> None:
    await page.wait_for_selector(".modules tr:has-text('ada.behaviour')")
    await page.wait_for_selector(".send form")


async def study(page: Any) -> None:
    await page.wait_for_selector(".steps [aria-current=step]")


async def review(page: Any) -> None:
    await page.locator(".recordings tbody tr:has-text('visit_1') a").click()
    await page.get_by_role("slider", name="Time in the recording").wait_for()
    await page.wait_for_selector(".replay canvas")


PAGES: dict[str, Callable[[Any], Awaitable[None]]] = {
    one.__name__: one for one in (operate, watch, lines, bus, study, review)
}


@pytest.fixture
def looked_at(no_barrier: Any, picture: Any) -> Callable[..., Any]:
    """Looks at what a page shows now, in one of its looks (light, dark; desk, tablet)."""

    async def look(page: Any, name: str) -> None:
        for (size, view), colour in some_of(itertools.product(SIZES.items(), COLOURS), seed=name):
            about = f"{name}, {colour}, {size}"
            await page.set_viewport_size(view)
            await page.emulate_media(color_scheme=colour)
            await until(lambda: page.evaluate(LAID_OUT, colour == "dark"), about)  # noqa: B023
            await no_barrier(page, about=about)
            assert await page.evaluate(TOO_WIDE_PX) <= 0, f"{about}: it scrolls sideways"
            await picture(page, f"access_{name.replace(' ', '_')}_{colour}_{size}.png")
        assert await nameless(page) == [], name

    return look


async def test_no_page_shuts_anybody_out(
    make_stage: Any,
    looked_at: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    monkeypatch.setenv("SERA_RUNS", str(runs))
    await asyncio.to_thread(make_recording, runs)
    stage = await make_stage(
        SCENARIO,
        files={
            "tutor.xlsx": (TUTOR / "tutor.xlsx").read_bytes(),
            "study.toml": STUDY,
            "console.toml": LAYOUT,
        },
    )
    fill(stage)
    stage.tell(GuideSession(do="begin"))
    page = await stage.open("operate")
    for name, is_filled in PAGES.items():
        await page.evaluate("(name) => { location.hash = `#/${name}`; }", name)
        await page.wait_for_selector(f"html[data-page={name}]")
        await is_filled(page)
        await looked_at(page, name)

    # The participant's tablet: while it waits, at the start of a form, and at a question.
    await page.goto(stage.gateway.server.url_for(PageRole.PARTICIPANT, "/console/tablet.html"))
    await page.get_by_role("heading", name="Please wait").wait_for()
    await looked_at(page, "tablet waiting")
    stage.tell(GuideSession(do="next"))
    await page.get_by_role("heading", name="About you").wait_for()
    await looked_at(page, "tablet form")
    await page.get_by_role("button", name="Begin").click()
    await page.get_by_label("How old are you?").wait_for()
    await looked_at(page, "tablet question")
