"""From a page's `send` frame to a message that may be published, or one sentence why not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError

from sera.bus import PAYLOAD_LIMIT_BYTES
from sera.messages import (
    WORLD,
    Action,
    EmergencyStop,
    Message,
    UnknownMessageType,
    check_name,
    find_message_type,
    message_types,
)
from sera.messages._explain import explain, hint, shown
from sera.web._frames import EVERY_TYPE, Send
from sera.web._page import Page
from sera.web._refused import Refused
from sera.web._roles import PageRole, may_send, receivable, sendable

_ENVELOPE_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a page says, checked."""

    message: Message
    character: str
    time_s: float
    """When it was observed or ordered, on the clock of the run."""


def read_message(send: Send, page: Page, characters: Iterable[str], now_s: float) -> Spoken:
    """Check everything about what a page wants to say.

    Args:
        send: its frame.
        page: who says it.
        characters: the characters of the run, as far as they are known.
        now_s: the time.

    Raises:
        Refused: with the reason.
    """
    message_type = _type_of(send, page.role)
    try:
        message = message_type.model_validate(send.data)
    except ValidationError as error:
        raise Refused(explain(error, message_type, send.data, send.type)) from None
    size_bytes = len(message.__pydantic_serializer__.to_json(message))
    if size_bytes > PAYLOAD_LIMIT_BYTES - _ENVELOPE_BYTES:
        raise Refused(
            f"{send.type} is {size_bytes:,} bytes; the limit is {PAYLOAD_LIMIT_BYTES:,}: send a "
            "file name or an address instead of the content",
        )
    valid_for_s = message.valid_for_s if isinstance(message, Action) else None
    if valid_for_s is not None and send.age_s > valid_for_s:
        raise Refused(
            f"{send.type} was given {send.age_s:.1f} s ago and is worth doing for "
            f"{valid_for_s:g} s only: it was not sent",
            offence=False,
        )
    character = _character_of(send, page, message_type, list(characters))
    return Spoken(message, character, max(0.0, now_s - send.age_s))


def _type_of(send: Send, role: PageRole) -> type[Message]:
    try:
        message_type = find_message_type(send.type)
    except UnknownMessageType:
        raise Refused(
            f"unknown message type {shown(send.type)}{hint(send.type, sendable(role))} "
            "(`sera messages` lists all)",
        ) from None
    if not may_send(role, message_type):
        allowed = list(sendable(role))
        listed = f"only {', '.join(allowed)}" if len(allowed) <= 8 else "other messages"
        raise Refused(
            f"{_a(role)} page may not send {send.type}; "
            f"it may send {listed if allowed else 'nothing'}",
        )
    return message_type


def _character_of(
    send: Send, page: Page, message_type: type[Message], characters: list[str]
) -> str:
    """Under whose name: as the frame says, or as the message type and the page suggest."""
    if send.character is not None:
        check_character(send.character, characters)
        own = (WORLD, page.character)
        if page.role is not PageRole.WIZARD and send.character not in own:
            raise Refused(
                f"{_a(page.role)} page speaks for {WORLD}"
                + ("" if page.character is None else f" or {page.character}")
                + f", not for {shown(send.character)}",
            )
        return send.character
    if message_type.belongs_to_world:
        return WORLD
    if page.character is not None:
        return page.character
    if issubclass(message_type, EmergencyStop):
        return WORLD  # stop everybody rather than ask whom
    if len(characters) == 1:
        return characters[0]
    known = f", one of {', '.join([*characters, WORLD])}" if characters else ""
    raise Refused(
        f"{send.type} needs a character{known}: name it in the frame or when connecting",
    )


def check_character(name: str, characters: list[str]) -> None:
    """Refuse a character that the run does not have; any valid name where none is known."""
    try:
        check_name(name[:61], "character")
    except ValueError as error:
        raise Refused(str(error)) from None
    if len(name) > 60 or (characters and name not in (*characters, WORLD)):
        raise Refused(f"no character {shown(name)} in this run{hint(name, [*characters, WORLD])}")


def split_wanted(
    names: list[str], role: PageRole, *, reveal_condition: bool = False
) -> tuple[list[str], list[str]]:
    """Which of these types a page of the role may receive, and a sentence about each other."""
    good: list[str] = []
    complaints: list[str] = []
    allowed = receivable(role, reveal_condition=reveal_condition)
    listed = f"only {', '.join(allowed)}" if allowed else "nothing"
    for name in dict.fromkeys(names):
        if name in allowed or (name == EVERY_TYPE and allowed):
            good.append(name)
        elif name == EVERY_TYPE or name in message_types():
            complaints.append(f"{_a(role)} page may not receive {name}; it may receive {listed}")
        else:
            complaints.append(f"unknown message type {shown(name)}{hint(name, allowed)}")
    return good, complaints


def _a(role: PageRole) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"
