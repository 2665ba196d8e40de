"""Gestures that are made on the spot: nod and shake."""

from __future__ import annotations

import math
from typing import Any, Self

from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.animation.signals import Nod, NodKind, NodSettings

_MOST = 50


class NodController(Controller):
    """Nods or shakes when asked to, on top of where the body looks."""

    class Parameters(ControllerParameters):
        """Which of the two, how far and how fast."""

        kind: NodKind = NodKind.NOD
        """nod or shake."""
        amplitude_deg: float = 14.0
        """How far the first one goes, degrees."""
        frequency_hz: float = 1.6
        """How many a second."""
        decay: float = 0.75
        """How large each one is, compared with the one before."""
        count: int = 2
        """How many, 1 to 50."""
        now: bool = False
        """A trigger: each rise starts it."""

    wires = frozenset({"count", "now"})

    def __init__(self, settings: NodSettings | None = None) -> None:
        """Make it for nodding or shaking, as the settings say."""
        self._settings = settings or NodSettings()
        self.name = self._settings.kind.value
        self._nod = Nod(self._settings)
        self.count, self.now, self._was_asked = 2, False, False

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        settings = NodSettings(
            kind=parameters.kind,
            amplitude_rad=math.radians(parameters.amplitude_deg),
            frequency_hz=parameters.frequency_hz,
            decay=parameters.decay,
        )
        made = cls(settings)
        made.count, made.now = parameters.count, parameters.now
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        nods = self._settings.kind is NodKind.NOD
        self._column = row.layout.find("Gazing.Vertical" if nods else "Gazing.Horizontal")

    @property
    def active(self) -> bool:
        return self._nod.active

    def start(self, count: int = 2, gain: float = 1.0) -> None:
        """Do it a number of times, 1 to 50."""
        self._nod.start(count, gain)

    def stop(self) -> None:
        """Break off; the motion filter brings the head back."""
        self._nod.reset()

    def step(self, dt_s: float) -> None:
        if self.now and not self._was_asked:
            self.start(min(max(self.count, 1), _MOST))  # a wire may carry any number
        self._was_asked = self.now
        if self._column is not None and self._nod.active:
            self._row.add(self._column, self._nod.step(dt_s))

    def adopt(self, old: Self) -> None:
        self._was_asked = old._was_asked
        if old._settings == self._settings:
            self._nod = old._nod
