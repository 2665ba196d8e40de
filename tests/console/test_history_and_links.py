"""The last minutes of a run, and links for other devices, as the server gives them out."""

from __future__ import annotations

from typing import Any

import pytest

from sera.messages import Clicked, ConditionAssigned, PerformUtterance, PersonMoved, Position
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

BARE = '[scenario]\ntitle = "Bare"\n[characters.ada]\n'


async def test_pages_that_open_late_are_told_what_was_said_and_wizards_may_pass_on_links(
    make_stage: Any,
) -> None:
    stage = await make_stage(BARE)
    stage.tell(Clicked(element="a"))
    stage.tell(PersonMoved(person="person_1", position=Position(x_m=0, y_m=1, z_m=2)))
    stage.tell(ConditionAssigned(session="s1", participant="p1", condition="warm"))
    said = stage.tell(PerformUtterance(text="Hello."), character="ada")
    async with stage.asking() as client:

        async def ask(path: str, role: str = "observer") -> Any:
            return await client.get(path, headers={"sera-role": role})

        async def types() -> set[str]:
            told = (await ask("/history?seconds=60")).json()["messages"]
            return {one["type"] for one in told}

        await until(lambda: _has(types, "PerformUtterance"))
        told = (await ask("/history?seconds=60")).json()
        assert not {"PersonMoved", "ConditionAssigned"} & {one["type"] for one in told["messages"]}
        line = next(one for one in told["messages"] if one["id"] == said)
        assert (line["character"], line["data"]["text"]) == ("ada", "Hello.")
        assert (await ask("/history?seconds=0")).json()["messages"] == []
        assert (await ask("/history?seconds=soon")).json()["why"].startswith("`seconds` is no")
        for role in ("participant", "activity", "", "wizzard"):
            assert (await ask("/history", role)).status_code == 403

        tablet = "/link?role=participant&path=/console/tablet.html"
        given = (await ask(tablet, "wizard")).json()
        assert given == {"url": f"{stage.origin}/console/tablet.html", "other_devices": False}
        drawn = await ask(tablet.replace("/link", "/qr"), "wizard")
        assert drawn.headers["content-type"].startswith("image/svg+xml")
        assert "<svg" in drawn.text
        assert (await ask(tablet, "observer")).status_code == 403
        for wrong in (
            "role=wizard&path=/",
            "role=participant&path=//else.where",
            "role=observer&path=x",
        ):
            assert (await ask(f"/link?{wrong}", "wizard")).status_code == 400


async def _has(types: Any, name: str) -> bool:
    return name in await types()
