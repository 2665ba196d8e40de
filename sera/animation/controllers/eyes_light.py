"""The light of the eyes: brighter when somebody's eyes meet the robot's, dimmer when they are lost.

Design overview: until the first order the lights are what the posture says. From then on they have
the level of the last order; faces, animations and speech above it change them further.
Units and frames: levels from 0 (dark) to 1 (as bright as the lights can be); seconds.
Threading: one owner.
Safety: a change takes its time, whenever the next one comes. A body without lights shows nothing.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field

from sera.animation.controllers._looks import Looks
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row

LIGHTS = ("Lights.Left", "Lights.Right")


class EyesLight(Controller):
    """Lights the eyes as bright as it is told."""

    class Parameters(ControllerParameters):
        """How it changes."""

        blend_s: float = Field(default=0.3, ge=0.0, le=60.0)
        """How long a change takes, seconds."""

    def __init__(self, blend_s: float = 0.3) -> None:
        """Take how long a change takes."""
        self.level: float | None = None
        """What was asked for last; None: nobody has asked yet."""
        self._blend_s = blend_s
        self._looks = Looks()

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        return cls(parameters.blend_s)

    def bind(self, row: Row) -> None:
        self._row = row
        columns = [column for each in LIGHTS if (column := row.layout.find(each)) is not None]
        lower, upper = row.layout.lower, row.layout.upper
        self._ranges = {column: (float(lower[column]), float(upper[column])) for column in columns}

    def light(self, level: float) -> None:
        """Go over to a level.

        Raises:
            ValueError: it is not within 0 to 1.
        """
        if not 0.0 <= level <= 1.0:
            raise ValueError(f"the level {level} of the eyes' light is not within 0 to 1")
        if level == self.level:
            return
        self.level = level
        goal = {column: (1.0 - level) * a + level * b for column, (a, b) in self._ranges.items()}
        self._looks.show(goal, opacity=1.0, blend_s=self._blend_s)

    @property
    def rests(self) -> bool:
        return self._looks.empty

    def step(self, dt_s: float) -> None:
        self._looks.step(dt_s, self._row)

    def adopt(self, old: Self) -> None:
        self.level, self._looks = old.level, old._looks
