"""The page with the picture: only on this machine, only with the token, never in the way."""

from __future__ import annotations

import asyncio
import itertools

import cv2
import numpy as np
import pytest

from sera.vision.preview import MOST_WATCHERS, PreviewError, PreviewServer
from tests.helpers import PATIENCE_S, until

PICTURE = np.full((48, 64, 3), (10, 200, 30), np.uint8)


@pytest.fixture
async def page():
    server = PreviewServer("front <camera>")
    await server.start()
    yield server
    await server.stop()


async def ask(
    page: PreviewServer, target: str, host: str | None = None, method: str = "GET"
) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    own = f"127.0.0.1:{page.port}" if host is None else host
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: {own}\r\n\r\n".encode())
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return answer.decode("latin-1")


async def test_the_address_opens_a_page_with_its_title_made_harmless(page):
    answer = await ask(page, f"/?token={page.token}")
    assert answer.startswith("HTTP/1.1 200")
    assert "front &lt;camera&gt;" in answer
    assert "no-store" in answer
    assert f"/stream?token={page.token}" in answer
    assert page.url == f"http://127.0.0.1:{page.port}/?token={page.token}"


@pytest.mark.parametrize(
    "target",
    ["/", "/?token=", "/?token=wrong", "/stream", "/picture.jpg?token=é", "/?token=a&token=b"],
)
async def test_without_the_token_there_is_no_picture(page, target):
    page.show(PICTURE, 0.0)
    assert (await ask(page, target)).startswith("HTTP/1.1 403")


async def test_another_name_for_this_machine_is_refused(page):
    answer = await ask(page, f"/?token={page.token}", host=f"evil.example:{page.port}")
    assert answer.startswith("HTTP/1.1 421")
    fine = await ask(page, f"/?token={page.token}", host=f"localhost:{page.port}")
    assert fine.startswith("HTTP/1.1 200")


async def test_nothing_can_be_posted_and_nothing_else_is_there(page):
    assert (await ask(page, f"/?token={page.token}", method="POST")).startswith("HTTP/1.1 405")
    for path in ("/etc/passwd", "/../../etc/passwd", "/picture.jpg", "//["):
        answer = await ask(page, f"{path}?token={page.token}")
        assert answer.startswith(("HTTP/1.1 404", "HTTP/1.1 400"))


async def test_the_newest_picture_can_be_fetched(page):
    page.show(PICTURE, 0.0)
    answer = await ask(page, f"/picture.jpg?token={page.token}")
    body = answer.partition("\r\n\r\n")[2].encode("latin-1")
    shown = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    assert np.abs(shown.astype(int) - PICTURE).max() < 12


async def open_stream(page: PreviewServer):
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    request = f"GET /stream?token={page.token} HTTP/1.1\r\nHost: localhost:{page.port}\r\n\r\n"
    writer.write(request.encode())
    return reader, writer


async def test_who_looks_on_gets_pictures_at_the_pace_of_the_page(page):
    assert not page.watched
    reader, writer = await open_stream(page)
    await reader.readuntil(b"\r\n\r\n")
    assert page.watched
    page.show(PICTURE, 1.0)
    assert not page.wants(1.01)
    assert page.wants(1.2)
    for time_s in (1.0, 1.5):
        page.show(PICTURE, time_s)
        async with asyncio.timeout(PATIENCE_S):
            head = await reader.readuntil(b"\r\n\r\n")
        assert b"image/jpeg" in head
        size = int(head.split(b"Content-Length: ")[1].split(b"\r")[0])
        assert (await reader.readexactly(size))[:2] == b"\xff\xd8"
    writer.close()
    times_s = itertools.count(9.0)

    def is_left() -> bool:
        page.show(PICTURE, next(times_s))
        return not page.watched

    await until(is_left, "the end of watching")


async def test_only_so_many_may_look_on(page):
    streams = [await open_stream(page) for _ in range(MOST_WATCHERS)]
    for reader, _ in streams:
        await reader.readuntil(b"\r\n\r\n")
    assert (await ask(page, f"/stream?token={page.token}")).startswith("HTTP/1.1 503")
    for _, writer in streams:
        writer.close()


async def test_long_and_broken_requests_end_without_harm(page):
    for request in (b"A" * 20_000 + b"\r\n\r\n", b"\r\n\r\n", b"\xff\xfe\x00\r\n\r\n", b"GET /"):
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
        writer.write(request)
        writer.write_eof()
        async with asyncio.timeout(PATIENCE_S):
            await reader.read()
        writer.close()
    assert (await ask(page, f"/?token={page.token}")).startswith("HTTP/1.1 200")


async def test_a_port_that_is_taken_gets_a_sentence(page):
    with pytest.raises(PreviewError, match="cannot listen on port"):
        await PreviewServer("other", port=page.port).start()


async def test_it_listens_on_this_machine_alone(page):
    assert {socket.getsockname()[0] for socket in page._server.sockets} == {"127.0.0.1"}


async def test_stopping_ends_the_streams():
    server = PreviewServer("front")
    await server.start()
    reader, writer = await open_stream(server)
    await reader.readuntil(b"\r\n\r\n")
    await server.stop()
    async with asyncio.timeout(PATIENCE_S):
        assert await reader.read() == b""
    writer.close()
