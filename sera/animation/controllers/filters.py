"""The principles as operators: the same curve for one value or for channels of a frame.

Design overview: every signal of `sera.animation.signals` that turns one value into another comes
in two forms. `Spring` and its like change channels: what the chain so far, or the layers below,
have for each of `channels` goes through a filter of its own. `SpringFloat` and its like are
signals for secondary chains, with the value in `input`.

Units and frames: channels keep their units; settings of a signal that are angles are written in
degrees, and distances in the unit of the channel, degrees where that is an angle.
Threading: one owner.
Safety: finite in, finite out; the first frame starts every filter where its channel is. A channel
that nobody moves is left alone, once what the filter remembers of it has died away.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self

from sera.animation.channels import ChannelSpec, Unit
from sera.animation.controllers._rows import is_animated
from sera.animation.controllers._units import Further, factor_of, parameters_of, settings_from
from sera.animation.engine.controller import (
    Controller,
    Making,
    Output,
    Row,
    Signal,
)
from sera.animation.signals import (
    Anticipation,
    AnticipationSettings,
    Delay,
    DelaySettings,
    Exaggeration,
    ExaggerationSettings,
    FollowThrough,
    FollowThroughSettings,
    Lookup,
    LookupSettings,
    LowPass,
    LowPassSettings,
    SlowInOut,
    SlowInOutSettings,
    Spring,
    SpringSettings,
)


class OneToOne(Protocol):
    """A signal that turns one value into another."""

    def step(self, dt_s: float, value: float, /) -> float: ...


_AT_REST = 1e-6
"""A filter that differs by less from a channel that nobody moves has nothing more to say."""


class ChannelFilter(Controller):
    """Lets channels of the frame pass through a signal each."""

    settings_class: ClassVar[type[Any]]
    signal_class: ClassVar[Callable[..., Any]]
    distances: ClassVar[frozenset[str]] = frozenset()
    """Settings in the unit of the channel, and written as people write that."""
    reads_below = True
    wires = frozenset({"amount"})

    def __init__(
        self,
        channels: tuple[str, ...],
        settings: Any,
        distances: Mapping[str, float] | None = None,
    ) -> None:
        """Change these channels; `amount` blends between nothing (0) and all of it (1).

        `distances` has settings as people write them, degrees for a channel that is an angle.
        """
        self.amount = 1.0
        self._channels = channels
        self._settings = settings
        self._distances = dict(distances or {})

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:
        for channel in parameters.channels:
            factor_of(making.body, channel)
        settings = settings_from(cls.settings_class, parameters)
        distances = {name: getattr(parameters, name) for name in cls.distances}
        written = {name: value for name, value in distances.items() if value is not None}
        made = cls(tuple(parameters.channels), settings, written)
        made.amount = parameters.amount
        return made

    def bind(self, row: Row) -> None:
        self._row = row
        columns = [row.layout.find(channel) for channel in self._channels]
        make = type(self).signal_class
        self._filters: list[tuple[int, OneToOne]] = [
            (column, make(_for_channel(self._settings, self._distances, row.layout.specs[column])))
            for column in columns
            if column is not None
        ]
        self._started = False

    def step(self, dt_s: float) -> None:
        row = self._row
        if not self._started:
            self._started = True
            for column, signal in self._filters:
                start_at(signal, row.read(column))
        for column, signal in self._filters:
            value = row.read(column)
            changed = signal.step(dt_s, value)
            if is_animated(row, column) or abs(changed - value) > _AT_REST:
                row.write(column, value + self.amount * (changed - value))

    def adopt(self, old: Self) -> None:
        same = (old._settings, old._distances) == (self._settings, self._distances)
        if same and old._started:
            known = dict(old._filters)
            self._filters = [(each, known.get(each, signal)) for each, signal in self._filters]
            for column, signal in self._filters:
                if column not in known:
                    start_at(signal, self._row.read(column))
            self._started = True


class FloatFilter(Signal):
    """Lets `input` pass through a signal."""

    settings_class: ClassVar[type[Any]]
    signal_class: ClassVar[Callable[..., Any]]
    output = Output.FLOAT
    wires = frozenset({"input"})

    def __init__(self, settings: Any) -> None:
        """Take the settings of the signal."""
        self.input = 0.0
        self._settings = settings
        self._signal: OneToOne = type(self).signal_class(settings)
        self._started = False

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        made = cls(settings_from(cls.settings_class, parameters))
        made.input = parameters.input
        return made

    def step(self, dt_s: float) -> None:
        if not self._started:
            self._started = True
            start_at(self._signal, self.input)
        self.result = self._signal.step(dt_s, self.input)

    def adopt(self, old: Self) -> None:
        self.result = old.result
        if old._settings == self._settings:
            self._signal, self._started = old._signal, old._started


def _for_channel(settings: Any, distances: Mapping[str, float], spec: ChannelSpec) -> Any:
    """The same settings in the channel's own range and unit."""
    if isinstance(settings, ExaggerationSettings):
        ends = {"lower": spec.lower, "upper": spec.upper, "neutral": spec.neutral}
        return dataclasses.replace(settings, **ends)
    if isinstance(settings, LookupSettings) and spec.unit is Unit.RADIAN:
        points = tuple((math.radians(x), math.radians(y)) for x, y in settings.points)
        return dataclasses.replace(settings, points=points)
    if spec.unit is Unit.RADIAN:
        distances = {name: math.radians(written) for name, written in distances.items()}
    return dataclasses.replace(settings, **distances)


def start_at(signal: Any, value: float) -> None:
    """Begin where the input is, for signals that remember a value."""
    if isinstance(signal, Anticipation | SlowInOut | Spring):
        signal.reset(value)


_KINDS: dict[str, tuple[type[Any], Callable[..., Any], str]] = {
    "Anticipation": (
        AnticipationSettings,
        Anticipation,
        "Moves back a little before it sets out, so that one sees it coming.",
    ),
    "Delay": (DelaySettings, Delay, "The same, later."),
    "Exaggeration": (
        ExaggerationSettings,
        Exaggeration,
        "More contrast: what is far from the middle goes further.",
    ),
    "FollowThrough": (
        FollowThroughSettings,
        FollowThrough,
        "A trailing part: later, a little too far, then at rest.",
    ),
    "Lookup": (LookupSettings, Lookup, "A curve drawn by points."),
    "LowPass": (LowPassSettings, LowPass, "Without what is too quick."),
    "SlowInOut": (SlowInOutSettings, SlowInOut, "Slow to begin and slow to arrive."),
    "Spring": (SpringSettings, Spring, "As if it hung on a spring."),
}


_OF_THE_CHANNEL = frozenset({"neutral", "lower", "upper"})
"""Settings that a channel brings along."""
_IN_CHANNEL_UNITS: dict[str, dict[str, Further]] = {
    "Anticipation": {
        "largest_back": (
            float | None,
            None,
            "How far it goes back at most, degrees for angles; 20 unless given, 0.35 otherwise.",
        ),
        "least_travel": (
            float | None,
            None,
            "Shorter ways are not announced, degrees for angles; 6 unless given, 0.1 otherwise.",
        ),
    }
}
"""Distances, which people write as they write the channel."""


def _channel_form(name: str) -> type[ChannelFilter]:
    settings, signal, meaning = _KINDS[name]
    further: dict[str, Further] = {
        "channels": (
            list[str],
            ...,
            "Channels that it changes; a body may lack some.",
        ),
        "amount": (float, 1.0, "From 0, nothing, to 1, all of it."),
        **_IN_CHANNEL_UNITS.get(name, {}),
    }
    body: dict[str, Any] = {
        "__doc__": meaning,
        "__module__": __name__,
        "Parameters": parameters_of(settings, without=_OF_THE_CHANNEL, **further),
        "settings_class": settings,
        "signal_class": staticmethod(signal),
        "distances": frozenset(_IN_CHANNEL_UNITS.get(name, {})),
    }
    return type(name, (ChannelFilter,), body)


def _float_form(name: str) -> type[FloatFilter]:
    settings, signal, meaning = _KINDS[name]
    body: dict[str, Any] = {
        "__doc__": f"{meaning} For one value.",
        "__module__": __name__,
        "Parameters": parameters_of(settings, input=(float, 0.0, "What goes in.")),
        "settings_class": settings,
        "signal_class": staticmethod(signal),
    }
    return type(f"{name}Float", (FloatFilter,), body)


CHANNEL_FILTERS: dict[str, type[ChannelFilter]] = {name: _channel_form(name) for name in _KINDS}
FLOAT_FILTERS: dict[str, type[FloatFilter]] = {f"{name}Float": _float_form(name) for name in _KINDS}
