"""What the game of AvantSatie says on the bus, beyond the messages of SERA.

A player may know `ScreenShown` and `NoteSounded`, which are in the room for everybody to see and
hear. How a guess was judged is the robot's own business.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sera.messages import Event, Perception, State


class Judgement(StrEnum):
    """What a guess was."""

    CORRECT = "correct"
    HOT = "hot"
    COLD = "cold"


class KeyStepped(Perception):
    """Somebody stepped on a key of the floor piano."""

    belongs_to_world = True

    key: str
    """Name of the key, such as `d4`."""
    person: str | None = None
    """Who did, as the id of a tracker."""

    def __str__(self) -> str:
        return f"{self.person or 'somebody'} steps on {self.key}"


class NoteSounded(Event):
    """The piano sounds."""

    belongs_to_world = True

    key: str
    """Name of the key."""
    by: Literal["player", "robot"]
    """Who played it; the robot plays without touching."""

    def __str__(self) -> str:
        return f"{self.key} sounds" if self.by == "player" else f"the robot plays {self.key}"


class ScreenShown(State):
    """What the projected screen shows now."""

    belongs_to_world = True

    screen: Literal["start", "story", "part", "guess", "listen", "repeat", "piece", "end"]
    """Which screen."""
    lines: list[str] = Field(default_factory=list)
    """What is to be read."""
    level: int = 0
    """Which piece, from 1."""
    part: int = 0
    """Which part, from 1."""
    parts: int = 0
    """How many parts the piece has."""
    note: int = 0
    """Which note is looked for or repeated, from 1."""
    notes: int = 0
    """How many notes the part has."""
    highlighted: str | None = None
    """The key that the picture of the piano shows."""
    found: list[str] = Field(default_factory=list)
    """Notes of this part that were found, in order."""

    def __str__(self) -> str:
        shown = f", key {self.highlighted}" if self.highlighted else ""
        return f"the screen shows “{' '.join(self.lines)}”{shown}"


class GuessingBegan(Event):
    """The player looks for the notes of a part."""

    belongs_to_world = True

    level: int
    part: int


class GuessingEnded(Event):
    """All notes of the part were found."""

    belongs_to_world = True

    level: int
    part: int


class GuessJudged(Event):
    """The robot's judgement of a guess."""

    belongs_to_world = True

    key: str
    """What was played."""
    wanted: str
    """What is looked for."""
    result: Judgement
    level: int
    part: int
    note: int

    def __str__(self) -> str:
        return f"{self.key} is {self.result}, {self.wanted} is looked for"


class RobotCue(Event):
    """The game's cue for the robot."""

    belongs_to_world = True

    cue: Literal["look_at_screen", "look_at_player", "affirm", "point", "celebrate"]
    """What its part in the game is now."""
    number: int = Field(ge=1)
    """Which cue of the run, from 1: whoever has done it says so with this number."""
    key: str | None = None
    """The key to point at."""

    def __str__(self) -> str:
        where = "" if self.key is None else f" at {self.key}"
        return f"cue for the robot: {self.cue.replace('_', ' ')}{where}"


class CueDone(Event):
    """The robot has done its part, so that the game goes on."""

    cue: str
    """What it was."""
    number: int = Field(ge=1)
    """The number of the cue that it answers: a late answer must not end the next cue."""

    def __str__(self) -> str:
        return f"cue {self.number} is done: {self.cue.replace('_', ' ')}"


class GameEnded(Event):
    """Both pieces were discovered and replayed."""

    belongs_to_world = True

    wrong_hot: int
    wrong_cold: int
    guessing_s: float

    def __str__(self) -> str:
        wrong = self.wrong_hot + self.wrong_cold
        guesses = f"{wrong or 'no'} wrong guess{'' if wrong == 1 else 'es'}"
        which = f" ({self.wrong_hot} hot, {self.wrong_cold} cold)" if wrong else ""
        minutes = self.guessing_s / 60.0
        return (
            f"the game is over: all notes were found with {guesses}{which} "
            f"in {minutes:.1f} minutes of guessing"
        )
