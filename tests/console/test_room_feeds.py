"""The server of the room's pictures and sounds, asked by programs that obey no page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from typing import Any

import httpx
import pytest
import websockets

from sera.web import PageRole
from tests.browser import connect
from tests.helpers import PATIENCE_S, until

pytestmark = pytest.mark.needs_program("chromium", "espeak-ng")


async def feeds_as(stage: Any, role: str, token: str | None = None) -> httpx.Response:
    headers = {"sera-role": role} | ({"sera-token": token} if token else {})
    query = {"token": token} if token else {}
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        return await client.get(f"{stage.origin}/console/api/room", headers=headers, params=query)


async def all_offered(stage: Any, token: str | None = None) -> None:
    async def offered() -> bool:
        return len((await feeds_as(stage, "observer", token)).json()["feeds"]) == 3

    await until(offered, "the feeds")


async def read_as(
    stage: Any, feed: str, *, enough: int = 1, origin: str | None = None, **query: str
) -> tuple[list[Any], int | None, str]:
    """The first that a raw client is sent, or how the server ends it before."""
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    address = f"ws{stage.origin[4:]}/console/room/{feed}?{asked}"
    came: list[Any] = []
    async with connect(address, origin=origin, max_size=None) as socket:
        try:
            while len(came) < enough:
                came.append(await socket.recv())
        except websockets.ConnectionClosed:
            return came, socket.close_code, socket.close_reason or ""
    return came, None, ""


async def test_restricted_wizards_get_no_picture_and_no_sound_whatever_they_try(
    make_stage: Any, watched_room: dict[str, Any]
) -> None:
    secret = "a secret of the lab's own"
    stage = await make_stage(
        **watched_room,
        gateway={"restricted_perception": True, "token": secret},
    )
    tokens = {str(role): stage.gateway.engine.tokens.for_role(role) for role in PageRole}
    wizard = {"role": "wizard", "token": tokens["wizard"]}
    observer = {"role": "observer", "token": tokens["observer"]}
    await all_offered(stage, tokens["observer"])
    listed = await feeds_as(stage, "wizard", tokens["wizard"])
    assert [feed["kind"] for feed in listed.json()["feeds"]] == ["voice"]
    assert "restricted perception" in listed.json()["why"]
    assert tokens["wizard"] not in listed.text

    seen, code, _ = await read_as(stage, "picture.world.eyes", enough=2, **observer)
    assert code is None
    assert json.loads(seen[0])["kind"] == "picture"
    assert seen[1][8:11] == b"\xff\xd8\xff"
    capture_s = struct.unpack("<d", seen[1][:8])[0]
    assert abs(stage.run.clock.now() - capture_s) < PATIENCE_S, "another clock"

    tries: list[tuple[str, dict[str, str]]] = [
        ("picture.world.eyes", wizard),
        ("sound.world.ears", wizard),
        ("voice.ada.speaker%2F..%2Fpicture.world.eyes", wizard),
        ("Picture.world.eyes", wizard),
        ("picture.world.eyes", wizard | {"restricted": "false", "desk": "observer"}),
        ("picture.world.eyes", {"role": "observer", "token": tokens["wizard"]}),
        ("picture.world.eyes", {"role": "observer"}),
        ("picture.world.eyes", {}),
    ]
    for role in ("participant", "activity"):
        given = {"role": role, "token": tokens[role]}
        tries += [("picture.world.eyes", given), ("voice.ada.speaker", given)]
        refused = await feeds_as(stage, role, tokens[role])
        assert refused.status_code == 403
        assert "feeds" not in refused.json()
    for feed, query in tries:
        try:
            came, code, why = await read_as(stage, feed, **query)
        except websockets.InvalidStatus:
            continue  # not even let in at the door
        assert came == [], (feed, query)
        assert code in (4403, 4404), (feed, query)
        assert why.count(" ") >= 3
    with pytest.raises(websockets.InvalidStatus):
        await read_as(stage, "voice.ada.speaker", origin="https://elsewhere.example", **wizard)
    heard, code, _ = await read_as(stage, "voice.ada.speaker", **wizard)
    assert code is None
    assert json.loads(heard[0])["character"] == "ada"


async def test_pings_are_answered_viewers_are_counted_and_floods_end(
    make_stage: Any, watched_room: dict[str, Any]
) -> None:
    stage = await make_stage(**watched_room)
    await all_offered(stage)
    address = f"ws{stage.origin[4:]}/console/room/voice.ada.speaker?role=observer"
    sockets = [await connect(address) for _ in range(8)]
    for socket in sockets:
        await socket.recv()
    ninth, code, why = await read_as(stage, "voice.ada.speaker", role="observer")
    assert (ninth, code) == ([], 4503)
    assert "8 pages" in why
    asked_s = stage.run.clock.now()
    await sockets[0].send("ping 41")
    _, number, now_s = str(await sockets[0].recv()).split()
    assert number == "41"
    assert asked_s - 0.01 <= float(now_s) <= stage.run.clock.now() + 0.01
    for odd in ("ping", "ping x", "ping " + "9" * 500, "nonsense", b"\x00\xff"):
        await sockets[0].send(odd)
    await sockets[0].send("ping 42")
    assert str(await sockets[0].recv()).startswith("pong 42 ")
    for _ in range(400):
        await sockets[1].send("ping 1")
    with contextlib.suppress(websockets.ConnectionClosed):
        while True:
            await sockets[1].recv()
    assert sockets[1].close_code == 4429

    # A page that confirms nothing further gets no more than a few frames ahead.
    eyes = f"ws{stage.origin[4:]}/console/room/picture.world.eyes?role=wizard"
    watching, other = [await connect(eyes, max_size=None) for _ in range(2)]
    await watching.recv()
    await watching.recv()
    await watching.send("seen")
    await other.recv()
    for _ in range(24):
        await other.recv()
        await other.send("seen")
    came = 0
    with contextlib.suppress(TimeoutError):
        while True:
            await asyncio.wait_for(watching.recv(), 0.3)
            came += 1
    assert came <= 8
    for socket in (*sockets, watching, other):
        await socket.close()


async def test_a_feed_that_ends_says_so_with_a_code_of_its_own(
    make_stage: Any, watched_room: dict[str, Any]
) -> None:
    stage = await make_stage(**watched_room)
    await all_offered(stage)
    modules = {module.source: module for module in stage.run.modules}
    for feed, kept_by, name in (
        ("picture.world.eyes", modules["world.eyes"]._feed, "video room.avi"),
        ("voice.ada.speaker", modules["ada.speaker"]._live, "ada"),
    ):
        address = f"ws{stage.origin[4:]}/console/room/{feed}?role=wizard"
        async with connect(address, max_size=None) as viewer:
            greeting = json.loads(await viewer.recv())
            assert name in greeting["name"]
            await kept_by.stop()
            with contextlib.suppress(websockets.ConnectionClosed):
                while True:
                    await viewer.recv()
            assert viewer.close_code == 4410
            assert viewer.close_reason == f"{greeting['name']} has ended"
        # Whoever comes later learns that nobody offers it, and the others go on.
        assert (await read_as(stage, feed, role="wizard"))[1] == 4404
    _, code, _ = await read_as(stage, "sound.world.ears", enough=4, role="wizard")
    assert code is None
