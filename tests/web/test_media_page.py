"""The media page in a real browser: it shows, plays, tells its end and obeys."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from sera.messages import ActivityCommand
from sera.speech import Sound, write_wav
from tests.browser import holds, new_context
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


async def test_the_page_shows_pictures_plays_sounds_and_tells_how_each_ended(
    make_running: Any, chromium: Any, tmp_path: Path
) -> None:
    media = tmp_path / "media"
    media.mkdir()
    (media / "cat.png").write_bytes(png())
    (media / "broken.png").write_bytes(b"no picture")
    (media / "bell.wav").write_bytes(write_wav(Sound(b"\x00\x20" * 1600, 8000)))
    running = await make_running(folder=tmp_path)

    def order(command: str, action: str, **data: Any) -> None:
        about = {"action": action, "screen": None, "volume": 1.0, "loop": False, "start_s": 0.0}
        running.other.publish(ActivityCommand(command=command, data={**about, **data}))

    def told(event: str, action: str) -> Any:
        return next(
            (
                one.message.data
                for one in running.said("ActivityEvent")
                if one.message.event == event and one.message.data["action"] == action
            ),
            None,
        )

    page = await (await new_context(chromium)).new_page()
    await page.goto(f"{running.origin}/static/media.html")
    await page.click("#begin")
    await holds(page, "document.getElementById('status').innerText === ''")
    order("show_media", "elsewhere", kind="picture", url="/media/cat.png", screen="wall")
    order("show_media", "one", kind="picture", url="/media/cat.png")
    await until(lambda: told("media_started", "one"), "the picture")
    assert await page.locator("#stage img").count() == 1
    order("show_media", "two", kind="sound", url="/media/bell.wav")
    await until(lambda: told("media_finished", "two"), "the end of the sound")
    assert told("media_finished", "one")["completed"] is True
    assert told("media_finished", "two") == {
        "action": "two",
        "completed": True,
        "problem": None,
    }
    order("show_media", "three", kind="picture", url="/media/broken.png")
    ended = await until(lambda: told("media_finished", "three"), "the broken picture")
    assert (ended["completed"], ended["problem"]) == (
        False,
        "the browser cannot show this file",
    )
    order("show_media", "four", kind="picture", url="/media/cat.png")
    await until(lambda: told("media_started", "four"), "the last picture")
    order("hide_media", "four")
    await until(lambda: told("media_finished", "four"), "its end")
    assert await page.locator("#stage img").count() == 0
    assert told("media_started", "elsewhere") is None
    await page.context.close()
