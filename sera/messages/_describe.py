"""The vocabulary as plain data, for tables and for scripts: what `sera messages` shows."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from sera.messages._base import Action, Message, message_types, personal_fields
from sera.messages._schema import JsonSchema, MessageTypes, definitions
from sera.messages._schema_text import PYTHON, limits_text, one_line, type_text

_REFS = "#/$defs/"


def describe_messages(types: MessageTypes | None = None) -> list[dict[str, Any]]:
    """What there is to know about each message type, ready for a table or for JSON.

    Each has name, family, kind, summary, description, valid_for_s (Actions; None is without
    limit), channel, stream, world, personal (kind by field) and fields; each field has name,
    type, limits, required, default, description and personal.

    Args:
        types: message types by name; None: all that are known, a laboratory's own included.
    """
    chosen = message_types() if types is None else types
    schemas = definitions(chosen, _REFS)
    return [_describe(name, chosen[name], schemas[name]) for name in sorted(chosen)]


def _describe(name: str, message_type: type[Message], schema: JsonSchema) -> dict[str, Any]:
    description = inspect.cleandoc(message_type.__doc__ or "")
    action = message_type if issubclass(message_type, Action) else None
    return {
        "name": name,
        "family": message_type.family,
        "kind": message_type.kind.value,
        "summary": one_line(description.split("\n\n")[0]),
        "description": description,
        "valid_for_s": None if action is None else action.valid_for_s,
        "channel": None if action is None or action.channel is None else action.channel.value,
        "stream": message_type.stream,
        "world": message_type.belongs_to_world,
        "personal": dict(personal_fields(message_type)),
        "fields": describe_fields(message_type, schema),
    }


def describe_fields(model: type[BaseModel], schema: JsonSchema) -> list[dict[str, Any]]:
    """What there is to know about each field of a message or of a nested piece."""
    described = []
    for name, field in model.model_fields.items():
        field_schema = schema["properties"][name]
        required = field.is_required()
        default = None if required else field.get_default(call_default_factory=True)
        described.append(
            {
                "name": name,
                "type": type_text(field_schema, PYTHON),
                "limits": limits_text(field_schema),
                "required": required,
                "default": to_jsonable_python(default),
                "description": one_line(field.description or ""),
                "personal": field_schema.get("personal"),
            }
        )
    return described
