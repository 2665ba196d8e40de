"""The room in a real browser: live picture and sound, what stops, and the robot's own voice."""

from __future__ import annotations

from typing import Any

import pytest

from sera.feeds import FeedServer
from sera.messages import (
    Clicked,
    Engagement,
    MarkerSeen,
    PeopleState,
    PersonSummary,
    Position,
    SensorState,
    SensorStatus,
    Speak,
    SpeechHeard,
)
from tests.helpers import until

pytestmark = [
    pytest.mark.needs_program("chromium", "espeak-ng"),
    pytest.mark.usefixtures("own_live_runs"),
]

SHOW = """async () => {
  const [{ showRoom }, { showPerceptions }] = await Promise.all(
    ["room", "perceptions"].map((name) => import(`/console/parts/${name}.js`)));
  const place = document.createElement("div");
  place.style.maxWidth = "26rem";
  place.style.padding = "0.75rem";
  place.className = "stack";
  const title = document.createElement("h1");
  title.textContent = "Room";
  document.getElementById("page").replaceChildren(place);
  place.append(title);
  const ends = [showRoom(place, seraDesk), showPerceptions(place, seraDesk)];
  window.closeRoom = () => ends.forEach((end) => end());
}"""


TRUE_DELAY = """async () => {
  const view = document.querySelector(".room-view");
  const delays = [];
  await new Promise((done) => {
    const observer = new MutationObserver(() => {
      delays.push(Date.now() - Number(view.dataset.captured) * 1000);
      if (delays.length === 30) { observer.disconnect(); done(); }
    });
    observer.observe(view, { attributeFilter: ["data-captured"] });
  });
  const shown = Number(document.querySelector(".room header .chip").textContent.split(" ")[1]);
  return [shown, delays.sort((one, other) => one - other)[15]];
}"""
"""Milliseconds from capture to drawing, the middle of 30: as shown, and as it truly is."""


WATCH_FRESH = """() => {
  window.fresh = new Set();
  new MutationObserver(() => {
    for (const one of document.querySelectorAll(".perceptions li.fresh")) fresh.add(one);
  }).observe(document.getElementById("page"), { subtree: true, childList: true, attributes: true });
}"""
"""Remembers what was marked as new, which it is for a moment."""


def words(page: Any) -> Any:
    return page.inner_text("#page")


async def _is_marked(page: Any, stage: Any) -> bool:
    if await page.evaluate("fresh.size >= 3"):
        return True
    stage.tell(Clicked(element="card_4"))  # a page that is late marks nothing that is past
    return False


async def _tells_the_delay(page: Any) -> bool:
    shown_ms, true_ms = await page.evaluate(TRUE_DELAY)
    return shown_ms >= 0 and abs(shown_ms - true_ms) < max(40, true_ms / 2)


async def test_a_wizard_sees_and_hears_the_room_live(
    make_stage: Any,
    picture: Any,
    watched_room: dict[str, Any],
    no_barrier: Any,
) -> None:
    stage = await make_stage(**watched_room)
    page = await stage.open("bus")
    await page.evaluate(SHOW)
    await page.wait_for_selector(".room-view[data-state=live]")
    await until(
        lambda: page.evaluate("Number(document.querySelector('.room-view').dataset.drawn) > 12"),
        "a film",
    )
    colour = await page.evaluate(
        "[...document.querySelector('.room canvas').getContext('2d')"
        ".getImageData(320, 20, 1, 1).data]"
    )
    assert colour[:3] == pytest.approx([120, 120, 120], abs=12)
    # Browser and run are on one machine here, so that the truth is known.
    await until(lambda: _tells_the_delay(page), "the true delay of the picture")

    await page.keyboard.press("v")
    await page.keyboard.press("l")
    await page.wait_for_selector(".room-sound button[aria-pressed=true]")
    await until(
        lambda: page.evaluate(
            "Number(document.querySelector('[role=meter]').getAttribute('aria-valuenow')) > 50"
        ),
        "the sound of the room",
    )
    waits = int((await page.inner_text(".room-sound .quietly")).split()[0])
    assert waits >= 0

    await page.evaluate(WATCH_FRESH)
    stage.tell(
        PeopleState(
            people=[
                PersonSummary(
                    person="person_1",
                    position=Position(x_m=0.8, y_m=1.4, z_m=1.2),
                    engagement=Engagement.ENGAGED,
                    looks_at="ada",
                    speaking=True,
                ),
                PersonSummary(person="person_2", seen=False),
            ],
            speaker="person_1",
        )
    )
    stage.tell(SpeechHeard(text="what <b>is</b> this", person="person_1", confidence=0.82))
    stage.tell(Clicked(element="card_3", person="person_2"))
    stage.tell(MarkerSeen(marker="aruco_4x4:17", position=Position(x_m=-1, y_m=1, z_m=0.1)))
    stage.tell(
        SensorState(sense="other", status=SensorStatus.LOST, problem="The glove is unplugged.")
    )
    await page.wait_for_selector("text=what <b>is</b> this")
    told = await words(page)
    for expected in (
        "engaged, speaks, has the floor, looks at ada",
        "ahead on its left",
        "not seen, expected",
        "82 % sure",
        "clicked card_3",
        "on its right",
        "lost: The glove is unplugged.",
        "video room.avi",
    ):
        assert expected in told, expected
    await until(lambda: _is_marked(page, stage), "marks of what is new")
    await picture(page, "room-light.png")
    await no_barrier(page)
    dark = await stage.open("bus", dark=True, tablet=True)
    await dark.evaluate(SHOW)
    await dark.wait_for_selector(".room-view[data-state=live]")
    await picture(dark, "room-dark.png")
    await no_barrier(dark)

    # The camera goes: the picture is marked at once, and comes back by itself.
    eyes = next(module for module in stage.run.modules if module.source == "world.eyes")
    await eyes._feed.stop()
    stopped = page.locator(".room-view[data-state=stopped] .stopped")
    await stopped.wait_for()
    assert "picture stopped" in await stopped.inner_text()
    await picture(page, "room-stopped.png")
    eyes._feed.server = server = FeedServer(
        "picture", "video room.avi", stage.run.run_id, "world.eyes", device="room.avi"
    )
    await server.start(now_s=stage.run.clock.now())
    await page.wait_for_selector(".room-view[data-state=live]")

    await page.evaluate("closeRoom()")
    await dark.context.close()
    await until(lambda: not server.read, "the end of reading")


async def test_the_robots_voice_is_heard_in_the_browser(make_stage: Any, quiet_room: str) -> None:
    stage = await make_stage(quiet_room.replace('"silent"', '"espeak"'))
    page = await stage.open("bus")
    await page.evaluate(SHOW)
    await page.wait_for_selector("text=sera run NAME --camera 0")
    await page.get_by_role("button", name="Robot's voice").click()
    await page.wait_for_selector(".voice-toggle[aria-pressed=true]")
    await page.evaluate(
        """async () => {
          const { hearVoice } = await import("/console/parts/voice.js");
          window.voice = hearVoice(seraDesk, "ada");
        }"""
    )
    speaker = next(module for module in stage.run.modules if module.source == "ada.speaker")
    await until(lambda: len(speaker._live.server._readers) == 2, "two listeners")
    stage.tell(Speak(text="Can you hear me in your browser? " * 20), character="ada")
    await until(lambda: page.evaluate("voice.level() > 0.005"), "the voice")
    await page.keyboard.press("v")
    await page.keyboard.press("v")
    await page.evaluate("voice.stop()")
    await page.wait_for_selector(".voice-toggle[aria-pressed=false]")
    await until(lambda: not speaker._live.server.read, "the end of listening")
