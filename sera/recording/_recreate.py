"""Typed messages from recorded fields."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError

from sera.messages import Message, find_message_type
from sera.recording._pseudonyms import PSEUDONYM


def recreate(type_name: str, data: dict[str, Any], *, where: str) -> Message:
    """The message of a type with recorded fields.

    Args:
        type_name: name of the message type.
        data: its fields, with or without pseudonyms.
        where: file and line, for the error.

    Raises:
        UnknownMessageType: this installation does not know the type.
        ValueError: the fields do not fit, and no pseudonym is to blame.
    """
    message_type = find_message_type(type_name)
    try:
        return message_type.model_validate(data, extra="ignore")
    except ValidationError as error:
        at_fault = {str(problem["loc"][0]) if problem["loc"] else "" for problem in error.errors()}
        if any(not _holds_pseudonym(data.get(field)) for field in at_fault):
            raise ValueError(f"{where}: {_sentence(type_name, error)}") from None
    return _unchecked(message_type, data, at_fault)


def _unchecked(message_type: type[Message], data: dict[str, Any], at_fault: set[str]) -> Message:
    """Every field checked on its own, except those that hold a pseudonym which breaks a rule."""
    fields: dict[str, Any] = {}
    for name, field in message_type.model_fields.items():
        if name in at_fault:
            fields[name] = data[name]
        elif name in data:
            # Built at run time from the field's own rules, which no type checker can follow.
            rules: Any = field.annotation
            if field.metadata:
                rules = Annotated[(field.annotation, *field.metadata)]
            fields[name] = TypeAdapter(rules).validate_python(data[name])
    return message_type.model_construct(**fields)


def _holds_pseudonym(value: Any) -> bool:
    if isinstance(value, str):
        return PSEUDONYM.search(value) is not None
    if isinstance(value, dict):
        return any(_holds_pseudonym(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(_holds_pseudonym(item) for item in value)
    return False


def _sentence(type_name: str, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{type_name}{f'.{field}' if field else ''}: {first['msg']}{more}"
