"""Bus in a real browser: modules, who speaks to whom, live messages, and sending any of them."""

from __future__ import annotations

from typing import Any

import pytest

from sera.messages import (
    ConditionAssigned,
    ModuleFault,
    PersonDetected,
    SensorState,
    SensorStatus,
    Severity,
    SoundLevel,
    TargetUpdated,
    message_types,
)
from sera.web._roles import PageRole, sendable
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

MARKUP = "<img src=x onerror=alert(1)>"


async def test_a_person_sees_health_follows_messages_and_sends_one_by_its_form(
    make_stage: Any, picture: Any, quiet_room: str, no_barrier: Any
) -> None:
    stage = await make_stage(quiet_room)
    page = await stage.open("bus")
    row = page.locator(".modules tbody tr", has_text="ada.behaviour")
    await row.locator(".chip:has-text('well')").wait_for()
    fault = ModuleFault(module="ada.speaker", severity=Severity.ERROR, summary=f"no voice {MARKUP}")
    stage.tell(fault)
    sensor = SensorState(sense="camera", status=SensorStatus.LOST, problem="the camera is gone")
    stage.tell(sensor)
    await page.wait_for_selector(".modules tr:has-text('ada.speaker') .chip:has-text('1 error')")
    await page.wait_for_selector(f".trouble:has-text('{MARKUP}')")
    await page.wait_for_selector(".trouble:has-text('the camera is gone')")

    cause = stage.tell(PersonDetected(person="person_1"))
    stage.tell(TargetUpdated(target="person_1", alias_of="person_2"), character="ada", cause=cause)
    stage.tell(ConditionAssigned(session="s", participant="P1", condition="secret"))
    for level in range(300):
        stage.tell(SoundLevel(loudness_dbfs=[-60.0 + level / 10]))
    await page.wait_for_selector(".live .stream button:has-text('SoundLevel')")
    assert await page.locator(".live tr", has_text="SoundLevel").count() == 1
    await page.keyboard.press("/")
    await page.keyboard.type("target")
    await until(lambda: _count_is(page.locator(".live tbody tr"), 1), "the filter")
    await page.get_by_role("button", name="TargetUpdated", exact=True).click()
    await page.get_by_role("button", name="caused by PersonDetected").click()
    await page.wait_for_selector(f".full:has-text('{cause}')")
    await page.get_by_label("Type", exact=True).fill("")
    assert "secret" not in await page.locator(".live").inner_text()
    await page.get_by_role("button", name="PersonDetected", exact=True).focus()
    await page.keyboard.press("p")
    stage.tell(PersonDetected(person="person_77"))
    await page.wait_for_timeout(400)
    assert await page.locator(".live tr", has_text="person_77").count() == 0
    await page.keyboard.press("p")
    await page.wait_for_selector(".live tr:has-text('person_77')")

    form = page.locator(".send form")
    await form.wait_for()
    await form.get_by_label("text", exact=False).first.wait_for()
    await page.keyboard.press("m")
    await form.get_by_label("Message").select_option("Glance")
    await page.keyboard.press("Control+Enter")
    await page.wait_for_selector(".answer:has-text('target is required')")
    await form.get_by_label("target required").fill("person_1")
    await form.get_by_label("duration_s", exact=True).fill("0")
    await page.keyboard.press("Control+Enter")
    await page.wait_for_selector(".answer:has-text('duration_s is more than 0')")
    await form.get_by_label("duration_s", exact=True).fill("1.5")
    await page.keyboard.press("Control+Enter")
    await page.wait_for_selector(".answer:has-text('was sent as')")
    await until(lambda: stage.said("Glance"), "the Glance")
    sent = stage.said("Glance")[0]
    assert sent.id in await page.locator(".answer").inner_text()
    assert (sent.message.target, sent.message.duration_s) == ("person_1", 1.5)
    assert sent.character == "ada"

    await form.get_by_label("Message").select_option("SetEmotion")
    await page.keyboard.press("Control+Enter")  # the schema cannot say that one of two is needed
    await page.wait_for_selector(".answer:has-text('exactly one of')")
    await form.get_by_label("give it").check()
    for name, value in (("pleasure", "0.5"), ("arousal", "0.25"), ("dominance", "-1")):
        await form.get_by_label(f"{name} required").fill(value)
    await page.keyboard.press("Control+Enter")
    await until(lambda: stage.said("SetEmotion"), "the emotion")
    assert stage.said("SetEmotion")[0].message.pad.dominance == -1
    await form.get_by_label("Message").select_option("PerformUtterance")
    await form.get_by_label("text", exact=True).fill("Hello |name|")
    await form.locator("fieldset", has_text="tags").get_by_role("button", name="Add").click()
    await form.get_by_label("Name in tags").fill("name")
    await form.get_by_label("Value in tags").fill("Kim")
    await picture(page, "bus-desktop.png")
    await page.keyboard.press("Control+Enter")
    await until(lambda: stage.said("PerformUtterance"), "the line")
    assert stage.said("PerformUtterance")[0].message.tags == {"name": "Kim"}
    await no_barrier(page)


async def _count_is(found: Any, wanted: int) -> bool:
    return bool(await found.count() == wanted)


async def test_an_observer_looks_on_in_the_dark_on_a_tablet_and_has_no_form(
    make_stage: Any, picture: Any, quiet_room: str, no_barrier: Any
) -> None:
    stage = await make_stage(quiet_room)
    page = await stage.open("bus", dark=True, tablet=True, query="?role=observer")
    await page.locator(".modules tbody tr", has_text="ada.behaviour").wait_for()
    stage.tell(PersonDetected(person="person_1"))
    await page.wait_for_selector(".node")
    await page.locator(".node[data-source='world.supervisor']").focus()
    await page.wait_for_selector(".graph.lit")
    words = await page.locator(".graph-words").inner_text()
    assert words.startswith("world.supervisor")
    await page.locator(".graph-table summary").click()
    assert await page.locator(".send").count() == 0
    assert await page.evaluate("document.body.scrollWidth <= innerWidth")
    for _ in range(20):  # a busy bus: the page stays usable and bounded
        for number in range(50):
            stage.tell(PersonDetected(person=f"person_{number}"))
        await page.wait_for_timeout(20)
    await until(
        lambda: page.evaluate("Number(document.querySelectorAll('.live tbody tr').length) >= 100")
    )
    assert await page.locator(".live tbody tr").count() <= 200
    await picture(page, "bus-tablet-dark.png")
    await no_barrier(page)
    async with stage.asking() as ask:
        told = (await ask.get("messages", headers={"sera-role": "observer"})).json()
        assert told["messages"] == []
        told = (await ask.get("messages", headers={"sera-role": "wizard"})).json()
        types = {message["type"] for message in told["messages"]}
        assert types == set(sendable(PageRole.WIZARD)) <= set(message_types())
        assert all(message["schema"]["type"] == "object" for message in told["messages"])
        assert "Pad" in told["definitions"]
        answer = await ask.get("messages", headers={"sera-role": "participant"})
        assert answer.status_code == 403
