"""AsyncAPI 3.0 description of the bus: one channel for each message type."""

from __future__ import annotations

from sera.messages._base import PROTOCOL_VERSION, Message
from sera.messages._schema import (
    JsonSchema,
    MessageTypes,
    built_in_types,
    definitions,
    is_retained,
    payload_schema,
    quality_of_service,
    wire_facts,
)

_SCHEMAS = "#/components/schemas/"
_MQTT_BINDING_VERSION = "0.2.0"


def asyncapi(types: MessageTypes | None = None) -> JsonSchema:
    """The AsyncAPI 3.0 document of the bus.

    Args:
        types: message types by name; None: the built-in ones.
    """
    chosen = dict(sorted((built_in_types() if types is None else types).items()))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "SERA bus",
            "version": str(PROTOCOL_VERSION),
            "description": (
                "Typed messages over MQTT 3.1.1. An Action is delivered end to end: its receiver "
                "answers with a Receipt, and what could not be performed in time is reported as "
                "ActionExpired. State is retained. Streams drop their oldest."
            ),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {name: _channel(name, chosen[name]) for name in chosen},
        "operations": {f"publish{name}": _operation(name, chosen[name]) for name in chosen},
        "components": {
            "messages": {name: _message(name, chosen[name]) for name in chosen},
            "parameters": _parameters(),
            "schemas": definitions(chosen, _SCHEMAS),
        },
    }


def _channel(name: str, message_type: type[Message]) -> JsonSchema:
    character = "world" if message_type.belongs_to_world else "{character}"
    address = f"sera/{{run}}/{character}/{name}/{{source}}"
    parameters = [part for part in _parameters() if f"{{{part}}}" in address]
    return {
        "address": address,
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        "parameters": {part: {"$ref": f"#/components/parameters/{part}"} for part in parameters},
        **wire_facts(message_type),
    }


def _operation(name: str, message_type: type[Message]) -> JsonSchema:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{name}"},
        "messages": [{"$ref": f"#/channels/{name}/messages/{name}"}],
        "bindings": {
            "mqtt": {
                "qos": quality_of_service(message_type),
                "retain": is_retained(message_type),
                "bindingVersion": _MQTT_BINDING_VERSION,
            }
        },
    }


def _message(name: str, message_type: type[Message]) -> JsonSchema:
    summary = (message_type.__doc__ or name).strip().splitlines()[0]
    return {
        "name": name,
        "title": name,
        "summary": summary,
        "tags": [
            {"name": f"kind:{message_type.kind.value}"},
            {"name": f"family:{message_type.family}"},
        ],
        "payload": payload_schema(name, _SCHEMAS),
    }


def _parameters() -> JsonSchema:
    return {
        "run": {"description": "Id of the run; every start has its own."},
        "character": {
            "description": "Whom it concerns: a character, or `world` for modules of nobody."
        },
        "source": {"description": "Who says it: `<character>.<module>`, or `world.<module>`."},
    }
