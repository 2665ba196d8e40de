"""The gateway's files and doors over real HTTP: what is served, to whom, and what never is."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from sera.web import PageRole
from tests.browser import connect, on_one_loop
from tests.helpers import PATIENCE_S

REBOUND = "evil.example:8000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "scenario" / "pages"
    (pages / "quiz").mkdir(parents=True)
    (pages / "game.html").write_text("<!doctype html><title>game</title>", "utf-8")
    (pages / "game.js").write_text("export {};\n", "utf-8")
    (pages / "quiz" / "index.html").write_text("<!doctype html><title>quiz</title>", "utf-8")
    (pages / ".env").write_text("PASSWORD=secret", "utf-8")
    (pages / "pictures").mkdir()
    (pages / "pictures" / "cat.png").write_bytes(b"\x89PNG")
    (tmp_path / "scenario" / "study.toml").write_text("secret", "utf-8")
    (tmp_path / "pages-of-another").mkdir()
    (tmp_path / "pages-of-another" / "secret.html").write_text("secret", "utf-8")
    return tmp_path / "scenario"


@on_one_loop
async def serving(make_running, folder):
    return await make_running(folder=folder)


async def raw_get(port: int, path: str, host: str | None = None) -> tuple[int, str]:
    """A request as written, without a client that tidies the path up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    host = host or f"127.0.0.1:{port}"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    return int(answer.split()[1]), answer


async def test_the_index_page_the_script_and_the_scenarios_pages_are_served(serving):
    async with httpx.AsyncClient(base_url=serving.origin, timeout=PATIENCE_S) as client:
        index = await client.get("/")
        assert index.status_code == 200
        assert "<title>SERA</title>" in index.text
        script = await client.get("/sera.js")
        assert script.headers["content-type"].startswith("text/javascript")
        assert "export async function connect" in script.text
        game = await client.get("/pages/game.js")
        assert game.headers["content-type"].startswith("text/javascript")
        assert "game" in (await client.get("/pages/game.html")).text
        assert "quiz" in (await client.get("/pages/quiz/")).text
        assert (await client.get("/favicon.ico")).headers["content-type"] == "image/svg+xml"
    assert serving.server.pages == ["/pages/game.html", "/pages/quiz/"]


@pytest.mark.parametrize("path", ["/", "/sera.js", "/pages/game.html", "/nothing", "/pages/.env"])
async def test_every_answer_carries_the_security_headers(serving, path):
    async with httpx.AsyncClient(base_url=serving.origin, timeout=PATIENCE_S) as client:
        answer = await client.get(path)
    assert f"ws://127.0.0.1:{serving.server.port}" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/pages/../study.toml",
        "/pages/%2e%2e/study.toml",
        "/pages/..%2fstudy.toml",
        "/pages/..%5cstudy.toml",
        "/pages/quiz/../../study.toml",
        "/pages//etc/passwd",
        "/pages/%2fetc/passwd",
        "/pages/%00",
        "/pages/../pages-of-another/secret.html",
        "/pages/../../pages-of-another/secret.html",
        "/static/../_gateway.py",
        "/static/%2e%2e/_gateway.py",
        "/pages/.env",
        "/pages/" + "a" * 5000,
    ],
)
async def test_nothing_outside_the_folders_is_served(serving, path):
    status, answer = await raw_get(serving.server.port, path)
    assert status == 404
    assert "secret" not in answer
    assert "root:" not in answer


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege there")
async def test_a_link_out_of_the_folder_is_not_followed(serving, folder):
    (folder / "pages" / "link.toml").symlink_to(folder / "study.toml")
    status, answer = await raw_get(serving.server.port, "/pages/link.toml")
    assert status == 404
    assert "secret" not in answer


@pytest.mark.parametrize("path", ["/pages/", "/pages/pictures/", "/pages/pictures", "/static/"])
async def test_folders_are_not_listed(serving, path):
    status, answer = await raw_get(serving.server.port, path)
    assert status == 404
    assert "cat.png" not in answer


async def test_nothing_can_be_written(serving):
    async with httpx.AsyncClient(base_url=serving.origin, timeout=PATIENCE_S) as client:
        for path in ("/", "/sera.js", "/pages/game.html"):
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                assert (await client.request(method, path)).status_code == 405


async def test_where_tokens_are_needed_files_are_given_to_those_who_came_with_one(
    make_running, folder
):
    running = await make_running(folder, token="a secret of some length")
    address = running.server.url_for(PageRole.ACTIVITY, "/pages/game.html")
    async with httpx.AsyncClient(timeout=PATIENCE_S) as stranger:
        for path in ("/", "/sera.js", "/pages/game.html", "/static/icon.svg", "/nothing"):
            answer = await stranger.get(running.origin + path)
            assert answer.status_code == 401, path
            assert "token" in answer.text
            assert "set-cookie" not in answer.headers
        wrong = await stranger.get(running.origin + "/?token=" + "0" * 40)
        assert wrong.status_code == 401
    async with httpx.AsyncClient(timeout=PATIENCE_S) as guest:
        page = await guest.get(address)
        assert page.status_code == 200
        cookie = page.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        for role in PageRole:  # the ticket is no role's token
            assert running.server.gateway.tokens.for_role(role) not in cookie
        assert (await guest.get(running.origin + "/pages/game.js")).status_code == 200
        assert (await guest.get(running.origin + "/sera.js")).status_code == 200


async def test_without_a_pages_folder_there_are_no_pages(make_running, tmp_path):
    running = await make_running(folder=tmp_path)
    assert (await raw_get(running.server.port, "/pages/game.html"))[0] == 404
    assert running.server.pages == []


async def test_a_name_that_was_pointed_at_this_machine_gets_nothing(serving):
    status, answer = await raw_get(serving.server.port, "/", host=REBOUND)
    assert status == 403
    assert "this server is not known as 'evil.example:8000'" in answer
    assert "<title>" not in answer


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://{REBOUND}", "Host": REBOUND},
        {"Host": REBOUND},
    ],
)
async def test_a_page_from_elsewhere_cannot_open_the_socket(serving, headers):
    port = serving.server.port
    key = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    key += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    lines = "".join(
        f"{name}: {value}\r\n" for name, value in {"Host": f"127.0.0.1:{port}", **headers}.items()
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /ws?role=wizard HTTP/1.1\r\n{lines}{key}\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    assert answer.startswith("HTTP/1.1 403")
    assert serving.server.gateway.pages == []


async def test_the_servers_own_origin_and_an_allowed_one_may_open_the_socket(make_running):
    running = await make_running(allowed_origins=["http://tablet.lab:8080"])
    for origin in (running.origin, "http://tablet.lab:8080"):
        async with connect(running.socket_url(role="observer"), origin=origin) as page:
            assert "hello" in await page.recv()
    with pytest.raises(InvalidStatus, match="403"):
        await connect(running.socket_url(role="observer"), origin="http://tablet.lab")


async def test_it_stops_during_a_download_that_nobody_reads(serving, folder):
    with (folder / "pages" / "film.mp4").open("wb") as film:
        film.truncate(64 * 1024 * 1024)
    with socket.create_connection(("127.0.0.1", serving.server.port)) as lazy:
        request = f"GET /pages/film.mp4 HTTP/1.1\r\nHost: 127.0.0.1:{serving.server.port}\r\n\r\n"
        lazy.sendall(request.encode())
        assert (await asyncio.to_thread(lazy.recv, 15)).startswith(b"HTTP/1.1 200")
        serving.host.stop()
        await asyncio.wait_for(serving.task, PATIENCE_S)
    assert serving.said("ModuleFault") == []
