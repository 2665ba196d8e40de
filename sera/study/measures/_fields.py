"""Fields of messages by dotted paths, and whether they are what a study file wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MISSING: Any = object()
"""Stands for a field that is not there."""


def field_at(data: Any, path: str) -> Any:
    """What lies at a path, `direction.horizontal_rad` or `people.0.name`; MISSING where nothing."""
    value = data
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part, MISSING)
        elif isinstance(value, list | tuple) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return value


def fits(data: Mapping[str, Any], where: Mapping[str, Any] | None) -> bool:
    """Whether all fields are what is wanted: that value, or one of a list."""
    return all(_is(field_at(data, path), wanted) for path, wanted in (where or {}).items())


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        # `where = { direction.side = "left" }` is a table within a table to TOML.
        return isinstance(value, Mapping) and fits(value, wanted)
    if isinstance(wanted, list | tuple):
        return any(_equal(value, one) for one in wanted) or _equal(value, list(wanted))
    return _equal(value, wanted)


def _equal(value: Any, wanted: Any) -> bool:
    # To Python true is 1, to people who count it is not.
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return bool(value == wanted)


def paths_in(where: Mapping[str, Any]) -> list[str]:
    """All paths that a condition looks at."""
    found: list[str] = []
    for path, wanted in where.items():
        if isinstance(wanted, Mapping):
            found += [f"{path}.{inner}" for inner in paths_in(wanted)]
        else:
            found.append(path)
    return found
