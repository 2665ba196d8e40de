"""Inputs: any field of any message drives a parameter, and expressions combine signals.

Design overview: `Message` keeps the last value of a field, `MessageArrived` is true for one frame
whenever a message comes; whoever runs the engine hands messages over (`receive`). `Expression` is
evaluated by a small parser of its own, never by Python.
Threading: messages are handed over in the engine's own thread, between two frames.
Safety: a value that has not the expected type is ignored; an expression has no side effects, no
loops and finite results.
"""

from __future__ import annotations

import ast
import math
import types
import typing
from enum import Enum
from typing import Any, Literal, Self

from pydantic import BaseModel

from sera.animation.engine.controller import ControllerParameters, Making, Output, Signal, Value
from sera.animation.signals import Expression as Formula
from sera.animation.signals import ExpressionSettings
from sera.animation.signals._expression_tree import CONSTANTS, FUNCTIONS, TIME_NAME
from sera.messages import Message as BusMessage
from sera.messages import UnknownMessageType, find_message_type
from sera.runtime.located import nearest_name

_ZERO: dict[Output, Value] = {
    Output.FLOAT: 0.0,
    Output.INT: 0,
    Output.STRING: "",
    Output.BOOL: False,
}
_CARRIED: dict[Output, tuple[type, ...]] = {
    Output.FLOAT: (int, float),
    Output.INT: (int,),
    Output.STRING: (str,),
    Output.BOOL: (bool,),
}
"""What Python calls the values that a wire carries."""


class Message(Signal):
    """The last value of a field of a message, such as `SoundLevel` and `level`."""

    class Parameters(ControllerParameters):
        """Which field of which message."""

        message: str
        """Name of the message, such as SoundLevel."""
        field: str
        """Name of its field; nested ones with a dot: pad.arousal."""
        default: bool | int | float | str | None = None
        """What it gives before the first message."""

    def __init__(self, message_type: type[BusMessage], field: str) -> None:
        """Raise LookupError, with the nearest name, where there is no such field."""
        self.message_type = message_type
        self._path = tuple(field.split("."))
        self.output = _output_of(message_type, self._path)  # type: ignore[misc]
        self.result = _ZERO[self.output]

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        made = cls(_find(parameters.message), parameters.field)
        if parameters.default is not None:
            made.result = made.checked(parameters.default)
        return made

    def checked(self, value: Any) -> Value:
        """The value as the wire carries it; ValueError where it is of another kind."""
        if isinstance(value, Enum):
            value = value.value
        fits = isinstance(value, _CARRIED[self.output])
        # To Python a bool is an int, to a program it is not.
        if not fits or isinstance(value, bool) != (self.output is Output.BOOL):
            raise ValueError(f"{value!r} is no {self.output.value}")
        return float(value) if self.output is Output.FLOAT else value

    def receive(self, message: BusMessage) -> None:
        """A message has come; a field that is empty in it, or of another kind, changes nothing."""
        value: Any = message
        for part in self._path:
            value = getattr(value, part, None)
        try:
            value = self.checked(value)
        except (ValueError, OverflowError):
            return
        if not isinstance(value, float) or math.isfinite(value):
            self.result = value

    def step(self, dt_s: float) -> None:
        """The last value stands."""

    def adopt(self, old: Self) -> None:
        if old.output is self.output:
            self.result = old.result


class MessageArrived(Signal):
    """True for one frame when a message comes; made for driving triggers."""

    class Parameters(ControllerParameters):
        """Which message."""

        message: str
        """Name of the message, such as PersonDetected."""

    output = Output.BOOL
    result = False

    def __init__(self, message_type: type[BusMessage]) -> None:
        """Wait for messages of this type."""
        self.message_type = message_type
        self._waiting = False

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        return cls(_find(parameters.message))

    def receive(self, message: BusMessage) -> None:  # noqa: ARG002
        """A message has come."""
        self._waiting = True

    def step(self, dt_s: float) -> None:  # noqa: ARG002
        self.result = self._waiting
        self._waiting = False

    def adopt(self, old: Self) -> None:
        self._waiting = old._waiting


class Expression(Signal):
    """A formula over other signals, such as `0.2 + 0.1 * arousal`; `time_s` counts seconds."""

    class Parameters(ControllerParameters):
        """The formula; its names are names of signals."""

        text: str
        """The formula, such as "0.2 + 0.1 * arousal"; its names are names of signals."""

    output = Output.FLOAT

    def __init__(self, text: str) -> None:
        """Raise ValueError that says where and what is wrong."""
        self.inputs = names_in(text)
        self._formula = Formula(ExpressionSettings(text=text, inputs=self.inputs))
        self._attributes = tuple(input_attribute(name) for name in self.inputs)
        for attribute in self._attributes:
            setattr(self, attribute, 0.0)

    @classmethod
    def make(cls, parameters: Any, making: Making) -> Self:  # noqa: ARG003
        return cls(parameters.text)

    def step(self, dt_s: float) -> None:
        values = [float(getattr(self, attribute)) for attribute in self._attributes]
        self.result = self._formula.step(dt_s, values)


def input_attribute(name: str) -> str:
    """Where an expression keeps the value of a signal that it names."""
    return f"in_{name}"


def names_in(text: str) -> tuple[str, ...]:
    """The names in a formula that are neither functions nor constants, in order.

    A text that cannot be read has none here; making the expression says why.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    taken = {*FUNCTIONS, *CONSTANTS, TIME_NAME}
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return tuple(dict.fromkeys(name for name in names if name not in taken))


def _find(name: str) -> type[BusMessage]:
    try:
        return find_message_type(name)
    except UnknownMessageType as error:
        raise LookupError(str(error)) from None


def _output_of(message_type: type[BusMessage], path: tuple[str, ...]) -> Output:
    """What kind of wire a field drives, from its type."""
    current: Any = message_type
    for part in path:
        model = next((each for each in _members(current) if _is_model(each)), None)
        fields = {} if model is None else model.model_fields
        if part not in fields:
            near = nearest_name(part, fields)
            hint = (
                f"; did you mean '{near}'?" if near else f"; it has {', '.join(fields) or 'none'}"
            )
            raise LookupError(f"{message_type.__name__} has no field '{'.'.join(path)}'{hint}")
        current = fields[part].annotation
    for member in _members(current):
        for kind, output in ((bool, Output.BOOL), (int, Output.INT), (float, Output.FLOAT)):
            if member is kind:
                return output
        if isinstance(member, type) and issubclass(member, str):
            return Output.STRING
    raise LookupError(
        f"the field '{'.'.join(path)}' of {message_type.__name__} is no single value that a "
        "parameter can take"
    )


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _members(annotation: Any) -> list[Any]:
    """The types that a field may have, without marks and None."""
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return [type(choice) for choice in typing.get_args(annotation)]
    if origin is typing.Annotated:
        return _members(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [m for each in typing.get_args(annotation) for m in _members(each)]
    return [] if annotation is type(None) else [annotation]
