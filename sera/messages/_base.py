"""What every message is: four kinds, a registry, and marks for personal data.

A message is a frozen pydantic model. Code that builds one is held to its fields (a typing
error raises), while a message that arrives over the wire may carry fields of a newer version,
which are ignored: see `sera.bus` for the reading side.

A laboratory adds its own messages by subclassing one of the four kinds anywhere in its
workspace; the class name is the name on the wire and must be unique.
"""

from __future__ import annotations

import difflib
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

PROTOCOL_VERSION = 1

PersonalKind = Literal["name", "text"]


class Kind(StrEnum):
    """The four kinds of message; the kind decides how a message travels."""

    PERCEPTION = "perception"
    ACTION = "action"
    EVENT = "event"
    STATE = "state"


class Channel(StrEnum):
    """What an Action takes hold of; the autonomy dial has one setting for each."""

    DECISION = "decision"
    SPEECH = "speech"
    GAZE = "gaze"
    GESTURE = "gesture"
    EMOTION = "emotion"


_registry: dict[str, type[Message]] = {}


class Message(BaseModel):
    """Anything that travels on the bus. Subclass one of the four kinds, not this class."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        defer_build=True,  # a process builds the few that it uses
    )

    kind: ClassVar[Kind]
    stream: ClassVar[bool] = False
    """True where only the newest value matters: a full queue drops its oldest."""
    belongs_to_world: ClassVar[bool] = False
    """True where the fact belongs to no character (people, activity): published under `world`."""
    family: ClassVar[str] = "own"
    """The vocabulary file that owns the message; `own` for a laboratory's messages."""

    @classmethod
    def of_known(cls, **fields: Any) -> Self:
        """A message of all its fields, right as they are: nothing is checked or filled in.

        For what an engine makes many times a second; others call the class.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", fields)
        object.__setattr__(made, "__pydantic_fields_set__", set(fields))
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        return made

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if "kind" in cls.__dict__:  # one of the four base kinds
            return
        if cls.__module__.startswith("sera.messages."):
            cls.family = cls.__module__.rsplit(".", 1)[1].lstrip("_")
        elif "family" not in cls.__dict__:  # a laboratory's refinement of a built-in message
            cls.family = "own"
        name = cls.__name__
        known = _registry.get(name)
        if known is not None and (known.__module__, known.__qualname__) != (
            cls.__module__,
            cls.__qualname__,
        ):
            raise TypeError(
                f"message {name} of {cls.__module__} has the name of {known.__module__}.{name}; "
                "names on the wire are unique: give the new message another name"
            )
        _registry[name] = cls


class Perception(Message):
    """A fact about people or things around the robot."""

    kind = Kind.PERCEPTION


class Action(Message):
    """An order. It is delivered end to end, performed once, and worth doing for a limited time."""

    kind = Kind.ACTION
    valid_for_s: ClassVar[float | None] = 2.0
    """How long after `time` the order is still worth doing; None: without limit."""
    channel: ClassVar[Channel | None] = None
    """What the autonomy dial must allow; None: not subject to the dial."""
    urgent: ClassVar[bool] = False
    """True where it overtakes everything: it waits for no other Action and no running handler."""


class Event(Message):
    """Something that happened inside the system."""

    kind = Kind.EVENT


class State(Message):
    """What is the case now; the last one of each source is kept for late-comers."""

    kind = Kind.STATE


def personal(kind: PersonalKind = "text", **field_options: Any) -> Any:
    """Mark a field as personal data: the recorder keeps a pseudonym in its place.

    Args:
        kind: `name` for a short value that may turn up inside other texts (it is replaced there
            too), `text` for transcripts and free answers.
        field_options: passed on to `pydantic.Field` (default, description …).
    """
    return Field(json_schema_extra={"personal": kind}, **field_options)


def personal_fields(message_type: type[Message]) -> dict[str, PersonalKind]:
    """The fields of a message type that are marked personal, with their kind."""
    marked: dict[str, PersonalKind] = {}
    for name, field in message_type.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and extra.get("personal") in ("name", "text"):
            marked[name] = "name" if extra["personal"] == "name" else "text"
    return marked


def message_types() -> dict[str, type[Message]]:
    """All known message types by name, in alphabetical order."""
    return dict(sorted(_registry.items()))


def find_message_type(name: str) -> type[Message]:
    """The message type of that name.

    Raises:
        UnknownMessageType: with the nearest known names.
    """
    try:
        return _registry[name]
    except KeyError:
        raise UnknownMessageType(name) from None


class UnknownMessageType(LookupError):
    """A message type that this installation does not know."""

    def __init__(self, name: str) -> None:
        self.name = name
        by_lower_case = {known.lower(): known for known in _registry}
        near = difflib.get_close_matches(name.lower(), by_lower_case, n=3, cutoff=0.6)
        self.nearest = [by_lower_case[match] for match in near]
        hint = f"; did you mean {' or '.join(self.nearest)}?" if near else ""
        super().__init__(f"unknown message type {name!r}{hint} (`sera messages` lists all)")
