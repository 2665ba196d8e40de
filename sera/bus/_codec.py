"""Envelope to bytes and back.

The topic names the message type, so a payload is parsed and validated in one pass by the
validator of exactly that type. Fields that this version does not know are ignored; anything
else that is wrong becomes a `Malformed` with one sentence and the sender.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NotRequired

from pydantic import FiniteFloat, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from sera.bus._topics import Topic
from sera.messages import (
    PROTOCOL_VERSION,
    Envelope,
    Kind,
    Message,
    UnknownMessageType,
    find_message_type,
    personal_fields,
)

PAYLOAD_LIMIT_BYTES = 1024 * 1024
LONGEST_NUMBER = 20
"""Digits of a boot or sequence number: more than any clock or counter will ever need."""
ROOM_FOR_REPEATS_BYTES = 4096
"""Actions leave this much free: when one is sent again, `after` may be longer than before."""


class Malformed(ValueError):
    """A payload that is no message; `sender` is the source its topic names."""

    def __init__(self, summary: str, *, topic: str, sender: str, detail: str = "") -> None:
        super().__init__(summary)
        self.summary = summary
        self.topic = topic
        self.sender = sender
        self.detail = detail


class PayloadTooLarge(ValueError):
    """A message beyond the limit, refused before it is sent."""

    def __init__(self, envelope_type: str, size_bytes: int) -> None:
        super().__init__(
            f"{envelope_type} is {size_bytes:,} bytes on the wire; the limit is "
            f"{PAYLOAD_LIMIT_BYTES:,}: send a file name or an address instead of the content"
        )


@lru_cache(maxsize=512)
def _head(type_name: str, source: str) -> tuple[str, str]:
    return f'{{"type":{json.dumps(type_name)},"id":', f',"source":{json.dumps(source)},"cause":'


def encode(envelope: Envelope) -> bytes:
    """The payload of an envelope.

    Raises:
        PayloadTooLarge: beyond 1 MiB.
        pydantic_core.PydanticSerializationError: the message holds what JSON cannot express.
    """
    message = envelope.message
    type_name = type(message).__name__
    opening, middle = _head(type_name, envelope.source)
    cause = "null" if envelope.cause is None else json.dumps(envelope.cause)
    after = "" if envelope.after is None else f',"after":{json.dumps(envelope.after)}'
    head = (
        f'{opening}"{envelope.id}","time":{envelope.time!r}{middle}{cause},'
        f'"protocol":{envelope.protocol}{after},"data":'
    )
    data: bytes = message.__pydantic_serializer__.to_json(message)
    payload = head.encode() + data + b"}"
    if len(payload) > PAYLOAD_LIMIT_BYTES - ROOM_FOR_REPEATS_BYTES:
        size_bytes = len(payload)
        if message.kind is Kind.ACTION:
            size_bytes += ROOM_FOR_REPEATS_BYTES - len(after)
        if size_bytes > PAYLOAD_LIMIT_BYTES:
            raise PayloadTooLarge(type_name, size_bytes)
    return payload


@lru_cache(maxsize=512)
def _reader(message_type: type[Message]) -> TypeAdapter[Any]:
    wire = TypedDict(  # type: ignore[misc]  # noqa: UP013  # one wire form for each type
        f"{message_type.__name__}Envelope",
        {
            "type": str,
            "id": str,
            "time": FiniteFloat,
            "source": str,
            "cause": NotRequired[str | None],
            "protocol": NotRequired[int],
            "after": NotRequired[dict[str, int] | None],
            "data": message_type,
        },
    )
    return TypeAdapter(wire)


def decode(topic: Topic, payload: bytes, message_type: type[Message] | None = None) -> Envelope:
    """The envelope in a payload that arrived on a topic.

    Raises:
        Malformed: whatever is wrong with it.
    """
    if len(payload) > PAYLOAD_LIMIT_BYTES:
        limit = f"{PAYLOAD_LIMIT_BYTES:,}"
        raise _malformed(topic, f"{len(payload):,} bytes exceed the limit of {limit}")
    try:
        if message_type is None:
            message_type = find_message_type(topic.type)
        wire = _reader(message_type).validate_json(payload, extra="ignore")
    except UnknownMessageType as error:
        raise _malformed(topic, str(error)) from None
    except ValidationError as error:
        sentence = _first_problem(message_type or Message, error)
        raise _malformed(topic, sentence, _all_problems(error)) from None
    except Exception as error:  # a laboratory's own message, whose own check has a fault
        sentence = f"{topic.type} could not be checked: {type(error).__name__}"
        raise _malformed(topic, sentence) from error
    source = topic.source
    if wire["type"] != topic.type or wire["source"] != source:
        raise _malformed(
            topic,
            f"the payload says {wire['type']} from {wire['source']}, "
            f"its topic {topic.type} from {source}",
        )
    identity = wire["id"]
    life, _, sequence = identity.rpartition("-")
    speaker, _, boot = life.rpartition("-")
    if speaker != source or not (_is_number(sequence) and _is_number(boot)):
        raise _malformed(topic, f"id {identity!r} is not of the form {source}-<boot>-<sequence>")
    return Envelope(
        wire["data"],
        identity,
        wire["time"],
        source,
        topic.character,
        wire.get("cause"),
        wire.get("protocol", PROTOCOL_VERSION),
        wire.get("after"),
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER


def _malformed(topic: Topic, summary: str, detail: str = "") -> Malformed:
    return Malformed(summary, topic=str(topic), sender=topic.source, detail=detail)


def _first_problem(message_type: type[Message], error: ValidationError) -> str:
    """One sentence on the first of the problems; values of personal fields are not shown."""
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return f"not JSON: {first['msg']}"
    location = first["loc"]
    where = ".".join(str(part) for part in location) or "payload"
    # Where the whole message is at fault, its value holds the personal fields too.
    is_personal = len(location) == (location[:1] == ("data",)) or any(
        part in personal_fields(message_type) for part in location
    )
    shown = "" if is_personal or first["type"] == "missing" else f", got {_short(first['input'])}"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{message_type.__name__}: {where}: {first['msg']}{shown}{more}"


def _short(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _all_problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return "\n".join(
        f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in found
    )
