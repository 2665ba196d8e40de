"""What the recorder must look at in a message type, found once for each type.

Most types hold no personal field and many hold no text at all, so that most messages can be
written without a second look. Marks are found at any depth: on fields of the message and on
fields of the models nested in it.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import BaseModel

from sera.messages import Message, PersonalKind, personal_fields

_WITHOUT_TEXT: tuple[object, ...] = (int, float, bool, type(None))
OPENS_SESSION = frozenset({"ConditionAssigned", "SessionPhase"})
"""Types whose participant is the current one from there on."""


class TypeMarks(NamedTuple):
    """How messages of one type are recorded."""

    to_json: Callable[[Any], bytes]
    """The type's own serialiser, without the detour over a string."""
    personal: bool
    """Personal fields are there or, in a field of any type, may be there."""
    holds_text: bool
    """Some string in it could contain a name."""
    has_person: bool
    """Its field `person` holds the id of a person."""
    has_participant: bool
    """Its field `participant` says whose personal data it holds."""
    opens_session: bool
    """Its participant is the current one from here on."""


class _Found:
    def __init__(self) -> None:
        self.personal = False
        self.holds_text = False
        self.seen: list[object] = []


@cache
def marks_of(message_type: type[Message]) -> TypeMarks:
    """How messages of this type are recorded."""
    found = _Found()
    _look_into(message_type, found)
    fields = message_type.model_fields
    marked = personal_of(message_type)
    return TypeMarks(
        to_json=message_type.__pydantic_serializer__.to_json,
        personal=found.personal or holds_an_action(message_type),
        holds_text=found.holds_text,
        # In an activity's messages `person` may be the name under which somebody plays.
        has_person="person" in fields
        and "person" not in marked
        and message_type.family != "activity",
        has_participant="participant" in fields,
        opens_session="participant" in fields and message_type.__name__ in OPENS_SESSION,
    )


@cache
def personal_of(model: type[BaseModel]) -> dict[str, PersonalKind]:
    """The marked fields of a message type, or of a model that is nested in one."""
    return personal_fields(cast("type[Message]", model))


@cache
def holds_an_action(model: type[BaseModel]) -> bool:
    """Whether it carries the fields of another message, as a Suggestion does."""
    fields = model.model_fields
    if "action_type" not in fields or "action" not in fields:
        return False
    return typing.get_origin(fields["action"].annotation) is dict


def _look_into(annotation: Any, found: _Found) -> None:
    # By identity: annotations may carry metadata that cannot be hashed or compared.
    if any(annotation is known for known in (*_WITHOUT_TEXT, *found.seen)):
        return
    found.seen.append(annotation)
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        _look_into(typing.get_args(annotation)[0], found)
    elif any(annotation is anything for anything in (Any, object, BaseModel, Message)):
        # A model of any type may sit here, with marks that only its instance shows.
        found.personal = found.holds_text = True
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        found.personal = found.personal or bool(personal_of(annotation))
        found.holds_text = found.holds_text or annotation.model_config.get("extra") == "allow"
        for field in annotation.model_fields.values():
            _look_into(field.annotation, found)
    elif origin is Literal or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        pass  # words of the vocabulary, the same for everybody
    elif arguments := typing.get_args(annotation):
        for argument in arguments:
            if argument is not Ellipsis:
                _look_into(argument, found)
    else:
        found.holds_text = True  # str, and whatever is not known to be free of text
