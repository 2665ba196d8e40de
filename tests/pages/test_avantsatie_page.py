"""The pages of AvantSatie in a real browser: the projected screen, and the piano to play on."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sera.bus import Bus, Identity, MemoryBroker, MemoryBus
from sera.messages import WORLD, ActivityCommand, Clicked, Envelope, find_message_type
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_class_from_file
from sera.runtime.clock import Clock
from sera.runtime.module import ModuleContext
from sera.runtime.workspace import Workspace

playwright = pytest.importorskip(
    "playwright.async_api", reason="the Python package playwright is not installed"
)
pytestmark = pytest.mark.needs_program("chromium")

ROOT = Path(__file__).parents[2]
AVANTSATIE = ROOT / "scenarios" / "avantsatie"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--mute-audio",
    "--autoplay-policy=no-user-gesture-required",
]  # fmt: skip
RUN = "avantsatie-1"
HOSTILE = '<img src=x onerror="document.title=1">{{7*7}}'


async def until(condition: Callable[[], Any]) -> Any:
    async with asyncio.timeout(10):
        while not (value := condition()):
            await asyncio.sleep(0.02)
    return value


async def holds(page: Any, expression: str) -> None:
    """Playwright's own waiting evaluates strings inside the page, which its policy forbids."""
    async with asyncio.timeout(10):
        while not await page.evaluate(expression):
            await asyncio.sleep(0.02)


@dataclass
class Room:
    """The game and its page server on one bus, and a robot that affirms at once."""

    robot: Bus
    browser: Any = None
    origin: str = ""
    heard: list[Envelope] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def of(self, name: str) -> list[Any]:
        return [one.message for one in self.heard if one.type == name]

    @property
    def screen(self) -> str:
        shown = self.of("ScreenShown")
        return shown[-1].screen if shown else ""

    def answer(self, envelope: Envelope) -> None:
        """What a robot would do, without its time."""
        self.heard.append(envelope)
        if envelope.type == "RobotCue" and envelope.message.cue in ("affirm", "celebrate"):
            cue = envelope.message
            done = find_message_type("CueDone")(cue=cue.cue, number=cue.number)
            self.robot.publish(done)

    async def open(self, name: str) -> Any:
        page = await self.browser.new_page(viewport={"width": 1280, "height": 720})
        page.on("request", lambda one: self.hosts.add(urlsplit(one.url).hostname or ""))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "console",
            lambda one: self.problems.append(one.text) if one.type in ("error", "warning") else 0,
        )
        await page.goto(f"{self.origin}/pages/{name}")
        await holds(page, "document.querySelectorAll('.keys button').length === 13")
        return page


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    workspace = Workspace.discover(ROOT)
    workspace.activate()
    clock, broker = Clock(), MemoryBroker()

    def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
        return MemoryBus(identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone)

    made = Room(join(Identity(RUN, "adelino", "mind")))
    await made.robot.connect()
    await made.robot.subscribe(None, made.answer, everyone=True)
    context = ModuleContext(clock=clock, folder=AVANTSATIE, seed=3)
    classes = {
        "gateway": (workspace.load_module_class("gateway"), {}),
        "game": (load_class_from_file(AVANTSATIE / "game.py"), {"story_s": 0.2, "language": "pt"}),
    }
    hosts = {
        name: ModuleHost(kind, Identity(RUN, WORLD, name), context, join, settings=settings)
        for name, (kind, settings) in classes.items()
    }
    tasks = [asyncio.create_task(host.run()) for host in hosts.values()]
    await until(lambda: made.screen == "start" and hosts["gateway"].module.server is not None)
    made.origin = f"http://127.0.0.1:{hosts['gateway'].module.server.port}"
    program = next(path for name in NAMES if (path := shutil.which(name)))
    async with playwright.async_playwright() as driver:
        made.browser = await driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield made
        await made.browser.close()
    for host in hosts.values():
        host.stop()
    await asyncio.wait(tasks, timeout=3)
    await made.robot.close()
    assert made.hosts == {"127.0.0.1"}
    assert made.problems == []


async def no_barrier(page: Any) -> None:
    from axe_playwright_python.async_playwright import Axe

    found = await Axe().run(page)
    told = [
        f"{one['id']}: {node['html'][:160]}"
        for one in found.response["violations"]
        for node in one["nodes"]
    ]
    assert told == [], "\n".join(told)


def lit(key: str, how: str = "is-lit") -> str:
    return f"document.querySelector('[data-key={key}]').classList.contains('{how}')"


async def test_the_piano_moves_the_game_on_and_the_screen_shows_it(room):
    game, piano = await room.open("game.html"), await room.open("piano.html")
    await holds(game, "document.getElementById('screen').dataset.screen === 'start'")
    assert await game.inner_text("#lines") == "Sobe para o piano!\n\nToca esta tecla."
    assert await game.evaluate("document.documentElement.lang") == "pt"
    assert await game.evaluate(lit("d4"))
    assert await game.evaluate("document.querySelectorAll('.is-lit').length") == 1
    await no_barrier(game)
    await no_barrier(piano)

    await piano.click("[data-key=c4]")  # another key sounds, and nothing follows
    await until(lambda: [one.key for one in room.of("NoteSounded")] == ["c4"])
    assert room.screen == "start"
    await piano.click("[data-key=d4]")
    await holds(game, "document.getElementById('screen').dataset.screen === 'guess'")
    assert "1.ª nota" in await game.inner_text("#lines")
    assert await game.evaluate("document.querySelectorAll('.is-lit').length") == 0
    assert await game.inner_text("#found") == "?"
    await no_barrier(game)

    await piano.keyboard.press("a")  # the first letter is the first key
    await until(lambda: [one.key for one in room.of("GuessJudged")] == ["c4"])
    await piano.focus("[data-key=e4]")
    await piano.keyboard.press("Enter")
    await until(lambda: [one.result for one in room.of("GuessJudged")][-1] == "correct")
    await holds(game, "document.getElementById('screen').dataset.screen === 'repeat'")
    assert await game.evaluate(lit("e4"))
    assert "robot" in [one.by for one in room.of("NoteSounded")]
    assert len(room.of("GuessJudged")) == 2  # one press is one guess
    await piano.keyboard.press("Control+a")
    await piano.keyboard.press("q")
    await piano.keyboard.press("d")  # e4
    await holds(game, "document.getElementById('progress').textContent.includes('2 / 4')")


async def test_a_screen_that_opens_in_the_middle_shows_what_stands_there(room):
    piano = await room.open("piano.html")
    await piano.click("[data-key=d4]")
    await until(lambda: room.screen == "guess")
    game = await room.open("game.html")
    await holds(game, "document.getElementById('screen').dataset.screen === 'guess'")
    assert "1.ª nota" in await game.inner_text("#lines")
    await game.click("#sound")
    await holds(game, "document.getElementById('sound').getAttribute('aria-pressed') === 'true'")
    await piano.click("[data-key=fs4]")
    await holds(game, lit("fs4", "is-down"))
    await holds(game, f"!{lit('fs4', 'is-down')}")


async def test_words_stay_words_whatever_is_in_them(room):
    game = await room.open("game.html")
    data = {
        "screen": "guess", "lines": [HOSTILE], "found": [HOSTILE], "notes": 2, "note": 2,
        "level": 1, "part": 1, "parts": 1, "keys": None, "highlighted": HOSTILE,
    }  # fmt: skip
    room.robot.publish(ActivityCommand(command="show", data=data), character=WORLD)
    await holds(game, "document.getElementById('screen').dataset.screen === 'guess'")
    assert await game.inner_text("#lines p") == HOSTILE
    assert await game.evaluate("document.querySelectorAll('img').length") == 0
    assert await game.title() == "AvantSatie"
    for element in (HOSTILE, "key_", "key_h9", "key_d4x"):
        room.robot.publish(Clicked(element=element), character=WORLD)
    await asyncio.sleep(0.2)
    assert room.of("NoteSounded") == []
    assert room.of("ModuleFault") == []


# -- words and keys ------------------------------------------------------------------------------


async def test_pages_speak_the_games_language_themselves(room):
    game, piano = await room.open("game.html"), await room.open("piano.html")
    await holds(game, "document.getElementById('sound').textContent === 'Som'")
    assert await game.get_attribute("#found", "aria-label") == "Notas descobertas"
    assert await piano.evaluate("document.documentElement.lang") == "pt"
    assert await piano.title() == "Piano de chão"
    help_text = await piano.inner_text("#help")
    assert help_text == (
        "Toca numa tecla, ou carrega na letra pequena que está nela. "
        "O ecrã está na página game.html."
    )
    assert await piano.get_attribute("[data-key=d4]", "aria-label") == "D, tecla s"
    words = "import('/pages/words.js').then(({ wordsFor, connectionWords: say }) => [say('waiting',"
    assert await piano.evaluate(f"{words} wordsFor('pt')), say('connected', wordsFor('pt'))])") == [
        "a ligação perdeu-se; à espera …",
        "",
    ]
    assert await piano.evaluate(f"{words} wordsFor('constructor'))])") == [
        "connection lost; waiting …"
    ]


async def test_a_language_that_changes_draws_the_piano_anew_and_a_letter_still_plays_once(room):
    piano = await room.open("piano.html")
    offered = find_message_type("FormOffered")(questionnaire="consent", language="en")
    room.robot.publish(offered, character=WORLD)
    await holds(piano, "document.documentElement.lang === 'en'")
    assert (await piano.inner_text("#help")).startswith("Touch a key, or press the small letter")
    await piano.keyboard.press("s")
    await until(lambda: room.of("NoteSounded"))
    await asyncio.sleep(0.3)
    assert [one.key for one in room.of("NoteSounded")] == ["d4"]


async def test_a_keys_letter_stands_below_its_name(room):
    piano = await room.open("piano.html")
    for key, name, letter in (("d4", "D", "S"), ("e4", "E", "D"), ("cs4", "C♯", "W")):
        assert await piano.inner_text(f"[data-key={key}] span") == name
        assert await piano.inner_text(f"[data-key={key}] kbd") == letter
        above, below = [
            await piano.locator(f"[data-key={key}] {part}").bounding_box()
            for part in ("span", "kbd")
        ]
        assert above["y"] + above["height"] <= below["y"]
        assert below["height"] < 1.3 * above["height"]
    game = await room.open("game.html")
    assert await game.evaluate("document.querySelectorAll('.keys kbd').length") == 0


async def test_a_held_key_and_the_other_mouse_buttons_do_not_guess(room):
    piano = await room.open("piano.html")
    await piano.focus("[data-key=c4]")
    for held in ("Enter", " ", "w"):
        for _ in range(4):
            await piano.keyboard.down(held)
        await piano.keyboard.up(held)
    for button in ("right", "middle"):
        await piano.click("[data-key=g4]", button=button)
    await piano.click("[data-key=f4]")
    await until(lambda: [one.key for one in room.of("NoteSounded")][-1:] == ["f4"])
    assert [one.key for one in room.of("NoteSounded")] == ["c4", "c4", "cs4", "f4"]


@pytest.mark.parametrize(
    ("width", "height", "share"),
    [(3840, 2160, 0.55), (1920, 1080, 0.55), (820, 1180, 0.9), (393, 851, 0.9), (851, 393, 0.9)],
)
async def test_the_pictures_of_the_piano_fit_their_screens(room, width, height, share):
    game, piano = await room.open("game.html"), await room.open("piano.html")
    for page in (game, piano):
        await page.set_viewport_size({"width": width, "height": height})
        keys = await page.locator(".keys").bounding_box()
        assert keys["width"] >= share * width
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        smallest_px = await page.evaluate(
            "Math.min(...[...document.querySelectorAll('.keys span, .keys kbd')]"
            ".map((one) => parseFloat(getComputedStyle(one).fontSize)))"
        )
        assert smallest_px >= 10
        spills = await page.evaluate(
            "[...document.querySelectorAll('.keys button')]"
            ".filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.dataset.key)"
        )
        assert spills == []
    sound = await game.locator("#sound").bounding_box()
    keys = await game.locator(".keys").bounding_box()
    apart = sound["y"] + sound["height"] <= keys["y"] or keys["y"] + keys["height"] <= sound["y"]
    assert apart, "the button covers a key"
