"""The scenario's media over HTTP: pictures, films and sounds of one folder, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.helpers import PATIENCE_S


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scenario = tmp_path / "scenario"
    media = scenario / "media"
    (media / "films").mkdir(parents=True)
    (media / "cat.png").write_bytes(b"\x89PNG")
    (media / "films" / "end.mp4").write_bytes(bytes(range(200)))
    (media / "page.html").write_text("<script>alert(1)</script>")
    (media / "drawing.svg").write_text("<svg onload='alert(1)'/>")
    (media / ".secret.png").write_bytes(b"secret")
    (scenario / "outside.png").write_bytes(b"secret")
    (media / "link.png").symlink_to(scenario / "outside.png")
    (tmp_path / "media-of-another").mkdir()
    (tmp_path / "media-of-another" / "secret.png").write_bytes(b"secret")
    return scenario


async def test_media_are_served_with_their_kind_and_in_parts(make_running, folder):
    serving = await make_running(folder=folder)
    async with httpx.AsyncClient(base_url=serving.origin, timeout=PATIENCE_S) as client:
        picture = await client.get("/media/cat.png")
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
        part = await client.get("/media/films/end.mp4", headers={"Range": "bytes=10-19"})
        assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
        page = await client.get("/static/media.html")
        assert page.status_code == 200
        for file in ("media.js", "media.css"):
            assert file in page.text
            assert (await client.get(f"/static/{file}")).status_code == 200
    assert "/static/media.html" in serving.host.module.server.pages


@pytest.mark.parametrize(
    "path",
    [
        "/media/../outside.png",
        "/media/%2e%2e/outside.png",
        "/media/..%2foutside.png",
        "/media/films/../../outside.png",
        "/media//etc/passwd.png",
        "/media/../../media-of-another/secret.png",
        "/media/.secret.png",
        "/media/link.png",
        "/media/page.html",
        "/media/drawing.svg",
        "/media/",
        "/media/films",
        "/media/..\\outside.png",
        "/media/cat.png%00.png",
    ],
)
async def test_nothing_else_is_served_whatever_the_path(make_running, folder, path):
    serving = await make_running(folder=folder)
    port = serving.host.module.server.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    answer = (await reader.read()).decode()
    writer.close()
    assert int(answer.split()[1]) in (400, 404)
    assert "secret" not in answer
    assert "alert" not in answer


async def test_a_scenario_without_media_offers_neither_files_nor_page(make_running, tmp_path):
    serving = await make_running(folder=tmp_path)
    async with httpx.AsyncClient(base_url=serving.origin, timeout=PATIENCE_S) as client:
        assert (await client.get("/media/cat.png")).status_code == 404
    assert serving.host.module.server.pages == []
