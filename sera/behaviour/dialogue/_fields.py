"""Which field of a message an author means, and what may be compared with it."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from sera.runtime.located import nearest_name

_DEEPEST = 4


class FieldKind(StrEnum):
    """What stands in a field."""

    TEXT = "text"
    NUMBER = "a number"
    TRUTH = "yes or no"
    CHOICE = "one of a few words"
    LIST = "a list"
    GROUP = "several fields"
    ANYTHING = "anything"


_PLAIN: tuple[tuple[FieldKind, type], ...] = (
    (FieldKind.TRUTH, bool),  # before numbers, since Python counts it among them
    (FieldKind.TEXT, str),
    (FieldKind.NUMBER, int),
    (FieldKind.NUMBER, float),
)
_CONTAINERS: dict[Any, FieldKind] = {
    dict: FieldKind.GROUP,
    list: FieldKind.LIST,
    tuple: FieldKind.LIST,
    set: FieldKind.LIST,
    frozenset: FieldKind.LIST,
}


@dataclass(frozen=True, slots=True)
class FieldFound:
    """A field of a message."""

    path: tuple[str, ...]
    kind: FieldKind
    choices: tuple[str, ...] = ()
    """The words that it can be, where it is one of a few."""
    parts: tuple[str, ...] = ()
    """The names inside it, where it is made of several."""


@dataclass(frozen=True, slots=True)
class FieldMissing:
    """There is no such field."""

    name: str
    known: tuple[str, ...]

    @property
    def nearest(self) -> str | None:
        return nearest_name(self.name[:60], self.known)


def find_field(message: type[BaseModel], written: str) -> FieldFound | FieldMissing:
    """The field that a dotted name means, in any case."""
    path: list[str] = []
    current: Any = message
    for part in written.split("."):
        known = _names_in(current)
        if known is None:  # a table of the activity's own, or anything at all
            if get_origin(current) is not dict and current is not Any:
                return FieldMissing(written, tuple(_dotted(path)))
            path.append(part)
            current = _inside_of_dict(current)
            continue
        name = _in_any_case(part, tuple(known))
        if name is None:
            return FieldMissing(written, tuple(_dotted(path, known)))
        path.append(name)
        current = _core(known[name])
    if not all(path):
        return FieldMissing(written, tuple(_dotted(path[:-1])))
    return _found(tuple(path), current)


def field_paths(message: type[BaseModel]) -> tuple[str, ...]:
    """The dotted names of everything in a message that can be said in a word or two."""
    return tuple(_paths(message, (), 0))


def value_at(message: object, path: Sequence[str]) -> Any:
    """What stands in the field of a message, None where it is empty or missing."""
    current: Any = message
    for name in path:
        if isinstance(current, dict):
            key = name if name in current else _in_any_case(name, tuple(map(str, current)))
            current = None if key is None else current.get(key)
        else:
            current = getattr(current, name, None) if isinstance(current, BaseModel) else None
        if current is None:
            return None
    return current.value if isinstance(current, Enum) else current


def _paths(model: type[BaseModel], before: tuple[str, ...], depth: int) -> Iterator[str]:
    for name, field in model.model_fields.items():
        found = _found((*before, name), _core(field.annotation))
        inner = _core(field.annotation)
        if found.kind is FieldKind.GROUP and depth < _DEEPEST and _is_model(inner):
            yield from _paths(inner, (*before, name), depth + 1)
        elif found.kind is not FieldKind.LIST:
            yield ".".join((*before, name))


def _found(path: tuple[str, ...], core: Any) -> FieldFound:
    origin = get_origin(core)
    if _is_model(core):
        return FieldFound(path, FieldKind.GROUP, parts=tuple(core.model_fields))
    if origin is Literal:
        return FieldFound(path, FieldKind.CHOICE, tuple(map(str, get_args(core))))
    if isinstance(core, type) and issubclass(core, Enum):
        return FieldFound(path, FieldKind.CHOICE, tuple(str(one.value) for one in core))
    kind = _CONTAINERS.get(origin, FieldKind.ANYTHING)
    if isinstance(core, type):
        kind = next((one for one, owner in _PLAIN if issubclass(core, owner)), kind)
    return FieldFound(path, kind)


def _core(annotation: Any) -> Any:
    """The type without `None` and without its limits; Any where it can be several things."""
    if get_origin(annotation) is Annotated:
        return _core(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        members = {_core(each) for each in get_args(annotation) if each is not type(None)}
        return members.pop() if len(members) == 1 else Any
    if isinstance(annotation, type) or get_origin(annotation) is not None:
        return annotation
    return Any


def _names_in(current: Any) -> dict[str, Any] | None:
    if not _is_model(current):
        return None
    return {name: field.annotation for name, field in current.model_fields.items()}


def _inside_of_dict(current: Any) -> Any:
    return _core(get_args(current)[1]) if get_origin(current) is dict else Any


def _is_model(core: Any) -> bool:
    return isinstance(core, type) and issubclass(core, BaseModel)


def _in_any_case(name: str, known: Sequence[str]) -> str | None:
    if name in known:
        return name
    folded = name.casefold()
    return next((one for one in known if one.casefold() == folded), None)


def _dotted(path: Sequence[str], names: Sequence[str] | dict[str, Any] = ()) -> list[str]:
    before = "".join(f"{part}." for part in path)
    return [f"{before}{name}" for name in names]
