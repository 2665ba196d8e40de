"""The activity around the robot: a game or task, what happens in it, and what it shows.

The activity owns its vocabulary: `event`, `command` and their `data` mean what its scenario says.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, JsonValue, model_validator

from sera.messages._base import Action, Channel, Event, Perception
from sera.messages._parts import Fraction, Name, PositiveSeconds, ScreenPoint, Seconds, require_any


class ActivityEvent(Perception):
    """Something happened in the activity: a move, a new round, a result."""

    belongs_to_world = True

    event: Name
    """What happened, such as `card_played`."""
    person: Name | None = None
    """Who did it, as the id of a tracker or the activity's id for the player, never a name."""
    data: dict[str, JsonValue] = Field(default_factory=dict)
    """Particulars, as the activity defines them; no names of people."""


class ActivityCommand(Action):
    """Do something in the activity, as a player or as its host."""

    valid_for_s = 5.0
    channel = Channel.DECISION

    command: Name
    """What to do, such as `play_card`."""
    data: dict[str, JsonValue] = Field(default_factory=dict)
    """Particulars, as the activity defines them; no names of people."""


class Highlight(Action):
    """Make people see a place on the screen. Takes at least one of element and point."""

    valid_for_s = 2.0
    channel = Channel.DECISION

    element: Name | None = None
    """What to highlight, by the activity's own name for it."""
    point: ScreenPoint | None = None
    """Where to highlight."""
    duration_s: PositiveSeconds = 2.0
    """How long."""
    label: str | None = None
    """Words to show beside it."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        require_any(self, "element", "point")
        return self


class PlayMedia(Action):
    """Show a picture or a film, or play a sound."""

    valid_for_s = 5.0
    channel = Channel.DECISION

    media: Name
    """Name of the file among the scenario's media."""
    screen: Name | None = None
    """Screen to show it on; None: the main one."""
    volume: Fraction = 1.0
    """From silent to as recorded."""
    loop: bool = False
    """True: again and again until StopMedia."""
    start_s: Seconds = 0.0
    """Where in the file to begin."""


class StopMedia(Action):
    """Stop what PlayMedia shows."""

    valid_for_s = 5.0
    channel = Channel.DECISION

    media: Name | None = None
    """Name of the file; None: everything on the screen."""
    screen: Name | None = None
    """Screen to clear; None: the main one."""


class MediaFinished(Event):
    """A medium has ended or was stopped."""

    media: Name
    """Name of the file."""
    action: Name
    """Id of its PlayMedia."""
    completed: bool = True
    """False where it was stopped or could not be played."""
    problem: str | None = None
    """One plain sentence where it could not be played."""
