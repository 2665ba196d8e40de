"""What a bus has heard from others: their State, and how far each topic has come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sera.bus._topics import matches
from sera.messages import Envelope, Kind


class Heard:
    """Remembers the last State of every topic for subscriptions to come, and finds repeats."""

    def __init__(self) -> None:
        self._states: dict[str, Envelope] = {}
        self._latest: dict[str, tuple[str, int]] = {}  # by topic: source with boot, sequence

    def is_repeat(self, topic: str, envelope: Envelope) -> bool:
        """Overlapping filters and reconnects bring a message twice; Actions are the runtime's."""
        kind = envelope.message.kind
        if kind is Kind.ACTION:
            return False
        if kind is Kind.STATE:
            known = self._states.get(topic)
            self._states[topic] = envelope
            return known is not None and known.id == envelope.id
        life, _, number = envelope.id.rpartition("-")
        sequence = int(number)
        latest = self._latest.get(topic)
        if latest is not None and life == latest[0] and sequence <= latest[1]:
            return True
        self._latest[topic] = (life, sequence)
        return False

    def states(self, filters: Iterable[str]) -> list[Envelope]:
        """The State that these filters cover."""
        return [self._states[topic] for topic in list(self._covered(filters))]

    def state_cleared(self, topic: str) -> None:
        self._states.pop(topic, None)

    def keep_states(self, filters: Iterable[str]) -> None:
        """Forget the State that these filters do not cover: nobody tells when it changes."""
        self._states = {topic: self._states[topic] for topic in self._covered(filters)}

    def take_state_topics(self) -> list[str]:
        """Every topic with State; from now on it is forgotten."""
        topics = list(self._states)
        self._states.clear()
        return topics

    def _covered(self, filters: Iterable[str]) -> Iterator[str]:
        patterns = list(filters)
        return (t for t in self._states if any(matches(pattern, t) for pattern in patterns))
