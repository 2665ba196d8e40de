"""The autonomy dial and the machine's suggestions, in real browsers of two operators."""

from __future__ import annotations

from typing import Any

import pytest

from sera.messages import PersonDetected, Position, Suggestion
from tests.helpers import PATIENCE_S, until

pytestmark = pytest.mark.needs_program("chromium")

SUGGESTING = """
[scenario]
title = "Suggesting"
[characters.ada]
[characters.ada.autonomy]
speech = "suggest"
[characters.ada.modules.greeter]
[characters.ada.modules.behaviour]
module = "behaviour_manager"
libraries = ["lines.csv"]
[characters.ada.modules.speaker]
voice = "silent"
"""
LINES = {"lines.csv": "id,category,text\ng1,greeting,Hello there.\n"}


async def _count_is(found: Any, wanted: int) -> bool:
    return bool(await found.count() == wanted)


async def press(page: Any, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def test_a_suggestion_is_accepted_rejected_edited_or_lapses(
    make_stage: Any, picture: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sera.runtime._gate.SUGGESTION_LAPSES_AFTER_S", PATIENCE_S)
    stage = await make_stage(SUGGESTING, files=LINES)
    page = await stage.open("operate")
    somewhere = Position(x_m=0, y_m=1.2, z_m=1)

    async def somebody_comes(person: str) -> str:
        before = len(stage.said("Suggestion"))
        stage.tell(PersonDetected(person=person, position=somewhere))
        await until(lambda: len(stage.said("Suggestion")) > before, "a suggestion")
        await page.wait_for_selector(".proposal")
        # A key that comes faster than anybody reacts was meant for something else.
        await page.wait_for_timeout(300)
        return stage.said("Suggestion")[-1].id

    def resolved(suggestion: str) -> Any:
        found = [e.message for e in stage.said("SuggestionResolved")]
        return next((one for one in found if one.suggestion == suggestion), None)

    # Accepted with one key: the machine itself does it, once.
    first = await somebody_comes("guest1")
    assert "greeting" in await page.locator(".proposal .what").inner_text()
    assert (await page.locator(".proposal .remaining").inner_text()).endswith(" s")
    second = await somebody_comes("guest2")
    await picture(page, "suggestions.png")
    await press(page, "a")
    answer = await until(lambda: resolved(first), "the first answer")
    assert (answer.outcome, answer.edited) == ("accepted", False)
    done = await until(lambda: stage.said("PerformUtterance"), "the greeting")
    assert done[0].source == "ada.greeter"
    assert resolved(second) is None, "one key answers one suggestion"

    # Rejected; nothing is said.
    await page.wait_for_timeout(300)
    await press(page, "z")
    assert (await until(lambda: resolved(second), "the second answer")).outcome == "rejected"

    # Edited: the operator says other words, and the suggestion counts as accepted.
    third = await somebody_comes("guest3")
    await press(page, "e")
    await page.get_by_label("say these words instead").fill("Welcome back.")
    await press(page, "Enter")
    answer = await until(lambda: resolved(third), "the third answer")
    assert (answer.outcome, answer.edited) == ("accepted", True)
    own = stage.said("PerformUtterance")[-1]
    assert (own.message.text, own.source) == ("Welcome back.", "world.gateway")
    assert len(stage.said("PerformUtterance")) == 2, "the machine does not say it too"

    # Nobody answers: it lapses and goes away. What it says is text, whatever it looks like.
    await page.wait_for_selector(".proposal", state="detached")
    hostile = "<img src=x onerror=alert(1)>"
    stage.tell(
        Suggestion(
            action_type="constructor",
            action={"text": hostile},
            reason=hostile,
            lapses_after_s=PATIENCE_S,
        ),
        character="ada",
    )
    await page.wait_for_selector(".proposal >> text=Why: <img")
    assert await page.locator(".proposal img").count() == 0
    brief = Suggestion(action_type="Speak", action={"text": "Hm."}, lapses_after_s=1.0)
    stage.tell(brief, character="ada")
    await page.wait_for_selector(".resolved >> text=lapsed")
    await until(lambda: _count_is(page.locator(".proposal"), 1), "its going away")


async def test_the_dial_is_turned_owned_and_handed_over_live(
    make_stage: Any, picture: Any, no_barrier: Any
) -> None:
    stage = await make_stage(SUGGESTING, files=LINES)
    page = await stage.open("operate", query="?desk=left")
    other = await stage.open("operate", query="?desk=right", dark=True)
    row = lambda one, channel: one.locator(f".dial-row[data-channel={channel}]")  # noqa: E731

    async def stands(one: Any, channel: str, mode: str) -> None:
        checked = row(one, channel).get_by_role("radio", name=mode)
        await until(
            lambda: checked.evaluate("(one) => one.getAttribute('aria-checked') === 'true'"),
            f"{channel} {mode}",
        )

    await stands(page, "speech", "suggest")
    await press(page, "d", "g")
    await stands(page, "gaze", "suggest")
    await stands(other, "gaze", "suggest")
    turned = stage.said("AutonomyChanged")[-1].message
    assert (turned.channel, turned.previous, turned.mode) == ("gaze", "autonomous", "suggest")

    # With the arrow keys, as in every group of radio buttons; what is stricter counts.
    await row(page, "decision").get_by_role("radio", name="autonomous").focus()
    await press(page, "ArrowLeft")
    await stands(other, "decision", "wizard")
    await row(page, "gaze").locator("text=in effect wizard").first.wait_for()

    # Taken in hand: the other desk sees whose it is and cannot turn it.
    await press(page, "w", "g")
    await row(other, "gaze").locator("text=left's").wait_for()
    await row(page, "gaze").locator("text=yours").wait_for()
    before = len(stage.said("AutonomyChanged"))
    await row(other, "gaze").get_by_role("radio", name="autonomous").click(force=True)
    await other.wait_for_selector(".toast >> text=left has it in hand")
    await other.locator(".gaze button[title*='left has gaze in hand']").first.wait_for()
    assert len(stage.said("AutonomyChanged")) == before
    await picture(other, "dial_dark.png")
    await no_barrier(other)

    # Handed over and let go.
    await page.get_by_role("button", name="Hand over gaze").click()
    await row(other, "gaze").locator("text=yours").wait_for()
    await stands(other, "gaze", "suggest")
    await press(other, "w", "g")
    await until(lambda: stage.said("Autonomy")[-1].message.owners == {}, "letting go")
    await row(page, "gaze").locator("text=right's").wait_for(state="hidden")
