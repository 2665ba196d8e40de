"""What stands on a page of restricted perception at a moment: the newest of each kind of fact.

Design overview: the same rule as the web gateway's, which notes the ids of what an operator sees.
Of a State of people and of a stream the newest value of each person or thing holds until the next
one; of everything else what came within the last ten seconds. The learned policy looks at the
world through it, so that it is given what the operator was given.

Units and frames: seconds on the clock of the run.
Threading: one owner. Bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

from sera.messages import Envelope, PeopleState, Perception

RECENT_S = 10.0
LIMIT = 120
_WHOM = ("person", "marker", "microphone")


class Seen(NamedTuple):
    """A fact on the page."""

    id: str
    type: str
    time_s: float
    data: dict[str, Any]
    lasts: bool = False
    """The newest value of something: it holds until the next one."""


class Visible:
    """A page's facts."""

    def __init__(self) -> None:
        self._facts: OrderedDict[tuple[str, ...], Seen] = OrderedDict()

    def see(self, envelope: Envelope) -> None:
        """A message is put on the page; what is no perception is passed over."""
        message = envelope.message
        if not isinstance(message, Perception | PeopleState):
            return
        lasts = message.stream or isinstance(message, PeopleState)
        data = message.model_dump(mode="json")
        self.take(Seen(envelope.id, envelope.type, envelope.time, data, lasts), envelope.source)

    def take(self, fact: Seen, source: str = "") -> None:
        """The same for a fact from a recording."""
        key = (fact.type, source, _whom(fact.data)) if fact.lasts else (fact.id,)
        self._facts.pop(key, None)
        self._facts[key] = fact
        while len(self._facts) > LIMIT:
            self._facts.popitem(last=False)

    def at(self, now_s: float) -> list[Seen]:
        """Everything that is on the page, the oldest first."""
        return [one for one in self._facts.values() if one.lasts or now_s - one.time_s <= RECENT_S]


def _whom(data: dict[str, Any]) -> str:
    return next((str(data[name]) for name in _WHOM if data.get(name) is not None), "")
