"""Nested pieces that several messages share: places, directions and checked plain types.

Units and frames: the space of a scenario is Y up and right-handed, in metres, and forward is +Z.
Directions are two angles in degrees, because people write and read them: horizontal is positive
to the right of somebody who faces forward (towards -X), vertical is positive upwards.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Name = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
"""A name or an id: never empty, no blanks around it."""
Seconds = Annotated[float, Field(ge=0)]
"""A duration, or a time that counts from the start of the run."""
PositiveSeconds = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
"""From nothing (0) to all (1)."""
LoudnessDbfs = Annotated[float, Field(ge=-120, le=12)]
"""Decibels relative to full scale: 0 is the loudest undistorted sound, -60 a quiet room."""


class Part(BaseModel):
    """A nested piece of a message. Subclass it for the nested pieces of your own messages."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        defer_build=True,  # a process builds the few that it uses
    )


class Position(Part):
    """A place in the space of the scenario."""

    x_m: float
    """Metres to the left of somebody who faces forward."""
    y_m: float
    """Metres above the floor."""
    z_m: float
    """Metres forward."""


class Direction(Part):
    """Where something lies or points, as two angles."""

    horizontal_deg: float = Field(ge=-180, le=180)
    """0 is straight ahead, positive to the right."""
    vertical_deg: float = Field(default=0.0, ge=-90, le=90)
    """0 is level, positive upwards."""


class Orientation(Part):
    """How a body is turned, as a unit quaternion."""

    w: float = 1.0
    """Scalar part."""
    x: float = 0.0
    """First component of the vector part."""
    y: float = 0.0
    """Second component of the vector part."""
    z: float = 0.0
    """Third component of the vector part."""

    @model_validator(mode="after")
    def _is_of_unit_length(self) -> Self:
        squared_length = self.w**2 + self.x**2 + self.y**2 + self.z**2
        if abs(squared_length - 1.0) > 1e-3:
            raise ValueError(
                f"a rotation is a quaternion of length 1, this one has {squared_length**0.5:.4g}: "
                "divide w, x, y and z by that length"
            )
        return self


class ScreenPoint(Part):
    """A place on one of the scenario's screens."""

    screen: Name = "main"
    """Name of the screen in the scenario file."""
    x_px: float = Field(ge=0)
    """Pixels from the left edge."""
    y_px: float = Field(ge=0)
    """Pixels from the upper edge."""


def require_exactly_one(part: BaseModel, *fields: str) -> None:
    """Refuse a message unless exactly one of these optional fields is given."""
    given = [field for field in fields if getattr(part, field) is not None]
    if len(given) != 1:
        raise ValueError(
            f"{type(part).__name__} takes exactly one of {_listed(fields)}; "
            f"given: {_listed(given) if given else 'none'}"
        )


def require_any(part: BaseModel, *fields: str) -> None:
    """Refuse a message unless at least one of these optional fields is given."""
    if all(getattr(part, field) is None for field in fields):
        raise ValueError(f"{type(part).__name__} takes at least one of {_listed(fields)}")


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
