"""Gaze: where a body looks.

Design overview: an order, or the wires, name a direction; the eyes, or the head, travel there along
an arc. Bodies with a chain for it are then aimed by the second stage.
Units and frames: radians inside, degrees in files; to the right and upwards.
Threading: one owner.
Safety: a direction that is no number is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

from sera.animation.controllers._units import parameters_of, settings_from
from sera.animation.engine.controller import Controller, Making, Row
from sera.animation.signals import GazeArc, GazeArcSettings

EYES_BEFORE_HAND_S = 0.25
SEEN_AS_THERE = 0.8
"""Part of a look's time after which nearly all of its way is gone."""
_AT_ONCE_S = 0.1
"""A look that was ordered so short before the hand was ordered with it."""
_ELSEWHERE_RAD = math.radians(3.0)


@dataclass(slots=True)
class Glance:
    """A look laid over the one that was ordered, for as long as a hand is at work."""

    direction: tuple[float, float]
    after_s: float
    for_s: float


class Gaze(Controller):
    """Looks where it is told, along an arc."""

    Parameters = parameters_of(
        GazeArcSettings,
        horizontal_deg=(float, 0.0, "Where it looks, to the right, degrees; an order changes it."),
        vertical_deg=(float, 0.0, "Where it looks, upwards, degrees; an order changes it."),
    )
    wires = frozenset({"horizontal_deg", "vertical_deg"})

    def __init__(self, settings: GazeArcSettings | None = None) -> None:
        """Make it; nobody is looked at before the first `look`."""
        self.name = "gaze"
        self.horizontal_deg = self.vertical_deg = 0.0
        """Where wires want it to look; orders by `look` stand until a wire changes."""
        self._wired = self._authored = (0.0, 0.0)
        self._arc = GazeArc(settings or GazeArcSettings())
        self._target: tuple[float, float] | None = None
        self._speed = 1.0
        self._last = (0.0, 0.0)
        self._glance: Glance | None = None
        self._ordered_s = 0.0
        """How long ago the last look was ordered."""

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        made = cls(settings_from(GazeArcSettings, parameters))
        made.horizontal_deg, made.vertical_deg = parameters.horizontal_deg, parameters.vertical_deg
        made._look_as_wired()
        made._authored = made._wired
        made._arc.reset(math.radians(made.horizontal_deg), math.radians(made.vertical_deg))
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        self._horizontal = row.layout.find("Gazing.Horizontal")
        self._vertical = row.layout.find("Gazing.Vertical")

    @property
    def target(self) -> tuple[float, float] | None:
        """Where it was told to look, to the right and upwards, radians."""
        return self._target

    def look(self, horizontal_rad: float, vertical_rad: float, speed: float = 1.0) -> None:
        """Look there from now on: to the right, upwards; `speed` is a factor on the usual one."""
        if not (math.isfinite(horizontal_rad) and math.isfinite(vertical_rad)):
            raise ValueError(f"no direction: {horizontal_rad}, {vertical_rad}; give two angles")
        if self._target is None:
            self._arc.reset(0.0, 0.0)
        self._target, self._glance, self._ordered_s = (horizontal_rad, vertical_rad), None, 0.0
        self._speed = speed

    def lead(
        self, horizontal_rad: float, vertical_rad: float, hand_s: float, hold_s: float
    ) -> float:
        """Be there a moment before a hand, and stay while it does; how long the hand waits for it.

        Args:
            horizontal_rad, vertical_rad: where the hand goes, to the right and upwards.
            hand_s: how long it takes.
            hold_s: how long it stays.
        """
        target = (horizontal_rad, vertical_rad)
        is_there = self._target is not None and math.dist(self._target, target) < _ELSEWHERE_RAD
        if is_there and self._ordered_s > _AT_ONCE_S:
            return 0.0  # whoever ordered the look before the hand has timed it
        eyes_s = SEEN_AS_THERE * self._arc.settings.duration_s(math.dist(target, self._last))
        first_s = eyes_s + EYES_BEFORE_HAND_S - hand_s
        if not is_there:
            waits_s = max(0.0, first_s)
            self._glance = Glance(target, max(0.0, -first_s), waits_s + hand_s + hold_s)
        return max(0.0, first_s)

    def _look_as_wired(self) -> None:
        self._wired = (self.horizontal_deg, self.vertical_deg)
        self.look(math.radians(self.horizontal_deg), math.radians(self.vertical_deg))

    def step(self, dt_s: float) -> None:
        if (self.horizontal_deg, self.vertical_deg) != self._wired:
            self._look_as_wired()
        self._ordered_s += dt_s
        target = self._looked_at(dt_s)
        if target is None:
            return
        yaw, pitch = self._last = self._arc.step(dt_s * self._speed, *target)
        if self._horizontal is not None:
            self._row.write(self._horizontal, yaw)
        if self._vertical is not None:
            self._row.write(self._vertical, pitch)

    def _looked_at(self, dt_s: float) -> tuple[float, float] | None:
        glance = self._glance
        if glance is None:
            return self._target
        if glance.after_s > 0.0:
            glance.after_s -= dt_s
            return self._target
        glance.for_s -= dt_s
        if glance.for_s <= 0.0:
            self._glance = None
            self._target = self._target or (0.0, 0.0)
        return glance.direction

    def adopt(self, old: Self) -> None:
        """Go on looking there, unless the file now says another direction or way."""
        self._last = old._last
        if self._authored == old._authored:
            self._target, self._speed, self._wired = old._target, old._speed, old._wired
            self.horizontal_deg, self.vertical_deg = old._wired
        if old._arc.settings == self._arc.settings:
            self._arc = old._arc
        else:
            self._arc.reset(*old._last)
