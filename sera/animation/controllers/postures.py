"""Postures and gaze: what a body does on purpose, by order."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sera.animation.engine.layers import Controller, Row
from sera.animation.signals import GazeArc, GazeArcSettings
from sera.runtime.located import nearest_name


class Posture(Controller):
    """Takes postures, each blended in over its own time.

    What a body lacks of a posture is left out: a posture made for arms does nothing to a head.
    """

    def __init__(
        self, postures: Mapping[str, Mapping[str, float]], first: str | None = None
    ) -> None:
        """Know `postures` by name, channel to value in its unit; begin in `first`."""
        self.name = "posture"
        self._postures = {name: dict(values) for name, values in postures.items()}
        self._first = first
        self._from: dict[int, float] = {}
        self._to: dict[int, float] = {}
        self._share, self._rate = 1.0, 0.0

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
            self.take(self._first, blend_s=0.0)

    def take(self, name: str, *, weight: float = 1.0, blend_s: float = 0.5) -> None:
        """Go over to a posture; LookupError with the nearest name."""
        if name not in self._columns:
            near = nearest_name(name, self._columns)
            hint = f"; did you mean '{near}'?" if near else ""
            raise LookupError(f"there is no posture '{name}'{hint}")
        now = self._now()
        wanted = self._columns[name]
        columns = now.keys() | wanted.keys()
        self._from = {column: now.get(column, self._rest(column)) for column in columns}
        self._to = {
            column: (1.0 - weight) * self._from[column]
            + weight * wanted.get(column, self._rest(column))
            for column in columns
        }
        self._share = 0.0 if blend_s > 0.0 else 1.0
        self._rate = 1.0 / blend_s if blend_s > 0.0 else 0.0

    def step(self, dt_s: float) -> None:
        self._share = min(1.0, self._share + self._rate * dt_s)
        for column, value in self._now().items():
            self._row.write(column, value)

    def _rest(self, column: int) -> float:
        return float(self._neutral[column])

    def _now(self) -> dict[int, float]:
        # Slow in and out; exact at both ends.
        eased = self._share * self._share * (3.0 - 2.0 * self._share)
        return {
            column: (1.0 - eased) * self._from[column] + eased * goal
            for column, goal in self._to.items()
        }


class Gaze(Controller):
    """Looks where it is told, along an arc."""

    def __init__(self, settings: GazeArcSettings | None = None) -> None:
        """Make it; nobody is looked at before the first `look`."""
        self.name = "gaze"
        self._arc = GazeArc(settings or GazeArcSettings())
        self._target: tuple[float, float] | None = None

    def bind(self, row: Row) -> None:
        self._row = row
        self._horizontal = row.layout.index("Gazing.Horizontal")
        self._vertical = row.layout.find("Gazing.Vertical")

    def look(self, horizontal_rad: float, vertical_rad: float) -> None:
        """Look there from now on: to the right, upwards."""
        if not (math.isfinite(horizontal_rad) and math.isfinite(vertical_rad)):
            raise ValueError(f"no direction: {horizontal_rad}, {vertical_rad}; give two angles")
        if self._target is None:
            self._arc.reset(0.0, 0.0)
        self._target = (horizontal_rad, vertical_rad)

    def step(self, dt_s: float) -> None:
        if self._target is None:
            return
        yaw, pitch = self._arc.step(dt_s, *self._target)
        self._row.write(self._horizontal, yaw)
        if self._vertical is not None:
            self._row.write(self._vertical, pitch)
