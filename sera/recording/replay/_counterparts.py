"""Which message of a replay stands for which one of the recording.

Ids differ: they count what a module says about its own work, and a life begins at another time.
The n-th message of a type from a source stands for the n-th one in the recording, so that a
recorded answer (`SpeechFinished` of a `Speak`) finds the order that it answers.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sera.messages import Envelope
from sera.recording._reader import Record

Key = tuple[str, str, int]
"""Source, message type, and which one of them, from 0."""


class Counterparts:
    """Ids of the recording and of the replay, for the sources that are played."""

    def __init__(self, records: list[Record], played: Collection[str]) -> None:
        self._played = frozenset(played)
        self._recorded_key: dict[str, Key] = {}
        self._recorded_id: dict[Key, str] = {}
        counts: dict[tuple[str, str], int] = {}
        for record in records:
            if record.source in self._played and record.id not in self._recorded_key:
                key = self._next(counts, record.source, record.type)
                self._recorded_key[record.id] = key
                self._recorded_id[key] = record.id
        self._replayed_key: dict[str, Key] = {}
        self._replayed_id: dict[Key, str] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def published(self, envelope: Envelope) -> bool:
        """Take note of what a played module said; False where that is known already."""
        if envelope.source not in self._played or envelope.id in self._replayed_key:
            return False
        key = self._next(self._counts, envelope.source, envelope.type)
        self._replayed_key[envelope.id] = key
        self._replayed_id[key] = envelope.id
        return True

    def is_played(self, source: str) -> bool:
        return source in self._played

    def is_of_played(self, recorded_id: str) -> bool:
        """Whether a played module said it in the recording."""
        return recorded_id in self._recorded_key

    def replayed(self, recorded_id: str) -> str | None:
        """The id that stands for a recorded one, as soon as it has been said."""
        key = self._recorded_key.get(recorded_id)
        return None if key is None else self._replayed_id.get(key)

    def recorded(self, replayed_id: str) -> str | None:
        """The recorded id for which a replayed one stands; others stand for themselves."""
        key = self._replayed_key.get(replayed_id)
        return replayed_id if key is None else self._recorded_id.get(key)

    def to_replay(self, value: Any) -> Any:
        """Recorded fields with the ids of the replay in place of those that they name."""
        if isinstance(value, str):
            return self.replayed(value) or value if value in self._recorded_key else value
        if isinstance(value, dict):
            return {key: self.to_replay(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.to_replay(one) for one in value]
        return value

    def to_recording(self, value: Any) -> Any:
        """Replayed fields with recorded ids, so that the two can be compared."""
        if isinstance(value, str):
            return (self.recorded(value) or value) if value in self._replayed_key else value
        if isinstance(value, dict):
            return {key: self.to_recording(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.to_recording(one) for one in value]
        return value

    def named_in(self, value: Any) -> list[str]:
        """Ids of played modules' recorded messages that stand in a record's fields."""
        if isinstance(value, str):
            return [value] if value in self._recorded_key else []
        if isinstance(value, dict):
            return [one for part in value.values() for one in self.named_in(part)]
        if isinstance(value, list):
            return [one for part in value for one in self.named_in(part)]
        return []

    @staticmethod
    def _next(counts: dict[tuple[str, str], int], source: str, type_name: str) -> Key:
        number = counts.get((source, type_name), 0)
        counts[source, type_name] = number + 1
        return source, type_name, number
