"""The game: keys go in, screens, sounds and judgements come out.

Design overview
    The rules are in `rules.py`; this module ties them to the bus. Steps on keys come from
    `KeyStepped` (the floor piano, a simulated player), from a page (`Clicked` with the name of a
    key) or from a keyboard (`KeyPressed`). Pages are told what to show and to sound by
    `ActivityCommand`; one that opens in the middle of a game says so and is told again.
    Without a camera a key that is pressed is all that is known of the player's place, so the game
    tells it, and the robot follows. As soon as anybody else tells of a person it keeps quiet.
    The screen speaks the language of the forms, where a session offers any.

Units and frames
    Seconds on the clock of the run. The keys are objects in the scenario's space: `key_d4`.
    Metres in that space for the player's place.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

from pydantic import Field, JsonValue

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    Clicked,
    Envelope,
    FormOffered,
    KeyPressed,
    Message,
    PersonDetected,
    PersonLost,
    PersonMoved,
    Position,
    SessionState,
)
from sera.runtime import Role
from sera.runtime.located import nearest_name

from .messages import CueDone, GameEnded, KeyStepped, NoteSounded, ScreenShown
from .pieces import load_pieces
from .rules import Game as Rules
from .rules import Pace
from .texts import TextsError, load_texts

PAGES = ("game_page", "piano_page")
KEYBOARD = "awsedftgyhujk"
"""Keys of a computer's keyboard for the keys of the piano, from left to right."""
HEAD_M = 1.6
"""Where the head of a player is thought to be who is not seen."""
BEHIND_KEY_M = 0.1


class Game(Module):
    """Keeps the game and tells everybody about it."""

    role = Role.ACTIVITY

    class Settings(Module.Settings):
        """What is played, and how fast."""

        pieces: str = "pieces.toml"
        """File with piano and pieces, beside the scenario."""
        texts: str = "texts.toml"
        """File with the words of the screen."""
        language: str = "en"
        """Until a session says another; `texts.toml` must have it."""
        player: str = "player"
        """Who presses keys, where nobody sees who does."""
        levels: int | None = Field(default=None, ge=1)
        """How many of the pieces; left out: all."""
        story_s: float = Field(default=6.0, ge=0)
        """How long each page of the story stands."""
        ends_run: bool = True
        """Whether the run is over with the game."""
        games: int = Field(default=1, ge=0)
        """How many, one after the other; 0: without end."""

    async def start(self) -> None:
        folder, settings = self.context.folder or Path(), self.settings
        pieces = load_pieces(folder / settings.pieces)
        played = pieces.pieces[: settings.levels]
        self._pieces = pieces.model_copy(update={"pieces": played})
        self._language = self._wished = settings.language
        self._texts = load_texts(folder / settings.texts, self._language)
        self._cues = itertools.count(1)
        self._rules = self._new()
        self._played = 0
        self._screen: ScreenShown | None = None
        self._has_page = False
        self._moved = asyncio.Event()
        self._is_tracked = False
        """Whether somebody else tells where people are."""
        self._is_placed = False
        """Whether the player was told of from a key."""

    def _new(self) -> Rules:
        pace = Pace(story_s=self.settings.story_s)
        return Rules(self._pieces, self._texts, self._language, pace, self._cues)

    async def run(self) -> None:
        await self._tell(self._rules.begin(self.clock.now()))
        while True:
            self._moved.clear()
            due_s = self._rules.due_s
            wait_s = None if due_s is None else max(0.0, due_s - self.clock.now())
            try:
                async with asyncio.timeout(wait_s):
                    await self._moved.wait()
            except TimeoutError:
                await self._tell(self._rules.passes(self.clock.now()))

    @on(KeyStepped)
    async def stepped(self, message: KeyStepped, envelope: Envelope) -> None:
        keys = self._pieces.piano.keys
        if message.key not in keys:
            near = nearest_name(message.key, keys)
            hint = f"did you mean '{near}'?" if near else f"it has {', '.join(keys)}"
            self.fault(
                f"the piano has no key '{message.key[:40]}'; {hint}",
                warning=True,
                about=envelope,
            )
            return
        await self._tell(self._rules.stepped(message.key, self.clock.now()))

    @on(Clicked)
    async def clicked(self, message: Clicked) -> None:
        """The page of the piano: its keys are called `key_d4`. Pages that open say so."""
        if message.element in PAGES:
            self._has_page = True
            await self._show()
            return
        key = (message.element or "").removeprefix("key_")
        if key in self._pieces.piano.keys:
            await self._pressed(key)

    @on(KeyPressed)
    async def pressed(self, message: KeyPressed) -> None:
        """A MIDI piano names its keys; on a computer's keyboard `a` is the first, `w` the next."""
        keys = self._pieces.piano.keys
        place = KEYBOARD.find(message.key) if len(message.key) == 1 else -1
        key = keys[place] if 0 <= place < len(keys) else message.key
        if key in keys:
            await self._pressed(key)

    async def _pressed(self, key: str) -> None:
        if not self._is_tracked:
            await self._place_player(key)
        await self._tell(self._rules.stepped(key, self.clock.now()))

    async def _place_player(self, key: str) -> None:
        """Who plays this key stands behind it; the robot has no other way to know."""
        x_m, floor_m, z_m = self._pieces.piano.position_m(key)
        here = Position(x_m=x_m, y_m=floor_m + HEAD_M, z_m=z_m + BEHIND_KEY_M)
        told = PersonMoved if self._is_placed else PersonDetected
        self._is_placed = True
        await self.publish(told(person=self.settings.player, position=here))

    @on(PersonDetected, PersonMoved)
    async def somebody_is_tracked(self, message: PersonDetected | PersonMoved) -> None:
        stood_in = self._is_placed and not self._is_tracked
        self._is_tracked = True
        if stood_in and message.person != self.settings.player:
            # The same player must not stand there twice.
            await self.publish(PersonLost(person=self.settings.player))

    @on(FormOffered, SessionState)
    async def session_speaks(self, message: FormOffered | SessionState) -> None:
        """Forms and screen are in one language."""
        if message.language is not None and message.language != self._wished:
            self._wished = message.language
            await self._speak(message.language)

    async def _speak(self, language: str) -> None:
        path = (self.context.folder or Path()) / self.settings.texts
        try:
            self._texts = load_texts(path, language)
        except (LookupError, TextsError) as error:
            self.fault(f"the screen stays in '{self._language}': {error.args[0]}", warning=True)
            return
        self._language = language
        await self._tell(self._rules.speak(self._texts, language))

    @on(CueDone)
    async def cue_done(self, message: CueDone) -> None:
        await self._tell(self._rules.cue_done(message.number, self.clock.now()))

    async def _show(self) -> None:
        """Tell pages what the screen shows, as soon as one has said that it is there."""
        if self._screen is not None and self._has_page:
            shown: dict[str, JsonValue] = {
                **self._screen.model_dump(mode="json"),
                "keys": list(self._pieces.piano.keys),
                "language": self._language,
            }
            await self.publish(ActivityCommand(command="show", data=shown))

    async def _tell_pages(self, message: Message) -> None:
        if isinstance(message, ScreenShown):
            self._screen = message
            await self._show()
        elif isinstance(message, NoteSounded) and self._has_page:
            data: dict[str, JsonValue] = {"key": message.key, "by": message.by}
            await self.publish(ActivityCommand(command="sound", data=data))

    async def _tell(self, messages: list[Message]) -> None:
        for message in messages:
            await self.publish(message)
            await self._tell_pages(message)
            if isinstance(message, GameEnded):
                await self._over()
        self._moved.set()

    async def _over(self) -> None:
        self._played += 1
        if self._played != self.settings.games:
            self._rules = self._new()
            await self._tell(self._rules.begin(self.clock.now()))
        elif self.settings.ends_run:
            await self.end_run("all pieces were discovered")
