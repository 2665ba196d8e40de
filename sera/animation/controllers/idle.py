"""Idle life: breathing, blinking, small darts and drifts, added to whatever the body does.

What a body has no channel for is left out, so that one idle layer serves every body.
"""

from __future__ import annotations

from collections.abc import Mapping

from sera.animation.engine.layers import Controller, Row
from sera.animation.signals import (
    Blinking,
    BlinkSettings,
    Breathing,
    BreathingSettings,
    Noise,
    NoiseSettings,
    Saccades,
    SaccadeSettings,
)


def _columns(row: Row, amounts: Mapping[str, float]) -> list[tuple[int, float]]:
    return [
        (column, amount)
        for channel, amount in amounts.items()
        if (column := row.layout.find(channel)) is not None
    ]


class BreathingController(Controller):
    """Lets channels rise and fall with the breath, each by its amount."""

    def __init__(
        self, amounts: Mapping[str, float], settings: BreathingSettings | None = None, seed: int = 0
    ) -> None:
        """Take amounts by channel, in its unit, at a full breath."""
        self.name = "breathing"
        self.arousal = 0.0
        self._amounts = dict(amounts)
        self._breath = Breathing(settings or BreathingSettings(), seed)

    def bind(self, row: Row) -> None:
        self._row, self._targets = row, _columns(row, self._amounts)

    def step(self, dt_s: float) -> None:
        breath = self._breath.step(dt_s, self.arousal)
        for column, amount in self._targets:
            self._row.add(column, amount * breath)


class BlinkingController(Controller):
    """Closes both lids now and then."""

    def __init__(self, settings: BlinkSettings | None = None, seed: int = 0) -> None:
        """Blink by chance, the same way for the same seed."""
        self.name = "blinking"
        self._blink = Blinking(settings or BlinkSettings(), seed)

    def bind(self, row: Row) -> None:
        self._row = row
        self._targets = _columns(row, {"Eyes.LeftLid": 1.0, "Eyes.RightLid": 1.0})

    def now(self) -> None:
        """Blink at once."""
        self._blink.blink_now()

    def step(self, dt_s: float) -> None:
        lid = self._blink.step(dt_s)
        for column, amount in self._targets:
            self._row.write(column, amount * lid)


class DriftController(Controller):
    """Lets channels drift a little, each on its own; never beyond its amount."""

    def __init__(
        self, amounts: Mapping[str, float], settings: NoiseSettings | None = None, seed: int = 0
    ) -> None:
        """Take amounts by channel, in its unit."""
        self.name = "drift"
        self._amounts = dict(amounts)
        self._settings = settings or NoiseSettings()
        self._seed = seed

    def bind(self, row: Row) -> None:
        self._row = row
        self._targets = [
            (column, amount / self._settings.amplitude, Noise(self._settings, self._seed + number))
            for number, (column, amount) in enumerate(_columns(row, self._amounts))
        ]

    def step(self, dt_s: float) -> None:
        for column, amount, noise in self._targets:
            self._row.add(column, amount * noise.step(dt_s))


class SaccadeController(Controller):
    """Small darts of the eyes, or of the head where the eyes do not move."""

    def __init__(self, settings: SaccadeSettings | None = None, seed: int = 0) -> None:
        """Dart by chance, the same way for the same seed."""
        self.name = "saccades"
        self._saccades = Saccades(settings or SaccadeSettings(), seed)

    def bind(self, row: Row) -> None:
        self._row = row
        eyes = row.layout.find("Eyes.Horizontal"), row.layout.find("Eyes.Vertical")
        head = row.layout.find("Gazing.Horizontal"), row.layout.find("Gazing.Vertical")
        self._columns = eyes if eyes[0] is not None else head

    def step(self, dt_s: float) -> None:
        for column, angle in zip(self._columns, self._saccades.step(dt_s), strict=True):
            if column is not None:
                self._row.add(column, angle)
