"""A program that was loaded: layers, signals and stages for one body, ready to run.

Design overview: `load_program` makes it from a file. `engine` compiles it; `receive` hands messages
to the signals that wait for them; `find` gives the controllers that take orders (gaze, posture …).
Threading: one owner, whoever runs the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from sera.animation.body import Body
from sera.animation.controllers import Message, MessageArrived
from sera.animation.engine import (
    Affect,
    Controller,
    Engine,
    FaultReport,
    Layer,
    MannerOf,
    SecondStage,
    Signal,
)
from sera.emotion import Emotions
from sera.emotion.posture_profile import PostureProfile
from sera.emotion.profile import Profile
from sera.kinematics.filter import FilterCharacter
from sera.messages import Message as BusMessage

C = TypeVar("C", bound=Controller)


@dataclass(frozen=True)
class Program:
    """What a body does, frame by frame."""

    path: Path
    title: str
    level: int
    body: Body
    layers: tuple[Layer, ...]
    signals: tuple[Signal, ...]
    stages: tuple[SecondStage, ...]
    character: FilterCharacter
    output_rate_hz: float
    repeat_unchanged: bool
    switched: Mapping[str, tuple[float, bool]] = field(default_factory=dict)
    """Weight of each layer and whether it is active, as the file says."""
    profile: Profile | None = None
    """How the body shows what it feels; None: it has no way to."""
    emotions: Emotions | None = None
    """Emotions by name; the built-in ones where None."""
    _found: dict[type[Controller], list[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def engine(
        self,
        *,
        start: Mapping[str, float] | None = None,
        rate_hz: float | None = None,
        on_fault: FaultReport = lambda _layer, _controller, _sentence: None,
    ) -> Engine:
        """The program compiled for its body; once, since the controllers belong to the engine."""
        return Engine(
            self.body,
            self.layers,
            signals=self.signals,
            stages=self.stages,
            start=start,
            character=self.character,
            rate_hz=rate_hz,
            on_fault=on_fault,
            affect=Affect(self.emotions),
            manner=_manner_of(self.profile),
        )

    @cached_property
    def controllers(self) -> tuple[Controller, ...]:
        """All of them, shared signals first."""
        return (*self.signals, *(c for layer in self.layers for c in layer.controllers))

    def find(self, kind: type[C]) -> list[tuple[Layer, C]]:
        """Controllers of a type with their layers, bottom first. The list is the program's own."""
        found = self._found.get(kind)
        if found is None:  # asked in every frame, and a program never has others
            found = self._found[kind] = [
                (layer, controller)
                for layer in self.layers
                for controller in layer.controllers
                if isinstance(controller, kind)
            ]
        return found

    @property
    def hears(self) -> tuple[type[BusMessage], ...]:
        """Message types that drive a parameter."""
        return tuple(dict.fromkeys(controller.message_type for controller in self._waiting))

    @cached_property
    def _waiting(self) -> tuple[Message | MessageArrived, ...]:
        return tuple(c for c in self.controllers if isinstance(c, Message | MessageArrived))

    def receive(self, message: BusMessage) -> None:
        """Hand a message to the signals that wait for its type."""
        for controller in self._waiting:
            if isinstance(message, controller.message_type):
                controller.receive(message)


def _manner_of(profile: Profile | None) -> MannerOf | None:
    """What changes the motion filter's character with the emotion, for bodies like lines."""
    return profile.manner if isinstance(profile, PostureProfile) else None
