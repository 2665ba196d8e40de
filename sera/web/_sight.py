"""What an operator had before the eyes when an order was given.

Design overview
    A page's perceptions are remembered as they are sent to it: of a State and of a stream the
    newest value of each person or thing, of everything else what came within the last seconds.
    An order is then recorded together with the ids of these, so that a table of what was seen and
    what was chosen can be made from the recording alone.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    Bounded. Ids alone are kept: what people said or are called stays where it was.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from sera.messages import (
    Envelope,
    Message,
    OperatorDecided,
    PeopleState,
    Perception,
    Suggestion,
    SuggestionResolved,
)

RECENT_S = 10.0
LIMIT = 120


class _Seen(NamedTuple):
    id: str
    time_s: float
    lasts: bool
    """The newest value of something: it holds until the next one."""


class Sight:
    """What stands on one page."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, ...], _Seen] = OrderedDict()
        self._suggestions: OrderedDict[str, float] = OrderedDict()
        self._news_s: float | None = None
        self.feeds: dict[str, int] = {}
        """Pictures and sounds of the room that the page is given, and how often."""

    def see(self, envelope: Envelope) -> None:
        """A message is put on the page."""
        message = envelope.message
        if isinstance(message, Suggestion):
            self._suggestions[envelope.id] = envelope.time
            if len(self._suggestions) > LIMIT:
                self._suggestions.popitem(last=False)
        if not isinstance(message, Perception | PeopleState):
            return
        lasts = message.stream or isinstance(message, PeopleState)
        key = (envelope.type, envelope.source, _whom(message)) if lasts else (envelope.id,)
        self._seen.pop(key, None)
        self._seen[key] = _Seen(envelope.id, envelope.time, lasts)
        while len(self._seen) > LIMIT:
            self._seen.popitem(last=False)
        if not message.stream:
            self._news_s = envelope.time

    def decided(
        self, envelope: Envelope, *, by: str, restricted: bool, now_s: float
    ) -> OperatorDecided:
        """What to record beside an order of the operator."""
        message = envelope.message
        asked = message.suggestion if isinstance(message, SuggestionResolved) else None
        since_s = self._suggestions.get(asked) if asked is not None else self._news_s
        recent = since_s is not None and (asked is not None or now_s - since_s <= RECENT_S)
        seen = [
            one.id for one in self._seen.values() if one.lasts or now_s - one.time_s <= RECENT_S
        ]
        return OperatorDecided(
            action=envelope.id,
            action_type=envelope.type,
            by=by,
            restricted=restricted,
            seen=seen,
            feeds=sorted(self.feeds),
            suggestion=asked,
            reaction_s=max(0.0, now_s - since_s) if recent and since_s is not None else None,
        )


def _whom(message: Message) -> str:
    for name in ("person", "marker", "microphone"):
        value = getattr(message, name, None)
        if value is not None:
            return str(value)
    return ""
