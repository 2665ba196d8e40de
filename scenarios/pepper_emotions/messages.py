"""Messages of the greetings: which one begins, and which one a Wizard asks for.

`GreetingBegan` tells what is shown, and the study's rows are cut by it; no participant's page can
hear it, and neither does the simulated perceiver.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sera.messages import Action, Channel, Event, Pad

Block = Literal["neutral", "practice", "corner", "emotion"]


class GreetingBegan(Event):
    """The robot begins a greeting with an emotion."""

    belongs_to_world = True

    number: int = Field(ge=1)
    """Which greeting of the run, from 1."""
    block: Block
    """Which part of the session it belongs to."""
    shown: str | None = None
    """The corner, such as `LHL`, or the emotion by name; None where nothing is asked of it."""
    pad: Pad
    """The emotion as pleasure, arousal and dominance."""


class ShowGreeting(Action):
    """Greet once with an emotion."""

    channel = Channel.DECISION
    valid_for_s = 10.0

    greeting: str
    """A corner, such as `LHL`, an emotion by name, or `neutral`."""
