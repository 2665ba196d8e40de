"""Signals that run by themselves: noise, a move along a curve, a switch."""

from __future__ import annotations

from typing import Any, Self

from sera.animation.controllers._units import parameters_of, settings_from
from sera.animation.engine.controller import ControllerParameters, Making, Output, Signal
from sera.animation.signals import EaseMove, EaseSettings, Noise, NoiseSettings, Trigger


class NoiseFloat(Signal):
    """Perlin noise: wanders smoothly and never repeats."""

    Parameters = parameters_of(
        NoiseSettings,
        gain=(float, 1.0, "Factor on how far it goes."),
        rate=(float, 1.0, "Factor on how fast it moves."),
    )
    output = Output.FLOAT
    wires = frozenset({"gain", "rate"})

    def __init__(self, settings: NoiseSettings, seed: int = 0) -> None:
        """Wander the same way for the same seed."""
        self.gain = self.rate = 1.0
        self._noise = Noise(settings, seed)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls(settings_from(NoiseSettings, parameters), making.seed)
        made.gain, made.rate = parameters.gain, parameters.rate
        return made

    def step(self, dt_s: float) -> None:
        self.result = self._noise.step(dt_s, self.gain, self.rate)

    def adopt(self, old: Self) -> None:
        if old._noise.settings == self._noise.settings:
            self._noise = old._noise


class EaseFloat(Signal):
    """Goes to `target` along a curve, whenever that changes."""

    Parameters = parameters_of(EaseSettings, target=(float, 0.0, "Where to go."))
    output = Output.FLOAT
    wires = frozenset({"target"})

    def __init__(self, settings: EaseSettings, target: float = 0.0) -> None:
        """Begin at the target."""
        self.target = self._going_to = self.result = target
        self._move = EaseMove(settings)
        self._move.reset(target)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        return cls(settings_from(EaseSettings, parameters), parameters.target)

    def step(self, dt_s: float) -> None:
        if self.target != self._going_to:
            self._going_to = self.target
            self._move.start(float(self.result), self.target)
        self.result = self._move.step(dt_s)

    def adopt(self, old: Self) -> None:
        self.target, self._going_to, self.result = old.target, old._going_to, old.result
        if old._move.settings == self._move.settings:
            self._move = old._move
        else:
            self._move.start(float(self.result), self._going_to)


class TriggerSwitch(Signal):
    """Changes between off and on with each rise of `input`."""

    class Parameters(ControllerParameters):
        """The button, and how it begins."""

        input: bool = False
        """The button: each rise changes the switch."""
        active: bool = False
        """How it begins."""

    output = Output.BOOL
    wires = frozenset({"input"})
    result = False

    def __init__(self, *, active: bool = False) -> None:
        """Begin off, or on."""
        self.input = False
        self._trigger = Trigger()
        self._trigger.active = self.result = active

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        made = cls(active=parameters.active)
        made.input = parameters.input
        return made

    def step(self, dt_s: float) -> None:
        self.result = self._trigger.step(dt_s, self.input)

    def adopt(self, old: Self) -> None:
        self._trigger, self.result = old._trigger, old.result
