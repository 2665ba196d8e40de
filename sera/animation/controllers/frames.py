"""Controllers that work on frames as they are: one channel, another frame, two sides, a volume."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal, Self

import numpy as np
from pydantic import ConfigDict

from sera.animation.body.sets import GENERIC
from sera.animation.channels import ChannelSpec, Unit
from sera.animation.controllers._rows import columns_of, is_animated
from sera.animation.controllers._units import factor_of, own_units, parameters_of, settings_from
from sera.animation.engine.controller import (
    Controller,
    ControllerParameters,
    FrameWire,
    Making,
    Row,
)
from sera.animation.signals import Asymmetry, AsymmetrySettings, Squash, SquashSettings
from sera.runtime.located import nearest_name


class WriteToChannel(Controller):
    """Sets one channel to a value: where secondary chains reach the body."""

    class Parameters(ControllerParameters):
        """Which channel, and what."""

        channel: str = ""
        """Full name, such as Gazing.Roll; an empty one writes nothing."""
        value: float = 0.0
        """Degrees for a channel that is an angle, otherwise its own unit."""
        speed: float | None = None
        """Factor on the motors' own speed."""
        unit: Literal["own", "percent", "valence"] = "own"
        """percent and valence mean a share of the channel's range."""

    wires = frozenset({"channel", "value", "speed"})

    def __init__(self, channel: str, value: float, unit: str = "own") -> None:
        """Write `value` into `channel`; an empty name writes nothing."""
        self.channel, self.value, self._unit = channel, value, unit
        self.speed: float | None = None
        self.refused: list[str] = []
        """What a wire asked for that cannot be done, since somebody last emptied the list."""

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        if parameters.channel:
            factor_of(making.body, parameters.channel)
        made = cls(parameters.channel, parameters.value, parameters.unit)
        made.speed = parameters.speed
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        self._bound: str | None = None

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        if self.channel != self._bound:
            self._bound = self.channel
            self._column = self._found()
        if self._column is None:
            return
        spec = self._row.layout.specs[self._column]
        self._row.write(self._column, _in_own_unit(self.value, self._unit, spec))
        if self.speed is not None:
            self._row.set_speed(self._column, self.speed)

    def _found(self) -> int | None:
        layout = self._row.layout
        if not self.channel or self.channel in GENERIC or self.channel in layout:
            return layout.find(self.channel)
        near = nearest_name(self.channel, layout.names)
        hint = f"; did you mean '{near}'?" if near else ""
        self.refused.append(f"there is no channel '{self.channel}'{hint}")
        return None


def _in_own_unit(value: float, unit: str, spec: ChannelSpec) -> float:
    if unit == "percent":
        return spec.from_percent(value)
    if unit == "valence":
        return spec.from_valence(value)
    return math.radians(value) if spec.unit is Unit.RADIAN else value


class AddAniBuffer(Controller):
    """Adds the frame of another controller to this chain.

    Values are added by as much as the other one lets through, so that what fades there fades here.
    """

    class Parameters(ControllerParameters):
        """Whose frame."""

        model_config = ConfigDict(arbitrary_types_allowed=True)
        other: FrameWire | None = None
        """A wire from the controller whose frame is added."""
        weight: float = 1.0
        """Factor on what is added."""

    wires = frozenset({"other", "weight"})

    def __init__(self, weight: float = 1.0) -> None:
        """Add `weight` times the other frame, which the program connects."""
        self.other: Row | None = None
        self.weight = weight

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        return cls(parameters.weight)

    def bind(self, row: Row) -> None:
        self._row = row

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        if self.other is None:
            return
        for column in np.flatnonzero(self.other.masks).tolist():
            opacity = float(self.other.passthrough[column])
            self._row.add(column, self.weight * opacity * float(self.other.values[column]))


class AsymmetricSides(Controller):
    """Two sides that do the same are a little apart in time and size."""

    Parameters = parameters_of(
        AsymmetrySettings,
        without={"neutral"},
        pairs=(
            list[tuple[str, str]],
            ...,
            'Left and right, such as [["Arms.LeftRaise", "Arms.RightRaise"]].',
        ),
    )
    reads_below = True

    def __init__(self, pairs: list[tuple[str, str]], settings: AsymmetrySettings) -> None:
        """Take pairs of left and right channels; what a body lacks is left out."""
        self._names, self._settings = pairs, settings

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        for channel in (name for pair in parameters.pairs for name in pair):
            factor_of(making.body, channel)
        return cls(parameters.pairs, settings_from(AsymmetrySettings, parameters))

    def bind(self, row: Row) -> None:
        self._row = row
        find = row.layout.find
        self._pairs = [
            (a, b, Asymmetry(self._about_neutral(a)))
            for a, b in ((find(left), find(right)) for left, right in self._names)
            if a is not None and b is not None
        ]

    def _about_neutral(self, column: int) -> AsymmetrySettings:
        neutral = float(self._row.layout.neutral[column])
        return dataclasses.replace(self._settings, neutral=neutral)

    def step(self, dt_s: float) -> None:
        row = self._row
        for left, right, asymmetry in self._pairs:
            values = asymmetry.step(dt_s, row.read(left), row.read(right))
            for column, value in ((left, values[0]), (right, values[1])):
                if is_animated(row, column) or value != row.read(column):
                    row.write(column, value)


class SquashAndStretch(Controller):
    """What becomes shorter becomes wider: one input moves height and width channels together."""

    Parameters = parameters_of(
        SquashSettings,
        stretch=(float, 0.0, "From -1, squashed, over 0 to 1, stretched."),
        height=(dict[str, float], {}, "Amount by channel for a factor of height of 2."),
        width=(dict[str, float], {}, "Amount by channel for a factor of width of 2."),
    )
    wires = frozenset({"stretch"})

    def __init__(
        self, height: dict[str, float], width: dict[str, float], settings: SquashSettings
    ) -> None:
        """Take amounts by channel, in its unit, for a change of the factor by 1."""
        self.stretch = 0.0
        self._amounts = (height, width)
        self._squash = Squash(settings)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        height = own_units(making.body, parameters.height)
        width = own_units(making.body, parameters.width)
        made = cls(height, width, settings_from(SquashSettings, parameters))
        made.stretch = parameters.stretch
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        self._targets = [columns_of(row, amounts) for amounts in self._amounts]

    def step(self, dt_s: float) -> None:
        factors = self._squash.step(dt_s, self.stretch)
        for targets, factor in zip(self._targets, factors, strict=True):
            for column, amount in targets:
                self._row.add(column, amount * (factor - 1.0))
