"""What a learner does, for whoever has to show it, and what a learner is like."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

ROBOT = "robot"
TABLE = "table"
AWAY = ""


class Traits(BaseModel):
    """What one learner is like."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    called: str = ""
    """The name to which the learner listens, such as the colour on the table."""
    seat: str | None = None
    """Seat in the scenario file; left out: the one of `[people]`."""
    skill: float = Field(default=0.6, ge=0, le=1)
    """How often a map is read rightly."""
    talkativeness: float = Field(default=0.6, ge=0, le=1)
    """How often something is said that need not be."""
    pace: float = Field(default=1.0, ge=0.01, le=5)
    """1 thinks as long as most do, 2 half as long."""


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody turns the head: to the robot, the table, a place on it, a person, or away."""

    learner: str
    target: str


@dataclass(frozen=True, slots=True)
class Speak:
    """Somebody begins to speak."""

    learner: str
    text: str


@dataclass(frozen=True, slots=True)
class Hush:
    """Somebody has said it."""

    learner: str
    text: str


@dataclass(frozen=True, slots=True)
class Touch:
    """Somebody touches a place on the table."""

    learner: str
    place: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Everybody stands up and goes."""


Deed = Look | Speak | Hush | Touch | Leave


@dataclass(slots=True)
class Learner:
    """One of them, and what goes on in the head."""

    id: str
    traits: Traits
    looks_at: str = TABLE
    next_look_s: float = 0.0
    speaks_until_s: float = 0.0
    idea: str | None = None
    """The place that the way leads to, as the learner sees it."""
    stuck: bool = False
    """Whether nothing comes to mind."""
    help_got: int = 0
    """How often somebody helped in this round."""
    tried: list[str] = field(default_factory=list)
