"""Restricted perception on the Operate page: the wizard knows what the robot knows, no more."""

from __future__ import annotations

from typing import Any

import pytest

from modules.attention import AttentionChanged
from sera.messages import PeopleState, PersonDetected, PersonSummary, Position, SpeechHeard
from sera.web import PageRole
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium", "espeak-ng")

PEOPLE = """
[people.guest]
seat = "chair"
[people.hidden]
position_m = [-0.7, 0.0, 1.4]
[space.seats.chair]
position_m = [0.2, 1.2, 1.2]
yaw_deg = 180
"""
TRY_FEED = """(feed) => new Promise((done) => {
    const token = seraDesk.sera.token ?? "";
    const socket = new WebSocket(`/console/room/${feed}?role=wizard&token=${token}`);
    let came = 0;
    socket.onmessage = () => { came += 1; };
    socket.onclose = ({ code, reason }) => done({ came, code, reason });
})"""


def room_in_words(page: Any) -> Any:
    """Everybody and everything that the 3-D view draws, as a screen reader is told it."""
    return page.get_by_role("group", name="What is where").locator("ul").text_content()


async def test_a_restricted_desk_shows_perceptions_and_neither_picture_nor_sound_nor_more(
    make_stage: Any, picture: Any, watched_room: dict[str, Any], no_barrier: Any
) -> None:
    watched_room["scenario"] += PEOPLE
    secret = {"restricted_perception": True, "token": "a secret of the lab's own"}
    stage = await make_stage(**watched_room, gateway=secret)
    token = stage.gateway.engine.tokens.for_role(PageRole.WIZARD)
    page = await stage.open("operate", query=f"?token={token}")

    # No picture, no sound, and the desk says why; the robot's own voice may be heard.
    room = page.locator(".panel.room")
    await room.locator("text=you see what the robot perceives").wait_for()
    await room.get_by_role("button", name="Robot's voice").wait_for()
    assert await room.locator("canvas, video, img").count() == 0
    assert await page.get_by_role("button", name="Listen").count() == 0
    why = "seraDesk.commands.all().find(({ id }) => id === 'room.listen').blocked()"
    assert await page.evaluate(why) == "there is no microphone to listen to"

    # The 3-D view draws nobody whom the robot has not perceived, and then what it perceived.
    await page.wait_for_selector(".stage-panel canvas")
    await until(lambda: _says(page, "ada"), "the room in words")
    assert "guest" not in await room_in_words(page)
    assert "hidden" not in await room_in_words(page)
    stage.tell(PersonDetected(person="guest", position=Position(x_m=0.5, y_m=1.3, z_m=1.1)))
    stage.tell(
        PeopleState(
            people=[PersonSummary(person="guest", position=Position(x_m=0.5, y_m=1.3, z_m=1.1))]
        )
    )
    heard = stage.tell(SpeechHeard(text="is anybody there", person="guest", confidence=0.9))
    await until(lambda: _says(page, "guest: 1.1 m ahead, 0.5 m left"), "the guest")
    assert "hidden" not in await room_in_words(page)
    perceptions = page.locator(".panel.perceptions")
    await perceptions.locator("text=is anybody there").wait_for()
    assert "guest" in await perceptions.inner_text()
    # So are perceptions that a laboratory has added.
    noticed = stage.tell(AttentionChanged(person="guest", attentive=True))
    await perceptions.locator("text=Attention changed").wait_for()

    # The server refuses by itself, whatever the page asks for.
    facts = await page.evaluate("seraDesk.ask('facts')")
    assert facts["restricted"] is True
    assert facts["people"] == {"guest": {}, "hidden": {}}, "where they are is not told"
    feeds = await page.evaluate("seraDesk.ask('room')")
    assert {feed["kind"] for feed in feeds["feeds"]} <= {"voice"}
    for feed in ("picture.world.eyes", "sound.world.ears"):
        ended = await page.evaluate(TRY_FEED, feed)
        assert (ended["came"], ended["code"]) == (0, 4403)
        assert "restricted perception" in ended["reason"]

    # An order is recorded together with what was visible when it was given.
    await page.evaluate("seraDesk.order('GazeAt', { target: 'guest' }, { character: 'ada' })")
    (decided,) = await until(lambda: stage.said("OperatorDecided"), "the decision")
    assert decided.message.restricted is True
    assert {heard, noticed} <= set(decided.message.seen)
    assert decided.message.feeds == []
    await picture(page, "operate-restricted.png")
    await no_barrier(page)


async def _says(page: Any, words: str) -> bool:
    return words in (await room_in_words(page) or "")
