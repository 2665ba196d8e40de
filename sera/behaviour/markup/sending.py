"""What a workspace's own verb sends: a message with the verb's parameters in its fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sera.behaviour.markup.steps import Step
from sera.behaviour.markup.verbs import Kind, Parameter, Sending
from sera.messages import Message, UnknownMessageType, find_message_type, message_types
from sera.runtime.located import nearest_name

_HOLE = re.compile(r"\{(\w+)\}")
_SAMPLES: Mapping[Kind, str | int | float] = {Kind.COUNT: 1, Kind.NUMBER: 1.0}


def sending_of(table: Mapping[str, Any], parameters: Sequence[Parameter]) -> Sending:
    """What a table says that a verb sends, tried out with its parameters.

    Raises:
        ValueError: in one sentence, with the nearest name.
    """
    fields = dict(table)
    message = fields.pop("message", None)
    if not isinstance(message, str):
        raise ValueError('message = "…" must name the message that is sent')  # noqa: TRY004
    names = {parameter.name for parameter in parameters}
    for hole in _holes(fields):
        if hole not in names:
            near = nearest_name(hole, names)
            hint = f"; did you mean {{{near}}}?" if near else ""
            raise ValueError(f"the verb has no parameter {{{hole}}}{hint}")
    sending = Sending(message, fields)
    sample = {
        one.name: one.default if one.default is not None else _SAMPLES.get(one.kind, "something")
        for one in parameters
    }
    _built(sending, sample)
    return sending


def message_sent(sending: Sending, step: Step) -> Message:
    """The message for a step.

    Raises:
        ValueError: what the author wrote does not fit the message.
    """
    return _built(sending, step.arguments)


def _built(sending: Sending, arguments: Mapping[str, Any]) -> Message:
    try:
        kind = find_message_type(sending.message)
    except UnknownMessageType:
        near = nearest_name(sending.message, message_types())
        hint = f"; did you mean '{near}'?" if near else ""
        raise ValueError(f"there is no message '{sending.message}'{hint}") from None
    try:
        return kind.model_validate(_filled(sending.fields, arguments))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{sending.message}.{place}: {first['msg']}") from None


def _filled(value: Any, arguments: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        filled = {key: _filled(each, arguments) for key, each in value.items()}
        # A parameter that was left out leaves the message's own default in force.
        return {key: each for key, each in filled.items() if each is not None}
    if isinstance(value, list):
        return [_filled(each, arguments) for each in value]
    if not isinstance(value, str):
        return value
    whole = _HOLE.fullmatch(value)
    if whole is not None:
        given = arguments[whole[1]]
        return list(given) if isinstance(given, tuple) else given
    return _HOLE.sub(lambda hole: str(arguments[hole[1]]), value)


def _holes(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [hole for each in value.values() for hole in _holes(each)]
    if isinstance(value, list):
        return [hole for each in value for hole in _holes(each)]
    return _HOLE.findall(value) if isinstance(value, str) else []
