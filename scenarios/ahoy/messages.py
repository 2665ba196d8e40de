"""Messages of the pantomime: what the Wizard says about guesses, and what the game makes of it.

The Wizard and whatever stands in for the Wizard publish the same two Actions, `RateGuess` and
`ShowHint`. The game answers with Events, from which all measures of the study are taken.

Units and frames: seconds of the run's clock.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from sera.messages import Action, Channel, Event, Perception, State, personal


class Rating(StrEnum):
    """How near a guess is."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"
    CORRECT = "correct"


class Hint(StrEnum):
    """What the body may show."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"
    NEUTRAL = "neutral"


class Listed(StrEnum):
    """Where in the word list something stands that was said."""

    ANSWER = "answer"
    HOT = "hot"
    WARM = "warm"
    UNLISTED = "unlisted"


class RateGuess(Action):
    """Say how near the player's last guess is."""

    channel = Channel.DECISION
    valid_for_s = 4.0

    rating: Rating
    """How near."""
    word: str | None = personal("text", default=None)
    """What the player said, where whoever rates writes it down."""

    def __str__(self) -> str:
        return ""  # what follows from it is told


class ShowHint(Action):
    """Let the body show how near the player is; in the neutral condition it shows nothing."""

    channel = Channel.GESTURE

    hint: Hint
    """Which posture."""

    def __str__(self) -> str:
        return f"its body is to show {self.hint}"


class RoundBegan(Event):
    """A word is acted from now on. Names the word: not for the player's eyes."""

    belongs_to_world = True

    round: int = Field(ge=1)
    """Which round, from 1."""
    of: int = Field(ge=1)
    """How many rounds the game has."""
    word: str
    """Name of the word in `words.toml`."""
    animation: str
    """What the body plays."""
    time_limit_s: float = Field(gt=0)
    """How long the player may guess."""

    def __str__(self) -> str:
        return f"round {self.round} of {self.of} begins: the word is {self.word}"


class GuessRated(Event):
    """A guess counts: it was rated while a round was under way."""

    belongs_to_world = True

    round: int = Field(ge=1)
    """Which round."""
    number: int = Field(ge=1)
    """Which guess of the round."""
    rating: Rating
    """How near it was."""
    at_s: float = Field(ge=0)
    """When, from the beginning of the round."""
    word: str | None = personal("text", default=None)
    """What the player said, where that was written down."""

    def __str__(self) -> str:
        return f"guess {self.number} is {self.rating}"


class RoundEnded(Event):
    """A round is over; counts what happened in it."""

    belongs_to_world = True

    round: int = Field(ge=1)
    """Which round."""
    word: str
    """Name of the word in `words.toml`."""
    outcome: Literal["correct", "time_up", "skipped", "stopped"]
    """How it ended; `skipped` and `stopped` by an operator."""
    duration_s: float = Field(ge=0)
    """How long it lasted."""
    guesses: int = Field(ge=0)
    """How many guesses were rated, the correct one included."""
    hot: int = Field(ge=0)
    warm: int = Field(ge=0)
    cold: int = Field(ge=0)
    correct: int = Field(ge=0, le=1)
    one_shot: bool
    """Whether the first guess was the right one."""
    gave_up: bool
    """Whether there was no guess at all although the time ran out."""

    def __str__(self) -> str:
        how = {"correct": "is won", "time_up": "is lost, the time is up"}.get(
            self.outcome, f"was {self.outcome}"
        )
        guesses = f"{self.guesses or 'no'} guess{'' if self.guesses == 1 else 'es'}"
        return f"round {self.round} {how}: {guesses} in {self.duration_s:.0f} s"


class WordSpotted(Perception):
    """The robot's own ear: where in its word list it found what the player said."""

    belongs_to_world = True

    round: int = Field(ge=1)
    """Which round."""
    listed: Listed
    """Where it stands in the list of this round's word."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    """How sure the recogniser is of what it heard."""
    word: str | None = personal("text", default=None)
    """What was heard."""

    def __str__(self) -> str:
        return f"the robot's ear: {self.listed}, {self.confidence:.0%} sure"


class WordList(State):
    """The Wizard's list for this round; the game's page for the player never receives it."""

    belongs_to_world = True

    round: int = Field(ge=0)
    """Which round; 0: none is under way."""
    of: int = Field(ge=0)
    answers: list[str] = Field(default_factory=list)
    """What is right; the first is what it is called."""
    hot: list[str] = Field(default_factory=list)
    """Alphabetical."""
    warm: list[str] = Field(default_factory=list)
    """Alphabetical; whatever is in no list is cold."""
    time_limit_s: float = Field(default=0.0, ge=0)
    left_s: float = Field(default=0.0, ge=0)
    """How much of the time was left when this was said."""

    def __str__(self) -> str:
        return ""  # for the Wizard's eyes, and too long to tell
