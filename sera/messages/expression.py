"""What a character feels, and hands that work while it shows.

Units and frames: emotions are points of pleasure, arousal and dominance, each from -1 to 1; places
of hands are metres from the middle of the robot's foot: to its left, upwards, forwards.
Safety: limits, balance and speed of the body stand above every order here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from sera.messages._base import Action, Channel, Event, State
from sera.messages._parts import Fraction, Name, Orientation, Position, Seconds, require_exactly_one
from sera.messages.motion import Pad


class SetMood(Action):
    """Let emotions fade into this from now on. Takes one of pad and name."""

    valid_for_s = 5.0
    channel = Channel.EMOTION

    pad: Pad | None = None
    """The mood as pleasure, arousal and dominance."""
    name: Name | None = None
    """The mood by the name of an emotion, such as `calm`."""
    blend_s: Seconds = 2.0
    """How long the change takes."""

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        require_exactly_one(self, "pad", "name")
        return self


class EmotionState(State):
    """What a character feels now; who animates it follows this."""

    pad: Pad
    """What is felt now."""
    name: Name
    """The named emotion that is nearest to it."""
    intensity: Fraction = 0.0
    """How much of it shows; 0 while nothing was ever felt."""
    target: Pad
    """Where the change under way leads; the same as pad where nothing changes."""
    blend_s: Seconds = 0.0
    """How long the change to the target still takes."""
    mood: Pad
    """What the emotion fades into."""


class MoveHand(Action):
    """Bring a hand to a place, hold it there, and let it go."""

    valid_for_s = 2.0
    channel = Channel.GESTURE

    hand: Name
    """Which hand of the body, such as `right`."""
    place: Position | None = None
    """Where to, as the robot stands; None lets go of the hand."""
    orientation: Orientation | None = None
    """How the hand is turned there; None: as the arm likes it."""
    carries: bool = False
    """Whether it carries something: the hand keeps upright as it is on the way and there."""
    duration_s: Seconds | None = None
    """How long the way takes; None: as long as is comfortable."""
    hold_s: Seconds | None = None
    """How long it stays there; None: until the next order."""


class HandOutcome(StrEnum):
    """How an order to a hand went."""

    REACHED = "reached"
    CLOSEST = "closest"
    INTERRUPTED = "interrupted"


class HandMoved(Event):
    """A hand has come as near to its place as it can, or was stopped on the way."""

    hand: Name
    """Which hand."""
    action: Name
    """Id of its MoveHand."""
    outcome: HandOutcome
    """`closest`: the place is out of reach, and the hand is as near as it comes."""
    distance_m: float = Field(default=0.0, ge=0)
    """How far from the place it is."""
