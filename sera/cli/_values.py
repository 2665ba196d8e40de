"""`key=value` on the command line: JSON where it is JSON, text otherwise, dots for nesting."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sera.cli._errors import CommandError

_Model = TypeVar("_Model", bound=BaseModel)


def parse_value(text: str) -> Any:
    """A number, true, false, null, list, object or quoted text as in JSON; else the text itself."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError:
        return text


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """The fields that `key=value` words give; `direction.horizontal_deg=10` nests.

    Raises:
        CommandError: a word is no assignment, or two contradict each other.
    """
    fields: dict[str, Any] = {}
    for word in assignments:
        key, equals, value = word.partition("=")
        parts = key.split(".")
        if not equals or not all(parts):
            raise CommandError(
                f"{word!r} is not of the form key=value, for example person=visitor_1 or "
                "direction.horizontal_deg=10"
            )
        _put(fields, parts, parse_value(value), word)
    return fields


def parse_object(text: str, option: str) -> dict[str, Any]:
    """The JSON object of an option.

    Raises:
        CommandError: it is none.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        raise CommandError(f"{option}: not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise CommandError(f'{option}: must be a JSON object such as {{"person": "visitor_1"}}')
    return value


def merged(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    """Both, the upper one's values where both have one; tables are merged key by key."""
    result = dict(lower)
    for key, value in upper.items():
        below = result.get(key)
        both = isinstance(below, dict) and isinstance(value, dict)
        result[key] = merged(result[key], value) if both else value
    return result


def build(
    model: type[_Model], fields: dict[str, Any], what: str, *, field_word: str = "field"
) -> _Model:
    """Make a message or settings from fields, strictly.

    A number or truth value for a field that takes text counts as text (`line=12`).

    Raises:
        CommandError: one sentence with what is wrong and the nearest valid name.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        mended = _texts_restored(fields, error)
        if mended != fields:
            return build(model, mended, what, field_word=field_word)
        from sera.messages._explain import explain

        sentence = explain(error, model, fields, what)
        for phrase in ("no such {}", "this {} is missing"):
            sentence = sentence.replace(phrase.format("field"), phrase.format(field_word))
        raise CommandError(sentence) from None


def _texts_restored(fields: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    mended: dict[str, Any] = json.loads(json.dumps(fields))
    for details in error.errors(include_url=False):
        if details["type"] != "string_type" or not isinstance(details["input"], bool | int | float):
            continue
        holder: Any = mended
        path = [part for part in details["loc"] if isinstance(part, str | int)]
        for part in path[:-1]:
            holder = holder[part] if _has(holder, part) else holder
        if isinstance(holder, dict) and _has(holder, path[-1]):
            holder[path[-1]] = json.dumps(details["input"])
    return mended


def _has(holder: Any, key: str | int) -> bool:
    return (isinstance(holder, dict) and key in holder) or (
        isinstance(holder, list) and isinstance(key, int) and key < len(holder)
    )


def _put(fields: dict[str, Any], parts: list[str], value: Any, word: str) -> None:
    holder = fields
    for part in parts[:-1]:
        holder = holder.setdefault(part, {})
        if not isinstance(holder, dict):
            raise CommandError(f"{word!r} contradicts another value for {part!r}")
    if parts[-1] in holder:
        raise CommandError(f"{'.'.join(parts)!r} is given twice")
    holder[parts[-1]] = value


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
