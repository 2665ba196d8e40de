"""What the floor plan page is told: the room, and where everybody truly is.

Only the page should hear these: a module that decides would know more than senses can tell it.
"""

from __future__ import annotations

from typing import Literal

from sera.messages import Part, State


class PlanThing(Part):
    """Something that stands in the room."""

    name: str
    kind: Literal["robot", "screen", "seat", "object", "camera", "door"]
    x_m: float
    z_m: float
    facing_deg: float | None = None
    """Horizontal, 0 along +Z, positive to the right; None where it faces nowhere."""
    width_m: float = 0.0
    depth_m: float = 0.0
    fov_deg: float = 0.0
    """Width of a camera's picture."""


class PlanPerson(Part):
    """Somebody who is simulated."""

    name: str
    here: bool
    x_m: float
    z_m: float
    face_deg: float
    """Where the face points, horizontal, 0 along +Z, positive to the right."""
    looks_at: str = ""
    saying: str = ""
    """What is being said; empty: nothing."""
    seen_as: str | None = None
    """Id that the tracker has for them; None: no camera sees them."""
    held: bool = False
    """Whether a hand on the floor plan leads them."""


class FloorPlanState(State):
    """What stands in the room, seen from above."""

    belongs_to_world = True

    things: list[PlanThing]
    targets: list[str]
    """Everything that simulated people can be told to look at."""


class SimulatedPeopleState(State):
    """Where the simulated people truly are, a few times a second."""

    belongs_to_world = True

    people: list[PlanPerson]
