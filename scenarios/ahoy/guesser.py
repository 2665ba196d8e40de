"""A simulated player: reads the category on the wall and guesses aloud.

Design overview
    It stands where camera, microphone and recogniser would. Of the whole run it is told what the
    wall shows and nothing else, so that it can know neither the word nor the list: its guesses
    come from `guesses.toml`, in a person's order. It does not understand the robot, and its games
    support no claim about people; they show that everything works.

Units and frames
    Seconds of the run's clock; metres, Y up, the robot looks along +Z.

Threading
    The event loop's thread.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pydantic import Field

from sera import Module, on
from sera.messages import (
    ActivityCommand,
    PersonDetected,
    PersonMoved,
    Position,
    SpeechActivity,
    SpeechHeard,
)
from sera.runtime import Role
from sera.runtime.located import FileProblems, LocatedToml

STEP_S = 0.2
_SYLLABLE_S = 0.12
"""Roughly, for each letter that is spoken."""


class Guesser(Module):
    """Stands before the robot and guesses."""

    role = Role.PERCEPTION

    class Settings(Module.Settings):
        """Who it is."""

        guesses: str = "guesses.toml"
        """What comes to its mind, by category."""
        person: str = "player"
        """Id that a tracker would give it."""
        thinks_s: tuple[float, float] = (2.6, 6.0)
        """Shortest and longest time between two guesses."""
        first_s: tuple[float, float] = (4.0, 9.0)
        """The same before the first guess of a round."""
        silent_share: float = Field(default=0.04, ge=0, le=1)
        """How often it finds nothing to say in a whole round."""
        mumbled_share: float = Field(default=0.25, ge=0, le=1)
        """How often the recogniser hardly understands it."""

    async def start(self) -> None:
        path = (self.context.folder or Path()) / self.settings.guesses
        self._known = _read(path)
        self._shown: dict[str, Any] = {}
        self._round: Any = None
        self._left: list[str] = []
        self._next_s: float | None = None

    @on(ActivityCommand)
    async def look_at_the_wall(self, message: ActivityCommand) -> None:
        """The only thing of the game that it is told."""
        if message.command != "show":
            return
        self._shown = dict(message.data)
        round_now = self._shown.get("round")
        if self._shown.get("phase") != "guessing":
            self._next_s = None
        elif round_now != self._round:
            self._round = round_now
            self._left = list(self._known.get(str(self._shown.get("category")), ()))
            silent = self.random.random() < self.settings.silent_share
            self._next_s = None if silent else self._later(self.settings.first_s)

    async def run(self) -> None:
        await self.clock.sleep(0.5)
        person, settings = self.settings.person, self.settings
        await self.publish(PersonDetected(person=person, position=self._place()))
        while self._shown.get("phase") != "finished":
            await self.clock.sleep(STEP_S)
            await self.publish(PersonMoved(person=person, position=self._place()))
            if self._next_s is not None and self.clock.now() >= self._next_s and self._left:
                self._next_s = self._later(settings.thinks_s)
                await self._say(self._left.pop(self._comes_to_mind()))

    def _comes_to_mind(self) -> int:
        weights = [1.0 / (place + 2) for place in range(len(self._left))]
        return self.random.choices(range(len(self._left)), weights)[0]

    async def _say(self, guess: str) -> None:
        person = self.settings.person
        await self.publish(SpeechActivity(speaking=True, person=person, loudness_dbfs=-22.0))
        await self.clock.sleep(_SYLLABLE_S * max(3, len(guess)))
        await self.publish(SpeechActivity(speaking=False, person=person))
        mumbled = self.random.random() < self.settings.mumbled_share
        sure = self.random.uniform(0.1, 0.6) if mumbled else self.random.uniform(0.6, 0.98)
        await self.publish(SpeechHeard(text=guess, person=person, confidence=round(sure, 3)))

    def _place(self) -> Position:
        """It stands before the robot and shifts its weight."""
        now_s = self.clock.now()
        sway = 0.25 * math.sin(0.35 * now_s) + 0.05 * math.sin(1.7 * now_s)
        return Position(x_m=sway, y_m=1.6, z_m=1.9)

    def _later(self, between_s: tuple[float, float]) -> float:
        return self.clock.now() + self.random.uniform(*between_s)


def _read(path: Path) -> dict[str, list[str]]:
    document = LocatedToml.load(path)
    table = document.data.get("guesses")
    if not isinstance(table, dict):
        raise FileProblems([document.problem((), "there is no table [guesses]")])
    problems = [
        document.problem(("guesses", key), "must be a list of words, such as ['cat', 'dog']")
        for key, words in table.items()
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words)
    ]
    if problems:
        raise FileProblems(problems)
    return table
