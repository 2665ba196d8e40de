"""The broker of a replay: shows the feeder what is said, and carries what it says for others."""

from __future__ import annotations

from collections.abc import Callable

from sera.bus import MemoryBroker
from sera.messages import Envelope, Kind


class ReplayBroker(MemoryBroker):
    """An in-memory broker that somebody watches."""

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id
        self.watchers: list[Callable[[Envelope], None]] = []
        """Shown every message at the moment of its publication, the feeder's own included."""

    def publish(self, topic: str, content: bytes | Envelope, *, retain: bool = False) -> None:
        if isinstance(content, Envelope):
            for watcher in self.watchers:
                watcher(content)
        super().publish(topic, content, retain=retain)

    def say(self, envelope: Envelope) -> None:
        """Publish under the name of the envelope's source."""
        topic = f"sera/{self._run_id}/{envelope.character}/{envelope.type}/{envelope.source}"
        self.publish(topic, envelope, retain=envelope.message.kind is Kind.STATE)
