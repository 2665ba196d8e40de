"""The pages of AvantSatie in a real browser: the projected screen, and the piano to play on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sera.messages import WORLD, ActivityCommand, Clicked, Envelope, find_message_type
from tests.browser import holds, on_one_loop, watch_for
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

HOSTILE = '<img src=x onerror="document.title=1">{{7*7}}'


def affirm(room: Any, envelope: Envelope) -> None:
    """What a robot would do, without its time."""
    if envelope.type == "RobotCue" and envelope.message.cue in ("affirm", "celebrate"):
        cue = envelope.message
        room.robot.publish(find_message_type("CueDone")(cue=cue.cue, number=cue.number))


@on_one_loop
async def room(play: Any) -> AsyncIterator[Any]:
    async with play("avantsatie", "adelino", affirm, story_s=0.2, language="pt") as room:
        await until(lambda: screen(room) == "start", "the start")
        yield room


def screen(room: Any) -> str:
    shown = room.of("ScreenShown")
    return shown[-1].screen if shown else ""


async def opened(room: Any, name: str) -> Any:
    page = await room.open(name, 1280, 720)
    await holds(page, "document.querySelectorAll('.keys button').length === 13")
    return page


def lit(key: str, how: str = "is-lit") -> str:
    return f"document.querySelector('[data-key={key}]').classList.contains('{how}')"


async def test_the_piano_moves_the_game_on_and_the_screen_shows_it(room, no_barrier):
    game, piano = await opened(room, "game.html"), await opened(room, "piano.html")
    await holds(game, "document.getElementById('screen').dataset.screen === 'start'")
    assert await game.inner_text("#lines") == "Sobe para o piano!\n\nToca esta tecla."
    assert await game.evaluate("document.documentElement.lang") == "pt"
    assert await game.evaluate(lit("d4"))
    assert await game.evaluate("document.querySelectorAll('.is-lit').length") == 1
    await no_barrier(game)
    await no_barrier(piano)

    await piano.click("[data-key=c4]")  # another key sounds, and nothing follows
    await until(lambda: [one.key for one in room.of("NoteSounded")] == ["c4"])
    assert screen(room) == "start"
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
    piano = await opened(room, "piano.html")
    await piano.click("[data-key=d4]")
    await until(lambda: screen(room) == "guess")
    game = await opened(room, "game.html")
    await holds(game, "document.getElementById('screen').dataset.screen === 'guess'")
    assert "1.ª nota" in await game.inner_text("#lines")
    await game.click("#sound")
    await holds(game, "document.getElementById('sound').getAttribute('aria-pressed') === 'true'")
    goes_down = await watch_for(game, "[data-key=fs4].is-down")
    await piano.click("[data-key=fs4]")
    await goes_down()
    await holds(game, f"!{lit('fs4', 'is-down')}")


async def test_words_stay_words_whatever_is_in_them(room):
    game = await opened(room, "game.html")
    data = {
        "screen": "guess", "lines": [HOSTILE], "found": [HOSTILE], "notes": 2, "note": 2,
        "level": 1, "part": 1, "parts": 1, "keys": None, "highlighted": HOSTILE,
    }  # fmt: skip
    room.robot.publish(ActivityCommand(command="show", data=data), character=WORLD)
    await holds(game, "document.getElementById('screen').dataset.screen === 'guess'")
    assert await game.inner_text("#lines p") == HOSTILE
    assert await game.evaluate("document.querySelectorAll('img').length") == 0
    assert await game.title() == "AvantSatie"
    for element in (HOSTILE, "key_", "key_h9", "key_d4x", "key_c4"):
        room.robot.publish(Clicked(element=element), character=WORLD)
    await until(lambda: room.of("NoteSounded"), "the only key among them")
    assert [one.key for one in room.of("NoteSounded")] == ["c4"]
    assert room.of("ModuleFault") == []


# -- words and keys ------------------------------------------------------------------------------


async def test_pages_speak_the_games_language_themselves(room):
    game, piano = await opened(room, "game.html"), await opened(room, "piano.html")
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
    piano = await opened(room, "piano.html")
    offered = find_message_type("FormOffered")(questionnaire="consent", language="en")
    room.robot.publish(offered, character=WORLD)
    await holds(piano, "document.documentElement.lang === 'en'")
    assert (await piano.inner_text("#help")).startswith("Touch a key, or press the small letter")
    await piano.keyboard.press("s")
    await piano.keyboard.press("a")
    await until(lambda: room.of("NoteSounded")[-1:] and room.of("NoteSounded")[-1].key == "c4")
    assert [one.key for one in room.of("NoteSounded")] == ["d4", "c4"]


async def test_a_keys_letter_stands_below_its_name(room):
    piano = await opened(room, "piano.html")
    for key, name, letter in (("d4", "D", "S"), ("e4", "E", "D"), ("cs4", "C♯", "W")):
        assert await piano.inner_text(f"[data-key={key}] span") == name
        assert await piano.inner_text(f"[data-key={key}] kbd") == letter
        above, below = [
            await piano.locator(f"[data-key={key}] {part}").bounding_box()
            for part in ("span", "kbd")
        ]
        assert above["y"] + above["height"] <= below["y"]
        assert below["height"] < 1.3 * above["height"]
    game = await opened(room, "game.html")
    assert await game.evaluate("document.querySelectorAll('.keys kbd').length") == 0


async def test_a_held_key_and_the_other_mouse_buttons_do_not_guess(room):
    piano = await opened(room, "piano.html")
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


SCREENS = [
    (3840, 2160, 0.55), (1920, 1080, 0.55), (820, 1180, 0.9), (393, 851, 0.9), (851, 393, 0.9),
]  # fmt: skip


async def test_the_pictures_of_the_piano_fit_their_screens(room):
    game, piano = await opened(room, "game.html"), await opened(room, "piano.html")
    for width, height, share in SCREENS:
        for page in (game, piano):
            await page.set_viewport_size({"width": width, "height": height})
            about = f"{page.url}, {width} x {height}"
            keys = await page.locator(".keys").bounding_box()
            assert keys["width"] >= share * width, about
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, about
            smallest_px = await page.evaluate(
                "Math.min(...[...document.querySelectorAll('.keys span, .keys kbd')]"
                ".map((one) => parseFloat(getComputedStyle(one).fontSize)))"
            )
            assert smallest_px >= 10, about
            spills = await page.evaluate(
                "[...document.querySelectorAll('.keys button')].filter("
                "(one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.dataset.key)"
            )
            assert spills == [], about
        sound = await game.locator("#sound").bounding_box()
        keys = await game.locator(".keys").bounding_box()
        above, below = sound["y"] + sound["height"] <= keys["y"], keys["y"] + keys["height"]
        assert above or below <= sound["y"], f"{about}: the button covers a key"
