"""Idle life: breathing, blinking, small darts and drifts, added to whatever the body does.

What a body has no channel for is left out, so that one idle layer serves every body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from sera.animation.controllers._rows import columns_of
from sera.animation.controllers._units import own_units, parameters_of, settings_from
from sera.animation.engine.controller import Controller, Making, Row
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


class BreathingController(Controller):
    """Lets channels rise and fall with the breath, each by its amount."""

    Parameters = parameters_of(
        BreathingSettings,
        amounts=(dict[str, float], ..., "How far each channel moves, degrees for angles."),
        arousal=(float, 0.0, "From -1, calm, to 1, excited: how fast and deep it breathes."),
    )
    wires = frozenset({"arousal"})

    def __init__(
        self, amounts: Mapping[str, float], settings: BreathingSettings | None = None, seed: int = 0
    ) -> None:
        """Take amounts by channel, in its unit, at a full breath."""
        self.name = "breathing"
        self.arousal = 0.0
        self._amounts = dict(amounts)
        self._breath = Breathing(settings or BreathingSettings(), seed)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        amounts = own_units(making.body, parameters.amounts)
        made = cls(amounts, settings_from(BreathingSettings, parameters), making.seed)
        made.arousal = parameters.arousal
        return made

    def bind(self, row: Row) -> None:
        self._row, self._targets = row, columns_of(row, self._amounts)

    def step(self, dt_s: float) -> None:
        breath = self._breath.step(dt_s, self.arousal)
        for column, amount in self._targets:
            self._row.add(column, amount * breath)

    def adopt(self, old: Self) -> None:
        if old._breath.settings == self._breath.settings:
            self._breath = old._breath


class BlinkingController(Controller):
    """Closes both lids now and then."""

    Parameters = parameters_of(BlinkSettings, now=(bool, False, "A trigger: each rise is a blink."))
    wires = frozenset({"now"})

    def __init__(self, settings: BlinkSettings | None = None, seed: int = 0) -> None:
        """Blink by chance, the same way for the same seed."""
        self.name = "blinking"
        self.now = self._was_asked = False
        self._blink = Blinking(settings or BlinkSettings(), seed)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls(settings_from(BlinkSettings, parameters), making.seed)
        made.now = parameters.now
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        self._targets = columns_of(row, {"Eyes.LeftLid": 1.0, "Eyes.RightLid": 1.0})

    def blink(self) -> None:
        """Blink at once."""
        self._blink.blink_now()

    def step(self, dt_s: float) -> None:
        if self.now and not self._was_asked:
            self.blink()
        self._was_asked = self.now
        lid = self._blink.step(dt_s)
        for column, amount in self._targets:
            self._row.write(column, amount * lid)

    def adopt(self, old: Self) -> None:
        self._was_asked = old._was_asked
        if old._blink.settings == self._blink.settings:
            self._blink = old._blink


class DriftController(Controller):
    """Lets channels drift a little, each on its own; never beyond its amount."""

    Parameters = parameters_of(
        NoiseSettings,
        without={"amplitude"},
        amounts=(dict[str, float], ..., "How far each channel drifts at most, degrees for angles."),
        gain=(float, 1.0, "Factor on all amounts."),
    )
    wires = frozenset({"gain"})

    def __init__(
        self, amounts: Mapping[str, float], settings: NoiseSettings | None = None, seed: int = 0
    ) -> None:
        """Take amounts by channel, in its unit."""
        self.name = "drift"
        self.gain = 1.0
        self._amounts = dict(amounts)
        self._settings = settings or NoiseSettings()
        self._seed = seed

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        amounts = own_units(making.body, parameters.amounts)
        made = cls(amounts, settings_from(NoiseSettings, parameters), making.seed)
        made.gain = parameters.gain
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        self._targets = [
            (column, amount / self._settings.amplitude, Noise(self._settings, self._seed + number))
            for number, (column, amount) in enumerate(columns_of(row, self._amounts))
        ]

    def step(self, dt_s: float) -> None:
        for column, amount, noise in self._targets:
            self._row.add(column, self.gain * amount * noise.step(dt_s))

    def adopt(self, old: Self) -> None:
        """Every channel goes on in its own drift, by the new amounts."""
        if old._settings == self._settings:
            drifts = {column: noise for column, _amount, noise in old._targets}
            self._targets = [
                (column, amount, drifts.get(column, noise))
                for column, amount, noise in self._targets
            ]


class SaccadeController(Controller):
    """Small darts of the eyes, or of the head where the eyes do not move."""

    Parameters = parameters_of(
        SaccadeSettings,
        spread=(float, 1.0, "Factor on how far the darts go."),
        head=(float, 0.3, "Share of a dart that the head makes where the eyes do not move."),
    )
    wires = frozenset({"spread"})

    def __init__(self, settings: SaccadeSettings | None = None, seed: int = 0) -> None:
        """Dart by chance, the same way for the same seed."""
        self.name = "saccades"
        self.spread = 1.0
        self.head = 1.0
        """How much of a dart the head makes where the eyes do not move."""
        self._saccades = Saccades(settings or SaccadeSettings(), seed)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls(settings_from(SaccadeSettings, parameters), making.seed)
        made.spread, made.head = parameters.spread, parameters.head
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        eyes = row.layout.find("Eyes.Horizontal"), row.layout.find("Eyes.Vertical")
        head = row.layout.find("Gazing.Horizontal"), row.layout.find("Gazing.Vertical")
        self._columns = eyes if eyes[0] is not None else head
        self._share = 1.0 if eyes[0] is not None else self.head

    def step(self, dt_s: float) -> None:
        darts = self._saccades.step(dt_s, self.spread)
        for column, angle in zip(self._columns, darts, strict=True):
            if column is not None:
                self._row.add(column, self._share * angle)

    def adopt(self, old: Self) -> None:
        if old._saccades.settings == self._saccades.settings:
            self._saccades = old._saccades
