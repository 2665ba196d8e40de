"""Gestures that are made on the spot: nod and shake."""

from __future__ import annotations

import math
from typing import Any, Self

from sera.animation.controllers._swinging import ACROSS, UP, Extent, Swing
from sera.animation.engine.controller import Controller, ControllerParameters, Making, Row
from sera.animation.signals import Nod, NodKind, NodSettings

_MOST = 50
_TRY_S = 0.02


class NodController(Controller):
    """Nods or shakes when asked to, on top of where the body looks.

    A body that is too slow for it nods more slowly, and as far.
    """

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
        self._rate = 1.0
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
        self._channel = UP if self._settings.kind is NodKind.NOD else ACROSS
        self._column = row.layout.find(self._channel)
        self._swing: Swing | None = None
        self._rates: dict[tuple[int, float], float] = {}

    @property
    def active(self) -> bool:
        return self._nod.active

    def start(self, count: int = 2, gain: float = 1.0) -> None:
        """Do it a number of times, 1 to 50."""
        self._nod.start(count, gain)
        reach = gain * self._settings.amplitude_rad
        highest = 0.0 if self._settings.kind is NodKind.NOD else reach
        self._swing = Swing(self._row, {self._channel: Extent(-reach, highest)})
        self._rate = self._rate_of(self._swing, count, gain)

    def _rate_of(self, swing: Swing, count: int, gain: float) -> float:
        """The first strokes are the largest: a body that can do them can do the others."""
        key = (min(count, 2), gain)
        if key not in self._rates and self._column is not None:
            trial, column, values = Nod(self._settings), self._column, [0.0]
            trial.start(*key)
            while trial.active:
                values.append(trial.step(_TRY_S))

            def changes_at(time_s: float) -> dict[int, float]:
                return {column: values[min(int(time_s / _TRY_S), len(values) - 1)]}

            self._rates[key] = swing.rate(changes_at, len(values) * _TRY_S)
        return self._rates.get(key, 1.0)

    def stop(self) -> None:
        """Break off; the motion filter brings the head back."""
        self._nod.reset()

    def step(self, dt_s: float) -> None:
        if self.now and not self._was_asked:
            self.start(min(max(self.count, 1), _MOST))  # a wire may carry any number
        self._was_asked = self.now
        if self._column is None or self._swing is None:
            return
        if self._nod.active:
            self._row.add(self._column, self._nod.step(dt_s * self._rate))
        self._swing.step(dt_s, on=self._nod.active)
        if not (self._nod.active or self._swing.gives_way):
            self._swing = None

    def adopt(self, old: Self) -> None:
        self._was_asked = old._was_asked
        if old._settings == self._settings:
            self._nod, self._rates = old._nod, old._rates
            if self._nod.active:
                self._swing, self._rate = Swing(self._row, {}), old._rate
