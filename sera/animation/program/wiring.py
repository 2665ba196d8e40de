"""Wires: which controller drives which parameter, checked before anything moves.

Design overview: in a program file a parameter holds a number or text, or a *wire*:

    amplitude = { from = "loudness" }                           # another signal, by name
    amplitude = { message = "SoundLevel", field = "level" }     # a field of a message
    amplitude = { expression = "0.2 + 0.1 * loudness" }         # a formula over signals

The last two are short for a signal of type `Message` or `Expression`. Names are looked for in the
same layer first, then among the shared signals. Types must fit, and wires must not run in a circle:
whoever drives is stepped first.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sera.animation.engine import Controller, FrameWire, Output
from sera.runtime.located import KeyPath

WIRE_KEYS = ("from", "message", "expression")
_KINDS: tuple[tuple[type[Any], Output], ...] = (
    (bool, Output.BOOL),
    (int, Output.INT),
    (float, Output.FLOAT),
    (str, Output.STRING),
    (FrameWire, Output.FRAME),
)


@dataclass(slots=True, eq=False)
class Node:
    """A controller of the file, on its way to being made."""

    name: str
    place: KeyPath
    """Where it stands in the file."""
    controller_type: type[Controller]
    constants: dict[str, Any]
    wires: dict[str, str]
    """Parameter to the name of the signal that drives it."""
    implied: bool = False
    """It stands for a wire and was not written as a controller."""
    made: Controller | None = None
    sources: dict[str, Node] = field(default_factory=dict)


def is_wire(value: Any) -> bool:
    """Whether a parameter of a file is a wire rather than a value."""
    return isinstance(value, dict) and any(key in value for key in WIRE_KEYS)


def kind_of(controller_type: type[Controller], parameter: str) -> Output | None:
    """What kind of wire a parameter takes; None where it takes none."""
    field_info = controller_type.Parameters.model_fields.get(parameter)
    if field_info is None or parameter not in controller_type.wires:
        return None
    members = _members(field_info.annotation)
    for kind, output in _KINDS:
        if any(member is kind for member in members):
            return output
    return None


def in_order(nodes: Sequence[Node]) -> list[Node]:
    """Whoever drives before whom it drives, otherwise as they stand in the file.

    Raises:
        WiringCycle: wires run in a circle.
    """
    ordered: dict[Node, None] = {}
    known = set(nodes)
    for node in nodes:
        # By hand and not by calling itself: a chain may be longer than Python's stack.
        path: dict[Node, Iterator[Node]] = {}
        following: Node | None = node
        while following is not None:
            if following in path:
                way = list(path)
                raise WiringCycle(way[way.index(following) :])
            if following in known and following not in ordered:
                path[following] = iter(following.sources.values())
            following = None
            while path and following is None:
                last = next(reversed(path))
                following = next(path[last], None)
                if following is None:
                    path.popitem()
                    ordered[last] = None
    return list(ordered)


class WiringCycle(Exception):
    """Wires that run in a circle, with the way around."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = tuple(nodes)
        names = [node.name for node in nodes]
        # A node is driven by the one after it, so the signal runs the other way.
        self.path = " → ".join(reversed([*names, names[0]]))
        super().__init__(f"the wires run in a circle: {self.path}")


def scope_of(layer: Iterable[Node], shared: Iterable[Node]) -> Mapping[str, Node]:
    """What a name in a layer means: its own controllers first, then shared signals."""
    return {**{node.name: node for node in shared}, **{node.name: node for node in layer}}


def _members(annotation: Any) -> list[Any]:
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _members(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [m for each in typing.get_args(annotation) for m in _members(each)]
    return [annotation]
