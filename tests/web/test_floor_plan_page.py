"""The floor plan in a real browser: simulated people are dragged, turned, made to speak and go."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import WORLD
from sera.runtime._host import ModuleHost
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from tests.browser import new_context, watch_for
from tests.helpers import PATIENCE_S, until

pytestmark = pytest.mark.needs_program("chromium")

SCENARIO = """
[scenario]
title = "Plan"
[modules.gateway]
[modules.visitors]
module = "simulated_people"
senses = { misses_part = 0.0 }
people.guest.script = [{ do = "come" }, { do = "wait", for_s = 600 }]
people.passer.comes_after_s = 600
[characters.ada]
[people.guest]
seat = "guest"
[space.seats.guest]
position_m = [0.5, 1.2, 1.4]
yaw_deg = 180
[space.screens.wall]
position_m = [1.2, 1.0, 0.4]
yaw_deg = -60
width_m = 0.8
height_m = 0.5
[space.objects.plant]
position_m = [-1.2, 0.5, 1.0]
size_m = [0.4, 1.0, 0.4]
[space.cameras.front]
position_m = [0.0, 1.3, 0.1]
fov_deg = 70
"""
BARE = '[scenario]\ntitle = "Bare"\n[modules.gateway]\n'


@contextlib.asynccontextmanager
async def playing(folder: Path, make_running: Any) -> AsyncIterator[Any]:
    """The gateway with people who play on the same bus."""
    place = folder / "scenarios" / "plan"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    workspace = Workspace.discover(folder)
    workspace.activate()
    scenario = load_scenario("plan", workspace)
    broker, clock = MemoryBroker(), Clock()

    def join(identity: Identity, **options: Any) -> MemoryBus:
        return MemoryBus(identity, broker, **options)

    running = await make_running(make_bus=join)
    plan = scenario.plan(WORLD, "visitors")
    host = ModuleHost(
        plan.module_class,
        Identity("hello-1", WORLD, "visitors"),
        ModuleContext(clock=clock, scenario=scenario, folder=place, seed=3),
        lambda identity, will, everyone: join(
            identity, now=clock.now, will=will, hears_everyone=everyone
        ),
        settings=plan.settings.model_dump(exclude_unset=True),
    )
    task = asyncio.create_task(host.run())
    yield running
    host.stop()
    await asyncio.wait([task], timeout=PATIENCE_S)


def test_the_page_is_offered_where_the_scenario_has_simulated_people(
    gateway_class: Any, tmp_path: Path
) -> None:
    workspace = Workspace.discover(Path(__file__))
    for text, pages in ((SCENARIO, ["/static/floor_plan.html"]), (BARE, [])):
        (tmp_path / "scenario.toml").write_text(text, encoding="utf-8")
        scenario = load_scenario(tmp_path, workspace)
        gateway = SimpleNamespace(context=SimpleNamespace(scenario=scenario))
        assert gateway_class._further_pages(gateway) == pages


def person(running: Any, name: str) -> Any:
    states = running.said("SimulatedPeopleState")
    return states and next(one for one in states[-1].message.people if one.name == name)


def spoken(running: Any) -> set[str | None]:
    states = running.said("SimulatedPeopleState")
    return {one.saying for state in states for one in state.message.people}


def latest_event(running: Any) -> Any:
    events = running.said("ActivityEvent")
    return events and events[-1].message


def is_at(x_m: float, z_m: float, place: tuple[float, float], within_m: float = 0.05) -> bool:
    return abs(x_m - place[0]) < within_m and abs(z_m - place[1]) < within_m


async def until_seated(page: Any, running: Any) -> None:
    """The guest has walked to the seat, and the page shows it: nothing moves under the mouse."""
    seat = (0.5, 1.4)
    await until(
        lambda: (p := person(running, "guest")) and p.here and is_at(p.x_m, p.z_m, seat, 0.01),
        "the guest on the seat",
    )
    await page.wait_for_function(
        """([x_m, z_m]) => {
          const dot = document.querySelector(".person:not([hidden])");
          const at = dot?.transform.baseVal.consolidate()?.matrix;
          return at && Math.hypot(at.e + x_m, at.f + z_m) < 0.01;
        }""",
        arg=seat,
    )


async def place_under(page: Any, x: float, y: float) -> tuple[float, float]:
    """Where in the room a point of the page lies: x and z in metres."""
    point = await page.evaluate(
        """([x, y]) => {
          const plan = document.getElementById("plan");
          const at = new DOMPoint(x, y).matrixTransform(plan.getScreenCTM().inverse());
          return [-at.x, -at.y];
        }""",
        [x, y],
    )
    return point[0], point[1]


async def middle(page: Any, selector: str) -> tuple[float, float]:
    box = await page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def when_still(page: Any, selector: str) -> tuple[float, float]:
    """Its middle, once it has not moved for half a second."""
    before, since = None, 0
    while since < 10:
        now = await middle(page, selector)
        since = since + 1 if now == before else 0
        before = now
        await asyncio.sleep(0.05)
    return now


async def test_people_on_the_plan_obey_mouse_keys_and_buttons(
    make_running: Any, chromium: Any, picture: Any, tmp_path: Path
) -> None:
    async with playing(tmp_path, make_running) as running:
        context = await new_context(chromium, viewport={"width": 1000, "height": 640})
        page = await context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        await page.goto(f"{running.origin}/static/floor_plan.html")
        await page.wait_for_selector("#cards li[data-person=guest]")
        await until_seated(page, running)

        x, y = await middle(page, ".person .body")
        wanted = await place_under(page, x - 140, y + 60)
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x - 60, y + 20, steps=4)
        await page.mouse.move(x - 140, y + 60, steps=4)
        await picture(page, "plan_dragging.png")
        await page.mouse.up()
        await until(
            lambda: (
                (last := latest_event(running))
                and (last.event, last.person) == ("person_dragged", "guest")
                and is_at(last.data["x_m"], last.data["z_m"], wanted, within_m=0.01)
            ),
            "the word of where the mouse let go",
        )
        await until(
            lambda: (p := person(running, "guest")) and is_at(p.x_m, p.z_m, wanted),
            "the guest where the mouse let go",
        )
        assert person(running, "guest").held

        card = page.locator("#cards li[data-person=guest]")
        await card.locator("input").fill("Good morning, robot.")
        wave = await watch_for(page, ".wave")
        await card.get_by_role("button", name="Say").click()
        await until(lambda: "Good morning, robot." in spoken(running), "words")
        await wave()
        await picture(page, "plan_speaking.png")
        await until(lambda: running.said("SpeechActivity"), "the microphones")
        await card.locator("select").select_option("wall")
        await until(lambda: person(running, "guest").looks_at == "wall", "the look")

        nose_x, nose_y = await when_still(page, ".person .nose")
        await page.mouse.move(nose_x, nose_y)
        await page.mouse.down()
        await page.mouse.move(nose_x - 200, nose_y, steps=3)
        await page.mouse.up()
        await until(
            lambda: (
                (last := latest_event(running)).event == "person_turned"
                and abs(last.data["horizontal_deg"] + 90) < 25
            ),
            "the turn to where the mouse let go",
        )

        before = person(running, "guest").x_m
        await page.locator(".person").first.focus()
        await page.keyboard.press("ArrowLeft")
        await until(lambda: person(running, "guest").x_m > before + 0.05, "a step left")

        other = page.locator("#cards li[data-person=passer]")
        await other.get_by_role("button", name="Come").click()
        await until(lambda: person(running, "passer").here, "the passer-by")
        await card.get_by_role("button", name="Let go").click()
        await until(lambda: not person(running, "guest").held, "the script again")
        await picture(page, "plan_two.png")
        await context.close()
        assert errors == []
        assert all(url.startswith(running.origin) for url in asked)
        assert running.said("ModuleFault") == []


async def test_a_finger_drags_too_and_an_observer_only_looks_on(
    make_running: Any, chromium: Any, picture: Any, tmp_path: Path
) -> None:
    async with playing(tmp_path, make_running) as running:
        phone = await new_context(
            chromium, viewport={"width": 420, "height": 800}, has_touch=True, is_mobile=True
        )
        page = await phone.new_page()
        await page.goto(f"{running.origin}/static/floor_plan.html")
        await until_seated(page, running)
        x, y = await middle(page, ".person .body")
        session = await phone.new_cdp_session(page)

        async def touch(kind: str, *points: tuple[float, float]) -> None:
            await session.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [{"x": a, "y": b} for a, b in points]},
            )

        wanted = await place_under(page, x + 60, y + 60)
        await touch("touchStart", (x, y))
        await touch("touchMove", (x + 30, y + 30))
        await asyncio.sleep(0.1)
        await touch("touchMove", (x + 60, y + 60))
        await touch("touchEnd")
        await until(
            lambda: (
                (last := latest_event(running))
                and last.event == "person_dragged"
                and is_at(last.data["x_m"], last.data["z_m"], wanted)
            ),
            "the finger",
        )
        await picture(page, "plan_phone.png")

        watcher = await (await new_context(chromium)).new_page()
        await watcher.goto(f"{running.origin}/static/floor_plan.html?role=observer")
        await watcher.wait_for_selector("#cards li[data-person=guest]")
        said = len(running.said("ActivityEvent"))
        assert await watcher.get_by_role("button", name="Leave").first.is_disabled()
        await watcher.wait_for_selector(".person:not([hidden]) .body")
        x, y = await middle(watcher, ".person .body")
        await watcher.mouse.move(x, y)
        await watcher.mouse.down()
        await watcher.mouse.move(x + 80, y, steps=3)
        await watcher.mouse.up()
        assert len(running.said("ActivityEvent")) == said
        assert "look on" in await watcher.inner_text("#hint")
        await phone.close()
        await watcher.context.close()
