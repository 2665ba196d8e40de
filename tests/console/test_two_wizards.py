"""Two wizards at one robot: each sees in the queue whose line it is, also who comes late."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

LONG = "on and " * 300 + "on"
"""Said for longer than the pages of this test need to open, on a slow machine as well."""


async def say(page: Any, words: str) -> None:
    await page.keyboard.press("t")
    await page.keyboard.insert_text(words)
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")


def queue_of(page: Any) -> Any:
    """What is being said and by whom, and the same of what waits, as the page shows it."""
    return page.evaluate(
        """() => {
            const words = (one) => one?.textContent ?? "";
            const from = document.querySelector(".queue header .quietly");
            const entries = [...document.querySelectorAll(".queue-entry")];
            return [words(from), ...entries.map((one) =>
                `${words(one.querySelector(".text"))}: ${words(one.querySelector(".quietly"))}`)];
        }"""
    )


async def test_everybody_sees_who_ordered_which_line(make_stage: Any, quiet_room: str) -> None:
    stage = await make_stage(quiet_room)
    left = await stage.open("operate", query="?desk=left")
    right = await stage.open("operate", query="?desk=right")
    await say(left, f"{LONG}.")
    await until(lambda: stage.said("UtteranceStarted"), "the first line")
    await say(right, "From the right.")
    await until(lambda: len(stage.said("PerformUtterance")) == 2, "the second line")
    await say(left, "From the left.")

    async def shows(page: Any, *wanted: str) -> None:
        async def fits() -> bool:
            return await queue_of(page) == list(wanted)

        await until(fits, f"a queue of {wanted}")

    await shows(left, "by you", "From the right.: by right", "From the left.: by you")
    await shows(right, "by left", "From the right.: by you", "From the left.: by left")
    late = await stage.open("operate", query="?role=observer")
    await shows(late, "by left", "From the right.: by right", "From the left.: by left")

    # Without a line that is being said the names of those that wait are found as well.
    for key in ("q", "p", "q", "p"):
        await right.keyboard.press(key)
    await until(
        lambda: all(one.held for one in stage.said("BehaviourState")[-1].message.waiting), "holding"
    )
    await right.keyboard.press(".")
    await until(lambda: stage.said("UtteranceCancelled"), "silence")
    later = await stage.open("operate", query="?role=observer")
    await shows(later, "", "From the right.: by right", "From the left.: by left")
    decided = [one.message.by for one in stage.said("OperatorDecided")][:3]
    assert decided == ["left", "right", "left"]
