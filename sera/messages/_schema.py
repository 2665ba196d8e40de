"""JSON Schema of the vocabulary, from the models.

The schema describes the wire as it is read: unknown fields are tolerated there, so objects are
open, although code that builds a message in Python is held to the fields it knows.
Nothing here is needed to run a scenario; it is imported when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from sera.messages._base import PROTOCOL_VERSION, Action, Kind, Message, message_types
from sera.messages._docstrings import read_docstrings

JsonSchema = dict[str, Any]
MessageTypes = Mapping[str, type[Message]]

_NAME = r"[a-z][a-z0-9_]*"
_SOURCE = rf"{_NAME}\.{_NAME}"
ENVELOPE = "Envelope"


def built_in_types() -> dict[str, type[Message]]:
    """The message types of this package, without a laboratory's own, in alphabetical order."""
    return {
        name: message_type
        for name, message_type in message_types().items()
        if message_type.__module__.startswith("sera.messages.")
    }


def json_schema(types: MessageTypes | None = None) -> JsonSchema:
    """One JSON Schema document for payloads: the envelope and every message in `$defs`.

    Args:
        types: message types by name; None: the built-in ones.
    """
    chosen = built_in_types() if types is None else types
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "SERA messages",
        "description": (
            "The payload of any SERA message: an envelope whose `type` names the message and "
            "whose `data` holds its fields. Fields that a reader does not know are ignored."
        ),
        "x-protocol": PROTOCOL_VERSION,
        "oneOf": [payload_schema(name, "#/$defs/") for name in sorted(chosen)],
        "$defs": definitions(chosen, "#/$defs/"),
    }


def definitions(types: MessageTypes, ref_prefix: str) -> dict[str, JsonSchema]:
    """Schemas of the envelope, of these messages and of all they contain, by name."""
    read_docstrings(types.values())
    places, document = models_json_schema(
        [(types[name], "validation") for name in sorted(types)],
        ref_template=ref_prefix + "{model}",
        schema_generator=_Generator,
    )
    found: dict[str, JsonSchema] = document.get("$defs", {})
    for name, message_type in types.items():
        # Where a laboratory's nested piece has the name of a message, pydantic renames both.
        place = str(places[message_type, "validation"]["$ref"]).removeprefix(ref_prefix)
        found[name] = {**found[place], **wire_facts(message_type)}
    if "JsonValue" in found:  # pydantic's own, which it leaves without a word
        found["JsonValue"] = {"description": "Any JSON value."}
    found[ENVELOPE] = envelope_schema()
    return dict(sorted(found.items()))


def payload_schema(name: str, ref_prefix: str) -> JsonSchema:
    """The schema of one message in its envelope."""
    return {
        "allOf": [{"$ref": ref_prefix + ENVELOPE}],
        "properties": {"type": {"const": name}, "data": {"$ref": ref_prefix + name}},
    }


def wire_facts(message_type: type[Message]) -> JsonSchema:
    """How a message travels, as extension keys for schema documents."""
    facts: JsonSchema = {
        "x-kind": message_type.kind.value,
        "x-family": message_type.family,
        "x-stream": message_type.stream,
        "x-belongs-to-world": message_type.belongs_to_world,
        "x-retained": is_retained(message_type),
        "x-qos": quality_of_service(message_type),
    }
    if issubclass(message_type, Action):
        facts["x-valid-for-s"] = message_type.valid_for_s
        facts["x-channel"] = None if message_type.channel is None else message_type.channel.value
    return facts


def is_retained(message_type: type[Message]) -> bool:
    """Whether the broker keeps the last one of each source for late-comers."""
    return message_type.kind is Kind.STATE and not message_type.stream


def quality_of_service(message_type: type[Message]) -> int:
    """MQTT's QoS of a message: what is soon replaced by a newer value is not acknowledged."""
    return 0 if message_type.stream else 1


def envelope_schema() -> JsonSchema:
    """The schema of what surrounds every message."""
    message_id = rf"^{_SOURCE}-[0-9]+-[0-9]+$"
    return {
        "title": ENVELOPE,
        "description": "What surrounds every message on the wire.",
        "type": "object",
        "properties": {
            "type": {"type": "string", "description": "Name of the message type."},
            "id": {
                "type": "string",
                "pattern": message_id,
                "description": "`source-boot-sequence`: unique, and ordered within a source.",
            },
            "time": {
                "type": "number",
                "description": "When the fact was observed or the order given, seconds.",
            },
            "source": {
                "type": "string",
                "pattern": f"^{_SOURCE}$",
                "description": "Who says it: `<character>.<module>`, or `world.<module>`.",
            },
            "cause": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": None,
                "description": "Id of the message that led to this one.",
            },
            "protocol": {
                "type": "integer",
                "minimum": 1,
                "default": PROTOCOL_VERSION,
                "description": "Version of the protocol that the sender speaks.",
            },
            "after": {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
                    {"type": "null"},
                ],
                "default": None,
                "description": (
                    "Actions only: per receiver, sequence of the pending Action that must come "
                    "before this one."
                ),
            },
            "data": {"type": "object", "description": "The fields of the message."},
        },
        "required": ["type", "id", "time", "source", "data"],
    }


class _Generator(GenerateJsonSchema):
    """Open objects, and no titles that only repeat the name of a field."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  # pydantic's hook
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchema:
        generated = super().model_schema(schema)
        if generated.get("additionalProperties") is False:
            del generated["additionalProperties"]
        return generated
