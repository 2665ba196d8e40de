"""What a page may do: one table, which the server enforces.

A message type in the table stands for itself and for everything that refines it, so that a
laboratory's own Perceptions and Actions are covered without a change here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sera.messages import (
    Action,
    ActivityCommand,
    AutonomyChanged,
    ConditionAssigned,
    FormOffered,
    Highlight,
    Message,
    Perception,
    QuestionAnswered,
    SuggestionResolved,
    TargetRemoved,
    TargetUpdated,
    message_types,
)

MessageTypes = tuple[type[Message], ...]


class PageRole(StrEnum):
    """What a page is to the run."""

    WIZARD = "wizard"
    OBSERVER = "observer"
    PARTICIPANT = "participant"
    ACTIVITY = "activity"


@dataclass(frozen=True, slots=True)
class Rights:
    """What pages of one role may do."""

    sends: MessageTypes = ()
    """What they may say."""
    hears: MessageTypes = ()
    """What they may look on at."""
    performs: MessageTypes = ()
    """Actions that are addressed to them: they receive these and confirm each."""
    sees_pages: bool = False
    """Whether they are told which pages the scenario has."""
    fills_forms: bool = False
    """Whether they hand in answers, which the gateway publishes for them."""


_EVENTS_OF_A_WIZARD: MessageTypes = (
    *(AutonomyChanged, SuggestionResolved, QuestionAnswered),
    *(TargetUpdated, TargetRemoved),
)

RIGHTS: Mapping[PageRole, Rights] = MappingProxyType(
    {
        PageRole.WIZARD: Rights(
            sends=(Action, Perception, *_EVENTS_OF_A_WIZARD),
            hears=(Message,),
            sees_pages=True,
        ),
        PageRole.OBSERVER: Rights(hears=(Message,), sees_pages=True),
        PageRole.PARTICIPANT: Rights(hears=(FormOffered,), fills_forms=True),
        PageRole.ACTIVITY: Rights(sends=(Perception,), performs=(ActivityCommand, Highlight)),
    }
)

PERFORMED_BY_PAGES: MessageTypes = tuple(
    dict.fromkeys(kind for rights in RIGHTS.values() for kind in rights.performs)
)
"""The Actions that some role performs: the gateway takes them in for its pages."""

OPERATORS = (PageRole.WIZARD, PageRole.OBSERVER)
"""Who sits at a console."""

SECRETS: MessageTypes = (ConditionAssigned,)
"""What would tell operators the condition: neither sent nor shown, unless the study reveals it."""

_NEVER_FROM_A_PAGE = "system"
"""Messages of the system about itself (presence, receipts, faults): no role may forge them."""


def may_send(role: PageRole, message_type: type[Message]) -> bool:
    if message_type.family == _NEVER_FROM_A_PAGE or issubclass(message_type, SECRETS):
        return False
    return issubclass(message_type, RIGHTS[role].sends)


def may_receive(
    role: PageRole, message_type: type[Message], *, reveal_condition: bool = False
) -> bool:
    if issubclass(message_type, SECRETS) and not reveal_condition:
        return False
    rights = RIGHTS[role]
    return issubclass(message_type, (*rights.hears, *rights.performs))


def sendable(role: PageRole) -> dict[str, type[Message]]:
    """The message types that pages of a role may send, by name, in alphabetical order."""
    return {name: kind for name, kind in message_types().items() if may_send(role, kind)}


def receivable(role: PageRole, *, reveal_condition: bool = False) -> dict[str, type[Message]]:
    """The message types that pages of a role may receive, by name, in alphabetical order."""
    return {
        name: kind
        for name, kind in message_types().items()
        if may_receive(role, kind, reveal_condition=reveal_condition)
    }


def described_rights(role: PageRole, *, reveal_condition: bool = False) -> dict[str, Any]:
    """What pages of a role are told about their rights when they connect."""
    return {
        "may_send": {
            name: {
                "kind": str(kind.kind),
                "valid_for_s": kind.valid_for_s if issubclass(kind, Action) else None,
            }
            for name, kind in sendable(role).items()
        },
        "may_receive": {
            name: {"kind": str(kind.kind), "stream": kind.stream}
            for name, kind in receivable(role, reveal_condition=reveal_condition).items()
        },
    }
