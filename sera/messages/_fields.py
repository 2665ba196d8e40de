"""Which fields there are at a place inside a model: for sentences about wrong ones."""

from __future__ import annotations

import types
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel


def fields_at(model: type[BaseModel], path: tuple[str | int, ...]) -> dict[str, Any]:
    """The keys that are valid in the table at that path, with their types; none where all are."""
    current: Any = model
    for part in path:
        owner = model_in(current)
        if owner is not None:
            field = owner.model_fields.get(str(part))
            current = None if field is None else field.annotation
        else:
            current = next((member for member in _members(current)), None)
    owner = model_in(current)
    return {} if owner is None else {k: f.annotation for k, f in owner.model_fields.items()}


def model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType):
        for member in get_args(annotation):
            if (found := model_in(member)) is not None:
                return found
    return None


def _members(annotation: Any) -> list[Any]:
    """What a container holds: the values of a dict, the elements of a list or tuple."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return [member for argument in arguments for member in _members(argument)]
    if not isinstance(origin, type) or not arguments:
        return []
    return [arguments[-1]] if issubclass(origin, dict) else [arguments[0]]
