"""Gestures that are made on the spot: nod and shake."""

from __future__ import annotations

from sera.animation.engine.layers import Controller, Row
from sera.animation.signals import Nod, NodKind, NodSettings


class NodController(Controller):
    """Nods or shakes when asked to, on top of where the body looks."""

    def __init__(self, settings: NodSettings | None = None) -> None:
        """Make it for nodding or shaking, as the settings say."""
        self._settings = settings or NodSettings()
        self.name = self._settings.kind.value
        self._nod = Nod(self._settings)

    def bind(self, row: Row) -> None:
        self._row = row
        nods = self._settings.kind is NodKind.NOD
        self._column = row.layout.find("Gazing.Vertical" if nods else "Gazing.Horizontal")

    @property
    def active(self) -> bool:
        return self._nod.active

    def start(self, count: int = 2, gain: float = 1.0) -> None:
        """Do it a number of times."""
        self._nod.start(count, gain)

    def step(self, dt_s: float) -> None:
        if self._column is not None and self._nod.active:
            self._row.add(self._column, self._nod.step(dt_s))
