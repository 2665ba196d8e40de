"""Pages in a real browser: a game that plays, a page from elsewhere that gets nothing."""

from __future__ import annotations

import asyncio
import functools
import http.server
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sera.messages import Clicked, Highlight, ModulePresence, SessionMark, Speak
from sera.web import PageRole
from tests.browser import holds, new_context, on_one_loop
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

GAME_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Game</title>
<button id="card_3">card</button><p id="shown"></p><p id="answer"></p>
<script type="module" src="game.js"></script></html>"""
GAME_SCRIPT = """
import { connect } from "/sera.js";
const sera = await connect({ role: "activity", character: "ada" });
const show = (id, text) => (document.getElementById(id).textContent = text);
sera.on("Highlight", ({ element }, { source }) => show("shown", `${element} ${source}`));
document.getElementById("card_3").addEventListener("click", async (event) => {
  show("answer", await sera.send("Clicked", { element: event.target.id }));
});
document.title = "ready";
"""
HASTY_SCRIPT = """
import { connect } from "/sera.js";
const sera = await connect({ role: "activity", character: "ada" });
sera.on("Highlight", () => {});
await sera.send("Clicked", { element: "opened" });
document.title = "ready";
"""
HOSTILE_SCRIPT = """
async (target) => {
  const tried = {};
  tried.socket = await new Promise((done) => {
    const socket = new WebSocket(`ws://${target}/ws?role=wizard`);
    socket.onopen = () => done("open");
    socket.onmessage = () => done("message");
    socket.onerror = () => done("refused");
  });
  const outcome = (promise) => promise.then(() => "done", () => "refused");
  tried.fetch = await outcome(fetch(`http://${target}/`).then((answer) => answer.text()));
  tried.script = await outcome(import(`http://${target}/sera.js`));
  tried.picture = await new Promise((done) => {
    const picture = new Image();
    picture.onload = () => done("done");
    picture.onerror = () => done("refused");
    picture.src = `http://${target}/static/icon.svg`;
  });
  return tried;
}
"""


class Surfer:
    """A browser that remembers where it asked and what went wrong."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self.contexts: list[Any] = []
        self.hosts: set[str] = set()
        self.problems: list[str] = []

    async def open(self, url: str, **options: Any) -> Any:
        self.contexts.append(await new_context(self._browser, **options))
        page = await self.contexts[-1].new_page()
        page.on("request", lambda one: self.hosts.add(urlsplit(one.url).hostname or ""))
        page.on("websocket", lambda one: self.hosts.add(urlsplit(one.url).hostname or ""))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)
        await page.goto(url)
        return page

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)


@on_one_loop
async def surfer(chromium: Any) -> AsyncIterator[Surfer]:
    surfer = Surfer(chromium)
    yield surfer
    for context in surfer.contexts:
        await context.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "game.html").write_text(GAME_PAGE, "utf-8")
    (pages / "game.js").write_text(GAME_SCRIPT, "utf-8")
    return tmp_path


@pytest.fixture
def other_site(tmp_path: Path) -> Iterator[str]:
    """Another web server on this machine: another origin."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<!doctype html><title>site</title>", "utf-8")
    handler = functools.partial(_SilentHandler, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class _SilentHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


async def test_a_page_listens_before_it_says_anything_that_may_be_answered(
    surfer, make_running, folder
):
    (folder / "pages" / "game.js").write_text(HASTY_SCRIPT, "utf-8")
    running = await make_running(folder=folder)
    page, said = await surfer.open("about:blank"), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: said.append(frame)))  # noqa: PLW0108
    await page.goto(running.origin + "/pages/game.html")
    await holds(page, "document.title === 'ready'")
    listens = next(place for place, frame in enumerate(said) if '"Highlight"' in frame)
    speaks = next(place for place, frame in enumerate(said) if '"Clicked"' in frame)
    assert listens < speaks


async def test_a_game_sends_clicks_and_is_shown_highlights(surfer, make_running, folder):
    running = await make_running(folder=folder)
    page = await surfer.open(running.origin + "/pages/game.html")
    await holds(page, "document.title === 'ready'")
    await page.click("#card_3")
    await holds(page, "document.getElementById('answer').textContent")
    click = (await until(lambda: running.said("Clicked")))[0]
    assert click.message == Clicked(element="card_3")
    assert await page.text_content("#answer") == click.id

    running.other.publish(Highlight(element="card_5"), character="bob")
    running.other.publish(Highlight(element="card_3"), character="ada")
    await holds(page, "document.getElementById('shown').textContent")
    assert await page.text_content("#shown") == "card_3 ada.mind"
    # The page confirmed its Action; the one for another character waits for a page of bob's.
    await until(lambda: len(running.server.gateway._orders) == 1)
    assert surfer.hosts == {"127.0.0.1"}
    assert surfer.problems == []


async def test_a_page_of_another_site_gets_nothing(surfer, running, other_site):
    page = await surfer.open(other_site)
    target = f"127.0.0.1:{running.server.port}"
    tried = await page.evaluate(HOSTILE_SCRIPT, target)
    assert tried == dict.fromkeys(["socket", "fetch", "script", "picture"], "refused")
    assert running.server.gateway.pages == []
    framed = await surfer.open(other_site)
    await framed.evaluate(
        "(url) => { const frame = document.createElement('iframe'); frame.src = url;"
        " document.body.append(frame); }",
        f"http://{target}/",
    )
    await asyncio.sleep(0.3)
    assert running.server.gateway.pages == []


async def test_the_index_page_shows_pages_modules_and_messages(surfer, make_running, folder):
    running = await make_running(folder=folder)
    running.other.publish(ModulePresence(status="present", boot=0))
    page = await surfer.open(running.origin + "/", viewport={"width": 1280, "height": 760})
    await page.wait_for_selector("#status[data-status=connected]")
    hostile = "<img src=x onerror=\"document.title='broken in'\">"
    running.other.publish(Speak(text=hostile))
    await page.wait_for_selector("#messages td.content")
    assert await page.text_content("#run") == "hello-1"
    assert await page.inner_text("#pages") == "game.html"
    assert (await page.inner_text("#modules")).split() == [
        "ada.mind", "present", "world.gateway", "present",
    ]  # fmt: skip
    assert hostile in await page.text_content("#messages")
    assert "SERA" in await page.title()
    running.other.publish(SessionMark(label="note"))
    await page.fill("#filter", "sessionmark")
    await holds(page, "document.querySelectorAll('#messages tr').length === 1")
    assert "note" in await page.text_content("#messages")
    assert surfer.hosts == {"127.0.0.1"}
    assert surfer.problems == []


async def test_the_token_leaves_the_address_bar_and_survives_a_reload(surfer, make_running):
    running = await make_running(token="a secret of some length")
    url = running.server.url_for(PageRole.OBSERVER)
    page = await surfer.open(url)
    await page.wait_for_selector("#status[data-status=connected]")
    assert page.url == running.origin + "/"
    await page.reload()
    await page.wait_for_selector("#status[data-status=connected]")
    stranger = await surfer.open(running.origin + "/", storage_state={})
    assert "this page needs its token" in await stranger.text_content("body")


async def test_the_script_answers_rejects_and_leaves_no_globals(surfer, running, other_site):
    page = await surfer.open(running.origin + "/static/icon.svg")
    result = await page.evaluate(
        """async () => {
          const before = Object.keys(globalThis).length;
          const { connect } = await import("/sera.js");
          const sera = await connect({ role: "participant" });
          const why = async (promise) => promise.then(() => "resolved", (error) => error.message);
          const form = { questionnaire: "trust", participant: "p01", answers: { q1: 4 } };
          return {
            globals: Object.keys(globalThis).length - before,
            forbidden: await why(sera.send("Speak", { text: "x" })),
            misspelt: await why(sera.answer({ ...form, langauge: "en" })),
            big: await why(sera.send("Clicked", { note: "x".repeat(2 ** 20) })),
            good: await sera.answer(form),
            role: await why(connect({ role: "wizzard" })),
            closed: (sera.close(), await why(sera.answer(form))),
          };
        }"""
    )
    assert result["globals"] == 0
    assert "a participant page may not send Speak" in result["forbidden"]
    assert "langauge: no such field; did you mean language?" in result["misspelt"]
    assert "the limit is 1048576" in result["big"]
    assert result["good"].startswith("world.gateway-0-")
    assert "did you mean wizard?" in result["role"]
    assert result["closed"] == "the connection is closed"


async def test_what_is_said_while_the_connection_is_lost_is_published_once_and_in_order(
    surfer, running
):
    page = await surfer.open(running.origin + "/static/icon.svg")
    await page.evaluate(
        """async () => {
          const { connect } = await import("/sera.js");
          globalThis.states = [];
          globalThis.sera = await connect({ role: "activity", onStatus: (s) => states.push(s) });
          globalThis.sends = [];
          globalThis.click = (n) => sends.push(sera.send("Clicked", { element: `card_${n}` }));
        }"""
    )
    await page.evaluate("() => { click(0); click(1); }")
    for connection in list(running.server._server.server_state.connections):
        connection.transport.abort()
    await holds(page, "states.includes('waiting')")
    await page.evaluate("() => { click(2); click(3); }")
    ids = await page.evaluate("() => Promise.all(sends)")
    assert len(set(ids)) == 4
    clicks = await until(lambda: len(running.said("Clicked")) == 4 and running.said("Clicked"))
    assert [one.message.element for one in clicks] == [f"card_{n}" for n in range(4)]
    assert [one.id for one in clicks] == ids
    assert await page.evaluate("() => states") == [
        "connecting",
        "connected",
        "waiting",
        "connected",
    ]


async def test_a_page_finds_its_gateway_again_after_a_restart(surfer, make_running, folder):
    first = await make_running(folder=folder)
    page = await surfer.open(first.origin + "/pages/game.html")
    await holds(page, "document.title === 'ready'")
    first.host.stop()
    await first.task
    second = await make_running(folder=folder, port=first.server.port, boot=1)
    await until(lambda: second.server.gateway.pages)
    await until(lambda: second.server.gateway.pages[0].wanted)
    second.other.publish(Highlight(element="card_9"), character="ada")
    await holds(page, "document.getElementById('shown').textContent")
    assert await page.text_content("#shown") == "card_9 ada.mind"
