"""Signals of the documented kind: constants, chance, arithmetic, texts.

They have the names of the documents (`AddFloat`, `StrChanged` …), because programs are written
with them in mind.
"""

from __future__ import annotations

import math
import random
from typing import Any, Self

from sera.animation.engine.controller import ControllerParameters, Making, Output, Signal
from sera.animation.signals import WaveShape
from sera.runtime.located import nearest_name


class _Copied(Signal):
    """A signal whose parameters are all attributes of the same name."""

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        made = cls()
        for name in type(parameters).model_fields:
            setattr(made, name, getattr(parameters, name))
        made.prepare(making)
        return made

    def prepare(self, making: Making) -> None:
        """Called once, when the parameters are there."""


class Float(_Copied):
    """Gives `value` as it is."""

    class Parameters(ControllerParameters):
        """A number."""

        value: float = 0.0
        """What it gives."""

    output = Output.FLOAT
    wires = frozenset({"value"})
    value: float

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self.value


class RandomFloat(_Copied):
    """A new number between `min` and `max` in every frame."""

    class Parameters(ControllerParameters):
        """From where to where."""

        min: float = 0.0
        """The smallest that it gives."""
        max: float = 1.0
        """The largest that it gives."""

    output = Output.FLOAT
    wires = frozenset({"min", "max"})
    min: float
    max: float

    def prepare(self, making: Making) -> None:
        self._chance = random.Random(making.seed)  # noqa: S311 - motion, not secrets

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self._chance.uniform(self.min, self.max)


class IntStep(_Copied):
    """`steps` times `step_size`."""

    class Parameters(ControllerParameters):
        """The two factors."""

        steps: int = 0
        """How many steps."""
        step_size: int = 1
        """How large a step is."""

    output = Output.INT
    wires = frozenset({"steps", "step_size"})
    result = 0
    steps: int
    step_size: int

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self.steps * self.step_size


class Wave(_Copied):
    """A sine, square or triangle wave."""

    class Parameters(ControllerParameters):
        """Its form; the phase is accumulated, so that a changed frequency makes no jump."""

        amplitude: float = 1.0
        """How far it goes to either side."""
        frequency: float = 1.0
        """Hertz."""
        phase: float = 0.0
        """How far it is ahead, degrees: 90 begins at the top."""
        shape: str = "sine"
        """sine, square or triangle."""

    output = Output.FLOAT
    wires = frozenset({"amplitude", "frequency", "phase", "shape"})
    amplitude: float
    frequency: float
    phase: float
    shape: str

    def prepare(self, making: Making) -> None:  # noqa: ARG002
        self._cycle = 0.0
        self._shape_at(0.0)  # says now what is wrong with the shape

    def step(self, dt_s: float) -> None:
        self._cycle = (self._cycle + self.frequency * dt_s) % 1.0
        self.result = self.amplitude * self._shape_at(self._cycle + self.phase / 360.0)

    def _shape_at(self, cycle: float) -> float:
        if self.shape == WaveShape.SINE:
            return math.sin(math.tau * cycle)
        share = cycle % 1.0
        if self.shape == WaveShape.SQUARE:
            return 1.0 if share < 0.5 else -1.0
        if self.shape == WaveShape.TRIANGLE:
            return 4.0 * abs((share + 0.75) % 1.0 - 0.5) - 1.0
        near = nearest_name(self.shape, list(WaveShape))
        hint = f"; did you mean '{near}'?" if near else f"; there are {', '.join(WaveShape)}"
        raise ValueError(f"there is no wave '{self.shape}'{hint}")

    def adopt(self, old: Self) -> None:
        self._cycle = old._cycle


class AddFloat(_Copied):
    """`input` plus `value`."""

    class Parameters(ControllerParameters):
        """The two summands."""

        input: float = 0.0
        """The one."""
        value: float = 0.0
        """The other."""

    output = Output.FLOAT
    wires = frozenset({"input", "value"})
    input: float
    value: float

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self.input + self.value


class MultiplyFloat(AddFloat):
    """`input` times `value`."""

    class Parameters(ControllerParameters):
        """The two factors."""

        input: float = 0.0
        """The one."""
        value: float = 1.0
        """The other."""

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self.input * self.value


class AbsFloat(_Copied):
    """`input` without its sign."""

    class Parameters(ControllerParameters):
        """A number."""

        input: float = 0.0
        """What may have a sign."""

    output = Output.FLOAT
    wires = frozenset({"input"})
    input: float

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = abs(self.input)


class IfFloat(_Copied):
    """`if_true` where `input` equals `test`, else `if_false`."""

    class Parameters(ControllerParameters):
        """The question and both answers."""

        input: float = 0.0
        """What is compared."""
        test: float = 0.0
        """What it is compared with."""
        if_true: float = 1.0
        """Given where they are equal."""
        if_false: float = 0.0
        """Given where they are not."""

    output = Output.FLOAT
    wires = frozenset({"input", "test", "if_true", "if_false"})
    input: float
    test: float
    if_true: float
    if_false: float

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self.if_true if self.input == self.test else self.if_false


class StrConcat(_Copied):
    """`input` followed by `other`."""

    class Parameters(ControllerParameters):
        """Two texts."""

        input: str = ""
        """What comes first."""
        other: str = ""
        """What follows it."""

    output = Output.STRING
    wires = frozenset({"input", "other"})
    result = ""
    input: str
    other: str

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self.input + self.other


class StrChanged(_Copied):
    """True in the frame in which `input` has changed; made for driving triggers."""

    class Parameters(ControllerParameters):
        """A text."""

        input: str = ""
        """What is watched."""

    output = Output.BOOL
    wires = frozenset({"input"})
    result = False
    input: str

    def prepare(self, making: Making) -> None:  # noqa: ARG002
        self._before: str | None = None

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self._before is not None and self.input != self._before
        self._before = self.input

    def adopt(self, old: Self) -> None:
        self._before = old._before
