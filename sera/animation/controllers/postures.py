"""Postures: how a body holds itself.

Design overview: `take` goes over to a posture from wherever the body is on its way to another one,
with minimum jerk, and more slowly than asked for if a hand has far to go.
Units and frames: values in the channels' own units; seconds.
Threading: one owner.
Safety: a posture is blended in, so that nothing jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field

from sera.animation.controllers._rows import lay_over
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.animation.signals import Fade
from sera.runtime.located import nearest_name

NEUTRAL = "neutral"


class Posture(Controller):
    """Takes postures, each blended in over its own time.

    What a body lacks of a posture is left out: a posture made for arms does nothing to a head.
    A posture over others of the same layer covers them by as much as its weight.
    """

    class Parameters(ControllerParameters):
        """Which one, and how much of it."""

        posture: str = NEUTRAL
        """Name of the posture; neutral is there for every body."""
        additive: bool = False
        """Add to what the layer has, instead of setting it."""
        weight: float = 1.0
        """How much of it, 0 to 1."""
        blend_s: float = Field(default=0.5, ge=0.0, le=60.0)
        """How long the change takes when a wire asks for another one, seconds."""

    wires = frozenset({"posture", "weight"})

    def __init__(
        self, postures: Mapping[str, Mapping[str, float]], first: str | None = None
    ) -> None:
        """Know `postures` by name, channel to value in its unit; begin in `first`."""
        self.name = "posture"
        self.posture = first or ""
        """The one that was wired last; orders by `take` stand until the wire changes."""
        self.weight = 1.0
        self.additive = False
        self.refused: list[str] = []
        """What a wire asked for that cannot be done, since somebody last emptied the list."""
        self._wired = self.posture
        self._blend_s = 0.5
        self._taken = self.posture
        self._postures = {name: dict(values) for name, values in postures.items()}
        self._first = first
        self._from: dict[int, float] = {}
        self._to: dict[int, float] = {}
        self._blend = Fade(1.0)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls({NEUTRAL: {}, **making.postures}, parameters.posture or None)
        if made.posture:
            made._known(made.posture)
        made.weight, made.additive = parameters.weight, parameters.additive
        made._blend_s = parameters.blend_s
        return made

    def _known(self, name: str) -> None:
        if name not in self._postures:
            near = nearest_name(name, self._postures)
            hint = f"; did you mean '{near}'?" if near else ""
            raise LookupError(f"there is no posture '{name}'{hint}")

    def bind(self, row: Row) -> None:
        self._row = row
        self._columns = {
            name: {
                column: value
                for channel, value in values.items()
                if (column := row.layout.find(channel)) is not None
            }
            for name, values in self._postures.items()
        }
        self._neutral = row.layout.neutral
        if self._first is not None:
            self._set_out(self._first, 1.0)

    def take(self, name: str, *, weight: float = 1.0, blend_s: float = 0.5) -> None:
        """Go over to a posture, at least as slowly; LookupError with the nearest name."""
        self._set_out(name, weight)
        changes = {
            column: self.weight * (goal - self._from[column]) for column, goal in self._to.items()
        }
        self._blend = Fade(0.0)
        self._blend.go(1.0, self._row.seams.changed_s(changes, blend_s))

    def _set_out(self, name: str, weight: float) -> None:
        self._known(name)
        self._taken = name
        now = self._now()
        wanted = self._columns[name]
        columns = now.keys() | wanted.keys()
        self._from = {column: now.get(column, self._rest(column)) for column in columns}
        self._to = {
            column: (1.0 - weight) * self._from[column]
            + weight * wanted.get(column, self._rest(column))
            for column in columns
        }

    @property
    def taken(self) -> str:
        """Name of the posture that was asked for last."""
        return self._taken

    def step(self, dt_s: float) -> None:
        if self.posture != self._wired:
            self._follow_wire()
        self._blend.step(dt_s)
        row, weight = self._row, self.weight
        for column, value in self._now().items():
            if self.additive:
                row.add(column, weight * (value - self._rest(column)))
            else:
                lay_over(row, column, value, weight)

    def _follow_wire(self) -> None:
        """Take the posture that a wire names; no name, or an unknown one, changes nothing."""
        self._wired = self.posture
        if self.posture:
            try:
                self.take(self.posture, blend_s=self._blend_s)
            except LookupError as error:
                self.refused.append(str(error.args[0]))

    def adopt(self, old: Self) -> None:
        """Stay in the posture that was taken, unless the file now says another one."""
        self.posture, self._wired = old.posture, old._wired
        self._from, self._to = old._from, old._to
        self._blend = old._blend
        taken, self._taken = self._taken, old._taken
        if self._first != old._first or old._taken not in self._columns:
            self.posture = self._wired = taken
            self.take(taken or NEUTRAL, blend_s=self._blend_s)
        elif self._columns[old._taken] != old._columns[old._taken]:
            self.take(old._taken, blend_s=self._blend_s)

    def _rest(self, column: int) -> float:
        return float(self._neutral[column])

    def _now(self) -> dict[int, float]:
        share = self._blend.value
        if share >= 1.0:
            return self._to
        return {
            column: (1.0 - share) * self._from[column] + share * goal
            for column, goal in self._to.items()
        }
