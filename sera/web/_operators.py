"""Who sits at the consoles: names for operators, whose channel it is, and what a desk may not do.

Design overview
    A page of an operator (wizard or observer) sits at a desk, by default the one named after its
    role. The operator is called after the desk, with a number where several sit at it, and keeps
    that name over reconnections. A channel of the autonomy dial may belong to one operator: orders
    of the others on it are refused while that operator is there. Locks of the console's layout are
    kept here too, because a page's own word about them counts for nothing.

Threading
    The event loop's thread.

Safety
    The stop, its release and everything else without a channel is nobody's own and is never
    refused here.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from sera.messages import (
    Action,
    Autonomy,
    CancelUtterance,
    Channel,
    EmergencyStop,
    Message,
    OperatorSeat,
    OperatorsPresent,
    StopSpeaking,
)
from sera.web._page import Page
from sera.web._refused import Refused
from sera.web._roles import OPERATORS

Lock = Callable[[str, str, dict[str, Any], str], str | None]
"""Why a desk may not send a message of a type with these fields to a character; None: it may."""


def no_lock(_desk: str, _type: str, _data: dict[str, Any], _character: str) -> None:
    """Where nothing is locked."""


_REMEMBERED = 256
_STRANGE = re.compile(r"[^a-z0-9_-]+")


class Operators:
    """The operators of one gateway."""

    def __init__(self, *, lock: Lock = no_lock) -> None:
        self._lock = lock
        self._names: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._seated: dict[Page, str] = {}
        self._owners: dict[str, dict[Channel, str]] = {}

    def sit(self, page: Page, desk: str | None, session: str | None) -> None:
        """Give a page its operator's name; pages of others have none."""
        if page.role not in OPERATORS:
            return
        page.desk = _STRANGE.sub("_", (desk or "").strip().lower())[:40].strip("_") or str(
            page.role
        )
        page.operator = self._name_for(page.desk, session)
        self._seated[page] = page.operator

    def leave(self, page: Page) -> bool:
        """A page has gone; True where an operator went with it."""
        return self._seated.pop(page, None) is not None

    def present(self, pages: list[Page]) -> OperatorsPresent:
        """Everybody who is there."""
        seats = [
            OperatorSeat(
                operator=page.operator,
                desk=page.desk or page.operator,
                role=str(page.role),
                character=page.character,
                restricted=page.restricted,
            )
            for page in pages
            if page.operator is not None
        ]
        return OperatorsPresent(operators=seats)

    def look(self, operator: str, feed: str) -> Callable[[], None]:
        """An operator is given a picture or sound of the room; returns what ends it."""
        sights = [page.sight for page, name in self._seated.items() if name == operator]
        for sight in sights:
            sight.feeds[feed] = sight.feeds.get(feed, 0) + 1

        def end() -> None:
            for sight in sights:
                sight.feeds[feed] -= 1
                if not sight.feeds[feed]:
                    del sight.feeds[feed]

        return end

    def follow(self, character: str, dial: Autonomy) -> None:
        """The dial of a character: who has which channel in hand."""
        self._owners[character] = dict(dial.owners)

    def check(self, page: Page, message: Message, character: str) -> None:
        """Refuse what is in another operator's hands or locked for the desk.

        Raises:
            Refused: with whose it is and what to do.
        """
        if page.operator is None or isinstance(message, EmergencyStop):
            return
        locked = self._lock(page.desk or "", type(message).__name__, _fields(message), character)
        if locked is not None:
            raise Refused(locked, offence=False)
        if not isinstance(message, Action) or message.channel is None or _hushes(message):
            return
        owner = self._owners.get(character, {}).get(message.channel)
        if owner not in (None, page.operator) and owner in self._seated.values():
            raise Refused(
                f"{message.channel} of {character} is in the hands of {owner}: ask for it, or take "
                "it over with the dial",
                offence=False,
            )

    def signed(self, page: Page, message: Message) -> Message:
        """The message with the operator's own name where it says who sends it."""
        if page.operator is None or "by" not in type(message).model_fields:
            return message
        return message.model_copy(update={"by": page.operator})

    def _name_for(self, desk: str, session: str | None) -> str:
        key = (desk, session or "")
        taken = set(self._seated.values())
        known = self._names.get(key) if session else None
        if known is not None and known not in taken:
            self._names.move_to_end(key)
            return known
        number = 1
        while (name := desk if number == 1 else f"{desk}_{number}") in taken:
            number += 1
        if session:
            self._names[key] = name
            while len(self._names) > _REMEMBERED:
                self._names.popitem(last=False)
        return name


def _hushes(message: Message) -> bool:
    """Whether it makes the robot be silent: that is everybody's, like the stop."""
    is_all = isinstance(message, CancelUtterance) and message.utterance is None
    return is_all or isinstance(message, StopSpeaking)


def _fields(message: Message) -> dict[str, Any]:
    return message.model_dump(mode="json", exclude_unset=True)
